// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EIGEN_HELD_OUT_HPP
#define WARPGAUGE_EIGEN_HELD_OUT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/eigen/calibration.hpp>
#include <warpgauge/eigen/identify.hpp>
#include <warpgauge/eigen/log_errors.hpp>
#include <warpgauge/eigen/log_fit.hpp>

/// \file The errors of each kernel, and the fits without it. An internal part of `calibrate`.

namespace WARPGAUGE_NAMESPACE::detail::eigen {

/// The measurements of one kernel.
struct kernel_places {
    std::string_view kernel{};
    std::vector<std::size_t> inside{};  ///< their indices, in order
};

/// The measurements of every kernel, in the order of their first.
inline std::vector<kernel_places> places_by_kernel(std::span<const measurement> measurements) {
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

inline VectorXd at(const VectorXd& e, chosen_measurements which) {
    VectorXd some(Index(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i) some[Index(i)] = e[Index(which[i])];
    return some;
}

inline time_error time_error_of(const VectorXd& e) {
    return {std::exp(e.cwiseAbs().mean()),
            std::sqrt(e.squaredNorm() / static_cast<double>(e.size()))};
}

/// False if the factor is too large for a number, which its logarithm may be without.
inline bool is_number(const time_error& e) {
    return core::positive(e.factor) && core::finite(e.rms_log);
}

/// The geometric mean of an error factor over the kernels that have one, or 0.
[[nodiscard]] inline double mean_factor(std::span<const kernel_error> kernels,
                                        time_error kernel_error::*which) {
    double sum = 0;
    double count = 0;
    for (const kernel_error& k : kernels) {
        if ((k.*which).factor == 0) continue;
        sum += std::log((k.*which).factor);
        count += 1;
    }
    return count > 0 ? std::exp(sum / count) : 0;
}

/// The geometric mean over kernels of the error that is left when a scale is fitted to the other kernels.
/// `errors` are without a scale.
[[nodiscard]] inline double scale_alone(const VectorXd& errors,
                                        std::span<const kernel_places> kernels) {
    const double all = errors.sum();
    double sum = 0;
    for (const kernel_places& k : kernels) {
        const VectorXd inside = at(errors, k.inside);
        const double others = static_cast<double>(errors.size() - inside.size());
        const double shift = (all - inside.sum()) / others;
        sum += std::log(time_error_of(inside.array() - shift).factor);
    }
    return std::exp(sum / static_cast<double>(kernels.size()));
}

/// Fits again without each kernel, for the error on it and for how far the parameters scatter.
class held_out_fits {
public:
    /// `problem` is that of all measurements. `c` has the fit to them and an entry for each of `kernels`.
    held_out_fits(const log_problem& problem, std::span<const kernel_places> kernels,
                  calibration_report& c)
        : problem_(problem),
          kernels_(kernels),
          report_(c),
          fitted_(MatrixXd::Zero(problem.start.size(), Index(kernels.size()))),
          lost_(c.parameters.size()) {}

    void run() {
        for (std::size_t k = 0; k < kernels_.size(); ++k) fit_without(k);
        report_scatter();
    }

private:
    const log_problem& problem_;
    std::span<const kernel_places> kernels_;
    calibration_report& report_;
    MatrixXd fitted_;         ///< a column of parameters for each kernel
    std::vector<bool> lost_;  ///< a fit without some kernel does not determine the parameter

    void fit_without(std::size_t k) {
        const std::vector<std::size_t>& inside = kernels_[k].inside;
        kernel_error& of = report_.kernels[k];
        std::vector<std::size_t> rest;
        for (std::size_t i = 0; i < problem_.errors.measurements.size(); ++i) {
            if (!std::binary_search(inside.begin(), inside.end(), i)) rest.push_back(i);
        }
        const log_problem others = problem_.with(rest);
        const auto found = fit(others);
        report_.converged = report_.converged && found && found->converged;
        if (!found) {
            of.held_out_error = found.error();
            lost_.assign(lost_.size(), true);
            return;
        }
        of.held_out_error = unseen_error(problem_.with(inside), found->x, of.held_out);
        fitted_.col(Index(k)) = found->x;
        const auto states = states_at(others, found->x);
        for (std::size_t n = 0; n < lost_.size(); ++n) {
            lost_[n] = lost_[n] || undetermined(states[n]);
        }
    }

    /// The error at `x` on measurements that the fit has not seen, or why there is none.
    [[nodiscard]] static model_error unseen_error(const log_problem& unseen, const VectorXd& x,
                                                  time_error& to) {
        VectorXd e;
        if (const auto bad = unseen.values(x, e)) return bad;
        const time_error found = time_error_of(e);
        if (!is_number(found)) return {errc::overflow, "seconds"};
        to = found;
        return {};
    }

    /// What some measurements say of the parameters at `x`: nothing, where the model has no derivative.
    [[nodiscard]] static std::vector<fit_state> states_at(const log_problem& p, const VectorXd& x) {
        VectorXd e;
        MatrixXd slopes;
        if (p.values(x, e) || p.derivatives(x, slopes)) {
            return std::vector(p.errors.parameters.size(), fit_state::no_effect);
        }
        return identify({slopes, e, x}, p.bounds, p.options.rank_tolerance).states;
    }

    void report_scatter() {
        const auto count = static_cast<double>(kernels_.size());
        const VectorXd mean = fitted_.rowwise().mean();
        const VectorXd squares = (fitted_.colwise() - mean).rowwise().squaredNorm();
        const double weight = (count - 1) / count;
        for (std::size_t n = 0; n < report_.parameters.size(); ++n) {
            fitted_parameter& p = report_.parameters[n];
            p.log_error_of_kernels = p.log_error;
            if (p.state != fit_state::fitted) continue;
            p.log_error_of_kernels = lost_[n] ? std::numeric_limits<double>::infinity()
                                              : std::sqrt(weight * squares[Index(n)]);
        }
    }
};

}  // namespace WARPGAUGE_NAMESPACE::detail::eigen

#endif
