// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include <warpgauge/by_name/predict.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/sm/neutral_groups.hpp>
#include <warpgauge/tune/batch.hpp>

using namespace warpgauge;

namespace {

/// Where in a profile the values of each column go, in bytes from its begin.
using places = std::array<std::size_t, max_axes>;

/// Finds the place of every column.
/// \errors unknown_parameter, ambiguous_name  the name of a column
template <class Real>
model_error find_places(std::span<const char* const> names, places& to) {
    kernel_profile<Real> k;
    const auto* begin = reinterpret_cast<const unsigned char*>(&k);
    for (std::size_t c = 0; c < names.size(); ++c) {
        const std::string_view name = names[c];
        bool known = false;
        for_each_possible_parameter(k, [&](std::string_view other, Real& value) {
            if (other != name) return;
            known = true;
            to[c] =
                static_cast<std::size_t>(reinterpret_cast<const unsigned char*>(&value) - begin);
        });
        if (!known) return {errc::unknown_parameter, name};
        for (std::size_t before = 0; before < c; ++before) {
            if (to[before] == to[c]) return {errc::ambiguous_name, name};
        }
    }
    return {};
}

/// Sets the values of a configuration in a profile of any type of number.
class column_setter {
public:
    model_error find(std::span<const char* const> names) {
        if (auto bad = find_places<double>(names, scalar_)) return bad;
        return find_places<lanes<native_lanes>>(names, packed_);
    }

    template <class Real>
    [[gnu::always_inline]] void operator()(std::span<const Real> point,
                                           kernel_profile<Real>& k) const {
        static_assert(std::is_trivially_copyable_v<Real>);
        const places& to = std::is_same_v<Real, double> ? scalar_ : packed_;
        auto* begin = reinterpret_cast<unsigned char*>(&k);
        for (std::size_t c = 0; c < point.size(); ++c) {
            std::memcpy(begin + to[c], &point[c], sizeof(Real));
        }
    }

private:
    places scalar_{};
    places packed_{};
};

/// What a call asks for.
struct request {
    std::string_view model;
    const any_device& device;
    described<column_setter> space;
    std::span<const std::span<const double>> columns;
    std::span<double> seconds;
    int32_t* codes;
};

/// Configurations that are predicted before their codes are written.
constexpr std::size_t chunk_size = 1024;

/// Calls `predict(columns, seconds, errors)` for a chunk of configurations after the other.
template <class Predict>
std::size_t with_codes(const request& r, const Predict& predict) {
    std::array<model_error, chunk_size> errors;
    std::array<std::span<const double>, max_axes> columns;
    std::size_t predicted = 0;
    for (std::size_t first = 0; first < r.seconds.size(); first += chunk_size) {
        const std::size_t count = std::min(chunk_size, r.seconds.size() - first);
        for (std::size_t c = 0; c < r.columns.size(); ++c) {
            columns[c] = r.columns[c].subspan(first, count);
        }
        predicted +=
            predict(std::span<const std::span<const double>>(columns.data(), r.columns.size()),
                    r.seconds.subspan(first, count), std::span(errors).first(count));
        for (std::size_t n = 0; n < count; ++n) {
            r.codes[first + n] = static_cast<int32_t>(errors[n].code);
        }
    }
    return predicted;
}

/// Several at a time, by the model as it is.
template <class Model>
std::size_t predict_by(const Model& m, const request& r) {
    const auto predict = [&](auto columns, std::span<double> seconds,
                             std::span<model_error> errors) {
        const auto count = predict_batch(r.space, m, columns, seconds, errors);
        return count ? *count : 0;
    };
    if (r.codes != nullptr) return with_codes(r, predict);
    return predict(r.columns, r.seconds, {});
}

/// A saturation model on a device whose unknown groups have neutral values: what does not depend on the configuration is
/// computed once for all.
template <class D>
struct neutral_saturation {
    saturation_model<D> model;

    template <class Real>
    [[nodiscard]] auto prepared() const {
        return prepared_saturation<D, Real>(model);
    }
    template <scalar Real>
    [[nodiscard]] auto predict(const kernel_profile<Real>& k) const {
        return prepared<Real>().predict(k);
    }
};

/// Several at a time.
template <class Model>
std::size_t predict_packs(const request& r, const Model& m) {
    return predict_by(m, r);
}
template <class D>
std::size_t predict_packs(const request& r, const saturation_model<D>& m) {
    const auto knows = [&](device_group g) { return r.device.knows(g); };
    const bool issues = knows(device_group::schedulers) || knows(device_group::issue);
    if (!issues || !knows(device_group::residency)) return predict_by(m, r);
    return with_neutral_groups(m.device, [&]<class Whole>(const Whole& whole) {
        return predict_by(neutral_saturation<Whole>{m.on(whole)}, r);
    });
}

/// One after the other.
std::size_t predict_each(const request& r) {
    std::array<double, max_axes> point{};
    kernel_profile<> k = r.space.common;
    std::size_t predicted = 0;
    for (std::size_t n = 0; n < r.seconds.size(); ++n) {
        for (std::size_t c = 0; c < r.columns.size(); ++c) point[c] = r.columns[c][n];
        r.space.describe(std::span<const double>(point.data(), r.columns.size()), k);
        const auto t = c::predict_seconds(r.model, r.device, k);
        r.seconds[n] = t ? *t : 0;
        if (t) ++predicted;
        if (r.codes != nullptr) r.codes[n] = t ? 0 : static_cast<int32_t>(t.error().code);
    }
    return predicted;
}

/// Whether predictions of a model are made in packs: those that `warpgauge_predict_columns` names.
template <class Model>
inline constexpr bool in_packs = false;
template <class D>
inline constexpr bool in_packs<roofline_model<D>> = true;
template <class D>
inline constexpr bool in_packs<mwp_cwp_model<D>> = true;
template <class D>
inline constexpr bool in_packs<saturation_model<D>> = true;

result<std::size_t> predict_all(const request& r) {
    std::size_t predicted = 0;
    const auto bad = visit_model(r.model, r.device, [&](const auto& m) -> model_error {
        if constexpr (in_packs<std::remove_cvref_t<decltype(m)>>) {
            predicted = predict_packs(r, m);
        } else {
            predicted = predict_each(r);
        }
        return {};
    });
    if (bad) return bad;
    return predicted;
}

int predict_columns(const warpgauge_device& device, const char* model,
                    const warpgauge_profile& common, const warpgauge_columns& given,
                    double* seconds, int32_t* codes, size_t* predicted, warpgauge_error* error) {
    if (given.column_count > max_axes) return c::report(error, {errc::limit_reached, "columns"});
    std::array<std::span<const double>, max_axes> columns;
    for (std::size_t n = 0; n < given.column_count; ++n) {
        if (given.names[n] == nullptr) return c::report_null(error, "names");
        if (given.columns[n] == nullptr && given.count > 0) {
            return c::report_null(error, "columns");
        }
        columns[n] = {given.columns[n], given.count};
    }
    column_setter setter;
    if (const auto bad = setter.find({given.names, given.column_count})) {
        return c::report(error, bad);
    }
    const auto count = predict_all({.model = c::asked_model(device, model),
                                    .device = device.value,
                                    .space = {common.value, setter},
                                    .columns = {columns.data(), given.column_count},
                                    .seconds = {seconds, given.count},
                                    .codes = codes});
    if (!count) return c::report(error, count.error());
    if (predicted != nullptr) *predicted = *count;
    return c::report(error, {});
}

}  // namespace

int warpgauge_predict_columns(const warpgauge_device* device, const char* model,
                              const warpgauge_profile* common,
                              const warpgauge_columns* configurations, double* seconds,
                              int32_t* codes, size_t* predicted, warpgauge_error* error) {
    const bool some = configurations != nullptr && configurations->column_count > 0;
    const bool any = configurations != nullptr && configurations->count > 0;
    static constexpr char not_needed = 0;
    return c::guarded(
        error,
        {{device, "device"},
         {common, "common"},
         {configurations, "configurations"},
         {some ? static_cast<const void*>(configurations->names) : &not_needed, "names"},
         {some ? static_cast<const void*>(configurations->columns) : &not_needed, "columns"},
         {any ? static_cast<const void*>(seconds) : &not_needed, "seconds"}},
        [&] {
            return predict_columns(*device, model, *common, *configurations, seconds, codes,
                                   predicted, error);
        });
}
