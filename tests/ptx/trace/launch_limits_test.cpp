// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/launch_limits.hpp>

namespace launch_limits_test {

using namespace warpgauge;
using ptx::detail::trace::exceeded;

TEST_CASE("the first number of a launch that is above its limit") {
    static_assert(exceeded({{0x7fff'ffff, 65'535, 65'535}, {4, 4, 64}}).field.empty());
    static_assert(exceeded({{0x8000'0000}, {32}}).count == 0x8000'0000);
    static_assert(exceeded({{1, 1, 65'536}, {32}}).along == " along z");
    static_assert(exceeded({{1}, {1025}}).most == 1024);
    static_assert(exceeded({{1}, {1, 1, 65}}).most == 64);
    CHECK(exceeded({{1, 65'536}, {2048}}).field == "grid");
    CHECK(exceeded({{1}, {32, 33}}).count == 1056);
}

}  // namespace launch_limits_test
