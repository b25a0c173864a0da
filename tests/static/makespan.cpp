// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worst case as a user asks for it; the static assertion is the test.
#include <array>

#include <warpgauge/warpgauge.hpp>

namespace {

// clang-format off
// region: makespan
constexpr std::array<warpgauge::unit_slots, 2> slots{{{'L', 1}, {'C', 1}}};  // or slots_of(device)
constexpr warpgauge::makespan_problem kernel{"LLCLL", slots, 600};            // 600 warps

constexpr auto never_longer = warpgauge::makespan_upper_bound(kernel);
static_assert(never_longer->safe && never_longer->cycles == 2401);

// A search finds a schedule of 2401 cycles, so this is the worst case.
bool is_the_worst_case() {
    const auto b = warpgauge::bracket_makespan(kernel);
    return b && b->certified && b->lower == never_longer->cycles;
}
// endregion
// clang-format on

[[maybe_unused]] bool (*const used)() = is_the_worst_case;

}  // namespace
