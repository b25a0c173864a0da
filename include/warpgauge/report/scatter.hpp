// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_SCATTER_HPP
#define WARPGAUGE_REPORT_SCATTER_HPP

#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/axis_scale.hpp>
#include <warpgauge/report/colours.hpp>
#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/svg_frame.hpp>
#include <warpgauge/report/table.hpp>

/// \file Predicted against measured times as an SVG picture: points about a diagonal.

namespace WARPGAUGE_NAMESPACE::report {

/// Points over two logarithmic axes of the same range, and the line where both are equal. Points that are not between
/// 1e-150 and 1e150 are left out.
struct scatter_chart {
    std::string title{};          ///< above the chart
    std::string x_label{};        ///< the name of x, with its unit
    std::string y_label{};        ///< the name of y, with its unit
    std::vector<curve> series{};  ///< in the order of the legend
    std::size_t max_points =
        400;  ///< points of a series, > 0; of a longer one every second, third, ... is drawn
};

/// Writes the chart as a self-contained SVG document; the same chart gives the same bytes.
inline std::ostream& operator<<(std::ostream& out, const scatter_chart& chart);

namespace detail {

/// Draws a scatter chart. All lengths are in pixels.
class scatter_writer {
public:
    scatter_writer(std::ostream& out, const scatter_chart& chart)
        : out_(out), chart_(chart), axis_(range_of(chart)) {
        double label = 0;
        for (const curve& c : chart.series) label = core::max(label, text_width(c.label, 12));
        width_ = std::ceil(core::max(right + 44 + label, left + title_width(chart.title) + 12));
    }

    void write() {
        const std::string words = description();
        begin_svg(out_, {width_, bottom + 64, left, chart_.title, words});
        grid();
        for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_series(i);
        end_svg(out_);
    }

private:
    static constexpr double left = 70;
    static constexpr double top = 46;
    static constexpr double side = 410;
    static constexpr double right = left + side;
    static constexpr double bottom = top + side;

    static bool usable(const point& p) {
        const auto in_range = [](double x) { return x > 1e-150 && x < 1e150; };
        return in_range(p.x) && in_range(p.y);
    }
    static axis_scale range_of(const scatter_chart& chart) {
        double low = std::numeric_limits<double>::infinity();
        double high = 0;
        for (const curve& c : chart.series) {
            for (const point& p : c.points) {
                if (!usable(p)) continue;
                low = core::min(low, core::min(p.x, p.y));
                high = core::max(high, core::max(p.x, p.y));
            }
        }
        return {low, high, division::decimal};
    }
    static std::string px(double length) { return fixed(length, 1); }
    [[nodiscard]] double x_of(double value) const { return left + axis_.place(value) * side; }
    [[nodiscard]] double y_of(double value) const { return bottom - axis_.place(value) * side; }

    void grid() {
        for (const double tick : axis_.ticks()) {
            out_ << "<path d=\"M" << px(x_of(tick)) << " " << px(top) << "V" << px(bottom) << "M"
                 << px(left) << " " << px(y_of(tick)) << "H" << px(right) << "\" stroke=\""
                 << detail::grid.light << "\"/>\n";
            svg_text(out_, x_of(tick), bottom + 18, "middle", tick_text(tick), " class=\"tick\"");
            svg_text(out_, left - 8, y_of(tick) + 4, "end", tick_text(tick), " class=\"tick\"");
        }
        out_ << "<path d=\"M" << px(left) << " " << px(bottom) << "L" << px(right) << " " << px(top)
             << "\" stroke=\"" << rule.light << "\"/>\n";
        svg_text(out_, (left + right) / 2, bottom + 44, "middle", chart_.x_label);
        svg_text(out_, -(top + bottom) / 2, 18, "middle", chart_.y_label,
                 " transform=\"rotate(-90)\"");
    }

    // The points as one path of marks, and the entry in the legend.
    void draw_series(std::size_t i) {
        const curve& c = chart_.series[i];
        const point_mark mark = distinct_marks[i % distinct_marks.size()];
        const std::string line =
            std::string("<path fill=\"none\" stroke-linecap=\"round\" stroke-width=\"") +
            mark.thickness + "\" stroke=\"" + distinct_colours[i % distinct_colours.size()] + "\"";
        const std::size_t most = core::max(chart_.max_points, std::size_t{1});
        const std::size_t step = (c.points.size() + most - 1) / most;
        out_ << line << " stroke-opacity=\"0.6\" d=\"";
        for (std::size_t n = 0; n < c.points.size(); n += step) {
            const point& p = c.points[n];
            if (usable(p)) out_ << "M" << px(x_of(p.x)) << " " << px(y_of(p.y)) << mark.steps;
        }
        const double y = top + 12 + 20 * static_cast<double>(i);
        out_ << "\"/>\n"
             << line << " d=\"M" << px(right + 24) << " " << px(y - 4) << mark.steps << "\"/>\n";
        svg_text(out_, right + 36, y, "start", c.label);
    }

    [[nodiscard]] std::string description() const {
        std::string text = "Points of " + chart_.y_label + " against " + chart_.x_label +
                           ", and the line where both are equal.";
        for (const curve& c : chart_.series) {
            text += " " + c.label + ": " + std::to_string(c.points.size()) + " points.";
        }
        return text;
    }

    std::ostream& out_;
    const scatter_chart& chart_;
    axis_scale axis_;
    double width_{};
};

}  // namespace detail

inline std::ostream& operator<<(std::ostream& out, const scatter_chart& chart) {
    detail::scatter_writer(out, chart).write();
    return out;
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
