// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <warpgauge/sass/byte_cursor.hpp>

namespace byte_cursor_test {

namespace {

namespace sass = warpgauge::sass;
using sass::detail::byte_cursor;

template <class... Bytes>
constexpr auto bytes_of(Bytes... bytes) {
    return std::array<std::byte, sizeof...(Bytes)>{static_cast<std::byte>(bytes)...};
}

TEST_CASE("numbers have their lowest byte first") {
    constexpr auto bytes = bytes_of(0x34, 0x12, 0xff, 0xff, 0xff, 0x7f);
    byte_cursor in(bytes, 0);
    CHECK(in.number(2) == 0x1234);
    CHECK(in.number(4) == 0x7fff'ffff);
    CHECK(in.ok());
    CHECK(in.left() == 0);
}

// DWARF 4, figure 22 and 23: what numbers look like in seven bits a byte.
TEST_CASE("numbers of seven bits a byte are as in the standard") {
    constexpr auto bytes = bytes_of(2, 127, 0x80, 1, 0x81, 1, 0x82, 1, 0xb9, 0x64);
    byte_cursor in(bytes, 0);
    for (const std::uint64_t expected : {2U, 127U, 128U, 129U, 130U, 12857U}) {
        CHECK(in.unsigned_leb() == expected);
    }
    constexpr auto signs = bytes_of(2, 0x7e, 0xff, 0, 0x81, 0x7f, 0x80, 1, 0x80, 0x7f, 0xff, 0x7e);
    byte_cursor with_signs(signs, 0);
    for (const std::int64_t expected : {2, -2, 127, -127, 128, -128, -129}) {
        CHECK(with_signs.signed_leb() == expected);
    }
    CHECK(with_signs.ok());
}

TEST_CASE("beyond the end everything is 0, and it says so") {
    constexpr auto bytes = bytes_of(0x80, 0x80);
    byte_cursor in(bytes, 0);
    CHECK(in.unsigned_leb() == 0);
    CHECK_FALSE(in.ok());
    CHECK(in.number(8) == 0);
    CHECK(in.left() == 0);
    byte_cursor skips(bytes, 1);
    skips.skip(2);
    CHECK_FALSE(skips.ok());
    CHECK_FALSE(byte_cursor(bytes, 3).ok());
}

TEST_CASE("a number of more than ten bytes keeps its lowest 64 bits") {
    constexpr auto bytes =
        bytes_of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
    byte_cursor in(bytes, 0);
    CHECK(in.unsigned_leb() == ~std::uint64_t{0});
    CHECK(in.left() == 0);
}

TEST_CASE("a negative number of more than ten bytes keeps its lowest 64 bits too") {
    constexpr auto bytes =
        bytes_of(0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
    byte_cursor in(bytes, 0);
    CHECK(in.signed_leb() == -2);
    CHECK(in.left() == 0);
}

TEST_CASE("an error names the byte, from 1") {
    constexpr auto bad = sass::detail::error_at(64, warpgauge::errc::malformed, "section");
    CHECK(bad.line == 65);
    CHECK(sass::detail::error_at(~std::uint64_t{0}, warpgauge::errc::malformed, "x").line ==
          0xffff'ffff);
}

}  // namespace

}  // namespace byte_cursor_test
