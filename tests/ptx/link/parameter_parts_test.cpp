// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/parameter_parts.hpp>

#include "ptx/linked.hpp"

namespace parameter_parts_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::link;

namespace {

// Declarations 100 and 101 stand for parameters of calls; the kernel's are the module's first.
struct fixture {
    fixture() { state.made.routines.push_back({.function = 0}); }

    parsed_text t{kernel_of("ret;")};
    link_state<> state{.source = t.module, .max_work = 1000};
    symbols<> names{state};
    registers<> rows{state, names};
    parameter_parts<> parts{state, rows};
    std::vector<move_of_call> moves;
};

}  // namespace

TEST_CASE("a part has one row; the kernel's are preset") {
    fixture f;
    const std::uint32_t low = f.parts.row_of(0, 0, 4);
    CHECK(f.parts.row_of(0, 4, 4) != low);
    CHECK(f.parts.row_of(0, 0, 8) != low);
    CHECK(f.parts.row_of(0, 0, 4) == low);
    CHECK(f.parts.row_of(0, -1, 4) == ptx::link::unknown_row);
    const auto& presets = f.state.made.routines[0].presets;
    REQUIRE(presets.size() == 3);
    CHECK(presets[1].parameter == 0);
    CHECK(presets[1].offset == 4);
    CHECK(presets[1].bytes == 4);
    f.parts.row_of(100, 0, 4);
    CHECK(presets.size() == 3);
}

TEST_CASE("a part that is read within one that is written") {
    fixture f;
    const std::uint32_t from = f.parts.row_of(100, 0, 8);
    const std::uint32_t to = f.parts.row_of(101, 4, 2);
    f.parts.join(100, 101, f.moves);
    REQUIRE(f.moves.size() == 1);
    CHECK(f.moves[0].from == from);
    CHECK(f.moves[0].to == to);
    CHECK(f.moves[0].shift == 32);
    CHECK(f.moves[0].bits == 16);
    CHECK_FALSE(f.moves[0].joins);
}

TEST_CASE("a part that is read from several that are written") {
    fixture f;
    const std::uint32_t low = f.parts.row_of(100, 0, 4);
    const std::uint32_t high = f.parts.row_of(100, 4, 4);
    f.parts.row_of(101, 0, 8);
    f.parts.join(100, 101, f.moves);
    REQUIRE(f.moves.size() == 2);
    CHECK(f.moves[0].from == low);
    CHECK(f.moves[0].at == 0);
    CHECK_FALSE(f.moves[0].joins);
    CHECK(f.moves[1].from == high);
    CHECK(f.moves[1].at == 32);
    CHECK(f.moves[1].joins);
}

TEST_CASE("what is not written whole is not known") {
    fixture f;
    f.parts.row_of(100, 0, 4);
    const std::uint32_t to = f.parts.row_of(101, 0, 8);
    f.parts.join(100, 101, f.moves);
    f.parts.join(nowhere, 101, f.moves);
    REQUIRE(f.moves.size() == 2);
    for (const move_of_call& m : f.moves) {
        CHECK(m.from == nowhere);
        CHECK(m.to == to);
    }
    f.state.max_work = f.state.work;
    f.parts.row_of(101, 0, 8);
    CHECK(f.state.ok());  // found at once
    f.parts.row_of(101, 8, 8);
    CHECK(f.state.error.code == errc::limit_reached);
}

TEST_CASE("a part that ends before the one that is read, and one that goes past it") {
    fixture f;
    const std::uint32_t from = f.parts.row_of(100, 4, 8);
    f.parts.row_of(100, 0, 2);
    f.parts.row_of(101, 8, 4);
    f.parts.join(100, 101, f.moves);
    REQUIRE(f.moves.size() == 1);
    CHECK(f.moves[0].from == from);
    CHECK(f.moves[0].shift == 32);
    f.moves.clear();
    f.parts.row_of(102, 0, 4);
    f.parts.row_of(102, 4, 8);
    f.parts.row_of(103, 0, 8);  // the second half is in a part that nobody reads whole
    f.parts.join(102, 103, f.moves);
    REQUIRE(f.moves.size() == 1);
    CHECK(f.moves[0].from == nowhere);
}

}  // namespace parameter_parts_test
