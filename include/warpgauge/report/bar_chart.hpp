// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_BAR_CHART_HPP
#define WARPGAUGE_REPORT_BAR_CHART_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/table.hpp>

/// \file Bars in groups as an SVG picture.

namespace WARPGAUGE_NAMESPACE::report {

/// A bar of every series in every group. Values that are not finite or not above zero have no bar.
struct bar_chart {
    /// A series: bars of one colour.
    struct bars {
        std::string label{};           ///< of the series, in the legend
        std::vector<double> values{};  ///< one for each group
    };

    std::string title{};                ///< above the chart
    std::string y_label{};              ///< what the height of a bar is, with its unit
    std::vector<std::string> groups{};  ///< the labels below the groups
    std::vector<bars> series{};         ///< in the order of the legend
    int digits = 1;                     ///< after the point, of the number over a bar
};

/// Writes the chart as a self-contained SVG document; the same chart gives the same bytes.
inline std::ostream& operator<<(std::ostream& out, const bar_chart& chart);

namespace detail {

/// Draws a bar chart. All lengths are in pixels.
class bar_chart_writer {
public:
    bar_chart_writer(std::ostream& out, const bar_chart& chart)
        : out_(out),
          chart_(chart),
          group_width_(bar_width * static_cast<double>(chart.series.size()) + gap),
          plot_width_(group_width_ * static_cast<double>(chart.groups.size())) {
        double tallest = 0;
        for (const auto& bars : chart.series) {
            for (const double value : bars.values) {
                if (has_bar(value)) tallest = core::max(tallest, value);
            }
        }
        if (tallest > 0) tallest_ = tallest;
    }

    void write() {
        out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << px(left + plot_width_ + 170)
             << "\" height=\"" << px(top + height + 40)
             << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
             << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"" << px(left)
             << "\" y=\"18\" font-size=\"14\">" << escaped(chart_.title) << "</text>\n";
        axes();
        for (std::size_t g = 0; g < chart_.groups.size(); ++g) group(g);
        for (std::size_t s = 0; s < chart_.series.size(); ++s) legend(s);
        out_ << "</svg>\n";
    }

private:
    static constexpr double left = 56;
    static constexpr double top = 34;
    static constexpr double height = 260;
    static constexpr double bar_width = 26;
    static constexpr double gap = 26;
    static constexpr double number_height = 16;

    static std::string px(double length) { return fixed(length, 1); }
    static bool has_bar(double value) { return std::isfinite(value) && value > 0 && value < 1e150; }
    static const char* colour(std::size_t series) {
        constexpr std::array colours{"#bbbbbb", "#66ccee", "#4477aa", "#ccbb44",
                                     "#ee6677", "#aa3377", "#228833", "#000000"};
        return colours[series % colours.size()];
    }

    void axes() {
        out_ << "<text transform=\"translate(16," << px(top + height / 2)
             << ") rotate(-90)\" text-anchor=\"middle\">" << escaped(chart_.y_label) << "</text>\n"
             << "<line x1=\"" << px(left) << "\" y1=\"" << px(top + height) << "\" x2=\""
             << px(left + plot_width_) << "\" y2=\"" << px(top + height)
             << "\" stroke=\"black\"/>\n";
    }

    void group(std::size_t g) {
        const double from = left + group_width_ * static_cast<double>(g) + gap / 2;
        out_ << "<text x=\"" << px(from + (group_width_ - gap) / 2) << "\" y=\""
             << px(top + height + 18) << "\" text-anchor=\"middle\">" << escaped(chart_.groups[g])
             << "</text>\n";
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            const std::vector<double>& values = chart_.series[s].values;
            if (g >= values.size() || !has_bar(values[g])) continue;
            bar(from + bar_width * static_cast<double>(s), values[g], colour(s));
        }
    }

    void bar(double x, double value, const char* fill) {
        const double tall = value / tallest_ * (height - number_height);
        out_ << "<rect x=\"" << px(x + 1) << "\" y=\"" << px(top + height - tall) << "\" width=\""
             << px(bar_width - 2) << "\" height=\"" << px(tall) << "\" fill=\"" << fill
             << "\"/><text x=\"" << px(x + bar_width / 2) << "\" y=\""
             << px(top + height - tall - 4) << "\" text-anchor=\"middle\" font-size=\"10\">"
             << fixed(value, chart_.digits) << "</text>\n";
    }

    void legend(std::size_t s) {
        const double y = top + 10 + 18 * static_cast<double>(s);
        out_ << "<rect x=\"" << px(left + plot_width_ + 12) << "\" y=\"" << px(y)
             << "\" width=\"11\" height=\"11\""
             << " fill=\"" << colour(s) << "\"/><text x=\"" << px(left + plot_width_ + 28)
             << "\" y=\"" << px(y + 10) << "\">" << escaped(chart_.series[s].label) << "</text>\n";
    }

    std::ostream& out_;
    const bar_chart& chart_;
    double group_width_;
    double plot_width_;
    double tallest_ = 1;
};

}  // namespace detail

inline std::ostream& operator<<(std::ostream& out, const bar_chart& chart) {
    detail::bar_chart_writer(out, chart).write();
    return out;
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
