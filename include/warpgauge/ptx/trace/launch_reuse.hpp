// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_LAUNCH_REUSE_HPP
#define WARPGAUGE_PTX_TRACE_LAUNCH_REUSE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/trace/block_draws.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>
#include <warpgauge/ptx/trace/block_ways.hpp>
#include <warpgauge/ptx/trace/mean_reuse.hpp>
#include <warpgauge/ptx/trace/memory_facts.hpp>
#include <warpgauge/ptx/trace/parting_reads.hpp>
#include <warpgauge/ptx/trace/warp_records.hpp>

/// \file Which blocks of a sample are looked at for what their rounds read again: all warps of a block have to be.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

template <class Used = core::when_used>
class launch_reuse {
public:
    /// All must outlive it.
    launch_reuse(const ptx::link::program& p, memory_facts<Used>& facts, block_ways<Used>& ways,
                 const warp_records<Used>& records)
        : program_(p), facts_(facts), ways_(ways), records_(records) {}

    /// `asks`: whether blocks for which others stand read again what these do.
    void begin(const block_sample& sample, bool asks) {
        stand_for_unlike_ = sample.is_spread || has_alignments<Used>(sample);
        asks_ = asks;
    }

    /// A block of the sample, which stands for `weight` of them; `whole`: all of its warps were followed. `paths`: their ways.
    void end_block(const block_index& block, bool whole, double weight,
                   std::span<const std::uint64_t> paths) {
        std::uint64_t kind = hash_start;
        for (const std::uint64_t path : paths) mix(kind, path);
        if (!whole) return draws_.add(kind, weight);
        draws_.skip();
        if (stand_for_unlike_) {
            facts_.end_drawn_reuse(1, weight, kind);
        } else if (asks_ && weight > 1) {
            whole_.push_back({block, facts_.end_reuse(), weight});
        } else {
            facts_.reused().add(facts_.end_reuse(), weight);
        }
    }

    /// Of the blocks of which not all warps were followed, looks at some; where those of a run may differ, at some of each.
    model_error look_at_drawn(const block_sample& sample) {
        mean_reuse<Used>& reused = facts_.reused();
        const bool asks = asks_ && facts_.has_later_rounds();
        const double parting =
            asks ? sectors_that_part(program_, records_, ways_.last_block()) : 0.0;
        reused.set_unseen(parting);
        for (std::size_t n = 0; n < whole_.size(); ++n) {
            if (parting == 0) {
                reused.add(whole_[n].of, whole_[n].weight);
            } else if (auto bad = look_at_run(runs(sample, whole_[n].block), n)) {
                return bad;
            }
        }
        if (!facts_.has_later_rounds() || draws_.is_empty()) return {};
        const auto bad = for_each_block(sample, [&](const block_index& block, double) {
            const drawn_block drawn = draws_.next();
            if (drawn.times == 0) return model_error{};
            const bool are_alike = parting == 0 || stand_for_unlike_;
            return are_alike ? look_at(block, drawn) : look_at_any(runs(sample, block), drawn);
        });
        if (bad || !sample.is_spread) return bad;
        const auto off = [&](std::uint64_t kind) { return reused.off_of(kind); };
        reused.add_variance(draws_.variance_between(off));
        return {};
    }

private:
    static constexpr std::uint64_t min_draws = 4;  // of a run
    static constexpr double more_draws = 28;       // of all runs together

    struct whole_block {
        block_index block{};
        block_reads of{};
        double weight{};
    };

    [[nodiscard]] block_box runs(const block_sample& sample, const block_index& block) const {
        const block_index last = ways_.last_block();
        return runs_of(sample, block, {last[0] + 1, last[1] + 1, last[2] + 1});
    }

    // Blocks of a run, one of each of as many equal parts of it.
    model_error look_at_run(const block_box& run, std::uint64_t kind) {
        const std::uint64_t blocks = run.count();
        const block_index last = ways_.last_block();
        const auto all = static_cast<double>(block_box{{}, last}.count());
        const double part = static_cast<double>(blocks) / all;
        const std::uint64_t draws =
            core::min(blocks, min_draws + static_cast<std::uint64_t>(more_draws * part));
        const double each = static_cast<double>(blocks) / static_cast<double>(draws);
        for (std::uint64_t n = 0; n < draws; ++n) {
            constexpr std::uint32_t fine = 1U << 16;
            const double place =
                static_cast<double>(n) + static_cast<double>(scattered(n, fine)) / fine;
            const block_index block = run.at(static_cast<std::uint64_t>(place * each));
            if (auto bad = look_at(block, {1, each, kind})) return bad;
        }
        return {};
    }

    // Another block of a run each time that it was drawn.
    model_error look_at_any(const block_box& run, const drawn_block& drawn) {
        const std::uint64_t most = ~std::uint32_t{0};
        const auto blocks = static_cast<std::uint32_t>(core::min(run.count(), most));
        for (std::uint32_t n = 0; n < drawn.times; ++n) {
            const block_index block = run.at(scattered(looked_at_++, blocks));
            if (auto bad = look_at(block, {1, drawn.weight, drawn.kind})) return bad;
        }
        return {};
    }

    model_error look_at(const block_index& block, const drawn_block& drawn) {
        facts_.begin_block({.reuse = true});
        for (std::uint32_t warp = 0; warp < ways_.warps(); ++warp) {
            if (auto bad = ways_.look_at(block, warp)) return bad;
        }
        facts_.end_drawn_reuse(drawn.times, drawn.weight, drawn.kind);
        return {};
    }

    const ptx::link::program& program_;
    memory_facts<Used>& facts_;
    block_ways<Used>& ways_;
    const warp_records<Used>& records_;
    block_draws<Used> draws_;
    core::late<Used, std::vector<whole_block>> whole_;  // which stand for others
    std::uint64_t looked_at_ = 0;
    bool asks_ = false;
    // Blocks of the sample do, for others that are aligned otherwise or go other ways: each might have been drawn.
    bool stand_for_unlike_ = false;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
