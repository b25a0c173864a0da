// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/devices/h100_sxm5.hpp>
#include <warpgauge/kernel/with_blocks.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/profiles/element_wise.hpp>

namespace with_blocks_test {

using namespace warpgauge;

TEST_CASE("twice the blocks are the launch of twice the work") {
    constexpr auto one = profiles::element_wise({.elements = 1 << 26});
    constexpr auto two = profiles::element_wise({.elements = 1 << 27});
    constexpr auto doubled = with_blocks(one, 2 * one.blocks);
    static_assert(doubled.blocks == two.blocks);
    static_assert(doubled.traffic.dram_read_bytes == two.traffic.dram_read_bytes);
    static_assert(doubled.traffic.dram_write_bytes == two.traffic.dram_write_bytes);
    static_assert(doubled.traffic.l2_bytes_per_warp == one.traffic.l2_bytes_per_warp);
    const saturation_model<devices::h100_sxm5> model;
    CHECK(model.predict(doubled)->seconds == model.predict(two)->seconds);
    CHECK(with_blocks(kernel_profile<>{.blocks = 10, .traffic = {.footprint_bytes = 30}}, 20.0)
              .traffic.footprint_bytes == 60);
    constexpr auto first = with_blocks(kernel_profile<>{.traffic = {.footprint_bytes = 30}}, 20.0);
    static_assert(first.blocks == 20 && first.traffic.footprint_bytes == 30);
}

}  // namespace with_blocks_test
