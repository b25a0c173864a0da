// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_HEAT_MAP_HPP
#define WARPGAUGE_REPORT_HEAT_MAP_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/axis_scale.hpp>
#include <warpgauge/report/colours.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/svg_frame.hpp>
#include <warpgauge/report/table.hpp>

/// \file A sweep over two parameters as an SVG picture: a coloured cell for each pair of values.

namespace WARPGAUGE_NAMESPACE::report {

/// The maximum number of cells of a heat map.
inline constexpr std::size_t max_heat_map_cells = 100'000;

/// A value for each pair of an x and a y, coloured from the minimum to the maximum.
struct heat_map {
    /// An axis of the map.
    struct parameter {
        std::string name{};                 ///< with its unit, if it has one
        std::vector<std::string> labels{};  ///< numbers or categories, one for each column or row
    };
    /// Which values are the best.
    enum class best_is : std::uint8_t {
        least,  ///< the smallest values
        most,   ///< the largest values
    };

    std::string title{};       ///< above the map
    parameter x{};             ///< from left to right
    parameter y{};             ///< from bottom to top
    std::string value{};       ///< what a cell shows, such as "predicted time"
    std::string unit{};        ///< of the values; may be empty
    bool logarithmic = false;  ///< colours by the logarithm; all values must then be above zero
    best_is best = best_is::least;  ///< which cells are marked
    /// Row by row from the bottom: column x of row y is cell `y * columns + x`. A cell without a value
    /// is hatched, and its tooltip has the error.
    std::vector<result<double>> cells{};
};

/// Writes the map as a self-contained SVG document; the same map gives the same bytes.
/// \errors missing        `x.labels`, `y.labels`: empty; `cells`: none has a value
///         malformed      `cells`: not one for each column and row
///         overflow       `cells`, with the entry: not finite, or 1e150 and beyond
///         not_positive   `cells`, with the entry: not above 1e-150, and `logarithmic`
///         limit_reached  `cells`: more than `max_heat_map_cells`
inline model_error write_heat_map_svg(std::ostream& out, const heat_map& map);

namespace detail {

/// The error of a map that cannot be drawn.
inline model_error check_heat_map(const heat_map& map) {
    constexpr double most = 1e150;  // differences stay finite
    const std::size_t columns = map.x.labels.size();
    const std::size_t rows = map.y.labels.size();
    if (columns == 0) return {errc::missing, "x.labels"};
    if (rows == 0) return {errc::missing, "y.labels"};
    if (columns > max_heat_map_cells / rows) return {errc::limit_reached, "cells"};
    if (map.cells.size() != columns * rows) return {errc::malformed, "cells"};
    bool any = false;
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        if (!map.cells[i]) continue;
        any = true;
        const auto entry = static_cast<std::uint32_t>(i + 1);
        if (!(std::fabs(*map.cells[i]) < most)) return {errc::overflow, "cells", entry};
        if (map.logarithmic && !(*map.cells[i] > 1 / most)) {
            return {errc::not_positive, "cells", entry};
        }
    }
    if (!any) return {errc::missing, "cells"};
    return {};
}

/// Draws a map that has been checked. All lengths are in pixels.
class heat_map_writer {
public:
    heat_map_writer(std::ostream& out, const heat_map& map)
        : out_(out), map_(map), scale_(scale_of(map)) {
        find_best();
        find_reason();
        lay_out();
    }

    void write() {
        const std::string words = description();
        begin_svg(out_, {width_, height_, left_, map_.title, words});
        out_ << "<defs><pattern id=\"warpgauge-no-value\" width=\"6\" height=\"6\" "
                "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                "<rect width=\"6\" height=\"6\" fill=\""
             << paper.light << "\"/><rect width=\"2\" height=\"6\" fill=\"" << grid.light
             << "\"/></pattern></defs>\n";
        for (std::size_t i = 0; i < map_.cells.size(); ++i) cell(i);
        for (const std::size_t i : best_)
            mark(x_of(i), y_of(i), cell_width_ - gap_, cell_height_ - gap_);
        axes();
        legend();
        notes();
        end_svg(out_);
    }

private:
    static constexpr double top = 44;
    static constexpr double label_size = 11;
    static constexpr double value_size = 10;
    static constexpr double bar_width = 16;
    static constexpr double slant =
        0.75;  // of a label's length, along each direction, at 45 degrees

    static std::string px(double length) { return fixed(length, 1); }

    static axis_scale scale_of(const heat_map& map) {
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (const auto& value : map.cells) {
            if (!value) continue;
            low = core::min(low, *value);
            high = core::max(high, *value);
        }
        return {low, high, map.logarithmic ? division::decimal : division::linear};
    }

    static double widest(const std::vector<std::string>& labels) {
        double most = 0;
        for (const auto& label : labels) most = core::max(most, text_width(label, label_size));
        return most;
    }

    void find_best() {
        const auto better = [&](double a, double b) {
            return map_.best == heat_map::best_is::least ? a < b : a > b;
        };
        for (std::size_t i = 0; i < map_.cells.size(); ++i) {
            if (!map_.cells[i]) continue;
            if (best_.empty() || better(*map_.cells[i], *map_.cells[best_.front()]))
                best_ = {i};
            else if (*map_.cells[i] == *map_.cells[best_.front()])
                best_.push_back(i);
        }
    }

    // What the hatched cells have in common.
    void find_reason() {
        for (const auto& value : map_.cells) {
            if (value) continue;
            const std::string why(message(value.error()).view());
            if (reason_.empty())
                reason_ = "no value: " + why;
            else if (reason_ != "no value: " + why)
                reason_ = "no value";
        }
    }

    void lay_out() {
        const auto columns = static_cast<double>(map_.x.labels.size());
        const auto rows = static_cast<double>(map_.y.labels.size());
        cell_width_ = std::floor(std::clamp(576 / columns, 5.0, 72.0));
        cell_height_ = std::floor(std::clamp(400 / rows, 5.0, 34.0));
        gap_ = core::min(cell_width_, cell_height_) >= 12 ? 1 : 0;
        right_ = columns * cell_width_;
        bottom_ = top + rows * cell_height_;
        bar_height_ = core::max(rows * cell_height_, 150.0);

        const double label = widest(map_.x.labels);
        slanted_ = label + 8 > cell_width_;
        left_ = std::ceil(core::max(widest(map_.y.labels) + 44,
                                    slanted_ ? slant * label - cell_width_ / 2 + 10 : 0));
        right_ += left_;
        every_x_ = slanted_ ? static_cast<std::size_t>(std::ceil(16 / cell_width_)) : 1;
        every_y_ = static_cast<std::size_t>(std::ceil(14 / cell_height_));
        x_name_at_ = bottom_ + (slanted_ ? slant * label + 12 : 18) + 20;

        double value = 0;
        for (const auto& v : map_.cells) {
            if (v) value = core::max(value, text_width(short_text(*v), value_size));
        }
        values_ = value + 6 <= cell_width_ && cell_height_ >= 15;

        for (const double tick : scale_.ticks()) {
            tick_width_ = core::max(tick_width_, text_width(tick_text(tick), label_size));
        }
        notes_at_ = core::max(x_name_at_, top + bar_height_) + 28;
        width_ = std::max({right_ + 24 + bar_width + 10 + tick_width_ + 34,
                           left_ + title_width(map_.title) + 12,
                           left_ + 20 + text_width(best_text(), label_size) + 12,
                           left_ + 20 + text_width(reason_, label_size) + 12});
        height_ = notes_at_ + (reason_.empty() ? 0 : 20) + 12;
    }

    [[nodiscard]] double x_of(std::size_t i) const {
        return left_ + cell_width_ * static_cast<double>(i % map_.x.labels.size());
    }
    [[nodiscard]] double y_of(std::size_t i) const {
        const std::size_t row = i / map_.x.labels.size();
        return bottom_ - cell_height_ * static_cast<double>(row + 1);
    }

    [[nodiscard]] std::string where(std::size_t i) const {
        const std::size_t columns = map_.x.labels.size();
        return map_.x.name + " " + map_.x.labels[i % columns] + ", " + map_.y.name + " " +
               map_.y.labels[i / columns];
    }
    [[nodiscard]] std::string with_unit(const std::string& value) const {
        return value + (map_.unit.empty() ? "" : " " + map_.unit);
    }
    [[nodiscard]] std::string best_text() const {
        const std::size_t first = best_.front();
        return (map_.best == heat_map::best_is::least ? "least: " : "most: ") +
               with_unit(short_text(*map_.cells[first])) + " (" + where(first) + ")" +
               (best_.size() > 1 ? ", and " + std::to_string(best_.size() - 1) + " more" : "");
    }

    [[nodiscard]] std::string description() const {
        return "Cells of " + map_.value + " over " + map_.x.name + " and " + map_.y.name + "; " +
               best_text() + (reason_.empty() ? "." : "; " + reason_ + ".");
    }

    void box(std::string_view kind, double x, double y, double width, double height,
             std::string_view fill) {
        out_ << "<rect class=\"" << kind << "\" x=\"" << px(x) << "\" y=\"" << px(y)
             << "\" width=\"" << px(width) << "\" height=\"" << px(height) << "\" fill=\"" << fill
             << "\"";
    }

    void cell(std::size_t i) {
        const auto& value = map_.cells[i];
        const linear_rgb colour = heat_colour(value ? scale_.place(*value) : 0);
        box(value ? "cell" : "cell none", x_of(i), y_of(i), cell_width_ - gap_, cell_height_ - gap_,
            value ? hex(colour) : "url(#warpgauge-no-value)");
        out_ << "><title>"
             << escaped(where(i) + ": " +
                        (value ? with_unit(tick_text(*value))
                               : std::string(message(value.error()).view())))
             << "</title></rect>\n";
        if (!value || !values_) return;
        svg_text(out_, x_of(i) + (cell_width_ - gap_) / 2, y_of(i) + cell_height_ / 2 + 3, "middle",
                 short_text(*value),
                 std::string(" font-size=\"10\" pointer-events=\"none\" fill=\"") + ink_on(colour) +
                     "\"");
    }

    // A frame of black within white, which stands out on any colour.
    void mark(double x, double y, double width, double height) {
        for (const auto& [inset, stroke] : {std::pair{2.5, "white"}, std::pair{1.0, "black"}}) {
            box("best", x + inset, y + inset, width - 2 * inset, height - 2 * inset, "none");
            out_ << " stroke=\"" << stroke << "\" stroke-width=\"2\" pointer-events=\"none\"/>\n";
        }
    }

    void axes() {
        for (std::size_t c = 0; c < map_.x.labels.size(); c += every_x_) {
            const double x = x_of(c) + cell_width_ / 2;
            if (slanted_) {
                svg_text(out_, 0, 0, "end", map_.x.labels[c],
                         " font-size=\"11\" transform=\"translate(" + px(x + 4) + "," +
                             px(bottom_ + 12) + ") rotate(-45)\"");
            } else {
                svg_text(out_, x, bottom_ + 16, "middle", map_.x.labels[c], " font-size=\"11\"");
            }
        }
        for (std::size_t r = 0; r < map_.y.labels.size(); r += every_y_) {
            svg_text(out_, left_ - 6, y_of(r * map_.x.labels.size()) + cell_height_ / 2 + 4, "end",
                     map_.y.labels[r], " font-size=\"11\"");
        }
        svg_text(out_, (left_ + right_) / 2, x_name_at_, "middle", map_.x.name);
        svg_text(out_, -(top + bottom_) / 2, 20, "middle", map_.y.name,
                 " transform=\"rotate(-90)\"");
    }

    void legend() {
        constexpr int stops = 16;
        const double x = right_ + 24;
        out_ << "<defs><linearGradient id=\"warpgauge-heat\" x1=\"0\" x2=\"0\" y1=\"1\" y2=\"0\">";
        for (int i = 0; i <= stops; ++i) {
            const double fraction = static_cast<double>(i) / stops;
            out_ << "<stop offset=\"" << fixed(fraction, 4) << "\" stop-color=\""
                 << hex(heat_colour(fraction)) << "\"/>";
        }
        out_ << "</linearGradient></defs>\n";
        box("legend", x, top, bar_width, bar_height_, "url(#warpgauge-heat)");
        out_ << " stroke=\"" << rule.light << "\" stroke-width=\"0.5\"/>\n";
        for (const double tick : scale_.ticks()) {
            const double y = top + bar_height_ * (1 - scale_.place(tick));
            out_ << "<path d=\"M" << px(x + bar_width) << ' ' << px(y) << "h5\" stroke=\""
                 << rule.light << "\"/>\n";
            svg_text(out_, x + bar_width + 9, y + 4, "start", tick_text(tick),
                     " class=\"tick\" font-size=\"11\"");
        }
        svg_text(out_, -(top + bar_height_ / 2), x + bar_width + 10 + tick_width_ + 18, "middle",
                 map_.value + (map_.unit.empty() ? "" : ", " + map_.unit),
                 " transform=\"rotate(-90)\"");
    }

    void notes() {
        mark(left_, notes_at_ - 10, 13, 13);
        svg_text(out_, left_ + 20, notes_at_, "start", best_text(), " font-size=\"11\"");
        if (reason_.empty()) return;
        box("swatch", left_, notes_at_ + 10, 12, 12, "url(#warpgauge-no-value)");
        out_ << "/>\n";
        svg_text(out_, left_ + 20, notes_at_ + 20, "start", reason_, " font-size=\"11\"");
    }

    std::ostream& out_;
    const heat_map& map_;
    axis_scale scale_;
    std::vector<std::size_t> best_;
    std::string reason_;
    double left_{}, right_{}, bottom_{}, width_{}, height_{};
    double cell_width_{}, cell_height_{}, gap_{}, bar_height_{}, tick_width_{}, x_name_at_{},
        notes_at_{};
    std::size_t every_x_{}, every_y_{};
    bool slanted_{}, values_{};
};

}  // namespace detail

inline model_error write_heat_map_svg(std::ostream& out, const heat_map& map) {
    if (const auto bad = detail::check_heat_map(map)) return bad;
    detail::heat_map_writer(out, map).write();
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
