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

/// The rows of a program of one routine.
template <class Used = core::when_used>
class moving_rows {
public:
    /// The program must outlive it.
    explicit moving_rows(const ptx::link::program& p) : program_(&p) {}

    /// A warp begins, whose call has so many rows.
    void begin(std::uint32_t rows) {
        pinned_ = false;
        motions_.assign(first_of_call + rows, {});
        needs_of_.assign(first_of_call + rows, 0);
        moving_.assign(first_of_call + rows, 0);
        for (std::uint32_t d = 0; d < 3; ++d) {
            motions_[ptx::link::tid_x + d].by[3 + d] = 1;
            motions_[ptx::link::ctaid_x + d].by[d] = 1;
            moving_[ptx::link::tid_x + d] = moving_[ptx::link::ctaid_x + d] = 1;
        }
        motions_[ptx::link::warpid].how = warp_motion::kind::uneven;
        moving_[ptx::link::warpid] = 1;
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
    [[nodiscard]] const warp_motion& of(std::uint32_t row) const { return motions_[place(row)]; }
    /// The same of a source.
    [[nodiscard]] const warp_motion& source(const step& s, std::uint32_t k) const {
        return of(program_->rows[s.first + s.results + k]);
    }
    /// The values of a source.
    [[nodiscard]] const row_values& values(const step& s, std::uint32_t k) const {
        return registers_->source(s, k);
    }

    /// From now on, only of warps of the same number.
    void pin() {
        pinned_ = true;
        motions_[ptx::link::warpid] = {};
        for (std::size_t n = 0; n < motions_.size(); ++n) {
            for (std::size_t d = 3; d < 6; ++d) motions_[n].by[d] = 0;
            moving_[n] = motions_[n].stays() ? 0 : 1;
        }
    }

    /// Does it not stay as it is?
    [[nodiscard]] bool moves(std::uint32_t row) const { return moving_[place(row)] != 0; }

    /// The same of a source.
    [[nodiscard]] bool moves(const step& s, std::uint32_t k) const {
        return moves(program_->rows[s.first + s.results + k]);
    }

    /// Bounds of which a register depends, that wait until it decides something: a bit each.
    [[nodiscard]] std::uint64_t needs_of(std::uint32_t row) const { return needs_of_[place(row)]; }
    [[nodiscard]] std::uint64_t needs_of(const step& s, std::uint32_t k) const {
        return needs_of(program_->rows[s.first + s.results + k]);
    }

    /// A row depends on no bounds any more.
    void forget_needs(std::uint32_t row) { needs_of_[place(row)] = 0; }

    /// Sets the motion of a row, which depends on `needs`. False if it can not be told: of a row whose lanes move in several
    /// ways; `repeats`: of one that moves in another way than before.
    bool set(std::uint32_t row, std::uint32_t active, const warp_motion& m,
             std::uint64_t needs_more, bool repeats) {
        if (row == nowhere) return true;
        if ((row & of_call) == 0) return m.stays();
        const std::size_t at = place(row);
        std::uint64_t& needs = needs_of_[at];
        needs = (active == all_lanes ? 0 : needs) | needs_more;
        warp_motion& to = motions_[at];
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
        moving_[at] = to.stays() ? 0 : 1;
        was_set_ = true;
        return true;
    }

private:
    // Special registers up to the last one that moves, all constants, the registers of the call.
    static constexpr std::size_t of_constants = ptx::link::warpid + 1;
    static constexpr std::size_t first_of_call = of_constants + 1;
    static std::size_t place(std::uint32_t row) {
        if (row == nowhere) return of_constants;
        if ((row & of_call) != 0) return first_of_call + (row & ~of_call);
        return row < of_constants ? row : of_constants;
    }

    const ptx::link::program* program_;
    register_file<Used>* registers_ = nullptr;  // before the step under way
    bool pinned_ = false;
    bool was_set_ = false;
    core::late<Used, std::vector<warp_motion>> motions_;     // by `place`
    core::late<Used, std::vector<std::uint8_t>> moving_;     // the same: 0 of those that stay
    core::late<Used, std::vector<std::uint64_t>> needs_of_;  // the same
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
