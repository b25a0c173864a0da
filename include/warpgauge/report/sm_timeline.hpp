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
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/simulate/sm.hpp>

/// \file What the warps of one SM did, as a picture: a row a warp, from issue to result.

namespace WARPGAUGE_NAMESPACE::report {

/// A picture has at most so many events.
inline constexpr std::size_t max_timeline_events = 200'000;

/// Draws the events of one simulation, `warps_per_block` rows to a block: a pale bar from the issue
/// of an instruction until its result is there, a dark one for its issue.
/// \errors missing        `events`: there are none
///         malformed      `events`, with the entry: no instruction, or complete before it is issued
///         not_positive   `warps_per_block`
///         limit_reached  `events`: more than `max_timeline_events`, or than `max_sm_warps`
inline model_error write_sm_timeline_svg(std::ostream& out, std::span<const sm_event> events,
                                         std::uint64_t warps_per_block, std::string_view title) {
    // In the order of `unit_kind`.
    constexpr std::array colours{"#4477aa", "#228833", "#117733", "#aa3377", "#ccbb44",
                                 "#ddcc77", "#ee8866", "#ee6677", "#000000", "#999999"};
    if (events.empty()) return {errc::missing, "events"};
    if (warps_per_block == 0) return {errc::not_positive, "warps_per_block"};
    if (events.size() > max_timeline_events) return {errc::limit_reached, "events"};
    std::uint64_t last = 0;
    std::uint64_t first = events.front().cycle;
    std::uint64_t warps = 0;
    std::array<bool, colours.size()> used{};
    for (std::size_t i = 0; i < events.size(); ++i) {
        const sm_event& e = events[i];
        const auto unit = static_cast<std::size_t>(e.unit);
        if (unit >= used.size() || e.completes <= e.cycle) {
            return {errc::malformed, "events", static_cast<std::uint32_t>(i + 1)};
        }
        used[unit] = true;
        first = core::min(first, e.cycle);
        last = core::max(last, e.completes);
        warps = core::max(warps, e.warp + std::uint64_t{1});
    }
    if (warps > max_sm_warps) return {errc::limit_reached, "events"};
    constexpr double width = 760;
    constexpr double left = 60;
    constexpr double row = 14;
    constexpr double gap = 5;
    constexpr double top = 48;
    const double scale = width / static_cast<double>(last - first);
    const std::uint64_t blocks = (warps - 1) / warps_per_block + 1;
    const double bottom =
        top + static_cast<double>(warps) * row + static_cast<double>(blocks) * gap;
    const auto n = [](double x) { return fixed(x, 1); };  // whatever the stream's locale
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << n(width + left + 20)
        << "\" height=\"" << n(bottom + 28) << "\" font-family=\"sans-serif\" font-size=\"11\">\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"" << n(left)
        << "\" y=\"16\" font-size=\"13\">" << detail::escaped(title) << "</text>\n";
    double x = left;
    for (std::size_t u = 0; u < colours.size(); ++u) {
        if (!used[u]) continue;
        const std::string_view what = name(static_cast<unit_kind>(u));
        out << "<rect x=\"" << n(x) << "\" y=\"26\" width=\"10\" height=\"10\" fill=\""
            << colours[u] << "\"/><text x=\"" << n(x + 14) << "\" y=\"35\">" << what << "</text>\n";
        x += 34 + 6.2 * static_cast<double>(what.size());
    }
    const auto y_of = [&](std::uint64_t warp) {
        const std::uint64_t block = warp / warps_per_block;
        return top + static_cast<double>(warp) * row + static_cast<double>(block) * gap;
    };
    for (std::uint64_t b = 0; b < blocks; ++b) {
        out << "<text x=\"4\" y=\"" << n(y_of(b * warps_per_block) + row - 3) << "\">block "
            << std::to_string(b + 1) << "</text>\n";
    }
    for (const sm_event& e : events) {
        const double from = left + static_cast<double>(e.cycle - first) * scale;
        const double length = static_cast<double>(e.completes - e.cycle) * scale;
        const char* const colour = colours[static_cast<std::size_t>(e.unit)];
        out << "<rect x=\"" << n(from) << "\" y=\"" << n(y_of(e.warp) + 1) << "\" width=\""
            << n(length) << "\" height=\"" << n(row - 2) << "\" fill=\"" << colour
            << "\" fill-opacity=\"0.25\"/><rect x=\"" << n(from) << "\" y=\"" << n(y_of(e.warp) + 1)
            << "\" width=\"" << n(core::max(scale, 1.0)) << "\" height=\"" << n(row - 2)
            << "\" fill=\"" << colour << "\"/>\n";
    }
    out << "<text x=\"" << n(left) << "\" y=\"" << n(bottom + 18) << "\">cycle "
        << std::to_string(first) << "</text><text x=\"" << n(left + width) << "\" y=\""
        << n(bottom + 18) << "\" text-anchor=\"end\">" << std::to_string(last)
        << "</text>\n</svg>\n";
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
