// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/operand_shapes.hpp>

namespace operand_shapes_test {

using namespace warpgauge::ptx::detail::link;

namespace {

bool followed(action what, std::uint16_t results, std::uint16_t sources) {
    const std::array<std::uint32_t, 9> rows{};
    return can_be_followed({.what = what, .results = results, .sources = sources}, rows.data());
}

}  // namespace

TEST_CASE("as many sources as the action reads") {
    CHECK(followed(action::add, 1, 2));
    CHECK_FALSE(followed(action::add, 1, 1));
    CHECK_FALSE(followed(action::add, 1, 3));
    CHECK_FALSE(followed(action::add, 0, 2));
    CHECK_FALSE(followed(action::add, 2, 2));
    CHECK(followed(action::compare, 2, 3));
    CHECK(followed(action::shuffle, 2, 4));
    CHECK(followed(action::unpack, 8, 1));
    CHECK_FALSE(followed(action::unpack, 9, 1));
    CHECK(followed(action::unknown, 3, 5));
}

TEST_CASE("every source has a value") {
    const std::array<std::uint32_t, 2> rows{3, warpgauge::ptx::link::nowhere};
    const step add{.what = action::add, .results = 1, .sources = 2};
    CHECK_FALSE(can_be_followed(add, rows.data()));
}

}  // namespace operand_shapes_test
