// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_CSV_HPP
#define WARPGAUGE_EXAMPLES_CSV_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>

// Comma-separated text with a heading. Columns are found by name, in any order; others are passed over.
// Fields are not quoted.
namespace csv {

inline constexpr std::size_t absent = ~std::size_t{0};
inline constexpr std::uint32_t most_rows = 10'000'000;

struct field {
    std::string_view text;
    std::uint32_t column{};  // in the line, from 1
};

inline std::vector<field> split(std::string_view line) {
    std::vector<field> fields;
    std::size_t start = 0;
    while (true) {
        const std::size_t comma = std::min(line.find(',', start), line.size());
        fields.push_back(
            {line.substr(start, comma - start), static_cast<std::uint32_t>(start + 1)});
        if (comma == line.size()) return fields;
        start = comma + 1;
    }
}

template <std::size_t Count>
using column_names = std::array<std::string_view, Count>;

// One line of the file and which of its fields holds which column.
template <std::size_t Count>
struct row {
    const std::vector<field>& fields;
    const std::array<std::size_t, Count>& place;
    const column_names<Count>& names;
    std::uint32_t line{};

    bool has(std::size_t c) const { return place[c] != absent; }
    const field& at(std::size_t c) const { return fields[place[c]]; }

    warpgauge::model_error error(std::size_t c, warpgauge::errc code) const {
        return {code, names[c], line, at(c).column};
    }

    // Reads a number of at least `least`; an empty field is `least` where it may be.
    warpgauge::model_error number(std::size_t c, double least, bool may_be_empty,
                                  double& to) const {
        const std::string_view text = at(c).text;
        to = least;
        if (text.empty() && may_be_empty) return {};
        const char* const end = text.data() + text.size();
        const auto [stop, failed] = std::from_chars(text.data(), end, to);
        if (failed != std::errc{} || stop != end) return error(c, warpgauge::errc::malformed);
        if (!(to >= least && to < 1e300)) return error(c, warpgauge::errc::negative);
        return {};
    }

    warpgauge::model_error positive(std::size_t c, double& to) const {
        if (const auto bad = number(c, 0, false, to)) return bad;
        return to > 0 ? warpgauge::model_error{} : error(c, warpgauge::errc::not_positive);
    }
};

// Calls `read(row)` for every line after the heading, in order; the first error that it returns, or
// that is met here, ends it. No error: its field is empty. Of the columns, the first `needed` have to be there.
// Errors, with line and column: missing (a column), ambiguous_name (a column that stands twice), malformed (a row is short or long, the file cannot
// be read), limit_reached (too many rows).
template <std::size_t Count, class Read>
warpgauge::model_error read_rows(std::istream& in, const column_names<Count>& names,
                                 std::size_t needed, Read read) {
    std::string line;
    std::getline(in, line);
    if (in.bad()) return {warpgauge::errc::malformed, "file", 1, 1};
    if (line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // a byte-order mark
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::vector<field> heading = split(line);
    std::array<std::size_t, Count> place{};
    for (std::size_t c = 0; c < Count; ++c) {
        const auto found = std::find_if(heading.begin(), heading.end(),
                                        [&](const field& f) { return f.text == names[c]; });
        if (found == heading.end() && c >= needed) {
            place[c] = absent;
            continue;
        }
        if (found == heading.end()) {
            return {warpgauge::errc::missing, names[c], 1,
                    static_cast<std::uint32_t>(line.size() + 1)};
        }
        const auto again = std::find_if(std::next(found), heading.end(),
                                        [&](const field& f) { return f.text == names[c]; });
        if (again != heading.end()) {
            return {warpgauge::errc::ambiguous_name, names[c], 1, again->column};
        }
        place[c] = static_cast<std::size_t>(found - heading.begin());
    }

    std::string text;
    for (std::uint32_t number = 2; std::getline(in, text); ++number) {
        if (number > most_rows) return {warpgauge::errc::limit_reached, "rows", number, 1};
        if (!text.empty() && text.back() == '\r') text.pop_back();
        if (text.empty()) continue;
        const std::vector<field> fields = split(text);
        if (fields.size() != heading.size()) {
            return {warpgauge::errc::malformed, "row", number, fields.back().column};
        }
        const row<Count> next{fields, place, names, number};
        if (const warpgauge::model_error bad = read(next); bad) return bad;
    }
    if (in.bad()) return {warpgauge::errc::malformed, "file", 1, 1};
    return {};
}

}  // namespace csv

#endif
