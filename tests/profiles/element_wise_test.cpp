// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

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
    CHECK(profiles::element_wise({.elements = 10000, .blocks = 30}).comp_insts == 14);  // some idle
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

}  // namespace element_wise_test
