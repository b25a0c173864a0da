// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include <warpgauge/report/scatter.hpp>

namespace scatter_test {

using namespace warpgauge;

TEST_CASE("points lie where their times are; the diagonal joins the corners") {
    report::scatter_chart chart{.title = "a & b", .x_label = "x", .y_label = "y"};
    chart.series.push_back(
        {"first", {{1e-3, 1e-3}, {1e-2, 1}, {1, 1}, {0, 1}, {1, -1}, {1e200, 1}}});
    std::ostringstream out;
    out << chart;
    const std::string svg = out.str();
    CHECK(svg.starts_with("<svg "));
    CHECK(svg.find("a &amp; b") != std::string::npos);
    // A third of the way across, at the top; what is not above 0 or beyond 1e150 is left out.
    CHECK(svg.find("d=\"M70.0 456.0h0M206.7 46.0h0M480.0 46.0h0\"") != std::string::npos);
    CHECK(svg.find("M70.0 456.0L480.0 46.0") != std::string::npos);
    CHECK(svg.find(">first<") != std::string::npos);
}

TEST_CASE("of a long series every second point or so is drawn") {
    report::scatter_chart chart;
    chart.max_points = 10;
    chart.series.push_back({"long", std::vector<report::point>(25, {1, 2})});
    std::ostringstream out;
    out << chart;
    const std::string svg = out.str();
    std::size_t dots = 0;
    for (std::size_t at = svg.find("h0"); at != std::string::npos; at = svg.find("h0", at + 1))
        ++dots;
    CHECK(dots == 9 + 1);  // and one in the legend
}

}  // namespace scatter_test
