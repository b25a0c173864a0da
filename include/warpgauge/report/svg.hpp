// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_SVG_HPP
#define WARPGAUGE_REPORT_SVG_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/table.hpp>

/// \file What the pictures share: text that is safe in XML, axes with ticks, colours.

namespace warpgauge::report::detail {

/// Bytes of the character that `text` begins with, or 0 if it is not UTF-8 or no character that XML allows.
inline std::size_t xml_character(std::string_view text) {
    const auto byte = [&](std::size_t n) -> unsigned {
        return n < text.size() ? static_cast<unsigned char>(text[n]) : 0;
    };
    const unsigned first = byte(0);
    if (first < 0x80)
        return first >= ' ' || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
    const std::size_t length = first < 0xC2   ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    unsigned code = first & (0xFFU >> (length + 1));
    for (std::size_t n = 1; n < length; ++n) {
        if ((byte(n) & 0xC0U) != 0x80U) return 0;
        code = code << 6 | (byte(n) & 0x3FU);
    }
    const bool too_long = length == 3 ? code < 0x800 : length == 4 && code < 0x10000;
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    const bool no_character = code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
    return too_long || surrogate || no_character ? 0 : length;
}

/// Text as the content of an XML element. What XML does not allow is replaced, byte by byte.
inline std::string escaped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = xml_character(text);
        switch (text.front()) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            default: out += length > 0 ? text.substr(0, length) : "\xEF\xBF\xBD";  // U+FFFD
        }
        text.remove_prefix(core::max(length, 1));
    }
    return out;
}

/// `value` with so many digits that count, in the C locale.
inline std::string significant(double value, int digits) {
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   std::chars_format::general, digits);
    return {text.data(), end.ptr};
}

/// A number on an axis.
inline std::string tick_text(double value) {
    return significant(value, 6);
}

/// A value in three digits or so.
inline std::string short_text(double value) {
    const double size = std::fabs(value);
    if (!(size >= 1 && size < 1e6)) return significant(value, 3);
    return fixed(value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/// A large number with the prefix of its unit: "312 G".
inline std::string prefixed(double value) {
    struct prefix {
        double factor;
        std::string_view symbol;
    };
    for (const prefix p :
         {prefix{1e12, " T"}, prefix{1e9, " G"}, prefix{1e6, " M"}, prefix{1e3, " k"}}) {
        // As it is rounded: 999.7 G is 1 T.
        if (value >= 0.9995 * p.factor && value < 999.5 * p.factor) {
            return significant(value / p.factor, 3).append(p.symbol);
        }
    }
    return significant(value, 3);
}

/// About how wide a text is, in the widest of the usual sans-serif fonts.
inline double text_width(std::string_view text, double font_size) {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    return 0.6 * font_size * static_cast<double>(std::count_if(text.begin(), text.end(), begins));
}

/// One line of text; `more` are further attributes, each with a space before it.
inline void svg_text(std::ostream& out, double x, double y, std::string_view anchor,
                     std::string_view content, std::string_view more = "") {
    out << "<text x=\"" << fixed(x, 1) << "\" y=\"" << fixed(y, 1) << "\" text-anchor=\"" << anchor
        << "\"" << more << ">" << escaped(content) << "</text>\n";
}

/// Colours that the colour-blind can tell apart (Okabe & Ito 2008).
inline constexpr std::array<const char*, 7> distinct_colours{
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};

/// How an axis is divided.
enum class division : std::uint8_t {
    linear,       ///< at round steps
    logarithmic,  ///< at powers of ten; where the range is short, of two
    decimal,      ///< likewise, and where it is short at 1, 2 and 5
};

/// One axis: maps values to 0..1 and knows where its ticks are.
class axis {
public:
    axis(double low, double high, division how) : log_(how != division::linear) {
        if (!(low <= high)) low = high = 1;
        switch (how) {
            case division::linear: set_linear(low, high); break;
            case division::logarithmic: set_log(low, high); break;
            case division::decimal: set_decimal(low, high); break;
        }
    }

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

    // Ticks at powers of ten, not too many; at 1, 2 and 5 where the range is short; at round steps
    // where it is so short that these are too few.
    void set_decimal(double low, double high) {
        low_ = low;
        high_ = alike(low, high) ? low * 2 : high;
        const double decades = std::log10(high_) - std::log10(low_);
        const double step = std::fmax(1, std::ceil(decades / 8));
        const double from = std::floor(std::log10(low_));
        for (int i = 0; i < 10; ++i) {
            const double power = std::pow(10.0, from + i * step);
            for (const double times : {1.0, 2.0, 5.0}) {
                if (times == 1 || decades < 3.3) add_within(times * power);
            }
        }
        if (ticks_.size() >= 3) return;
        const std::vector<double> round = axis(low_, high_, division::linear).ticks_;
        ticks_.clear();
        for (const double tick : round) add_within(tick);
        if (ticks_.size() < 2) ticks_ = {low_, high_};
    }

    void add_within(double tick) {
        if (place(tick) >= -1e-9 && place(tick) <= 1 + 1e-9) ticks_.push_back(tick);
    }

    // Values so near to each other are one, and share a range of its size.
    static bool alike(double low, double high) {
        return high - low <= std::fmax(1e-12 * std::fmax(std::fabs(low), std::fabs(high)), 1e-290);
    }

    void set_linear(double low, double high) {
        if (alike(low, high)) high = low + std::fmax(1, std::fabs(low) / 2);
        const double rough = (high - low) / 5;
        const double power = std::pow(10.0, std::floor(std::log10(rough)));
        const double step = rough / power > 5   ? 10 * power
                            : rough / power > 2 ? 5 * power
                                                : 2 * power;
        const double first = std::floor(low / step);
        const double last = std::ceil(high / step);
        low_ = first * step;
        high_ = last * step;
        for (int i = 0; i < 400 && first + i <= last; ++i) ticks_.push_back((first + i) * step);
    }

    bool log_;
    double low_{};
    double high_{};
    std::vector<double> ticks_;
};

}  // namespace warpgauge::report::detail

#endif
