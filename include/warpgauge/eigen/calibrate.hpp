// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EIGEN_CALIBRATE_HPP
#define WARPGAUGE_EIGEN_CALIBRATE_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SVD>

#include <warpgauge/analyse/sensitivity.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>

/// \file Figures of a device fitted to measured times, and how far to trust them. Opt-in: needs Eigen.
///
/// The fit minimises the sum of (ln(scale * predicted) - ln(measured))^2 over the logarithms of the
/// figures, within bounds. All errors and derivatives are those of logarithms: 0.1 is 10%.

namespace warpgauge {

/// The measured time of one launch.
struct measurement {
    kernel_profile<> profile{};
    double seconds{};           ///< s, > 0
    std::string_view kernel{};  ///< of which kernel: what is held out together; not owned
};

/// A figure to fit, by its name in `figures.hpp`, and its bounds: 0 < least <= most, with the device's own
/// value between them.
struct fit_parameter {
    std::string_view name{};
    double least{};
    double most{};
};

struct calibration_options {
    bool fit_scale = true;  ///< fit a factor on all predicted times too
    bool hold_out = true;   ///< fit again without each kernel
    std::size_t starts =
        8;  ///< of the search, 1 to 1000: the device itself, then points within the bounds
    std::size_t most_steps = 200;  ///< of the search from each of them, >= 1
    /// Above 0 and below 1: slopes are taken from this share below a figure to as much above, as far as its
    /// bounds and the model go, not at a point; for models that round to whole numbers, such as MPD/CPD.
    double secant = 0;
    /// Directions in which times answer less than this, as a share of the strongest, are not told by the
    /// data; 0 to 1.
    double rank_tolerance = 1e-6;
};

/// What the data say of a parameter.
enum class fit_state : std::uint8_t {
    fitted,
    at_least,   ///< held at its lower bound: times come nearer below, or it is the upper one too
    at_most,    ///< held at its upper bound: times come nearer above
    ambiguous,  ///< the data tell it only together with others, see `ambiguities`
    no_effect,  ///< no measured launch reacts to it
};

struct fitted_parameter {
    std::string_view name{};  ///< the figure's; or "scale", which has no bounds
    double start{};           ///< the device's; of the scale 1
    double value{};
    double least{};
    double most{};
    fit_state state{};
    /// Standard error of ln(value), where launches err independently; infinite where `state` is `ambiguous`
    /// or `no_effect`, 0 where a bound holds it.
    double log_error{};
    /// The same where kernels, not launches, err independently: the jackknife over the fits without each
    /// (Tukey 1958). Infinite and 0 likewise; infinite too where a single kernel tells the parameter: where
    /// it is `ambiguous` or of `no_effect` in a fit without one, or such a fit fails. 0 without `hold_out`.
    double log_error_of_kernels{};
};

/// Multiplying each parameter by t^power, for any t near 1, changes no predicted time. The first power is
/// positive; what would have less than a millionth of the largest is left out.
struct ambiguous_power {
    std::string_view parameter{};
    double power{};
};
using ambiguity = std::vector<ambiguous_power>;

/// How far predicted times are from measured ones.
struct time_error {
    double factor{};   ///< exp(mean |ln(predicted / measured)|), >= 1
    double rms_log{};  ///< root of the mean of ln(predicted / measured)^2
};

/// Of the launches of one kernel.
struct kernel_error {
    std::string_view kernel{};
    std::size_t measurements{};
    time_error before{};
    time_error after{};
    time_error held_out{};  ///< of the fit without this kernel; 0 where there is none
    /// Why there is none: what that fit, or its prediction of the kernel, fails with; `overflow` of `seconds`
    /// where the factor is no finite number. Else `field` is empty.
    model_error held_out_error{};
};

/// Geometric means of the kernels' error factors; each kernel counts the same.
struct kernel_means {
    double before{};
    double after{};
    double held_out{};          ///< of those that have one; 0 if none has
    std::size_t unpredicted{};  ///< how many have none, because of a `held_out_error`
    /// Held out likewise, of the device as it was with nothing but a scale fitted; 0 where no scale was, or
    /// nothing else, and without `hold_out`.
    double scale_alone{};

    /// On a kernel that it has not seen, the fit is expected to be worse than the device as it was or than a
    /// scale alone, or has no prediction where these had one.
    [[nodiscard]] constexpr bool overfits() const noexcept {
        return held_out > before || (scale_alone > 0 && held_out > scale_alone) || unpredicted > 0;
    }
};

/// What a fit found. Of `parameters` the scale, if fitted, is the last; rows and columns of the matrices are
/// in the same order.
struct calibration_report {
    double scale{1};  ///< multiplies the times that a model predicts
    std::vector<fitted_parameter> parameters{};
    std::vector<ambiguity> ambiguities{};
    /// Of ln(parameters): s^2 (J^T J)^-1, s^2 the sum of squares over launches less what was fitted. Rows of
    /// parameters that are not `fitted` are 0.
    Eigen::MatrixXd covariance{};
    Eigen::MatrixXd correlation{};  ///< likewise, with 1 on the diagonal of what is fitted
    time_error before{};            ///< of all launches: of the device as given, without a scale
    time_error after{};
    std::vector<kernel_error> kernels{};  ///< in the order of their first launch
    kernel_means by_kernel{};             ///< held out: 0 without `hold_out`
    bool converged{};                     ///< every fit ended where no step makes it better
};

/// The same with the fitted device.
template <class Device>
struct calibration : calibration_report {
    decltype(edit(std::declval<const Device&>())) device{};
};

namespace detail::eigen {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using chosen_measurements = std::span<const std::size_t>;  ///< of measurements

/// Calls `act(n, figure)` for the figure of `d` that `parameters[n]` names; sets the name to one that lasts.
template <class Device, class Parameters, class Act>
void for_each_named(Device& d, Parameters& parameters, const Act& act) {
    for_each_parameter(d, [&](device_parameter p, auto& figure) {
        const std::string_view name = info(p).name;
        for (std::size_t n = 0; n < parameters.size(); ++n) {
            if (parameters[n].name == name) act(n, name, figure);
        }
    });
}

inline constexpr std::string_view scale_name = "scale";

/// The parameter with this logarithm; to the bit what was given, where it is that: exp(ln 28) is below 28,
/// and on less than 28 SMs a grid may take another wave.
inline double value_of(const fitted_parameter& p, double x) {
    for (const double known : {p.start, p.least, p.most}) {
        if (x == std::log(known)) return known;
    }
    return std::exp(x);
}

/// ln(scale * predicted / measured) of some measurements and its derivatives, as functions of
/// x = ln(parameters). Searches know no more than this of model and device.
struct log_errors {
    std::span<const measurement> measurements;
    std::span<const fitted_parameter> parameters;

    log_errors(std::span<const measurement> m, std::span<const fitted_parameter> p)
        : measurements(m), parameters(p) {}
    log_errors(const log_errors&) = delete;
    log_errors& operator=(const log_errors&) = delete;
    virtual model_error values(const VectorXd& x, chosen_measurements which,
                               VectorXd& to) const = 0;
    virtual model_error derivatives(const VectorXd& x, chosen_measurements which,
                                    MatrixXd& to) const = 0;

    [[nodiscard]] bool has_scale() const {
        return !parameters.empty() && parameters.back().name == scale_name;
    }

protected:
    ~log_errors() = default;
};

template <placeable_model Model>
struct log_errors_of final : log_errors {
    const Model& model;
    double secant;

    log_errors_of(const Model& of, std::span<const measurement> m,
                  std::span<const fitted_parameter> p, double step)
        : log_errors(m, p), model(of), secant(step) {}

    template <class Real>
    static decltype(auto) profile_of(const measurement& m) {
        if constexpr (std::same_as<Real, double>) {
            return (m.profile);
        } else {
            return profile_in<Real>(m.profile);
        }
    }

    /// A prediction's time, or what is wrong with it; `line` of an error is the measurement's.
    template <class Real, class D>
    [[nodiscard]] result<Real> seconds(const D& d, std::size_t place) const {
        const auto t = seconds_of<Real>(model.on(d).predict(profile_of<Real>(measurements[place])));
        if (t) return t;
        model_error bad = t.error();
        bad.line = static_cast<std::uint32_t>(place + 1);
        bad.column = 0;
        return bad;
    }

    model_error values(const VectorXd& x, chosen_measurements which, VectorXd& to) const override {
        auto d = edit(model.device);
        for_each_named(d, parameters, [&](std::size_t n, std::string_view, double& figure) {
            figure = value_of(parameters[n], x[Index(n)]);
        });
        to.resize(Index(which.size()));
        for (std::size_t i = 0; i < which.size(); ++i) {
            const auto t = seconds<double>(std::as_const(d), which[i]);
            if (!t) return t.error();
            to[Index(i)] = std::log(*t) - std::log(measurements[which[i]].seconds);
        }
        if (has_scale()) to.array() += x[x.size() - 1];
        return {};
    }

    /// Errors with the n-th parameter `by` further on, and how far that is: cut off at its bounds, and
    /// nothing, with the errors `here` at x, where the model ends before.
    double move(const VectorXd& x, Index n, double by, chosen_measurements which,
                const VectorXd& here, VectorXd& to) const {
        const fitted_parameter& p = parameters[static_cast<std::size_t>(n)];
        VectorXd moved = x;
        moved[n] = std::clamp(x[n] + by, std::log(p.least), std::log(p.most));
        if (!values(moved, which, to)) return moved[n] - x[n];
        to = here;
        return 0;
    }

    [[nodiscard]] model_error secants(const VectorXd& x, chosen_measurements which,
                                      MatrixXd& to) const {
        to.setZero(Index(which.size()), x.size());
        VectorXd here;
        VectorXd above;
        VectorXd below;
        if (const auto bad = values(x, which, here)) return bad;
        for (Index n = 0; n < x.size(); ++n) {
            const double up = move(x, n, std::log1p(secant), which, here, above);
            const double down = move(x, n, std::log1p(-secant), which, here, below);
            if (up > down) to.col(n) = (above - below) / (up - down);
        }
        return {};
    }

    model_error derivatives(const VectorXd& x, chosen_measurements which,
                            MatrixXd& to) const override {
        if (secant > 0) return secants(x, which, to);
        to.setZero(Index(which.size()), x.size());
        if (has_scale()) to.col(x.size() - 1).setOnes();
        for (std::size_t first = 0; first < parameters.size(); first += slopes_at_a_time) {
            auto d = edit<slopes>(model.device);
            std::size_t last = first;
            for_each_named(d, parameters, [&](std::size_t n, std::string_view, slopes& figure) {
                figure.value = value_of(parameters[n], x[Index(n)]);
                if (n < first || n >= first + slopes_at_a_time) return;
                figure.set_slope(n - first, figure.value);  // d/d ln
                last = core::max(last, n + 1);
            });
            for (std::size_t i = 0; i < which.size() && last > first; ++i) {
                const auto t = seconds<slopes>(std::as_const(d), which[i]);
                if (!t) return t.error();
                for (std::size_t n = first; n < last; ++n) {
                    const double slope = t->slope(n - first) / t->value;
                    if (!core::finite(slope)) {
                        return {errc::outside_domain, "seconds",
                                static_cast<std::uint32_t>(which[i] + 1)};
                    }
                    to(Index(i), Index(n)) = slope;
                }
            }
        }
        return {};
    }
};

/// The parameters within their bounds that come nearest to the measurements, as far as one search sees.
struct log_fit {
    VectorXd x{};
    double squares{std::numeric_limits<double>::infinity()};
    bool converged{};
};

struct box {
    VectorXd least;
    VectorXd most;

    [[nodiscard]] VectorXd nearest(const VectorXd& x) const {
        return x.cwiseMax(least).cwiseMin(most);
    }
};

/// A sum of squares below which all is rounding.
inline double exact(std::size_t measurements) {
    return 1e-22 * static_cast<double>(measurements);
}

/// Levenberg-Marquardt from `x`, with steps cut off at the bounds; what would leave them stays. Only steps
/// that reduce the sum of squares are taken, so that kinks and jumps of a model do no harm. What the data
/// cannot tell does not move.
[[nodiscard]] inline result<log_fit> descend(const log_errors& errors, chosen_measurements which,
                                             const VectorXd& start, const box& bounds,
                                             const calibration_options& options) {
    VectorXd e;
    VectorXd trial_e;
    MatrixXd slope;
    if (const auto bad = errors.values(start, which, e)) return bad;
    log_fit best{start, e.squaredNorm(), false};
    const auto improves = [&](const VectorXd& to) {
        const VectorXd x = bounds.nearest(to);
        if (errors.values(x, which, trial_e)) return false;
        if (!(trial_e.squaredNorm() < best.squares)) return false;
        best = {x, trial_e.squaredNorm(), false};
        e.swap(trial_e);
        return true;
    };
    double damping = 1e-3;
    for (std::size_t step = 0; step < options.most_steps && !best.converged; ++step) {
        if (const auto bad = errors.derivatives(best.x, which, slope)) return bad;
        const VectorXd uphill = slope.transpose() * e;
        for (Index n = 0; n < best.x.size(); ++n) {
            const bool leaves = (best.x[n] <= bounds.least[n] && uphill[n] >= 0) ||
                                (best.x[n] >= bounds.most[n] && uphill[n] <= 0);
            if (leaves) slope.col(n).setZero();
        }
        const Eigen::JacobiSVD<MatrixXd> svd(slope, Eigen::ComputeThinU | Eigen::ComputeThinV);
        const VectorXd& s = svd.singularValues();
        const VectorXd along = svd.matrixU().transpose() * e;
        const VectorXd from = best.x;
        const double before = best.squares;
        bool moved = false;
        while (!moved && damping < 1e12) {
            VectorXd move = VectorXd::Zero(s.size());
            for (Index n = 0; n < s.size() && s[n] > options.rank_tolerance * s[0]; ++n) {
                move[n] = s[n] * along[n] / (s[n] * s[n] + damping * s[0] * s[0]);
            }
            moved = improves(from - svd.matrixV() * move);
            damping = moved ? core::max(damping / 10, 1e-15) : damping * 10;
        }
        best.converged =
            before - best.squares <= 1e-14 * before || best.squares <= exact(which.size());
    }
    return best;
}

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

/// What the measurements cannot tell from `best` and is nearest to `start`.
[[nodiscard]] inline log_fit towards(const VectorXd& start, const log_errors& errors,
                                     chosen_measurements which, const log_fit& best,
                                     const box& bounds, const calibration_options& options) {
    MatrixXd slope;
    VectorXd e;
    if (errors.derivatives(best.x, which, slope)) return best;
    const Eigen::JacobiSVD<MatrixXd> svd(slope, Eigen::ComputeFullV);
    const VectorXd& s = svd.singularValues();
    const Index rank = (s.array() > options.rank_tolerance * s[0]).count();
    const MatrixXd unseen = svd.matrixV().rightCols(best.x.size() - rank);
    const VectorXd x = nearest_on_plane(best.x, unseen, start, bounds);
    if (errors.values(x, which, e)) return best;
    const double squares = e.squaredNorm();
    const bool same = squares <= best.squares * (1 + 1e-9) + exact(which.size());
    return same ? log_fit{x, squares, best.converged} : best;
}

/// The n-th of a sequence of points that fill a box evenly (M. Roberts, "The Unreasonable Effectiveness of
/// Quasirandom Sequences", 2018); along an unbounded edge, 0.
inline VectorXd scattered_point(const box& bounds, std::size_t n) {
    const Index edges = bounds.least.size();
    double ratio = 1.5;  // the root of ratio^(edges + 1) = ratio + 1
    for (int i = 0; i < 64; ++i) ratio = std::pow(1 + ratio, 1 / static_cast<double>(edges + 1));
    VectorXd x(edges);
    double stride = 1;
    for (Index i = 0; i < edges; ++i) {
        stride /= ratio;
        const double share = 0.5 + static_cast<double>(n) * stride;
        const double length = bounds.most[i] - bounds.least[i];
        x[i] = core::finite(length) ? bounds.least[i] + length * (share - std::floor(share)) : 0;
    }
    return x;
}

/// The best of several searches. A later one has to be better by more than rounding, so that what the data
/// cannot tell stays near the device.
[[nodiscard]] inline result<log_fit> fit(const log_errors& errors, chosen_measurements which,
                                         const VectorXd& start, const box& bounds,
                                         const calibration_options& options) {
    log_fit best;
    VectorXd e;
    for (std::size_t n = 0; n < options.starts; ++n) {
        VectorXd x = n == 0 ? start : scattered_point(bounds, n);
        if (errors.values(x, which, e)) continue;  // of another start, no prediction
        if (errors.has_scale()) x[x.size() - 1] -= e.mean();
        const auto found = descend(errors, which, x, bounds, options);
        if (!found) {
            if (n == 0) return found.error();
            continue;
        }
        if (found->squares < best.squares * (1 - 1e-9) - exact(which.size())) best = *found;
    }
    return towards(start, errors, which, best, bounds, options);
}

inline time_error error_of(const VectorXd& e) {
    return {std::exp(e.cwiseAbs().mean()),
            std::sqrt(e.squaredNorm() / static_cast<double>(e.size()))};
}

/// A factor may be too large for a number where its logarithm is not.
inline bool has_number(const time_error& e) {
    return core::positive(e.factor) && core::finite(e.rms_log);
}

/// Shares of a direction below which all is rounding.
inline constexpr double least_power = 1e-6;

/// A basis of the same space in which vectors share as few entries as may be: Gauss-Jordan elimination of
/// the rows, by their largest entries.
inline std::vector<ambiguity> sparse_directions(MatrixXd rows, std::span<const std::size_t> columns,
                                                std::span<const fitted_parameter> parameters) {
    std::vector<ambiguity> all;
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
    for (Index r = 0; r < rows.rows(); ++r) {
        ambiguity& a = all.emplace_back();
        for (Index n = 0; n < rows.cols(); ++n) {
            if (std::fabs(rows(r, n)) < least_power) continue;
            a.push_back({parameters[columns[static_cast<std::size_t>(n)]].name, rows(r, n)});
        }
        // Which of equal entries was the pivot, rounding decides.
        if (a.empty() || a.front().power > 0) continue;
        for (ambiguous_power& p : a) p.power = -p.power;
    }
    return all;
}

/// What some measurements say of each parameter at a point; of those that are free there, the inverse of
/// J^T J in the slopes_at_a_time that they tell, and a basis of those that they do not.
struct identified {
    std::vector<fit_state> states{};
    std::vector<std::size_t> free{};
    MatrixXd inverse{};
    MatrixXd unseen{};
};

/// `e` are the errors at `x`. What lies at a bound is free all the same where no error would shrink beyond:
/// there a search only came to rest, and what it cannot tell apart is said.
[[nodiscard]] inline identified identify(const MatrixXd& derivatives, const VectorXd& e,
                                         const VectorXd& x, const box& bounds,
                                         double rank_tolerance) {
    identified told;
    told.states.assign(static_cast<std::size_t>(x.size()), fit_state::fitted);
    const VectorXd reaction = derivatives.colwise().norm();
    const VectorXd uphill = derivatives.transpose() * e;
    const bool met = e.squaredNorm() <= exact(static_cast<std::size_t>(e.size()));
    for (Index n = 0; n < x.size(); ++n) {
        fit_state& state = told.states[static_cast<std::size_t>(n)];
        const double rounding = 1e-6 * reaction[n] * e.norm();
        const bool fixed = bounds.least[n] == bounds.most[n];
        if (!fixed && reaction[n] <= rank_tolerance * reaction.maxCoeff()) {
            state = fit_state::no_effect;
        } else if (fixed || (!met && x[n] == bounds.least[n] && uphill[n] > rounding)) {
            state = fit_state::at_least;
        } else if (!met && x[n] == bounds.most[n] && uphill[n] < -rounding) {
            state = fit_state::at_most;
        } else {
            told.free.push_back(static_cast<std::size_t>(n));
        }
    }
    if (told.free.empty()) return told;
    MatrixXd of_free(derivatives.rows(), Index(told.free.size()));
    for (std::size_t n = 0; n < told.free.size(); ++n) {
        of_free.col(Index(n)) = derivatives.col(Index(told.free[n]));
    }
    const Eigen::JacobiSVD<MatrixXd> svd(of_free, Eigen::ComputeThinU | Eigen::ComputeFullV);
    const VectorXd& s = svd.singularValues();
    const Index rank = (s.array() > rank_tolerance * s[0]).count();
    const MatrixXd seen = svd.matrixV().leftCols(rank) * s.head(rank).cwiseInverse().asDiagonal();
    told.inverse = seen * seen.transpose();
    told.unseen = svd.matrixV().rightCols(of_free.cols() - rank);
    for (std::size_t i = 0; i < told.free.size(); ++i) {
        if (told.unseen.row(Index(i)).norm() >= least_power)
            told.states[told.free[i]] = fit_state::ambiguous;
    }
    return told;
}

/// Whether the measurements tell nothing of a parameter alone.
constexpr bool untold(fit_state state) {
    return state == fit_state::ambiguous || state == fit_state::no_effect;
}

/// Reports what the data say of each parameter: states, errors, ambiguities and covariance.
inline void judge(const identified& told, Index measurements, double squares,
                  calibration_report& c) {
    const auto count = Index(c.parameters.size());
    c.covariance.setZero(count, count);
    c.correlation.setZero(count, count);
    for (std::size_t n = 0; n < c.parameters.size(); ++n) {
        fitted_parameter& p = c.parameters[n];
        p.state = told.states[n];
        p.log_error = untold(p.state) ? std::numeric_limits<double>::infinity() : 0;
    }
    c.ambiguities = sparse_directions(told.unseen.transpose(), told.free, c.parameters);
    const MatrixXd& inverse = told.inverse;
    const Index rank = inverse.cols() - told.unseen.cols();
    const double variance = squares / static_cast<double>(measurements - rank);
    for (Index i = 0; i < inverse.cols(); ++i) {
        const std::size_t row = told.free[static_cast<std::size_t>(i)];
        if (untold(told.states[row])) continue;
        c.parameters[row].log_error = std::sqrt(variance * inverse(i, i));
        for (Index j = 0; j < inverse.cols(); ++j) {
            const std::size_t column = told.free[static_cast<std::size_t>(j)];
            if (untold(told.states[column])) continue;
            c.covariance(Index(row), Index(column)) = variance * inverse(i, j);
            c.correlation(Index(row), Index(column)) =
                i == j ? 1 : inverse(i, j) / std::sqrt(inverse(i, i) * inverse(j, j));
        }
    }
}

/// Of every kernel: where its measurements are, in the order of their first.
struct kernel_places {
    std::string_view kernel{};
    std::vector<std::size_t> inside{};
};

inline std::vector<kernel_places> by_kernel(std::span<const measurement> measurements) {
    std::vector<kernel_places> all;
    for (std::size_t i = 0; i < measurements.size(); ++i) {
        const auto same = [&](const kernel_places& k) {
            return k.kernel == measurements[i].kernel;
        };
        auto at = std::find_if(all.begin(), all.end(), same);
        if (at == all.end()) at = all.insert(at, {.kernel = measurements[i].kernel});
        at->inside.push_back(i);
    }
    return all;
}

/// Whether one of the first `n` parameters has the name of the next.
inline bool appears_before(std::span<const fitted_parameter> parameters, std::size_t n) {
    const auto first = parameters.first(n);
    return std::any_of(first.begin(), first.end(),
                       [&](const fitted_parameter& p) { return p.name == parameters[n].name; });
}

/// Parameters as asked for, with the device's own values; `field` of the error names what is wrong.
template <class Device>
[[nodiscard]] model_error read_parameters(const Device& device,
                                          std::span<const fit_parameter> wanted,
                                          std::vector<fitted_parameter>& to) {
    for (const fit_parameter& p : wanted) {
        to.push_back({.name = p.name, .least = p.least, .most = p.most});
    }
    std::vector<bool> known(to.size());
    for_each_named(device, to, [&](std::size_t n, std::string_view lasting, double figure) {
        known[n] = true;
        to[n].name = lasting;
        to[n].start = to[n].value = figure;
    });
    for (std::size_t n = 0; n < to.size(); ++n) {
        const fitted_parameter& p = to[n];
        const auto entry = static_cast<std::uint32_t>(n + 1);
        if (!core::positive(p.least)) return {errc::not_positive, "least", entry};
        if (!(core::positive(p.most) && p.least <= p.most))
            return {errc::outside_domain, "most", entry};
        if (!known[n]) return {errc::missing, "parameters", entry};
        if (!(p.least <= p.start && p.start <= p.most))
            return {errc::outside_domain, p.name, entry};
        if (appears_before(to, n)) return {errc::malformed, "parameters", entry};
    }
    return {};
}

inline model_error check_options(const calibration_options& o) {
    if (o.starts == 0 || o.starts > 1000) return {errc::outside_domain, "starts"};
    if (o.most_steps == 0) return {errc::outside_domain, "most_steps"};
    if (!(o.secant >= 0 && o.secant < 1)) return {errc::outside_domain, "secant"};
    if (!(o.rank_tolerance >= 0 && o.rank_tolerance < 1))
        return {errc::outside_domain, "rank_tolerance"};
    return {};
}

inline VectorXd at(const VectorXd& e, chosen_measurements which) {
    VectorXd some(Index(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i) some[Index(i)] = e[Index(which[i])];
    return some;
}

/// The geometric mean of an error factor over the kernels that have one, or 0.
[[nodiscard]] inline double mean_factor(const calibration_report& c,
                                        time_error kernel_error::*which) {
    double sum = 0;
    double count = 0;
    for (const kernel_error& k : c.kernels) {
        if ((k.*which).factor == 0) continue;
        sum += std::log((k.*which).factor);
        count += 1;
    }
    return count > 0 ? std::exp(sum / count) : 0;
}

/// What some measurements tell at `x`: nothing, where the model has no derivative.
[[nodiscard]] inline std::vector<fit_state> states_at(const VectorXd& x, const log_errors& errors,
                                                      chosen_measurements which, const box& bounds,
                                                      const calibration_options& options) {
    VectorXd e;
    MatrixXd slope;
    if (errors.values(x, which, e) || errors.derivatives(x, which, slope)) {
        return std::vector(errors.parameters.size(), fit_state::no_effect);
    }
    return identify(slope, e, x, bounds, options.rank_tolerance).states;
}

/// The error at `x` on measurements that the fit has not seen, or why there is none.
[[nodiscard]] inline model_error unseen_error(const VectorXd& x, const log_errors& errors,
                                              chosen_measurements which, time_error& to) {
    VectorXd e;
    if (const auto bad = errors.values(x, which, e)) return bad;
    const time_error found = error_of(e);
    if (!has_number(found)) return {errc::overflow, "seconds"};
    to = found;
    return {};
}

/// Fits again without each kernel: the error on it, and how far the parameters scatter.
inline void hold_out(const log_errors& errors, std::span<const kernel_places> kernels,
                     const VectorXd& start, const box& bounds, const calibration_options& options,
                     calibration_report& c) {
    const auto count = Index(kernels.size());
    MatrixXd without = MatrixXd::Zero(start.size(), count);
    std::vector<bool> lost(c.parameters.size());  // not told without some kernel
    std::vector<std::size_t> rest;
    for (Index k = 0; k < count; ++k) {
        const auto& inside = kernels[static_cast<std::size_t>(k)].inside;
        kernel_error& of = c.kernels[static_cast<std::size_t>(k)];
        rest.clear();
        for (std::size_t i = 0; i < errors.measurements.size(); ++i) {
            if (!std::binary_search(inside.begin(), inside.end(), i)) rest.push_back(i);
        }
        const auto found = fit(errors, rest, start, bounds, options);
        c.converged = c.converged && found && found->converged;
        if (!found) {
            of.held_out_error = found.error();
            lost.assign(lost.size(), true);
            continue;
        }
        of.held_out_error = unseen_error(found->x, errors, inside, of.held_out);
        without.col(k) = found->x;
        const auto states = states_at(found->x, errors, rest, bounds, options);
        for (std::size_t n = 0; n < lost.size(); ++n) lost[n] = lost[n] || untold(states[n]);
    }
    const VectorXd mean = without.rowwise().mean();
    const VectorXd squares = (without.colwise() - mean).rowwise().squaredNorm();
    const double share = static_cast<double>(count - 1) / static_cast<double>(count);
    for (std::size_t n = 0; n < c.parameters.size(); ++n) {
        fitted_parameter& p = c.parameters[n];
        p.log_error_of_kernels = p.log_error;
        if (p.state != fit_state::fitted) continue;
        p.log_error_of_kernels = lost[n] ? std::numeric_limits<double>::infinity()
                                         : std::sqrt(share * squares[Index(n)]);
    }
}

inline VectorXd logs(std::span<const fitted_parameter> parameters,
                     double fitted_parameter::*member) {
    VectorXd x(Index(parameters.size()));
    for (Index n = 0; n < x.size(); ++n) x[n] = std::log(parameters[std::size_t(n)].*member);
    return x;
}

/// The geometric mean over kernels of the error that is left when a scale is fitted to the other kernels, of
/// errors without one.
[[nodiscard]] inline double scale_alone(const VectorXd& errors,
                                        std::span<const kernel_places> kernels) {
    const double all = errors.sum();
    double sum = 0;
    for (const kernel_places& k : kernels) {
        const VectorXd inside = at(errors, k.inside);
        const double others = static_cast<double>(errors.size() - inside.size());
        const double shift = (all - inside.sum()) / others;
        sum += std::log(error_of(inside.array() - shift).factor);
    }
    return std::exp(sum / static_cast<double>(kernels.size()));
}

/// Whether what the fit to all measurements found can be written down. Logarithms reach further.
inline bool all_numbers(const calibration_report& c) {
    return has_number(c.before) && has_number(c.after) && c.covariance.allFinite() &&
           c.correlation.allFinite() &&
           std::all_of(c.parameters.begin(), c.parameters.end(),
                       [](const fitted_parameter& p) { return core::positive(p.value); }) &&
           std::all_of(c.kernels.begin(), c.kernels.end(), [](const kernel_error& k) {
               return has_number(k.before) && has_number(k.after);
           });
}

/// All of `calibrate` that needs neither model nor device.
[[nodiscard]] inline model_error calibrate(const log_errors& errors,
                                           std::span<const kernel_places> kernels,
                                           const calibration_options& options,
                                           calibration_report& c) {
    const VectorXd start = logs(c.parameters, &fitted_parameter::start);
    const box bounds{logs(c.parameters, &fitted_parameter::least),
                     logs(c.parameters, &fitted_parameter::most)};
    std::vector<std::size_t> all(errors.measurements.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    VectorXd before;
    VectorXd after;
    MatrixXd derivatives;
    if (const auto bad = errors.values(start, all, before)) return bad;
    const auto best = fit(errors, all, start, bounds, options);
    if (!best) return best.error();
    if (const auto bad = errors.values(best->x, all, after)) return bad;
    if (const auto bad = errors.derivatives(best->x, all, derivatives)) return bad;
    for (std::size_t n = 0; n < c.parameters.size(); ++n) {
        c.parameters[n].value = value_of(c.parameters[n], best->x[Index(n)]);
    }
    if (errors.has_scale()) c.scale = c.parameters.back().value;
    c.converged = best->converged;
    judge(identify(derivatives, after, best->x, bounds, options.rank_tolerance), derivatives.rows(),
          best->squares, c);
    c.before = error_of(before);
    c.after = error_of(after);
    for (const kernel_places& k : kernels) {
        c.kernels.push_back({.kernel = k.kernel,
                             .measurements = k.inside.size(),
                             .before = error_of(at(before, k.inside)),
                             .after = error_of(at(after, k.inside))});
    }
    if (!all_numbers(c)) return {errc::overflow, "seconds"};
    if (options.hold_out) hold_out(errors, kernels, start, bounds, options, c);
    c.by_kernel = {mean_factor(c, &kernel_error::before), mean_factor(c, &kernel_error::after),
                   mean_factor(c, &kernel_error::held_out)};
    for (const kernel_error& k : c.kernels) {
        if (k.held_out_error) ++c.by_kernel.unpredicted;
    }
    if (options.hold_out && errors.has_scale() && c.parameters.size() > 1) {
        c.by_kernel.scale_alone = scale_alone(before, kernels);
    }
    return {};
}

}  // namespace detail::eigen

/// `device` with each figure multiplied by what a calibration, on this or on another device, made of it:
/// value / start. What else was fitted, the scale, multiplies predicted times.
/// \errors with the entry
///         missing       `parameters`: the device does not have the figure
///         malformed     `parameters`: a name appears twice
///         not_positive  `start`, `value`
///         overflow      the figure's name: the product is too large or too small
template <class Device>
[[nodiscard]] auto corrected(const Device& device, std::span<const fitted_parameter> parameters)
    -> result<decltype(edit(device))> {
    for (std::size_t n = 0; n < parameters.size(); ++n) {
        const auto entry = static_cast<std::uint32_t>(n + 1);
        if (!core::positive(parameters[n].start))
            return model_error{errc::not_positive, "start", entry};
        if (!core::positive(parameters[n].value))
            return model_error{errc::not_positive, "value", entry};
        if (detail::eigen::appears_before(parameters, n))
            return model_error{errc::malformed, "parameters", entry};
    }
    auto d = edit(device);
    model_error bad;
    std::vector<bool> known(parameters.size());
    detail::eigen::for_each_named(d, parameters, [&](std::size_t n, auto name, double& figure) {
        const double published = figure;
        figure *= parameters[n].value / parameters[n].start;
        known[n] = true;
        if (!(core::positive(figure) || (published == 0 && figure == 0))) {
            bad = {errc::overflow, name, static_cast<std::uint32_t>(n + 1)};
        }
    });
    if (bad) return bad;
    for (std::size_t n = 0; n < parameters.size(); ++n) {
        if (!known[n] && parameters[n].name != detail::eigen::scale_name) {
            return model_error{errc::missing, "parameters", static_cast<std::uint32_t>(n + 1)};
        }
    }
    return d;
}

/// Fits figures of `device` to measured times. `predict(device, profile)` makes the prediction for any type
/// of number, as in `sensitivities`:
///
///     calibrate([](const auto& d, const auto& k) { return mwp_cwp_model{d}.predict(k); },
///               devices::geforce_gtx_280{}, measured,
///               std::array{fit_parameter{"issue_cycles", 1, 16}});
///
/// No parameters, but the scale, is a fit too. What cannot be told holds for the neighbourhood of the fit: a
/// figure that no launch reacts to there may matter elsewhere. The work is in proportion to the kernels
/// (with `hold_out`), starts, steps and measurements.
/// \errors those of `predict` for the device as given, `line` the measurement's entry, `field` "profile" where
///         they name none; besides
///         missing         `parameters`: none, nor a scale; with the entry: not a figure of the device;
///                         `measurements`: not more than what is fitted, the scale included;
///                         `kernel`: `hold_out`, and they are all of one kernel
///         malformed       `parameters`, with the entry: a name appears twice
///         not_positive    `seconds`, measured or predicted, `least`, with the entry
///         overflow        `seconds`: predicted and measured times are too far apart for a factor between them
///         outside_domain  with the entry: `most`: below `least`, or no finite number; the figure's name: the
///                         device's own is not within the bounds; `seconds`: has no derivative; without:
///                         `starts`, `most_steps`, `secant`, `rank_tolerance`
template <placeable_model Model>
[[nodiscard]] auto calibrate(const Model& model, std::span<const measurement> measurements,
                             std::span<const fit_parameter> parameters,
                             const calibration_options& options = {})
    -> result<calibration<std::remove_cvref_t<decltype(model.device)>>> {
    using namespace detail::eigen;
    calibration<std::remove_cvref_t<decltype(model.device)>> c;
    c.device = edit(model.device);
    if (const auto bad = check_options(options)) return bad;
    if (const auto bad = read_parameters(c.device, parameters, c.parameters)) {
        return bad;
    }
    if (options.fit_scale) {
        c.parameters.push_back({scale_name, 1, 1, 0, std::numeric_limits<double>::infinity()});
    }
    const std::size_t count = c.parameters.size();
    if (count == 0) return model_error{errc::missing, "parameters"};
    if (measurements.size() <= count) return model_error{errc::missing, "measurements"};
    for (std::size_t i = 0; i < measurements.size(); ++i) {
        if (!core::positive(measurements[i].seconds)) {
            return model_error{errc::not_positive, "seconds", static_cast<std::uint32_t>(i + 1)};
        }
    }
    const auto kernels = by_kernel(measurements);
    if (options.hold_out && kernels.size() < 2) return model_error{errc::missing, "kernel"};

    const log_errors_of<Model> errors{model, measurements, c.parameters, options.secant};
    if (const auto bad = calibrate(errors, kernels, options, c)) return bad;
    for_each_named(c.device, c.parameters, [&](std::size_t n, std::string_view, double& figure) {
        figure = c.parameters[n].value;
    });
    return c;
}

}  // namespace warpgauge

#endif
