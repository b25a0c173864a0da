// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_BAR_CHART_HPP
#define WARPGAUGE_REPORT_BAR_CHART_HPP

#include <algorithm>
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

namespace warpgauge::report {

/// A bar of every series in every group. Values that are not finite or not above zero have no bar.
struct bar_chart {
    struct series {
        std::string label{};
        std::vector<double> values{};  ///< one for each group
    };

    std::string title{};
    std::string y_label{};
    std::vector<std::string> groups{};
    std::vector<series> all{};
    int digits = 1;  ///< after the point, of the figure over a bar
};

inline std::ostream& operator<<(std::ostream& out, const bar_chart& c) {
    constexpr std::array colours{"#bbbbbb", "#66ccee", "#4477aa", "#ccbb44",
                                 "#ee6677", "#aa3377", "#228833", "#000000"};
    constexpr double left = 56;
    constexpr double top = 34;
    constexpr double height = 260;
    constexpr double bar = 26;
    constexpr double gap = 26;
    const double group = bar * static_cast<double>(c.all.size()) + gap;
    const double plot = group * static_cast<double>(c.groups.size());
    const double width = left + plot + 170;
    double most = 0;
    const auto shown = [](double v) { return std::isfinite(v) && v > 0 && v < 1e150; };
    for (const auto& s : c.all) {
        for (const double v : s.values) {
            if (shown(v)) most = core::max(most, v);
        }
    }
    if (most <= 0) most = 1;
    const auto n = [](double x) { return fixed(x, 1); };  // whatever the stream's locale
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << n(width) << "\" height=\""
        << n(top + height + 40) << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"" << n(left)
        << "\" y=\"18\" font-size=\"14\">" << detail::escaped(c.title) << "</text>\n"
        << "<text transform=\"translate(16," << n(top + height / 2)
        << ") rotate(-90)\" text-anchor=\"middle\">" << detail::escaped(c.y_label) << "</text>\n"
        << "<line x1=\"" << n(left) << "\" y1=\"" << n(top + height) << "\" x2=\"" << n(left + plot)
        << "\" y2=\"" << n(top + height) << "\" stroke=\"black\"/>\n";
    for (std::size_t g = 0; g < c.groups.size(); ++g) {
        const double from = left + group * static_cast<double>(g) + gap / 2;
        out << "<text x=\"" << n(from + (group - gap) / 2) << "\" y=\"" << n(top + height + 18)
            << "\" text-anchor=\"middle\">" << detail::escaped(c.groups[g]) << "</text>\n";
        for (std::size_t i = 0; i < c.all.size(); ++i) {
            if (g >= c.all[i].values.size() || !shown(c.all[i].values[g])) continue;
            const double v = c.all[i].values[g];
            const double tall = v / most * (height - 16);
            const double x = from + bar * static_cast<double>(i);
            out << "<rect x=\"" << n(x + 1) << "\" y=\"" << n(top + height - tall) << "\" width=\""
                << n(bar - 2) << "\" height=\"" << n(tall) << "\" fill=\""
                << colours[i % colours.size()] << "\"/><text x=\"" << n(x + bar / 2) << "\" y=\""
                << n(top + height - tall - 4) << "\" text-anchor=\"middle\" font-size=\"10\">"
                << fixed(v, c.digits) << "</text>\n";
        }
    }
    for (std::size_t i = 0; i < c.all.size(); ++i) {
        const double y = top + 10 + 18 * static_cast<double>(i);
        out << "<rect x=\"" << n(left + plot + 12) << "\" y=\"" << n(y)
            << "\" width=\"11\" height=\"11\""
            << " fill=\"" << colours[i % colours.size()] << "\"/><text x=\"" << n(left + plot + 28)
            << "\" y=\"" << n(y + 10) << "\">" << detail::escaped(c.all[i].label) << "</text>\n";
    }
    return out << "</svg>\n";
}

}  // namespace warpgauge::report

#endif
