// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_SWEEP_HPP
#define WARPGAUGE_TUNE_SWEEP_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/tune/batch.hpp>
#include <warpgauge/tune/space.hpp>

/// \file The predicted time of every configuration of a space, several at a time: `sweep`.
///
/// Only `sweep(space, model)` allocates. A time has the same bits however a space is cut into parts, as in
/// `predict_batch`.

namespace WARPGAUGE_NAMESPACE {

/// Runs `task(0)` to `task(count - 1)` one after another. An executor of the caller may run them in any order and at
/// the same time; it returns when all are done.
struct one_after_another {
    /// Calls `task(n)` for n from 0 to `count` - 1.
    template <class Task>
    constexpr void operator()(std::size_t count, const Task& task) const {
        for (std::size_t n = 0; n < count; ++n) task(n);
    }
};

/// A part of a space, and the memory for its times. It begins with configuration `first` and has as many as `seconds`.
struct sweep_part {
    std::span<double> seconds{};  ///< s, of each configuration; becomes 0 if it has no time
    /// The error of a configuration without a time: `broken_constraint` with the name of the constraint, or the error
    /// of the model. Empty, or as long as `seconds`.
    std::span<model_error> errors{};
    std::size_t first{};  ///< index of the first configuration in the space
};

/// Predicts a part of a space, here or on other threads: `run(count, task)` calls `task(n)` for n from 0 to
/// `count` - 1.
/// \errors those of `configurations::size`; and
///         outside_domain  `seconds`: it ends beyond the last configuration
///         malformed       `errors`: neither empty nor as long as `seconds`
/// \return the number of configurations in the part
template <std::size_t Width = native_lanes, class M, class Describe, class Broken,
          class Run = one_after_another>
result<std::size_t> sweep(const configurations<Describe, Broken>& space, const M& m,
                          const sweep_part& to, const Run& run = {});

/// The times of all configurations of a space, as `rank` takes them.
struct swept {
    std::vector<double> seconds{};      ///< 0 if there is an error
    std::vector<model_error> errors{};  ///< of each configuration
};

/// Predicts all configurations of a space. It allocates two lists.
///
///     const auto times = sweep(space, mwp_cwp_model{gpu});
///     const auto ranking = rank(times->seconds, times->errors);
///
/// \errors those of `configurations::size`
template <std::size_t Width = native_lanes, class M, class Describe, class Broken>
[[nodiscard]] result<swept> sweep(const configurations<Describe, Broken>& space, const M& m) {
    const auto size = space.size();
    if (!size) return size.error();
    swept all;
    all.seconds.resize(*size);
    all.errors.resize(*size);
    const auto count = sweep<Width>(space, m, {.seconds = all.seconds, .errors = all.errors});
    if (!count) return count.error();
    return all;
}

// --- How

namespace detail::tune {

/// The number of configurations whose columns the nearest cache holds.
inline constexpr std::size_t chunk_size = 256;
/// The number of configurations that a task predicts.
inline constexpr std::size_t task_size = 16'384;

/// Columns of a chunk of configurations.
using chunk_columns = std::array<std::array<double, chunk_size>, max_axes>;

/// Writes the columns of configurations `first` to `first + count - 1`, run by run of the last axis.
template <class Describe, class Broken>
void fill_columns(const configurations<Describe, Broken>& c, std::size_t first, std::size_t count,
                  chunk_columns& to) {
    const std::span<const double> inner = c.axes.back().values;
    const std::size_t last = c.axes.size() - 1;
    std::array<double, max_axes> point{};
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

/// Predicts the part `to` of a space, at most a chunk.
template <std::size_t Width, class M, class Describe, class Broken>
void predict_chunk(const configurations<Describe, Broken>& c, const M& m, const sweep_part& to) {
    const auto [seconds, errors, first] = to;
    const std::size_t axes = c.axes.size();
    chunk_columns values;
    fill_columns(c, first, seconds.size(), values);
    std::array<std::span<const double>, max_axes> columns;
    const auto predict = [&](std::span<double> s, std::span<model_error> e) {
        for (std::size_t a = 0; a < axes; ++a) columns[a] = {values[a].data(), s.size()};
        (void)predict_batch<Width>(c, m, {columns.data(), axes}, s, e);  // as long as they must be
    };
    if constexpr (std::same_as<Broken, everything>) {
        predict(seconds, errors);
    } else {  // those that break no constraint move together
        std::array<double, max_axes> point{};
        std::array<std::size_t, chunk_size> place{};
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
        std::array<double, chunk_size> time;
        std::array<model_error, chunk_size> why;
        predict({time.data(), whole}, {why.data(), errors.empty() ? 0 : whole});
        for (std::size_t n = 0; n < whole; ++n) {
            seconds[place[n]] = time[n];
            if (!errors.empty()) errors[place[n]] = why[n];
        }
    }
}

}  // namespace detail::tune

template <std::size_t Width, class M, class Describe, class Broken, class Run>
result<std::size_t> sweep(const configurations<Describe, Broken>& space, const M& m,
                          const sweep_part& to, const Run& run) {
    const auto size = space.size();
    if (!size) return size.error();
    const auto [seconds, errors, first] = to;
    if (first > *size || seconds.size() > *size - first) {
        return model_error{errc::outside_domain, "seconds"};
    }
    if (!errors.empty() && errors.size() != seconds.size()) {
        return model_error{errc::malformed, "errors"};
    }
    const std::size_t task_size = detail::tune::task_size;
    const std::size_t tasks = (seconds.size() + task_size - 1) / task_size;
    run(tasks, [&, all = to](std::size_t n) {
        const std::size_t start = n * task_size;
        const std::size_t end = start + core::min(all.seconds.size() - start, task_size);
        for (std::size_t at = start; at < end; at += detail::tune::chunk_size) {
            const std::size_t count = core::min(all.seconds.size() - at, detail::tune::chunk_size);
            detail::tune::predict_chunk<Width>(
                space, m,
                {.seconds = all.seconds.subspan(at, count),
                 .errors = all.errors.empty() ? all.errors : all.errors.subspan(at, count),
                 .first = all.first + at});
        }
    });
    return seconds.size();
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
