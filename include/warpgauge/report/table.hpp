// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_TABLE_HPP
#define WARPGAUGE_REPORT_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/digits.hpp>

/// \file Tables as aligned text, Markdown and CSV, and numbers as text.

namespace WARPGAUGE_NAMESPACE::report {

/// `value` with the given number of digits after the point, whatever the locale.
[[nodiscard]] inline std::string fixed(double value, int digits) {
    return detail::fixed_digits(value, std::clamp(digits, 0, 60));
}

/// Seconds with the unit that fits: "1.25 ms". Two digits after the point.
[[nodiscard]] inline std::string duration(double seconds) {
    struct scale {
        double per_second;
        const char* unit;
    };
    for (const scale s : {scale{1, "s"}, scale{1e3, "ms"}, scale{1e6, "us"}}) {
        if (seconds * s.per_second >= 1) return fixed(seconds * s.per_second, 2) + " " + s.unit;
    }
    return fixed(seconds * 1e9, 2) + " ns";
}

/// Rows of text under a heading. The first `left` columns are aligned left, the others right.
class table {
public:
    /// A table with the cells of its heading. `left`: columns that are set flush left.
    explicit table(std::initializer_list<std::string_view> heading, std::size_t left = 1)
        : left_(left) {
        add(heading);
    }
    /// The same with a heading of texts.
    explicit table(const std::vector<std::string>& heading, std::size_t left = 1) : left_(left) {
        add_row(heading);
    }

    /// Missing cells stay empty; cells beyond the heading are left out.
    void add(std::initializer_list<std::string_view> cells) {
        add_row({cells.begin(), cells.end()});
    }

    /// The same with a list of texts.
    void add_row(const std::vector<std::string>& cells) {
        if (rows_.empty()) widths_.resize(cells.size());
        rows_.emplace_back(widths_.size());
        for (std::size_t i = 0; i < core::min(cells.size(), widths_.size()); ++i) {
            widths_[i] = core::max(widths_[i], cells[i].size());
            rows_.back()[i] = cells[i];
        }
    }

    /// The heading, then the rows, all of the same length.
    [[nodiscard]] const std::vector<std::vector<std::string>>& rows() const { return rows_; }
    /// The number of columns that are aligned left.
    [[nodiscard]] std::size_t left() const { return left_; }

    friend std::ostream& operator<<(std::ostream& out, const table& t) {
        t.write(out, t.rows_.front());
        std::size_t total = 0;
        for (const std::size_t width : t.widths_) total += width + 2;
        out << std::string(total > 2 ? total - 2 : 0, '-') << '\n';
        for (std::size_t i = 1; i < t.rows_.size(); ++i) t.write(out, t.rows_[i]);
        return out;
    }

private:
    void write(std::ostream& out, const std::vector<std::string>& row) const {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths_[i] - row[i].size(), ' ');
            if (i > 0) line += "  ";
            line += i < left_ ? row[i] + pad : pad + row[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }

    std::size_t left_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<std::string>> rows_;
};

/// The table in Markdown, with its columns aligned as in text. Cells show their text: characters with a
/// meaning in Markdown are escaped, and the end of a line is `<br>`.
[[nodiscard]] inline std::string markdown(const table& t) {
    std::string out;
    const auto write = [&](const std::vector<std::string>& row) {
        for (const std::string& cell : row) {
            out += "| ";
            for (const char c : cell) {
                if (std::string_view("\\|`*_<&[~").find(c) != std::string_view::npos) out += '\\';
                if (c == '\n') {
                    out += "<br>";
                } else if (c != '\r') {
                    out += c;
                }
            }
            out += ' ';
        }
        out += "|\n";
    };
    write(t.rows().front());
    for (std::size_t i = 0; i < t.rows().front().size(); ++i) {
        out += i < t.left() ? "|---" : "|---:";
    }
    out += "|\n";
    for (std::size_t i = 1; i < t.rows().size(); ++i) write(t.rows()[i]);
    return out;
}

/// The table as comma-separated values, quoted as RFC 4180 has it; a line ends in "\n".
[[nodiscard]] inline std::string csv(const table& t) {
    std::string out;
    for (const auto& row : t.rows()) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) out += ',';
            // A line without any character would be no row for some readers.
            const bool quoted = row[i].find_first_of(",\"\r\n") != std::string::npos ||
                                (row.size() == 1 && row[i].empty());
            if (quoted) out += '"';
            for (const char c : row[i]) out.append(c == '"' ? 2 : 1, c);
            if (quoted) out += '"';
        }
        out += '\n';
    }
    return out;
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
