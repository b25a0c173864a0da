// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <limits>
#include <sstream>

#include <warpgauge/report/bar_chart.hpp>

#include "report/xml.hpp"

namespace bar_chart_test {

using namespace warpgauge::report;

namespace {

std::string drawn(const bar_chart& c) {
    std::ostringstream out;
    out << c;
    return out.str();
}

// The bars and the swatches of the legend, without the background.
std::vector<xml_element> rectangles(const std::string& svg) {
    std::vector<xml_element> some;
    for (const xml_element& e : elements(svg)) {
        if (e.tag.starts_with("rect") && e.attribute("width") != "100%") some.push_back(e);
    }
    return some;
}

const bar_chart two_by_two{.title = "a < b & c",
                           .y_label = "ms",
                           .groups = {"one", "two"},
                           .series = {{"first", {1, 4}}, {"second", {2, 3}}}};

}  // namespace

TEST_CASE("a bar chart is a document with every label, the same each time") {
    const std::string svg = drawn(two_by_two);
    CHECK(well_formed(svg));
    for (const char* label : {">a &lt; b &amp; c<", ">ms<", ">one<", ">two<", ">first<", ">second<",
                              ">1.0<", ">4.0<", ">2.0<", ">3.0<"}) {
        CAPTURE(label);
        CHECK(count(svg, label) == 1);
    }
    CHECK(drawn(two_by_two) == svg);
}

TEST_CASE("heights of bars are in proportion, side by side on one line") {
    const std::string svg = drawn(two_by_two);
    const auto bars = rectangles(svg);
    REQUIRE(bars.size() == 4 + 2);  // group by group, then the legend
    const double values[] = {1, 2, 4, 3};
    for (std::size_t n = 0; n < 4; ++n) {
        CAPTURE(n);
        CHECK(bars[n].number("height") ==
              61 * values[n]);  // the tallest: 260 less 16 for its number
        CHECK(bars[n].number("y") + bars[n].number("height") == 34 + 260);
    }
    CHECK(bars[1].number("x") - bars[0].number("x") == 26);
    CHECK(bars[2].number("x") - bars[0].number("x") == 2 * 26 + 26);  // the next group
    // A series has one colour, in the legend too.
    CHECK(bars[0].attribute("fill") == bars[2].attribute("fill"));
    CHECK(bars[0].attribute("fill") == bars[4].attribute("fill"));
    CHECK(bars[1].attribute("fill") == bars[5].attribute("fill"));
    CHECK(bars[0].attribute("fill") != bars[1].attribute("fill"));
}

TEST_CASE("digits of the numbers over bars are chosen") {
    bar_chart c{.groups = {"g"}, .series = {{"s", {1.2345}}}};
    CHECK(count(drawn(c), ">1.2<") == 1);
    c.digits = 3;
    CHECK(count(drawn(c), ">1.234<") + count(drawn(c), ">1.235<") == 1);
}

TEST_CASE("what is no positive number has no bar") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    const bar_chart c{.groups = {"a", "b", "c", "d", "e", "f"},
                      .series = {{"s", {0, -1, inf, not_a_number, 2}}}};  // and none for "f"
    const std::string svg = drawn(c);
    CHECK(well_formed(svg));
    REQUIRE(rectangles(svg).size() == 1 + 1);
    CHECK(rectangles(svg)[0].number("height") == 244);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("a chart without bars is drawn too") {
    CHECK(well_formed(drawn({})));
    CHECK(well_formed(drawn({.groups = {"a"}, .series = {{"s", {}}}})));
    CHECK(rectangles(drawn({})).empty());
}

TEST_CASE("a value of 1e150 and beyond has no bar") {
    const std::string svg =
        drawn({.title = "t",
               .y_label = "y",
               .groups = {"a", "b"},
               .series = {{"one", {1, 2.25}}, {"two", {0}}, {"<", {3, 1e200}}}});
    CHECK(well_formed(svg));
    CHECK(count(svg, "<rect") == 1 + 3 + 3);  // ground, bars, legend
    CHECK(count(svg, ">2.2<") + count(svg, ">2.3<") == 1);
    CHECK(count(svg, ">&lt;<") == 1);
    CHECK(count(drawn({}), "<rect") == 1);
}

}  // namespace bar_chart_test
