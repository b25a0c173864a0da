// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/profiles/element_wise.hpp>

namespace element_wise_test {

using namespace warpgauge;

TEST_CASE("an addition of two arrays, by hand") {
    constexpr auto add = profiles::element_wise({.elements = 10000, .inputs = 2});
    static_assert(add.blocks == 20);
    static_assert(add.coalesced_mem_insts == 3);
    static_assert(add.comp_insts == 13);  // 16 in all: four elements of four
    static_assert(add.accesses.lines == 12);
    static_assert(add.traffic.dram_read_bytes == 80000);
    static_assert(add.traffic.dram_write_bytes == 40000);
    static_assert(add.bytes_per_access == 16);
    static_assert(add.waits.counted && add.waits.dram_waits == 1 && add.waits.store_waits == 1);
    CHECK(add.traffic.l2_bytes_per_warp == 1536);
    // Blocks that go through the elements in steps of the grid execute as many instructions as one for each element.
    const auto few = profiles::element_wise({.elements = 10240, .inputs = 2, .blocks = 5});
    CHECK(few.blocks == 5);
    CHECK(few.coalesced_mem_insts == 12);
    CHECK(few.comp_insts == 4 * 13);
    CHECK(few.accesses.lines == 48);
    CHECK(few.traffic.l2_bytes_per_warp == 4 * 1536);
    CHECK(profiles::element_wise({.elements = 10000, .blocks = -7}).blocks ==
          -7);  // no model takes it
    CHECK(profiles::element_wise({.elements = 10000}).traffic.dram_read_bytes == 40000);
}

TEST_CASE("blocks beyond those that the elements need do no work") {
    const auto enough = profiles::element_wise({.elements = 1 << 20});
    CHECK(enough.blocks == 2048);
    CHECK(profiles::element_wise({.elements = 1 << 20, .blocks = 2048}).comp_insts ==
          enough.comp_insts);
    const auto surplus = profiles::element_wise({.elements = 1 << 20, .blocks = 100000});
    const auto of_all = [](const kernel_profile<>& k, double per_block) {
        return doctest::Approx(k.blocks * per_block);
    };
    CHECK(of_all(surplus, surplus.comp_insts) == enough.blocks * enough.comp_insts);
    CHECK(of_all(surplus, surplus.accesses.lines) == enough.blocks * enough.accesses.lines);
    CHECK(of_all(surplus, surplus.coalesced_mem_insts) ==
          enough.blocks * enough.coalesced_mem_insts);
    CHECK(of_all(surplus, surplus.traffic.l2_bytes_per_warp) ==
          enough.blocks * enough.traffic.l2_bytes_per_warp);
    // They had 49 times the bytes of all, and 75 us for 5.39.
    const roofline_model<devices::a100_sxm4_40gb> roofline;
    CHECK(roofline.predict(surplus)->seconds ==
          doctest::Approx(roofline.predict(enough)->seconds).epsilon(1e-12));
    // Blocks that do nothing are launched.
    const saturation_model<devices::a100_sxm4_40gb> saturation;
    CHECK(saturation.predict(surplus)->seconds > saturation.predict(enough)->seconds);
}

}  // namespace element_wise_test
