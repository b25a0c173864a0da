// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What docs/occupancy.md shows; nothing here runs.
#include <warpgauge/device/sm_limits.hpp>
#include <warpgauge/sm/occupancy.hpp>

// clang-format off
// region: occupancy
constexpr warpgauge::kernel_profile<> k{.threads_per_block = 128, .registers_per_thread = 37};
constexpr warpgauge::sm_limits volta = *warpgauge::limits_of({7, 0});

constexpr auto o = occupancy(k, volta);
static_assert(o->active_blocks_per_sm == 12 && o->occupancy == 0.75);
static_assert(o->limiter == warpgauge::occupancy_limiter::registers);

constexpr auto next = next_occupancy_step(k, volta);
static_assert(next->registers_per_thread == 32 && next->active_blocks_per_sm == 16);
// endregion
