// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "answer.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <warpgauge/report/table.hpp>

#include "failure.hpp"
#include "text.hpp"

namespace program {

namespace {

namespace report = warpgauge::report;
using json = nlohmann::ordered_json;

json json_of(const value& v) {
    return std::visit(
        [](const auto& held) {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
                return json();
            } else {
                return json(held);
            }
        },
        v);
}

// A whole number without a point: readers take it as an integer.
json number_json(const value& v) {
    if (const auto* list = std::get_if<std::vector<double>>(&v)) {
        json all = json::array();
        for (const double x : *list) all.push_back(number_json(x));
        return all;
    }
    const double* x = std::get_if<double>(&v);
    const bool whole = x != nullptr && *x > -1e15 && *x < 1e15 &&
                       *x == static_cast<double>(static_cast<long long>(*x));
    return whole ? json(static_cast<long long>(*x)) : json_of(v);
}

std::string csv_of(const value& v) {
    if (const double* x = std::get_if<double>(&v)) return exact_number(*x);
    if (const std::string* text = std::get_if<std::string>(&v)) return *text;
    if (const bool* yes = std::get_if<bool>(&v)) return *yes ? "true" : "false";
    return "";
}

void write_json(std::ostream& out, const answer& a) {
    json all = json::object();
    for (const auto& [key, fact] : a.facts) all[key] = number_json(fact);
    all[a.rows_key] = json::array();
    for (const auto& row : a.rows) {
        json object = json::object();
        for (std::size_t c = 0; c < a.columns.size(); ++c) {
            object[a.columns[c].key] = number_json(row[c].exact);
        }
        all[a.rows_key].push_back(object);
    }
    all["notes"] = a.notes;
    out << all.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
}

void write_csv(std::ostream& out, const answer& a) {
    std::vector<std::string> keys;
    for (const column& c : a.columns) keys.push_back(c.key);
    report::table t(keys);
    for (const auto& row : a.rows) {
        std::vector<std::string> cells;
        for (const cell& c : row) cells.push_back(csv_of(c.exact));
        t.add_row(cells);
    }
    out << csv(t);
}

// A column without a word would only take room.
bool is_shown(const answer& a, std::size_t c) {
    const auto has_text = [&](const std::vector<cell>& row) { return !row[c].shown.empty(); };
    return std::any_of(a.rows.begin(), a.rows.end(), has_text);
}

void write_text(std::ostream& out, const answer& a) {
    out << a.before;
    std::vector<std::size_t> shown;
    std::vector<std::string> titles;
    for (std::size_t c = 0; c < a.columns.size(); ++c) {
        if (!is_shown(a, c)) continue;
        shown.push_back(c);
        titles.push_back(a.columns[c].title);
    }
    report::table t(titles, a.left);
    for (const auto& row : a.rows) {
        std::vector<std::string> cells;
        for (const std::size_t c : shown) cells.push_back(row[c].shown);
        t.add_row(cells);
    }
    if (!a.rows.empty()) out << t;
    if (!a.notes.empty()) out << '\n';
    for (const std::string& note : a.notes) out << note << '\n';
}

}  // namespace

cell text_cell(std::string_view text) {
    return {std::string(text), std::string(text)};
}

cell number_cell(double x) {
    return {short_number(x), x};
}

cell seconds_cell(double x) {
    return {report::duration(x), x};
}

cell times_cell(double x) {
    return {report::fixed(x, 2) + "x", x};
}

cell percent_cell(double x) {
    return {report::fixed(100 * x, 1) + "%", x};
}

void answer::note(const std::string& text) {
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
}

void write(std::ostream& out, const answer& a, const output_options& how) {
    if (!how.svg.empty()) write_file(how.svg, a.picture);
    if (how.json) {
        write_json(out, a);
    } else if (how.csv) {
        write_csv(out, a);
    } else {
        write_text(out, a);
    }
    out.flush();
    if (!out) fail_usage("standard output: cannot be written");
}

}  // namespace program
