// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include <warpgauge/report/heat_map.hpp>

#include "report/xml.hpp"

namespace heat_map_test {

using namespace warpgauge;
using report::heat_map;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr model_error too_large{errc::exceeds_device, "shared_bytes_per_block"};

std::string drawn(const heat_map& map) {
    std::ostringstream out;
    const auto bad = report::write_heat_map_svg(out, map);
    REQUIRE(!bad);
    CHECK(well_formed(out.str()));
    CHECK(out.str().find("nan") == std::string::npos);
    CHECK(out.str().find("inf") == std::string::npos);
    return out.str();
}

model_error error_of(const heat_map& map) {
    std::ostringstream out;
    const auto bad = report::write_heat_map_svg(out, map);
    CHECK(out.str().empty());
    return bad;
}

std::vector<std::string> numbered(std::size_t count) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < count; ++i) labels.push_back(std::to_string(i));
    return labels;
}

// 2 columns, 2 rows; the cell at the top right has no value.
heat_map small() {
    return {.title = "a < b & c",
            .x = {"threads", {"64", "128"}},
            .y = {"registers", {"16", "32"}},
            .value = "time",
            .unit = "us",
            .cells = {3.0, 1.5, 2.0, too_large}};
}

}  // namespace

TEST_CASE("every cell is there and says what it is") {
    const std::string svg = drawn(small());
    const auto cells = elements(svg, "cell");
    REQUIRE(cells.size() == 3);
    REQUIRE(elements(svg, "cell none").size() == 1);
    CHECK(svg.find("<title>threads 64, registers 16: 3 us</title>") != std::string::npos);
    CHECK(
        svg.find("<title>threads 128, registers 32: shared_bytes_per_block is more than the device "
                 "allows</title>") != std::string::npos);
    CHECK(svg.find("a &lt; b &amp; c") != std::string::npos);
    CHECK(svg.find("time, us") != std::string::npos);
    CHECK(svg.find("least: 1.50 us (threads 128, registers 16)<") != std::string::npos);
    // Columns go to the right, rows up.
    CHECK(cells[1].number("x") > cells[0].number("x"));
    CHECK(cells[1].number("y") == cells[0].number("y"));
    CHECK(cells[2].number("x") == cells[0].number("x"));
    CHECK(cells[2].number("y") < cells[0].number("y"));
    CHECK(drawn(small()) == svg);
}

TEST_CASE("the best cells are marked, whatever the values") {
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
        const std::size_t columns = 1 + random() % 9;
        const std::size_t rows = 1 + random() % 9;
        heat_map map{
            .x = {"x", numbered(columns)},
            .y = {"y", numbered(rows)},
            .logarithmic = random() % 2 == 0,
            .best = random() % 2 == 0 ? heat_map::best_is::least : heat_map::best_is::most};
        const double sign = map.best == heat_map::best_is::least ? 1 : -1;
        double best = infinite;
        for (std::size_t n = 0; n < columns * rows; ++n) {
            if (n > 0 && random() % 4 == 0) {
                map.cells.emplace_back(too_large);
            } else {
                map.cells.emplace_back(static_cast<double>(1 + random() % 7));
                best = std::min(best, sign * *map.cells.back());
            }
        }
        const std::string svg = drawn(map);
        const auto all = elements(svg);
        const auto marks = elements(svg, "best");
        std::size_t cells = 0;
        std::size_t marked = 0;
        for (const xml_element& e : all) {
            if (!e.attribute("class").starts_with("cell")) continue;
            const auto& value = map.cells[cells++];
            const bool expected = value && sign * *value == best;
            bool found = false;
            for (const xml_element& m : marks) {
                const double x = m.number("x") - e.number("x");
                const double y = m.number("y") - e.number("y");
                found = found || (x > 0 && y > 0 && x + m.number("width") < e.number("width") &&
                                  y + m.number("height") < e.number("height"));
            }
            CHECK(found == expected);
            marked += expected ? 1 : 0;
        }
        CHECK(cells == columns * rows);
        CHECK(marks.size() == 2 * (marked + 1));  // two frames each, and those of the note
    }
}

TEST_CASE("equal values have equal colours, and greater ones are darker, cell by cell") {
    heat_map map{.x = {"x", numbered(50)}, .y = {"y", {"0"}}};
    for (int i = 0; i < 50; ++i) map.cells.emplace_back(std::exp2(i / 4));
    for (const bool logarithmic : {false, true}) {
        map.logarithmic = logarithmic;
        const std::string svg = drawn(map);
        const auto cells = elements(svg, "cell");
        REQUIRE(cells.size() == 50);
        for (std::size_t i = 1; i < 50; ++i) {
            const bool same = cells[i].attribute("fill") == cells[i - 1].attribute("fill");
            if (i % 4 != 0) CHECK(same);
            if (i % 4 == 0 && logarithmic) CHECK_FALSE(same);
        }
    }
}

TEST_CASE("the ticks of the legend rise with their values, inside the bar") {
    for (const double most : {2.0, 37.0, 5e3, 1e12}) {
        for (const bool logarithmic : {false, true}) {
            heat_map map{.x = {"x", {"a", "b"}}, .y = {"y", {"c"}}, .logarithmic = logarithmic};
            map.cells = {1.0, most};
            const std::string svg = drawn(map);
            const auto ticks = elements(svg, "tick");
            const auto bar = elements(svg, "legend");
            REQUIRE(bar.size() == 1);
            REQUIRE(ticks.size() >= 2);
            for (std::size_t i = 0; i < ticks.size(); ++i) {
                const double y = ticks[i].number("y") - 4;  // the middle of a digit
                CHECK(y >= bar[0].number("y") - 0.1);
                CHECK(y <= bar[0].number("y") + bar[0].number("height") + 0.1);
                if (i == 0) continue;
                CHECK(y < ticks[i - 1].number("y") - 4 - 10);  // no overlap
                CHECK(std::stod(std::string(ticks[i].content)) >
                      std::stod(std::string(ticks[i - 1].content)));
            }
        }
    }
}

TEST_CASE("one cell, equal values, negative values, many cells and long labels") {
    CHECK(elements(drawn({.x = {"x", {"a"}}, .y = {"y", {"b"}}, .cells = {7.0}}), "best").size() ==
          4);
    for (const bool logarithmic : {false, true}) {
        const heat_map same{.x = {"x", {"a", "b"}},
                            .y = {"y", {"c"}},
                            .logarithmic = logarithmic,
                            .cells = {7.0, std::nextafter(7.0, 8.0)}};
        CHECK(elements(drawn(same), "cell").size() == 2);
    }
    heat_map map{.x = {"x", numbered(300)}, .y = {"y", numbered(300)}};
    map.x.labels[0] = std::string(60, 'w');
    for (int i = 0; i < 300 * 300; ++i) map.cells.emplace_back(100.0 - i);
    const std::string svg = drawn(map);
    CHECK(elements(svg, "cell").size() == 300 * 300);
    CHECK(count(svg, "<text") < 300);
    for (const xml_element& e : elements(svg)) {  // nothing hangs over the left edge
        if (!e.attribute("x").empty()) CHECK((e.number("x") >= 0 || count(e.tag, "rotate") == 1));
    }
}

TEST_CASE("what cannot be drawn") {
    heat_map map = small();
    map.x.labels.clear();
    CHECK(error_of(map) == model_error{errc::missing, "x.labels"});
    map = small();
    map.y.labels.clear();
    CHECK(error_of(map) == model_error{errc::missing, "y.labels"});
    map = small();
    map.cells.pop_back();
    CHECK(error_of(map) == model_error{errc::malformed, "cells"});
    for (const double value : {infinite, -infinite, std::nan(""), 1e150}) {
        map = small();
        map.cells[1] = value;
        CHECK(error_of(map) == model_error{errc::overflow, "cells", 2});
    }
    for (const double value : {0.0, -1.0, 1e-300}) {
        map = small();
        map.cells[2] = value;
        CHECK(drawn(map).size() > 0);
        map.logarithmic = true;
        CHECK(error_of(map) == model_error{errc::not_positive, "cells", 3});
    }
    map = small();
    map.cells.assign(4, too_large);
    CHECK(error_of(map) == model_error{errc::missing, "cells"});
    map = small();
    map.cells[0] = too_large;
    map.cells[1] = model_error{errc::missing, "clock_hz"};
    CHECK(drawn(map).find("no value<") != std::string::npos);
    map.x.labels.assign(1000, "");
    map.y.labels.assign(1000, "");
    CHECK(error_of(map) == model_error{errc::limit_reached, "cells"});
}

TEST_CASE("cells too low for their values have none") {
    heat_map tall{.title = "tall",
                  .x = {"threads", {"64"}},
                  .y = {"registers", numbered(200)},
                  .value = "time",
                  .unit = "us",
                  .cells = {}};
    for (int n = 0; n < 200; ++n) tall.cells.push_back(1.0 + n);
    const std::string svg = drawn(tall);
    CHECK(elements(svg, "cell").size() == 200);
    CHECK(svg.find(">150.5<") == std::string::npos);
    CHECK(svg.size() < drawn(small()).size() * 200);
}

}  // namespace heat_map_test
