// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/report/host_timeline.hpp>

#include "report/xml.hpp"

namespace host_timeline_test {

using namespace warpgauge;

namespace {

const std::vector<host_task> program{host_task::allocate(0, 1), host_task::copy_to(0, 1).in(2),
                                     host_task::launch(0, 1).in(2), host_task::launch(0, 1),
                                     host_task::copy_from(0, 1).in(host_stream{0, true})};
const std::vector<host_span> spans{{0, 0}, {0, 1e-3}, {1e-3, 3e-3}, {3e-3, 3.5e-3}, {0, 4e-3}};

}  // namespace

TEST_CASE("a row a stream, a bar a copy or a kernel, and a legend of what is there") {
    std::ostringstream out;
    CHECK_FALSE(report::write_host_timeline_svg(out, program, spans, "a < b"));
    const std::string svg = out.str();
    CHECK(well_formed(svg));
    CHECK(elements(svg, "kind").size() == 3);
    const auto rows = elements(svg, "row");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].content == "default stream");
    CHECK(rows[1].content == "stream 0, not blocking");
    CHECK(rows[2].content == "stream 2");
    const auto bars = elements(svg, "bar");
    REQUIRE(bars.size() == 4);
    CHECK(bars[1].attribute("x") == "310.0");  // a quarter of 640 behind 150
    CHECK(bars[1].attribute("width") == "319.5");
    CHECK(bars[0].attribute("y") == bars[1].attribute("y"));
    CHECK(count(svg, ">milliseconds<") == 1);
}

TEST_CASE("several devices are named") {
    const std::vector tasks{host_task::launch(0, 1), host_task::launch(3, 1)};
    const std::vector<host_span> both{{0, 2}, {0, 1}};
    std::ostringstream out;
    CHECK_FALSE(report::write_host_timeline_svg(out, tasks, both, ""));
    const std::string svg = out.str();
    const auto rows = elements(svg, "row");
    REQUIRE(rows.size() == 2);
    CHECK(rows[1].content == "device 3, default stream");
    CHECK(count(svg, ">seconds<") == 1);
}

TEST_CASE("less than a millisecond is drawn in microseconds") {
    std::ostringstream out;
    CHECK_FALSE(report::write_host_timeline_svg(out, std::vector{host_task::launch(0, 1)},
                                                std::vector<host_span>{{0, 5e-6}}, ""));
    CHECK(count(out.str(), ">microseconds<") == 1);
}

TEST_CASE("nothing to draw, or no spans of these tasks") {
    std::ostringstream out;
    const auto error = [&](const std::vector<host_task>& t, const std::vector<host_span>& s) {
        return report::write_host_timeline_svg(out, t, s, "");
    };
    CHECK(error({}, {}) == model_error{errc::missing, "tasks"});
    CHECK(error({host_task::launch(0, 0)}, {{0, 0}}) == model_error{errc::missing, "tasks"});
    CHECK(error(program, {}) == model_error{errc::malformed, "spans"});
    CHECK(error({host_task::launch(0, 1)}, {{2, 1}}) == model_error{errc::malformed, "spans", 1});
    CHECK(error({host_task::launch(0, 1)}, {{-1, 1}}) == model_error{errc::malformed, "spans", 1});
    CHECK(error({host_task::launch(0, 1)}, {{0, 1e31}}) ==
          model_error{errc::malformed, "spans", 1});
    const std::size_t many = report::max_host_bars + 1;
    CHECK(error({many, host_task::launch(0, 1)}, {many, {0, 1}}) ==
          model_error{errc::limit_reached, "tasks"});
    std::vector<host_task> streams;
    for (std::uint32_t s = 0; s <= max_host_streams; ++s) {
        streams.push_back(host_task::launch(0, 1).in(s));
    }
    CHECK(error(streams, {streams.size(), {0, 1}}) == model_error{errc::limit_reached, "tasks"});
    CHECK(out.str().empty());
}

}  // namespace host_timeline_test
