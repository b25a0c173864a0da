// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_GANTT_HPP
#define WARPGAUGE_REPORT_GANTT_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/svg_frame.hpp>

/// \file Schedules as Gantt charts, with a row for each warp and a column for each cycle.

namespace WARPGAUGE_NAMESPACE::report {

/// The maximum number of cells of a chart: warps times cycles.
inline constexpr std::uint64_t max_gantt_cells = 1'000'000;

namespace detail {

/// A character for each warp and cycle, row by row: the symbol of what executes, or '.'.
inline result<std::string> gantt_cells(const makespan_problem& p, const makespan_schedule& s,
                                       std::uint64_t& makespan) {
    const auto checked = check_schedule(p, s);
    if (!checked) return checked.error();
    makespan = *checked;
    if (makespan > max_gantt_cells / p.warps) return model_error{errc::limit_reached, "schedule"};
    const auto all = unit_types_of(p.slots);
    const auto kinds = expanded_types(p, *all);
    if (!kinds) return kinds.error();
    std::string cells(static_cast<std::size_t>(p.warps * makespan), '.');
    for (std::size_t w = 0; w < s.warps(); ++w) {
        for (std::size_t i = 0; i < s.instructions; ++i) {
            cells[w * static_cast<std::size_t>(makespan) + s.at(w, i) - 1] =
                p.slots[(*kinds)[i]].symbol;
        }
    }
    return cells;
}

}  // namespace detail

/// A schedule as text; returns its makespan.
/// \errors as `check_schedule`; besides, limit_reached `schedule`: more than `max_gantt_cells`
inline result<std::uint64_t> write_gantt(std::ostream& out, const makespan_problem& p,
                                         const makespan_schedule& s) {
    std::uint64_t makespan = 0;
    const auto cells = detail::gantt_cells(p, s, makespan);
    if (!cells) return cells.error();
    const auto width = static_cast<std::size_t>(makespan);
    for (std::size_t at = 0; at < cells->size(); at += width) {
        out << "  " << std::string_view(*cells).substr(at, width) << '\n';
    }
    return makespan;
}

/// A schedule as an SVG picture; returns its makespan.
/// \errors as `write_gantt`
inline result<std::uint64_t> write_gantt_svg(std::ostream& out, const makespan_problem& p,
                                             const makespan_schedule& s) {
    constexpr std::array colours{"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                 "#66ccee", "#aa3377", "#bbbbbb", "#dd8844"};
    constexpr std::uint64_t cell = 24;
    constexpr std::uint64_t left = 64;
    constexpr std::uint64_t top = 58;
    std::uint64_t makespan = 0;
    const auto cells = detail::gantt_cells(p, s, makespan);
    if (!cells) return cells.error();
    const std::string cycles = std::to_string(makespan) + " cycles";
    const std::string title = "Schedule of " + cycles;
    const double width = core::max(static_cast<double>(left + makespan * cell + 8),
                                   left + detail::title_width(title));
    const double height = static_cast<double>(top + p.warps * cell + 8);
    const std::string words = "A row for each of " + std::to_string(p.warps) +
                              " warps, a column for each of " + cycles +
                              ", with the unit that executes.";
    detail::begin_svg(out, {width, height, left, title, words});
    out << "<g text-anchor=\"middle\">\n";
    for (std::uint64_t t = 1; t <= makespan; ++t) {
        out << "<text x=\"" << left + (t - 1) * cell + cell / 2 << "\" y=\"" << top - 8 << "\">"
            << t << "</text>\n";
    }
    for (std::uint64_t w = 0; w < p.warps; ++w) {
        const std::uint64_t y = top + w * cell;
        out << "<text x=\"" << left / 2 << "\" y=\"" << y + 16 << "\">warp " << w + 1
            << "</text>\n";
        for (std::uint64_t t = 0; t < makespan; ++t) {
            const char symbol = (*cells)[static_cast<std::size_t>(w * makespan + t)];
            if (symbol == '.') continue;
            const std::size_t k = unit_types::find(p.slots, symbol);
            const std::uint64_t x = left + t * cell;
            out << "<rect x=\"" << x + 1 << "\" y=\"" << y + 1 << "\" width=\"" << cell - 2
                << "\" height=\"" << cell - 2 << "\" fill=\"" << colours[k] << "\"/>\n";
            // A symbol is any character; only letters and digits are written, as no other is safe in XML.
            if ((symbol >= 'A' && symbol <= 'Z') || (symbol >= 'a' && symbol <= 'z') ||
                (symbol >= '0' && symbol <= '9')) {
                out << "<text x=\"" << x + cell / 2 << "\" y=\"" << y + 16 << "\" fill=\"white\">"
                    << symbol << "</text>\n";
            }
        }
    }
    out << "</g>\n";
    detail::end_svg(out);
    return makespan;
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
