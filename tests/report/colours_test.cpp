// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <warpgauge/report/colours.hpp>

namespace colours_test {

using namespace warpgauge::report::detail;

TEST_CASE("lightness falls evenly, colours can be shown, and text on them can be read") {
    // CIE 1976 L* of the luminance, which is not what the scale is made from.
    const auto luminance = [](const linear_rgb& c) {
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    };
    double last = 101;
    for (int i = 0; i <= 256; ++i) {
        const auto colour = heat_colour(i / 256.0);
        for (const double channel : colour) {
            CHECK(channel >= 0);
            CHECK(channel <= 1);
        }
        const double lightness = 116 * std::cbrt(luminance(colour)) - 16;
        CHECK(lightness < last);
        if (i > 0) CHECK(last - lightness < 3 * (96.0 - 15.0) / 256);  // no leap
        last = lightness;
        const double ink = ink_on(colour) == std::string("white") ? 1.05 : 0.05;
        const double paper = luminance(colour) + 0.05;
        CHECK(std::max(ink / paper, paper / ink) >= 4.5);
    }
    CHECK(hex({1, 1, 1}) == "#ffffff");
    CHECK(hex({0, 0.2158605, 0}) == "#008000");  // IEC 61966-2-1 of 128 / 255
}

TEST_CASE("the ends of the scale, and what lies beyond them") {
    CHECK(hex(heat_colour(-1)) == hex(heat_colour(0)));
    CHECK(hex(heat_colour(2)) == hex(heat_colour(1)));
    CHECK(hex(heat_colour(std::nan(""))) == hex(heat_colour(0)));
    CHECK(ink_on(heat_colour(0)) == std::string("black"));
    CHECK(ink_on(heat_colour(1)) == std::string("white"));
    // Oklab (Ottosson 2020): lightness 1 without colour is white, lightness 0 is black.
    for (const double channel : rgb_of({1, 0, 0}))
        CHECK(channel == doctest::Approx(1).epsilon(1e-6));
    for (const double channel : rgb_of({0, 0, 0})) CHECK(channel == 0);
}

TEST_CASE("distinct colours differ") {
    const std::set<std::string> all(distinct_colours.begin(), distinct_colours.end());
    CHECK(all.size() == 7);
    for (const std::string& colour : all) CHECK(colour.size() == 7);
}

}  // namespace colours_test
