// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/operand_reader.hpp>

namespace operand_reader_test {

using namespace warpgauge;
using ptx::operand_kind, ptx::detail::text::cursor;

namespace {

std::vector<ptx::operand> operands(std::string_view text) {
    cursor in(text);
    std::vector<ptx::operand> list;
    ptx::detail::text::read_operands(in, list);
    CHECK(in.ok());
    CHECK(in.at_end());
    return list;
}

model_error error(std::string_view text) {
    cursor in(text);
    std::vector<ptx::operand> list;
    ptx::detail::text::read_operands(in, list);
    return in.error();
}

}  // namespace

TEST_CASE("names, with an offset, negated, or as a second result") {
    const auto list = operands("%r1|%p1, !%p3, table+12, a+-4");
    REQUIRE(list.size() == 5);
    CHECK(list[0].text == "%r1");
    CHECK_FALSE(list[0].second_result);
    CHECK(list[1].second_result);
    CHECK(list[2].negated);
    CHECK(list[3].value == 12);
    CHECK(list[4].value == -4);
}

TEST_CASE("literals") {
    const auto list = operands("-7, 0x10, 1.5e-3, 0f3F800000, 0d3FF0000000000000, -.5");
    REQUIRE(list.size() == 6);
    CHECK(list[0].kind == operand_kind::integer);
    CHECK(list[0].value == -7);
    CHECK(list[1].value == 16);
    CHECK(list[2].kind == operand_kind::real);
    CHECK(list[2].text == "1.5e-3");
    CHECK(list[2].value == 0);
    CHECK(list[3].value == 0x3F800000);
    CHECK(list[4].value == 0x3FF0000000000000);
}

TEST_CASE("groups have their parts behind them") {
    const auto list = operands("[tex, {%f5, %f6}], {a, b}, (), [%rd1+8], [4096], [-4]");
    REQUIRE(list.size() == 11);
    CHECK(list[0].kind == operand_kind::address);
    CHECK(list[0].text == "tex");
    CHECK(list[0].parts == 3);
    CHECK(list[1].kind == operand_kind::vector);
    CHECK(list[1].parts == 2);
    CHECK(list[4].parts == 2);
    CHECK(list[7].kind == operand_kind::list);
    CHECK(list[7].parts == 0);
    CHECK(list[8].value == 8);
    CHECK(list[9].text.empty());
    CHECK(list[9].value == 4096);
}

TEST_CASE("errors") {
    CHECK(error("") == model_error{errc::expected, "an operand", 1, 1});
    CHECK(error("a, ;") == model_error{errc::expected, "an operand", 1, 4});
    CHECK(error("[a;") == model_error{errc::expected, "']'", 1, 3});
    CHECK(error("{a, b;") == model_error{errc::expected, "'}'", 1, 6});
    CHECK(error("((((((a") == model_error{errc::limit_reached, "operands", 1, 6});
    CHECK(error("[!]").field == "a number");
}

TEST_CASE("letters of literals may be large, and signs of an offset several") {
    const auto list = operands("0X1E5, 1E5, 1E-5, 0F3F800000, 0D3FF0000000000000, 0d1");
    REQUIRE(list.size() == 6);
    CHECK(list[0].kind == operand_kind::integer);
    CHECK(list[0].value == 0x1E5);
    for (std::size_t n = 1; n < 6; ++n) CHECK(list[n].kind == operand_kind::real);
    CHECK(list[2].text == "1E-5");
    CHECK(list[3].value == 0x3F800000);
    CHECK(operands("a-+4")[0].value == -4);
    CHECK(operands("a++4")[0].value == 4);
    CHECK(operands("!5")[0].value == 0);
    CHECK_FALSE(bool{operands("!5")[0].negated});
}

TEST_CASE("numbers just too long for the frequent forms") {
    cursor in("999999999, 9999999999, -999999999, 00, 017, [a+999999999], [a+9999999999];");
    std::vector<ptx::operand> list;
    ptx::detail::text::read_operands(in, list);
    CHECK(in.peek() == ';');
    REQUIRE(list.size() == 7);
    CHECK(list[0].value == 999'999'999);
    CHECK(list[1].value == 9'999'999'999);
    CHECK(list[2].value == -999'999'999);
    CHECK(list[2].text == "999999999");
    CHECK(list[3].value == 0);
    CHECK(list[4].value == 15);
    CHECK(list[5].value == 999'999'999);
    CHECK(list[6].value == 9'999'999'999);
}

// Only text with a semicolon ahead is read as having frequent forms.
TEST_CASE("frequent forms are read as all others are") {
    constexpr std::string_view parts[]{"%r1",    "%tid.x",   "a",          "_Z6kernelPf_param_0",
                                       "[%rd1]", "[%rd1+4]", "[%rd1+-16]", "[a+0x10]",
                                       "[a+1U]", "[a,",      "[",          "]",
                                       "12",     "-7",       "0",          "007",
                                       "7U",     "0x1f",     "1.5e3",      "0f3F800000",
                                       "+4",     "-",        "|",          "!",
                                       " ",      "\t",       "\n",         "(",
                                       ")",      "<<",       "?",          "@",
                                       "$",      "WARP_SZ",  "1234567890", "999999999",
                                       "\x80"};
    const unsigned seed = 7;
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::size_t read = 0;
    for (int n = 0; n < 20'000; ++n) {
        std::string text;
        const auto count = 1 + random() % 5;
        for (std::size_t part = 0; part < count; ++part) {
            text += parts[random() % std::size(parts)];
            if (random() % 4 != 0) text += ", ";
        }
        CAPTURE(text);
        const std::string with_end = text + ';';
        cursor one(text);
        cursor other(with_end);
        one.skip_space();
        other.skip_space();
        std::vector<ptx::operand> of_one;
        std::vector<ptx::operand> of_other;
        ptx::detail::text::read_operands(one, of_one);
        ptx::detail::text::read_operands(other, of_other);
        REQUIRE(one.ok() == other.ok());
        CHECK(one.error() == other.error());
        CHECK(one.here().line == other.here().line);
        CHECK(one.here().column == other.here().column);
        if (!one.ok()) continue;
        ++read;
        REQUIRE(of_one.size() == of_other.size());
        for (std::size_t o = 0; o < of_one.size(); ++o) {
            CHECK(of_one[o].kind == of_other[o].kind);
            CHECK(of_one[o].text == of_other[o].text);
            CHECK(of_one[o].value == of_other[o].value);
            CHECK(of_one[o].parts == of_other[o].parts);
            CHECK(bool{of_one[o].negated} == bool{of_other[o].negated});
            CHECK(bool{of_one[o].second_result} == bool{of_other[o].second_result});
            CHECK(bool{of_one[o].indexed} == bool{of_other[o].indexed});
        }
    }
    CHECK(read > 2'000);
}

}  // namespace operand_reader_test
