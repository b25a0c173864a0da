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

std::vector<xml_element> bars_of(const std::string& svg) {
    return elements(svg, "bar");
}

const bar_chart two_by_two{.title = "a < b & c",
                           .value_label = "ms",
                           .groups = {"one", "two"},
                           .series = {{"first", {1, 4}}, {"second", {2, 3}}}};

}  // namespace

TEST_CASE("a bar chart is a document with every label, the same each time") {
    const std::string svg = drawn(two_by_two);
    CHECK(well_formed(svg));
    for (const char* label : {">ms<", ">one<", ">two<", ">1.0<", ">4.0<", ">2.0<", ">3.0<"}) {
        CAPTURE(label);
        CHECK(count(svg, label) == 1);
    }
    CHECK(count(svg, ">first<") == 2);  // beside each of its bars
    CHECK(count(svg, ">second<") == 2);
    CHECK(drawn(two_by_two) == svg);
}

TEST_CASE("lengths of bars are in proportion, one below the other from one line") {
    const std::string svg = drawn(two_by_two);
    const auto bars = bars_of(svg);
    REQUIRE(bars.size() == 4);  // group by group
    const double values[] = {1, 2, 4, 3};
    for (std::size_t n = 0; n < 4; ++n) {
        CAPTURE(n);
        CHECK(bars[n].number("width") == 115 * values[n]);
        CHECK(bars[n].number("x") == bars[0].number("x"));
    }
    CHECK(bars[1].number("y") - bars[0].number("y") == 17);
    CHECK(bars[2].number("y") - bars[1].number("y") == 17 + 10 + 17);  // the next group's heading
    // A series has one colour.
    CHECK(bars[0].attribute("fill") == bars[2].attribute("fill"));
    CHECK(bars[1].attribute("fill") == bars[3].attribute("fill"));
    CHECK(bars[0].attribute("fill") != bars[1].attribute("fill"));
}

TEST_CASE("bars of one series are named after their groups") {
    const std::string svg = drawn({.groups = {"one", "two"}, .series = {{"all", {1, 2}}}});
    CHECK(count(svg, ">all<") == 0);
    CHECK(count(svg, ">one<") == 1);
    CHECK(count(svg, ">two<") == 1);
}

TEST_CASE("however many bars, the picture is no wider") {
    bar_chart c{.title = "many"};
    for (int g = 0; g < 6; ++g) c.groups.push_back(std::to_string(g));
    for (int s = 0; s < 20; ++s) c.series.push_back({"s", {1, 2, 3, 4, 5, 6}});
    CHECK(elements(drawn(c))[0].number("width") <= 760);
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
    REQUIRE(bars_of(svg).size() == 1);
    CHECK(bars_of(svg)[0].number("width") == 460);
    CHECK(count(svg, ">none<") == 5);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("a chart without bars is drawn too") {
    CHECK(well_formed(drawn({})));
    CHECK(well_formed(drawn({.groups = {"a"}, .series = {{"s", {}}}})));
    const std::string two = drawn({.groups = {"a"}, .series = {{"s", {}}, {"t", {}}}});
    CHECK(count(two, ">a<") == 1);
    CHECK(count(two, ">none<") == 1);
    CHECK(bars_of(drawn({})).empty());
}

TEST_CASE("a value of 1e150 and beyond has no bar") {
    const std::string svg =
        drawn({.title = "t",
               .value_label = "y",
               .groups = {"a", "b"},
               .series = {{"one", {1, 2.25}}, {"two", {0}}, {"<", {3, 1e200}}}});
    CHECK(well_formed(svg));
    CHECK(bars_of(svg).size() == 3);
    CHECK(count(svg, ">2.2<") + count(svg, ">2.3<") == 1);
    CHECK(count(svg, ">&lt;<") == 1);
}

}  // namespace bar_chart_test
