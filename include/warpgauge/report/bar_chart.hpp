// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_BAR_CHART_HPP
#define WARPGAUGE_REPORT_BAR_CHART_HPP

#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/colours.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/svg_frame.hpp>
#include <warpgauge/report/table.hpp>

/// \file Bars in groups as an SVG picture: a row for each bar, with its name and its number.

namespace WARPGAUGE_NAMESPACE::report {

/// A bar of every series in every group. Values that are not finite or not above zero, or 1e150 and beyond, have no
/// bar.
struct bar_chart {
    /// A series: bars of one colour.
    struct bars {
        std::string label{};           ///< of the series, beside each of its bars
        std::vector<double> values{};  ///< one for each group
    };

    std::string title{};                ///< above the chart
    std::string value_label{};          ///< what the length of a bar means, with its unit
    std::vector<std::string> groups{};  ///< their labels, from top to bottom
    std::vector<bars> series{};         ///< in the order of the bars of a group
    int digits = 1;                     ///< after the point, of the number beside a bar
};

/// Writes the chart as a self-contained SVG document; the same chart gives the same bytes.
inline std::ostream& operator<<(std::ostream& out, const bar_chart& chart);

namespace detail {

/// Draws a bar chart. All lengths are in pixels.
class bar_chart_writer {
public:
    bar_chart_writer(std::ostream& out, const bar_chart& chart) : out_(out), chart_(chart) {
        double label = 0;
        for (const std::string& g : chart.groups) label = core::max(label, text_width(g, 12));
        if (has_headings()) {
            label = 0;
            for (const auto& bars : chart.series)
                label = core::max(label, text_width(bars.label, 12));
        }
        left_ = std::ceil(core::max(label + 16, 70.0));
        width_ = core::max(left_ + 540, left_ + title_width(chart.title) + 12);
        for (std::size_t g = 0; g < chart.groups.size(); ++g) {
            for (std::size_t s = 0; s < chart.series.size(); ++s)
                longest_ = core::max(longest_, value_of(g, s));
        }
    }

    void write() {
        const std::string words = description();
        begin_svg(out_, {width_, height(), left_, chart_.title, words});
        double y = top;
        for (std::size_t g = 0; g < chart_.groups.size(); ++g) y = group(g, y);
        out_ << "<path d=\"M" << px(left_) << ' ' << px(top) << 'V' << px(y - gap / 2)
             << "\" stroke=\"" << rule.light << "\"/>\n";
        svg_text(out_, left_, y + 12, "start", chart_.value_label);
        end_svg(out_);
    }

private:
    static constexpr double top = 40;
    static constexpr double row = 17;
    static constexpr double gap = 10;
    static constexpr double full_length = 460;

    static std::string px(double length) { return fixed(length, 1); }

    // Groups of several series have a heading; else the label of the group is that of its one bar.
    [[nodiscard]] bool has_headings() const { return chart_.series.size() > 1; }

    // 0 where there is no bar.
    [[nodiscard]] double value_of(std::size_t g, std::size_t s) const {
        const std::vector<double>& values = chart_.series[s].values;
        if (g >= values.size() || !(values[g] > 0 && values[g] < 1e150)) return 0;
        return values[g];
    }

    [[nodiscard]] std::size_t bars_of(std::size_t g) const {
        std::size_t bars = 0;
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            if (value_of(g, s) > 0) ++bars;
        }
        return bars;
    }

    [[nodiscard]] double height() const {
        double rows = 0;
        for (std::size_t g = 0; g < chart_.groups.size(); ++g) {
            rows += static_cast<double>(core::max(bars_of(g), std::size_t{1})) * row +
                    (has_headings() ? row + gap : gap / 2);
        }
        return top + rows + 28;
    }

    // Returns where the next one begins.
    double group(std::size_t g, double y) {
        if (has_headings()) {
            svg_text(out_, left_ + 6, y + 13, "start", chart_.groups[g], " font-weight=\"bold\"");
            y += row;
        }
        if (bars_of(g) == 0) {
            if (!has_headings()) svg_text(out_, left_ - 8, y + 13, "end", chart_.groups[g]);
            svg_text(out_, left_ + 6, y + 13, "start", "none",
                     std::string(" fill=\"") + pale_ink.light + "\"");
            y += row;
        }
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            if (value_of(g, s) == 0) continue;
            bar(g, s, y);
            y += row;
        }
        return y + (has_headings() ? gap : gap / 2);
    }

    void bar(std::size_t g, std::size_t s, double y) {
        const double length = value_of(g, s) / longest_ * full_length;
        svg_text(out_, left_ - 8, y + 13, "end",
                 has_headings() ? chart_.series[s].label : chart_.groups[g]);
        out_ << "<rect class=\"bar\" x=\"" << px(left_) << "\" y=\"" << px(y + 2) << "\" width=\""
             << px(length) << "\" height=\"" << px(row - 4) << "\" fill=\""
             << distinct_colours[s % distinct_colours.size()] << "\"/>\n";
        svg_text(out_, left_ + length + 6, y + 13, "start", fixed(value_of(g, s), chart_.digits));
    }

    [[nodiscard]] std::string description() const {
        std::string text = "Bars of " + chart_.value_label + ".";
        for (std::size_t g = 0; g < chart_.groups.size(); ++g) {
            text += " " + chart_.groups[g] + ":";
            if (bars_of(g) == 0) text += " none,";
            for (std::size_t s = 0; s < chart_.series.size(); ++s) {
                if (value_of(g, s) == 0) continue;
                if (has_headings()) text += " " + chart_.series[s].label;
                text += " " + fixed(value_of(g, s), chart_.digits) + ",";
            }
            text.back() = '.';
        }
        return text;
    }

    std::ostream& out_;
    const bar_chart& chart_;
    double left_{};
    double width_{};
    double longest_ = 0;
};

}  // namespace detail

inline std::ostream& operator<<(std::ostream& out, const bar_chart& chart) {
    detail::bar_chart_writer(out, chart).write();
    return out;
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
