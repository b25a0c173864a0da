// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/declaration_reader.hpp>
#include <warpgauge/ptx/text/initial_values.hpp>

#include "random_numbers.hpp"

namespace initial_values_test {

using namespace warpgauge;
using ptx::text::initial_values;

namespace {

ptx::declaration declared(std::string_view text) {
    ptx::detail::text::cursor in(text);
    std::vector<ptx::declaration> list;
    read_variables(in, ptx::state_space::constant, {7, 8}, {}, list);
    REQUIRE(in.ok());
    REQUIRE(list.size() == 1);
    return list[0];
}

initial_values<> values(std::string_view text) {
    const auto read = ptx::text::read_initial_values(declared(text));
    CAPTURE(text);
    REQUIRE(read);
    return *read;
}

model_error error_of(std::string_view text) {
    const auto read = ptx::text::read_initial_values(declared(text));
    CAPTURE(text);
    REQUIRE_FALSE(read);
    return read.error();
}

using bytes = std::vector<unsigned char>;

}  // namespace

TEST_CASE("integers of all sizes, side by side") {
    const initial_values<> b = values(".align 4 .b8 t[6] = {1, 0xff, -1, 3U};");
    CHECK(b.bytes == bytes{1, 255, 255, 3});
    REQUIRE(b.runs.size() == 1);
    CHECK(b.runs[0].known);
    CHECK(b.runs[0].bytes == 4);
    CHECK(b.size == 6);
    CHECK(values(".u64 t = 258;").bytes == bytes{2, 1, 0, 0, 0, 0, 0, 0});
    CHECK(values(".u16 t[] = {1, (1+2)*4, WARP_SZ-1};").bytes == bytes{1, 0, 12, 0, 31, 0});
    CHECK(values(".u16 t[] = {1, 2, 3};").size == 6);
    CHECK(values(".u32 t[4] = {};").runs.empty());
}

TEST_CASE("groups begin where their dimension says") {
    const initial_values<> v = values(".u32 t[3][2] = {{1}, {2, 3}};");
    CHECK(v.size == 24);
    REQUIRE(v.runs.size() == 2);
    CHECK(v.runs[0].at == 0);
    CHECK(v.runs[1].at == 8);
    CHECK(v.runs[1].bytes == 8);
    const initial_values<> flat = values(".u32 t[2][2] = {1, 2, 3};");
    REQUIRE(flat.runs.size() == 1);
    CHECK(flat.runs[0].bytes == 12);
    const initial_values<> vectors = values(".v4 .u8 t[2] = {{1, 2}, {3, 4, 5, 6}};");
    REQUIRE(vectors.runs.size() == 2);
    CHECK(vectors.runs[1].at == 4);
    CHECK(vectors.size == 8);
    // Room for 2^40 elements takes no memory.
    CHECK(values(".u32 t[2][1099511627776] = {{1}, {2}};").bytes.size() == 8);
}

TEST_CASE("floats: bits, decimals that take no rounding, and others") {
    CHECK(values(".f32 t[2] = {0f3F800000, 1.0};").bytes == bytes{0, 0, 128, 63, 0, 0, 128, 63});
    CHECK(values(".f32 t = 0.5;").bytes == bytes{0, 0, 0, 63});
    const initial_values<> d = values(".f64 t[3] = {-2.5e-3, 0d3FF0000000000000, 0};");
    REQUIRE(d.bytes.size() == 24);
    std::uint64_t bits = 0;
    for (std::size_t b = 8; b-- > 0;) bits = bits << 8 | d.bytes[b];
    CHECK(std::bit_cast<double>(bits) == -2.5e-3);
    const initial_values<> open = values(".f32 t[3] = {1.2345678901234567, 1e300, 2.0+3.0};");
    CHECK(open.bytes.empty());
    REQUIRE(open.runs.size() == 1);
    CHECK_FALSE(open.runs[0].known);
    CHECK(open.runs[0].bytes == 12);
    double value = 0;
    for (const std::string text : {"1", ".5", "12.25", "-1e22", "1.5E+3", "123456789012345e-22"}) {
        CAPTURE(text);
        REQUIRE(ptx::text::read_decimal(text, value));
        CHECK(value == std::stod(text));
    }
    CHECK_FALSE(ptx::text::read_decimal("1e23", value));
    for (const std::string_view none :
         {"1.0x", "1e5x", "1.2.3", "1e23", "-1e-23", "1e999999999999", "1234567890123456"}) {
        CAPTURE(none);
        CHECK_FALSE(ptx::text::read_decimal(none, value));
    }
    CHECK(ptx::text::read_decimal("+2.50", value));
    CHECK(value == 2.5);
    CHECK(ptx::text::read_decimal("000000000000000000001", value));  // zeros ahead are no digits
    CHECK(value == 1);
}

TEST_CASE("a decimal that is read is what the standard library makes of it") {
    random_numbers random(7);
    double value = 0;
    for (int n = 0; n < 20'000; ++n) {
        std::string text = random.whole(0, 1) == 0 ? "-" : "";
        const int before = random.whole(0, 8);
        const int behind = random.whole(before == 0 ? 1 : 0, 7);
        for (int d = 0; d < before; ++d) text += static_cast<char>('0' + random.whole(0, 9));
        if (behind > 0) text += '.';
        for (int d = 0; d < behind; ++d) text += static_cast<char>('0' + random.whole(0, 9));
        const int exponent = random.whole(-20, 20);
        if (random.whole(0, 1) == 0)
            text += (random.whole(0, 1) == 0 ? "e" : "E") + std::to_string(exponent);
        CAPTURE(text);
        if (ptx::text::read_decimal(text, value)) REQUIRE(value == std::stod(text));
    }
}

TEST_CASE("bits of a float are those of its type") {
    CHECK(values(".f32 t[2] = {0F3f800000, 0f3F80};").runs.size() == 1);
    CHECK(values(".f64 t = 0D3FF0000000000000;").bytes.size() == 8);
    CHECK_FALSE(values(".f64 t = 0f3F800000;").runs[0].known);
    CHECK_FALSE(values(".f32 t = 0d3FF0000000000000;").runs[0].known);
    CHECK_FALSE(values(".u32 t = 1.0;").runs[0].known);
    CHECK(values(".f32 t = .5;").bytes == bytes{0, 0, 0, 63});
    CHECK_FALSE(values(".f32 t = 1;").runs[0].known);  // an integer is no bits of a float
    CHECK_FALSE(values(".f32 t = 0fG;").runs[0].known);
    CHECK_FALSE(values(".f32 t = 0f3F800000G;").runs[0].known);
    const initial_values<> apart = values(".f32 t[2][2] = {{1e300}, {1e300}};");
    REQUIRE(apart.runs.size() == 2);
    CHECK(apart.runs[1].at == 8);
    CHECK_FALSE(values(".f32 t = 4e38;").runs[0].known);
    CHECK_FALSE(values(".f32 t = -4e38;").runs[0].known);
    // Known values between values that are not, and the other way round.
    const initial_values<> mixed = values(".f32 t[4] = {1.0, 1e300, 2.0, 3.0};");
    REQUIRE(mixed.runs.size() == 3);
    CHECK_FALSE(mixed.runs[1].known);
    CHECK(mixed.runs[2].bytes == 8);
    CHECK(mixed.runs[2].at == 8);
}

TEST_CASE("addresses of variables and functions") {
    const initial_values<> v = values(".u64 t[4] = {f, generic(table)+8, table-4, 0xFF00(f)};");
    CHECK(v.bytes.empty());
    REQUIRE(v.addresses.size() == 3);
    CHECK(v.addresses[0].name == "f");
    CHECK(v.addresses[1].name == "table");
    CHECK(v.addresses[1].at == 8);
    CHECK(v.addresses[1].offset == 8);
    CHECK(v.addresses[2].offset == -4);
    REQUIRE(v.runs.size() == 1);
    CHECK(v.runs[0].bytes == 32);
    CHECK(values(".u64 t = generic;").addresses.at(0).name ==
          "generic");  // a variable of that name
}

TEST_CASE("what has no room, or is no value, is an error of the declaration") {
    const model_error room{errc::outside_domain, "initial values", 1, 6};
    CHECK(error_of(".u32 t[2] = {1, 2, 3};") == room);
    CHECK(error_of(".u32 t[1][2] = {{1, 2, 3}};") == room);
    CHECK(error_of(".u32 t[1][2] = {{1}, {2}};") == room);
    CHECK(error_of(".u32 t[2] = {{{1}}};") == room);
    CHECK(error_of(".u32 t[2] = {1, 2, 3, 4};") == room);
    std::string many = ".u32 t";
    for (int n = 0; n < 65; ++n) many += "[1]";
    CHECK(error_of(many + "[1] = 1;") == model_error{errc::limit_reached, "initial values", 1, 6});
    CHECK(error_of(".u32 t[2] = {1 2};").code == errc::expected);
    CHECK(error_of(".u32 t[2] = {]};").code == errc::expected);
    CHECK(error_of(".u32 t = 1 2;").code == errc::expected);
    CHECK(error_of(".u64 t = generic(f;").code == errc::expected);
    // Of a type whose values nobody follows, nothing is known.
    for (const char* text :
         {".b128 t[2] = {whatever};", ".pred t = 1;", ".f16 t = 1;", ".other t = 1;"}) {
        CAPTURE(text);
        CHECK_FALSE(values(text).runs[0].known);
    }
}

}  // namespace initial_values_test
