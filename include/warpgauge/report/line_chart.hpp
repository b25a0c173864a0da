// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_LINE_CHART_HPP
#define WARPGAUGE_REPORT_LINE_CHART_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include <warpgauge/report/table.hpp>

/// \file Curves as an SVG picture.

namespace warpgauge::report {

struct point {
    double x{};
    double y{};
};

struct curve {
    std::string label{};
    std::vector<point> points{};
};

/// Curves over common axes. Points that are not finite (or 1e150 and beyond), or not above zero on a
/// logarithmic axis, are left out.
struct line_chart {
    std::string title{};
    std::string x_label{};
    std::string y_label{};
    bool log_x = false;
    bool log_y = false;
    std::vector<curve> curves{};
};

namespace detail {

/// Text as the content of an XML element.
inline std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            default: out += c;
        }
    }
    return out;
}

/// A number on an axis.
inline std::string tick_text(double value) {
    char text[40];
    const int size = std::snprintf(text, sizeof text, "%.6g", value);
    return {text, static_cast<std::size_t>(size)};
}

/// One axis: maps values to 0..1 and knows where its ticks are.
class axis {
public:
    axis(double low, double high, bool logarithmic) : log_(logarithmic) {
        if (!(low <= high)) low = high = 1;
        if (log_) {
            set_log(low, high);
        } else {
            set_linear(low, high);
        }
    }

    [[nodiscard]] bool shows(double v) const { return std::isfinite(v) && (!log_ || v > 0); }
    [[nodiscard]] double place(double v) const {
        return log_ ? std::log(v / low_) / std::log(high_ / low_) : (v - low_) / (high_ - low_);
    }
    [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }

private:
    // Ticks at powers of ten, or of two where the range is short; at the ends if it has neither.
    void set_log(double low, double high) {
        low_ = low;
        high_ = high > low ? high : low * 2;
        const bool short_range = high_ / low_ <= 1024;
        const double from = std::floor(short_range ? std::log2(low_) : std::log10(low_));
        for (int i = 0; i < 400; ++i) {
            const double tick = short_range ? std::exp2(from + i) : std::pow(10.0, from + i);
            if (tick > high_ * (1 + 1e-9)) break;
            if (tick >= low_ * (1 - 1e-9)) ticks_.push_back(tick);
        }
        if (ticks_.size() < 2) ticks_ = {low_, high_};
    }

    void set_linear(double low, double high) {
        if (high == low) high = low + std::fmax(1, std::fabs(low) / 2);
        const double rough = (high - low) / 5;
        const double power = std::pow(10.0, std::floor(std::log10(rough)));
        const double step = rough / power > 5   ? 10 * power
                            : rough / power > 2 ? 5 * power
                                                : 2 * power;
        low_ = std::floor(low / step) * step;
        high_ = std::ceil(high / step) * step;
        for (int i = 0; i < 400 && low_ + i * step <= high_ + step / 2; ++i) {
            ticks_.push_back(low_ + i * step);
        }
    }

    bool log_;
    double low_{};
    double high_{};
    std::vector<double> ticks_;
};

}  // namespace detail

/// Writes the chart as a self-contained SVG document; the same chart gives the same bytes.
inline std::ostream& operator<<(std::ostream& out, const line_chart& chart) {
    constexpr double width = 760, height = 420, left = 70, right = 190, top = 46, bottom = 56;
    // Colours that the colour-blind can tell apart (Okabe & Ito 2008).
    constexpr std::array<const char*, 7> colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                 "#E69F00", "#56B4E9", "#000000"};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double x_low = infinity, x_high = -infinity, y_low = infinity, y_high = -infinity;
    const auto usable = [&](const point& p) {
        constexpr double most = 1e150;  // differences stay finite
        return std::fabs(p.x) < most && std::fabs(p.y) < most && (!chart.log_x || p.x > 0) &&
               (!chart.log_y || p.y > 0);
    };
    for (const curve& c : chart.curves) {
        for (const point& p : c.points) {
            if (!usable(p)) continue;
            x_low = std::min(x_low, p.x);
            x_high = std::max(x_high, p.x);
            y_low = std::min(y_low, p.y);
            y_high = std::max(y_high, p.y);
        }
    }
    const detail::axis x(x_low, x_high, chart.log_x);
    const detail::axis y(y_low, y_high, chart.log_y);
    const auto px = [&](double v) { return fixed(left + x.place(v) * (width - left - right), 1); };
    const auto py = [&](double v) {
        return fixed(height - bottom - y.place(v) * (height - top - bottom), 1);
    };
    const auto text = [&](double at_x, double at_y, const char* anchor, const std::string& content,
                          const char* more = "") {
        out << "<text x=\"" << fixed(at_x, 1) << "\" y=\"" << fixed(at_y, 1) << "\" text-anchor=\""
            << anchor << "\"" << more << ">" << detail::escaped(content) << "</text>\n";
    };

    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 420\" "
           "font-family=\"sans-serif\" font-size=\"12\">\n"
           "<rect width=\"760\" height=\"420\" fill=\"white\"/>\n";
    text(left, 24, "start", chart.title, " font-size=\"15\" font-weight=\"bold\"");
    for (const double tick : x.ticks()) {
        out << "<path d=\"M" << px(tick) << " " << fixed(top, 1) << "V" << fixed(height - bottom, 1)
            << "\" stroke=\"#ddd\"/>\n";
        text(left + x.place(tick) * (width - left - right), height - bottom + 18, "middle",
             detail::tick_text(tick));
    }
    for (const double tick : y.ticks()) {
        out << "<path d=\"M" << fixed(left, 1) << " " << py(tick) << "H" << fixed(width - right, 1)
            << "\" stroke=\"#ddd\"/>\n";
        text(left - 8, height - bottom - y.place(tick) * (height - top - bottom) + 4, "end",
             detail::tick_text(tick));
    }
    text((left + width - right) / 2, height - 14, "middle", chart.x_label);
    text(-(top + height - bottom) / 2, 18, "middle", chart.y_label, " transform=\"rotate(-90)\"");
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        const char* colour = colours[i % colours.size()];
        out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colour << "\" points=\"";
        for (const point& p : chart.curves[i].points) {
            if (usable(p)) out << px(p.x) << "," << py(p.y) << " ";
        }
        const double at = top + 12 + 20 * static_cast<double>(i);
        out << "\"/>\n<path d=\"M" << fixed(width - right + 14, 1) << " " << fixed(at - 4, 1)
            << "h22\" stroke-width=\"2\" stroke=\"" << colour << "\"/>\n";
        text(width - right + 42, at, "start", chart.curves[i].label);
    }
    return out << "</svg>\n";
}

}  // namespace warpgauge::report

#endif
