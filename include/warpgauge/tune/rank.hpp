// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_RANK_HPP
#define WARPGAUGE_TUNE_RANK_HPP

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>

/// \file The order in which to measure configurations: `rank`. `prune.hpp` says which to leave out.
///
/// A configuration is identified by its index in the caller's list. A configuration without a predicted time keeps its
/// error and comes last; it is never dropped silently.

namespace WARPGAUGE_NAMESPACE {

/// Configurations that the model cannot distinguish. They are neighbours in a ranking.
struct rank_group {
    std::size_t first{};  ///< index in `order`
    std::size_t count{};  ///< configurations of the group
    double seconds{};     ///< s, of the fastest configuration of the group

    friend constexpr bool operator==(const rank_group&, const rank_group&) = default;
};

/// Configurations from the fastest to the slowest.
struct ranking {
    std::vector<double> seconds{};      ///< of each configuration; 0 if it has an error
    std::vector<model_error> errors{};  ///< of each configuration
    std::vector<std::size_t> order{};   ///< indices of configurations; those with an error last
    std::vector<rank_group>
        groups{};  ///< of `order`, without the configurations that have an error

    /// The number of configurations that have a time.
    template <class = core::when_used>
    [[nodiscard]] std::size_t predicted() const noexcept {
        return groups.empty() ? 0 : groups.back().first + groups.back().count;
    }
};

/// Orders predicted times. Times count as equal if they differ by at most the fraction `tolerance` of the fastest
/// time in their group: such configurations keep the order of the list and form one group. `errors` has the error of
/// each configuration without a time, as `sweep` writes it, and may be empty. `ranking::errors` has not_positive,
/// `seconds`, for a time that is not a finite number above zero and has no error.
/// \errors negative   `tolerance`
///         malformed  `errors`: neither empty nor as many as `seconds`
template <class = core::when_used>
[[nodiscard]] result<ranking> rank(std::span<const double> seconds,
                                   std::span<const model_error> errors, double tolerance = 0);

/// Orders a list of results. `ranking::errors` has their errors, and not_positive, `predictions`, for a value that is not
/// a finite number above zero.
/// \errors negative  `tolerance`
template <class = core::when_used>
[[nodiscard]] result<ranking> rank(std::span<const result<double>> predictions,
                                   double tolerance = 0);

/// Predicts every profile and orders the times:
///
///     const auto ranking = rank(mwp_cwp_model{gpu}, launches, 1e-9);
///
/// \errors negative  `tolerance`
template <model M>
[[nodiscard]] result<ranking> rank(const M& m, std::span<const kernel_profile<>> profiles,
                                   double tolerance = 0) {
    std::vector<double> seconds;
    std::vector<model_error> errors;
    seconds.reserve(profiles.size());
    errors.reserve(profiles.size());
    for (const kernel_profile<>& k : profiles) {
        const auto t = seconds_of(m.predict(k));
        seconds.push_back(t ? *t : 0);
        errors.push_back(t ? model_error{} : t.error());
    }
    return rank(seconds, errors, tolerance);
}

// --- How

template <class>
result<ranking> rank(std::span<const double> seconds, std::span<const model_error> errors,
                     double tolerance) {
    if (!core::non_negative(tolerance)) return model_error{errc::negative, "tolerance"};
    if (!errors.empty() && errors.size() != seconds.size()) {
        return model_error{errc::malformed, "errors"};
    }
    ranking r;
    r.seconds.assign(seconds.begin(), seconds.end());
    r.errors.assign(errors.begin(), errors.end());
    r.errors.resize(seconds.size());
    std::vector<std::size_t> in_error;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        if (!r.errors[i] && !core::positive(r.seconds[i])) {
            r.errors[i] = {errc::not_positive, "seconds"};
        }
        const bool good = !r.errors[i];
        if (!good) r.seconds[i] = 0;
        (good ? r.order : in_error).push_back(i);
    }
    std::sort(r.order.begin(), r.order.end(), [&](std::size_t a, std::size_t b) {
        return r.seconds[a] < r.seconds[b];  // those that are equal share a group, sorted below
    });
    for (std::size_t first = 0; first < r.order.size();) {
        const double fastest = r.seconds[r.order[first]];
        std::size_t last = first + 1;
        while (last < r.order.size() && r.seconds[r.order[last]] - fastest <= tolerance * fastest) {
            ++last;
        }
        std::sort(r.order.begin() + static_cast<std::ptrdiff_t>(first),
                  r.order.begin() + static_cast<std::ptrdiff_t>(last));
        r.groups.push_back({first, last - first, fastest});
        first = last;
    }
    for (const std::size_t i : in_error) r.order.push_back(i);
    return r;
}

template <class>
result<ranking> rank(std::span<const result<double>> predictions, double tolerance) {
    std::vector<double> seconds;
    std::vector<model_error> errors;
    seconds.reserve(predictions.size());
    errors.reserve(predictions.size());
    for (const auto& p : predictions) {
        seconds.push_back(p ? *p : 0);
        const bool positive = p && core::positive(*p);
        errors.push_back(!p         ? p.error()
                         : positive ? model_error{}
                                    : model_error{errc::not_positive, "predictions"});
    }
    return rank(seconds, errors, tolerance);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
