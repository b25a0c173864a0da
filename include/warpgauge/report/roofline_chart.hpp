// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_ROOFLINE_CHART_HPP
#define WARPGAUGE_REPORT_ROOFLINE_CHART_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/report/axis_scale.hpp>
#include <warpgauge/report/colours.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/svg_frame.hpp>
#include <warpgauge/report/table.hpp>

/// \file Kernels under the roofs of a device as an SVG picture. If a kernel's bytes of L1, L2 or shared memory and
/// their roof are known, the picture has that roof, and a small mark for the kernel at its intensity there.

namespace WARPGAUGE_NAMESPACE::report {

/// Kernels under the roofs of a device.
struct roofline_chart {
    /// A kernel and its point.
    struct kernel {
        std::string label{};       ///< the name beside its mark
        roofline_point<> point{};  ///< as `roofline_point_of` gives it
    };

    std::string title{};            ///< above the chart
    roofline<> roofs{};             ///< as `roofline_of` gives them
    std::vector<kernel> kernels{};  ///< may be empty
};

/// Writes the chart as a self-contained SVG document; the same chart gives the same bytes.
/// \errors not_positive  `dram_bytes_per_s`, `instructions_per_s`: a roof, or with the entry, a kernel's;
///                       `instructions_per_byte`, with the entry
///         overflow      one of them is above 1e100 or below 1e-100
inline model_error write_roofline_svg(std::ostream& out, const roofline_chart& chart);

namespace detail {

/// A roof other than that of DRAM.
struct roofline_level {
    double roofline<>::*bytes_per_s;
    double roofline_point<>::*bytes;
    std::string_view field;
    std::string_view bytes_field;
    std::string_view name;
};
inline constexpr std::array<roofline_level, 3> roofline_levels{
    {{&roofline<>::l1_bytes_per_s, &roofline_point<>::l1_bytes, "l1_bytes_per_s", "l1_bytes", "L1"},
     {&roofline<>::l2_bytes_per_s, &roofline_point<>::l2_bytes, "l2_bytes_per_s", "l2_bytes", "L2"},
     {&roofline<>::shared_bytes_per_s, &roofline_point<>::shared_bytes, "shared_bytes_per_s",
      "shared_bytes", "shared memory"}}};

/// Whether a kernel has a place under that roof.
inline bool is_under(const roofline_chart& chart, const roofline_point<>& p,
                     const roofline_level& l) {
    return chart.roofs.*l.bytes_per_s > 0 && p.*l.bytes > 0;
}

inline bool has_level(const roofline_chart& chart, const roofline_level& l) {
    return std::any_of(chart.kernels.begin(), chart.kernels.end(),
                       [&](const auto& k) { return is_under(chart, k.point, l); });
}

/// The error of a chart that cannot be drawn.
inline model_error check_roofline(const roofline_chart& chart) {
    constexpr double most = 1e100;  // squares stay finite
    const auto check = [&](double value, std::string_view field, std::size_t entry) -> model_error {
        const auto at = static_cast<std::uint32_t>(entry);
        if (!core::positive(value)) return {errc::not_positive, field, at};
        if (value > most || value < 1 / most) return {errc::overflow, field, at};
        return {};
    };
    auto bad = check(chart.roofs.dram_bytes_per_s, "dram_bytes_per_s", 0);
    if (!bad) bad = check(chart.roofs.instructions_per_s, "instructions_per_s", 0);
    for (const roofline_level& l : roofline_levels) {
        const double rate = chart.roofs.*l.bytes_per_s;
        if (!bad && rate != 0) bad = check(rate, l.field, 0);
    }
    for (std::size_t i = 0; i < chart.kernels.size() && !bad; ++i) {
        const roofline_point<>& p = chart.kernels[i].point;
        bad = check(p.instructions_per_byte, "instructions_per_byte", i + 1);
        if (!bad) bad = check(p.instructions_per_s, "instructions_per_s", i + 1);
        for (const roofline_level& l : roofline_levels) {
            if (bad || p.*l.bytes == 0) continue;
            bad = check(p.*l.bytes, l.bytes_field, i + 1);
            if (!bad) bad = check(p.instructions, "instructions", i + 1);
        }
    }
    return bad;
}

/// Draws a chart that has been checked. All lengths are in pixels.
class roofline_writer {
public:
    roofline_writer(std::ostream& out, const roofline_chart& chart)
        : out_(out),
          chart_(chart),
          range_(range_of(chart)),
          x_(range_.x_low, range_.x_high, division::decimal),
          y_(range_.y_low, range_.y_high, division::decimal) {
        double label = text_width("100% of its roof", 12);  // below each label
        for (const auto& k : chart.kernels) label = core::max(label, text_width(k.label, 12));
        width_ = core::max(right + 40 + label + 16, left + title_width(chart.title) + 12);
        height_ = core::max(bottom + 52, top + 34 * static_cast<double>(chart.kernels.size()) + 12);
    }

    void write() {
        const std::string words = description();
        begin_svg(out_, {width_, height_, left, chart_.title, words});
        grid();
        for (const roofline_level& l : roofline_levels) {
            if (has_level(chart_, l)) level_roof(l);
        }
        roofs();
        for (std::size_t i = 0; i < chart_.kernels.size(); ++i) headroom(i);
        for (std::size_t i = 0; i < chart_.kernels.size(); ++i) level_marks(i);
        for (std::size_t i = 0; i < chart_.kernels.size(); ++i) kernel(i);
        end_svg(out_);
    }

private:
    static constexpr double left = 74, right = 594, top = 46, bottom = 406;

    struct range {
        double x_low, x_high, y_low, y_high;
    };

    // All points and the ridge, with room around them.
    static range range_of(const roofline_chart& chart) {
        const double ridge = chart.roofs.ridge();
        const double peak = chart.roofs.instructions_per_s;
        range r{ridge / 8, ridge * 8, peak / 8, peak};
        for (const auto& k : chart.kernels) {
            r.x_low = core::min(r.x_low, k.point.instructions_per_byte / 2);
            r.x_high = core::max(r.x_high, k.point.instructions_per_byte * 2);
            r.y_low = core::min(r.y_low, k.point.instructions_per_s);
            r.y_high = core::max(r.y_high, k.point.instructions_per_s);
            for (const roofline_level& l : roofline_levels) {
                if (!is_under(chart, k.point, l)) continue;
                const double intensity = k.point.instructions / k.point.*l.bytes;
                r.x_low = core::min(r.x_low, intensity / 2);
                r.x_high = core::max(r.x_high, intensity * 2);
            }
        }
        r.y_low /= 2;
        r.y_high *= 2;
        return r;
    }

    static std::string px(double length) { return fixed(length, 1); }
    [[nodiscard]] double x_of(double intensity) const {
        return left + x_.place(intensity) * (right - left);
    }
    [[nodiscard]] double y_of(double rate) const {
        return bottom - y_.place(rate) * (bottom - top);
    }

    static std::string stroked(const shade& s) { return std::string("stroke=\"") + s.light + "\""; }
    static std::string filled(const shade& s) { return std::string(" fill=\"") + s.light + "\""; }
    void path(const std::string& steps, std::string_view more) {
        out_ << "<path d=\"" << steps << "\" " << more << "/>\n";
    }

    void grid() {
        for (const double tick : x_.ticks()) {
            const double x = x_of(tick);
            path("M" + px(x) + " " + px(top) + "V" + px(bottom), stroked(detail::grid));
            svg_text(out_, x, bottom + 18, "middle", tick_text(tick), " class=\"x\"");
        }
        for (const double tick : y_.ticks()) {
            const double y = y_of(tick);
            path("M" + px(left) + " " + px(y) + "H" + px(right), stroked(detail::grid));
            svg_text(out_, left - 8, y + 4, "end", prefixed(tick), " class=\"y\"");
        }
        const bool levels = std::any_of(roofline_levels.begin(), roofline_levels.end(),
                                        [&](const auto& l) { return has_level(chart_, l); });
        svg_text(out_, (left + right) / 2, bottom + 40, "middle",
                 levels ? "instructions per byte of DRAM (small: of the roof's level)"
                        : "instructions per byte of DRAM");
        svg_text(out_, -(top + bottom) / 2, 18, "middle", "instructions per second",
                 " transform=\"rotate(-90)\"");
    }

    void roofs() {
        const double bandwidth = chart_.roofs.dram_bytes_per_s;
        const double peak = chart_.roofs.instructions_per_s;
        const double ridge = chart_.roofs.ridge();
        // The sloping roof comes into the picture through its left side or through its floor.
        const double from = core::max(range_.x_low, range_.y_low / bandwidth);
        const std::string roof = "M" + px(x_of(from)) + " " + px(y_of(bandwidth * from)) + "L" +
                                 px(x_of(ridge)) + " " + px(y_of(peak)) + "H" + px(right);
        path(roof + "V" + px(bottom) + "H" + px(x_of(from)) + "Z",
             "fill=\"#4477aa\" fill-opacity=\"0.07\"");
        path("M" + px(x_of(ridge)) + " " + px(y_of(peak)) + "V" + px(bottom),
             stroked(rule) + " stroke-dasharray=\"2 3\"");
        path(roof, "class=\"roof\" fill=\"none\" stroke-width=\"2\" " + stroked(ink));
        svg_text(out_, right - 6, y_of(peak) - 12, "end",
                 prefixed(peak) + " instructions/s issued");
        const double angle =
            std::atan2(y_of(bandwidth * from) - y_of(peak), x_of(ridge) - x_of(from)) * 180 /
            3.14159265358979323846;
        svg_text(out_, 0, -8, "middle", short_text(bandwidth / 1e9) + " GB/s from DRAM",
                 " transform=\"translate(" + px((x_of(from) + x_of(ridge)) / 2) + "," +
                     px((y_of(bandwidth * from) + y_of(peak)) / 2) + ") rotate(" + px(-angle) +
                     ")\"");
        svg_text(out_, x_of(ridge) + 5, bottom - 7, "start", "ridge at " + significant(ridge, 3),
                 " class=\"ridge\" font-size=\"11\"" + filled(pale_ink));
    }

    // From the left side or the floor of the picture up to the flat roof.
    void level_roof(const roofline_level& l) {
        const double bandwidth = chart_.roofs.*l.bytes_per_s;
        const double peak = chart_.roofs.instructions_per_s;
        const double from = core::max(range_.x_low, range_.y_low / bandwidth);
        const double to = core::min(peak / bandwidth, range_.x_high);
        if (!(from < to)) return;
        const double x = x_of(from), y = y_of(bandwidth * from);
        const double end_x = x_of(to), end_y = y_of(bandwidth * to);
        path("M" + px(x) + " " + px(y) + "L" + px(end_x) + " " + px(end_y),
             "class=\"level\" fill=\"none\" " + stroked(rule));
        const std::string label = short_text(bandwidth / 1e9) + " GB/s, " + std::string(l.name);
        if (std::hypot(end_x - x, y - end_y) < text_width(label, 10)) {  // too short to write along
            svg_text(out_, end_x + 6, end_y + 4, "start", label,
                     " font-size=\"10\"" + filled(pale_ink));
            return;
        }
        const double angle = std::atan2(y - end_y, end_x - x) * 180 / 3.14159265358979323846;
        const double beside = &l == &roofline_levels.back() ? 11 : -5;  // often as fast as L1
        svg_text(out_, 0, beside, "middle", label,
                 " font-size=\"10\"" + filled(pale_ink) + " transform=\"translate(" +
                     px((x + end_x) / 2) + "," + px((y + end_y) / 2) + ") rotate(" + px(-angle) +
                     ")\"");
    }

    // The kernel at its intensity of each level.
    void level_marks(std::size_t i) {
        const auto& [label, p] = chart_.kernels[i];
        for (const roofline_level& l : roofline_levels) {
            if (!is_under(chart_, p, l)) continue;
            const double intensity = p.instructions / p.*l.bytes;
            const std::string title = label + ": " + significant(intensity, 3) +
                                      " instructions per byte of " + std::string(l.name);
            out_ << "<circle class=\"level\" cx=\"" << px(x_of(intensity)) << "\" cy=\""
                 << px(y_of(p.instructions_per_s)) << "\" r=\"3.5\"" << filled(paper)
                 << " stroke=\"" << colour(i) << "\" stroke-width=\"1.5\"><title>" << escaped(title)
                 << "</title></circle>\n";
        }
    }

    [[nodiscard]] static const char* colour(std::size_t i) {
        return distinct_colours[i % distinct_colours.size()];
    }

    // From the kernel up to its roof.
    void headroom(std::size_t i) {
        const roofline_point<>& p = chart_.kernels[i].point;
        const double roof = chart_.roofs.at(p);
        path("M" + px(x_of(p.instructions_per_byte)) + " " + px(y_of(p.instructions_per_s)) + "V" +
                 px(y_of(roof)),
             std::string("stroke-dasharray=\"3 3\" stroke=\"") + colour(i) + "\"");
    }

    // A circle, square, triangle or diamond, so that more kernels than colours can be told apart.
    void marker(double x, double y, std::size_t i, const std::string& title) {
        constexpr std::array<const char*, 4> shapes{"m-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z",
                                                    "m-5.5 -5.5h11v11h-11z", "m0 -7l7 12h-14z",
                                                    "m0 -7.5l7.5 7.5l-7.5 7.5l-7.5 -7.5z"};
        out_ << "<path class=\"kernel\" d=\"M" << px(x) << ' ' << px(y) << shapes[i % shapes.size()]
             << "\" fill=\"" << colour(i) << "\" " << stroked(paper) << "><title>" << escaped(title)
             << "</title></path>\n";
    }

    [[nodiscard]] std::string percent_of_roof(const roofline_point<>& p) const {
        const double percent = 100 * p.instructions_per_s / chart_.roofs.at(p);
        return fixed(percent, percent < 9.95 ? 1 : 0) + "% of its roof";
    }

    [[nodiscard]] std::string words_of(const roofline_chart::kernel& k) const {
        return k.label + ": " + significant(k.point.instructions_per_byte, 3) +
               " instructions per byte, " + prefixed(k.point.instructions_per_s) +
               " instructions per second, " + percent_of_roof(k.point);
    }

    [[nodiscard]] std::string description() const {
        std::string text = "Roofs: " + short_text(chart_.roofs.dram_bytes_per_s / 1e9) +
                           " GB/s from DRAM, " + prefixed(chart_.roofs.instructions_per_s) +
                           " instructions/s issued.";
        for (const auto& k : chart_.kernels) text += " " + words_of(k) + ".";
        return text;
    }

    void kernel(std::size_t i) {
        const auto& [label, p] = chart_.kernels[i];
        const std::string title = words_of(chart_.kernels[i]);
        marker(x_of(p.instructions_per_byte), y_of(p.instructions_per_s), i, title);
        const double y = top + 10 + 34 * static_cast<double>(i);
        marker(right + 24, y, i, title);
        svg_text(out_, right + 40, y + 2, "start", label);
        svg_text(out_, right + 40, y + 16, "start", percent_of_roof(p),
                 " font-size=\"10\"" + filled(pale_ink));
    }

    std::ostream& out_;
    const roofline_chart& chart_;
    range range_;
    axis_scale x_;
    axis_scale y_;
    double width_{};
    double height_{};
};

}  // namespace detail

inline model_error write_roofline_svg(std::ostream& out, const roofline_chart& chart) {
    if (const auto bad = detail::check_roofline(chart)) return bad;
    detail::roofline_writer(out, chart).write();
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
