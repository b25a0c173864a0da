// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EIGEN_LOG_FIT_HPP
#define WARPGAUGE_EIGEN_LOG_FIT_HPP

#include <cmath>
#include <cstddef>
#include <limits>

#include <Eigen/Core>
#include <Eigen/SVD>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/eigen/calibration.hpp>
#include <warpgauge/eigen/log_errors.hpp>

/// \file The search for the parameters with the least sum of squared errors, within bounds. An internal part of
/// `calibrate`.

namespace WARPGAUGE_NAMESPACE::detail::eigen {

/// The bounds of all parameters.
struct box {
    VectorXd lower;
    VectorXd upper;

    [[nodiscard]] VectorXd nearest(const VectorXd& x) const {
        return x.cwiseMax(lower).cwiseMin(upper);
    }
};

/// What to fit to which measurements, from where.
struct log_problem {
    const log_errors& errors;
    const VectorXd& start;
    const box& bounds;
    const calibration_options& options;
    chosen_measurements which;

    [[nodiscard]] model_error values(const VectorXd& x, VectorXd& to) const {
        return errors.values(x, which, to);
    }
    [[nodiscard]] model_error derivatives(const VectorXd& x, MatrixXd& to) const {
        return errors.derivatives(x, which, to);
    }
    [[nodiscard]] log_problem with(chosen_measurements others) const {
        return {errors, start, bounds, options, others};
    }
};

/// The parameters within their bounds that come nearest to the measurements, as far as one search sees.
struct log_fit {
    VectorXd x{};
    double squares{std::numeric_limits<double>::infinity()};
    bool converged{};
};

/// A sum of squares below this one is rounding alone.
inline double rounding_of_squares(std::size_t measurements) {
    return 1e-22 * static_cast<double>(measurements);
}

/// Levenberg-Marquardt from one point, with steps cut off at the bounds; a parameter that would leave them does not
/// move. The search takes only steps that reduce the sum of squares, so that kinks and jumps of a model do no harm. It
/// does not move along directions that the data do not determine.
class descent {
public:
    explicit descent(const log_problem& problem) : problem_(problem) {}

    [[nodiscard]] result<log_fit> run(const VectorXd& start) {
        if (const auto bad = problem_.values(start, errors_)) return bad;
        best_ = {start, errors_.squaredNorm(), false};
        for (std::size_t n = 0; n < problem_.options.max_steps && !best_.converged; ++n) {
            if (const auto bad = problem_.derivatives(best_.x, slopes_)) return bad;
            hold_at_bounds();
            const double before = best_.squares;
            step();
            best_.converged = before - best_.squares <= 1e-14 * before ||
                              best_.squares <= rounding_of_squares(problem_.which.size());
        }
        return best_;
    }

private:
    const log_problem& problem_;
    log_fit best_{};
    VectorXd errors_{};  ///< at `best_`
    VectorXd errors_of_trial_{};
    MatrixXd slopes_{};
    double damping_ = 1e-3;

    /// Clears the slopes of parameters that would leave their bounds.
    void hold_at_bounds() {
        const VectorXd uphill = slopes_.transpose() * errors_;
        for (Index n = 0; n < best_.x.size(); ++n) {
            const bool leaves = (best_.x[n] <= problem_.bounds.lower[n] && uphill[n] >= 0) ||
                                (best_.x[n] >= problem_.bounds.upper[n] && uphill[n] <= 0);
            if (leaves) slopes_.col(n).setZero();
        }
    }

    /// Moves by the first step that improves the fit, with more and more damping.
    void step() {
        const Eigen::JacobiSVD<MatrixXd> svd(slopes_, Eigen::ComputeThinU | Eigen::ComputeThinV);
        const VectorXd& s = svd.singularValues();
        const VectorXd along = svd.matrixU().transpose() * errors_;
        const VectorXd from = best_.x;
        bool moved = false;
        while (!moved && damping_ < 1e12) {
            VectorXd move = VectorXd::Zero(s.size());
            for (Index n = 0; n < s.size() && s[n] > problem_.options.rank_tolerance * s[0]; ++n) {
                move[n] = s[n] * along[n] / (s[n] * s[n] + damping_ * s[0] * s[0]);
            }
            moved = improves(from - svd.matrixV() * move);
            damping_ = moved ? core::max(damping_ / 10, 1e-15) : damping_ * 10;
        }
    }

    bool improves(const VectorXd& to) {
        const VectorXd x = problem_.bounds.nearest(to);
        if (problem_.values(x, errors_of_trial_)) return false;
        if (!(errors_of_trial_.squaredNorm() < best_.squares)) return false;
        best_ = {x, errors_of_trial_.squaredNorm(), false};
        errors_.swap(errors_of_trial_);
        return true;
    }
};

/// The point within the bounds and on the plane through `from` along `plane`, an orthonormal basis, that is
/// nearest to `start`, by alternating projections (Boyle & Dykstra 1986).
inline VectorXd nearest_on_plane(const VectorXd& from, const MatrixXd& plane, const VectorXd& start,
                                 const box& bounds) {
    VectorXd x = start;
    VectorXd cut_off = VectorXd::Zero(x.size());
    for (int n = 0; n < 1000; ++n) {
        const VectorXd on = from + plane * (plane.transpose() * (x - from));
        x = bounds.nearest(on + cut_off);
        cut_off += on - x;
        if ((on - x).norm() < 1e-13) break;
    }
    return x;
}

/// The point nearest to the start that fits as well as `best`: it differs where the measurements determine nothing.
[[nodiscard]] inline log_fit towards_start(const log_problem& problem, const log_fit& best) {
    MatrixXd slopes;
    VectorXd e;
    if (problem.derivatives(best.x, slopes)) return best;
    const Eigen::JacobiSVD<MatrixXd> svd(slopes, Eigen::ComputeFullV);
    const VectorXd& s = svd.singularValues();
    const Index rank = (s.array() > problem.options.rank_tolerance * s[0]).count();
    const MatrixXd unseen = svd.matrixV().rightCols(best.x.size() - rank);
    const VectorXd x = nearest_on_plane(best.x, unseen, problem.start, problem.bounds);
    if (problem.values(x, e)) return best;
    const double squares = e.squaredNorm();
    const bool same =
        squares <= best.squares * (1 + 1e-9) + rounding_of_squares(problem.which.size());
    return same ? log_fit{x, squares, best.converged} : best;
}

/// The n-th of a sequence of points that fill a box evenly (M. Roberts, "The Unreasonable Effectiveness of
/// Quasirandom Sequences", 2018); along an unbounded edge, 0.
inline VectorXd scattered_point(const box& bounds, std::size_t n) {
    const Index edges = bounds.lower.size();
    double ratio = 1.5;  // the root of ratio^(edges + 1) = ratio + 1
    for (int i = 0; i < 64; ++i) ratio = std::pow(1 + ratio, 1 / static_cast<double>(edges + 1));
    VectorXd x(edges);
    double stride = 1;
    for (Index i = 0; i < edges; ++i) {
        stride /= ratio;
        const double fraction = 0.5 + static_cast<double>(n) * stride;
        const double length = bounds.upper[i] - bounds.lower[i];
        x[i] =
            core::finite(length) ? bounds.lower[i] + length * (fraction - std::floor(fraction)) : 0;
    }
    return x;
}

/// The best of several searches. A later search must be better by more than rounding, so that parameters that the data
/// do not determine stay near the device.
[[nodiscard]] inline result<log_fit> fit(const log_problem& problem) {
    log_fit best;
    VectorXd e;
    for (std::size_t n = 0; n < problem.options.starts; ++n) {
        VectorXd x = n == 0 ? problem.start : scattered_point(problem.bounds, n);
        if (problem.values(x, e)) continue;  // the model predicts nothing at this start
        if (problem.errors.has_scale()) x[x.size() - 1] -= e.mean();
        const auto found = descent(problem).run(x);
        if (!found) {
            if (n == 0) return found.error();
            continue;
        }
        const double clearly_less =
            best.squares * (1 - 1e-9) - rounding_of_squares(problem.which.size());
        if (found->squares < clearly_less) best = *found;
    }
    return towards_start(problem, best);
}

}  // namespace WARPGAUGE_NAMESPACE::detail::eigen

#endif
