// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_SECTOR_COUNTER_HPP
#define WARPGAUGE_PTX_TRACE_SECTOR_COUNTER_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/access_cost.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/trace/step_values.hpp>
#include <warpgauge/sm/touched_sectors.hpp>

/// \file What the accesses of warps to global memory touch: sectors, lines, sectors written in part, and loads by
/// which all warps read the same sector.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::link::program, ptx::link::step;
using ptx::run::executed;

/// The lanes of an access whose address is unknown and that share its base with none; not those that read nothing.
[[nodiscard]] inline std::uint32_t unknown_lanes(const executed& e) {
    const std::uint32_t based = e.based == nullptr ? 0 : e.based->active;
    return e.accessing() & ~e.access->active & ~based;
}

/// How many; there are mostly none.
[[nodiscard]] inline int count_unknown(const executed& e) {
    const std::uint32_t lanes = unknown_lanes(e);
    return lanes == 0 ? 0 : std::popcount(lanes);
}

/// B of the data at unknown addresses that an access moves; `based_sectors` are those of lanes which share a base. Texels
/// count for nothing: neighbouring ones are read again and again.
[[nodiscard]] inline double unknown_bytes(const step& s, const executed& e, double based_sectors) {
    if (s.hides_addresses) return 0;
    if (s.moves_blocks()) return 32.0 * e.unknown_sectors;
    return static_cast<double>(count_unknown(e)) * s.lane_bytes + 32 * based_sectors;
}

/// Calls `see` with the sectors of the lanes of known address.
template <class See>
void with_sectors(const executed& e, const See& see) {
    if (e.runs != nullptr) return see(sectors_of_runs(*e.runs));
    see(sectors_of(*e.access));
}

/// Calls `see(one, touched)` with an access that is `off` B from another one, all of whose addresses are known.
template <class See>
void see_moved(executed& one, const executed& e, std::uint64_t off, const See& see) {
    using costs = ptx::detail::run::access_cost<>;
    if (e.runs != nullptr) {
        const warpgauge::detail::sm::byte_runs runs = e.runs->moved(off);
        one.runs = &runs;
        costs::count_sectors(runs, one);
        return see(one, sectors_of_runs(runs));
    }
    warp_access moved = *e.access;
    for (std::uint64_t& address : moved.addresses) address += off;
    one.access = &moved;
    costs::count_known(moved, coalescing_rule::sectors, one);
    see(one, sectors_of(moved));
}

/// Calls `see(e, touched)` with an access in each round that is told apart, or as it is. Those of such rounds move sectors.
template <class See>
void for_each_round(const executed& e, const See& see) {
    if (!e.lists) return with_sectors(e, [&](const auto& touched) { see(e, touched); });
    executed one = e;
    one.rounds = 1;
    one.lists = false;
    for (std::uint64_t n = 0; n < e.rounds; ++n) {
        see_moved(one, e, n * e.round_by, see);
    }
}

/// What an access costs in several rounds, in all; it has no lane of unknown address.
struct access_totals {
    double rounds = 0, transactions = 0, bytes_moved = 0, max_transactions = 0;
    double uncoalesced = 0, uncoalesced_transactions = 0, coalesced_bytes = 0;
    double sectors = 0, whole = 0, lines = 0;

    template <class Touched>
    void add(const executed& e, const Touched& touched) {
        rounds += 1;
        transactions += e.transactions;
        max_transactions = core::max(max_transactions, static_cast<double>(e.transactions));
        bytes_moved += e.bytes_moved;
        if (e.coalesced) {
            coalesced_bytes += e.bytes_moved;
        } else {
            uncoalesced += 1;
            uncoalesced_transactions += e.transactions;
        }
        sectors += touched.count;
        whole += touched.whole();
        lines += touched.lines();
    }
};

/// The lines of 128 B that an access of global memory touches; `touched` are the sectors of its lanes of known address. A
/// lane of unknown address that shares its base with none is taken to touch a line of its own, and blocks that are
/// moved to lie side by side.
template <class Touched>
[[nodiscard]] double lines_of(const executed& e, const Touched& touched, bool moves_blocks) {
    constexpr double sectors_per_line = 4;
    const double apart = moves_blocks ? e.unknown_sectors / sectors_per_line : count_unknown(e);
    const double of_bases = e.based == nullptr ? 0 : sectors_of(*e.based).lines();
    return touched.lines() + apart + of_bases;
}

/// The same of an access whose sectors are not known yet.
template <class Used>
[[nodiscard]] double lines_of(const executed& e, bool moves_blocks) {
    double lines = 0;
    with_sectors(e, [&](const auto& touched) { lines = lines_of(e, touched, moves_blocks); });
    return lines;
}

/// Sees the accesses of warps, one warp after the other.
template <class Used = core::when_used>
class sector_counter {
public:
    /// The program must outlive the counter. `max_compared`: loads of a warp that are compared with those of others.
    sector_counter(const program& p, std::size_t max_compared)
        : program_(p),
          max_compared_(max_compared),
          loads_(p.steps.size()),
          lines_(p.steps.size()) {}

    void begin_warp() { ++warps_; }

    /// Adds an access of global memory, of a warp that stands for `weight` warps. A lane of unknown address that shares its
    /// base with none is taken to touch a sector of its own, and to write a part of it.
    template <class Touched>
    void count(const executed& e, const Touched& touched, double weight) {
        const step& s = program_.steps[e.step];
        const bool blocks = s.moves_blocks();
        const double apart = blocks ? e.unknown_sectors : static_cast<double>(count_unknown(e));
        double whole = touched.whole() + (blocks ? apart : 0);
        double sectors = touched.count + apart;
        const double lines = weight * lines_of(e, touched, blocks);
        double of_bases = 0;
        if (e.based != nullptr) {
            const touched_sectors based = sectors_of(*e.based);
            whole += based.whole();
            of_bases = based.count;
        }
        sectors += of_bases;
        if (sectors > touched.count) add_unknown(s, weight * unknown_bytes(s, e, of_bases));
        sums_.lines += lines;
        lines_[e.step] += lines;
        add(s, sectors, whole, weight);
        look(e, touched, weight);
    }

    /// The same of several rounds, whose loads are not compared.
    void count(const executed& e, const access_totals& all, double weight) {
        sums_.lines += weight * all.lines;
        lines_[e.step] += weight * all.lines;
        add(program_.steps[e.step], all.sectors, all.whole, weight);
    }

    /// Compares a load or an atomic; a warp that stands for none may be of another block than those that are counted.
    template <class Touched>
    void look(const executed& e, const Touched& touched, double weight) {
        if (!is_compared(program_.steps[e.step])) return;
        if (e.rounds > 1) loads_.of(e.step).leaves_out = true;
        const bool blocks = program_.steps[e.step].moves_blocks();
        const bool none_unknown =
            blocks ? e.unknown_sectors == 0 : e.access->active == e.accessing();
        compare(e.step, touched.count == 1 && none_unknown ? touched.first() : nothing, weight);
    }
    /// The same of one whose addresses are all known.
    template <class Touched>
    void look_known(std::uint32_t step, const Touched& touched, double weight) {
        if (!is_compared(program_.steps[step])) return;
        compare(step, touched.count == 1 ? touched.first() : nothing, weight);
    }

    /// The means of a warp, of `warps` that all weights make.
    [[nodiscard]] memory_accesses<> means(double warps) const {
        memory_accesses<> m = sums_;
        m.broadcast_loads = broadcasts();
        for (double* sum : {&m.load_sectors, &m.full_store_sectors, &m.partial_store_sectors,
                            &m.lines, &m.broadcast_loads}) {
            *sum /= warps;
        }
        return m;
    }

    /// Sums over all warps by their weight, but for `broadcast_loads`.
    [[nodiscard]] const memory_accesses<>& sums() const { return sums_; }

    /// B at unknown addresses, over all warps by their weight: in all, loaded, and stored; atomics do both.
    struct bytes_at_unknown {
        double all{}, loaded{}, stored{};
    };
    [[nodiscard]] const bytes_at_unknown& at_unknown() const { return at_unknown_; }

    /// Lines, by step: sums over all warps by their weight.
    [[nodiscard]] const auto& lines_by_step() const { return lines_; }

    /// The fraction of the executions of a load or an atomic in which all warps so far touch the same sector.
    [[nodiscard]] double same_sector_fraction(std::uint32_t step) const {
        const load_site* const site = loads_.find(step);
        if (site == nullptr) return 0;
        const compared_loads c = site->compared();
        return c.same == 0 ? 0 : c.same / c.all;
    }

    /// How far the sum of `broadcast_loads` over all warps by their weight may be off: by all of a load that was not compared
    /// to its end, or not round by round, since a round stands for others and warps make different numbers of them.
    [[nodiscard]] double broadcasts_error() const {
        double sum = 0;
        for_each_load([&](const load_site& site) {
            if (!(site.beyond > 0) && (!site.leaves_out || site.is_even())) return;
            const compared_loads c = site.with_beyond();
            sum += core::max(c.same, c.all - c.same);
        });
        return sum;
    }

private:
    static constexpr std::uint64_t nothing = ~std::uint64_t{0};

    static bool is_compared(const step& s) { return !s.stores || s.is_atomic; }

    // An execution of a load, the same of every warp.
    struct compared_load {
        std::uint64_t sector{};  // that all warps so far have read; `nothing`: they differ
        double weight{};
    };
    // Executions of a load by their weight: all, and those in which all warps touch the same sector.
    struct compared_loads {
        double same{}, all{};
    };
    struct load_site {
        core::late<Used, std::vector<compared_load>> in_order{};
        std::size_t executions{};  // of the last warp that has it
        std::uint64_t warp{};      // which one that is
        std::uint64_t warps{};     // that have it
        double beyond{};           // weight of executions past those that are compared
        bool is_uneven{};   // warps before the last one execute it different numbers of times
        bool leaves_out{};  // rounds, for which another stands

        void begin_warp(std::uint64_t number) {
            is_uneven = !is_even();
            executions = 0;
            warp = number;
            ++warps;
        }
        [[nodiscard]] bool is_even() const { return !is_uneven && executions == in_order.size(); }
        [[nodiscard]] compared_loads compared() const {
            compared_loads c;
            for (const compared_load& l : in_order) {
                c.all += l.weight;
                if (l.sector != nothing) c.same += l.weight;
            }
            return c;
        }
        // Executions past those compared count as those do.
        [[nodiscard]] compared_loads with_beyond() const {
            compared_loads c = compared();
            if (c.all > 0) c.same *= 1 + beyond / c.all;
            c.all += beyond;
            return c;
        }
    };

    void add(const step& s, double sectors, double whole, double weight) {
        if (s.stores || s.is_atomic) {
            sums_.full_store_sectors += weight * whole;
            sums_.partial_store_sectors += weight * (sectors - whole);
        }
        if (!s.stores) sums_.load_sectors += weight * sectors;
    }

    void add_unknown(const step& s, double bytes) {
        at_unknown_.all += bytes;
        if (s.stores || s.is_atomic) at_unknown_.stored += bytes;
        if (!s.stores || s.is_atomic) at_unknown_.loaded += bytes;
    }

    void compare(std::uint32_t step, std::uint64_t sector, double weight) {
        load_site& site = loads_.of(step);
        if (site.warp != warps_) site.begin_warp(warps_);
        const std::size_t n = site.executions++;
        if (n < site.in_order.size()) {
            compared_load& c = site.in_order[n];
            if (c.sector != sector) c.sector = nothing;
            c.weight += weight;
        } else if (compared_ < max_compared_) {
            // Warps before this one ended earlier; they do not read what this one does.
            ++compared_;
            site.is_uneven = site.is_uneven || site.warps > 1;
            site.in_order.push_back({sector, weight});
        } else {
            site.beyond += weight;
        }
    }

    [[nodiscard]] double broadcasts() const {
        if (warps_ < 2) return 0;
        double sum = 0;
        for_each_load([&](const load_site& site) { sum += site.with_beyond().same; });
        return sum;
    }

    template <class See>
    void for_each_load(const See& see) const {
        for (std::uint32_t n = 0; n < loads_.steps(); ++n) {
            const load_site* const site = loads_.find(n);
            if (site != nullptr && !program_.steps[n].stores) see(*site);
        }
    }

    const program& program_;
    std::size_t max_compared_;
    std::size_t compared_ = 0;
    std::uint64_t warps_ = 0;
    memory_accesses<> sums_;
    bytes_at_unknown at_unknown_;
    step_values<load_site, Used> loads_;
    core::late<Used, std::vector<double>> lines_;  // by step
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
