// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <type_traits>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/kernel/profile.hpp>

namespace profile_test {

using namespace warpgauge;

static_assert(std::is_aggregate_v<kernel_profile<>>);
static_assert(std::is_aggregate_v<kernel_profile<lanes<4>>>);
static_assert(std::is_trivially_copyable_v<kernel_profile<>>);  // a plain value, owns nothing

TEST_CASE("what a profile does not say") {
    constexpr kernel_profile<> k{.blocks = 80, .threads_per_block = 128};
    CHECK(k.name.empty());
    CHECK(k.instructions.empty());
    CHECK(k.registers_per_thread == 0);
    CHECK(k.active_blocks_per_sm == 0);
    CHECK(k.comp_insts == 0);
    CHECK(k.sync_insts == 0);
    // An access of 4 B; one that is not coalesced takes a transaction for each lane.
    CHECK(k.bytes_per_access == 4);
    CHECK(k.transactions_per_uncoalesced == 32);
}

TEST_CASE("a profile is no stencil, unless it says so") {
    constexpr kernel_profile<float> k{};
    CHECK(k.stencil.dimensions == 0);
    CHECK(k.stencil.stencil_arrays == 1.0F);
    CHECK(k.stencil.data_length == std::array<float, 3>{});
    constexpr kernel_profile<> s{.stencil = {.dimensions = 2, .halo_width = {2, 2}}};
    CHECK(s.stencil.halo_width == std::array<double, 3>{2, 2, 0});
}

TEST_CASE("each lane of a profile has its own number") {
    kernel_profile<lanes<2>> k{.blocks = 3.0};
    k.blocks.values[1] = 5;
    CHECK(double{k.blocks.values[0]} == 3);
    CHECK(double{k.blocks.values[1]} == 5);
    CHECK(double{k.transactions_per_uncoalesced.values[1]} == 32);
}

}  // namespace profile_test
