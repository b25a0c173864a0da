// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_STATISTICS_HPP
#define WARPGAUGE_BENCHMARKS_GPU_STATISTICS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

// What is said of repeated measurements. A few slow outliers move none of it but `highest`.

struct summary {
    double median{}, first_quartile{}, third_quartile{}, lowest{}, highest{};
    std::size_t repeats{};
};

// The value below which a `fraction` of the sorted samples lies, between neighbours in proportion.
inline double quantile(const std::vector<double>& sorted, double fraction) {
    if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double place = fraction * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

inline summary summarise(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return {quantile(samples, 0.5), quantile(samples, 0.25), quantile(samples, 0.75),
            quantile(samples, 0),   quantile(samples, 1),    samples.size()};
}

// The slope of y over x: the median of the slopes between all pairs (P. K. Sen, "Estimates of the
// Regression Coefficient Based on Kendall's Tau", JASA 63, 1968). NaN where all x are the same.
inline double slope(const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (x[i] != x[j]) slopes.push_back((y[i] - y[j]) / (x[i] - x[j]));
        }
    }
    return summarise(slopes).median;
}

#endif
