// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_LAUNCH_REUSE_HPP
#define WARPGAUGE_PTX_TRACE_LAUNCH_REUSE_HPP

#include <cstdint>
#include <span>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/trace/block_draws.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>
#include <warpgauge/ptx/trace/block_ways.hpp>
#include <warpgauge/ptx/trace/mean_reuse.hpp>
#include <warpgauge/ptx/trace/memory_facts.hpp>

/// \file Which blocks of a sample are looked at for what their rounds read again: all warps of a block have to be.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

template <class Used = core::when_used>
class launch_reuse {
public:
    /// Both must outlive it.
    launch_reuse(memory_facts<Used>& facts, block_ways<Used>& ways) : facts_(facts), ways_(ways) {}

    void begin(const block_sample& sample) {
        stand_for_unlike_ = sample.is_spread || has_alignments<Used>(sample);
    }

    /// A block of the sample, which stands for `weight` of them; `whole`: all of its warps were followed. `paths`: their ways.
    void end_block(bool whole, double weight, std::span<const std::uint64_t> paths) {
        std::uint64_t kind = hash_start;
        for (const std::uint64_t path : paths) mix(kind, path);
        if (!whole) return draws_.add(kind, weight);
        draws_.skip();
        if (stand_for_unlike_) {
            facts_.end_drawn_reuse(1, weight, kind);
        } else {
            facts_.end_reuse(weight);
        }
    }

    /// Of the blocks of which not all warps were followed, looks at some.
    model_error look_at_drawn(const block_sample& sample) {
        if (!facts_.has_later_rounds() || draws_.is_empty()) return {};
        const auto bad = for_each_block(sample, [&](const block_index& block, double) {
            const drawn_block drawn = draws_.next();
            return drawn.times == 0 ? model_error{} : look_at(block, drawn);
        });
        if (bad || !sample.is_spread) return bad;
        mean_reuse<Used>& reused = facts_.reused();
        const auto off = [&](std::uint64_t kind) { return reused.off_of(kind); };
        reused.add_variance(draws_.variance_between(off));
        return {};
    }

private:
    model_error look_at(const block_index& block, const drawn_block& drawn) {
        facts_.begin_block({.reuse = true});
        for (std::uint32_t warp = 0; warp < ways_.warps(); ++warp) {
            if (auto bad = ways_.look_at(block, warp)) return bad;
        }
        facts_.end_drawn_reuse(drawn.times, drawn.weight, drawn.kind);
        return {};
    }

    memory_facts<Used>& facts_;
    block_ways<Used>& ways_;
    block_draws<Used> draws_;
    // Blocks of the sample do, for others that are aligned otherwise or go other ways: each might have been drawn.
    bool stand_for_unlike_ = false;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
