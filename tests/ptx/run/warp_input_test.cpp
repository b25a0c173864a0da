// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/warp_input.hpp>

namespace warp_input_test {

using namespace warpgauge;

TEST_CASE("bytes of an argument, of eight or of a structure") {
    ptx::run::argument_bytes a{.small = {1, 2, 3, 4, 5, 6, 7, 8}, .known = true};
    std::uint64_t value = 0;
    CHECK(a.read(0, 4, value));
    CHECK(value == 0x04030201);
    CHECK(a.read(6, 2, value));
    CHECK(value == 0x0807);
    CHECK_FALSE(a.read(6, 4, value));
    CHECK_FALSE(a.read(9, 1, value));
    CHECK_FALSE(a.read(0, 9, value));
    const std::array<unsigned char, 12> structure{9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2};
    a.bytes = structure;
    CHECK(a.read(8, 4, value));
    CHECK(value == 0x02010001);
    a.known = false;
    CHECK_FALSE(a.read(0, 1, value));
}

TEST_CASE("a decision is even odds unless it says more") {
    const ptx::run::decision d;
    CHECK(d.probability == 0.5);
    CHECK(d.rounds == 0);
    CHECK(d.loop == ptx::link::nowhere);
}

}  // namespace warp_input_test
