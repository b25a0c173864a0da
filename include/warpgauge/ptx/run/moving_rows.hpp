// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_MOVING_ROWS_HPP
#define WARPGAUGE_PTX_RUN_MOVING_ROWS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/waiting_bounds.hpp>

/// \file How registers move from one warp to another.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// How a register moves from warp to warp.
struct warp_motion {
    enum class kind : std::uint8_t {
        even,    ///< by so much, in all lanes
        sign,    ///< in another way, but its sign stays
        uneven,  ///< in another way
    };
    /// Of `sign`, first the bits that the register is taken to have; of `uneven`, those of `mean_motion`.
    warp_distance by{};
    kind how{};

    [[nodiscard]] constexpr bool stays() const { return how == kind::even && is_same(by, {}); }
    friend constexpr bool operator==(const warp_motion& a, const warp_motion& b) {
        return a.how == b.how && is_same(a.by, b.by);
    }
};

inline constexpr warp_motion uneven_motion{.how = warp_motion::kind::uneven};

/// By what a number moves from block to block along each dimension, on the average of many; 0 where that is not known.
using mean_motion = std::array<double, 3>;

constexpr mean_motion mean_of(const warp_motion& m) {
    mean_motion mean{};
    for (std::size_t d = 0; d < mean.size(); ++d) {
        if (m.how == warp_motion::kind::even) mean[d] = static_cast<double>(m.by[d]);
        if (m.how == warp_motion::kind::uneven) mean[d] = std::bit_cast<double>(m.by[d]);
    }
    return mean;
}

constexpr warp_motion uneven_by(const mean_motion& mean) {
    warp_motion m = uneven_motion;
    for (std::size_t d = 0; d < mean.size(); ++d) m.by[d] = std::bit_cast<std::int64_t>(mean[d]);
    return m;
}

/// How a row moves, and on what that depends.
struct moving_row {
    warp_motion motion{};
    std::uint64_t needs{};  ///< bounds that wait until it decides something: a bit each
    bool moves = false;     ///< it does not stay as it is
};

/// The rows of a program of one routine.
template <class Used = core::when_used>
class moving_rows {
public:
    /// The program must outlive it.
    explicit moving_rows(const ptx::link::program& p) : program_(&p) {}

    /// A warp begins, whose call has so many rows.
    void begin(std::uint32_t rows) {
        pinned_ = false;
        rows_.assign(first_of_call + rows, {});
        for (std::uint32_t d = 0; d < 3; ++d) {
            rows_[ptx::link::tid_x + d].motion.by[3 + d] = 1;
            rows_[ptx::link::ctaid_x + d].motion.by[d] = 1;
            rows_[ptx::link::tid_x + d].moves = rows_[ptx::link::ctaid_x + d].moves = true;
        }
        rows_[ptx::link::warpid] = {.motion = uneven_motion, .moves = true};
    }
    /// A step begins; `registers`: before it.
    void begin_step(register_file<Used>& registers) {
        registers_ = &registers;
        was_set_ = false;
    }

    /// Some row has got another motion in this step.
    [[nodiscard]] bool was_set() const { return was_set_; }
    /// The other warp has the same number in its block.
    [[nodiscard]] bool is_pinned() const { return pinned_; }

    /// How a row moves.
    [[nodiscard]] const warp_motion& of(std::uint32_t row) const { return at(row).motion; }
    /// The same of a source.
    [[nodiscard]] const warp_motion& source(const step& s, std::uint32_t k) const {
        return at(s, k).motion;
    }
    /// All that is known of a source.
    [[nodiscard]] const moving_row& at(const step& s, std::uint32_t k) const {
        return at(program_->rows[s.first + s.results + k]);
    }
    /// The values of a source.
    [[nodiscard]] const row_values& values(const step& s, std::uint32_t k) const {
        return registers_->source(s, k);
    }

    /// From now on, only of warps of the same number.
    void pin() {
        pinned_ = true;
        rows_[ptx::link::warpid].motion = {};
        for (moving_row& r : rows_) {
            for (std::size_t d = 3; d < 6; ++d) r.motion.by[d] = 0;
            r.moves = !r.motion.stays();
        }
    }

    /// Does it not stay as it is?
    [[nodiscard]] bool moves(std::uint32_t row) const { return at(row).moves; }

    /// The same of a source.
    [[nodiscard]] bool moves(const step& s, std::uint32_t k) const { return at(s, k).moves; }

    /// Bounds of which a register depends, that wait until it decides something: a bit each.
    [[nodiscard]] std::uint64_t needs_of(std::uint32_t row) const { return at(row).needs; }
    [[nodiscard]] std::uint64_t needs_of(const step& s, std::uint32_t k) const {
        return at(s, k).needs;
    }

    /// A row depends on no bounds any more.
    void forget_needs(std::uint32_t row) { rows_[place(row)].needs = 0; }

    /// Sets the motion of a row, which depends on `needs`. False if it can not be told: of a row whose lanes move in several
    /// ways; `repeats`: of one that moves in another way than before.
    bool set(std::uint32_t row, std::uint32_t active, const warp_motion& m,
             std::uint64_t needs_more, bool repeats) {
        if (row == nowhere) return true;
        if ((row & of_call) == 0) return m.stays();
        moving_row& here = rows_[place(row)];
        here.needs = (active == all_lanes ? 0 : here.needs) | needs_more;
        warp_motion& to = here.motion;
        if (to.how == m.how && (to == m || to.how == warp_motion::kind::uneven)) {
            to = m;
            return true;
        }
        const row_values& before = registers_->head(row);
        const bool is_new = before.known == 0 && before.base.is_unset();
        const bool is_one = active == all_lanes || is_new;  // motion of all lanes
        const bool is_even = m.how != warp_motion::kind::uneven && is_one;
        if ((!is_even && !pinned_) || repeats) return false;
        to = is_one ? m : uneven_motion;
        here.moves = !to.stays();
        was_set_ = true;
        return true;
    }

private:
    // Special registers up to the last one that moves, all constants, the registers of the call.
    static constexpr std::size_t of_constants = ptx::link::warpid + 1;
    static constexpr std::size_t first_of_call = of_constants + 1;
    [[nodiscard]] const moving_row& at(std::uint32_t row) const { return rows_[place(row)]; }
    static std::size_t place(std::uint32_t row) {
        if (row == nowhere) return of_constants;
        if ((row & of_call) != 0) return first_of_call + (row & ~of_call);
        return row < of_constants ? row : of_constants;
    }

    const ptx::link::program* program_;
    register_file<Used>* registers_ = nullptr;  // before the step under way
    bool pinned_ = false;
    bool was_set_ = false;
    core::late<Used, std::vector<moving_row>> rows_;  // by `place`
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
