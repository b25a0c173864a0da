// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_TRACE_HPP
#define WARPGAUGE_PTX_TRACE_TRACE_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/block_sampling.hpp>
#include <warpgauge/ptx/trace/block_ways.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/launch_input.hpp>
#include <warpgauge/ptx/trace/launch_reuse.hpp>
#include <warpgauge/ptx/trace/line_counter.hpp>
#include <warpgauge/ptx/trace/live_registers.hpp>
#include <warpgauge/ptx/trace/memory_facts.hpp>
#include <warpgauge/ptx/trace/prepared_launch.hpp>
#include <warpgauge/ptx/trace/recorded_warp.hpp>
#include <warpgauge/ptx/trace/sampling_spread.hpp>
#include <warpgauge/ptx/trace/stopped_loop.hpp>
#include <warpgauge/ptx/trace/stream_recorder.hpp>
#include <warpgauge/ptx/trace/trace_counter.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/ptx/trace/warp_reach.hpp>
#include <warpgauge/ptx/trace/warp_records.hpp>

/// \file Follows a kernel's warps without running it: from PTX text and a launch to a profile.
///
/// Integers, predicates, addresses and floats that follow from the launch, the arguments and constants are
/// computed as a GPU would. Loaded data are not known, except those of variables with initial values. So trip counts,
/// divergence and the addresses of accesses are exact if they do not depend on unknown data. Otherwise a hint or a
/// default replaces the data, and the result lists it.

namespace WARPGAUGE_NAMESPACE::ptx {

/// Follows a sample of the launch's warps, or all of them.
/// \errors with line and column of the text, where an instruction is at fault:
///         not_positive    `grid`, `block`: without blocks or threads
///         exceeds_device  `grid`, `block`: more than any GPU starts
///         broken_constraint  `.reqntid`, `.maxntid`: the text requires another block, or allows no more threads; `cluster`: the grid
///                         is not made of whole clusters
///         outside_domain  `arguments`: more than parameters; a
///                         parameter by its name in the text: an integer for what is none, a field that does not fit; `capability`, `default_probability`, `default_rounds`,
///                         `hints`: out of range; `index`: of a branch table
///         missing         `kernel`; a parameter by its name in the text: an integer without value; `capability`: no `.target`;
///                         `declaration`, `label`: a name that nothing declares; `hints`: no branch
///                         goes to the label
///         overflow        `shared`, `local`, `global`, `dynamic_shared_bytes`: no memory is as large; a parameter by its name:
///                         an integer that it has too few bits for
///         outside_domain, expected  `initial values`: of a variable that the kernel has the address of
///         limit_reached   `max_steps` (at the jump back of the loop that took most rounds; `options.stopped` has more), `memory`, `calls`, `registers`, `operands`
/// For arguments and hints, `line` is the entry.
template <class = core::when_used>
[[nodiscard]] result<traced_kernel> trace(const kernel& k, const launch& l,
                                          std::span<const argument> arguments,
                                          const trace_options& options = {});

/// The same, with arguments in braces: `trace(*kernel, launch, {4096, {}, {}})`.
template <class = core::when_used>
[[nodiscard]] result<traced_kernel> trace(const kernel& k, const launch& l,
                                          std::initializer_list<argument> arguments,
                                          const trace_options& options = {});

namespace detail::trace {

/// What `warp_record::show` shows of a warp that is not followed.
template <class Used>
struct recorded_sight {
    trace_counter<Used>& counter;
    memory_facts<Used>& facts;
    double weight;

    template <class Touched>
    void access(const executed& e, const Touched& touched, std::uint32_t round) const {
        counter.count_access(e, weight);
        facts.see_access(e, touched, round, weight);
    }
    template <class Touched>
    void in_round(std::uint32_t step, const Touched& touched) const {
        facts.see_round(step, touched, weight);
    }
    void in_rounds(const executed& e, const access_totals& all) const {
        counter.count_rounds(e, all, weight);
        facts.see_costs(e, all, weight);
    }
    template <class Touched>
    void reads(std::uint32_t step, const Touched& touched, std::uint32_t round) const {
        facts.see_reads(step, touched, 1, round);
    }
};

/// Follows the warps of a linked kernel's launch, and records one of them.
template <class Used = core::when_used>
class launch_follower {
public:
    /// All must outlive the follower; `trace` has launch and capability.
    launch_follower(const program& p, std::span<const argument_bytes> arguments,
                    std::span<const decision> decisions, const trace_options& options,
                    traced_kernel& trace)
        : program_(p),
          options_(options),
          decisions_(decisions),
          trace_(trace),
          grid_{trace.launch.grid.x, trace.launch.grid.y, trace.launch.grid.z},
          machine_(p, arguments, decisions, trace.capability,
                   {options.max_steps, options.max_memory_bytes, options.max_calls,
                    options.every_round, options.blocks != sampling::middle_block}),
          counter_(p, trace),
          lines_(p),
          facts_(p, options.blocks != sampling::middle_block || grid_ == block_index{1, 1, 1}),
          records_(p, trace.launch.block, machine_, facts_, trace.capability,
                   options.blocks != sampling::all && !options.every_round),
          ways_(p, trace.launch, machine_, facts_, records_),
          reuse_(p, facts_, ways_, records_) {}

    /// The loop that took too many steps.
    stopped_loop stopped() { return describe_stop<Used>(program_, machine_); }

    model_error follow() {
        const auto sample = sample_blocks();
        if (!sample) return sample.error();
        is_spread_ = sample->is_spread;
        blocks_ = count_of(*sample);
        const bool has_all = blocks_ == trace_.launch.grid.count();
        takes_all_warps_ = sample->takes_all_warps ||
                           (has_all && blocks_ * ways_.warps() <= max_warps_of_all_blocks);
        reuse_.begin(*sample, options_.blocks == sampling::representative);
        const block_index typical = typical_block<Used>(*sample, grid_);
        data_ends<Used>& ends = facts_.ends();
        const auto bad_block =
            for_each_block(*sample, [&](const block_index& block, double weight) {
                ends.begin_block();
                const auto bad = follow_block(block, weight, block == typical);
                if (is_spread_) spread_.end_block(weight);
                if (ends.touches()) ends.end_block(runs_of(*sample, block, grid_));
                return bad;
            });
        if (bad_block) return bad_block;
        if (auto bad = reuse_.look_at_drawn(*sample)) return bad;
        if (auto bad = look_at_ends()) return bad;
        const auto beyond = beyond_ends();
        if (!beyond) return beyond.error();
        for (const warp_record<Used>& r : records_) {
            if (r.weight != 0) count_steps(r, r.weight);
        }
        trace_.steps = machine_.steps();
        if (auto bad = record()) return bad;
        counter_.finish(decisions_, facts_.sectors());
        trace_.errors =
            spread_.errors(trace_.warps, {.accesses = has_alignments<Used>(*sample),
                                          .ways = data_decides(trace_) && !follows_each_warp(),
                                          .turns = warps_take_turns(trace_) && !follows_each_warp(),
                                          .aligned_alike = sample->aligned_alike});
        lines_.finish(trace_);
        facts_.finish(trace_, unseen_ends(*sample) + *beyond);
        counter_.copies().add_to(trace_.touched, trace_.warps);
        return {};
    }

private:
    static constexpr double all_warps_part =
        16;  // of the grid: all warps of blocks that stand for one of so many are followed
    static constexpr std::size_t few_blocks =
        4;  // of a sample; of one with no more, all warps are followed
    static constexpr std::uint32_t few_warps =
        8;  // of a typical block: where data decides, they are followed again, as of others
    static constexpr std::uint64_t max_all_warps = 256;  // of a launch whose blocks differ
    static constexpr std::uint64_t max_warps_of_all_blocks = 1024;  // where a sample has all

    result<block_sample> sample_blocks() {
        switch (options_.blocks) {
            case sampling::middle_block: return middle_block<Used>(grid_);
            case sampling::all:
                if (trace_.launch.grid.count() > options_.max_steps) {
                    return model_error{errc::limit_reached, "max_steps"};
                }
                if (grid_[0] > options_.max_memory_bytes / sizeof(sampled_index)) {
                    return model_error{errc::limit_reached, "memory"};
                }
                return all_blocks<Used>(grid_);
            case sampling::representative: break;
        }
        if (auto bad = ways_.look_at_ends()) return bad;
        auto sample = representative_blocks(grid_, ways_);
        if (!sample) return sample;
        const bool is_uneven = sample->is_spread || has_alignments<Used>(*sample);
        if (!is_uneven || trace_.launch.grid.count() * ways_.warps() > max_all_warps) return sample;
        follows_all_ = true;
        return all_blocks<Used>(grid_);
    }

    // Shows the footprint the ends of what each access touches, which need not be the ends of the grid.
    model_error look_at_ends() {
        if (options_.blocks != sampling::representative) return {};
        for (const block_index& block : facts_.ends().blocks_at(records_.corners())) {
            if (auto bad = ways_.look_at_ends_of(block, facts_.ends())) return bad;
        }
        return {};
    }

    // How far blocks of a line may touch memory before the first and behind the last one, as a fraction of what is between,
    // where it is not known that addresses move evenly: as far as one of a few blocks is from its place between these. If
    // more than half of it lay outside, one of the few would hardly be inside.
    result<double> beyond_ends() {
        constexpr std::uint32_t blocks = 6;
        const bool asks = options_.blocks == sampling::representative && dimensions_of(grid_) == 1;
        if (!asks || records_.know_motions()) return 0.0;
        const block_index last = ways_.last_block();
        const auto at_first = ways_.first_sectors_of({});
        if (!at_first) return at_first.error();
        const auto at_last = ways_.first_sectors_of(last);
        if (!at_last) return at_last.error();
        double most = 0;
        for (std::uint32_t n = 0; n < blocks; ++n) {
            block_index between{};
            for (std::size_t d = 0; d < 3; ++d) between[d] = scattered(n, last[d] + 1);
            const auto at = ways_.first_sectors_of(between);
            if (!at) return at.error();
            const double part = static_cast<double>(between[0] + between[1] + between[2]) /
                                static_cast<double>(last[0] + last[1] + last[2]);
            most = core::max(most, first_sectors<Used>::unevenness(*at_first, *at, *at_last, part));
        }
        return core::min(2 * most, 0.5);
    }

    [[nodiscard]] bool follows_each_warp() const {
        return static_cast<double>(trace_.warps_traced) >= trace_.warps;
    }

    // How far outside of the followed ones other warps may touch memory, as a fraction of what is between: a cell at each end.
    [[nodiscard]] double unseen_ends(const block_sample& sample) const {
        return is_spread_ && !follows_each_warp() ? 2 * longest_cell<Used>(sample, grid_) : 0;
    }

    model_error follow_block(const block_index& block, double weight, bool typical) {
        is_typical_ = typical;
        const bool whole = follows_whole(weight, typical);
        facts_.begin_block({.ends = typical, .reuse = whole});
        std::span<const std::uint64_t> paths;
        if (options_.blocks == sampling::representative && !follows_all_) {
            const auto found = ways_.warp_paths(block);
            if (!found) return found.error();
            paths = *found;
        }
        const auto bad = follow_warps(block, paths, weight, typical);
        reuse_.end_block(block, whole, weight, paths);
        return bad;
    }

    // All warps of a block? Of the typical one, and of one that stands for many.
    [[nodiscard]] bool follows_whole(double weight, bool typical) const {
        if (options_.blocks != sampling::representative || follows_all_) return true;
        if (typical || takes_all_warps_ || blocks_ <= few_blocks) return true;
        return weight * all_warps_part >= static_cast<double>(trace_.launch.grid.count());
    }

    // All warps of a block; of those that go the same way, those that are drawn, if not all are to be followed.
    model_error follow_warps(const block_index& block, std::span<const std::uint64_t> paths,
                             double weight, bool typical) {
        const std::uint32_t warps = ways_.warps();
        const bool some = !follows_whole(weight, typical);
        const bool turns = typical && !paths.empty() && ways_.is_decided_by_data();
        const std::uint32_t times =
            turns && weight >= few_warps ? (few_warps + warps - 1) / warps : 1;
        for (std::uint32_t n = 0; n < times * warps; ++n) {
            const std::uint32_t warp = n % warps;
            double stands_for = weight / times;
            if (some && !is_drawn(paths, warp, trace_.blocks_traced, stands_for)) continue;
            const std::uint64_t path = paths.empty() ? 0 : paths[warp];
            const bool is_first = typical && n < warps;
            if (n == warps) facts_.begin_block({});
            if (auto bad = follow_warp(block, warp, stands_for, path, is_first)) return bad;
        }
        trace_.warps += weight * warps;
        trace_.blocks_traced += 1;
        return {};
    }

    model_error follow_warp(const block_index& block, std::uint32_t warp, double weight,
                            std::uint64_t path, bool typical) {
        const auto ordinal = static_cast<std::uint32_t>(trace_.warps_traced);
        const counted_warp here{block, warp, ordinal};
        ways_.begin(block);
        warp_distance away{};
        if (auto* const record = ways_.find_record(block, warp, ordinal, away)) {
            see_recorded(here, *record, away, weight, path, typical);
            return {};
        }
        const warp_counts before = counts_so_far();
        const double copies_before = counter_.copies().all_made();
        const double products_before = counter_.all_products();
        facts_.begin_warp(warp);
        lines_.begin_warp();
        bool is_fork = false;
        const auto observe = [&](const executed& e) {
            if (is_fork) return facts_.wait(e);
            counter_.count(e, weight);
            lines_.count(e, weight);
            return facts_.see(e, weight);
        };
        const bool is_last = options_.blocks == sampling::middle_block && warp + 1 == ways_.warps();
        const auto bad = records_.follow(place_of(trace_.launch, block, warp, ordinal),
                                         ways_.is_shared_unknown(), observe, is_last);
        if (bad) return bad;
        facts_.end_warp(weight, facts_.waits());
        lines_.end_warp(weight);
        warp_counts counts{};
        set_counts(counts, before, weight);
        if (warp_record<Used>* const made = records_.last()) {
            made->is_counted = true;
            made->counts = counts;
            made->waits = facts_.waits();
        } else if (options_.blocks == sampling::representative) {
            ways_.add_seen(block, warp);
        }
        const begun_work begins{counter_.copies().all_made() > copies_before,
                                counter_.all_products() > products_before};
        end_warp(here, path, counts, weight, typical, begins);
        is_fork = true;
        return records_.fork(observe);
    }

    // A warp that is `away` from one that did the same.
    void see_recorded(const counted_warp& warp, warp_record<Used>& record,
                      const warp_distance& away, double weight, std::uint64_t path, bool typical) {
        const bool is_first = !record.is_counted;
        const warp_counts before = counts_so_far();
        facts_.begin_shown(warp.warp);
        record.show(away, records_.rule(), recorded_sight<Used>{counter_, facts_, weight});
        facts_.end_warp(weight, record.waits);
        if (is_first) {
            count_steps(record, weight);
            record.is_counted = true;
        } else {
            record.weight += weight;
        }
        set_counts(record.counts, before, weight,
                   is_first ? count::warp_insts : count::first_of_accesses);
        end_warp(warp, path, record.counts, weight, typical, {});
    }

    [[nodiscard]] warp_counts counts_so_far() const {
        return counts_of(trace_, facts_.touched(), facts_.different(), facts_.waited());
    }
    // What one warp of `weight` has added to the counts from `first` on.
    void set_counts(warp_counts& counts, const warp_counts& before, double weight,
                    std::size_t first = 0) const {
        const warp_counts now = counts_so_far();
        for (std::size_t k = first; k < counts.size(); ++k) {
            counts[k] = (now[k] - before[k]) / weight;
        }
    }

    void count_steps(const warp_record<Used>& record, double weight) {
        lines_.begin_warp();
        for (const recorded_step& s : record.steps) {
            if (s.costs != 0) {
                counter_.count(record.with_costs(s), weight);
            } else if (counter_.is_plain(s.step)) {
                counter_.count_plain(s, weight);
            } else {
                counter_.count(record.without_costs(s), weight);
            }
            lines_.count(s.step, s.rounds, s.active, s.jumping, weight);
        }
        lines_.end_warp(weight);
    }

    void end_warp(const counted_warp& warp, std::uint64_t path, const warp_counts& counts,
                  double weight, bool typical, begun_work begins) {
        if (options_.blocks == sampling::representative)
            spread_.add(path, weight, counts, is_typical_);
        recorded_.add(warp, counts[count::warp_insts], begins, typical);
        trace_.warps_traced += 1;
    }

    // The stream of the warp that stands for the others.
    model_error record() {
        const counted_warp from = recorded_.find(trace_.warp_insts / trace_.warps);
        const block_index& block = from.block;
        trace_.stream_block = {block[0], block[1], block[2]};
        trace_.stream_warp = from.warp;
        stream_recorder<Used> recorder(program_, options_.max_stream_entries,
                                       {.copies = &counter_.copies(),
                                        .products = counter_.products(),
                                        .warps = trace_.warps,
                                        .warps_per_block = ways_.warps()},
                                       trace_.capability);
        path_recorder<Used> path(program_, options_.max_stream_entries);
        const auto see = [&](const executed& e) {
            recorder(e);
            path(e);
        };
        ways_.begin(block);
        warp_distance away{};
        const warp_of_block here = place_in(block, from.warp, from.ordinal);
        if (const warp_record<Used>* const followed = records_.find(here, away)) {
            followed->show_all(away, records_.rule(), see);
        } else if (auto bad =
                       machine_.run(place_of(trace_.launch, block, from.warp, from.ordinal), see)) {
            return bad;
        }
        trace_.stream = recorder.finish();
        trace_.stream_sources = recorder.sources();
        trace_.path = path.finish();
        return {};
    }

    const program& program_;
    const trace_options& options_;
    std::span<const decision> decisions_;
    core::late<Used, traced_kernel>& trace_;
    block_index grid_;
    std::size_t blocks_{};    // of the sample
    bool is_spread_{};        // the blocks that are followed are those of a lattice
    bool takes_all_warps_{};  // none of its warps stands for others of its block
    bool is_typical_{};       // the block under way
    bool follows_all_{};      // of few blocks all warps, though a sample was asked for
    ptx::run::warp_machine<Used> machine_;
    trace_counter<Used> counter_;
    line_counter<Used> lines_;
    memory_facts<Used> facts_;
    warp_records<Used> records_;
    block_ways<Used> ways_;
    sampling_spread<Used> spread_;
    launch_reuse<Used> reuse_;
    warp_to_record<Used> recorded_;
};

template <class Used = core::when_used>
result<traced_kernel> trace_kernel(const kernel& k, const launch& l,
                                   std::span<const argument> arguments,
                                   const trace_options& options) {
    const auto p = prepare_launch<Used>(k, l, arguments, options);
    if (!p) return p.error();
    core::late<Used, traced_kernel> t{.name = k.text->functions[k.function].name,
                                      .launch = l,
                                      .capability = p->capability,
                                      .static_shared_bytes = p->linked.shared_bytes};
    for (const ptx::link::routine& r : p->linked.routines) t.local_frame_bytes += r.local_bytes;
    const auto live = live_registers<Used>(p->linked, options.max_steps);
    if (!live) return live.error();
    t.live_registers = *live;

    launch_follower<Used> follower(p->linked, p->arguments, p->decisions, options, t);
    if (auto bad = follower.follow()) {
        const bool stopped = bad.code == errc::limit_reached && bad.field == "max_steps";
        if (stopped && options.stopped != nullptr) *options.stopped = follower.stopped();
        return bad;
    }
    return t;
}

}  // namespace detail::trace

template <class Used>
result<traced_kernel> trace(const kernel& k, const launch& l, std::span<const argument> arguments,
                            const trace_options& options) {
    return detail::trace::trace_kernel<Used>(k, l, arguments, options);
}

template <class Used>
result<traced_kernel> trace(const kernel& k, const launch& l,
                            std::initializer_list<argument> arguments,
                            const trace_options& options) {
    return trace<Used>(k, l, std::span<const argument>(arguments.begin(), arguments.size()),
                       options);
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
