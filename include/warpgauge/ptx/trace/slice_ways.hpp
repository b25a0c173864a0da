// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_SLICE_WAYS_HPP
#define WARPGAUGE_PTX_TRACE_SLICE_WAYS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/control_slice.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/block_rows.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/run/way_bounds.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/ptx/trace/warp_reach.hpp>

/// \file The ways of warps that are not recorded: of their steps, only those that direct them are followed.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// The place of a warp in a launch.
constexpr ptx::run::warp_place place_of(const launch& l, const block_index& block,
                                        std::uint32_t warp, std::uint32_t ordinal) {
    return {.grid = {l.grid.x, l.grid.y, l.grid.z},
            .block = {l.block.x, l.block.y, l.block.z},
            .block_index = block,
            .warp = warp,
            .dynamic_shared_bytes = l.dynamic_shared_bytes,
            .cluster = {l.cluster.x, l.cluster.y, l.cluster.z},
            .ordinal = ordinal};
}

/// A number for one more value.
constexpr void mix(std::uint64_t& hash, std::uint64_t value) {
    hash = (hash ^ value) * 1'099'511'628'211U;
    hash ^= hash >> 32;
}

inline constexpr std::uint64_t hash_start = 14'695'981'039'346'656'037U;

/// A number for one more step of a way.
constexpr void mix_step(std::uint64_t& path, std::uint32_t step, std::uint32_t active,
                        std::uint32_t jumping, std::uint64_t rounds) {
    mix(path, std::uint64_t{step} << 32 | active);
    mix(path, rounds << 32 ^ jumping);
}

/// The way of a warp that is under way, and before unknown data decided.
struct way_so_far {
    std::uint64_t path = hash_start;
    std::uint64_t undecided = hash_start;
    std::uint64_t steps = 0, steps_decided = 0;
};

template <class Used = core::when_used>
class slice_ways {
public:
    using machine = ptx::run::warp_machine<Used>;
    using control_slice = ptx::link::control_slice<Used>;

    /// All must outlive it. `slice`: what directs the warps.
    slice_ways(const ptx::link::program& p, const launch& l, machine& m, const control_slice& slice,
               const warp_begins<Used>& begins)
        : launch_(l), machine_(m), slice_(slice), bounds_(p), reached_(begins) {}

    /// A number for the way of a warp. `alone`: it does not depend on what other warps of its block store.
    result<std::uint64_t> path(const warp_of_block& here, bool alone) {
        warp_distance away{};
        const std::uint32_t number = reached_.find(here, away);
        if (number != ptx::link::nowhere) return followed_[number];
        way_so_far way;
        const auto see = [&](const ptx::run::executed& e) {
            mix_step(way.path, e.step, e.active & ~e.idle, e.jumping, e.rounds);
            (machine_.has_decided() ? way.steps_decided : way.steps) += 1;
            if (!machine_.has_decided()) way.undecided = way.path;
        };
        const auto bad = machine_.run_slice(place_of(launch_, here.block, here.warp, here.warp),
                                            slice_, see, &bounds_);
        if (bad) return bad;
        is_decided_ = is_decided_ || machine_.has_decided();
        const std::uint64_t path = way.path;
        keep(here, path, alone);
        if (!alone || !machine_.has_fork() || 3 * way.steps_decided > way.steps) return path;
        const auto bad_fork = for_other_starts(machine_, here.start, [&](double start) {
            way.path = way.undecided;
            const auto bad_run = machine_.run_slice_fork(start, slice_, see);
            if (!bad_run) keep({here.block, here.warp, start}, way.path, alone);
            return bad_run;
        });
        if (bad_fork) return bad_fork;
        return path;
    }

    /// Unknown data decides for some warp so far.
    [[nodiscard]] bool is_decided_by_data() const { return is_decided_; }
    /// Did one go the way of that warp of all blocks of a box?
    [[nodiscard]] bool reach(const block_box& box, std::uint32_t warp) {
        return reached_.reach(box, warp);
    }
    /// What warps so far divide the numbers of blocks by.
    [[nodiscard]] const ptx::detail::run::block_rows& rows_of_blocks() const {
        return bounds_.rows_of_blocks();
    }

private:
    static constexpr std::size_t max_followed = 256;

    void keep(const warp_of_block& of, std::uint64_t path, bool alone) {
        if (followed_.size() >= max_followed) return;
        followed_.push_back(path);
        warp_reach<Used> reach{};
        if (alone) reach = {bounds_.reach(), machine_.start_room()};
        reached_.add(of, reach);
    }

    const launch& launch_;
    machine& machine_;
    const control_slice& slice_;
    ptx::detail::run::way_bounds<Used> bounds_;  // of the warp under way
    reached_warps<Used> reached_;
    core::late<Used, std::vector<std::uint64_t>> followed_;  // ways of these
    bool is_decided_ = false;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
