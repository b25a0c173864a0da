// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EIGEN_IDENTIFY_HPP
#define WARPGAUGE_EIGEN_IDENTIFY_HPP

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SVD>

#include <warpgauge/eigen/calibration.hpp>
#include <warpgauge/eigen/log_errors.hpp>
#include <warpgauge/eigen/log_fit.hpp>

/// \file What a fit says of each parameter: state, standard error, ambiguities and covariance. An internal part of
/// `calibrate`.

namespace WARPGAUGE_NAMESPACE::detail::eigen {

/// A component of a direction below this fraction of the largest is rounding.
inline constexpr double min_power = 1e-6;

/// What some measurements say of each parameter at a point. `inverse` and `unseen` cover the parameters that are free
/// there: the inverse of J^T J in the directions that the measurements determine, and a basis of the other directions.
struct identification {
    std::vector<fit_state> states{};
    std::vector<std::size_t> free{};
    MatrixXd inverse{};
    MatrixXd unseen{};
};

/// The derivatives of the errors `errors` at the point `x`.
struct linearised_errors {
    const MatrixXd& derivatives;
    const VectorXd& errors;
    const VectorXd& x;
};

/// The state of each parameter but `ambiguous`. A parameter at a bound is `fitted` all the same where no error would
/// shrink beyond: the search only came to rest there, and what it cannot tell apart must be reported.
inline std::vector<fit_state> states_at_bounds(const linearised_errors& at, const box& bounds,
                                               double rank_tolerance) {
    std::vector<fit_state> states(static_cast<std::size_t>(at.x.size()), fit_state::fitted);
    const VectorXd reaction = at.derivatives.colwise().norm();
    const VectorXd uphill = at.derivatives.transpose() * at.errors;
    const double error = at.errors.norm();
    const bool met =
        at.errors.squaredNorm() <= rounding_of_squares(static_cast<std::size_t>(at.errors.size()));
    for (Index n = 0; n < at.x.size(); ++n) {
        fit_state& state = states[static_cast<std::size_t>(n)];
        const double rounding = 1e-6 * reaction[n] * error;
        const bool fixed = bounds.lower[n] == bounds.upper[n];
        if (!fixed && reaction[n] <= rank_tolerance * reaction.maxCoeff()) {
            state = fit_state::no_effect;
        } else if (fixed || (!met && at.x[n] == bounds.lower[n] && uphill[n] > rounding)) {
            state = fit_state::at_min;
        } else if (!met && at.x[n] == bounds.upper[n] && uphill[n] < -rounding) {
            state = fit_state::at_max;
        }
    }
    return states;
}

[[nodiscard]] inline identification identify(const linearised_errors& at, const box& bounds,
                                             double rank_tolerance) {
    identification found;
    found.states = states_at_bounds(at, bounds, rank_tolerance);
    for (std::size_t n = 0; n < found.states.size(); ++n) {
        if (found.states[n] == fit_state::fitted) found.free.push_back(n);
    }
    if (found.free.empty()) return found;
    MatrixXd of_free(at.derivatives.rows(), Index(found.free.size()));
    for (std::size_t n = 0; n < found.free.size(); ++n) {
        of_free.col(Index(n)) = at.derivatives.col(Index(found.free[n]));
    }
    const Eigen::JacobiSVD<MatrixXd> svd(of_free, Eigen::ComputeThinU | Eigen::ComputeFullV);
    const VectorXd& s = svd.singularValues();
    const Index rank = (s.array() > rank_tolerance * s[0]).count();
    const MatrixXd seen = svd.matrixV().leftCols(rank) * s.head(rank).cwiseInverse().asDiagonal();
    found.inverse = seen * seen.transpose();
    found.unseen = svd.matrixV().rightCols(of_free.cols() - rank);
    for (std::size_t i = 0; i < found.free.size(); ++i) {
        if (found.unseen.row(Index(i)).norm() >= min_power) {
            found.states[found.free[i]] = fit_state::ambiguous;
        }
    }
    return found;
}

/// Gauss-Jordan elimination of the rows by their largest entries: a basis of the same space in which vectors have few
/// entries in common.
inline void eliminate(MatrixXd& rows) {
    for (Index r = 0; r < rows.rows(); ++r) {
        Index pivot_row = 0;
        Index pivot = 0;
        rows.bottomRows(rows.rows() - r).cwiseAbs().maxCoeff(&pivot_row, &pivot);
        rows.row(r).swap(rows.row(r + pivot_row));
        rows.row(r) /= rows(r, pivot);
        for (Index other = 0; other < rows.rows(); ++other) {
            if (other != r) rows.row(other) -= rows(other, pivot) * rows.row(r);
        }
    }
}

/// The ambiguities that `rows` span, whose entry `n` belongs to the parameter `columns[n]`.
inline std::vector<ambiguity> sparse_directions(MatrixXd rows, std::span<const std::size_t> columns,
                                                std::span<const fitted_parameter> parameters) {
    eliminate(rows);
    std::vector<ambiguity> all;
    for (Index r = 0; r < rows.rows(); ++r) {
        ambiguity& a = all.emplace_back();
        for (Index n = 0; n < rows.cols(); ++n) {
            if (std::fabs(rows(r, n)) < min_power) continue;
            a.push_back({parameters[columns[static_cast<std::size_t>(n)]].name, rows(r, n)});
        }
        // Rounding decides which of equal entries was the pivot, so the sign is chosen here.
        if (a.empty() || a.front().power > 0) continue;
        for (ambiguous_power& p : a) p.power = -p.power;
    }
    return all;
}

/// Writes covariance, correlation and standard errors of the parameters that the measurements determine. `variance` is
/// that of one logarithm of a time.
inline void report_errors(const identification& found, double variance, calibration_report& c) {
    const MatrixXd& inverse = found.inverse;
    for (Index i = 0; i < inverse.cols(); ++i) {
        const std::size_t row = found.free[static_cast<std::size_t>(i)];
        if (undetermined(found.states[row])) continue;
        c.parameters[row].log_error = std::sqrt(variance * inverse(i, i));
        for (Index j = 0; j < inverse.cols(); ++j) {
            const std::size_t column = found.free[static_cast<std::size_t>(j)];
            if (undetermined(found.states[column])) continue;
            c.covariance(Index(row), Index(column)) = variance * inverse(i, j);
            c.correlation(Index(row), Index(column)) =
                i == j ? 1 : inverse(i, j) / std::sqrt(inverse(i, i) * inverse(j, j));
        }
    }
}

/// Reports what the data say of each parameter: states, errors, ambiguities and covariance. `squares` is the sum over
/// `measurements` launches.
inline void report_parameters(const identification& found, Index measurements, double squares,
                              calibration_report& c) {
    const auto count = Index(c.parameters.size());
    c.covariance.setZero(count, count);
    c.correlation.setZero(count, count);
    for (std::size_t n = 0; n < c.parameters.size(); ++n) {
        fitted_parameter& p = c.parameters[n];
        p.state = found.states[n];
        p.log_error = undetermined(p.state) ? std::numeric_limits<double>::infinity() : 0;
    }
    c.ambiguities = sparse_directions(found.unseen.transpose(), found.free, c.parameters);
    const Index rank = found.inverse.cols() - found.unseen.cols();
    report_errors(found, squares / static_cast<double>(measurements - rank), c);
}

}  // namespace WARPGAUGE_NAMESPACE::detail::eigen

#endif
