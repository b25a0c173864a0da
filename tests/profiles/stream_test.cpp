// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/profiles/stream.hpp>

namespace stream_test {

using namespace warpgauge;

TEST_CASE("a triad and a stream of stores, by hand") {
    constexpr auto triad =
        profiles::stream({.elements = 1000, .threads_per_block = 256, .loads = 2});
    static_assert(triad.blocks == 4);
    static_assert(triad.coalesced_mem_insts == 3 && triad.comp_insts == 9);
    static_assert(triad.accesses.lines == 6);  // 256 B an access
    static_assert(triad.waits.dram_waits == 1 && triad.waits.store_waits == 1);
    static_assert(triad.traffic.dram_read_bytes == 16000);
    static_assert(triad.traffic.dram_write_bytes == 8000);
    static_assert(triad.traffic.l2_bytes_per_warp == 768);

    constexpr auto init =
        profiles::stream({.elements = 1000, .threads_per_block = 256, .loads = 0});
    static_assert(init.traffic.dram_read_bytes == 0);
    static_assert(init.waits.counted && init.waits.dram_waits == 0 && init.waits.store_waits == 0);
    for (const double loads : {0.0, 1.0}) {
        for (const double stores : {0.0, 1.0}) {
            const auto waits =
                profiles::stream(
                    {.elements = 1000, .threads_per_block = 256, .loads = loads, .stores = stores})
                    .waits;
            CHECK(waits.dram_waits == loads);
            CHECK(waits.store_waits == loads * stores);
        }
    }

    constexpr auto stencil =
        profiles::stream({.elements = 1000, .threads_per_block = 256, .neighbours = 4});
    static_assert(stencil.coalesced_mem_insts + stencil.comp_insts == 28);
    static_assert(stencil.coalesced_mem_insts == 6 && stencil.accesses.lines == 12);
    CHECK(stencil.waits.arithmetic_wait_cycles == 80);
    CHECK(stencil.traffic.dram_read_bytes == 8000);  // neighbours come from L1

    constexpr auto sum =
        profiles::stream({.elements = 1000, .threads_per_block = 256, .stores = 0});
    static_assert(sum.waits.dram_waits == 1 && sum.waits.store_waits == 0);
    static_assert(sum.traffic.dram_write_bytes == 0);
    constexpr auto two =
        profiles::stream({.elements = 1000, .threads_per_block = 256, .stores = 2});
    static_assert(two.traffic.dram_write_bytes == 16000);

    // A wave of 64 moves twice what a warp of 32 does, the launch the same.
    constexpr auto wave =
        profiles::stream({.elements = 1000, .threads_per_block = 256, .loads = 2, .warp_size = 64});
    static_assert(wave.accesses.lines == 12 && wave.traffic.l2_bytes_per_warp == 1536);
    static_assert(wave.traffic.dram_read_bytes == 16000 && wave.coalesced_mem_insts == 3);
}

}  // namespace stream_test
