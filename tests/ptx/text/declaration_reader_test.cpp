// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/declaration_reader.hpp>

namespace declaration_reader_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::text;
using ptx::state_space;

namespace {

std::vector<ptx::declaration> variables(std::string_view text, state_space space) {
    cursor in(text);
    std::vector<ptx::declaration> list;
    read_variables(in, space, in.here(), {3, 4}, list);
    CHECK(in.ok());
    CHECK(in.at_end());
    return list;
}

}  // namespace

TEST_CASE("spaces by their directives") {
    state_space space{};
    CHECK(space_of("shared::cta", space));
    CHECK(space == state_space::shared);
    CHECK(space_of("const", space));
    CHECK(space == state_space::constant);
    CHECK(space_of("tex", space));
    CHECK(space == state_space::global);
    CHECK_FALSE(space_of("sharedx", space));
    CHECK_FALSE(space_of("entry", space));
}

TEST_CASE("registers and arrays") {
    const auto registers = variables(".b32 %r<8>, %s;", state_space::reg);
    REQUIRE(registers.size() == 2);
    CHECK(registers[0].name == "%r");
    CHECK(registers[0].registers == 8);
    CHECK(registers[1].registers == 0);
    CHECK(registers[1].type == "b32");
    CHECK(registers[1].scope.first == 3);
    const auto tile = variables(".align 16 .v4 .f32 tile[4][2], open[];", state_space::shared);
    REQUIRE(tile.size() == 2);
    CHECK(tile[0].alignment == 16);
    CHECK(tile[0].vector == 4);
    CHECK(tile[0].elements == 8);
    CHECK(tile[1].elements == 0);
    const auto table = variables("[2] .b8 a[2] = {1, 2}, b = 3;", state_space::constant);
    REQUIRE(table.size() == 2);
    CHECK(table[0].elements == 2);
    CHECK(table[1].name == "b");
    CHECK(table[0].initial == "[2] = {1, 2}");
    CHECK(table[1].initial == " = 3");
    CHECK(tile[1].initial.empty());
}

TEST_CASE("parameters") {
    cursor in(
        "(.param .u32 n, .param .u64 .ptr .global .align 4 data, .param .align 8 .b8 s[24]) x");
    std::vector<ptx::declaration> list(1);
    const ptx::range read = read_parameters(in, list);
    CHECK(read.first == 1);
    REQUIRE(read.count == 3);
    CHECK(list[2].type == "u64");
    CHECK(list[2].alignment == 4);
    CHECK(list[3].elements == 24);
    CHECK(read_parameters(in, list).count == 0);
    CHECK(in.peek() == 'x');
    cursor bad("(.entry k)");
    CHECK(read_parameters(bad, list).count == 0);
    CHECK(bad.error().field == "a parameter");
    cursor large(".b8 a[4294967296][4294967296];");
    read_variables(large, state_space::global, {}, {}, list);
    CHECK(large.error() == model_error{errc::overflow, "elements", 1, 29});
}

TEST_CASE("where a variable is managed, its type is another word") {
    for (const char* text :
         {".managed .u32 x;", ".unified .u32 x;", ".attribute(.managed) .u32 x;"}) {
        CAPTURE(text);
        const auto list = variables(text, state_space::global);
        REQUIRE(list.size() == 1);
        CHECK(list[0].type == "u32");
        CHECK(list[0].name == "x");
    }
}

}  // namespace declaration_reader_test
