// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/traced_kernel.hpp>

using namespace warpgauge;

TEST_CASE("a profile from counts") {
    ptx::traced_kernel t{.name = "k",
                         .launch = {{10, 2}, {64}, 512},
                         .warp_insts = 100,
                         .coalesced_mem_insts = 6,
                         .uncoalesced_mem_insts = 2,
                         .transactions = 40,
                         .coalesced_bytes_moved = 6 * 256,
                         .static_shared_bytes = 1024,
                         .live_registers = 20};
    t.unit_insts[static_cast<std::size_t>(unit_kind::global_memory)] = 8;
    t.unit_insts[static_cast<std::size_t>(unit_kind::barrier)] = 3;
    const kernel_profile<> k = t.profile();
    CHECK(k.blocks == 20);
    CHECK(k.threads_per_block == 64);
    CHECK(k.registers_per_thread == 20);
    CHECK(k.shared_bytes_per_block == 1536);
    CHECK(k.comp_insts == 100 - 3 - 8);
    CHECK(k.sync_insts == 3);
    CHECK(k.transactions_per_uncoalesced == 20);
    CHECK(k.bytes_per_access == 8);
    const kernel_profile<> compiled =
        t.profile({.registers_per_thread = 32, .shared_bytes_per_block = 2048});
    CHECK(compiled.registers_per_thread == 32);
    CHECK(compiled.shared_bytes_per_block == 2560);
}

TEST_CASE("extents count") {
    CHECK(ptx::extent{}.count() == 1);
    CHECK(ptx::extent{0x7fff'ffff, 65'535, 65'535}.count() == 0x7fff'ffffULL * 65'535 * 65'535);
    CHECK(ptx::extent{4, 0}.count() == 0);
}
