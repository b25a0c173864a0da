// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.hpp"

#include <algorithm>
#include <set>

#include <warpgauge/device/sm_limits.hpp>
#include <warpgauge/sm/coalescing.hpp>

#include "chain.hpp"
#include "lanes.hpp"

namespace {

std::string covers(const task& t) {
    for (std::size_t d = 0; d < 3; ++d) {
        if (t.problem[d] == 0) continue;  // the experiment has no extent
        const std::uint64_t all = std::uint64_t{t.launch.grid[d]} * t.per_block[d];
        if (all < t.problem[d]) return "the grid does not cover the problem";
        if (all - t.per_block[d] >= t.problem[d]) return "a block has nothing to do";
    }
    return {};
}

// A GPU to plan for: what the compute capability says, and three figures of the chip.
gpu planned(const char* name, int major, int minor, int sms, std::size_t l2_bytes,
            std::size_t memory_bytes) {
    const auto limits = warpgauge::limits_of({major, minor});
    return {
        .name = name,
        .major = major,
        .minor = minor,
        .sm_count = sms,
        .max_threads_per_block = static_cast<int>(limits->max_threads_per_block),
        .max_warps_per_sm = static_cast<int>(limits->max_warps_per_sm),
        .max_blocks_per_sm = static_cast<int>(limits->max_blocks_per_sm),
        .max_shared_bytes_per_block = static_cast<std::size_t>(limits->max_shared_bytes_per_block),
        .shared_bytes_per_sm = static_cast<std::size_t>(limits->shared_bytes_per_sm),
        .l2_bytes = l2_bytes,
        .memory_bytes = memory_bytes};
}

}  // namespace

std::vector<gpu> planned_gpus() {
    constexpr std::size_t mib = 1 << 20;
    constexpr std::size_t gib = 1 << 30;
    return {// NVIDIA, Turing architecture white paper, TU104; product page.
            planned("GeForce RTX 2070 SUPER", 7, 5, 40, 4 * mib, 8 * gib),
            // NVIDIA, H100 architecture white paper.
            planned("H100 SXM5", 9, 0, 132, 50 * mib, 80 * gib)};
}

std::string fault(const task& t, const gpu& g) {
    constexpr extent most_blocks{2'147'483'647, 65'535, 65'535};
    constexpr extent most_threads{1024, 1024, 64};
    for (std::size_t d = 0; d < 3; ++d) {
        if (t.launch.grid[d] < 1 || t.launch.grid[d] > most_blocks[d])
            return "too many blocks or none";
        if (t.launch.block[d] < 1 || t.launch.block[d] > most_threads[d]) {
            return "too many threads or none";
        }
    }
    if (volume(t.launch.block) > static_cast<std::uint64_t>(g.max_threads_per_block)) {
        return "too many threads in a block";
    }
    if (t.launch.shared_bytes > g.max_shared_bytes_per_block) return "too much shared memory";
    if (t.memory_bytes > g.memory_bytes) return "more memory than the GPU has";
    if (t.samples < 20) return "too few samples";
    if (!t.measure || t.kernel == nullptr || t.unit.empty()) return "incomplete";
    return covers(t);
}

std::string chain_fault(std::size_t nodes, std::size_t window) {
    const std::vector<std::uint32_t> next = make_chain(nodes, window);
    std::size_t at = 0, crossings = 0;
    std::vector<bool> seen(nodes);
    for (std::size_t step = 0; step < nodes; ++step) {
        if (seen[at]) return "the chain closes before it has met all nodes";
        seen[at] = true;
        crossings += next[at] / window != at / window;
        at = next[at];
    }
    if (at != 0) return "the chain does not close";
    if (window < nodes && crossings != nodes / window) return "the chain leaves a window too early";
    return {};
}

std::string lanes_fault() {
    for (const std::uint32_t transactions : {0U, 1U, 2U, 4U, 8U, 16U, 32U}) {
        warpgauge::warp_access a;
        std::set<std::uint64_t> lines;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            a.addresses[lane] = lane_offset(lane, transactions);
            lines.insert(a.addresses[lane] / 128);
            if (a.addresses[lane] + 4 > load_bytes) return "a lane leaves the region of its load";
        }
        const auto served = coalesce(a, warpgauge::coalescing_rule::sectors);
        if (!served || served->transactions != (transactions == 0 ? 4 : transactions)) {
            return "lanes do not touch as many sectors as they should";
        }
        if (lines.size() != std::max(1U, transactions)) return "sectors share a cache line";
        if (lines.contains(untouched_offset / 128)) return "a line is loaded before its time";
    }
    return {};
}
