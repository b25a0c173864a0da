// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_BOOTSTRAP_HPP
#define WARPGAUGE_TUNE_BOOTSTRAP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/quantile.hpp>
#include <warpgauge/core/random.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file The variation of a score with the choice of measured kernels: `bootstrap`.

namespace WARPGAUGE_NAMESPACE {

/// How an interval is made.
struct bootstrap_options {
    std::uint32_t samples = 2000;  ///< 1 to 10^6
    double confidence = 0.9;       ///< above 0, below 1
    std::uint64_t seed = 0;        ///< another seed draws other samples
};

/// A statistic of all measurements, and the range of its values on samples of them.
struct bootstrap_interval {
    double value{};  ///< the statistic of all measurements
    double low{};    ///< the middle fraction `confidence` of the samples' values is between `low`
    double high{};   ///< and `high`
    std::uint32_t failed{};  ///< samples that have no finite statistic; they are left out
};

/// The percentile bootstrap (B. Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of
/// Statistics 7, 1979): `statistic(places)` of samples of `count` things, drawn with replacement. `places` is
/// a `std::span<const std::size_t>` of numbers below `count`; the statistic is a `result<double>`. Resample independent
/// things: kernels rather than their launches, whose errors are correlated.
///
/// Draws are pure functions of seed, sample and place, so the same input gives the same bits.
/// \errors missing         `count`: none
///         limit_reached   `count`: 2^32 or more; `samples`: none, or above 10^6
///         outside_domain  `confidence`
///         overflow        `statistic`: not a finite number for all
///         those of the statistic of all; of the last sample, if none has one
template <class Statistic>
[[nodiscard]] result<bootstrap_interval> bootstrap(std::size_t count, const Statistic& statistic,
                                                   const bootstrap_options& options = {}) {
    if (count == 0) return model_error{errc::missing, "count"};
    if (count > 0xffff'ffff) return model_error{errc::limit_reached, "count"};
    if (options.samples == 0 || options.samples > 1'000'000) {
        return model_error{errc::limit_reached, "samples"};
    }
    if (!(options.confidence > 0 && options.confidence < 1)) {
        return model_error{errc::outside_domain, "confidence"};
    }
    std::vector<std::size_t> places(count);
    for (std::size_t n = 0; n < count; ++n) places[n] = n;
    const std::span<const std::size_t> drawn(places);
    const result<double> of_all = statistic(drawn);
    if (!of_all) return of_all.error();
    if (!core::finite(*of_all)) return model_error{errc::overflow, "statistic"};

    bootstrap_interval interval{.value = *of_all};
    std::vector<double> values;
    values.reserve(options.samples);
    model_error last;
    for (std::uint32_t sample = 0; sample < options.samples; ++sample) {
        for (std::size_t n = 0; n < count; ++n) {
            places[n] =
                core::uniform_below(static_cast<std::uint32_t>(count), options.seed, sample, n);
        }
        const result<double> value = statistic(drawn);
        if (value && core::finite(*value)) {
            values.push_back(*value);
        } else {
            last = value ? model_error{errc::overflow, "statistic"} : value.error();
            ++interval.failed;
        }
    }
    if (values.empty()) return last;
    std::sort(values.begin(), values.end());
    interval.low = core::quantile(values, (1 - options.confidence) / 2);
    interval.high = core::quantile(values, (1 + options.confidence) / 2);
    return interval;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
