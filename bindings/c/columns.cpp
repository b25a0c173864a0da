// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <warpgauge/by_name/predict.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/tune/batch.hpp>

#include "neutral_saturation.hpp"

using namespace warpgauge;

namespace {

/// Where in a profile the values of each column go, in bytes from its begin.
using places = std::array<std::size_t, max_columns>;

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
    std::array<std::span<const double>, max_columns> columns;
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

/// Several at a time.
template <class Model>
std::size_t predict_packs(const request& r, const Model& m) {
    return predict_by(m, r);
}
template <class D>
std::size_t predict_packs(const request& r, const saturation_model<D>& m) {
    return c::with_neutral_saturation(r.device, m,
                                      [&](const auto& quick) { return predict_by(quick, r); });
}

/// One after the other.
std::size_t predict_each(const request& r) {
    std::array<double, max_columns> point{};
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

/// The columns of a call: of numbers, and of what is the same for all that is predicted at a time.
struct given_columns {
    std::vector<const char*> names{};
    std::vector<std::span<const double>> values{};
    std::vector<std::pair<std::string_view, std::span<const double>>> switches{};

    /// Where the switches change next after `first`, one of `count` configurations.
    [[nodiscard]] std::size_t end_of_run(std::size_t first, std::size_t count) const {
        std::size_t end = count;
        for (const auto& [name, column] : switches) {
            const auto same = [&](double value) { return value == column[first]; };
            const auto run = column.subspan(first, end - first);
            end = first + static_cast<std::size_t>(std::find_if_not(run.begin(), run.end(), same) -
                                                   run.begin());
        }
        return std::max(end, first + 1);  // NaN is not the same as itself
    }
};

/// Sorts the columns.
/// \errors limit_reached   `columns`
///         ambiguous_name  a switch that two columns have
result<given_columns> sorted(const warpgauge_columns& all) {
    if (all.column_count > max_columns) return model_error{errc::limit_reached, "columns"};
    given_columns to;
    for (std::size_t n = 0; n < all.column_count; ++n) {
        const std::string_view name = all.names[n];
        const std::span<const double> values{all.columns[n], all.count};
        if (!c::is_switch(name)) {
            to.names.push_back(all.names[n]);
            to.values.push_back(values);
            continue;
        }
        for (const auto& other : to.switches) {
            if (other.first == name) return model_error{errc::ambiguous_name, name};
        }
        to.switches.emplace_back(name, values);
    }
    return to;
}

/// Predicts configurations `first` to `end`, whose switches are those of `first`.
result<std::size_t> predict_run(const request& all, const given_columns& given, std::size_t first,
                                std::size_t end) {
    request r = all;
    r.seconds = all.seconds.subspan(first, end - first);
    if (r.codes != nullptr) r.codes += first;
    for (const auto& [name, column] : given.switches) {
        if (first == end) break;
        const auto bad = c::set_switch(r.space.common, name, column[first]);
        if (!bad) continue;
        std::fill(r.seconds.begin(), r.seconds.end(), 0.0);
        if (r.codes != nullptr) {
            std::fill_n(r.codes, r.seconds.size(), static_cast<int32_t>(bad.code));
        }
        return 0;
    }
    std::vector<std::span<const double>> columns;
    for (const auto& column : given.values) columns.push_back(column.subspan(first, end - first));
    r.columns = columns;
    return predict_all(r);
}

int predict_columns(const warpgauge_device& device, const char* model,
                    const warpgauge_profile& common, const warpgauge_columns& asked,
                    double* seconds, int32_t* codes, size_t* predicted, warpgauge_error* error) {
    for (std::size_t n = 0; n < std::min(asked.column_count, max_columns); ++n) {
        if (asked.names[n] == nullptr) return c::report_null(error, "names");
        if (asked.columns[n] == nullptr && asked.count > 0) return c::report_null(error, "columns");
    }
    const auto given = sorted(asked);
    if (!given) return c::report(error, given.error());
    column_setter setter;
    if (const auto bad = setter.find(given->names)) return c::report(error, bad);
    const request all{.model = c::asked_model(device, model),
                      .device = device.value,
                      .space = {common.value, setter},
                      .columns = {},
                      .seconds = {seconds, asked.count},
                      .codes = codes};
    // None, so that what is wrong with the model is said before anything is written.
    if (const auto none = predict_run(all, *given, 0, 0); !none) {
        return c::report(error, none.error());
    }
    std::size_t count = 0;
    for (std::size_t first = 0; first < asked.count;) {
        const std::size_t end = given->end_of_run(first, asked.count);
        const auto part = predict_run(all, *given, first, end);
        if (!part) return c::report(error, part.error());
        count += *part;
        first = end;
    }
    if (predicted != nullptr) *predicted = count;
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
