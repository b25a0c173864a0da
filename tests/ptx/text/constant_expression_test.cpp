// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/constant_expression.hpp>
#include <warpgauge/ptx/text/operand_reader.hpp>

#include "ptx/linked.hpp"

namespace constant_expression_test {

using namespace warpgauge;
using ptx::operand_kind, ptx::detail::text::cursor;

namespace {

std::vector<ptx::operand> operands(std::string_view text) {
    cursor in(text);
    std::vector<ptx::operand> list;
    ptx::detail::text::read_operands(in, list);
    CAPTURE(text);
    CHECK(in.ok());
    CHECK(in.at_end());
    return list;
}

}  // namespace

// ptxas 13.0 makes the same code of each as of the number beside it.
TEST_CASE("expressions have the values that ptxas gives them") {
    struct {
        std::string_view text;
        std::int64_t value;
    } const all[]{{"(1+2)*4", 12},
                  {"1+2*3", 7},
                  {"~5", -6},
                  {"!5", 0},
                  {"-(5)", -5},
                  {"1?2:3", 2},
                  {"1<<4", 16},
                  {"7/2", 3},
                  {"5&3|8^2", 11},
                  {"3==3&&2<1", 0},
                  {"--5", 5},
                  {"-~5", 6},
                  {"~0>>4", -1},
                  {"-1>>28", -1},
                  {"(0U-1)>>60", 15},
                  {"0U-1>>60", 15},
                  {"!0+1", 2},
                  {"WARP_SZ*2", 64},
                  {"WARP_SZ-1", 31},
                  {"3>2?1+1:4", 2},
                  {"7-3-2", 2},
                  {"64/4/2", 8},
                  {"1<<2+1", 8},
                  {"6&3==3", 0},
                  {"1|2&&0", 0},
                  {"(.u64)-1>1", 1},
                  {"-1>1U", 1},
                  {"-7/2", -3},
                  {"1?2:0?3:4", 2},
                  {"-5>>1U", -3},
                  {"0x10U+1", 17},
                  {"8-WARP_SZ/8", 4},
                  {"+5", 5},
                  {"( 1 + 2 ) * ( 3 )", 9},
                  {"((1)+2)*3", 9},
                  {"5%3", 2},
                  {"7/0", 0},
                  {"-1/2U", INT64_MAX},
                  {"-1U/2", INT64_MAX},
                  {"-1%10U", 5},
                  {"7/-1", -7},
                  {"7%-1", 0},
                  {"1<<64", 0},
                  {"1U>>64", 0},
                  {"-1>>64", -1},
                  {"5!=5", 0},
                  {"5!=4", 1},
                  {"4<=4", 1},
                  {"5<=4", 0},
                  {"4>=5", 0},
                  {"4>=4", 1},
                  {"1&&2", 1},
                  {"0&&2", 0},
                  {"0||3", 1},
                  {"0||0", 0},
                  {"1+0X10", 17},
                  {"1+0x1e", 31},
                  {"1>18446744073709551615", 0}};
    for (const auto& e : all) {
        CAPTURE(e.text);
        const auto list = operands(e.text);
        REQUIRE(list.size() == 1);
        CHECK(list[0].kind == operand_kind::integer);
        CHECK(list[0].value == e.value);
    }
}

TEST_CASE("floats in expressions are read, and not computed") {
    for (const std::string_view text :
         {".5", "-.5", "5.", "1.0+2.0", "2.0*.5", "1e+3-1.5e-2", "1+2E+3", "1+2E-3", "1+2e3",
          "1+0F3F800000", "1+0D3FF0000000000000", "1?2.0:3", "1?2:3.0"}) {
        const auto list = operands(text);
        REQUIRE(list.size() == 1);
        CHECK(list[0].kind == operand_kind::real);
        CHECK(list[0].value == 0);
    }
}

TEST_CASE("offsets and indices") {
    const auto list =
        operands("[s+(1+2)*4], [%rd1+-4], s+1<<2, [s + 4 + 4], s[4], s[1+2], s[%r1+4]");
    REQUIRE(list.size() == 8);
    CHECK(list[0].value == 12);
    CHECK(list[1].value == -4);
    CHECK(list[2].value == 4);
    CHECK(list[3].value == 8);
    CHECK(list[4].kind == operand_kind::address);
    CHECK(list[4].indexed);
    CHECK(list[4].value == 4);
    CHECK(list[5].value == 3);
    CHECK(list[6].parts == 1);
    CHECK(list[7].text == "%r1");
    // What is in parentheses without more is a list, as of a call.
    CHECK(operands("(5)")[0].kind == operand_kind::list);
    CHECK(operands("%p1|%p2").size() == 2);
    CHECK(bool{operands("!%p1")[0].negated});
}

TEST_CASE("what is no expression") {
    for (const std::string_view text : {"1+", "(1", "1?2", "~", "1+%r1", "(.s32)5", "s[", "s[1"}) {
        cursor in(text);
        std::vector<ptx::operand> list;
        ptx::detail::text::read_operands(in, list);
        CAPTURE(text);
        CHECK_FALSE((in.ok() && in.at_end()));
    }
    const std::string deep(100'000, '~');
    cursor in(deep);
    std::vector<ptx::operand> list;
    ptx::detail::text::read_operands(in, list);
    CHECK(in.error().code == errc::limit_reached);
}

TEST_CASE("a kernel of such forms is followed, and `#line` is read over") {
    const linked_text t(
        kernel_of("#line 5 \"x.cu\"\n.shared .align 4 .u32 a[64];\n"
                  "mov.u32 %r3, (1+2)*4;\nst.shared.u32 a[2], %r3;\n"
                  "mov.u32 %r4, a[3];\nmov.u32 %r5, a+12;\n"
                  "# 7 \"x.cu\"\nld.shared.u32 %r5, a[%r3];"));
    CHECK(t.constant(t.source(t.body(0))) == 12);
    CHECK(t.body(1).offset == 8);
    CHECK(t.constant(t.source(t.body(2))) == t.constant(t.source(t.body(3))));
    CHECK(t.source(t.body(4)) == ptx::link::unknown_row);
}

TEST_CASE("expressions are read to a depth, and no deeper") {
    bool was_deep = false;
    for (int depth = 1; depth < 200; ++depth) {
        CAPTURE(depth);
        const std::string text = "1+" + std::string(static_cast<std::size_t>(depth), '(') +
                                 "1+2*3" + std::string(static_cast<std::size_t>(depth), ')');
        cursor in(text);
        std::vector<ptx::operand> list;
        ptx::detail::text::read_operands(in, list);
        const bool is_deep = !in.ok();
        CHECK(is_deep >= was_deep);
        if (is_deep) CHECK(in.error().code == errc::limit_reached);
        if (!is_deep) CHECK(list.at(0).value == 8);
        was_deep = is_deep;
    }
    CHECK(was_deep);
}

}  // namespace constant_expression_test
