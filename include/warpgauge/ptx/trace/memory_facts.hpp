// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_MEMORY_FACTS_HPP
#define WARPGAUGE_PTX_TRACE_MEMORY_FACTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/trace/data_ends.hpp>
#include <warpgauge/ptx/trace/different_sectors.hpp>
#include <warpgauge/ptx/trace/even_blocks.hpp>
#include <warpgauge/ptx/trace/footprint.hpp>
#include <warpgauge/ptx/trace/mean_reuse.hpp>
#include <warpgauge/ptx/trace/round_reuse.hpp>
#include <warpgauge/ptx/trace/sector_counter.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/ptx/trace/wait_counter.hpp>
#include <warpgauge/sm/touched_sectors.hpp>

/// \file What a model with a memory hierarchy reads of a launch: sectors, waits, footprint, reuse.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// Does it access global memory where it is known?
constexpr bool touches_global(const executed& e) {
    return e.transactions != 0 && e.unit == unit_kind::global_memory && e.access != nullptr;
}

/// What a warp waited for.
struct warp_waits {
    wait_counts loads{};
    bool for_store{};  ///< a store came after a load
};

/// The round of an instruction: the waits that it has before it, of rounds that were followed or are told apart.
struct seen_round {
    std::uint32_t number{};
    std::uint32_t waits{};  ///< that each of the rounds had for which one stood last
};

/// What is looked for in a block.
struct block_sight {
    bool ends{};   ///< the warps at the ends of what it touches
    bool reuse{};  ///< what it reads again
};

/// Sees every instruction of the warps that are followed, one warp after the other.
template <class Used = core::when_used>
class memory_facts {
public:
    /// The program must outlive it. `sees_ends`: of the grid, without which there is no footprint.
    explicit memory_facts(const program& p, bool sees_ends = true)
        : program_(p),
          sees_ends_(sees_ends),
          waits_(p),
          kept_waits_(waits_),
          sectors_(p, max_compared_loads),
          loaded_(p.source->address_bits),
          stored_(p.source->address_bits),
          reuse_(max_reuse_sectors),
          ends_(p) {}

    /// The next warps are of one block.
    void begin_block(block_sight sight) { sight_ = sight; }
    /// What it read, and read again.
    [[nodiscard]] block_reads end_reuse() { return reuse_.end_block(); }
    /// It counts as one that was drawn `times` times from those of its kind; each time it counts for `weight` blocks.
    void end_drawn_reuse(std::uint32_t times, double weight, std::uint64_t kind) {
        const block_reads of = reuse_.end_block();
        for (std::uint32_t n = 0; n < times; ++n) reused_.add_drawn(of, weight, kind);
    }
    /// What blocks read again, those of a launch or some of them.
    [[nodiscard]] mean_reuse<Used>& reused() { return reused_; }
    /// Some warp loads after it has waited.
    [[nodiscard]] bool has_later_rounds() const { return has_later_rounds_; }

    /// `number`: in its block.
    void begin_warp(std::uint32_t number = 0) {
        begin_waits();
        begin_shown(number);
    }
    /// The same of a warp of which `wait` is not asked.
    void begin_shown(std::uint32_t number) {
        sectors_.begin_warp();
        different_.begin_warp();
        warp_ = number;
    }
    /// The same of one of which only `wait` is asked.
    void begin_waits() {
        waits_.begin_warp();
        listed_.clear();
    }

    /// What the warp under way has waited for so far is kept.
    void keep_waits() { kept_waits_ = waits_; }
    /// The next steps are those of a warp that did the same until then.
    void go_back_to_kept_waits() { waits_ = kept_waits_; }

    /// An instruction of a warp that stands for `weight` warps. Its round.
    seen_round see(const executed& e, double weight) {
        const seen_round at = wait(e);
        const std::uint32_t round = at.number;
        if (!e.lists && !listed_.empty()) see_listed(at.waits, weight);
        if (touches_global(e) && e.lists) {
            listed_.push_back({e, *e.access, {}, round});
            if (e.runs != nullptr) listed_.back().runs = *e.runs;
        } else if (touches_global(e)) {
            with_sectors(e, [&](const auto& touched) { see_access(e, touched, round, weight); });
        }
        return at;
    }

    /// The same without what it touches.
    seen_round wait(const executed& e) {
        const wait_counts before = waits_(e);
        return {before.global - core::min(waits_.not_followed(), before.global),
                waits_.round_waits()};
    }

    /// An access of a warp whose other instructions are known; `touched` by lanes of known address.
    template <class Touched>
    void see_access(const executed& e, const Touched& touched, std::uint32_t round, double weight) {
        sectors_.count(e, touched, weight * static_cast<double>(e.rounds));
        const step& s = program_.steps[e.step];
        add_to_footprint(s, touched, rounds_of(e, s.in_bulk), weight);
        ends_.see(e.step, touched, warp_, sight_.ends);
        see_reads(e.step, touched, e.rounds, round);
    }
    /// The same of an access in several rounds, without what it touches in each.
    void see_costs(const executed& e, const access_totals& all, double weight) {
        sectors_.count(e, all, weight);
    }
    /// What it touches in one of them, after those before.
    template <class Touched>
    void see_round(std::uint32_t step, const Touched& touched, double weight) {
        sectors_.look_known(step, touched, weight);
        add_to_footprint(program_.steps[step], touched, {}, weight);
    }
    /// What it reads.
    template <class Touched>
    void see_reads(std::uint32_t step, const Touched& touched, std::uint64_t times,
                   std::uint32_t round) {
        if (program_.steps[step].stores) return;
        has_later_rounds_ = has_later_rounds_ || round > 0;
        if (sight_.reuse) reuse_.add(round, times, touched, step);
    }

    /// Of the warp that was followed.
    [[nodiscard]] warp_waits waits() const { return {waits_.waits(), waits_.stores_behind_load()}; }

    void end_warp(double weight, const warp_waits& w) {
        waited_.steps += weight * w.loads.global;
        waited_.l1_waits += weight * w.loads.on_chip;
        if (w.for_store) waited_.store_waits += weight;
        waited_.longest_steps =
            core::max(waited_.longest_steps, static_cast<double>(w.loads.global));
    }

    /// An instruction of a warp that is followed to find out about its block, and not counted.
    void see_place(const executed& e, std::uint32_t round) {
        if (!touches_global(e)) return;
        with_sectors(e, [&](const auto& touched) { see_place(e, touched, round); });
    }
    /// The same of an access of global memory.
    template <class Touched>
    void see_place(const executed& e, const Touched& touched, std::uint32_t round) {
        if (sight_.reuse) see_reads(e.step, touched, e.rounds, round);
        add_to_ranges(program_.steps[e.step], touched);
        sectors_.look(e, touched, 0);
        if (asked_ != nullptr) asked_->see(e.step, touched);
    }
    /// Where the accesses begin that `see_place` is shown from now on; null: nobody asks.
    void ask_first_sectors(first_sectors<Used>* to) { asked_ = to; }

    /// What accesses touch so far: sums over all warps by their weight, but for `broadcast_loads`.
    [[nodiscard]] const memory_accesses<>& touched() const { return sectors_.sums(); }

    /// Sectors that they touch, those that a warp touches again once.
    [[nodiscard]] const sectors_by_use<double>& different() const { return different_.sums(); }

    /// What warps waited for so far: sums over all warps by their weight, but for `longest_steps`.
    [[nodiscard]] const dependent_waits<>& waited() const { return waited_; }

    /// The sectors and lines that accesses touch.
    [[nodiscard]] const sector_counter<Used>& sectors() const { return sectors_; }

    /// The blocks and warps at the ends of what the warps that were counted touch.
    [[nodiscard]] data_ends<Used>& ends() { return ends_; }

    /// Fills `touched`, `waits` and the footprint of the trace, of which `warps` and `errors` are known, those of the footprint
    /// as if nothing but the sectors that warps touch limited it; the footprint only if the ends of the grid were seen. A
    /// fraction `outside` of it may lie outside of what was.
    void finish(traced_kernel& t, double outside = 0) {
        t.touched = sectors_.means(t.warps);
        t.waits = {.counted = true,
                   .l1_waits = waited_.l1_waits / t.warps,
                   .store_waits = waited_.store_waits / t.warps,
                   .steps = waited_.steps / t.warps,
                   .longest_steps = waited_.longest_steps,
                   .reused_fraction = reused_.fraction()};
        t.errors.reused_fraction = reused_.error();
        constexpr auto global = static_cast<std::size_t>(unit_kind::global_memory);
        t.errors.broadcast_loads =
            t.errors.unit_insts[global] + sectors_.broadcasts_error() / t.warps;
        if (!sees_ends_) return;
        const sectors_by_use<double>& most = different();
        const auto& unknown = sectors_.at_unknown();
        touched_ranges all = loaded_;
        all.add(stored_);
        t.footprint_bytes = all.bytes(most.all) + unknown.all;
        t.loaded_bytes = loaded_.bytes(most.loaded) + unknown.loaded;
        t.stored_bytes = stored_.bytes(most.stored) + unknown.stored;
        const double off_stores = t.errors.store_sectors * t.warps;
        const double off = t.errors.load_sectors * t.warps + off_stores;
        const auto bound = [&](double& error, const touched_ranges& r, double max_sectors,
                               double of_unknown, double sectors) {
            error = r.error(max_sectors, error / 32, outside) + core::min(of_unknown, 32 * sectors);
        };
        bound(t.errors.footprint_bytes, all, most.all, unknown.all, off);
        bound(t.errors.loaded_bytes, loaded_, most.loaded, unknown.loaded, off);
        bound(t.errors.stored_bytes, stored_, most.stored, unknown.stored, off_stores);
    }

private:
    static constexpr std::size_t max_compared_loads = std::size_t{1} << 18;
    static constexpr std::size_t max_reuse_sectors = std::size_t{1} << 18;

    template <class Touched>
    void add_to_footprint(const step& s, const Touched& touched, const sector_rounds& rounds,
                          double weight) {
        if (!sees_ends_) return;
        different_.add(s, touched, rounds, weight);
        add_to_ranges(s, touched);
    }
    template <class Touched>
    void add_to_ranges(const step& s, const Touched& touched) {
        if (s.stores || s.is_atomic) stored_.add(touched);
        if (!s.stores || s.is_atomic) loaded_.add(touched);
    }

    // Of rounds that are told apart, one access after the other, as if each round had been followed. Only those of the middle
    // block are, where no other is followed.
    void see_listed(std::uint32_t waits, double weight) {
        for (listed_access& a : listed_) {
            a.e.access = &a.access;
            a.e.runs = a.runs.count != 0 ? &a.runs : nullptr;
            access_totals all;
            for_each_round(a.e, [&](const executed& e, const auto& touched) {
                all.add(e, touched);
                see_round(e.step, touched, weight);
            });
            see_costs(a.e, all, weight);
        }
        executed one;
        for (std::uint32_t n = 0; n < listed_.front().e.rounds; ++n) {
            for (const listed_access& a : listed_) {
                see_moved(one, a.e, n * a.e.round_by, [&](const executed&, const auto& touched) {
                    see_reads(a.e.step, touched, 1, a.round + n * waits);
                });
            }
        }
        listed_.clear();
    }

    struct listed_access {
        executed e{};
        warp_access access{};
        warpgauge::detail::sm::byte_runs runs{};
        std::uint32_t round{};
    };

    const program& program_;
    bool sees_ends_;
    wait_counter<Used> waits_, kept_waits_;
    sector_counter<Used> sectors_;
    different_sectors<Used> different_;
    touched_ranges loaded_, stored_;
    block_sight sight_;
    bool has_later_rounds_ = false;
    round_reuse<Used> reuse_;  // of the block under way
    mean_reuse<Used> reused_;
    data_ends<Used> ends_;
    first_sectors<Used>* asked_ = nullptr;
    std::uint32_t warp_ = 0;                               // under way, in its block
    core::late<Used, std::vector<listed_access>> listed_;  // of the round under way
    dependent_waits<> waited_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
