// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_LINE_CHART_HPP
#define WARPGAUGE_REPORT_LINE_CHART_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/table.hpp>

/// \file Curves as an SVG picture.

namespace warpgauge::report {

struct point {
    double x{};
    double y{};
};

struct curve {
    std::string label{};
    std::vector<point> points{};
};

/// Curves over common axes. Points that are not finite (or 1e150 and beyond), or not above 1e-150 on a
/// logarithmic axis, are left out.
struct line_chart {
    std::string title{};
    std::string x_label{};
    std::string y_label{};
    bool log_x = false;
    bool log_y = false;
    std::vector<curve> curves{};
};

/// Writes the chart as a self-contained SVG document; the same chart gives the same bytes.
inline std::ostream& operator<<(std::ostream& out, const line_chart& chart) {
    constexpr double width = 760, height = 420, left = 70, right = 190, top = 46, bottom = 56;
    constexpr auto& colours = detail::distinct_colours;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double x_low = infinity, x_high = -infinity, y_low = infinity, y_high = -infinity;
    const auto usable = [&](const point& p) {
        constexpr double most = 1e150;  // differences and quotients stay finite
        return std::fabs(p.x) < most && std::fabs(p.y) < most && (!chart.log_x || p.x > 1 / most) &&
               (!chart.log_y || p.y > 1 / most);
    };
    for (const curve& c : chart.curves) {
        for (const point& p : c.points) {
            if (!usable(p)) continue;
            x_low = core::min(x_low, p.x);
            x_high = core::max(x_high, p.x);
            y_low = core::min(y_low, p.y);
            y_high = core::max(y_high, p.y);
        }
    }
    const auto divided = [](bool logarithmic) {
        return logarithmic ? detail::division::logarithmic : detail::division::linear;
    };
    const detail::axis x(x_low, x_high, divided(chart.log_x));
    const detail::axis y(y_low, y_high, divided(chart.log_y));
    const auto px = [&](double v) { return fixed(left + x.place(v) * (width - left - right), 1); };
    const auto py = [&](double v) {
        return fixed(height - bottom - y.place(v) * (height - top - bottom), 1);
    };

    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 420\" "
           "font-family=\"sans-serif\" font-size=\"12\">\n"
           "<rect width=\"760\" height=\"420\" fill=\"white\"/>\n";
    detail::svg_text(out, left, 24, "start", chart.title, " font-size=\"15\" font-weight=\"bold\"");
    for (const double tick : x.ticks()) {
        out << "<path d=\"M" << px(tick) << " " << fixed(top, 1) << "V" << fixed(height - bottom, 1)
            << "\" stroke=\"#ddd\"/>\n";
        detail::svg_text(out, left + x.place(tick) * (width - left - right), height - bottom + 18,
                         "middle", detail::tick_text(tick));
    }
    for (const double tick : y.ticks()) {
        out << "<path d=\"M" << fixed(left, 1) << " " << py(tick) << "H" << fixed(width - right, 1)
            << "\" stroke=\"#ddd\"/>\n";
        detail::svg_text(out, left - 8,
                         height - bottom - y.place(tick) * (height - top - bottom) + 4, "end",
                         detail::tick_text(tick));
    }
    detail::svg_text(out, (left + width - right) / 2, height - 14, "middle", chart.x_label);
    detail::svg_text(out, -(top + height - bottom) / 2, 18, "middle", chart.y_label,
                     " transform=\"rotate(-90)\"");
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        const char* colour = colours[i % colours.size()];
        out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colour << "\" points=\"";
        for (const point& p : chart.curves[i].points) {
            if (usable(p)) out << px(p.x) << "," << py(p.y) << " ";
        }
        const double at = top + 12 + 20 * static_cast<double>(i);
        out << "\"/>\n<path d=\"M" << fixed(width - right + 14, 1) << " " << fixed(at - 4, 1)
            << "h22\" stroke-width=\"2\" stroke=\"" << colour << "\"/>\n";
        detail::svg_text(out, width - right + 42, at, "start", chart.curves[i].label);
    }
    return out << "</svg>\n";
}

}  // namespace warpgauge::report

#endif
