// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_SM_TIMELINE_HPP
#define WARPGAUGE_REPORT_SM_TIMELINE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/hybrid/sm.hpp>
#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/names.hpp>

/// \file What the warps of one SM did, as a picture: a row a warp, from issue to result.

namespace warpgauge::report {

/// Most events that a picture has.
inline constexpr std::size_t most_timeline_events = 200'000;

/// Draws the events of one simulation, `warps_per_block` rows to a block: a pale bar from the issue
/// of an instruction until its result is there, a dark one for its issue.
/// \errors missing        `events`: there are none
///         not_positive   `warps_per_block`
///         limit_reached  `events`: more than `most_timeline_events`, or than 4096 warps
inline model_error write_sm_timeline_svg(std::ostream& out, std::span<const sm_event> events,
                                         std::uint64_t warps_per_block, std::string_view title) {
    if (events.empty()) return {errc::missing, "events"};
    if (warps_per_block == 0) return {errc::not_positive, "warps_per_block"};
    std::uint64_t last = 0;
    std::uint64_t first = events.front().cycle;
    std::uint32_t warps = 0;
    std::array<bool, 12> used{};
    for (const sm_event& e : events) {
        first = std::min(first, e.cycle);
        last = std::max(last, e.completes);
        warps = std::max(warps, e.warp + 1);
        used[static_cast<std::size_t>(e.unit)] = true;
    }
    if (events.size() > most_timeline_events || warps > 4096) {
        return {errc::limit_reached, "events"};
    }
    // In the order of `unit_kind`.
    constexpr std::array colours{"#4477aa", "#228833", "#117733", "#aa3377", "#ccbb44", "#ddcc77",
                                 "#ee8866", "#ee6677", "#000000", "#999999", "#bbbbbb"};
    constexpr double width = 760;
    constexpr double left = 60;
    constexpr double row = 14;
    constexpr double gap = 5;
    constexpr double top = 48;
    const double scale = width / static_cast<double>(last - first);
    const std::uint64_t blocks = (warps - 1) / warps_per_block + 1;
    const double bottom =
        top + static_cast<double>(warps) * row + static_cast<double>(blocks) * gap;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width + left + 20
        << "\" height=\"" << bottom + 28 << "\" font-family=\"sans-serif\" font-size=\"11\">\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"" << left
        << "\" y=\"16\" font-size=\"13\">" << detail::escaped(std::string(title)) << "</text>\n";
    double x = left;
    for (std::size_t u = 0; u < colours.size(); ++u) {
        if (!used[u]) continue;
        const std::string_view what = name(static_cast<unit_kind>(u));
        out << "<rect x=\"" << x << "\" y=\"26\" width=\"10\" height=\"10\" fill=\"" << colours[u]
            << "\"/><text x=\"" << x + 14 << "\" y=\"35\">" << what << "</text>\n";
        x += 34 + 6.2 * static_cast<double>(what.size());
    }
    const auto y_of = [&](std::uint64_t warp) {
        const std::uint64_t block = warp / warps_per_block;
        return top + static_cast<double>(warp) * row + static_cast<double>(block) * gap;
    };
    for (std::uint64_t b = 0; b < blocks; ++b) {
        out << "<text x=\"4\" y=\"" << y_of(b * warps_per_block) + row - 3 << "\">block " << b + 1
            << "</text>\n";
    }
    for (const sm_event& e : events) {
        const double from = left + static_cast<double>(e.cycle - first) * scale;
        const double length = static_cast<double>(e.completes - e.cycle) * scale;
        const char* const colour = colours[static_cast<std::size_t>(e.unit)];
        out << "<rect x=\"" << from << "\" y=\"" << y_of(e.warp) + 1 << "\" width=\"" << length
            << "\" height=\"" << row - 2 << "\" fill=\"" << colour
            << "\" fill-opacity=\"0.25\"/><rect x=\"" << from << "\" y=\"" << y_of(e.warp) + 1
            << "\" width=\"" << std::max(scale, 1.0) << "\" height=\"" << row - 2 << "\" fill=\""
            << colour << "\"/>\n";
    }
    out << "<text x=\"" << left << "\" y=\"" << bottom + 18 << "\">cycle " << first
        << "</text><text x=\"" << left + width << "\" y=\"" << bottom + 18
        << "\" text-anchor=\"end\">" << last << "</text>\n</svg>\n";
    return {};
}

}  // namespace warpgauge::report

#endif
