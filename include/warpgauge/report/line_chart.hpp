// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_LINE_CHART_HPP
#define WARPGAUGE_REPORT_LINE_CHART_HPP

#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/axis_scale.hpp>
#include <warpgauge/report/colours.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/svg_frame.hpp>
#include <warpgauge/report/table.hpp>

/// \file Curves as an SVG picture.

namespace WARPGAUGE_NAMESPACE::report {

/// A point of a curve, in the units of the axes.
struct point {
    double x{};  ///< from left to right
    double y{};  ///< from bottom to top
};

/// A curve, or a series of points.
struct curve {
    std::string label{};          ///< of the curve, in the legend
    std::vector<point> points{};  ///< in the order in which lines join them
};

/// Curves over common axes. Points that are not finite (or 1e150 and beyond), or not above 1e-150 on a
/// logarithmic axis, are left out.
struct line_chart {
    std::string title{};    ///< above the chart
    std::string x_label{};  ///< the name of x, with its unit
    std::string y_label{};  ///< the name of y, with its unit
    bool log_x = false;     ///< whether the x axis is logarithmic
    bool log_y = false;     ///< whether the y axis is logarithmic
    /// A vertical line at x, with its label below the title; none without a label.
    struct mark {
        double x{};           ///< on the x axis
        std::string label{};  ///< such as "as it is"
    };
    mark at{};                    ///< a value with which the curves are compared
    std::vector<curve> curves{};  ///< in the order of the legend
};

/// Writes the chart as a self-contained SVG document; the same chart gives the same bytes.
inline std::ostream& operator<<(std::ostream& out, const line_chart& chart);

namespace detail {

/// Draws a line chart. All lengths are in pixels.
class line_chart_writer {
public:
    line_chart_writer(std::ostream& out, const line_chart& chart)
        : out_(out),
          chart_(chart),
          x_(scale_of(chart, &point::x, chart.log_x)),
          y_(scale_of(chart, &point::y, chart.log_y)) {
        double label = 0;
        for (const curve& c : chart.curves) label = core::max(label, text_width(c.label, 12));
        width_ = std::ceil(core::max(right + 56 + label + 8, left + title_width(chart.title) + 12));
        height_ = core::max(bottom + 56, top + 20 * static_cast<double>(chart.curves.size()) + 12);
    }

    void write() {
        const std::string words = description();
        begin_svg(out_, {width_, height_, left, chart_.title, words});
        grid();
        draw_mark();
        for (std::size_t i = 0; i < chart_.curves.size(); ++i) draw_curve(i);
        end_svg(out_);
    }

private:
    static constexpr double left = 70;
    static constexpr double right = 570;
    static constexpr double top = 46;
    static constexpr double bottom = 364;

    static bool usable(const line_chart& chart, const point& p) {
        constexpr double limit = 1e150;  // differences and quotients stay finite
        return std::fabs(p.x) < limit && std::fabs(p.y) < limit &&
               (!chart.log_x || p.x > 1 / limit) && (!chart.log_y || p.y > 1 / limit);
    }

    static axis_scale scale_of(const line_chart& chart, double point::*coordinate,
                               bool logarithmic) {
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (const curve& c : chart.curves) {
            for (const point& p : c.points) {
                if (!usable(chart, p)) continue;
                low = core::min(low, p.*coordinate);
                high = core::max(high, p.*coordinate);
            }
        }
        return {low, high, logarithmic ? division::logarithmic : division::linear};
    }

    static std::string px(double length) { return fixed(length, 1); }
    [[nodiscard]] double x_of(double value) const {
        return left + x_.place(value) * (right - left);
    }
    [[nodiscard]] double y_of(double value) const {
        return bottom - y_.place(value) * (bottom - top);
    }

    void grid() {
        for (const double tick : x_.ticks()) {
            out_ << "<path d=\"M" << px(x_of(tick)) << " " << px(top) << "V" << px(bottom)
                 << "\" stroke=\"" << detail::grid.light << "\"/>\n";
            svg_text(out_, x_of(tick), bottom + 18, "middle", tick_text(tick), " class=\"tick\"");
        }
        for (const double tick : y_.ticks()) {
            out_ << "<path d=\"M" << px(left) << " " << px(y_of(tick)) << "H" << px(right)
                 << "\" stroke=\"" << detail::grid.light << "\"/>\n";
            svg_text(out_, left - 8, y_of(tick) + 4, "end", tick_text(tick), " class=\"tick\"");
        }
        svg_text(out_, (left + right) / 2, bottom + 42, "middle", chart_.x_label);
        svg_text(out_, -(top + bottom) / 2, 18, "middle", chart_.y_label,
                 " transform=\"rotate(-90)\"");
    }

    void draw_mark() {
        if (chart_.at.label.empty() || !usable(chart_, {chart_.at.x, 1})) return;
        const double place = x_.place(chart_.at.x);
        if (!(place >= 0 && place <= 1)) return;
        const double x = x_of(chart_.at.x);
        out_ << "<path class=\"mark\" d=\"M" << px(x) << ' ' << px(top) << 'V' << px(bottom)
             << "\" stroke=\"" << rule.light << "\" stroke-width=\"1.5\"/>\n";
        svg_text(out_, x, top - 6, "middle", chart_.at.label,
                 std::string(" font-size=\"11\" fill=\"") + pale_ink.light + "\"");
    }

    // The curve, and its entry in the legend. The dashes of a later curve let an equal earlier one through.
    void draw_curve(std::size_t i) {
        const curve& c = chart_.curves[i];
        const std::string line = std::string("stroke-width=\"2\" stroke=\"") +
                                 distinct_colours[i % distinct_colours.size()] +
                                 "\" stroke-dasharray=\"" +
                                 distinct_dashes[i % distinct_dashes.size()] + "\"";
        out_ << "<polyline fill=\"none\" " << line << " points=\"";
        for (const point& p : c.points) {
            if (usable(chart_, p)) out_ << px(x_of(p.x)) << "," << px(y_of(p.y)) << " ";
        }
        const double y = top + 12 + 20 * static_cast<double>(i);
        out_ << "\"/>\n<path d=\"M" << px(right + 14) << " " << px(y - 4) << "h34\" " << line
             << "/>\n";
        svg_text(out_, right + 56, y, "start", c.label);
    }

    // The axes, and where each curve begins and ends.
    [[nodiscard]] std::string description() const {
        std::string text = "Curves of " + chart_.y_label + " against " + chart_.x_label + ".";
        for (const curve& c : chart_.curves) {
            const point* first = nullptr;
            const point* last = nullptr;
            for (const point& p : c.points) {
                if (!usable(chart_, p)) continue;
                if (first == nullptr) first = &p;
                last = &p;
            }
            if (first == nullptr) continue;
            text += " " + c.label + ": from " + short_text(first->y) + " at " +
                    short_text(first->x) + " to " + short_text(last->y) + " at " +
                    short_text(last->x) + ".";
        }
        return text;
    }

    std::ostream& out_;
    const line_chart& chart_;
    axis_scale x_;
    axis_scale y_;
    double width_{};
    double height_{};
};

}  // namespace detail

inline std::ostream& operator<<(std::ostream& out, const line_chart& chart) {
    detail::line_chart_writer(out, chart).write();
    return out;
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
