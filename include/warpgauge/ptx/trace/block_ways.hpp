// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_BLOCK_WAYS_HPP
#define WARPGAUGE_PTX_TRACE_BLOCK_WAYS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/control_slice.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/block_rows.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/trace/block_sampling.hpp>
#include <warpgauge/ptx/trace/block_shared.hpp>
#include <warpgauge/ptx/trace/branch_decisions.hpp>
#include <warpgauge/ptx/trace/known_paths.hpp>
#include <warpgauge/ptx/trace/memory_facts.hpp>
#include <warpgauge/ptx/trace/slice_ways.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/ptx/trace/warp_reach.hpp>
#include <warpgauge/ptx/trace/warp_records.hpp>

/// \file The ways that a block's warps take, found out by what directs them alone; and what one warp's accesses cost.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// What the accesses of a warp cost, those of global memory apart from the others.
template <class Used>
class place_of_accesses {
public:
    void add(const executed& e, bool moves_blocks) {
        std::uint64_t& cost = touches_global(e) ? place_.cost : others_;
        mix(cost, std::uint64_t{e.transactions} << 32 | e.bytes_moved);
        if (!touches_global(e)) return;
        mix(cost, e.alignment);
        mix(cost, static_cast<std::uint64_t>(lines_of<Used>(e, moves_blocks)));
        if (e.written_passes != 0) mix(cost, e.written_passes);
        if (place_.alignments.empty()) place_.alignments.reserve(few_accesses);
        if (place_.alignments.size() < max_alignments_compared) {
            place_.alignments.push_back(static_cast<std::uint8_t>(e.alignment));
        }
    }
    /// To be asked once.
    block_place finish() {
        mix(place_.cost, others_);
        return std::move(place_);
    }

private:
    static constexpr std::size_t max_alignments_compared = 4096;
    static constexpr std::size_t few_accesses = 32;

    core::late<Used, block_place> place_{.cost = hash_start};
    std::uint64_t others_ = hash_start;
};

/// Of the warps of a block: is one the first or the last that goes its way?
template <class Paths>
bool is_end_of_way(const Paths& paths, std::uint32_t warp) {
    bool before = false;
    bool behind = false;
    for (std::uint32_t n = 0; n < paths.size(); ++n) {
        if (n == warp || paths[n] != paths[warp]) continue;
        (n < warp ? before : behind) = true;
    }
    return !before || !behind;
}

/// Does a step go back? Of such a warp, the slice may be followed in fewer rounds than all of it, which gives another number.
inline bool jumps_back(const program& p) {
    for (std::uint32_t n = 0; n < p.steps.size(); ++n) {
        if (jumps_back(p.steps[n], n)) return true;
    }
    return false;
}

/// What a record shows of a warp that is not counted; no round of it is told apart, since all warps are compared.
template <class Used, class See>
struct seen_place {
    memory_facts<Used>& facts;
    const See& see;

    template <class Touched>
    void access(const executed& e, const Touched& touched, std::uint32_t round) const {
        facts.see_place(e, touched, round);
        see(e);
    }
    template <class Touched>
    void in_round(std::uint32_t, const Touched&) const {}
    void in_rounds(const executed&, const access_totals&) const {}
    template <class Touched>
    void reads(std::uint32_t, const Touched&, std::uint32_t) const {}
};

/// One whose accesses the footprint has.
struct seen_warp {
    block_index block{};
    std::uint32_t warp{};
};

template <class Used = core::when_used>
class block_ways {
public:
    using machine = ptx::run::warp_machine<Used>;

    /// All must outlive it.
    block_ways(const program& p, const launch& l, machine& m, memory_facts<Used>& facts,
               warp_records<Used>& records)
        : program_(p),
          launch_(l),
          machine_(m),
          facts_(facts),
          records_(records),
          slice_(p),
          shared_(p, m, slice_),
          ways_(p, l, m, slice_, records.begins()),
          follows_all_(!jumps_back(p)),
          warps_(static_cast<std::uint32_t>((l.block.count() + warp_lanes - 1) / warp_lanes)),
          known_(warps_) {}

    [[nodiscard]] std::uint32_t warps() const { return warps_; }
    /// Unknown data decides for some warp so far.
    [[nodiscard]] bool is_decided_by_data() const {
        return is_decided_ || ways_.is_decided_by_data();
    }
    /// Of the grid.
    [[nodiscard]] block_index last_block() const {
        return {launch_.grid.x - 1, launch_.grid.y - 1, launch_.grid.z - 1};
    }

    /// The machine's next warps are of this block: they find in shared memory what its warps store.
    void begin(const block_index& block) { shared_.begin(place_of(launch_, block, 0, 0)); }

    /// A warp of such a block that did what one does, `ordinal` says how data decide; null if none is known. `away` gets the
    /// distance of this one.
    warp_record<Used>* find_record(const block_index& block, std::uint32_t warp,
                                   std::uint32_t ordinal, warp_distance& away) {
        return records_.find(place_in(block, warp, ordinal), known_.find(block, warp), away);
    }

    /// The next block that is asked for mostly goes the way of this one.
    void expect(const block_index& block) {
        const known_path* const known = known_.of(block);
        for (std::uint32_t n = 0; n < warps_; ++n) records_.expect(n, known[n].record);
    }

    /// A number for the way of each warp of a block: equal ones for the same steps by the same lanes. They are valid
    /// until the next call.
    result<std::span<const std::uint64_t>> warp_paths(const block_index& block) {
        paths_.clear();
        known_path* const known = find_block(block);
        bool is_new = false;
        bool are_recorded = true;
        for (std::uint32_t n = 0; n < warps_; ++n) {
            if (known[n].path == 0) {
                is_new = true;
                if (auto bad = find_path(block, n, known[n])) return bad;
            }
            paths_.push_back(known[n].path);
            are_recorded = are_recorded && known[n].record != ptx::link::nowhere;
        }
        if (is_new && are_recorded) records_.add_block(block, known);
        return std::span<const std::uint64_t>(paths_.data(), paths_.size());
    }

    /// The same for a block: of its first, middle and last warp, and of all where these go different ways, since what cuts off
    /// a part of a block cuts off one of these.
    result<std::uint64_t> path(const block_index& block) {
        const auto first = warp_path(block, 0);
        if (!first) return first.error();
        const auto parted = has_ways(block);
        if (!parted) return parted.error();
        if (!*parted) return *first;
        std::uint64_t path = hash_start;
        const auto all = warp_paths(block);
        if (!all) return all.error();
        for (const std::uint64_t way : *all) mix(path, way);
        return path;
    }

    /// Is it known that all blocks of a box go one way?
    [[nodiscard]] bool is_sure_in(const block_box& box) {
        for (const std::uint32_t warp : {0U, warps_ / 2, warps_ - 1}) {
            if (!records_.reach(box, warp) && !ways_.reach(box, warp)) return false;
        }
        return true;
    }

    /// Is what warps find in shared memory the same of all blocks: nothing?
    [[nodiscard]] bool is_shared_unknown() const { return !shared_.is_of_use(); }

    /// Rows of blocks, of all warps so far; some may be said twice.
    [[nodiscard]] core::late<Used, std::vector<block_row>> rows() const {
        core::late<Used, std::vector<block_row>> all;
        for (const block_row& r : ways_.rows_of_blocks().all()) all.push_back(r);
        for (const block_row& r : records_.rows_of_blocks().all()) all.push_back(r);
        return all;
    }

    /// A number for all that the warps of a block do: their ways, and what their accesses cost.
    result<std::uint64_t> whole(const block_index& block) {
        std::uint64_t all = hash_start;
        for (std::uint32_t warp = 0; warp < warps_; ++warp) {
            const auto way = warp_path(block, warp);
            if (!way) return way.error();
            mix(all, *way);
            const auto place = place_of_warp(block, warp);
            if (!place) return place.error();
            mix(all, place->cost);
        }
        return all;
    }

    /// What the accesses of a block's middle warp cost, and those of its first one if that goes another way.
    result<block_place> place(const block_index& block) {
        auto middle = place_of_warp(block, warps_ / 2);
        if (!middle || warps_ == 1) return middle;
        const auto path = warp_path(block, warps_ / 2);
        if (!path) return path.error();
        const auto path_of_first = warp_path(block, 0);
        if (!path_of_first) return path_of_first.error();
        if (*path == *path_of_first) return middle;
        const auto first = place_of_warp(block, 0);
        if (!first) return first;
        mix(middle->cost, first->cost);
        core::late<Used, block_place>& both = *middle;
        for (const std::uint8_t a : first->alignments) both.alignments.push_back(a);
        return middle;
    }

    /// A number for what those of its first and its last warp cost.
    result<std::uint64_t> edge(const block_index& block) {
        const auto first = place_of_warp(block, 0);
        if (!first) return first.error();
        const auto last = place_of_warp(block, warps_ - 1);
        if (!last) return last.error();
        std::uint64_t both = first->cost;
        mix(both, last->cost);
        return both;
    }

    /// Shows the footprint the first and the last warp of the first and the last block of the grid.
    model_error look_at_ends() {
        const block_index last = last_block();
        if (auto bad = look_at_ends_of(block_index{})) return bad;
        return last == block_index{} ? model_error{} : look_at_ends_of(last);
    }

    /// The same of a block at the ends of the data, and those of its warps that are the first or the last of their way, or
    /// at the ends of what the typical block touches.
    model_error look_at_ends_of(const block_index& block, const data_ends<Used>& ends) {
        if (auto bad = look_at_ends_of(block)) return bad;
        const auto parted = has_ways(block);
        if (!parted) return parted.error();
        if (*parted) {
            if (const auto paths = warp_paths(block); !paths) return paths.error();
        }
        for (std::uint32_t warp = 1; warp + 1 < warps_; ++warp) {
            if (!ends.is_end(warp) && !(*parted && is_end_of_way(paths_, warp))) continue;
            if (auto bad = look_once(block, warp)) return bad;
        }
        return {};
    }

    /// Shows the footprint, and what looks for reuse, a warp that is not counted.
    model_error look_at(const block_index& block, std::uint32_t warp) {
        return look(block, warp, [](const executed&) {});
    }

    /// Where the accesses of a block's first warp begin.
    result<first_sectors<Used>> first_sectors_of(const block_index& block) {
        first_sectors<Used> found;
        facts_.ask_first_sectors(&found);
        const auto bad = look_at(block, 0);
        facts_.ask_first_sectors(nullptr);
        if (bad) return bad;
        return found;
    }

    /// The footprint has what a warp touches.
    void add_seen(const block_index& block, std::uint32_t warp) { seen_.push_back({block, warp}); }

private:
    // What is known of the warps of a block: all, if each does as one that is recorded.
    known_path* find_block(const block_index& block) {
        known_path* const known = known_.of(block);
        if (!follows_all_ || known[0].path != 0) return known;
        begin(block);
        if (!is_shared_unknown()) return known;
        const std::uint32_t* const records = records_.find_block(block);
        for (std::uint32_t n = 0; records != nullptr && n < warps_; ++n) {
            known[n] = {path_of(records_.at(records[n])), records[n]};
        }
        return known;
    }

    result<std::uint64_t> warp_path(const block_index& block, std::uint32_t warp) {
        known_path& known = find_block(block)[warp];
        if (known.path == 0) {
            if (auto bad = find_path(block, warp, known)) return bad;
        }
        return known.path;
    }

    model_error find_path(const block_index& block, std::uint32_t warp, known_path& known) {
        const warp_of_block here = place_in(block, warp, warp);
        warp_distance away{};
        begin(block);
        if (follows_all_ && is_shared_unknown()) {
            warp_record<Used>* record = records_.find(here, away);
            if (record == nullptr && records_.never_fails()) {
                facts_.begin_waits();
                if (auto bad = follow_new(block, warp, [](const executed&, std::uint32_t) {})) {
                    return bad;
                }
                // The one that was followed last may have decided otherwise.
                record = records_.find(here, away);
            }
            if (record != nullptr) {
                known = {path_of(*record), records_.number_of(*record)};
                return {};
            }
        }
        const auto path = ways_.path(here, is_shared_unknown());
        if (!path) return path.error();
        known.path = *path;
        return {};
    }

    result<block_place> place_of_warp(const block_index& block, std::uint32_t warp) {
        place_of_accesses<Used> found;
        const auto bad = look(block, warp, [&](const executed& e) {
            found.add(e, program_.steps[e.step].moves_blocks());
        });
        if (bad) return bad;
        return found.finish();
    }

    // The first and the last warp of a block.
    model_error look_at_ends_of(const block_index& block) {
        if (auto bad = look_once(block, 0)) return bad;
        return look_once(block, warps_ - 1);
    }

    // Shows the footprint a warp unless it has what this one touches.
    model_error look_once(const block_index& block, std::uint32_t warp) {
        for (const seen_warp& s : seen_) {
            if (s.warp == warp && is_same(s.block, block)) return {};
        }
        add_seen(block, warp);
        return look_at(block, warp);
    }

    // Do its first, middle and last warp go different ways?
    result<bool> has_ways(const block_index& block) {
        const auto first = warp_path(block, 0);
        if (!first) return first.error();
        for (const std::uint32_t warp : {warps_ / 2, warps_ - 1}) {
            const auto other = warp_path(block, warp);
            if (!other) return other.error();
            if (*other != *first) return true;
        }
        return false;
    }

    // Of what directs a warp, in a record of all of it.
    std::uint64_t path_of(warp_record<Used>& record) const {
        if (record.path != 0) return record.path;
        record.path = hash_start;
        for (const recorded_step& s : record.steps) {
            if (!slice_.has(s.step)) continue;
            const executed* const costs = s.costs == 0 ? nullptr : &(*record.costs)[s.costs - 1];
            if (costs != nullptr && costs->continues) continue;
            const std::uint32_t idle = costs == nullptr ? 0 : costs->idle;
            mix_step(record.path, s.step, s.active & ~idle, s.jumping, s.rounds);
        }
        return record.path;
    }

    // Shows a warp's accesses, those of global memory apart from the others.
    template <class See>
    model_error look(const block_index& block, std::uint32_t warp, const See& see) {
        begin(block);
        warp_distance away{};
        const warp_record<Used>* const record = find_record(block, warp, warp, away);
        facts_.begin_warp(warp);
        if (record == nullptr) {
            return follow_new(block, warp, [&](const executed& e, std::uint32_t round) {
                if (e.transactions == 0) return;
                facts_.see_place(e, round);
                see(e);
            });
        }
        for (const recorded_step& s : record->steps) {
            if (s.costs != 0 && (*record->costs)[s.costs - 1].transactions != 0) {
                see((*record->costs)[s.costs - 1]);
            }
        }
        record->show(away, records_.rule(), seen_place<Used, See>{facts_, see});
        return {};
    }

    // Follows a warp that is not counted, `see(e, round)` sees its steps, and records it and those that decide otherwise if others
    // may do the same.
    template <class See>
    model_error follow_new(const block_index& block, std::uint32_t warp, const See& see) {
        bool is_fork = false;
        const auto observe = [&](const executed& e) {
            const seen_round at = facts_.wait(e);
            if (!is_fork) see(e, at.number);
            return at;
        };
        const auto bad =
            records_.follow(place_of(launch_, block, warp, warp), is_shared_unknown(), observe);
        if (bad) return bad;
        is_decided_ = is_decided_ || machine_.has_decided();
        if (warp_record<Used>* const made = records_.last()) made->waits = facts_.waits();
        is_fork = true;
        return records_.fork(observe);
    }

    const program& program_;
    const launch& launch_;
    machine& machine_;
    memory_facts<Used>& facts_;
    warp_records<Used>& records_;
    ptx::link::control_slice<Used> slice_;
    block_shared<Used> shared_;
    slice_ways<Used> ways_;  // of warps that are not recorded
    bool follows_all_;       // of a warp whose way is asked for, so that it can be recorded
    bool is_decided_ = false;
    std::uint32_t warps_;  // of a block
    known_paths<Used> known_;
    core::late<Used, std::vector<std::uint64_t>> paths_;  // of the warps of a block
    core::late<Used, std::vector<seen_warp>> seen_;       // whose accesses the footprint has
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
