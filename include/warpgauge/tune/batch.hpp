// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_BATCH_HPP
#define WARPGAUGE_TUNE_BATCH_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/tune/space.hpp>

/// \file Predicted times of configurations given column by column, several at a time: `predict_batch`.
///
/// It allocates nothing. The time of a configuration has the same bits at each position in a batch. If
/// the compiler may fuse multiplications and additions, that needs `-ffp-contract=off` (docs/sweep.md).

namespace WARPGAUGE_NAMESPACE {

/// The maximum number of columns of a batch, which is more than a profile has parameters.
inline constexpr std::size_t max_columns = 128;

/// The meaning of the values of a configuration, for a batch without axes.
template <class Describe>
struct described {
    kernel_profile<> common{};  ///< what all configurations have in common
    Describe describe;          ///< `describe(point, profile)`, as of `configurations`
};
/// Deduces the type of `describe`.
template <class Describe>
described(kernel_profile<>, Describe) -> described<Describe>;

/// Predicts a batch of configurations given column by column: `columns[a][i]` is the value of axis `a` of
/// configuration i. `space` is a `described` or a `configurations`. `seconds[i]` becomes the time, or 0 if
/// `errors[i]` has an error. `errors` may be empty. If the model fails without a reason, the error is
/// `missing`, "profile". `Width` configurations are predicted at a time if `m` and `describe` take `lanes`.
/// \return the number of configurations with a time; nothing is predicted if a column has fewer entries than `seconds`
///         (`missing`, "columns", with its number from 1), if `errors` has fewer and is not empty, or if there are more
///         than `max_columns` columns
template <std::size_t Width = native_lanes, class Space, class M>
result<std::size_t> predict_batch(const Space& space, const M& m,
                                  std::span<const std::span<const double>> columns,
                                  std::span<double> seconds, std::span<model_error> errors = {});

// --- How

namespace detail::tune {

/// Whether `m` and `describe` compute with packs.
template <class M, class Describe, std::size_t Width>
inline constexpr bool takes_lanes = requires(const M& m, const Describe& describe,
                                             kernel_profile<lanes<Width>>& k) {
    m.predict(k)->seconds;
    describe(std::span<const lanes<Width>>{}, k);
};

/// The number type of the computation: `lanes`, or one `double`.
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

/// The model for many predictions: if it has a prepared form, that form.
template <class Real, class M>
auto prepared(const M& m) {
    if constexpr (requires { m.template prepared<Real>(); }) {
        return m.template prepared<Real>();
    } else {
        return m;
    }
}

/// Whether every column has an entry for each time.
[[nodiscard]] inline model_error check_columns(std::span<const std::span<const double>> columns,
                                               std::span<const double> seconds,
                                               std::span<const model_error> errors) noexcept {
    if (columns.size() > max_columns) return {errc::limit_reached, "columns"};
    for (std::size_t a = 0; a < columns.size(); ++a) {
        if (columns[a].size() < seconds.size()) {
            return {errc::missing, "columns", static_cast<std::uint32_t>(a + 1)};
        }
    }
    if (!errors.empty() && errors.size() < seconds.size()) return {errc::missing, "errors"};
    return {};
}

/// Predicts configuration `n` in all lanes, so that its time has the same bits as in a full pack.
template <class Real, class Space, class M>
[[gnu::noinline]] model_error predict_alone(const Space& space, const M& m,
                                            std::span<const std::span<const double>> columns,
                                            std::size_t n, double& seconds) {
    std::array<Real, max_columns> values;
    for (std::size_t a = 0; a < columns.size(); ++a) values[a] = Real(columns[a][n]);
    kernel_profile<Real> k = profile_in<Real>(space.common);
    space.describe(std::span<const Real>(values.data(), columns.size()), k);
    const auto e = m.predict(k);
    seconds = 0;
    if (!e) return error_of(e);
    seconds = first_of(Real(e->seconds));
    return {};
}

}  // namespace detail::tune

template <std::size_t Width, class Space, class M>
result<std::size_t> predict_batch(const Space& space, const M& m,
                                  std::span<const std::span<const double>> columns,
                                  std::span<double> seconds, std::span<model_error> errors) {
    using describe_type = std::remove_cvref_t<decltype(space.describe)>;
    using real = detail::tune::batch_real<M, describe_type, Width>;
    constexpr std::size_t width = sizeof(real) / sizeof(double);
    if (const auto bad = detail::tune::check_columns(columns, seconds, errors)) return bad;

    std::array<real, max_columns> values;
    const std::span<const real> point(values.data(), columns.size());
    kernel_profile<real> k = profile_in<real>(space.common);
    const auto model =
        detail::tune::prepared<real>(m);  // a copy, which no store of a time can change
    std::size_t predicted = 0;
    for (std::size_t first = 0; first < seconds.size(); first += width) {
        std::size_t end = first + width;
        if (end <= seconds.size()) {
            for (std::size_t a = 0; a < columns.size(); ++a) {
                values[a] = detail::tune::load<real>(columns[a].data() + first);
            }
            space.describe(point, k);
            // Not const: GCC keeps a const aggregate in memory, with all that nobody reads of it.
            if (auto e = model.predict(k)) {
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
                detail::tune::predict_alone<real>(space, m, columns, n, seconds[n]);
            if (!why) ++predicted;
            if (!errors.empty()) errors[n] = why;
        }
    }
    return predicted;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
