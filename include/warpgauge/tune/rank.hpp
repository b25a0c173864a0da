// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_RANK_HPP
#define WARPGAUGE_TUNE_RANK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>

/// \file Which of many configurations to measure: in what order, and which not at all.
///
/// A configuration is known by its place in the caller's list. One that a model cannot predict has its
/// error and comes last; it is never dropped in silence.

namespace warpgauge {

/// Configurations that the model cannot tell apart: neighbours in a ranking.
struct rank_group {
    std::size_t first{};  ///< place in `order`
    std::size_t count{};
    double seconds{};  ///< s, of the fastest of them

    friend constexpr bool operator==(const rank_group&, const rank_group&) = default;
};

/// Configurations from the fastest to the slowest.
struct ranking {
    std::vector<double> seconds{};      ///< of each configuration; 0 where there is an error
    std::vector<model_error> errors{};  ///< of each; `field` is empty where there is none
    std::vector<std::size_t> order{};   ///< places of configurations; those in error last
    std::vector<rank_group> groups{};   ///< of `order`, in order; not of those in error

    /// Those that could be predicted.
    [[nodiscard]] std::size_t predicted() const noexcept {
        return groups.empty() ? 0 : groups.back().first + groups.back().count;
    }
};

/// Orders predictions. Times that differ by no more than `tolerance`, as a share of the fastest of their
/// group, are taken as the same: they stay in the order of the list and in one group. `errors` says why a
/// configuration has no time, as `sweep` writes it, and may be empty.
/// \errors negative   `tolerance`
///         malformed  `errors`: neither empty nor as many as `seconds`
[[nodiscard]] inline result<ranking> rank(std::span<const double> seconds,
                                          std::span<const model_error> errors,
                                          double tolerance = 0) {
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
            r.errors[i] = {errc::not_positive, "predictions"};
        }
        const bool good = !r.errors[i];
        if (!good) r.seconds[i] = 0;
        (good ? r.order : in_error).push_back(i);
    }
    std::sort(r.order.begin(), r.order.end(), [&](std::size_t a, std::size_t b) {
        return r.seconds[a] != r.seconds[b] ? r.seconds[a] < r.seconds[b] : a < b;
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
    r.order.insert(r.order.end(), in_error.begin(), in_error.end());
    return r;
}

/// The same for a list of results.
[[nodiscard]] inline result<ranking> rank(std::span<const result<double>> predictions,
                                          double tolerance = 0) {
    std::vector<double> seconds;
    std::vector<model_error> errors;
    seconds.reserve(predictions.size());
    errors.reserve(predictions.size());
    for (const auto& p : predictions) {
        seconds.push_back(p ? *p : 0);
        errors.push_back(p ? model_error{} : p.error());
    }
    return rank(seconds, errors, tolerance);
}

/// The same for what a model predicts of each profile.
template <model M>
[[nodiscard]] result<ranking> rank(const M& m, std::span<const kernel_profile<>> configurations,
                                   double tolerance = 0) {
    std::vector<result<double>> predictions;
    predictions.reserve(configurations.size());
    for (const kernel_profile<>& k : configurations) {
        predictions.push_back(seconds_of(m.predict(k)));
    }
    return rank(predictions, tolerance);
}

// --- Pruning

/// Why a configuration need not be measured.
enum class drop_reason : std::uint8_t {
    error,     ///< it cannot be predicted
    fraction,  ///< enough others are predicted to be faster
    slowdown,  ///< predicted to be too much slower than the fastest
    bound,     ///< it takes longer than another one can take
};

/// The reason in words: "enough others are faster".
[[nodiscard]] constexpr std::string_view name(drop_reason reason) noexcept {
    switch (reason) {
        case drop_reason::error: return "no prediction";
        case drop_reason::fraction: return "enough others are faster";
        case drop_reason::slowdown: return "too much slower than the fastest";
        case drop_reason::bound: return "slower at best than another at worst";
    }
    return "unknown";
}

struct dropped {
    std::size_t configuration{};
    drop_reason reason{};
    /// Of `slowdown` and `fraction`: predicted time over that of the fastest. Of `bound`: its lower bound
    /// over the upper bound of `against`.
    double ratio{};
    std::size_t against{};  ///< the configuration that it was compared with

    friend constexpr bool operator==(const dropped&, const dropped&) = default;
};

/// What to measure, in order; and should all of those fail, what then: `drops`, in order too.
struct pruned {
    std::vector<std::size_t> kept{};
    std::vector<dropped> drops{};
};

namespace detail::tune {

/// Two times that lie so far apart that no double holds how many times one is the other.
inline model_error no_ratio(std::size_t configuration) {
    return {errc::overflow, "seconds", static_cast<std::uint32_t>(configuration + 1)};
}

/// `p`, with the configurations that have no time behind.
inline pruned drop_errors(const ranking& r, pruned p) {
    for (std::size_t at = r.predicted(); at < r.order.size(); ++at) {
        p.drops.push_back({r.order[at], drop_reason::error, 0, r.order[at]});
    }
    return p;
}

/// Keeps the first groups of a ranking while `keep(group)` holds; never splits one.
template <class Keep>
result<pruned> keep_groups(const ranking& r, drop_reason reason, Keep keep) {
    pruned p;
    if (r.groups.empty()) return drop_errors(r, std::move(p));
    const double fastest = r.groups.front().seconds;
    std::size_t against = r.order[0];
    for (std::size_t at = 0; at < r.groups.front().count; ++at) {  // in the order of the input
        if (r.seconds[r.order[at]] < r.seconds[against]) against = r.order[at];
    }
    bool keeping = true;
    for (const rank_group& g : r.groups) {
        keeping = keeping && keep(g);
        for (std::size_t at = g.first; at < g.first + g.count; ++at) {
            const std::size_t i = r.order[at];
            if (keeping) {
                p.kept.push_back(i);
            } else {
                p.drops.push_back({i, reason, r.seconds[i] / fastest, against});
                if (!core::finite(p.drops.back().ratio)) return no_ratio(i);
            }
        }
    }
    return drop_errors(r, std::move(p));
}

}  // namespace detail::tune

/// Keeps the fastest `fraction` of the configurations that could be predicted, at least one, and all that
/// the model cannot tell from the last of them.
/// \errors outside_domain  `fraction`: not above 0, or above 1
///         overflow        `seconds`, with the configuration: more than any number of times the fastest
[[nodiscard]] inline result<pruned> keep_fraction(const ranking& r, double fraction) {
    if (!(fraction > 0 && fraction <= 1)) return model_error{errc::outside_domain, "fraction"};
    // 7% of 100 are 7, whatever 0.07 * 100 rounds to.
    const double wanted = fraction * static_cast<double>(r.predicted()) * (1 - 1e-12);
    return detail::tune::keep_groups(r, drop_reason::fraction, [&](const rank_group& g) {
        return static_cast<double>(g.first) < wanted || g.first == 0;
    });
}

/// Keeps what is predicted to take at most `slowdown` times as long as the fastest.
/// \errors outside_domain  `slowdown`: below 1
///         overflow        `seconds`, with the configuration: more than any number of times the fastest
[[nodiscard]] inline result<pruned> keep_within(const ranking& r, double slowdown) {
    if (!(slowdown >= 1)) return model_error{errc::outside_domain, "slowdown"};
    return detail::tune::keep_groups(r, drop_reason::slowdown, [&](const rank_group& g) {
        return g.seconds <= slowdown * r.groups.front().seconds;
    });
}

/// What a configuration takes at least and at most; infinite: nothing is known.
struct time_bounds {
    double least_seconds{};
    double most_seconds{};
};

/// Drops only what takes longer than another one can: its lower bound is above the least upper bound. If
/// the bounds hold, the fastest configuration is always kept. `bounds` has an entry for each
/// configuration; where there is an error, it is not looked at and the configuration is dropped.
/// \errors malformed     `bounds`: not as many as configurations
///         outside_domain `bounds`, with the entry: not 0 <= least <= most and 0 < most
///         overflow       `seconds`, with the configuration: more than any number of times another
[[nodiscard]] inline result<pruned> keep_possible(const ranking& r,
                                                  std::span<const time_bounds> bounds) {
    if (bounds.size() != r.order.size()) return model_error{errc::malformed, "bounds"};
    double least_most = std::numeric_limits<double>::infinity();
    std::size_t against = 0;
    for (std::size_t at = 0; at < r.predicted(); ++at) {
        const std::size_t i = r.order[at];
        const auto [least, most] = bounds[i];
        if (!(core::non_negative(least) && least <= most && 0 < most)) {
            return model_error{errc::outside_domain, "bounds", static_cast<std::uint32_t>(i + 1)};
        }
        if (bounds[i].most_seconds < least_most) {
            least_most = bounds[i].most_seconds;
            against = i;
        }
    }
    pruned p;
    for (std::size_t at = 0; at < r.predicted(); ++at) {
        const std::size_t i = r.order[at];
        if (bounds[i].least_seconds > least_most) {
            const double ratio = bounds[i].least_seconds / least_most;
            if (!core::finite(ratio)) return detail::tune::no_ratio(i);
            p.drops.push_back({i, drop_reason::bound, ratio, against});
        } else {
            p.kept.push_back(i);
        }
    }
    return detail::tune::drop_errors(r, std::move(p));
}

}  // namespace warpgauge

#endif
