// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/result_time.hpp>
#include <warpgauge/simulate/sm_blocks.hpp>

namespace sm_blocks_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

TEST_CASE("the latest result is that of any warp, ended or not") {
    struct warp {
        result_time last_result;
    };
    const std::vector<warp> warps{{result_time::at(5, true)}, {result_time::at(9, false)}};
    CHECK(latest_result(result_time::at(9, true), warps).far());
    CHECK(latest_result(result_time::at(8, true), warps).cycle() == 9);
}

}  // namespace sm_blocks_test
