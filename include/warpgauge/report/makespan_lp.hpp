// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_MAKESPAN_LP_HPP
#define WARPGAUGE_REPORT_MAKESPAN_LP_HPP

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/problem.hpp>

/// \file The makespan as an integer programme in CPLEX LP format, for any solver.
///
/// Source: Berezovskyi et al. 2012, sec. 5 and fig. 3, for any number of unit types. The constraints
/// (34), (37) are reduced to TL + E >= 1; (16) and (40), which the others imply, are left out.

namespace WARPGAUGE_NAMESPACE::report {

/// The form of the constraints that no unit idles while a warp waits.
enum class work_conserving : std::uint8_t {
    long_form,   ///< a constraint for each warp, cycle and type, eqs. (33), (36)
    short_form,  ///< one for each warp, instruction and cycle, eqs. (34), (37)
};

/// The options of the programme.
struct lp_options {
    std::uint64_t horizon = 0;  ///< cycles; 0: `makespan_upper_bound`, which no schedule exceeds
    work_conserving form = work_conserving::short_form;  ///< how no unit is left idle
    bool worst = true;  ///< the longest schedule; false: the shortest
};

/// The maximum number of variables that `write_lp` writes.
inline constexpr std::uint64_t max_lp_variables = 10'000'000;
inline constexpr std::uint64_t max_lp_terms =
    200'000'000;  ///< The approximate maximum number of terms that `write_lp` writes.

namespace detail {

/// Writes the programme. Variables: x3_1_7 is 1 where warp 3 executes instruction 1 in cycle 7;
/// e2_7 is 1 where type 2 serves as many warps as it has slots in cycle 7.
class lp_writer {
public:
    lp_writer(std::ostream& out, const std::vector<std::size_t>& kinds, const unit_types& types,
              std::uint64_t warps, const lp_options& how, std::uint64_t horizon)
        : out_(out), kinds_(kinds), types_(types), warps_(warps), how_(how), horizon_(horizon) {}

    void write() {
        out_ << (how_.worst ? "Maximize\n" : "Minimize\n") << " makespan:";
        when(warps_, kinds_.size(), " + ");  // (13)
        out_ << "\nSubject To\n";
        last_warp_is_last();
        each_instruction_once();
        in_order();
        for (std::size_t k = 0; k < types_.count; ++k) {
            if (of_type(k) == 0) continue;
            for (std::uint64_t t = 1; t <= horizon_; ++t) {
                capacity(k, t);
                for (std::uint64_t w = 1; w <= warps_; ++w) conserve(k, w, t);
            }
        }
        out_ << "Binary\n";
        for (std::size_t k = 0; k < types_.count; ++k) {
            for (std::uint64_t t = 1; of_type(k) != 0 && t <= horizon_; ++t) {
                out_ << " e" << k << '_' << t << '\n';
            }
        }
        for (std::uint64_t w = 1; w <= warps_; ++w) {
            for (std::size_t i = 1; i <= kinds_.size(); ++i) {
                for (std::uint64_t t = 1; t <= horizon_; ++t) {
                    executes(w, i, t, " ");
                    out_ << '\n';
                }
            }
        }
        out_ << "End\n";
    }

private:
    [[nodiscard]] std::size_t of_type(std::size_t k) const {
        std::size_t n = 0;
        for (const std::size_t kind : kinds_) {
            if (kind == k) ++n;
        }
        return n;
    }
    void executes(std::uint64_t w, std::size_t i, std::uint64_t t, const char* before) {
        out_ << before << 'x' << w << '_' << i << '_' << t;
    }
    void end_of_term() {  // lines stay short: some readers take no more than 560 characters
        if (++terms_ % 8 == 0) out_ << "\n  ";
    }
    // The cycle in which a warp executes an instruction, eq. (19).
    void when(std::uint64_t w, std::size_t i, const char* sign) {
        for (std::uint64_t t = 1; t <= horizon_; ++t) {
            out_ << sign << t;
            executes(w, i, t, " ");
            end_of_term();
        }
    }
    void between(std::uint64_t w, std::size_t i, std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t t = first; t <= last; ++t) {
            executes(w, i, t, " + ");
            end_of_term();
        }
    }

    void last_warp_is_last() {
        for (std::uint64_t w = 1; w < warps_; ++w) {
            when(warps_, kinds_.size(), " + ");
            when(w, kinds_.size(), " - ");
            out_ << " >= 0\n";
        }
    }
    void each_instruction_once() {  // (17)
        for (std::uint64_t w = 1; w <= warps_; ++w) {
            for (std::size_t i = 1; i <= kinds_.size(); ++i) {
                between(w, i, 1, horizon_);
                out_ << " = 1\n";
            }
        }
    }
    void in_order() {  // (18)
        for (std::uint64_t w = 1; w <= warps_; ++w) {
            for (std::size_t i = 1; i < kinds_.size(); ++i) {
                when(w, i + 1, " + ");
                when(w, i, " - ");
                out_ << " >= 1\n";
            }
        }
    }
    void served(std::size_t k, std::uint64_t t) {
        for (std::uint64_t w = 1; w <= warps_; ++w) {
            for (std::size_t i = 1; i <= kinds_.size(); ++i) {
                if (kinds_[i - 1] != k) continue;
                executes(w, i, t, " + ");
                end_of_term();
            }
        }
    }
    void capacity(std::size_t k, std::uint64_t t) {
        const std::uint64_t slots = types_.types[k].slots;
        served(k, t);
        out_ << " <= " << slots << '\n';  // (14), (15)
        served(k, t);
        out_ << " - " << slots << " e" << k << '_' << t << " >= 0\n";  // (41)
    }
    // TL or TC: warp w does not wait for instruction i in cycle t, eqs. (27), (28).
    void not_waiting(std::uint64_t w, std::size_t i, std::uint64_t t) {
        if (i > 1) between(w, i - 1, t, horizon_);
        between(w, i, 1, t);
    }
    void conserve(std::size_t k, std::uint64_t w, std::uint64_t t) {
        if (how_.form == work_conserving::long_form) {
            not_waiting_at_all(k, w, t);
            const std::size_t n = of_type(k);
            out_ << " + " << n << " e" << k << '_' << t << " >= " << n << '\n';  // (33), (36)
            return;
        }
        for (std::size_t i = 1; i <= kinds_.size(); ++i) {
            if (kinds_[i - 1] != k) continue;
            not_waiting(w, i, t);
            out_ << " + e" << k << '_' << t << " >= 1\n";  // (34), (37)
        }
    }
    // The sum of TL over the instructions of a type. A variable may stand in two of them; it is written
    // once, as readers differ on a second mention.
    void not_waiting_at_all(std::size_t k, std::uint64_t w, std::uint64_t t) {
        for (std::size_t i = 1; i <= kinds_.size(); ++i) {
            const bool own = kinds_[i - 1] == k;                    // in TL of i, to cycle t
            const bool next = i < kinds_.size() && kinds_[i] == k;  // of i + 1, from cycle t
            if (own && t > 1) between(w, i, 1, t - 1);
            if (own && next) out_ << " + 2";
            if (own || next) executes(w, i, t, own && next ? " " : " + ");
            if (next) between(w, i, t + 1, horizon_);
            end_of_term();
        }
    }

    std::ostream& out_;
    const std::vector<std::size_t>& kinds_;
    const unit_types& types_;
    std::uint64_t warps_;
    lp_options how_;
    std::uint64_t horizon_;
    std::uint64_t terms_ = 0;
};

}  // namespace detail

/// Writes the programme whose optimum is the worst (or the best) makespan; returns the horizon used. With
/// a horizon below the worst case the optimum is too small: eqs. (5)-(7), the paper's, can be.
/// \errors as `makespan_upper_bound`; besides
///         limit_reached  `horizon`: more than `max_lp_variables`, or than `max_lp_terms`; each instruction of a
///                        warp has about `horizon` terms for each cycle
///         malformed      `stream`: writing failed
inline result<std::uint64_t> write_lp(const makespan_problem& p, std::ostream& out,
                                      const lp_options& how = {}) {
    const auto all = unit_types_of(p.slots);
    if (!all) return all.error();
    const auto upper = makespan_upper_bound(p);
    if (!upper) return upper.error();
    const std::uint64_t horizon = how.horizon == 0 ? upper->cycles : how.horizon;
    const auto kinds = expanded_types(p, *all);
    if (!kinds) return kinds.error();
    if (p.warps > max_lp_variables / kinds->size() ||
        horizon > max_lp_variables / (p.warps * kinds->size())) {
        return model_error{errc::limit_reached, "horizon"};
    }
    if (horizon > max_lp_terms / (p.warps * kinds->size() * horizon)) {
        return model_error{errc::limit_reached, "horizon"};
    }
    detail::lp_writer(out, *kinds, *all, p.warps, how, horizon).write();
    if (!out) return model_error{errc::malformed, "stream"};
    return horizon;
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
