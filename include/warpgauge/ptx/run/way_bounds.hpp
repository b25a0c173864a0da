// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_WAY_BOUNDS_HPP
#define WARPGAUGE_PTX_RUN_WAY_BOUNDS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/block_rows.hpp>
#include <warpgauge/ptx/run/lane_arithmetic.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/moving_rows.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/row_motion.hpp>
#include <warpgauge/ptx/run/waiting_bounds.hpp>
#include <warpgauge/ptx/run/whole_rows.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file How far away another warp may be that goes the same way as one that is followed, and whose accesses cost the same.
///
/// Of two warps only the numbers of block and threads differ, in all lanes by the same. So a register that is a sum of
/// multiples of these numbers moves evenly from warp to warp. Each comparison of such a register says how far it may
/// move and come out the same. Where all do, only one of the warps is followed, and the addresses of the other are known.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// The sum of products of `by` and the distance must be a multiple of `turn`, a power of two: then an access costs the same.
struct way_turn {
    warp_distance by{};
    std::uint64_t turn{};  ///< B

    [[nodiscard]] constexpr bool holds(const warp_distance& away) const {
        return (static_cast<std::uint64_t>(distance_along(by, away)) & (turn - 1)) == 0;
    }
};

/// Adds one; false if there are too many.
template <class Used>
bool add_turn(core::late<Used, std::vector<way_turn>>& turns, const way_turn& more) {
    constexpr std::size_t max_turns = 64;
    for (way_turn& t : turns) {
        if (!is_same(t.by, more.by)) continue;
        t.turn = core::max(t.turn, more.turn);
        return true;
    }
    if (turns.size() == max_turns) return false;
    turns.push_back(more);
    return true;
}

/// Which other warps do the same as one.
template <class Used = core::when_used>
struct way_reach {
    core::late<Used, std::vector<way_bound>> bounds{};
    core::late<Used, std::vector<way_turn>> turns{};
    bool of_block = false;   ///< those of the same number in other blocks
    bool of_launch = false;  ///< else those of other numbers too; neither: none

    /// What does not hold is asked first the next time: it is what mostly tells warps apart.
    [[nodiscard]] bool holds(const warp_distance& away) {
        if (!of_launch && (!of_block || away[3] != 0 || away[4] != 0 || away[5] != 0)) return false;
        for (std::size_t n = 0; n < bounds.size(); ++n) {
            if (bounds[n].holds(away)) continue;
            const way_bound first = bounds[0];
            bounds[0] = bounds[n];
            bounds[n] = first;
            return false;
        }
        for (const way_turn& t : turns) {
            if (!t.holds(away)) return false;
        }
        return true;
    }
};

inline warp_distance difference(const warp_distance& a, const warp_distance& b) {
    warp_distance by = a;
    for (std::size_t d = 0; d < by.size(); ++d) by[d] -= b[d];
    return by;
}

inline constexpr std::int64_t fast_motion = std::int64_t{1} << 29;  // times 2^31 blocks: below 2^60

inline warp_motion times(const warp_motion& m, std::int64_t factor) {
    if (m.how != warp_motion::kind::even || factor <= -fast_motion || factor >= fast_motion)
        return uneven_motion;
    warp_motion product = m;
    for (std::int64_t& by : product.by) by *= factor;
    return product;
}

inline warp_motion sum(const warp_motion& a, const warp_motion& b) {
    if (a.how != warp_motion::kind::even || b.how != warp_motion::kind::even) return uneven_motion;
    warp_motion all = a;
    for (std::size_t d = 0; d < all.by.size(); ++d) all.by[d] += b.by[d];
    return all;
}

/// A motion of a result, as many bits wide.
inline warp_motion kept(warp_motion m, unsigned bits) {
    if (m.how != warp_motion::kind::even) return m;
    for (std::int64_t& by : m.by) {
        by = static_cast<std::int64_t>(sign_extended(static_cast<std::uint64_t>(by), bits));
        if (by <= -fast_motion || by >= fast_motion) return uneven_motion;
    }
    return m;
}

/// Are all lanes negative, for a disjunction, or none, for a conjunction?
inline bool decides_sign(const step& s, const lane_values& values, std::uint32_t lanes) {
    if (s.what == ptx::text::action::bit_xor) return false;
    std::uint64_t any = 0;
    std::uint64_t all = ~std::uint64_t{0};
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        const std::uint64_t v = values[static_cast<std::size_t>(std::countr_zero(left))];
        any |= v;
        all &= v;
    }
    const unsigned sign = s.type.bits - 1U;
    return s.what == ptx::text::action::bit_or ? (all >> sign & 1U) != 0 : (any >> sign & 1U) == 0;
}

/// An unsigned factor with the highest bit set would be taken for a negative one. Has no lane one of either?
inline bool are_positive(const lane_values& a, const lane_values& b, unsigned bits,
                         std::uint32_t lanes) {
    std::uint64_t high = 0;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        const auto l = static_cast<std::size_t>(std::countr_zero(left));
        high |= a[l] | b[l];
    }
    return (high >> (bits - 1U) & 1U) == 0;
}

/// May what a copy writes in shared memory move, with the same conflicts after each `turn`? Then the turn is noted.
template <class Used>
bool keeps_banks(const moving_rows<Used>& rows, const step& s, std::uint32_t active, way_turn turn,
                 core::late<Used, std::vector<way_turn>>& turns) {
    if (s.written_source == 0) return true;
    const unsigned k = s.written_source - 1U;
    const warp_motion m = rows.source(s, k);
    if (m.stays()) return true;
    turn.by = m.by;
    return m.how == warp_motion::kind::even && (active & ~rows.values(s, k).known) == 0 &&
           add_turn<Used>(turns, turn);
}

/// Sees the steps of a warp: those that decide where it goes, or all.
template <class Used = core::when_used>
class way_bounds {
public:
    /// The program must outlive it. What an access of shared memory costs depends on its addresses modulo `bank_bytes`, of
    /// constants modulo `cycle_bytes`, powers of two. Those of global memory are known of all warps.
    explicit way_bounds(const ptx::link::program& p, std::uint64_t cycle_bytes = 256,
                        std::uint64_t bank_bytes = 256)
        : program_(&p), rows_(p), cycle_(cycle_bytes), banks_(bank_bytes) {
        is_of_use_ = p.routines.size() == 1 && p.routines[0].local_bytes == 0;
        for (const std::uint32_t row : p.rows) {
            const bool of_cluster =
                row >= ptx::link::cluster_ctaid_x && row <= ptx::link::is_explicit_cluster;
            if (of_cluster) is_of_use_ = false;
        }
    }

    /// A warp begins; `whole`: all of its steps are seen, and what its accesses cost is bounded too.
    void begin(bool whole = false) {
        holds_ = is_of_use_;
        whole_ = whole;
        waits_ = true;
        bounds_.clear();
        turns_.clear();
        rows_.begin(is_of_use_ ? program_->routines[0].rows : 0);
    }

    /// A step before it changes registers, and the lanes that execute it; `rounds`: of a loop that it stands for;
    /// `changes`: it does change registers.
    void see(const step& s, std::uint32_t active, std::uint64_t rounds, bool changes,
             register_file<Used>& registers) {
        if (!holds_) return;
        rows_.begin_step(registers);
        rounds_ = rounds;
        // In rounds that are skipped, something else may decide than in those at their ends.
        if (rounds > 1) waits_ = false;
        see_step(s, active, changes);
        if (holds_ || rows_.is_pinned() || rows_.was_set()) return;
        // Perhaps something is known at least of the warps of the same number in other blocks.
        rows_.pin();
        holds_ = true;
        see_step(s, active, changes);
    }

    /// Nothing is known of other warps.
    void give_up() { holds_ = false; }

    /// By what the addresses of the step that was seen last move, if it has some.
    [[nodiscard]] const warp_distance& moved() const { return moved_; }

    /// Do the bounds hold all that decides where the warp went? To be asked when it has ended.
    [[nodiscard]] bool holds() const { return holds_ && !bounds_.is_full(); }
    /// By what the numbers of blocks are divided, of all warps so far.
    [[nodiscard]] const block_rows& rows_of_blocks() const { return rows_of_blocks_; }
    [[nodiscard]] way_reach<Used> reach() const {
        return {bounds_.required(), turns_, holds(), holds() && !rows_.is_pinned()};
    }

private:
    using action = ptx::text::action;
    using kind = warp_motion::kind;

    void see_step(const step& s, std::uint32_t active, bool changes) {
        if (s.predicate != nowhere) bounds_.require(rows_.needs_of(s.predicate));
        if (s.predicate != nowhere && rows_.moves(s.predicate)) return give_up();
        if (active == 0) return;
        if (s.through != nowhere) return give_up();
        if (s.size_source != 0) {
            const std::uint32_t part = program_->part_row(s);
            bounds_.require(rows_.needs_of(part));
            if (rows_.moves(part) || (whole_ && part == nowhere)) return give_up();
            if (!whole_ && part != nowhere) return;
        }
        if (whole_ && (s.in_bulk || s.barrier_source != 0)) return give_up();
        needs_ = 0;
        bool any_moves = false;
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const moving_row& r = rows_.at(s, k);
            any_moves = any_moves || r.moves;
            needs_ |= r.needs;
        }
        if (s.what == action::branch_table || (whole_ && s.accesses)) bounds_.require(needs_);
        if (whole_ && s.accesses) see_access(s, active);
        if (whole_ && !keeps_banks<Used>(rows_, s, active, {{}, banks_}, turns_)) give_up();
        if (!changes || !holds_) return;
        if (!any_moves) {
            if (s.type.bits == 1 && needs_ != 0) take_what_decides(s, active);
            return stay_results(s, active);
        }
        if (whole_ && s.what == action::store) return;
        if (whole_ && s.what == action::atomic) return set_results(s, active, {});
        if (!are_known(s, active)) return give_up();
        see_division(rows_, s, active, rows_of_blocks_);
        see_moving(s, active);
    }

    // Addresses of global memory may move, others as far as they cost the same.
    void see_access(const step& s, std::uint32_t active) {
        moved_ = {};
        const warp_motion& m = rows_.source(s, 0);
        if (m.stays()) return;
        const bool even = m.how == kind::even && s.space != ptx::link::address_space::generic;
        if (!even || s.in_rows || s.hides_addresses || (active & ~rows_.values(s, 0).known) != 0) {
            return give_up();
        }
        moved_ = m.by;
        if (s.space == ptx::link::address_space::global) return;
        const std::uint64_t turn = s.space == ptx::link::address_space::shared ? banks_ : cycle_;
        if (!add_turn<Used>(turns_, {m.by, turn})) give_up();
    }

    // Offsets from what nobody knows must not move.
    [[nodiscard]] bool are_known(const step& s, std::uint32_t active) const {
        const bool loads = !whole_ && (s.what == action::load || s.what == action::unknown);
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            if (!rows_.moves(s, k)) continue;
            const std::uint32_t needed = loads ? all_lanes : active;
            if ((needed & ~rows_.values(s, k).known) != 0) return false;
        }
        return true;
    }

    // Nothing that its sources have moves, nor what it computes of them.
    void stay_results(const step& s, std::uint32_t active) {
        for (std::uint32_t k = 0; k < s.results; ++k) {
            const std::uint32_t row = program_->rows[s.first + k];
            const bool stayed = ptx::link::belongs_to_call(row) && !rows_.moves(row);
            if (!stayed || needs_ != 0) {
                set(row, active, {});
            } else if (active == all_lanes) {
                rows_.forget_needs(row);
            }
        }
    }
    void set_results(const step& s, std::uint32_t active, const warp_motion& m) {
        for (std::uint32_t k = 0; k < s.results; ++k) set(program_->rows[s.first + k], active, m);
    }
    void set(std::uint32_t row, std::uint32_t active, const warp_motion& m) {
        if (!waits_ || row == ptx::link::carry) bounds_.require(needs_);
        // In a round that stands for others it would move on.
        if (!rows_.set(row, active, m, needs_, rounds_ > 1)) give_up();
    }

    void see_moving(const step& s, std::uint32_t active) {
        switch (s.what) {
            case action::branch_table:
            case action::call:
            case action::store:
            case action::atomic:
            case action::compare_reals: return give_up();
            case action::load:
            case action::unknown: return see_load(s, active);
            case action::compare: return see_comparison(s, active);
            case action::move:
                for (std::uint32_t k = s.results; k-- > 0;) {
                    set(program_->rows[s.first + k], active,
                        k < s.sources ? rows_.source(s, k) : uneven_motion);
                }
                return;
            default: set_results(s, active, with_mean(result_of(s, active), rows_, s, active));
        }
    }

    // Where lanes load the same or not stays as it is; what they load, nobody knows.
    void see_load(const step& s, std::uint32_t active) {
        bool even = program_->contents.empty() && s.space != ptx::link::address_space::local &&
                    s.space != ptx::link::address_space::generic;
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            even = even && rows_.source(s, k).how == kind::even;
        }
        if (!even) return give_up();
        set_results(s, active, {});
    }

    void see_comparison(const step& s, std::uint32_t active) {
        if (s.sources < 2 || (s.sources > 2 && rows_.moves(s, 2))) return give_up();
        const warp_motion& a = rows_.source(s, 0);
        const warp_motion& b = rows_.source(s, 1);
        const bool whole_sign = a.how == kind::sign && a.by[0] == s.from.bits;
        if (whole_sign && b.stays() && asks_sign(s)) {
            return set_results(s, active, {});
        }
        if (a.how != kind::even || b.how != kind::even) return give_up();
        value_type type = s.from;
        if (s.unsigned_compare) type.is_signed = false;
        if (!bound_order(s, type, active)) return give_up();
        set_results(s, active, {});
    }

    // Both sources move evenly and compare as they do.
    bool bound_order(const step& s, const value_type& type, std::uint32_t active) {
        if ((active & ~(rows_.values(s, 0).known & rows_.values(s, 1).known)) != 0) return false;
        const warp_distance& a = rows_.source(s, 0).by;
        const warp_distance& b = rows_.source(s, 1).by;
        const lane_values& left = rows_.values(s, 0).lanes;
        const lane_values& right = rows_.values(s, 1).lanes;
        return bounds_.bound_type(type, left, active, a, needs_) &&
               bounds_.bound_type(type, right, active, b, needs_) &&
               bounds_.bound_difference(s, type, left, right, active, difference(a, b), needs_);
    }

    // One source is the result of all lanes, and stays so.
    warp_motion extremum(const step& s, std::uint32_t active) {
        const warp_motion& a = rows_.source(s, 0);
        const warp_motion& b = rows_.source(s, 1);
        if (a.how != kind::even || b.how != kind::even) return uneven_motion;
        const step order = order_of(s);
        if (!bound_order(order, s.type, active)) return uneven_motion;
        if (a == b) return a;
        const unsigned from =
            source_of_all(order, rows_.values(s, 0).lanes, rows_.values(s, 1).lanes, active);
        return from == 2 ? uneven_motion : from == 0 ? a : b;
    }

    // Is it a comparison with 0 or -1 that only the sign decides?
    bool asks_sign(const step& s) const {
        if (!s.from.is_signed || s.unsigned_compare) return false;
        std::uint64_t b = 0;
        if (!same_in_all(rows_.values(s, 1).lanes, rows_.values(s, 1).known, b)) return false;
        b = as(s.from, b);
        using ptx::link::comparison;
        const bool with_zero = s.compare == comparison::lt || s.compare == comparison::ge;
        const bool below_zero = s.compare == comparison::gt || s.compare == comparison::le;
        return (with_zero && b == 0) || (below_zero && b == ~std::uint64_t{0});
    }

    // Of predicates, one alone may decide that all lanes of a conjunction are false: then the other does not matter.
    void take_what_decides(const step& s, std::uint32_t active) {
        const bool all = s.what == action::bit_or;
        if ((!all && s.what != action::bit_and) || s.sources != 2) return;
        for (std::uint32_t k = 0; k < 2; ++k) {
            const row_values& v = rows_.values(s, k);
            const std::uint32_t hold = lanes_that_hold(v);
            if ((active & ~v.known) != 0 || (active & (all ? ~hold : hold)) != 0) continue;
            needs_ = rows_.needs_of(s, k);
            return;
        }
    }

    warp_motion product(const step& s, std::uint32_t active) {
        const unsigned moving = !rows_.moves(s, 0) ? 1 : 0;
        const warp_motion& m = rows_.source(s, moving);
        if (m.stays()) return m;
        std::uint64_t factor = 0;
        const row_values& other = rows_.values(s, 1 - moving);
        if (rows_.moves(s, 1 - moving) || (active & ~other.known) != 0 ||
            !same_in_all(other.lanes, active, factor)) {
            return uneven_motion;
        }
        return times(m, static_cast<std::int64_t>(sign_extended(factor, s.from.bits)));
    }

    // Sources that are read wider than they are must not wrap.
    warp_motion extended(const step& s, unsigned k, std::uint32_t active) {
        const warp_motion& m = rows_.source(s, k);
        if (m.how == kind::even && source_type(s, k).bits < 64) {
            const lane_values& v = rows_.values(s, k).lanes;
            if (!bounds_.bound_type(source_type(s, k), v, active, m.by, needs_)) give_up();
        }
        return m;
    }

    warp_motion result_of(const step& s, std::uint32_t active) {
        const bool low = takes_low_bits(s) && s.mode == 0;
        switch (s.what) {
            case action::add:
                return low ? kept(sum(rows_.source(s, 0), rows_.source(s, 1)), s.type.bits)
                           : uneven_motion;
            case action::subtract:
                return low ? kept(sum(rows_.source(s, 0), times(rows_.source(s, 1), -1)),
                                  s.type.bits)
                           : uneven_motion;
            case action::multiply:
            case action::multiply_add: return result_of_product(s, active, low);
            case action::shift_left: {
                std::uint64_t by = 0;
                const row_values& b = rows_.values(s, 1);
                const bool constant = !rows_.moves(s, 1) && (active & ~b.known) == 0 &&
                                      same_in_all(b.lanes, active, by) && by < 29;
                return low && constant
                           ? kept(times(rows_.source(s, 0), std::int64_t{1} << by), s.type.bits)
                           : uneven_motion;
            }
            case action::convert:
                if (s.type.bits < s.from.bits) return uneven_motion;
                return extended(s, 0, active);
            case action::select:
                return !rows_.moves(s, 2) && rows_.source(s, 0) == rows_.source(s, 1)
                           ? rows_.source(s, 0)
                           : uneven_motion;
            case action::minimum:
            case action::maximum: return extremum(s, active);
            case action::bit_and:
            case action::bit_or:
            case action::bit_xor: return sign_of(s, active);
            default: return uneven_motion;
        }
    }

    warp_motion result_of_product(const step& s, std::uint32_t active, bool low) {
        const bool adds = s.what == action::multiply_add;
        if (!low && (s.part != halves::wide || s.from.bits > 32)) return uneven_motion;
        if (!low) {
            for (unsigned k = 0; k < 2; ++k) extended(s, k, active);
            const lane_values& a = rows_.values(s, 0).lanes;
            const lane_values& b = rows_.values(s, 1).lanes;
            const bool fits = s.from.is_signed || are_positive(a, b, s.from.bits, active);
            if (!fits) return uneven_motion;
        }
        const warp_motion p = product(s, active);
        return kept(adds ? sum(p, rows_.source(s, 2)) : p, result_bits(s));
    }

    warp_motion sign_of(const step& s, std::uint32_t active) {
        if (s.type.bits < 8 || s.sources != 2) return uneven_motion;
        for (unsigned k = 0; k < 2; ++k) {
            if (!has_sign(s, k, active)) return uneven_motion;
        }
        // One alone may decide all signs.
        const unsigned from = decides_sign(s, rows_.values(s, 0).lanes, active)   ? 0
                              : decides_sign(s, rows_.values(s, 1).lanes, active) ? 1
                                                                                  : 2;
        if (from != 2) needs_ = rows_.needs_of(s, from);
        for (unsigned k = 0; k < 2; ++k) {
            const warp_motion& m = rows_.source(s, k);
            if (m.how != kind::even || m.stays() || (from != 2 && from != k)) continue;
            const lane_values& v = rows_.values(s, k).lanes;
            if (!bounds_.bound_sign(s.type, v, active, m.by, needs_)) give_up();
        }
        return {.by = {s.type.bits}, .how = kind::sign};
    }

    [[nodiscard]] bool has_sign(const step& s, unsigned k, std::uint32_t active) const {
        const warp_motion& m = rows_.source(s, k);
        if (m.how == kind::uneven || (active & ~rows_.values(s, k).known) != 0) return false;
        return m.how == kind::even || m.by[0] == s.type.bits;
    }

    const ptx::link::program* program_;
    moving_rows<Used> rows_;
    std::uint64_t cycle_, banks_;  // B
    bool is_of_use_ = false;
    bool holds_ = false;
    bool whole_ = false;
    bool waits_ = true;         // bounds wait until they are needed
    std::uint64_t rounds_ = 1;  // that it stands for
    std::uint64_t needs_ = 0;   // bounds that its results depend on
    warp_distance moved_{};
    waiting_bounds<Used> bounds_;
    block_rows rows_of_blocks_;
    core::late<Used, std::vector<way_turn>> turns_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
