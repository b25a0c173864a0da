// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <vector>

#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/tune/rank_by_default.hpp>

namespace rank_by_default_test {

using namespace warpgauge;

TEST_CASE("a device ranks by its default model") {
    const devices::a100_sxm4_40gb gpu;
    std::vector<kernel_profile<>> launches;
    for (const double threads : {32.0, 1024.0, 128.0, 96.0}) {
        launches.push_back({.blocks = 1e6 / threads,
                            .threads_per_block = threads,
                            .comp_insts = 60,
                            .coalesced_mem_insts = 5,
                            .waits = {.counted = true, .dram_waits = 1}});
    }
    const auto ranked = rank(gpu, launches);
    REQUIRE(ranked);
    for (std::size_t n = 0; n < launches.size(); ++n) {
        CHECK(ranked->seconds[n] == saturation_model{gpu}.predict(launches[n])->seconds);
    }
    CHECK(ranked->order.back() == 0);  // 32 resident blocks of one warp fill half of an SM
    CHECK(rank(gpu, launches, -1).error() == model_error{errc::negative, "tolerance"});
}

}  // namespace rank_by_default_test
