// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>

#include <warpgauge/device/instruction_costs.hpp>

namespace instruction_costs_test {

using namespace warpgauge;

namespace {

// Every entry has a number of its own.
constexpr instruction_costs numbered = [] {
    instruction_costs t;
    double next = 1;
    for (operation_cycles& row : t.arithmetic) {
        row.int_constant = next++;
        row.int_register = next++;
        row.float_constant = next++;
        row.float_register = next++;
    }
    t.load_store_cycles = 100;
    t.other_cycles = 200;
    return t;
}();

constexpr double cycles(unit_kind unit, operation op, operand second = operand::in_register) {
    return numbered.cycles({.unit = unit, .op = op, .second = second});
}

}  // namespace

TEST_CASE("a cost is found by unit, operation and second operand") {
    constexpr operation operations[] = {operation::add,     operation::sub,     operation::mul,
                                        operation::div,     operation::neg,     operation::min,
                                        operation::max,     operation::bit_and, operation::bit_or,
                                        operation::bit_xor, operation::bit_not};
    double expected = 1;
    for (const operation op : operations) {
        CAPTURE(static_cast<int>(op));
        CHECK(cycles(unit_kind::integer, op, operand::constant) == expected);
        CHECK(cycles(unit_kind::integer, op) == expected + 1);
        CHECK(cycles(unit_kind::single_precision, op, operand::constant) == expected + 2);
        CHECK(cycles(unit_kind::single_precision, op) == expected + 3);
        expected += 4;
    }
    CHECK(expected == 45);
}

TEST_CASE("global memory has one cost, whatever is computed") {
    CHECK(cycles(unit_kind::global_memory, operation::other) == 100);
    CHECK(cycles(unit_kind::global_memory, operation::add, operand::constant) == 100);
}

TEST_CASE("everything else has the other cost") {
    for (const unit_kind unit : {unit_kind::special_function, unit_kind::shared_memory,
                                 unit_kind::l2_cache, unit_kind::barrier, unit_kind::branch}) {
        CHECK(cycles(unit, operation::add) == 200);
        CHECK(cycles(unit, operation::other) == 200);
    }
    CHECK(cycles(unit_kind::integer, operation::other) == 200);
    CHECK(cycles(unit_kind::single_precision, operation::other) == 200);
}

TEST_CASE("a double is priced by its factor, and as everything else without") {
    const instruction i{.unit = unit_kind::double_precision, .op = operation::mul};
    instruction_costs t = numbered;
    CHECK(t.cycles(i) == 200);
    CHECK_FALSE(t.lists(i));
    t.double_precision_factor = 8;
    CHECK(t.cycles(i) == 8 * t.cycles({.unit = unit_kind::single_precision, .op = operation::mul}));
    CHECK(t.lists(i));
    t = {.double_precision_factor = 0};
    CHECK(t.cycles(i) == 0);  // not known
}

TEST_CASE("a table lists arithmetic and global memory") {
    CHECK(numbered.lists({.unit = unit_kind::global_memory}));
    CHECK(numbered.lists({.unit = unit_kind::integer, .op = operation::bit_not}));
    for (const operation op :
         {operation::logic, operation::shift, operation::compare, operation::count_bits,
          operation::convert, operation::convert_wide, operation::other}) {
        CHECK_FALSE(numbered.lists({.unit = unit_kind::integer, .op = op}));
        CHECK(cycles(unit_kind::integer, op) == 200);
    }
    CHECK_FALSE(numbered.lists({.unit = unit_kind::branch, .op = operation::add}));
    const instruction none{.unit = unit_kind::integer, .op = static_cast<operation>(200)};
    CHECK_FALSE(numbered.lists(none));
    CHECK(numbered.cycles(none) == 200);
}

TEST_CASE("what a table does not list costs nothing") {
    constexpr instruction_costs empty;
    static_assert(empty.cycles({.unit = unit_kind::integer, .op = operation::div}) == 0);
    static_assert(empty.cycles({.unit = unit_kind::global_memory}) == 0);
    static_assert(empty.cycles({.unit = unit_kind::branch}) == 0);
}

}  // namespace instruction_costs_test
