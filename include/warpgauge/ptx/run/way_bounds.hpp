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
#include <warpgauge/ptx/run/lane_arithmetic.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/row_motion.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file How far away another block may be whose warp, of the same number, goes the same way as one that is followed.
///
/// Of two such warps only the number of the block differs. So a register that is a sum of multiples of that number
/// moves evenly from block to block, in all lanes by the same. Each comparison of such a register says how far it may
/// move and come out the same. Where all comparisons do, both warps go one way, and only one of them is followed.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// How many blocks another block is away, along each dimension.
using block_distance = std::array<std::int64_t, 3>;

/// The sum of products of `by` and the distance must lie between the two.
struct way_bound {
    block_distance by{};
    std::int64_t least{}, most{};

    [[nodiscard]] constexpr bool holds(const block_distance& away) const {
        const std::int64_t moved = by[0] * away[0] + by[1] * away[1] + by[2] * away[2];
        return moved >= least && moved <= most;
    }
};

/// How a register moves from block to block.
struct block_motion {
    enum class kind : std::uint8_t {
        even,    ///< by so much, in all lanes
        sign,    ///< in another way, but its sign stays
        uneven,  ///< in another way
    };
    block_distance by{};  ///< of `sign`, first the bits that the register is taken to have
    kind how{};

    [[nodiscard]] constexpr bool stays() const { return *this == block_motion{}; }
    friend constexpr bool operator==(const block_motion&, const block_motion&) = default;
};

inline constexpr block_motion uneven_motion{.how = block_motion::kind::uneven};

/// Sees the steps of a warp that decide where it goes.
template <class Used = core::when_used>
class way_bounds {
public:
    /// The program must outlive it.
    explicit way_bounds(const ptx::link::program& p) : program_(p) {
        is_of_use_ = p.routines.size() == 1 && p.routines[0].local_bytes == 0;
        for (const std::uint32_t row : p.rows) {
            const bool of_cluster =
                row >= ptx::link::cluster_ctaid_x && row <= ptx::link::is_explicit_cluster;
            if (of_cluster) is_of_use_ = false;
        }
    }

    /// A warp begins.
    void begin() {
        holds_ = is_of_use_;
        bounds_.clear();
        motions_.assign(is_of_use_ ? program_.routines[0].rows : 0, {});
    }

    /// A step before it changes registers, and the lanes that execute it; `rounds`: of a loop that it stands for.
    void see(const step& s, std::uint32_t active, std::uint64_t rounds,
             register_file<Used>& registers) {
        if (!holds_) return;
        registers_ = &registers;
        if (s.predicate != nowhere && !of(s.predicate).stays()) return fail();
        if (active == 0) return;
        bool moves = false;
        for (std::uint32_t k = 0; k < s.sources; ++k) moves = moves || !source(s, k).stays();
        if (!moves) return set_results(s, active, {});
        // What decides how many rounds are alike may be something else in another block.
        if (rounds > 1 || !are_known(s, active)) return fail();
        see_moving(s, active);
    }

    /// Do the bounds hold all that decides where the warp went? To be asked when it has ended.
    [[nodiscard]] bool holds() const { return holds_; }
    [[nodiscard]] const auto& bounds() const { return bounds_; }

private:
    using action = ptx::text::action;
    using kind = block_motion::kind;
    static constexpr std::int64_t fast = std::int64_t{1} << 29;  // times 2^31 blocks: below 2^60
    static constexpr std::int64_t far = std::int64_t{1} << 61;
    static constexpr std::size_t max_bounds = 32;

    void fail() { holds_ = false; }

    [[nodiscard]] block_motion of(std::uint32_t row) const {
        if (row == nowhere) return {};
        if ((row & of_call) != 0) return motions_[row & ~of_call];
        block_motion m;
        if (row >= ptx::link::ctaid_x && row <= ptx::link::ctaid_z) {
            m.by[row - ptx::link::ctaid_x] = 1;
        }
        return m;
    }
    [[nodiscard]] block_motion source(const step& s, std::uint32_t k) const {
        return of(program_.rows[s.first + s.results + k]);
    }
    [[nodiscard]] const row_values& values(const step& s, std::uint32_t k) const {
        return registers_->source(s, k);
    }

    // Offsets from what nobody knows must not move.
    [[nodiscard]] bool are_known(const step& s, std::uint32_t active) const {
        const bool loads = s.what == action::load || s.what == action::unknown;
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            if (source(s, k).stays()) continue;
            const std::uint32_t needed = loads ? all_lanes : active;
            if ((needed & ~values(s, k).known) != 0) return false;
        }
        return true;
    }

    void set_results(const step& s, std::uint32_t active, const block_motion& m) {
        for (std::uint32_t k = 0; k < s.results; ++k) set(program_.rows[s.first + k], active, m);
    }
    void set(std::uint32_t row, std::uint32_t active, const block_motion& m) {
        if (row == nowhere) return;
        if ((row & of_call) == 0) {
            if (!m.stays()) fail();
            return;
        }
        block_motion& to = motions_[row & ~of_call];
        const row_values& before = registers_->at(row);
        const bool is_new = before.known == 0 && before.base.is_unset();
        to = active == all_lanes || is_new || to == m ? m : uneven_motion;
    }

    void see_moving(const step& s, std::uint32_t active) {
        switch (s.what) {
            case action::branch_table:
            case action::call:
            case action::store:
            case action::atomic:
            case action::compare_reals: return fail();
            case action::load:
            case action::unknown: return see_load(s, active);
            case action::compare: return see_comparison(s, active);
            case action::move:
                for (std::uint32_t k = 0; k < s.results; ++k) {
                    set(program_.rows[s.first + k], active,
                        k < s.sources ? source(s, k) : uneven_motion);
                }
                return;
            default: set_results(s, active, result_of(s, active));
        }
    }

    // Where lanes load the same or not stays as it is; what they load, nobody knows.
    void see_load(const step& s, std::uint32_t active) {
        bool even = program_.contents.empty() && s.space != ptx::link::address_space::local &&
                    s.space != ptx::link::address_space::generic;
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            even = even && source(s, k).how == kind::even;
        }
        if (!even) return fail();
        set_results(s, active, {});
    }

    void see_comparison(const step& s, std::uint32_t active) {
        if (s.sources < 2 || (s.sources > 2 && !source(s, 2).stays())) return fail();
        const block_motion a = source(s, 0);
        const block_motion b = source(s, 1);
        const bool whole_sign = a.how == kind::sign && a.by[0] == s.from.bits;
        if (whole_sign && b.stays() && asks_sign(s)) {
            return set_results(s, active, {});
        }
        if (a.how != kind::even || b.how != kind::even) return fail();
        value_type type = s.from;
        if (s.unsigned_compare) type.is_signed = false;
        if ((active & ~(values(s, 0).known & values(s, 1).known)) != 0) return fail();
        bound_type(type, values(s, 0).lanes, active, a.by);
        bound_type(type, values(s, 1).lanes, active, b.by);
        bound_difference(s, type, active, difference(a.by, b.by));
        set_results(s, active, {});
    }

    // Is it a comparison with 0 or -1 that only the sign decides?
    bool asks_sign(const step& s) const {
        if (!s.from.is_signed || s.unsigned_compare) return false;
        std::uint64_t b = 0;
        if (!same_in_all(values(s, 1).lanes, values(s, 1).known, b)) return false;
        b = as(s.from, b);
        using ptx::link::comparison;
        const bool with_zero = s.compare == comparison::lt || s.compare == comparison::ge;
        const bool below_zero = s.compare == comparison::gt || s.compare == comparison::le;
        return (with_zero && b == 0) || (below_zero && b == ~std::uint64_t{0});
    }

    static block_distance difference(const block_distance& a, const block_distance& b) {
        return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    }

    // Values of a type stay in its range.
    void bound_type(const value_type& type, const lane_values& values, std::uint32_t lanes,
                    const block_distance& by) {
        if (by == block_distance{}) return;
        const auto range = static_cast<std::int64_t>(ones(type.bits < 63 ? type.bits : 62U));
        const std::int64_t last = type.is_signed ? range / 2 : range;
        const std::int64_t first = type.is_signed ? -last - 1 : 0;
        std::int64_t least = far;
        std::int64_t most = -far;
        for_each(type, values, lanes, [&](std::int64_t v) {
            least = core::min(least, v);
            most = core::max(most, v);
        });
        bound(by, first - least, last - most);
    }

    // Signs stay.
    void bound_sign(const value_type& type, const lane_values& values, std::uint32_t lanes,
                    const block_distance& by) {
        bound_type({.bits = type.bits, .is_signed = true}, values, lanes, by);
        std::int64_t least = -far;
        std::int64_t most = far;
        for_each({.bits = type.bits, .is_signed = true}, values, lanes, [&](std::int64_t v) {
            if (v < 0) most = core::min(most, -1 - v);
            if (v >= 0) least = core::max(least, -v);
        });
        bound(by, least, most);
    }

    // A comparison comes out the same.
    void bound_difference(const step& s, const value_type& type, std::uint32_t lanes,
                          const block_distance& by) {
        using ptx::link::comparison;
        if (by == block_distance{}) return;
        const bool equality = s.compare == comparison::eq || s.compare == comparison::ne;
        const bool below_one = s.compare == comparison::le || s.compare == comparison::gt;
        std::int64_t least = -far;
        std::int64_t most = far;
        for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
            const auto l = static_cast<std::size_t>(std::countr_zero(left));
            const auto a = static_cast<std::int64_t>(as(type, values(s, 0).lanes[l]));
            const auto b = static_cast<std::int64_t>(as(type, values(s, 1).lanes[l]));
            if (a <= -far || a >= far || b <= -far || b >= far) return fail();
            const std::int64_t off = a - b - (below_one ? 1 : 0);
            if (off < 0) most = core::min(most, -1 - off);
            if (off >= 0) least = core::max(least, equality && off > 0 ? 1 - off : -off);
            if (equality && off == 0) most = core::min(most, std::int64_t{0});
        }
        bound(by, least, most);
    }

    template <class Visit>
    void for_each(const value_type& type, const lane_values& values, std::uint32_t lanes,
                  const Visit& visit) {
        for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
            const auto l = static_cast<std::size_t>(std::countr_zero(left));
            const auto v = static_cast<std::int64_t>(as(type, values[l]));
            if (v <= -far || v >= far) return fail();
            visit(v);
        }
    }

    void bound(const block_distance& by, std::int64_t least, std::int64_t most) {
        for (way_bound& b : bounds_) {
            if (b.by != by) continue;
            b.least = core::max(b.least, least);
            b.most = core::min(b.most, most);
            return;
        }
        if (bounds_.size() == max_bounds) return fail();
        bounds_.push_back({by, least, most});
    }

    // A motion of a result, as many bits wide.
    static block_motion kept(block_motion m, unsigned bits) {
        if (m.how != kind::even) return m;
        for (std::int64_t& by : m.by) {
            by = static_cast<std::int64_t>(sign_extended(static_cast<std::uint64_t>(by), bits));
            if (by <= -fast || by >= fast) return uneven_motion;
        }
        return m;
    }

    static block_motion times(const block_motion& m, std::int64_t factor) {
        if (m.how != kind::even || factor <= -fast || factor >= fast) return uneven_motion;
        return {.by = {m.by[0] * factor, m.by[1] * factor, m.by[2] * factor}};
    }

    static block_motion sum(const block_motion& a, const block_motion& b) {
        if (a.how != kind::even || b.how != kind::even) return uneven_motion;
        return {.by = {a.by[0] + b.by[0], a.by[1] + b.by[1], a.by[2] + b.by[2]}};
    }

    block_motion product(const step& s, std::uint32_t active) {
        const unsigned moving = source(s, 0).stays() ? 1 : 0;
        const block_motion m = source(s, moving);
        if (m.stays()) return m;
        std::uint64_t factor = 0;
        const row_values& other = values(s, 1 - moving);
        if (!source(s, 1 - moving).stays() || (active & ~other.known) != 0 ||
            !same_in_all(other.lanes, active, factor)) {
            return uneven_motion;
        }
        return times(m, static_cast<std::int64_t>(sign_extended(factor, s.from.bits)));
    }

    // Sources that are read wider than they are must not wrap.
    block_motion extended(const step& s, unsigned k, std::uint32_t active) {
        const block_motion m = source(s, k);
        if (m.how == kind::even && source_type(s, k).bits < 64) {
            bound_type(source_type(s, k), values(s, k).lanes, active, m.by);
        }
        return m;
    }

    block_motion result_of(const step& s, std::uint32_t active) {
        const bool low = takes_low_bits(s) && s.mode == 0;
        switch (s.what) {
            case action::add:
                return low ? kept(sum(source(s, 0), source(s, 1)), s.type.bits) : uneven_motion;
            case action::subtract:
                return low ? kept(sum(source(s, 0), times(source(s, 1), -1)), s.type.bits)
                           : uneven_motion;
            case action::multiply:
            case action::multiply_add: return result_of_product(s, active, low);
            case action::shift_left: {
                std::uint64_t by = 0;
                const row_values& b = values(s, 1);
                const bool constant = source(s, 1).stays() && (active & ~b.known) == 0 &&
                                      same_in_all(b.lanes, active, by) && by < 29;
                return low && constant
                           ? kept(times(source(s, 0), std::int64_t{1} << by), s.type.bits)
                           : uneven_motion;
            }
            case action::convert:
                if (s.type.bits < s.from.bits) return uneven_motion;
                return extended(s, 0, active);
            case action::bit_and:
            case action::bit_or:
            case action::bit_xor: return sign_of(s, active);
            default: return uneven_motion;
        }
    }

    block_motion result_of_product(const step& s, std::uint32_t active, bool low) {
        const bool adds = s.what == action::multiply_add;
        if (!low && (s.part != halves::wide || s.from.bits > 32)) return uneven_motion;
        if (!low) {
            for (unsigned k = 0; k < 2; ++k) extended(s, k, active);
            if (!s.from.is_signed && !factors_are_positive(s, active)) return uneven_motion;
        }
        const block_motion p = product(s, active);
        return kept(adds ? sum(p, source(s, 2)) : p, result_bits(s));
    }

    // An unsigned factor with the highest bit set would be taken for a negative one.
    [[nodiscard]] bool factors_are_positive(const step& s, std::uint32_t active) const {
        std::uint64_t high = 0;
        for (std::uint32_t left = active; left != 0; left &= left - 1) {
            const auto l = static_cast<std::size_t>(std::countr_zero(left));
            high |= values(s, 0).lanes[l] | values(s, 1).lanes[l];
        }
        return (high >> (s.from.bits - 1U) & 1U) == 0;
    }

    block_motion sign_of(const step& s, std::uint32_t active) {
        if (s.type.bits < 8) return uneven_motion;
        for (unsigned k = 0; k < s.sources && k < 2; ++k) {
            const block_motion m = source(s, k);
            const bool other_sign = m.how == kind::sign && m.by[0] != s.type.bits;
            if (m.how == kind::uneven || other_sign || (active & ~values(s, k).known) != 0)
                return uneven_motion;
            if (m.how == kind::even && !m.stays()) {
                bound_sign(s.type, values(s, k).lanes, active, m.by);
            }
        }
        return {.by = {s.type.bits}, .how = kind::sign};
    }

    const ptx::link::program& program_;
    register_file<Used>* registers_ = nullptr;  // before the step under way
    bool is_of_use_ = false;
    bool holds_ = false;
    core::late<Used, std::vector<block_motion>> motions_;  // by row
    core::late<Used, std::vector<way_bound>> bounds_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
