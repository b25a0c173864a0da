// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/loop_versions.hpp>

#include "sass/made_code.hpp"

namespace loop_versions_test {

namespace {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;

// A loop of integers on lines 8 to 13: of 32 bits on line 8, of 64 on lines 9 to 11, a counter on line 12.
constexpr const char* text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b32 %r<3>; .reg .b64 %a<3>; .reg .pred %p;
mov.u32 %r1, 0;
$L:
xor.b32 %r1, %r1, %r2;
add.s64 %a1, %a1, %a2;
mul.lo.s64 %a1, %a1, %a2;
xor.b64 %a2, %a1, %a2;
add.s32 %r2, %r2, -1;
@%p bra $L;
st.global.u32 [%a1], %r1;
ret;
}
)";

struct shared_out {
    sass::block_graph graph;
    std::vector<sass::detail::loop_version> versions;
};

shared_out versions_of(double rounds, const made_code& code, std::uint8_t leave_after = 0) {
    const auto m = ptx::parse(text);
    REQUIRE(m);
    ptx::traced_kernel t;
    for (const std::uint32_t line : {8U, 9U, 10U, 11U, 12U, 13U}) t.lines.push_back({line, rounds});
    for (const std::uint32_t line : {6U, 14U, 15U}) t.lines.push_back({line, 1});
    t.loops = {{8, 13, rounds, 1, leave_after}};
    sass::detail::traced_lines<> read(*m, t);
    shared_out s;
    s.graph = sass::find_blocks(code.code());
    sass::detail::line_copies<> copies(code.code(), s.graph, read);
    s.versions = sass::detail::loop_versions<>(s.graph, read, copies).all;
    return s;
}

made_code& lines(made_code& code, const std::vector<std::uint32_t>& all) {
    for (const std::uint32_t line : all) code.plain(line);
    return code;
}

TEST_CASE("a loop of integers has the rounds of the loop of PTX whose lines it has") {
    made_code code;
    const auto s = versions_of(7, lines(code, {6, 8, 9, 9, 12}).jump(1, true, 13).store(14).exit());
    REQUIRE(s.versions.size() == 1);
    CHECK(s.versions[0].loop == 0);
    CHECK(s.versions[0].at_once == 1);
    CHECK(s.versions[0].executions == 7);
    CHECK(s.versions[0].entries == 1);
}

TEST_CASE("rounds at once are those of most instructions, and of one counter for all of them") {
    made_code code;
    lines(code, {6, 8, 8, 8, 8, 12}).jump(1, true, 13);
    const auto s = versions_of(11, lines(code, {8, 12}).jump(7, true, 13).store(14).exit());
    REQUIRE(s.versions.size() == 2);
    CHECK(s.versions[0].at_once == 4);
    CHECK(s.versions[0].executions == 2);
    CHECK(s.versions[1].at_once == 1);
    CHECK(s.versions[1].executions == 3);
}

TEST_CASE("lanes that leave before others execute the rounds that are left of theirs") {
    made_code code;
    lines(code, {6, 8, 8, 8, 8, 12}).jump(1, true, 13);
    lines(code, {8, 8, 12}).jump(7, true, 13);
    lines(code, {8, 12}).jump(11, true, 13).store(14).exit();
    const auto executions = [&](double rounds, std::uint8_t leave_after) {
        std::vector<double> all;
        for (const auto& v : versions_of(rounds, code, leave_after).versions) {
            all.push_back(v.executions);
        }
        return all;
    };
    CHECK(executions(12, 0) == std::vector<double>{3, 0, 0});
    CHECK(executions(12, 1U << 4) == std::vector<double>{3, 0, 0});            // after 4 or 12
    CHECK(executions(12, 1U << 4 | 1U << 5) == std::vector<double>{3, 0, 1});  // after 5
    CHECK(executions(12, 1U << 4 | 1U << 6) == std::vector<double>{3, 1, 0});
    CHECK(executions(12, 1U << 4 | 1U << 7) == std::vector<double>{3, 1, 1});
    CHECK(executions(3, 1U << 1 | 1U << 3) == std::vector<double>{0, 1, 1});
}

TEST_CASE("copies of what is several instructions are counted by the loop with the fewest") {
    made_code code;
    lines(code, {6, 10, 10, 10, 10, 10, 10, 10, 12}).jump(1, true, 13);
    const auto s = versions_of(9, lines(code, {10, 10, 12}).jump(9, true, 13).store(14).exit());
    REQUIRE(s.versions.size() == 2);
    CHECK(s.versions[0].at_once == 4);
    CHECK(s.versions[0].executions == 2);
    CHECK(s.versions[1].executions == 1);
    // Nine instructions of a line that has two in one round: four rounds rather than five.
    made_code blurred;
    lines(blurred, {6, 10, 10, 10, 10, 10, 10, 10, 10, 10, 12}).jump(1, true, 13);
    const auto four =
        versions_of(9, lines(blurred, {10, 10, 12}).jump(11, true, 13).store(14).exit());
    REQUIRE(four.versions.size() == 2);
    CHECK(four.versions[0].at_once == 4);
    made_code alone;  // nothing says how many they are: one round
    const auto one = versions_of(9, lines(alone, {6, 10, 10, 10}).jump(1, true, 13).exit());
    REQUIRE(one.versions.size() == 1);
    CHECK(one.versions[0].at_once == 1);
}

TEST_CASE("a block before a loop of integers with a few of its instructions has no round of it") {
    made_code moved;
    lines(moved, {6, 10}).jump(6, true);
    lines(moved, {8, 9, 10, 12});
    const auto one = versions_of(5, moved.jump(3, true, 13).store(14).exit());
    REQUIRE(one.versions.size() == 1);
    CHECK(one.versions[0].executions == 5);
    made_code first_round;
    lines(first_round, {6, 8, 9, 10, 12}).jump(10, true);
    lines(first_round, {8, 9, 10, 12});
    const auto two = versions_of(5, first_round.jump(6, true, 13).store(14).exit());
    REQUIRE(two.versions.size() == 2);
    CHECK(two.versions[0].block == 0);
    CHECK(two.versions[0].executions == 1);
    CHECK(two.versions[1].executions == 4);
}

TEST_CASE("a loop that is written out, and one without rounds in it, have no version") {
    made_code code;
    CHECK(versions_of(2, lines(code, {6, 8, 9, 8, 9}).store(14).exit()).versions.empty());
    made_code other;
    CHECK(versions_of(2, lines(other, {6, 6}).jump(1, true).store(14).exit()).versions.empty());
}

}  // namespace

}  // namespace loop_versions_test
