// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_SPACE_HPP
#define WARPGAUGE_TUNE_SPACE_HPP

#include <cstddef>
#include <span>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file A space of configurations: `axis`, `configurations`.

namespace WARPGAUGE_NAMESPACE {

/// One parameter of configurations and the values that it may have.
struct axis {
    std::string_view name{};           ///< of the parameter, for errors; not owned
    std::span<const double> values{};  ///< not owned; at least one
};

/// The maximum number of axes of a space; it has at most 2^53 configurations.
inline constexpr std::size_t max_axes = 16;

/// No constraint: every combination of values is a configuration.
struct everything {
    /// No constraint is broken.
    constexpr std::string_view operator()(std::span<const double>) const noexcept { return {}; }
};

/// All combinations of the values of `axes`, and the profile of each. The last axis varies fastest.
///
/// `describe(point, profile)` sets the members that vary in a copy of `common`, the same members for every point. The
/// profile is reused between points, so `describe` must not read a member before setting it. `point` is a
/// `std::span<const Real>` with a value for each axis. If `describe` takes any `Real`, closed-form models predict
/// several configurations at a time:
///
///     [](auto p, auto& k) { k.threads_per_block = p[0] * p[1]; k.blocks = n / k.threads_per_block; }
///
/// `broken(point)` is the name of a constraint that the point violates, of static storage duration, or empty.
template <class Describe, class Broken = everything>
struct configurations {
    std::span<const axis> axes{};  ///< not owned
    kernel_profile<> common{};     ///< what all configurations have in common
    Describe describe;             ///< sets the members that vary
    Broken broken{};               ///< names a broken constraint

    /// The number of configurations, including those that break a constraint.
    /// \errors missing       `axes`: none; or the name of an axis without values (`axes` if it has no name)
    ///         limit_reached `axes`: too many, or too many configurations
    [[nodiscard]] constexpr result<std::size_t> size() const noexcept {
        if (axes.empty()) return model_error{errc::missing, "axes"};
        if (axes.size() > max_axes) return model_error{errc::limit_reached, "axes"};
        std::size_t count = 1;
        for (const axis& a : axes) {
            if (a.values.empty())
                return model_error{errc::missing, a.name.empty() ? "axes" : a.name};
            if (a.values.size() > (std::size_t{1} << 53) / count) {
                return model_error{errc::limit_reached, "axes"};
            }
            count *= a.values.size();
        }
        return count;
    }

    /// The values of configuration `n`, which is below `size()`, one for each axis.
    constexpr void point(std::size_t n, std::span<double> to) const noexcept {
        for (std::size_t a = axes.size(); a-- > 0;) {
            to[a] = axes[a].values[n % axes[a].values.size()];
            n /= axes[a].values.size();
        }
    }
};

/// Deduces the type of `describe`.
template <class Axes, class Describe>
configurations(const Axes&, kernel_profile<>, Describe) -> configurations<Describe>;
/// Deduces the types of `describe` and `broken`.
template <class Axes, class Describe, class Broken>
configurations(const Axes&, kernel_profile<>, Describe, Broken) -> configurations<Describe, Broken>;

}  // namespace WARPGAUGE_NAMESPACE

#endif
