// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_COLOURS_HPP
#define WARPGAUGE_REPORT_COLOURS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include <warpgauge/core/scalar.hpp>

/// \file Colours of pictures, on light and dark pages: distinct colours for every reader, and a scale from pale to
/// dark. It also has dashes and marks that differ without colour.

namespace WARPGAUGE_NAMESPACE::report::detail {

/// Colours that the colour-blind can tell apart (Okabe & Ito 2008).
inline constexpr std::array<const char*, 7> distinct_colours{
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};

/// A colour on light pages, and its counterpart on dark ones. Pictures write the light one; `svg_frame.hpp` replaces
/// it.
struct shade {
    const char* light;
    const char* dark;
};
inline constexpr shade paper{"#ffffff", "#15181d"};
inline constexpr shade ink{"#222222", "#e4e6ea"};
inline constexpr shade pale_ink{"#555555", "#a9afb8"};
inline constexpr shade rule{"#888888", "#7d848f"};
inline constexpr shade grid{"#dddddd", "#343a44"};

/// All shades, with the one distinct colour that a dark page would hide. "black" and "white" are not replaced.
inline constexpr std::array<shade, 6> shades{
    {paper, ink, pale_ink, rule, grid, {distinct_colours[6], "#ffffff"}}};

/// Dashes of lines, so that they differ without colour too; a solid line comes first.
inline constexpr std::array<const char*, 5> distinct_dashes{"none", "8 4", "2 4", "12 4 2 4",
                                                            "6 3 2 3 2 3"};

/// Marks of points, from their middle: how thick their lines are, and the steps of an SVG path.
struct point_mark {
    const char* thickness;
    const char* steps;
};
inline constexpr std::array<point_mark, 6> distinct_marks{{{"5", "h0"},
                                                           {"1.5", "m-3 0h6m-3 -3v6"},
                                                           {"1.5", "m-3 -3h6v6h-6z"},
                                                           {"1.5", "m-3 -3l6 6m0 -6l-6 6"},
                                                           {"1.5", "m0 -4l4 7h-8z"},
                                                           {"1.5", "m0 -4l4 4l-4 4l-4 -4z"}}};

/// A colour by its lightness and two opponent axes: Oklab (Ottosson 2020).
struct oklab {
    double lightness;
    double green_red;
    double blue_yellow;
};

/// Red, green and blue, each 0 to 1 and proportional to light.
using linear_rgb = std::array<double, 3>;

inline linear_rgb rgb_of(const oklab& c) {
    const auto cube = [](double x) { return x * x * x; };
    const double l = cube(c.lightness + 0.3963377774 * c.green_red + 0.2158037573 * c.blue_yellow);
    const double m = cube(c.lightness - 0.1055613458 * c.green_red - 0.0638541728 * c.blue_yellow);
    const double s = cube(c.lightness - 0.0894841775 * c.green_red - 1.2914855480 * c.blue_yellow);
    return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

/// The colour of `fraction`, 0 to 1: from pale yellow over green and blue to dark violet. Lightness falls
/// in proportion, so that equal steps look equal, in grey too.
inline linear_rgb heat_colour(double fraction) {
    constexpr std::array<oklab, 5> colours{{{0.96, -0.035, 0.105},
                                            {0.7925, -0.105, 0.085},
                                            {0.625, -0.085, -0.045},
                                            {0.4575, -0.01, -0.135},
                                            {0.29, 0.045, -0.115}}};
    const double at = (fraction > 0 ? core::min(fraction, 1.0) : 0) * (colours.size() - 1);
    const auto first = core::min(static_cast<std::size_t>(at), colours.size() - 2);
    const double part = at - static_cast<double>(first);
    const auto between = [&](double oklab::*c) {
        return colours[first].*c + part * (colours[first + 1].*c - colours[first].*c);
    };
    return rgb_of(
        {between(&oklab::lightness), between(&oklab::green_red), between(&oklab::blue_yellow)});
}

/// The colour as "#rrggbb", encoded as sRGB (IEC 61966-2-1).
inline std::string hex(const linear_rgb& colour) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text = "#";
    for (const double light : colour) {
        const double encoded =
            light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
        const auto byte =
            static_cast<std::size_t>(std::lround(255 * std::clamp(encoded, 0.0, 1.0)));
        text += digits[byte / 16];
        text += digits[byte % 16];
    }
    return text;
}

/// Black or white, whichever stands out more (WCAG 2.1, relative luminance and contrast ratio).
inline const char* ink_on(const linear_rgb& c) {
    const double luminance = 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    return (luminance + 0.05) * (luminance + 0.05) > 1.05 * 0.05 ? "black" : "white";
}

}  // namespace WARPGAUGE_NAMESPACE::report::detail

#endif
