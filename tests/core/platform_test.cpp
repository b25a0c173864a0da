// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/core/platform.hpp>

#include <cmath>

#include <doctest/doctest.h>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/scalar.hpp>

namespace platform_test {

// What is refused is in compile_fail/. This file is compiled with options that allow sums to be reordered, and uses a
// width that no other file does, so that it tests the functions compiled here.
namespace {

using pack = warpgauge::lanes<16>;

TEST_CASE("packs round to whole numbers where the compiler may reorder sums") {
    namespace core = warpgauge::core;
    for (double x = 0.0; x < 40.0; x += 0.3) {
        const pack many(x);
        CHECK(core::floor(many).values[3] == std::floor(x));
        CHECK(core::ceil(many).values[5] == std::ceil(x));
        CHECK(core::quotient_down(many, pack(1.0)).values[7] == std::floor(x));
        CHECK(core::quotient_up(many, pack(1.0)).values[15] == std::ceil(x));
    }
    const double last = 4503599627370495.5;  // 2^52 - 1/2: rounds to 2^52
    CHECK(core::ceil(pack(last)).values[0] == 4503599627370496.0);
    CHECK(core::floor(pack(last)).values[0] == 4503599627370495.0);
}

}  // namespace

}  // namespace platform_test
