// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <warpgauge/report/bar_chart.hpp>
#include <warpgauge/report/gantt.hpp>
#include <warpgauge/report/heat_map.hpp>
#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/roofline_chart.hpp>
#include <warpgauge/report/scatter.hpp>
#include <warpgauge/report/sm_timeline.hpp>
#include <warpgauge/report/svg_frame.hpp>

#include "report/xml.hpp"

namespace svg_frame_test {

using namespace warpgauge;
using namespace warpgauge::report;

namespace {

struct picture {
    std::string kind, svg;
};

template <class Chart>
picture drawn(const std::string& kind, const Chart& chart) {
    std::ostringstream out;
    out << chart;
    return {kind, out.str()};
}

template <class Write>
picture written(const std::string& kind, Write write) {
    std::ostringstream out;
    write(out);
    return {kind, out.str()};
}

// One of every kind, all with values whose range is not round.
std::vector<picture> every_kind() {
    std::vector<picture> all;
    const std::vector<curve> curves{{"a", {{0.3, 7}, {11.7, 3.1}}}, {"b", {{1, 123}, {2, 45.6}}}};
    for (const bool log : {false, true}) {
        all.push_back(drawn("line_chart", line_chart{.title = "t < u",
                                                     .x_label = "x",
                                                     .y_label = "y",
                                                     .log_x = log,
                                                     .log_y = log,
                                                     .curves = curves}));
    }
    all.push_back(drawn("scatter", scatter_chart{.title = "t < u", .series = curves}));
    all.push_back(drawn("bar_chart", bar_chart{.title = "t < u",
                                               .groups = {"g", "h"},
                                               .series = {{"s", {1, 2}}, {"r", {3.3, 0}}}}));
    all.push_back(written("heat_map", [](std::ostream& out) {
        CHECK(!write_heat_map_svg(
            out,
            {.title = "t < u", .x = {"x", {"1", "2"}}, .y = {"y", {"1"}}, .cells = {1.3, 47.1}}));
    }));
    all.push_back(written("roofline", [](std::ostream& out) {
        CHECK(!write_roofline_svg(
            out, {.title = "t < u",
                  .roofs = {100e9, 400e9},
                  .kernels = {{"k", {.instructions_per_byte = 0.7, .instructions_per_s = 5e9}}}}));
    }));
    all.push_back(written("timeline", [](std::ostream& out) {
        const std::array<sm_event, 2> events{
            {{.cycle = 17, .completes = 39, .unit = unit_kind::integer},
             {.cycle = 21, .completes = 1234, .warp = 1, .unit = unit_kind::global_memory}}};
        CHECK(!write_sm_timeline_svg(out, events, 1, "t < u"));
    }));
    all.push_back(written("gantt", [](std::ostream& out) {
        const std::array<unit_slots, 1> slots{{{'L', 1}}};
        CHECK(write_gantt_svg(out, {"L", slots, 2}, {1, {1, 2}}).has_value());
    }));
    return all;
}

std::string_view first(const std::vector<xml_element>& all, std::string_view tag,
                       std::string_view* id) {
    for (const xml_element& e : all) {
        if (!e.tag.starts_with(tag)) continue;
        *id = e.attribute("id");
        return e.content;
    }
    return {};
}

// The number that a tick shows, its prefix included.
double number_of(std::string_view tick) {
    std::istringstream in{std::string(tick)};
    double value = 0;
    char prefix = ' ';
    in >> value >> prefix;
    return value * (prefix == 'k' ? 1e3 : prefix == 'M' ? 1e6 : prefix == 'G' ? 1e9 : 1);
}

// Does the number have at most two digits that count, or is it a power of two?
bool is_round(double tick) {
    if (tick == 0 || std::exp2(std::round(std::log2(tick))) == tick) return true;
    const double power = std::pow(10, std::floor(std::log10(std::fabs(tick)) + 1e-9) - 1);
    const double digits = tick / power;
    return std::fabs(digits - std::round(digits)) < 1e-6;
}

}  // namespace

TEST_CASE("every picture has a name and a description for a screen reader") {
    for (const picture& drawing : every_kind()) {
        const std::string& kind = drawing.kind;
        const std::string& svg = drawing.svg;
        CAPTURE(kind);
        CHECK(well_formed(svg));
        const auto all = elements(svg);
        std::string_view title_id, description_id;
        const std::string_view title = first(all, "title", &title_id);
        const std::string_view description = first(all, "desc", &description_id);
        CHECK(all[0].attribute("role") == "img");
        CHECK(all[0].attribute("aria-labelledby") == title_id);
        CHECK(all[0].attribute("aria-describedby") == description_id);
        CHECK(title_id != description_id);
        CHECK(title == (kind == "gantt" ? "Schedule of 2 cycles" : "t &lt; u"));
        CHECK(description.size() > 20);
        // The title is drawn as it is read, in one style.
        const auto shown = elements(svg, "title");
        REQUIRE(shown.size() == 1);
        CHECK(shown[0].content == title);
        CHECK(shown[0].attribute("font-size") == "15");
    }
}

TEST_CASE(
    "every picture has colours for dark pages, and only colours that the table knows for text and "
    "ground") {
    for (const picture& drawing : every_kind()) {
        const std::string& kind = drawing.kind;
        const std::string& svg = drawing.svg;
        CAPTURE(kind);
        CHECK(count(svg, "@media (prefers-color-scheme: dark)") == 1);
        CHECK(count(svg, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>") == 1);
        CHECK(count(svg, ".warpgauge [fill=\"#ffffff\"] {fill: #15181d}") == 1);
        CHECK(count(svg, "=\"#ddd\"") + count(svg, "=\"#888\"") + count(svg, "=\"#555\"") == 0);
        CHECK(count(svg, "stroke=\"black\"") <=
              (kind == "heat_map" ? 4 : 0));  // the frames of cells
    }
}

TEST_CASE("no picture has a number that is none, and its size is that of its view") {
    for (const picture& drawing : every_kind()) {
        const std::string& kind = drawing.kind;
        const std::string& svg = drawing.svg;
        CAPTURE(kind);
        CHECK(count(svg, "nan") == 0);
        CHECK(count(svg, "inf\"") == 0);
        const xml_element root = elements(svg)[0];
        CHECK(root.attribute("viewBox") == "0 0 " + std::string(root.attribute("width")) + " " +
                                               std::string(root.attribute("height")));
        CHECK(root.number("width") <= 800);
    }
}

TEST_CASE("ticks are at round numbers") {
    CHECK_FALSE(is_round(1234));
    CHECK_FALSE(is_round(0.317));
    for (const picture& drawing : every_kind()) {
        const std::string& kind = drawing.kind;
        const std::string& svg = drawing.svg;
        CAPTURE(kind);
        std::size_t ticks = 0;
        for (const xml_element& e : elements(svg)) {
            const std::string_view is = e.attribute("class");
            if (is != "tick" && is != "x" && is != "y") continue;
            CAPTURE(std::string(e.content));
            CHECK(is_round(number_of(e.content)));
            ++ticks;
        }
        CHECK(ticks >= (kind == "bar_chart" || kind == "gantt" ? 0 : 2));
    }
}

TEST_CASE("pictures of other words have other identifiers") {
    const report::detail::svg_frame one{1, 1, 0, "a", "b"};
    CHECK(report::detail::svg_id(one) == report::detail::svg_id({2, 2, 0, "a", "b"}));
    CHECK(report::detail::svg_id(one) != report::detail::svg_id({1, 1, 0, "a", "c"}));
    CHECK(report::detail::svg_id(one) != report::detail::svg_id({1, 1, 0, "ab", ""}));
}

}  // namespace svg_frame_test
