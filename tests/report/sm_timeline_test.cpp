// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/report/sm_timeline.hpp>

#include "report/xml.hpp"

namespace sm_timeline_test {

using namespace warpgauge;

TEST_CASE("a picture has two bars an issue, a row a warp, and a legend of the units used") {
    const std::vector<sm_event> events{
        {.cycle = 10, .completes = 40, .warp = 0, .entry = 0, .unit = unit_kind::global_memory},
        {.cycle = 11, .completes = 20, .warp = 1, .entry = 0, .unit = unit_kind::integer},
        {.cycle = 12, .completes = 21, .warp = 2, .entry = 1, .unit = unit_kind::integer}};
    std::ostringstream out;
    CHECK(!report::write_sm_timeline_svg(out, events, 2, "a < b & c"));
    const std::string svg = out.str();
    CHECK(well_formed(svg));
    CHECK(elements(svg, "unit").size() == 2);
    const auto in_flight = elements(svg, "in-flight");
    const auto issues = elements(svg, "issue");
    REQUIRE(in_flight.size() == 2);  // integer, then global memory
    REQUIRE(issues.size() == 2);
    CHECK(count(in_flight[0].attribute("d"), "M") == 2);
    CHECK(count(in_flight[1].attribute("d"), "M") == 1);
    CHECK(count(issues[0].attribute("d"), "M") == 2);
    CHECK(in_flight[1].attribute("d") ==
          "M70.0 69.0h680.0v5h-680.0z");  // 30 cycles: all of the width, below what its warp does
    CHECK(issues[1].attribute("d") == "M70.0 59.0h22.7v15h-22.7z");
    CHECK(issues[0].attribute("d").starts_with("M92.7 77.0h22.7v10h-22.7z"));
    CHECK(count(svg, ">block ") == 2);
    CHECK(count(svg, ">global memory<") == 1);
    CHECK(count(svg, ">integer<") == 1);
    const auto ticks = elements(svg, "tick");
    REQUIRE(ticks.size() == 7);
    for (std::size_t n = 0; n < ticks.size(); ++n) {
        CHECK(ticks[n].content == std::to_string(10 + 5 * n));
    }
    CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("each unit that an event can have is drawn") {
    std::vector<sm_event> events;
    for (int n = 0; n < 11; ++n) {
        events.push_back({.cycle = 1, .completes = 2, .unit = static_cast<unit_kind>(n)});
    }
    std::ostringstream out;
    CHECK(!report::write_sm_timeline_svg(out, events, 1, "all"));
    CHECK(elements(out.str(), "unit").size() == 11);
    CHECK(out.str().find(">tensor<") != std::string::npos);
    events[0].unit = unit_kind::loop;
    CHECK(report::write_sm_timeline_svg(out, events, 1, "") ==
          model_error{errc::malformed, "events", 1});
}

TEST_CASE("nothing to draw, or too much") {
    std::ostringstream out;
    CHECK(report::write_sm_timeline_svg(out, {}, 2, "") == model_error{errc::missing, "events"});
    std::vector<sm_event> events(1);
    CHECK(report::write_sm_timeline_svg(out, events, 0, "") ==
          model_error{errc::not_positive, "warps_per_block"});
    CHECK(report::write_sm_timeline_svg(out, events, 1, "") ==
          model_error{errc::malformed, "events", 1});
    events[0].completes = 1;
    events[0].unit = static_cast<unit_kind>(77);
    CHECK(report::write_sm_timeline_svg(out, events, 1, "") ==
          model_error{errc::malformed, "events", 1});
    events[0].unit = unit_kind::integer;
    events[0].warp = 0xffff'ffff;
    CHECK(report::write_sm_timeline_svg(out, events, 1, "") ==
          model_error{errc::limit_reached, "events"});
    events[0].warp = 5000;
    CHECK(report::write_sm_timeline_svg(out, events, 1, "") ==
          model_error{errc::limit_reached, "events"});
    events.assign(report::max_timeline_events + 1, {.cycle = 0, .completes = 1});
    CHECK(report::write_sm_timeline_svg(out, events, 1, "") ==
          model_error{errc::limit_reached, "events"});
    CHECK(out.str().empty());
}

}  // namespace sm_timeline_test
