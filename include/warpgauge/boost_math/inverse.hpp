// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BOOST_MATH_INVERSE_HPP
#define WARPGAUGE_BOOST_MATH_INVERSE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <warpgauge/boost_math/locate.hpp>
#include <warpgauge/boost_math/time_by_parameter.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>

/// \file Inverse questions: the value of a parameter that gives a required time, and the values at which two
/// alternatives take equally long. It is opt-in, since it needs Boost.Math.
///
/// A parameter of the model's device or of the kernel has a name:
///
///     find_threshold(mwp_cwp_model{gpu}, kernel, "dram_bytes_per_s",
///                    {.low = 1e11, .high = 1e13, .target_seconds = 1e-3});
///
/// Any other parameter is a function: `seconds(x)` gives a `result<double>`, the predicted time with the parameter at
/// `x`, whatever it changes in device or kernel. `min_value_for`, `max_value_for` and `crossovers` take such
/// functions.
///
/// Times need not be monotone or continuous in the parameter. A search evaluates the range on a grid
/// that is even in the logarithm, and then locates every change between its points. It misses a change and its
/// opposite between two points of the grid.

namespace WARPGAUGE_NAMESPACE {

/// Whether the range has a value that meets the target.
enum class answer : std::uint8_t {
    at,      ///< from, or up to, `value`
    never,   ///< nowhere in the range
    always,  ///< in the whole range
};

/// The value in words: "nowhere in the range".
[[nodiscard]] constexpr std::string_view name(answer which) noexcept {
    switch (which) {
        case answer::at: return "at a value";
        case answer::never: return "nowhere in the range";
        case answer::always: return "in the whole range";
    }
    return "unknown";
}

/// Which of the values that meet a target is wanted.
enum class extreme : std::uint8_t {
    minimum,  ///< the smallest value
    maximum,  ///< the largest value
};

/// The extreme in a word: "minimum".
[[nodiscard]] constexpr std::string_view name(extreme which) noexcept {
    return which == extreme::minimum ? "minimum" : "maximum";
}

/// The value in a range at which a condition begins or ceases to hold.
struct threshold {
    answer which{};  ///< whether there is such a value
    double value{};  ///< the extreme value that meets the target; for `always` an end of the range
    double seconds{};  ///< s, the time there
    bool jump{};       ///< the time steps over the target: just beyond `value` a step misses it
};

/// A value at which the order of two alternatives changes.
struct crossover {
    double value{};             ///< of the parameter
    double first_seconds{};     ///< s, of the first alternative there
    double second_seconds{};    ///< s, of the second
    bool first_faster_below{};  ///< the first is faster below `value`, else above
    bool jump{};  ///< one alternative steps over the other, so that they are not equal there
};

/// The extreme value from `low` to `high` at which the time is at most `target_seconds`.
struct threshold_question {
    double low{};                     ///< > 0
    double high{};                    ///< > `low`
    double target_seconds{};          ///< s, > 0
    extreme find = extreme::minimum;  ///< which of the values that meet the target
    std::size_t points = 256;         ///< of the grid, >= 2
};

/// A search for every value from `low` to `high` at which the order of two alternatives changes.
struct crossover_question {
    double low{};              ///< > 0
    double high{};             ///< > `low`
    std::size_t points = 256;  ///< of the grid, >= 2
};

/// The grid of a search.
struct inverse_options {
    std::size_t points = 256;  ///< of the grid, >= 2
};

/// The value that the parameter of that name, of the model's device or of `k`, must have, with all others unchanged. A
/// value at which the model has an error does not meet the target.
/// \errors unknown_parameter  `parameter`, by its name: neither the device nor the profile has it
///         not_positive       `low`, `high`, `target_seconds`, or `seconds` is not a finite number above zero
///         outside_domain     `high`: not above `low`; `points`: below 2
///         limit_reached      `points`: above 2^24
///         the model's own, if it has one at every point of the grid
template <placeable_model Model>
[[nodiscard]] result<threshold> find_threshold(const Model& model, const kernel_profile<>& k,
                                               std::string_view parameter,
                                               const threshold_question& question);

/// Every value of the parameter of that name at which the faster of two models, such as one model on two devices,
/// becomes the slower one, in order. A parameter of the device changes in both. The list is empty if one of them is
/// never slower. If one has an error, neither is faster.
/// \errors as `find_threshold`, of both models; the model's own, if the two can be compared at no point
template <placeable_model First, placeable_model Second>
[[nodiscard]] result<std::vector<crossover>> find_crossovers(const First& first,
                                                             const Second& second,
                                                             const kernel_profile<>& k,
                                                             std::string_view parameter,
                                                             const crossover_question& question);

/// The smallest value from `low` to `high` at which `seconds(value)` is at most `target_seconds`.
/// \errors as `find_threshold`
template <class Seconds>
[[nodiscard]] result<threshold> min_value_for(const Seconds& seconds, double low, double high,
                                              double target_seconds,
                                              const inverse_options& options = {});

/// The largest such value.
template <class Seconds>
[[nodiscard]] result<threshold> max_value_for(const Seconds& seconds, double low, double high,
                                              double target_seconds,
                                              const inverse_options& options = {});

/// The crossovers of two functions from a value to a time.
/// \errors as `find_crossovers`
template <class First, class Second>
[[nodiscard]] result<std::vector<crossover>> crossovers(const First& first, const Second& second,
                                                        double low, double high,
                                                        const inverse_options& options = {});

// --- How

namespace detail::boost_math {

template <class Seconds>
class threshold_search {
public:
    threshold_search(Seconds& seconds, const threshold_question& question)
        : seconds_(seconds), question_(question) {}

    [[nodiscard]] result<threshold> run() {
        if (const auto bad = check_range(question_.low, question_.high, question_.points)) {
            return bad;
        }
        if (!core::positive(question_.target_seconds)) {
            return model_error{errc::not_positive, "target_seconds"};
        }
        double before = 0;
        for (std::size_t n = 0; n < question_.points; ++n) {
            const double x = point(n);
            if (margin(x) <= 0) return n == 0 ? from_the_start(x) : between(x, before);
            before = x;
        }
        if (!any_) return first_error_;
        return threshold{.which = answer::never};
    }

private:
    Seconds& seconds_;
    const threshold_question& question_;
    model_error first_error_{};
    bool any_ = false;  ///< some value has a time

    /// The n-th point of the grid, from the end where the extreme is.
    [[nodiscard]] double point(std::size_t n) const {
        const std::size_t place = question_.find == extreme::minimum ? n : question_.points - 1 - n;
        return grid_point(question_.low, question_.high, place, question_.points);
    }

    /// The logarithm of the time less that of the target: at most 0 where `x` meets the target; infinite where the
    /// model has an error.
    [[nodiscard]] double margin(double x) {
        const result<double> t = seconds_(x);
        if (t && core::positive(*t)) {
            any_ = true;
            return log_ratio(*t, question_.target_seconds);
        }
        if (!first_error_) {
            first_error_ = t ? model_error{errc::not_positive, "seconds"} : t.error();
        }
        return std::numeric_limits<double>::infinity();
    }

    [[nodiscard]] threshold from_the_start(double x) {
        threshold t{.which = answer::always, .value = x};
        for (std::size_t n = 0; n < question_.points && t.which == answer::always; ++n) {
            if (!(margin(grid_point(question_.low, question_.high, n, question_.points)) <= 0)) {
                t.which = answer::at;
            }
        }
        t.seconds = *seconds_(t.value);
        return t;
    }

    [[nodiscard]] threshold between(double holds, double fails) {
        const auto margin_at = [&](double at) { return margin(at); };
        threshold t{.which = answer::at, .value = locate(margin_at, holds, fails)};
        t.jump = std::fabs(margin(t.value)) > 1e-9;
        t.seconds = *seconds_(t.value);
        return t;
    }
};

template <class First, class Second>
class crossover_search {
public:
    crossover_search(First& first, Second& second, const crossover_question& question)
        : first_(first), second_(second), question_(question) {}

    [[nodiscard]] result<std::vector<crossover>> run() {
        if (const auto bad = check_range(question_.low, question_.high, question_.points)) {
            return bad;
        }
        std::vector<crossover> found;
        double before = 0;  // the last point at which one was faster
        double lead_before = 0;
        for (std::size_t n = 0; n < question_.points; ++n) {
            const double x = grid_point(question_.low, question_.high, n, question_.points);
            const double now = lead(x);
            if (std::isnan(now)) {
                lead_before = 0;
                continue;
            }
            if (now == 0) continue;
            if (lead_before != 0 && (now < 0) != (lead_before < 0)) {
                found.push_back(between(before, x, lead_before < 0));
            }
            before = x;
            lead_before = now;
        }
        if (!any_) return first_error_;
        return found;
    }

private:
    First& first_;
    Second& second_;
    const crossover_question& question_;
    model_error first_error_{};
    bool any_ = false;  ///< at some value both have a time

    /// Below 0 where the first is faster; no number where either has none.
    [[nodiscard]] double lead(double x) {
        const result<double> a = first_(x);
        const result<double> b = second_(x);
        if (a && b && core::positive(*a) && core::positive(*b)) {
            any_ = true;
            return log_ratio(*a, *b);
        }
        if (!first_error_) {
            first_error_ = !a   ? a.error()
                           : !b ? b.error()
                                : model_error{errc::not_positive, "seconds"};
        }
        return std::numeric_limits<double>::quiet_NaN();
    }

    [[nodiscard]] crossover between(double before, double after, bool first_faster_below) {
        const double sign = first_faster_below ? 1 : -1;
        const auto margin = [&](double at) { return sign * lead(at); };
        crossover c{.value = locate(margin, before, after),
                    .first_faster_below = first_faster_below};
        c.first_seconds = *first_(c.value);
        c.second_seconds = *second_(c.value);
        c.jump = std::fabs(lead(c.value)) > 1e-9;
        return c;
    }
};

}  // namespace detail::boost_math

template <placeable_model Model>
result<threshold> find_threshold(const Model& model, const kernel_profile<>& k,
                                 std::string_view parameter, const threshold_question& question) {
    detail::boost_math::time_by_parameter<Model> seconds(model, k, parameter);
    if (const auto bad = seconds.error()) return bad;
    return detail::boost_math::threshold_search(seconds, question).run();
}

template <placeable_model First, placeable_model Second>
result<std::vector<crossover>> find_crossovers(const First& first, const Second& second,
                                               const kernel_profile<>& k,
                                               std::string_view parameter,
                                               const crossover_question& question) {
    detail::boost_math::time_by_parameter<First> first_seconds(first, k, parameter);
    detail::boost_math::time_by_parameter<Second> second_seconds(second, k, parameter);
    if (const auto bad = first_seconds.error()) return bad;
    if (const auto bad = second_seconds.error()) return bad;
    return detail::boost_math::crossover_search(first_seconds, second_seconds, question).run();
}

template <class Seconds>
result<threshold> min_value_for(const Seconds& seconds, double low, double high,
                                double target_seconds, const inverse_options& options) {
    const threshold_question question{low, high, target_seconds, extreme::minimum, options.points};
    return detail::boost_math::threshold_search(seconds, question).run();
}

template <class Seconds>
result<threshold> max_value_for(const Seconds& seconds, double low, double high,
                                double target_seconds, const inverse_options& options) {
    const threshold_question question{low, high, target_seconds, extreme::maximum, options.points};
    return detail::boost_math::threshold_search(seconds, question).run();
}

template <class First, class Second>
result<std::vector<crossover>> crossovers(const First& first, const Second& second, double low,
                                          double high, const inverse_options& options) {
    const crossover_question question{low, high, options.points};
    return detail::boost_math::crossover_search(first, second, question).run();
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
