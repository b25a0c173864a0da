// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_MEASUREMENTS_HPP
#define WARPGAUGE_BENCHMARKS_GPU_MEASUREMENTS_HPP

#include <charconv>
#include <cstdint>
#include <istream>
#include <string>
#include <utility>
#include <vector>

#include <warpgauge/device/sm_limits.hpp>

#include "../../examples/csv.hpp"
#include "columns.hpp"

// What measure_gpu wrote, of one GPU.

struct measured {
    std::uint32_t line{};
    std::string experiment, name, unit;
    double size{}, blocks{}, threads{}, median{}, sm_clock_hz{};
};

struct measurements {
    std::string gpu, driver, runtime, date;
    warpgauge::compute_capability capability{};
    std::vector<measured> rows;
};

namespace measurements_detail {

using csv_row = csv::row<columns::count>;

// "9.0"
inline bool read_capability(std::string_view text, warpgauge::compute_capability& to) {
    const char* const end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, to.major);
    if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return false;
    const auto minor = std::from_chars(major.ptr + 1, end, to.minor);
    return minor.ec == std::errc{} && minor.ptr == end;
}

inline warpgauge::model_error read(const csv_row& r, measurements& to) {
    using namespace columns;
    using warpgauge::errc;
    const std::string gpu_name(r.at(gpu).text);
    if (gpu_name.find_first_of("\"\\") != std::string::npos) return r.error(gpu, errc::malformed);
    warpgauge::compute_capability capability;
    if (!read_capability(r.at(compute_capability).text, capability)) {
        return r.error(compute_capability, errc::malformed);
    }
    if (!warpgauge::limits_of(capability)) {
        return r.error(compute_capability, errc::unknown_compute_capability);
    }
    if (to.rows.empty()) {
        to.gpu = gpu_name;
        to.capability = capability;
        to.driver = r.at(driver).text;
        to.runtime = r.at(runtime).text;
        to.date = r.at(date).text;
    }
    if (gpu_name != to.gpu) return r.error(gpu, errc::malformed);  // one GPU a file
    measured m;
    m.line = r.line;
    m.experiment = r.at(experiment).text;
    m.name = r.at(name).text;
    m.unit = r.at(unit).text;
    double extent[6];
    for (std::size_t i = 0; i < 6; ++i) {
        if (const auto bad = r.positive(grid_x + i, extent[i])) return bad;
    }
    m.blocks = extent[0] * extent[1] * extent[2];
    m.threads = extent[3] * extent[4] * extent[5];
    for (const auto& [column, field] : {std::pair{size, &m.size}, {sm_clock_hz, &m.sm_clock_hz}}) {
        if (const auto bad = r.number(column, 0, true, *field)) return bad;
    }
    if (const auto bad = r.positive(median, m.median)) return bad;
    to.rows.push_back(std::move(m));
    return {};
}

}  // namespace measurements_detail

// All rows, in order.
// Errors, with line and column: as `csv::read_rows`; malformed (a field is no number, another GPU than
// in the first row), negative, not_positive, unknown_compute_capability; missing `row`: there is none.
inline warpgauge::result<measurements> read_measurements(std::istream& in) {
    measurements all;
    const auto bad = csv::read_rows(
        in, columns::names, columns::names.size(),
        [&](const measurements_detail::csv_row& r) { return measurements_detail::read(r, all); });
    if (bad) return bad;
    if (all.rows.empty()) return warpgauge::model_error{warpgauge::errc::missing, "row", 2, 1};
    return all;
}

#endif
