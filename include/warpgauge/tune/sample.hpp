// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_SAMPLE_HPP
#define WARPGAUGE_TUNE_SAMPLE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <warpgauge/core/random.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/tune/space.hpp>

/// \file The configurations of a space that break no constraint, all or some drawn at random: `sample`.

namespace WARPGAUGE_NAMESPACE {

/// The number of configurations to draw, and the seed.
struct sample_options {
    std::size_t max_count = std::numeric_limits<std::size_t>::max();  ///< configurations to draw
    std::uint64_t seed = 0;                          ///< another seed draws other configurations
    std::size_t max_visited = std::size_t{1} << 28;  ///< maximum size of the space
};

/// Configurations that break no constraint.
struct sampled {
    std::vector<std::size_t>
        places{};  ///< indices of the drawn configurations, as `point` takes them; ascending
    std::size_t allowed{};  ///< configurations of the whole space that break no constraint
};

/// Draws `max_count` of the configurations that break no constraint, each set of that size with the same probability,
/// or all of them if there are no more. The same seed draws the same configurations. It visits every configuration
/// and keeps no more than twice those that it draws.
/// \errors those of `configurations::size`; and
///         not_positive   `max_count`
///         limit_reached  `max_visited`: the space has more configurations
template <class Describe, class Broken>
[[nodiscard]] result<sampled> sample(const configurations<Describe, Broken>& space,
                                     const sample_options& options = {}) {
    const auto size = space.size();
    if (!size) return size.error();
    if (options.max_count == 0) return model_error{errc::not_positive, "max_count"};
    if (*size > options.max_visited) return model_error{errc::limit_reached, "max_visited"};

    // Those with the smallest of random numbers, of which each configuration has its own.
    struct drawn {
        std::uint64_t key;
        std::size_t place;
    };
    const auto before = [](const drawn& a, const drawn& b) {
        return a.key != b.key ? a.key < b.key : a.place < b.place;
    };
    std::vector<drawn> all;
    const auto keep_smallest = [&] {
        if (all.size() <= options.max_count) return;
        const auto end = all.begin() + static_cast<std::ptrdiff_t>(options.max_count);
        std::nth_element(all.begin(), end, all.end(), before);
        all.erase(end, all.end());
    };
    sampled s;
    std::array<double, max_axes> values{};
    const std::span<double> point(values.data(), space.axes.size());
    for (std::size_t n = 0; n < *size; ++n) {
        space.point(n, point);
        if (!space.broken(std::span<const double>(point)).empty()) continue;
        ++s.allowed;
        const auto bits = core::random_bits(options.seed, n, 0);
        all.push_back({std::uint64_t{bits[0]} << 32 | bits[1], n});
        if (all.size() / 2 >= options.max_count) keep_smallest();
    }
    keep_smallest();
    s.places.reserve(all.size());
    for (const drawn& d : all) s.places.push_back(d.place);
    std::sort(s.places.begin(), s.places.end());
    return s;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
