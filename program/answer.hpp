// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_ANSWER_HPP
#define WARPGAUGE_PROGRAM_ANSWER_HPP

#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// \file What a subcommand answers: one table, written as text, JSON or CSV, and perhaps a picture.

namespace program {

/// A number, text, list or nothing, as JSON and CSV have it.
using value = std::variant<std::monostate, bool, double, std::string, std::vector<double>>;

/// One place of a table: what people read, and what programs read.
struct cell {
    std::string shown{};
    value exact{};
};

[[nodiscard]] cell text_cell(std::string_view text);
[[nodiscard]] cell number_cell(double x);   ///< shown by `short_number`
[[nodiscard]] cell seconds_cell(double x);  ///< shown with its unit
[[nodiscard]] cell times_cell(double x);    ///< shown as "1.25x"
[[nodiscard]] cell percent_cell(double x);  ///< of a fraction, shown as "62.5%"

struct column {
    std::string title{};  ///< above the table
    std::string key{};    ///< of JSON and CSV
};

struct answer {
    std::string before{};                                ///< text above the table
    std::vector<std::pair<std::string, value>> facts{};  ///< what holds for every row, in JSON
    std::string rows_key{};                              ///< of the array of rows, in JSON
    std::vector<column> columns{};
    std::size_t left = 1;  ///< columns that are set flush left
    std::vector<std::vector<cell>> rows{};
    std::vector<std::string> notes{};  ///< lines below the table
    std::string picture{};             ///< SVG; empty: the subcommand draws none
    bool nothing_predicted = false;    ///< no row has a result, and `notes` says why

    void note(const std::string& text);  ///< once, however often it is said
};

/// The text of a chart, as `picture` holds it.
template <class Chart>
[[nodiscard]] std::string svg_of(const Chart& chart) {
    std::ostringstream out;
    out << chart;
    return out.str();
}

struct output_options {
    bool json = false, csv = false;
    std::string svg{};  ///< a file; empty: none
};

/// Writes the answer, and the picture to its file.
void write(std::ostream& out, const answer& a, const output_options& how);

}  // namespace program

#endif
