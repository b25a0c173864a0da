// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_SVG_FRAME_HPP
#define WARPGAUGE_REPORT_SVG_FRAME_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include <warpgauge/report/colours.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/table.hpp>

/// \file The frame of every picture: its size, its title, a description for people who do not see it, and its colours
/// on dark pages.

namespace WARPGAUGE_NAMESPACE::report::detail {

/// A picture, before anything is drawn into it.
struct svg_frame {
    double width;                  ///< px
    double height;                 ///< px
    double left;                   ///< px, where the title begins
    std::string_view title;        ///< drawn above the picture, and its name for a screen reader
    std::string_view description;  ///< what the picture shows, for a screen reader
};

/// An identifier made from a picture's own words, since several pictures may share one page (FNV-1a).
inline std::string svg_id(const svg_frame& f) {
    std::uint32_t hash = 2166136261U;
    for (const std::string_view text : {f.title, std::string_view("\n"), f.description}) {
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    std::string id = "warpgauge-";
    for (int shift = 28; shift >= 0; shift -= 4) id += "0123456789abcdef"[hash >> shift & 15U];
    return id;
}

/// Draws attributes of each shade in its dark colour, if the reader prefers dark pages.
inline void write_dark_style(std::ostream& out) {
    out << "<style>@media (prefers-color-scheme: dark) {\n";
    for (const shade& s : shades) {
        for (const std::string_view attribute : {"fill", "stroke"}) {
            out << ".warpgauge [" << attribute << "=\"" << s.light << "\"] {" << attribute << ": "
                << s.dark << "}\n";
        }
    }
    out << "}</style>\n";
}

/// Begins a picture: everything up to its title. `end_svg` ends it.
inline void begin_svg(std::ostream& out, const svg_frame& f) {
    const std::string width = fixed(f.width, 0);
    const std::string height = fixed(f.height, 0);
    const std::string id = svg_id(f);
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"warpgauge\" viewBox=\"0 0 " << width
        << ' ' << height << "\" width=\"" << width << "\" height=\"" << height
        << "\" role=\"img\" aria-labelledby=\"" << id << "-title\" aria-describedby=\"" << id
        << "-desc\">\n<title id=\"" << id << "-title\">" << escaped(f.title)
        << "</title>\n<desc id=\"" << id << "-desc\">" << escaped(f.description) << "</desc>\n";
    write_dark_style(out);
    out << "<g font-family=\"sans-serif\" font-size=\"12\" fill=\"" << ink.light << "\">\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"" << paper.light << "\"/>\n";
    svg_text(out, f.left, 24, "start", f.title,
             " class=\"title\" font-size=\"15\" font-weight=\"bold\"");
}

/// Ends a picture.
inline void end_svg(std::ostream& out) {
    out << "</g>\n</svg>\n";
}

/// The width of a title.
inline double title_width(std::string_view title) {
    return 1.1 * text_width(title, 15);
}

}  // namespace WARPGAUGE_NAMESPACE::report::detail

#endif
