// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string_view>

#include <warpgauge/kernel/instruction.hpp>

namespace instruction_test {

using namespace warpgauge;

TEST_CASE("an entry that says nothing is a coalesced access of 4 B, or plain arithmetic") {
    constexpr instruction i{};
    CHECK(i.unit == unit_kind::integer);
    CHECK(i.op == operation::other);
    CHECK(i.second == operand::in_register);
    CHECK(i.bytes == 4);
    CHECK(i.transactions == 1);
    for (const std::int32_t need : i.needs) CHECK(need == 0);
    CHECK(i.async == async_step::none);
    CHECK(i.groups_left == 0);
    CHECK(i.lines == 0);
    CHECK(sizeof i == 36);
}

TEST_CASE("the head of a loop") {
    constexpr instruction i = loop(3, 1000);
    static_assert(i.unit == unit_kind::loop && i.loop_length == 3 && i.loop_count == 1000);
    CHECK(own_result == -2147483648LL);
}

TEST_CASE("each unit has a name") {
    constexpr std::string_view words[] = {"integer",
                                          "single precision",
                                          "double precision",
                                          "special function",
                                          "shared memory",
                                          "L1",
                                          "L2",
                                          "global memory",
                                          "barrier",
                                          "branch",
                                          "tensor",
                                          "loop"};
    unsigned number = 0;
    for (const std::string_view expected : words) {
        CHECK(name(static_cast<unit_kind>(number)) == expected);
        ++number;
    }
    CHECK(name(static_cast<unit_kind>(number)) == "unknown");
}

}  // namespace instruction_test
