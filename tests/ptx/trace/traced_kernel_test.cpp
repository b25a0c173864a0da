// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/traced_kernel.hpp>

namespace traced_kernel_test {

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
    t.unit_insts[static_cast<std::size_t>(unit_kind::shared_memory)] = 12;
    t.unit_insts[static_cast<std::size_t>(unit_kind::branch)] = 5;
    const kernel_profile<> k = t.profile();
    CHECK(k.blocks == 20);
    CHECK(k.threads_per_block == 64);
    CHECK(k.registers_per_thread == 20);
    CHECK(k.shared_bytes_per_block == 1536);
    CHECK(k.comp_insts == 100 - 3 - 8);
    CHECK(k.sync_insts == 3);
    CHECK(k.transactions_per_uncoalesced == 20);
    CHECK(k.bytes_per_access == 8);
    CHECK(k.shared_insts == 12);
    CHECK(k.branches == 5);
    CHECK(k.traffic.local_bytes == 0);
    const kernel_profile<> compiled =
        t.profile({.registers_per_thread = 32, .shared_bytes_per_block = 2048});
    CHECK(compiled.registers_per_thread == 32);
    CHECK(compiled.shared_bytes_per_block == 2560);
    CHECK(compiled.comp_insts == k.comp_insts);
}

TEST_CASE("what the compiler spills is executed and moves bytes") {
    const ptx::traced_kernel t{.launch = {{10}, {64}}, .warp_insts = 100};
    constexpr std::string_view text =
        "ptxas info    : Compiling entry function 'k' for 'sm_75'\n"
        "ptxas info    : Function properties for k\n"
        "    744 bytes stack frame, 744 bytes spill stores, 1272 bytes spill loads\n"
        "ptxas info    : Used 255 registers, 400 bytes cmem[0]\n";
    const auto compiled = ptx::read_resources(text, "k");
    REQUIRE(compiled);
    const kernel_profile<> k = t.profile(*compiled);
    CHECK(k.traffic.local_bytes == 744 + 1272);
    CHECK(k.traffic.local_footprint_bytes == 744);
    CHECK(k.comp_insts == 100 + 2016 / 4);
}

TEST_CASE("arrays of the text are in local memory, unless the compiler needs no stack frame") {
    const ptx::traced_kernel t{
        .launch = {{10}, {64}}, .warp_insts = 100, .local_bytes = 1064, .local_frame_bytes = 256};
    CHECK(t.profile().traffic.local_bytes == 1064);
    CHECK(t.profile().traffic.local_footprint_bytes == 256);
    const auto in_registers = t.profile({.registers_per_thread = 80});
    CHECK(in_registers.traffic.local_bytes == 0);
    CHECK(in_registers.traffic.local_footprint_bytes == 0);
    const auto in_memory = t.profile({.registers_per_thread = 80,
                                      .stack_bytes = 272,
                                      .spill_store_bytes = 16,
                                      .spill_load_bytes = 32});
    CHECK(in_memory.traffic.local_bytes == 1064 + 48);
    CHECK(in_memory.traffic.local_footprint_bytes == 272);
    CHECK(in_memory.comp_insts == 100 + 48 / 4);
}

TEST_CASE("extents count") {
    CHECK(ptx::extent{}.count() == 1);
    CHECK(ptx::extent{0x7fff'ffff, 65'535, 65'535}.count() == 0x7fff'ffffULL * 65'535 * 65'535);
    CHECK(ptx::extent{4, 0}.count() == 0);
}

TEST_CASE("extents differ along each dimension") {
    using warpgauge::ptx::extent;
    CHECK(extent{1, 2, 3} == extent{1, 2, 3});
    CHECK_FALSE(extent{1, 2, 3} == extent{2, 2, 3});
    CHECK_FALSE(extent{1, 2, 3} == extent{1, 1, 3});
    CHECK_FALSE(extent{1, 2, 3} == extent{1, 2, 1});
}

}  // namespace traced_kernel_test
