// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <type_traits>

#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/devices/geforce_gtx_280.hpp>
#include <warpgauge/devices/geforce_rtx_2070_super.hpp>
#include <warpgauge/devices/tesla_p100_pcie_16gb.hpp>
#include <warpgauge/tune/default_model.hpp>

namespace default_model_test {

using namespace warpgauge;

namespace {

template <class D>
using chosen = decltype(default_model(D{}));

}  // namespace

TEST_CASE("saturation where caches are known, MWP/CWP before there were any, else the roofline") {
    using namespace devices;
    static_assert(std::is_same_v<chosen<a100_sxm4_40gb>, saturation_model<a100_sxm4_40gb>>);
    static_assert(
        std::is_same_v<chosen<geforce_rtx_2070_super>, saturation_model<geforce_rtx_2070_super>>);
    static_assert(std::is_same_v<chosen<geforce_gtx_280>, mwp_cwp_model<geforce_gtx_280>>);
    static_assert(
        std::is_same_v<chosen<tesla_p100_pcie_16gb>, roofline_model<tesla_p100_pcie_16gb>>);
    static_assert(!has_default_model<int>);
    // One latency more, and the saturation model takes it.
    const auto gpu =
        with<parameters::dram_latency>(tesla_p100_pcie_16gb{}, {.dram_latency_cycles = 450});
    CHECK(default_model(gpu)
              .predict(kernel_profile<>{
                  .blocks = 1, .threads_per_block = 32, .comp_insts = 1, .coalesced_mem_insts = 1})
              ->wait_cycles == 450);
}

}  // namespace default_model_test
