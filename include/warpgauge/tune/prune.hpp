// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_PRUNE_HPP
#define WARPGAUGE_TUNE_PRUNE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/tune/rank.hpp>

/// \file Which configurations need not be measured: `prune`, `keep_fraction`, `keep_within`, `keep_possible`.

namespace WARPGAUGE_NAMESPACE {

/// Why a configuration need not be measured.
enum class drop_reason : std::uint8_t {
    error,     ///< it has no predicted time
    fraction,  ///< enough others are predicted to be faster
    slowdown,  ///< it is predicted to be too much slower than the fastest
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

/// A configuration that need not be measured, and the reason.
struct dropped {
    std::size_t configuration{};  ///< its index in the caller's list
    drop_reason reason{};         ///< the condition that it does not meet
    /// For `slowdown` and `fraction`: the predicted time over that of the fastest. For `bound`: the lower bound over
    /// the upper bound of `against`.
    double ratio{};
    std::size_t against{};  ///< the configuration that it was compared with

    friend constexpr bool operator==(const dropped&, const dropped&) = default;
};

/// The configurations to measure, in order. If all of these fail, `drops` continues the order.
struct pruned {
    std::vector<std::size_t> kept{};  ///< indices of configurations, fastest first
    std::vector<dropped> drops{};     ///< the others, fastest first
};

/// Which configurations are worth measuring. A configuration has to meet both conditions.
struct prune_options {
    double fraction = 1;  ///< of the configurations with a time, to keep; above 0, to 1
    /// The maximum predicted time to keep, over that of the fastest; 1 or above.
    double max_slowdown = core::infinity<double>();
    double tolerance = 0;  ///< as `rank` takes it
};

/// Ranks the profiles by the predictions of `m`, and keeps those that meet both conditions of `options`:
///
///     const auto worth = prune(mwp_cwp_model{gpu}, launches, {.fraction = 0.1, .tolerance = 1e-9});
///
/// A group of configurations that the model cannot tell apart is kept or dropped as a whole; the first one is kept.
/// \errors negative        `tolerance`
///         outside_domain  `fraction`, `max_slowdown`
///         overflow        `seconds`, with the configuration: its ratio to the fastest overflows a double
template <model M>
[[nodiscard]] result<pruned> prune(const M& m, std::span<const kernel_profile<>> profiles,
                                   const prune_options& options);

/// The same for a ranking. It does not read `tolerance`.
template <class = core::when_used>
[[nodiscard]] result<pruned> prune(const ranking& r, const prune_options& options);

/// Keeps the fastest `fraction` of the configurations that have a time, at least one, and all that the model cannot
/// distinguish from the last of these.
/// \errors outside_domain  `fraction`: not above 0, or above 1
///         overflow        `seconds`, with the configuration: its ratio to the fastest overflows a double
template <class = core::when_used>
[[nodiscard]] result<pruned> keep_fraction(const ranking& r, double fraction) {
    return prune(r, {.fraction = fraction});
}

/// Keeps the configurations that are predicted to take at most `slowdown` times as long as the fastest.
/// \errors outside_domain  `slowdown`: below 1
///         overflow        `seconds`, with the configuration: its ratio to the fastest overflows a double
template <class = core::when_used>
[[nodiscard]] result<pruned> keep_within(const ranking& r, double slowdown) {
    if (!(slowdown >= 1)) return model_error{errc::outside_domain, "slowdown"};
    return prune(r, {.max_slowdown = slowdown});
}

/// Bounds on the time of a configuration; 0 and infinity if nothing is known.
struct time_bounds {
    double min_seconds{};  ///< s, it takes no less
    double max_seconds{};  ///< s, it takes no more
};

/// Drops only configurations whose lower bound is above the smallest upper bound. If the
/// bounds hold, the fastest configuration is kept. `bounds` has an entry for each configuration. The entry of one
/// that has an error is not read, and the configuration is dropped.
/// \errors malformed      `bounds`: not as many as configurations
///         outside_domain `bounds`, with the entry: not 0 <= min_seconds <= max_seconds and 0 < max_seconds
///         overflow       `seconds`, with the configuration: its ratio to another overflows a double
template <class = core::when_used>
[[nodiscard]] result<pruned> keep_possible(const ranking& r, std::span<const time_bounds> bounds);

// --- How

namespace detail::tune {

/// The times of a configuration and of the one it is compared with have a ratio that overflows a double.
constexpr model_error no_ratio(std::size_t configuration) {
    return {errc::overflow, "seconds", static_cast<std::uint32_t>(configuration + 1)};
}

/// Appends the configurations that have no time.
template <class = core::when_used>
void drop_errors(const ranking& r, pruned& p) {
    for (std::size_t at = r.predicted(); at < r.order.size(); ++at) {
        p.drops.push_back({r.order[at], drop_reason::error, 0, r.order[at]});
    }
}

/// The fastest configuration of the first group, whose members stay in the order of the list.
template <class = core::when_used>
[[nodiscard]] std::size_t fastest_of(const ranking& r) {
    std::size_t fastest = r.order[0];
    for (std::size_t at = 0; at < r.groups[0].count; ++at) {
        if (r.seconds[r.order[at]] < r.seconds[fastest]) fastest = r.order[at];
    }
    return fastest;
}

}  // namespace detail::tune

template <model M>
result<pruned> prune(const M& m, std::span<const kernel_profile<>> profiles,
                     const prune_options& options) {
    const auto r = rank(m, profiles, options.tolerance);
    if (!r) return r.error();
    return prune(*r, options);
}

template <class>
result<pruned> prune(const ranking& r, const prune_options& options) {
    if (!(options.fraction > 0 && options.fraction <= 1)) {
        return model_error{errc::outside_domain, "fraction"};
    }
    if (!(options.max_slowdown >= 1)) return model_error{errc::outside_domain, "max_slowdown"};
    pruned p;
    if (!r.groups.empty()) {
        // 7% of 100 are 7, whatever 0.07 * 100 rounds to.
        const double wanted = options.fraction * static_cast<double>(r.predicted()) * (1 - 1e-12);
        const double seconds = r.groups[0].seconds;
        const std::size_t fastest = detail::tune::fastest_of(r);
        for (const rank_group& g : r.groups) {
            const bool enough = !(static_cast<double>(g.first) < wanted);  // `wanted` > 0
            const bool slow = !(g.seconds <= options.max_slowdown * seconds);
            const drop_reason reason = enough ? drop_reason::fraction : drop_reason::slowdown;
            for (std::size_t at = g.first; at < g.first + g.count; ++at) {
                const std::size_t i = r.order[at];
                if (!enough && !slow) {
                    p.kept.push_back(i);
                    continue;
                }
                p.drops.push_back({i, reason, r.seconds[i] / seconds, fastest});
                if (!core::finite(p.drops.back().ratio)) return detail::tune::no_ratio(i);
            }
        }
    }
    detail::tune::drop_errors(r, p);
    return p;
}

template <class>
result<pruned> keep_possible(const ranking& r, std::span<const time_bounds> bounds) {
    if (bounds.size() != r.order.size()) return model_error{errc::malformed, "bounds"};
    double min_upper = core::infinity<double>();
    std::size_t against = 0;
    for (std::size_t at = 0; at < r.predicted(); ++at) {
        const std::size_t i = r.order[at];
        const auto [lower, upper] = bounds[i];
        if (!(core::non_negative(lower) && lower <= upper && 0 < upper)) {
            return model_error{errc::outside_domain, "bounds", static_cast<std::uint32_t>(i + 1)};
        }
        if (upper < min_upper) {
            min_upper = upper;
            against = i;
        }
    }
    pruned p;
    for (std::size_t at = 0; at < r.predicted(); ++at) {
        const std::size_t i = r.order[at];
        if (!(bounds[i].min_seconds > min_upper)) {
            p.kept.push_back(i);
            continue;
        }
        const double ratio = bounds[i].min_seconds / min_upper;
        if (!core::finite(ratio)) return detail::tune::no_ratio(i);
        p.drops.push_back({i, drop_reason::bound, ratio, against});
    }
    detail::tune::drop_errors(r, p);
    return p;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
