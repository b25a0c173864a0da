// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_ARENA_HPP
#define WARPGAUGE_TUNE_ARENA_HPP

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
#include <warpgauge/tune/rank_correlation.hpp>
#include <warpgauge/tune/score.hpp>

/// \file Several models on the same kernels: `arena` says how far they agree, and how far each is from
/// measured times.

namespace WARPGAUGE_NAMESPACE {

/// A model by name.
template <model M>
struct contestant {
    std::string_view name{};  ///< its name in reports; not owned
    M model{};                ///< the model, on its device
};
/// Deduces the type of the model.
template <class M>
contestant(std::string_view, M) -> contestant<M>;
/// Deduces the type of the model.
template <class M>
contestant(const char*, M) -> contestant<M>;

/// The times that one model predicts for all kernels, and their scores.
struct standing {
    std::string_view name{};                ///< of the model
    std::vector<result<double>> seconds{};  ///< of each kernel
    std::size_t predicted{};                ///< kernels that have a time

    // Scores of the kernels that have a time; an error where too few were measured.
    result<double> error_factor = model_error{errc::missing, "measured"};  ///< `mean_error_factor`
    result<double> scale = model_error{errc::missing, "measured"};         ///< `mean_scale`
    /// The error factor that remains when all times are multiplied by `scale`.
    result<double> scaled_error_factor = model_error{errc::missing, "measured"};
    result<double> spearman = model_error{errc::missing, "measured"};  ///< with the measured times
};

/// All models over all kernels.
struct standings {
    std::vector<standing> models{};  ///< in the order of the contestants
    /// For each kernel the longest predicted time over the shortest; 0 if fewer than two models have a time.
    std::vector<double> spread{};

    /// Spearman's correlation of two models, over the kernels that both predict.
    /// \errors outside_domain  `models`: no such model; or as `spearman`
    template <class = core::when_used>
    [[nodiscard]] result<double> agreement(std::size_t a, std::size_t b) const {
        if (a >= models.size() || b >= models.size()) {
            return model_error{errc::outside_domain, "models"};
        }
        std::vector<double> of_a;
        std::vector<double> of_b;
        for (std::size_t k = 0; k < spread.size(); ++k) {
            if (!models[a].seconds[k] || !models[b].seconds[k]) continue;
            of_a.push_back(*models[a].seconds[k]);
            of_b.push_back(*models[b].seconds[k]);
        }
        return spearman(of_a, of_b);
    }
};

/// Predicts `kernels` by each of the models. `measured_seconds` has the time of each kernel, or is empty.
///
///     arena(kernels, {}, contestant{"MWP/CWP", mwp_cwp_model{gpu}}, contestant{"hybrid", hybrid_model{gpu}});
///
/// \errors missing       `kernels`: none
///         malformed     `measured_seconds`: neither empty nor as many as kernels
///         not_positive  `measured_seconds`, with the entry: not a finite number above zero
///         overflow      `seconds`, with the kernel: the ratio of two models' times overflows a double
template <model... Ms>
[[nodiscard]] result<standings> arena(std::span<const kernel_profile<>> kernels,
                                      std::span<const double> measured_seconds,
                                      const contestant<Ms>&... models);

// --- How

namespace detail::tune {

/// The times of one model, and their scores if `measured` is not empty.
template <model M>
standing stand(const contestant<M>& c, std::span<const kernel_profile<>> kernels,
               std::span<const double> measured) {
    standing s{.name = c.name};
    std::vector<double> of_model;
    std::vector<double> of_gpu;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        s.seconds.push_back(seconds_of(c.model.predict(kernels[k])));
        if (!s.seconds.back()) continue;
        ++s.predicted;
        of_model.push_back(*s.seconds.back());
        if (!measured.empty()) of_gpu.push_back(measured[k]);
    }
    if (measured.empty()) return s;
    s.error_factor = mean_error_factor(of_model, of_gpu);
    s.scale = mean_scale(of_model, of_gpu);
    s.spearman = spearman(of_model, of_gpu);
    if (!s.scale) return s;
    for (double& t : of_model) t *= *s.scale;
    s.scaled_error_factor = mean_error_factor(of_model, of_gpu);
    return s;
}

}  // namespace detail::tune

template <model... Ms>
result<standings> arena(std::span<const kernel_profile<>> kernels,
                        std::span<const double> measured_seconds, const contestant<Ms>&... models) {
    if (kernels.empty()) return model_error{errc::missing, "kernels"};
    if (!measured_seconds.empty() && measured_seconds.size() != kernels.size()) {
        return model_error{errc::malformed, "measured_seconds"};
    }
    for (std::size_t k = 0; k < measured_seconds.size(); ++k) {
        if (!core::positive(measured_seconds[k])) {
            return model_error{errc::not_positive, "measured_seconds",
                               static_cast<std::uint32_t>(k + 1)};
        }
    }
    standings all;
    (all.models.push_back(detail::tune::stand(models, kernels, measured_seconds)), ...);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        double shortest = 0;
        double longest = 0;
        std::size_t times = 0;
        for (const standing& s : all.models) {
            if (!s.seconds[k]) continue;
            const double t = *s.seconds[k];
            shortest = times == 0 ? t : core::min(shortest, t);
            longest = core::max(longest, t);
            ++times;
        }
        all.spread.push_back(times < 2 ? 0 : longest / shortest);
        if (!core::finite(all.spread.back())) {
            return model_error{errc::overflow, "seconds", static_cast<std::uint32_t>(k + 1)};
        }
    }
    return all;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
