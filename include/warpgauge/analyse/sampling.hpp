// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_SAMPLING_HPP
#define WARPGAUGE_ANALYSE_SAMPLING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/analyse/unknowns.hpp>
#include <warpgauge/core/random.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/with_blocks.hpp>
#include <warpgauge/models/model.hpp>

/// \file Random samples of predicted times: `sample`.
///
/// `sample` draws the uncertain parameters at random, a given number of times, and predicts with each draw:
///
///     const uncertain unknowns[]{between("dram_latency_cycles", 450, 550), about("comp_insts", 0.1)};
///     const auto times = sample(mwp_cwp_model{gpu}, launches, unknowns);
///
/// The parameter `seconds` is the predicted time itself: its numbers are factors on the time, for example the model's
/// own error (`error_factor.hpp`). Drawn `blocks` bring their bytes (`with_blocks`); numbers that are multiples of a
/// profile's own value are multiples of what it is with these blocks.
///
/// A sample is a pure function of the seed, its number and the name of the parameter. Neither the order of the
/// unknowns nor the number of samples changes it. So samples with the same number have the same draws for other
/// profiles or devices, and can be compared one by one. `uncertainty.hpp` does that.

namespace WARPGAUGE_NAMESPACE {

/// The number of samples to draw, and the seed.
struct sampling_options {
    std::size_t samples = 10'000;  ///< 1 to `max_samples`
    std::uint64_t seed = 0;        ///< another seed gives other samples
};

inline constexpr std::size_t max_samples =
    std::size_t{1} << 24;  ///< The limit for the samples of one configuration.
/// The limit for the samples of all configurations together.
inline constexpr std::size_t max_samples_together = std::size_t{1} << 27;

/// The samples that have no time because the model gave an error.
struct failures {
    std::size_t failed{};       ///< number of samples
    model_error first_error{};  ///< of the first failed sample

    /// Counts a sample that has the error `error`.
    constexpr void add(const model_error& error) {
        if (failed++ == 0) first_error = error;
    }
};

/// The times of one configuration.
struct sampled_times : failures {
    std::vector<double> seconds{};  ///< s, in the order of the samples; 0 if there is an error
};

/// Samples the time that `model` predicts for each of `profiles`. The model is called once for each sample and
/// profile, with copies of its device and the profile in which the uncertain parameters have the values drawn.
/// The draws for a configuration of its own (`independent`) depend on its index in `profiles`.
/// Allocates a list with an entry for each profile, and in each entry a list of its samples.
/// \errors unknown_parameter  an `uncertain`, by its name and entry: the device or some profile does not have it
///         malformed       likewise: an earlier entry names the same parameter
///         negative, not_positive, overflow, outside_domain, missing
///                         likewise: its numbers do not suit its distribution
///         not_positive    `samples`
///         limit_reached   `samples`: more than `max_samples`, or than `max_samples_together`
template <placeable_model Model>
[[nodiscard]] result<std::vector<sampled_times>> sample(const Model& model,
                                                        std::span<const kernel_profile<>> profiles,
                                                        std::span<const uncertain> unknowns,
                                                        const sampling_options& options = {});

/// Samples the time of one configuration.
/// \errors as for the list of one profile
template <placeable_model Model>
[[nodiscard]] result<sampled_times> sample(const Model& model, const kernel_profile<>& profile,
                                           std::span<const uncertain> unknowns,
                                           const sampling_options& options = {}) {
    auto all = sample(model, std::span(&profile, 1), unknowns, options);
    if (!all) return all.error();
    return std::move(all->front());
}

// --- How

namespace detail::analyse {

/// The random stream of a parameter: the FNV-1a hash of its name (G. Fowler, L. C. Noll, K.-P. Vo, 1991), which
/// does not depend on the other parameters.
constexpr std::uint64_t stream_of(std::string_view parameter, std::size_t configuration) {
    std::uint32_t hash = 2166136261;
    for (const char c : parameter) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    return std::uint64_t{configuration} << 32 | hash;
}

/// A number above the parameters of any device and profile.
inline constexpr std::size_t max_unknowns = 128;

/// The destination of the values of an uncertain parameter, and their factor.
struct drawn_parameter {
    std::string_view name{};
    double* value{};
    double unit{};
    bool of_own_value{};  ///< of a profile, and its values are multiples of what it has
};

using drawn_parameters = std::array<drawn_parameter, max_unknowns>;

/// The uncertain parameters in `device` and `profile`, in the order of `unknowns`; `seconds` is `time_factor`, 1.
template <class Device>
result<drawn_parameters> find_unknowns(std::span<const uncertain> unknowns, Device& device,
                                       kernel_profile<>& profile, double& time_factor) {
    drawn_parameters places{};
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
        const auto entry = static_cast<std::uint32_t>(j + 1);
        const uncertain& u = unknowns[j];
        drawn_parameter place;
        const auto match = [&](std::string_view name, double& value) {
            if (name == u.parameter) place = {name, &value, u.relative ? value : 1.0};
        };
        for_each_parameter(device, [&](device_parameter p, double& x) { match(info(p).name, x); });
        if (double* const x = find_parameter(profile, u.parameter)) {
            match(u.parameter, *x);
            place.of_own_value = u.relative;
        }
        match("seconds", time_factor);
        if (place.value == nullptr) {
            return model_error{errc::unknown_parameter,
                               u.parameter.empty() ? "parameter" : u.parameter, entry};
        }
        for (std::size_t before = 0; before < j; ++before) {
            if (places[before].value == place.value) {
                return model_error{errc::malformed, place.name, entry};
            }
        }
        if (auto bad = check_distribution(u, place.name, entry)) return bad;
        places[j] = place;  // no parameter appears twice, so the array has room
    }
    return places;
}

/// The number of samples that are drawn and predicted at a time.
inline constexpr std::size_t block_samples = 256;

/// A block of samples, and the values that one configuration draws for them.
struct sample_block {
    std::span<const uncertain> unknowns{};
    std::size_t first{};  ///< number of the first sample
    std::size_t count{};  ///< 1 to `block_samples`
    /// One array for each of `unknowns`.
    std::vector<std::array<double, block_samples>> values{};
};

/// Draws the values of a block for one configuration. Shared values are drawn for configuration 0.
template <class = core::when_used>
void draw(sample_block& block, std::uint64_t seed, std::size_t configuration) {
    for (std::size_t j = 0; j < block.unknowns.size(); ++j) {
        const uncertain& u = block.unknowns[j];
        if (configuration > 0 && !u.independent) continue;
        const std::uint64_t stream = stream_of(u.parameter, configuration);
        for (std::size_t i = 0; i < block.count; ++i) {
            block.values[j][i] = quantile_of(u, core::uniform(seed, block.first + i, stream));
        }
    }
}

/// The index of "blocks" in `places`; `count` if they are certain.
template <class = core::when_used>
std::size_t find_blocks(const drawn_parameters& places, std::size_t count,
                        const kernel_profile<>& profile) {
    std::size_t j = 0;
    while (j < count && places[j].value != &profile.blocks) ++j;
    return j;
}

/// Predicts the samples of a block and appends their times to `times`.
template <placeable_model Model, class Device>
void predict_block(const Model& model, Device device, kernel_profile<> profile,
                   const sample_block& block, sampled_times& times) {
    double time_factor = 1;
    const auto places = *find_unknowns(block.unknowns, device, profile, time_factor);
    const kernel_profile<> as_is = profile;
    const std::size_t unknowns = block.unknowns.size();
    const std::size_t blocks = find_blocks(places, unknowns, profile);
    for (std::size_t i = 0; i < block.count; ++i) {
        if (blocks < unknowns) {
            profile = with_blocks(as_is, block.values[blocks][i] * places[blocks].unit);
        }
        for (std::size_t j = 0; j < unknowns; ++j) {
            if (j == blocks) continue;
            const drawn_parameter& p = places[j];
            const bool is_moved = p.of_own_value && blocks < unknowns;
            *p.value = block.values[j][i] * (is_moved ? *p.value : p.unit);
        }
        const auto t = seconds_of(model.on(device).predict(profile));
        const double seconds = t ? *t * time_factor : 0;
        const bool is_time = core::positive(seconds);
        if (!is_time) times.add(t ? model_error{errc::not_positive, "seconds"} : t.error());
        times.seconds.push_back(is_time ? seconds : 0);
    }
}

}  // namespace detail::analyse

template <placeable_model Model>
result<std::vector<sampled_times>> sample(const Model& model,
                                          std::span<const kernel_profile<>> profiles,
                                          std::span<const uncertain> unknowns,
                                          const sampling_options& options) {
    if (options.samples == 0) return model_error{errc::not_positive, "samples"};
    if (options.samples > max_samples || profiles.size() > max_samples_together / options.samples) {
        return model_error{errc::limit_reached, "samples"};
    }
    auto d = edit(model.device);
    for (kernel_profile<> k : profiles) {
        double time_factor = 1;
        const auto found = detail::analyse::find_unknowns(unknowns, d, k, time_factor);
        if (!found) return found.error();
    }
    std::vector<sampled_times> all(profiles.size());
    for (sampled_times& times : all) times.seconds.reserve(options.samples);
    detail::analyse::sample_block block{.unknowns = unknowns};
    block.values.resize(unknowns.size());
    while (block.first < options.samples) {
        block.count = core::min(detail::analyse::block_samples, options.samples - block.first);
        for (std::size_t c = 0; c < profiles.size(); ++c) {
            detail::analyse::draw(block, options.seed, c);
            detail::analyse::predict_block(model, d, profiles[c], block, all[c]);
        }
        block.first += block.count;
    }
    return all;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
