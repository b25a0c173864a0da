// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/sm_blocks.hpp>

namespace sm_blocks_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

TEST_CASE("times of results compare by cycle, then by where they come from") {
    constexpr auto near = result_time::at(7, false);
    constexpr auto far = result_time::at(7, true);
    static_assert(near.cycle() == 7 && !near.far() && far.cycle() == 7 && far.far());
    static_assert(result_time::later(near, far).far() && result_time::later(far, near).far());
    static_assert(!result_time::later(far, result_time::at(8, false)).far());
}

TEST_CASE("the latest result is that of any warp, ended or not") {
    struct warp {
        result_time last_result;
    };
    const std::vector<warp> warps{{result_time::at(5, true)}, {result_time::at(9, false)}};
    CHECK(latest_result(result_time::at(9, true), warps).far());
    CHECK(latest_result(result_time::at(8, true), warps).cycle() == 9);
}

}  // namespace sm_blocks_test
