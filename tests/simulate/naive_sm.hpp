// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One SM, as plainly as it can be written: every cycle, every warp, every task of the unrolled stream.
#ifndef WARPGAUGE_TESTS_SIMULATE_NAIVE_SM_HPP
#define WARPGAUGE_TESTS_SIMULATE_NAIVE_SM_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <warpgauge/simulate/sm.hpp>

namespace naive {

using namespace warpgauge;

struct outcome {
    std::uint64_t cycles{}, warp_instructions{}, issue_slots{}, issue_cycles{};
    sm_stalls stalls{};
    std::vector<std::uint64_t> block_ends;
};

/// Puts the warps of a sub-core in the order in which its schedulers ask them, each cycle.
using chooser = std::function<void(std::vector<std::size_t>& warps, std::size_t sub_core)>;

/// With `choose` in place of `policy` where there is one.
outcome run_sm(std::span<const instruction> stream, const sm_parameters& p, const sm_residency& r,
               warp_policy policy, chooser choose = {});

}  // namespace naive

#endif
