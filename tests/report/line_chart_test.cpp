// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <limits>
#include <sstream>

#include <warpgauge/report/line_chart.hpp>

#include "report/xml.hpp"

namespace line_chart_test {

using namespace warpgauge::report;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

std::string drawn(const line_chart& c) {
    std::ostringstream out;
    out << c;
    return out.str();
}

}  // namespace

TEST_CASE("a chart is a document with every curve and label, the same each time") {
    const line_chart c{.title = "a < b & c",
                       .x_label = "x",
                       .y_label = "y",
                       .curves = {{"first", {{0, 0}, {1, 2}}}, {"second", {{0, 1}, {1, 1}}}}};
    const std::string svg = drawn(c);
    CHECK(well_formed(svg));
    CHECK(svg.find("a &lt; b &amp; c") != std::string::npos);
    CHECK(svg.find(">first<") != std::string::npos);
    CHECK(svg.find(">second<") != std::string::npos);
    CHECK(drawn(c) == svg);
    const auto lines = elements(svg);
    std::vector<std::string_view> dashes;
    for (const xml_element& e : lines) {
        if (e.tag.starts_with("polyline")) dashes.push_back(e.attribute("stroke-dasharray"));
    }
    REQUIRE(dashes.size() == 2);
    CHECK(dashes[0] != dashes[1]);
    // (0, 0) and (1, 2) are the corners of the plot.
    CHECK(svg.find("points=\"70.0,364.0 570.0,46.0 \"") != std::string::npos);
}

TEST_CASE("points that an axis cannot show are left out") {
    const line_chart c{.log_x = true,
                       .log_y = true,
                       .curves = {{"c", {{0, 1}, {1, not_a_number}, {1, 1}, {inf, 1}, {16, 4}}}}};
    CHECK(drawn(c).find("points=\"70.0,364.0 570.0,46.0 \"") != std::string::npos);
    CHECK(drawn(c).find("nan") == std::string::npos);
    const line_chart wide{.log_x = true, .curves = {{"c", {{1e-320, 1}, {1e-200, 1}, {1e140, 1}}}}};
    CHECK(drawn(wide).find("nan") == std::string::npos);
    CHECK(drawn(wide).find("inf") == std::string::npos);
    const line_chart low{.log_y = true, .curves = {{"c", {{1, 1e-200}}}, {"d", {{0, 1}, {1, 2}}}}};
    CHECK(drawn(low).find("c: from") == std::string::npos);
    CHECK(drawn(low).find("d: from 1.00 at 0 to 2.00 at 1.00") != std::string::npos);
}

TEST_CASE("a mark stands where it belongs, or nowhere") {
    line_chart c{.log_x = true, .at = {1, "now"}, .curves = {{"c", {{0.25, 1}, {4, 2}}}}};
    const std::string svg = drawn(c);
    const auto marks = elements(svg, "mark");
    REQUIRE(marks.size() == 1);
    CHECK(marks[0].attribute("d") == "M320.0 46.0V364.0");  // in the middle
    CHECK(count(svg, ">now<") == 1);
    for (const double off : {0.0, 0.1, 8.0, not_a_number, inf}) {
        c.at.x = off;
        CHECK(elements(drawn(c), "mark").empty());
    }
}

TEST_CASE("empty charts and single points are drawn too") {
    for (const bool logarithmic : {false, true}) {
        CHECK(drawn({.log_x = logarithmic, .log_y = logarithmic}).ends_with("</svg>\n"));
        const std::string one =
            drawn({.log_x = logarithmic, .log_y = logarithmic, .curves = {{"c", {{3, 5}}}}});
        CHECK(one.find("nan") == std::string::npos);
        CHECK(one.find("inf") == std::string::npos);
    }
}

}  // namespace line_chart_test
