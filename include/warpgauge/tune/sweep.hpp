// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_SWEEP_HPP
#define WARPGAUGE_TUNE_SWEEP_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>

/// \file The predicted time of every configuration of a space, several at a time.
///
/// Nothing is allocated. What is predicted for a configuration has the same bits wherever it stands in a
/// batch, and however a space is cut into parts; with GCC on processors that multiply and add in one step, if
/// compiled with `-ffp-contract=off`, else up to a rounding.

namespace warpgauge {

/// One parameter of configurations and the values that it may have.
struct axis {
    std::string_view name{};
    std::span<const double> values{};  ///< not owned; at least one
};

/// Spaces have at most this many axes, and 2^53 configurations.
inline constexpr std::size_t most_axes = 16;

/// No constraint: every combination of values is a configuration.
struct everything {
    constexpr std::string_view operator()(std::span<const double>) const noexcept { return {}; }
};

/// All combinations of the values of `axes`, and what each means. The last axis varies fastest.
///
/// `describe(point, profile)` sets what varies in a profile that has been `common`: the same members for every
/// point. It reads of them only what it has set itself, since another point may have left the rest. `point` is a
/// `std::span<const Real>` with a value for each axis. If it takes any `Real`, closed-form models predict several
/// configurations at a time:
///
///     [](auto p, auto& k) { k.threads_per_block = p[0] * p[1]; k.blocks = n / k.threads_per_block; }
///
/// `broken(point)` is the name of a constraint that the point violates, of static storage duration, or empty.
template <class Describe, class Broken = everything>
struct configurations {
    std::span<const axis> axes{};  ///< not owned
    kernel_profile<> common{};
    Describe describe;
    Broken broken{};

    /// How many there are, with those that break a constraint.
    /// \errors missing       `axes`: none; or the name of an axis without values (`axes` if it has no name)
    ///         limit_reached `axes`: too many, or too many configurations
    [[nodiscard]] constexpr result<std::size_t> size() const noexcept {
        if (axes.empty()) return model_error{errc::missing, "axes"};
        if (axes.size() > most_axes) return model_error{errc::limit_reached, "axes"};
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

template <class Axes, class Describe>
configurations(const Axes&, kernel_profile<>, Describe) -> configurations<Describe>;
template <class Axes, class Describe, class Broken>
configurations(const Axes&, kernel_profile<>, Describe, Broken) -> configurations<Describe, Broken>;

/// Runs `task(0)` to `task(count - 1)`, one after the other. An executor of the caller may run them in any
/// order and at the same time; it returns when all are done.
struct one_after_another {
    template <class Task>
    constexpr void operator()(std::size_t count, const Task& task) const {
        for (std::size_t n = 0; n < count; ++n) task(n);
    }
};

namespace detail::tune {

/// Whether `m` and `describe` compute with packs.
template <class M, class Describe, std::size_t Width>
inline constexpr bool takes_lanes = requires(const M& m, const Describe& describe,
                                             kernel_profile<lanes<Width>>& k) {
    m.predict(k)->seconds;
    describe(std::span<const lanes<Width>>{}, k);
};

/// What is computed with at a time: `lanes`, or one `double`.
template <class M, class Describe, std::size_t Width>
using batch_real = std::conditional_t<takes_lanes<M, Describe, Width>, lanes<Width>, double>;

/// Neighbours in a column.
template <class Real>
Real load(const double* from) {
    if constexpr (std::same_as<Real, double>) {
        return *from;
    } else {
        Real r;
        std::memcpy(&r.values, from, sizeof r.values);
        return r;
    }
}
template <class Real>
void store(const Real& x, double* to) {
    std::memcpy(to, &x, sizeof x);
}
template <class Real>
double first_of(const Real& x) {
    if constexpr (std::same_as<Real, double>) {
        return x;
    } else {
        return x.values[0];
    }
}

/// Predicts configuration `n` in all lanes: with the bits that it would have among others.
template <class Real, class M, class Describe>
[[gnu::noinline]] model_error predict_alone(const M& m, const kernel_profile<>& common,
                                            std::span<const std::span<const double>> columns,
                                            const Describe& describe, std::size_t n,
                                            double& seconds) {
    std::array<Real, most_axes> values;
    for (std::size_t a = 0; a < columns.size(); ++a) values[a] = Real(columns[a][n]);
    kernel_profile<Real> k = profile_in<Real>(common);
    describe(std::span<const Real>(values.data(), columns.size()), k);
    const auto e = m.predict(k);
    seconds = 0;
    if (!e) return error_of(e);
    seconds = first_of(Real(e->seconds));
    return {};
}

}  // namespace detail::tune

/// Predicts a batch of configurations given column by column: `columns[a][i]` is the value of axis `a` of
/// configuration i. `seconds[i]` becomes its time, or 0 where `errors[i]` says why there is none; `errors`
/// may be empty, and an error that names no field is said to be of "profile". `Width` configurations are
/// predicted at a time, where `m` and `describe` take `lanes`.
/// \pre    every column, and `errors` unless empty, has as many entries as `seconds`, and there are at most
///         `most_axes` columns
/// \return how many have a time
template <std::size_t Width = native_lanes, class M, class Describe>
std::size_t predict_batch(const M& m, const kernel_profile<>& common,
                          std::span<const std::span<const double>> columns,
                          const Describe& describe, std::span<double> seconds,
                          std::span<model_error> errors = {}) {
    using real = detail::tune::batch_real<M, Describe, Width>;
    constexpr std::size_t width = sizeof(real) / sizeof(double);

    std::array<real, most_axes> values;
    const std::span<const real> point(values.data(), columns.size());
    kernel_profile<real> k = profile_in<real>(common);
    std::size_t predicted = 0;
    for (std::size_t first = 0; first < seconds.size(); first += width) {
        std::size_t end = first + width;
        if (end <= seconds.size()) {
            for (std::size_t a = 0; a < columns.size(); ++a) {
                values[a] = detail::tune::load<real>(columns[a].data() + first);
            }
            describe(point, k);
            // Not const: GCC keeps a const aggregate in memory, with all that nobody reads of it.
            if (auto e = m.predict(k)) {
                detail::tune::store(real(e->seconds), seconds.data() + first);
                predicted += width;
                if (!errors.empty()) {
                    for (model_error& none : errors.subspan(first, width)) none = {};
                }
                continue;
            }
        } else {
            end = seconds.size();
        }
        // Too few for a pack, or one of them has no time.
        for (std::size_t n = first; n < end; ++n) {
            const model_error why =
                detail::tune::predict_alone<real>(m, common, columns, describe, n, seconds[n]);
            if (!why) ++predicted;
            if (!errors.empty()) errors[n] = why;
        }
    }
    return predicted;
}

namespace detail::tune {

/// Configurations whose columns the nearest cache holds.
inline constexpr std::size_t sweep_chunk = 256;
/// Configurations that a task predicts.
inline constexpr std::size_t sweep_task = 16'384;

/// Columns of a chunk of configurations.
using chunk_columns = std::array<std::array<double, sweep_chunk>, most_axes>;

/// Writes the columns of configurations `first` to `first + count - 1`, run by run of the last axis.
template <class Describe, class Broken>
void fill_columns(const configurations<Describe, Broken>& c, std::size_t first, std::size_t count,
                  chunk_columns& to) {
    const std::span<const double> inner = c.axes.back().values;
    const std::size_t last = c.axes.size() - 1;
    std::array<double, most_axes> point{};
    for (std::size_t n = 0; n < count;) {
        c.point(first + n, point);
        const std::size_t start = (first + n) % inner.size();
        const std::size_t run = core::min(inner.size() - start, count - n);
        for (std::size_t i = 0; i < run; ++i) to[last][n + i] = inner[start + i];
        for (std::size_t a = 0; a < last; ++a) {
            for (std::size_t i = 0; i < run; ++i) to[a][n + i] = point[a];
        }
        n += run;
    }
}

/// Predicts as many configurations from `first` on as there are `seconds`, at most a chunk.
template <std::size_t Width, class M, class Describe, class Broken>
void sweep_part(const M& m, const configurations<Describe, Broken>& c, std::size_t first,
                std::span<double> seconds, std::span<model_error> errors) {
    const std::size_t axes = c.axes.size();
    chunk_columns values;
    fill_columns(c, first, seconds.size(), values);
    std::array<std::span<const double>, most_axes> columns;
    const auto predict = [&](std::span<double> s, std::span<model_error> e) {
        for (std::size_t a = 0; a < axes; ++a) columns[a] = {values[a].data(), s.size()};
        predict_batch<Width>(m, c.common, {columns.data(), axes}, c.describe, s, e);
    };
    if constexpr (std::same_as<Broken, everything>) {
        predict(seconds, errors);
    } else {  // those that break nothing move together
        std::array<double, most_axes> point{};
        std::array<std::size_t, sweep_chunk> place{};
        std::size_t whole = 0;
        for (std::size_t n = 0; n < seconds.size(); ++n) {
            for (std::size_t a = 0; a < axes; ++a) point[a] = values[a][n];
            const std::string_view broken = c.broken(std::span<const double>(point.data(), axes));
            for (std::size_t a = 0; a < axes; ++a) values[a][whole] = point[a];
            place[whole] = n;
            if (broken.empty()) {
                ++whole;
                continue;
            }
            seconds[n] = 0;
            if (!errors.empty()) errors[n] = {errc::broken_constraint, broken};
        }
        std::array<double, sweep_chunk> time;
        std::array<model_error, sweep_chunk> why;
        predict({time.data(), whole}, {why.data(), errors.empty() ? 0 : whole});
        for (std::size_t n = 0; n < whole; ++n) {
            seconds[place[n]] = time[n];
            if (!errors.empty()) errors[place[n]] = why[n];
        }
    }
}

}  // namespace detail::tune

/// Predicts the configurations `first` to `first + seconds.size() - 1`. The time of configuration n goes to
/// `seconds[n - first]`: 0 where it has none, and `errors`, unless empty, says why there (`broken_constraint`
/// and the name of the constraint, where it breaks one).
///
/// `run(count, task)` calls `task(n)` for n from 0 to count - 1, here or on other threads.
/// \errors those of `configurations::size`; besides
///         outside_domain  `seconds`: it ends beyond the last configuration
///         malformed       `errors`: neither empty nor as long as `seconds`
/// \return how many configurations were looked at
template <std::size_t Width = native_lanes, class M, class Describe, class Broken,
          class Run = one_after_another>
result<std::size_t> sweep(const M& m, const configurations<Describe, Broken>& c,
                          std::span<double> seconds, std::span<model_error> errors = {},
                          std::size_t first = 0, const Run& run = {}) {
    const auto size = c.size();
    if (!size) return size.error();
    if (first > *size || seconds.size() > *size - first) {
        return model_error{errc::outside_domain, "seconds"};
    }
    if (!errors.empty() && errors.size() != seconds.size()) {
        return model_error{errc::malformed, "errors"};
    }
    const auto part = [](auto all, std::size_t from, std::size_t most) {
        return all.subspan(from, core::min(all.size() - from, most));
    };
    const std::size_t tasks =
        (seconds.size() + detail::tune::sweep_task - 1) / detail::tune::sweep_task;
    run(tasks, [&](std::size_t n) {
        const std::size_t start = n * detail::tune::sweep_task;
        const std::size_t end = start + part(seconds, start, detail::tune::sweep_task).size();
        for (std::size_t at = start; at < end; at += detail::tune::sweep_chunk) {
            detail::tune::sweep_part<Width>(
                m, c, first + at, part(seconds, at, detail::tune::sweep_chunk),
                errors.empty() ? errors : part(errors, at, detail::tune::sweep_chunk));
        }
    });
    return seconds.size();
}

}  // namespace warpgauge

#endif
