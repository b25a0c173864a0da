// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>
#include <string>

#include <warpgauge/report/roofline_chart.hpp>

#include "report/xml.hpp"

namespace roofline_chart_test {

using namespace warpgauge;
using report::roofline_chart;

namespace {

std::string drawn(const roofline_chart& chart) {
    std::ostringstream out;
    const auto bad = report::write_roofline_svg(out, chart);
    REQUIRE(!bad);
    CHECK(well_formed(out.str()));
    CHECK(out.str().find("nan") == std::string::npos);
    return out.str();
}

roofline_point<> point(double intensity, double rate) {
    return {.instructions_per_byte = intensity, .instructions_per_s = rate};
}

}  // namespace

TEST_CASE("a kernel that reaches both roofs stands where they meet") {
    // 100 GB/s and 400 G instructions/s meet at 4 instructions per byte.
    const std::string svg =
        drawn({.title = "a < b",
               .roofs = {100e9, 400e9},
               .kernels = {{"at & the ridge", point(4, 400e9)}, {"half way", point(2, 100e9)}}});
    CHECK(svg.find("a &lt; b") != std::string::npos);
    CHECK(svg.find("ridge at 4<") != std::string::npos);
    CHECK(svg.find(">100 GB/s from DRAM<") != std::string::npos);
    CHECK(svg.find(">400 G instructions/s issued<") != std::string::npos);
    CHECK(svg.find(
              "<title>half way: 2 instructions per byte, 100 G instructions per second, 50% of its "
              "roof</title>") != std::string::npos);
    const auto roof = elements(svg, "roof");
    const auto markers = elements(svg, "kernel");
    REQUIRE(roof.size() == 1);
    REQUIRE(markers.size() == 4);  // each in the picture and in the legend
    // The path of the roof is "Mx yLx yHx"; a marker begins with "Mx y".
    const std::string_view corner = roof[0].attribute("d");
    const std::string_view place = markers[0].attribute("d");
    CHECK(corner.substr(corner.find('L') + 1, corner.find('H') - corner.find('L') - 1) ==
          place.substr(1, place.find('m') - 1));
    CHECK(drawn({.roofs = {1, 1}}) == drawn({.roofs = {1, 1}}));
}

TEST_CASE("roofs alone, kernels far away, and above their roof") {
    CHECK(elements(drawn({.roofs = {100e9, 400e9}}), "kernel").empty());
    roofline_chart chart{.roofs = {100e9, 400e9}};
    for (int i = -40; i <= 40; i += 4) {
        chart.kernels.push_back({std::to_string(i), point(std::pow(10, i), std::pow(10, -i))});
        chart.kernels.push_back({std::to_string(i), point(std::pow(10, i), 800e9)});
    }
    const std::string svg = drawn(chart);
    CHECK(elements(svg, "kernel").size() == 2 * chart.kernels.size());
    CHECK(svg.find("200% of its roof") != std::string::npos);
}

TEST_CASE("roofs of caches are drawn where a kernel has a place under them") {
    roofline_chart chart{.title = "levels", .roofs = {100e9, 400e9}};
    chart.kernels.push_back({"plain", point(2, 100e9)});
    const std::string before = drawn(chart);
    chart.roofs.l1_bytes_per_s = 2000e9;
    chart.roofs.l2_bytes_per_s = 400e9;
    chart.roofs.shared_bytes_per_s = 2000e9;
    CHECK(drawn(chart) == before);  // no kernel has their bytes

    roofline_point<> p = point(2, 100e9);
    p.instructions = 1e9;
    p.l2_bytes = 2e9;  // 0.5 instructions per byte: at most 200 G instructions/s
    p.l1_bytes = 4e9;
    chart.kernels.push_back({"cached", p});
    const std::string svg = drawn(chart);
    CHECK(elements(svg, "level").size() == 4);  // two roofs, two marks
    CHECK(svg.find(">2000 GB/s, L1<") != std::string::npos);
    CHECK(svg.find(">400 GB/s, L2<") != std::string::npos);
    CHECK(svg.find("GB/s, shared memory<") == std::string::npos);
    CHECK(svg.find("<title>cached: 0.5 instructions per byte of L2</title>") != std::string::npos);
    CHECK(svg.find("<title>cached: 0.25 instructions per byte of L1</title>") != std::string::npos);
    // DRAM and L2 both allow 200, of which it reaches half.
    CHECK(svg.find("cached: 2 instructions per byte, 100 G instructions per second, 50% of its "
                   "roof") != std::string::npos);
    chart.kernels[1].point.l2_bytes = 8e9;  // now L2 alone allows 50
    CHECK(drawn(chart).find("200% of its roof") != std::string::npos);
    // Shared memory often has the roof of L1: its name stands on the other side.
    p.shared_bytes = 4e9;
    roofline_chart both = chart;
    both.kernels.push_back({"shared", p});
    CHECK(drawn(both).find(">2000 GB/s, shared memory<") != std::string::npos);
    // A level so slow that its roof ends left of the picture, or begins behind it, is not drawn.
    both.roofs.l2_bytes_per_s = 1e30;
    CHECK(drawn(both).find("GB/s, L2<") == std::string::npos);
    // Far away, the picture grows.
    chart.kernels[1].point.l1_bytes = 1e20;
    CHECK(elements(drawn(chart), "level").size() == 4);
}

TEST_CASE("what cannot be drawn") {
    const auto error_of = [](const roofline_chart& chart) {
        std::ostringstream out;
        const auto bad = report::write_roofline_svg(out, chart);
        CHECK(out.str().empty());
        return bad;
    };
    CHECK(error_of({}) == model_error{errc::not_positive, "dram_bytes_per_s"});
    CHECK(error_of({.roofs = {1, std::nan("")}}) ==
          model_error{errc::not_positive, "instructions_per_s"});
    CHECK(error_of({.roofs = {1e200, 1}}) == model_error{errc::overflow, "dram_bytes_per_s"});
    CHECK(error_of({.roofs = {1, 1e-200}}) == model_error{errc::overflow, "instructions_per_s"});
    CHECK(error_of({.roofs = {1, 1}, .kernels = {{"", point(1, 1)}, {"", point(0, 1)}}}) ==
          model_error{errc::not_positive, "instructions_per_byte", 2});
    CHECK(error_of({.roofs = {1, 1}, .kernels = {{"", point(1, -1)}}}) ==
          model_error{errc::not_positive, "instructions_per_s", 1});
    roofline_chart chart{.roofs = {1, 1}, .kernels = {{"", point(1, 1)}}};
    chart.roofs.l2_bytes_per_s = -1;
    CHECK(error_of(chart) == model_error{errc::not_positive, "l2_bytes_per_s"});
    chart.roofs.l2_bytes_per_s = 1;
    chart.kernels[0].point.l2_bytes = 1;
    CHECK(error_of(chart) == model_error{errc::not_positive, "instructions", 1});
    chart.kernels[0].point.l2_bytes = std::nan("");
    CHECK(error_of(chart) == model_error{errc::not_positive, "l2_bytes", 1});
}

}  // namespace roofline_chart_test
