// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/report/table.hpp>

namespace table_test {

using namespace warpgauge::report;

namespace {

using rows = std::vector<std::vector<std::string>>;

// As RFC 4180 has it, with "\n" at the end of a line.
rows read_csv(std::string_view text) {
    rows all{{""}};
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            all.back().back() += text[++i];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && c == ',') {
            all.back().emplace_back();
        } else if (!quoted && c == '\n') {
            all.push_back({""});
        } else {
            all.back().back() += c;
        }
    }
    all.pop_back();
    return all;
}

// A table of GitHub's Markdown, without the second line.
rows read_markdown(const std::string& text) {
    rows all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> row;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '|') {
                row.emplace_back();
            } else if (line[i] == '\\') {
                row.back() += line[++i];
            } else {
                row.back() += line[i];
            }
        }
        CHECK(row.back().empty());
        row.pop_back();
        for (std::string& cell : row) cell = cell.substr(1, cell.size() - 2);
        all.push_back(row);
    }
    all.erase(all.begin() + 1);
    return all;
}

std::string random_text(std::mt19937& random, std::string_view letters) {
    std::string text;
    for (std::size_t n = random() % 6; n > 0; --n) text += letters[random() % letters.size()];
    return text;
}

// A table of one or three columns, and what it holds.
struct filled {
    table as_table;
    rows cells;
};
filled random_table(std::mt19937& random, std::string_view letters) {
    const auto row = [&](std::size_t columns) {
        std::vector<std::string> r;
        for (std::size_t i = 0; i < columns; ++i) r.push_back(random_text(random, letters));
        return r;
    };
    const std::size_t columns = random() % 2 == 0 ? 1 : 3;
    rows cells{row(columns)};
    const auto& h = cells.front();
    table t = columns == 1 ? table({h[0]}) : table({h[0], h[1], h[2]});
    for (std::size_t n = random() % 4; n > 0; --n) {
        cells.push_back(row(columns));
        t.add_row(cells.back());
    }
    return {t, cells};
}

}  // namespace

TEST_CASE("columns are aligned, the first to the left") {
    table t({"kernel", "time"});
    t.add({"a", "12.5 ms"});
    t.add({"longer name", "3 s"});
    t.add({"short row"});
    std::ostringstream out;
    out << t;
    CHECK(out.str() ==
          "kernel          time\n"
          "--------------------\n"
          "a            12.5 ms\n"
          "longer name      3 s\n"
          "short row\n");
}

TEST_CASE("a heading may be a list of texts") {
    table t(std::vector<std::string>{"kernel", "time"});
    t.add_row({"a", "1 s"});
    std::ostringstream out;
    out << t;
    CHECK(out.str() == "kernel  time\n------------\na        1 s\n");
}

TEST_CASE("the same table in Markdown and as CSV") {
    table t({"kernel", "time", "note"}, 2);
    t.add({"f<int>", "1,5 ms", "a|b"});
    t.add({"dram_bytes", "3 s", "says \"no\"\nand goes"});
    t.add({"short row"});
    CHECK(markdown(t) ==
          "| kernel | time | note |\n"
          "|---|---|---:|\n"
          "| f\\<int> | 1,5 ms | a\\|b |\n"
          "| dram\\_bytes | 3 s | says \"no\"<br>and goes |\n"
          "| short row |  |  |\n");
    CHECK(csv(t) ==
          "kernel,time,note\n"
          "f<int>,\"1,5 ms\",a|b\n"
          "dram_bytes,3 s,\"says \"\"no\"\"\nand goes\"\n"
          "short row,,\n");
    CHECK(csv(table({""})) == "\"\"\n");
    table lines({"a"});
    lines.add({"b\r\nc"});
    CHECK(markdown(lines) == "| a |\n|---|\n| b<br>c |\n");
    std::ostringstream out;
    out << table({""});
    CHECK(out.str() == "\n\n");
}

TEST_CASE("what is read back from CSV and Markdown is what was written") {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        const filled c = random_table(random, "ab ,;\"\r\n|");
        CHECK(read_csv(csv(c.as_table)) == c.cells);
        const filled m = random_table(random, "ab |\\`*_<&[~,\"");
        CHECK(read_markdown(markdown(m.as_table)) == m.cells);
    }
}

TEST_CASE("numbers and durations") {
    CHECK(fixed(2.28125, 2) == "2.28");
    CHECK(fixed(-0.5, 0) == "-0");
    CHECK(fixed(1e308, 1).size() == 311);
    CHECK(duration(1.5) == "1.50 s");
    CHECK(duration(0.0125) == "12.50 ms");
    CHECK(duration(3.758e-5) == "37.58 us");
    CHECK(duration(2e-9) == "2.00 ns");
    CHECK(duration(0) == "0.00 ns");
}

}  // namespace table_test
