// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/makespan/search.hpp>
#include <warpgauge/report/gantt.hpp>

namespace gantt_test {

using namespace warpgauge;

TEST_CASE("a schedule as text and as a picture") {
    const std::array<unit_slots, 2> slots{{{'L', 1}, {'<', 0.5}}};
    const makespan_problem p{"L<", slots, 2};
    makespan_schedule s{3, {1, 2, 3, 2, 4, 5}};
    std::ostringstream text;
    CHECK(*report::write_gantt(text, p, s) == 5);
    CHECK(text.str() == "  L<<..\n  .L.<<\n");
    std::ostringstream svg;
    CHECK(*report::write_gantt_svg(svg, p, s) == 5);
    CHECK(svg.str().find("<svg ") == 0);
    CHECK(svg.str().find(">warp 2</text>") != std::string::npos);
    CHECK(svg.str().find("<</text>") == std::string::npos);
    CHECK(svg.str().rfind("</svg>\n") == svg.str().size() - 7);
}

TEST_CASE("a schedule that breaks the rules has no chart") {
    const std::array<unit_slots, 1> slots{{{'L', 1}}};
    std::ostringstream out;
    CHECK(report::write_gantt(out, {"L", slots, 2}, {1, {1, 1}}).error().field == "capacity");
    CHECK(report::write_gantt_svg(out, {"L", slots, 2}, {1, {1, 3}}).error().field ==
          "work_conservation");
    CHECK(out.str().empty());
}

TEST_CASE("a schedule of more cells than are drawn has no chart") {
    const std::array<unit_slots, 1> slots{{{'L', 1}}};
    const std::string string(report::max_gantt_cells + 1, 'L');
    makespan_schedule s{string.size(), std::vector<std::uint32_t>(string.size())};
    std::iota(s.cycles.begin(), s.cycles.end(), 1U);
    std::ostringstream out;
    CHECK(report::write_gantt(out, {string, slots, 1}, s).error() ==
          model_error{errc::limit_reached, "schedule"});
    CHECK(out.str().empty());
}

TEST_CASE(
    "letters and digits are written in a picture, what lies beside them in the alphabet is not") {
    for (const char symbol : {'A', 'Z', 'a', 'z', '0', '9', '@', '[', '`', '{', '/', ':'}) {
        CAPTURE(symbol);
        const std::array<unit_slots, 1> slots{{{symbol, 1}}};
        const std::string string(1, symbol);
        std::ostringstream svg;
        CHECK(*report::write_gantt_svg(svg, {string, slots, 1}, {1, {1}}) == 1);
        const bool plain = std::string_view("AZaz09").find(symbol) != std::string_view::npos;
        CHECK((svg.str().find(">" + string + "</text>") != std::string::npos) == plain);
    }
}

}  // namespace gantt_test
