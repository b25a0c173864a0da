// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_WORKSPACE_HPP
#define WARPGAUGE_SIMULATE_SM_WORKSPACE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/simulate/block_rounds.hpp>
#include <warpgauge/simulate/decoded_stream.hpp>
#include <warpgauge/simulate/loop_periods.hpp>
#include <warpgauge/simulate/memory_ports.hpp>
#include <warpgauge/simulate/result_slots.hpp>
#include <warpgauge/simulate/result_time.hpp>
#include <warpgauge/simulate/sleepers.hpp>
#include <warpgauge/simulate/stream_position.hpp>

/// \file The memory of a simulation of one SM, `sm_workspace`, and the state of the SM in words, by which states are compared and
/// put back.

namespace WARPGAUGE_NAMESPACE {

namespace detail::simulate {

template <class Workspace, class Observer, std::size_t SubCores>
class sm_machine;
template <class Workspace, std::size_t SubCores>
class sm_blocks;
template <class Workspace, class Resources, class Sleepers>
struct sm_state;

}  // namespace detail::simulate

/// The memory of a simulation, to be used again for the next one. Threads must not share it.
template <class Used = core::when_used>
class basic_sm_workspace {
public:
    /// Cycle in which each block of the last simulation ended; where blocks were replaced, the last in each place.
    [[nodiscard]] const std::vector<std::uint64_t>& block_ends() const { return block_ends_; }

private:
    template <class Workspace, class Observer, std::size_t SubCores>
    friend class detail::simulate::sm_machine;
    template <class Workspace, std::size_t SubCores>
    friend class detail::simulate::sm_blocks;
    template <class Workspace, class Resources, class Sleepers>
    friend struct detail::simulate::sm_state;

    struct result {
        detail::simulate::result_time time{};
    };
    struct alignas(64) warp {
        detail::simulate::result_time last_result{};  // the latest of all
        std::uint8_t resource{};                      // that the next entry needs
        const detail::simulate::decoded_entry* next{};
        detail::simulate::stream_position
            position{};     // its loops, and perhaps an earlier entry in them
        result* results{};  // the first of its own
    };
    struct block {
        std::uint64_t at_barrier{};  // warps
        std::uint64_t ended{};       // warps
        detail::simulate::result_time last_result{};
    };

    // All that decides what warps, blocks and memories do from cycle `now` on, times counted from it, but for phases of queues
    // and the rounds that are left of loops.
    template <class Visitor>
    void for_each_word(std::uint64_t now, Visitor& visit) const {
        const detail::simulate::decoded_entry* const entries = stream_.entries().data();
        for (const warp& w : warps_) {
            visit(static_cast<std::uint64_t>(w.next - entries) << 8 | w.resource);
            visit(w.last_result.from(now));
        }
        for (const block& b : blocks_) {
            visit(b.at_barrier << 32 | b.ended);
            visit(b.last_result.from(now));
        }
        const result* const results = results_.data();
        const std::size_t count = results_.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (results[i].time.by(now)) continue;  // most are there
            visit(i);
            visit(results[i].time.from(now));
        }
        visit(results_.size());
        memory_.for_each_word(now, visit);
    }
    // Calls `visit(position)` for each warp.
    template <class Visitor>
    void for_each_position(const Visitor& visit) const {
        for (const warp& w : warps_) visit(w.position);
    }
    // As the words were, `next()` after `next()`, but from cycle `now` on; if no bytes have `moved`, the memory is as it is.
    // Warps stay in the outermost loops that they are in, up to `kept`; what is left of others comes after all words.
    template <class Reader>
    void read_words(std::uint64_t now, bool moved, std::uint32_t kept,
                    std::span<const instruction> stream, Reader& next) {
        const Reader entries = next;
        for (warp& w : warps_) {
            const std::uint64_t word = next();
            w.resource = static_cast<std::uint8_t>(word);
            w.last_result.read(now, next());
        }
        for (block& b : blocks_) {
            const std::uint64_t word = next();
            b.at_barrier = word >> 32;
            b.ended = word & 0xFFFF'FFFF;
            b.last_result.read(now, next());
        }
        for (auto& r : results_) r.time = {};
        for (std::uint64_t i = next(); i < results_.size(); i = next()) {
            results_[i].time.read(now, next());
        }
        if (moved) {
            memory_.read_words(now, next);
        } else {
            memory_.for_each_word(now, next);
        }
        read_entries(entries, kept, stream, next);
    }
    template <class Reader>
    void read_entries(Reader entries, std::uint32_t kept, std::span<const instruction> stream,
                      Reader& next) {
        for (warp& w : warps_) {
            const auto entry = static_cast<std::uint32_t>(entries() >> 8);
            w.position.go_to(entry, kept, stream, next);
            w.next = stream_.entries().data() + entry;
            entries();
        }
    }

    detail::simulate::result_slots<Used> slots_;
    detail::simulate::decoded_stream<Used> stream_;
    detail::simulate::block_rounds<Used> rounds_;
    detail::simulate::loop_periods<Used> loops_;
    detail::simulate::sleepers<Used> sleepers_;
    detail::simulate::memory_ports<Used> memory_;
    std::vector<warp> warps_;
    std::vector<block> blocks_;
    std::vector<result> results_;  // by warp and slot
    std::vector<std::uint64_t> block_ends_;
};

/// Memory of simulations, for many in a row.
using sm_workspace = basic_sm_workspace<>;

namespace detail::simulate {

/// Reads words of a state in the order in which they were visited; visits them without a use, too.
struct word_reader {
    const std::uint64_t* next{};
    std::uint64_t operator()() { return *next++; }
    void operator()(std::uint64_t) { ++next; }
};

/// All that decides what an SM does from cycle `now` on while blocks are left to begin, times counted from now.
template <class Workspace, class Resources, class Sleepers>
struct sm_state {
    Workspace& space;
    Resources& resources;
    Sleepers& sleepers;
    std::uint64_t now{};

    /// Calls `visit(word)` for all of it but phases of queues and rounds that warps have left of loops.
    template <class Visitor>
    void for_each_word(Visitor& visit) const {
        resources.chooser().for_each_word(visit);
        resources.for_each_word(now, visit);
        sleepers.for_each_word(now, visit);
        space.for_each_word(now, visit);
    }
    /// Calls `visit(position)` for each warp, with the loops around it.
    template <class Visitor>
    void for_each_position(const Visitor& visit) const {
        space.for_each_position(visit);
    }
    /// Of the entries that warps are at.
    [[nodiscard]] std::uint64_t summary() const {
        std::uint64_t hash = 0;
        const decoded_entry* const entries = space.stream_.entries().data();
        for (const auto& w : space.warps_) {
            hash = mix_word(hash, static_cast<std::uint64_t>(w.next - entries));
        }
        return hash;
    }
    [[nodiscard]] queue_phases phases() const { return space.memory_.phases(now); }
    queue_margins take_margins() const { return space.memory_.take_margins(now); }

    /// Calls `visit(word)` for all.
    template <class Visitor>
    void for_each_word_and_round(Visitor& visit) const {
        for_each_word(visit);
        for (const std::uint64_t phase : phases().of) visit(phase);
        const auto visit_left = [&](std::uint32_t, std::uint32_t left) { visit(left); };
        for_each_position([&](const stream_position& p) { p.for_each_round(visit_left); });
    }

    /// How many warps wait at barriers.
    [[nodiscard]] std::uint64_t at_barrier() const {
        std::uint64_t count = 0;
        for (const auto& b : space.blocks_) count += b.at_barrier;
        return count;
    }

    /// To the state after rounds that were skipped until now, of loops in `depth - 1` others.
    void go_to(const skipped_rounds& skipped, std::size_t depth,
               std::span<const instruction> stream) const {
        const sm_totals& took = skipped.took;
        const auto times = static_cast<double>(skipped.times);
        space.memory_.add_moved(times * took.l2_bytes, times * took.dram_bytes);
        for (std::size_t w = 0; w < space.warps_.size(); ++w) {
            const std::uint64_t rounds = skipped.times * space.loops_.taken()[w];
            space.warps_[w].position.skip_rounds(depth - 1, rounds);
        }
        const bool moved = took.l2_bytes + took.dram_bytes > 0;
        word_reader next{skipped.words};
        resources.chooser().read_words(next);
        resources.read_words(now, next);
        sleepers.read_words(now, next);
        space.read_words(now, moved, static_cast<std::uint32_t>(depth), stream, next);
        for (std::size_t w = 0; w < space.warps_.size(); ++w) {
            resources.chooser().need(w, space.warps_[w].resource);
        }
        if (moved) space.memory_.set_phases(now, skipped.phases);
        space.memory_.take_margins(now);
    }
};

}  // namespace detail::simulate

}  // namespace WARPGAUGE_NAMESPACE

#endif
