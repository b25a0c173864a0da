// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_SVG_HPP
#define WARPGAUGE_REPORT_SVG_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/digits.hpp>
#include <warpgauge/report/table.hpp>

/// \file Parts that all pictures use: text that is safe in XML, and short numbers.

namespace WARPGAUGE_NAMESPACE::report::detail {

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

/// Text as the content of an XML element. Bytes that XML does not allow are replaced, one by one.
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

/// `value` with a given number of significant digits, in the C locale.
inline std::string significant(double value, int digits) {
    return general_digits(value, digits);
}

/// A number on an axis.
inline std::string tick_text(double value) {
    return significant(value, 6);
}

/// A value in about three digits.
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

/// The approximate width of a text, in the widest of the usual sans-serif fonts.
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

}  // namespace WARPGAUGE_NAMESPACE::report::detail

#endif
