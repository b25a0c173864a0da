// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_EXPLAIN_HPP
#define WARPGAUGE_ANALYSE_EXPLAIN_HPP

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <warpgauge/analyse/bottleneck.hpp>
#include <warpgauge/analyse/easing.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>

/// \file What limits a kernel, what would limit it next, and the gain from removing each: `explain`.
///
/// The potential benefit of removing a bottleneck is the predicted time less the time without it (after
/// J. Sim, A. Dasgupta, H. Kim, R. Vuduc, "A Performance Analysis Framework for Identifying Potential
/// Benefits in GPGPU Applications", PPoPP 2012). It can be found by any model:
///
///     const auto why = explain(mwp_cwp_model{gpu}, kernel);
///
/// An explanation is as good as the model: a bottleneck whose parameters the model does not read has no benefit.

namespace WARPGAUGE_NAMESPACE {

/// The gain from removing one bottleneck.
struct removal {
    bottleneck what{};         ///< what is removed
    double seconds{};          ///< s, without it
    double benefit_seconds{};  ///< s, the gain; below 0 if the model predicts a longer time
    model_error error{};       ///< the error of the prediction without it, if it has one
};

/// What limits a kernel, and the gain from each removal.
struct explanation {
    double seconds{};  ///< s, as it is
    std::vector<removal>
        removals{};  ///< the largest benefit first, errors last; without the bottlenecks that
                     ///< device and kernel do not have
    std::optional<bottleneck> limiting{};  ///< the first of `removals`, if it has a benefit
    std::vector<removal> then{};           ///< the others, once `limiting` is removed
    std::optional<bottleneck> next{};      ///< the first of `then`, if it has a benefit
    /// From this factor on, `next` has more to gain than what is left of `limiting`; to a thousandth. Empty above
    /// 1000, for a bottleneck that cannot be eased gradually, or if the model fails at a factor that the search
    /// tries.
    std::optional<double> next_after_factor{};
    assumptions<> assumed{};  ///< the model's assumptions for the unchanged kernel
};

/// Explains the time that `model` predicts for `k`. It makes about 25 predictions, 62 at most, and allocates.
/// \errors those of the model for the unchanged kernel
template <placeable_model Model>
[[nodiscard]] result<explanation> explain(const Model& model, const kernel_profile<>& k);

// --- How

namespace detail::analyse {

/// The order of removals: the largest benefit first, errors last.
[[nodiscard]] constexpr bool comes_before(const removal& x, const removal& y) {
    if (!x.error != !y.error) return !x.error;
    return x.benefit_seconds != y.benefit_seconds ? x.benefit_seconds > y.benefit_seconds
                                                  : x.what < y.what;
}

/// The removal of each bottleneck that `by` does not ease, from the time `seconds` that `by` leaves.
template <placeable_model Model>
[[nodiscard]] std::vector<removal> remove_each(const Model& model, const kernel_profile<>& k,
                                               const easing& by, double seconds) {
    std::vector<removal> all;
    all.reserve(bottlenecks);
    for (std::size_t n = 0; n < bottlenecks; ++n) {
        const auto b = static_cast<bottleneck>(n);
        if (by[n] > 1) continue;
        const auto without = seconds_without(model, k, by, b);
        if (!without) continue;
        if (*without) {
            all.push_back(
                {.what = b, .seconds = **without, .benefit_seconds = seconds - **without});
        } else {
            all.push_back({.what = b, .error = without->error()});
        }
    }
    for (std::size_t n = 1; n < all.size(); ++n) {
        for (std::size_t at = n; at > 0 && comes_before(all[at], all[at - 1]); --at) {
            std::swap(all[at], all[at - 1]);
        }
    }
    return all;
}

/// A benefit below this fraction of the time is rounding.
inline constexpr double min_benefit = 1e-9;

/// The first of `removals`, if it has a benefit.
template <class = core::when_used>
[[nodiscard]] std::optional<bottleneck> greatest(const std::vector<removal>& removals,
                                                 double seconds) {
    if (removals.empty() || !(removals[0].benefit_seconds > min_benefit * seconds)) return {};
    return removals[0].what;
}

/// A factor, and the difference of its time to another time.
struct excess_at {
    double factor{};
    double seconds{};
};

/// The factor at which a time that is linear in 1 / factor would equal the other; it need not be between the two.
[[nodiscard]] constexpr double crossing(const excess_at& low, const excess_at& high) {
    return (low.seconds - high.seconds) / (low.seconds / high.factor - high.seconds / low.factor);
}

/// The smallest factor by which to ease `first` so that removing `next` gains more than removing the rest of `first`,
/// which leaves `without_first`; with the factor 1 it leaves `without_next`. Most times are nearly linear in 1 /
/// factor: two steps look just above and just below the crossing of a line, a third bisects.
template <placeable_model Model>
[[nodiscard]] std::optional<double> takes_over_after(const Model& model, const kernel_profile<>& k,
                                                     bottleneck first, bottleneck next,
                                                     double without_first, double without_next) {
    constexpr double tolerance = 1.001;
    constexpr double beside = 1.0004;
    const auto seconds = [&](double factor) {
        return eased_seconds(model, k, warpgauge::ease(next, removal_factor, ease(first, factor)));
    };
    excess_at low{1, without_next - without_first};
    excess_at high{1000};
    const auto last = seconds(high.factor);
    if (!last || *last > without_first) return {};
    high.seconds = *last - without_first;
    for (int step = 0; high.factor > low.factor * tolerance; ++step) {
        double factor = step % 3 == 2 ? 0 : crossing(low, high);
        factor *= step % 3 == 0 ? beside : 1 / beside;
        if (!(factor > low.factor && factor < high.factor)) {
            factor = core::sqrt(low.factor * high.factor);
        }
        const auto t = seconds(factor);
        if (!t) return {};
        const excess_at here{factor, *t - without_first};
        (here.seconds > 0 ? low : high) = here;
    }
    return high.factor;
}

}  // namespace detail::analyse

template <placeable_model Model>
result<explanation> explain(const Model& model, const kernel_profile<>& k) {
    const auto as_is = model.on(edit(model.device)).predict(k);
    const auto seconds = seconds_of(as_is);
    if (!seconds) return seconds.error();
    if (!core::positive(*seconds)) return model_error{errc::not_positive, "seconds"};
    explanation e{.seconds = *seconds, .assumed = assumptions_of(*as_is)};
    e.removals = detail::analyse::remove_each(model, k, as_it_is, e.seconds);
    e.limiting = detail::analyse::greatest(e.removals, e.seconds);
    if (!e.limiting) return e;
    const double without = e.removals[0].seconds;
    e.then = detail::analyse::remove_each(model, k, ease(*e.limiting), without);
    e.next = detail::analyse::greatest(e.then, without);
    if (!e.next) return e;
    double without_next = e.seconds;  // of one that there is only once `limiting` is removed
    for (const removal& r : e.removals) {
        if (r.what == *e.next) without_next = r.seconds;
    }
    e.next_after_factor =
        detail::analyse::takes_over_after(model, k, *e.limiting, *e.next, without, without_next);
    return e;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
