// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/awaited_results.hpp>
#include <warpgauge/simulate/decoded_stream.hpp>

#include "plain_sm.hpp"

namespace awaited_results_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

constexpr instruction add{.unit = unit_kind::single_precision};  // 7 cycles
constexpr instruction access{.unit = unit_kind::shared_memory};  // 17 cycles
constexpr instruction load{.unit = unit_kind::global_memory};    // in a queue
constexpr instruction barrier{.unit = unit_kind::barrier};

instruction needing(instruction i, std::int32_t a, std::int32_t b = 0, std::int32_t c = 0) {
    i.needs = {a, b, c};
    return i;
}

// How many results each entry waits for.
std::vector<int> awaited_by(const std::vector<instruction>& stream) {
    result_slots<> slots;
    slots.assign(stream);
    decoded_stream<> decoded;
    decoded.assign(stream, slots, plain_sm({0, 64, 32, 32, 32}));
    std::vector<int> counts;
    for (const decoded_entry& e : decoded.entries()) {
        int count = 0;
        for (const std::uint32_t need : e.needs) count += need != 0 ? 1 : 0;
        CHECK((e.waits_for == awaited::none) == (count == 0));
        CHECK((e.waits_for == awaited::one) == (count == 1));
        counts.push_back(count);
    }
    return counts;
}

using counts = std::vector<int>;

}  // namespace

TEST_CASE("what an entry before has waited for is there") {
    CHECK(awaited_by({load, needing(add, 1), needing(add, 2)}) == counts{0, 1, 0});
    CHECK(awaited_by({load, needing(add, 1, 1, 1)}) == counts{0, 1});
    CHECK(awaited_by({load, load, needing(add, 1), needing(add, 3, 2)}) == counts{0, 0, 1, 1});
    // Where a loop begins or ends, or behind a barrier, nothing is known.
    CHECK(awaited_by({load, needing(add, 1), loop(1, 3), needing(add, 3), needing(add, 4)}) ==
          counts{0, 1, 0, 1, 1});
    CHECK(awaited_by({load, needing(add, 1), barrier, needing(add, 3)}) == counts{0, 1, 0, 1});
}

TEST_CASE("what was asked for earlier, and takes no longer, comes no later") {
    CHECK(awaited_by({add, access, needing(add, 1, 2)}) == counts{0, 0, 1});
    CHECK(awaited_by({access, add, needing(add, 1, 2)}) == counts{0, 0, 2});
    CHECK(awaited_by({load, access, needing(add, 1, 2)}) == counts{0, 0, 2});  // a queue answers
    CHECK(awaited_by({add, load, needing(add, 1, 2)}) == counts{0, 0, 2});
    // A product's sum is that of the round before; behind the access of this one it is there.
    CHECK(awaited_by({loop(3, 9), access, needing(add, 1, own_result), add}) == counts{0, 0, 1, 0});
    CHECK(awaited_by({loop(2, 9), needing(add, own_result), add}) == counts{0, 1, 0});
}

}  // namespace awaited_results_test
