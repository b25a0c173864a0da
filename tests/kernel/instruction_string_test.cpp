// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>

#include <warpgauge/kernel/instruction_string.hpp>

#include "kernel/streams.hpp"

namespace instruction_string_test {

using namespace warpgauge;
using streams::add;
using streams::barrier;
using streams::instruction_list;
using streams::mem;
using streams::shared;

TEST_CASE("the kernel instruction string, with sub-warps (Berezovskyi et al. 2012, fig. 1)") {
    const auto text = [](const instruction_list& s, sub_warps e) {
        const auto v = kernel_instruction_string(s, e);
        REQUIRE(v);
        return std::string(v->begin(), v->end());
    };
    CHECK(text({mem, add}, {}) == "LC");
    CHECK(text({mem, add}, {.memory = 2}) == "LLC");
    CHECK(text({loop(2, 2), shared, add, barrier, add}, {.compute = 2}) == "LCCLCCCC");
    const instruction_list s{mem};
    CHECK(kernel_instruction_string(s, {.memory = 0}).error() ==
          model_error{errc::not_positive, "memory"});
    CHECK(kernel_instruction_string(s, {.compute = 0}).error() ==
          model_error{errc::not_positive, "compute"});
}

TEST_CASE("symbols are visited in order, until the visitor has enough") {
    const instruction_list s{loop(3, 1000), mem, barrier, add};
    std::string first;
    CHECK_FALSE(for_each_symbol(s, [&](char symbol) {
        first += symbol;
        return first.size() < 5;
    }));
    CHECK(first == "LCLCL");
    std::size_t all = 0;
    CHECK(for_each_symbol(s, [&](char) { return ++all > 0; }));
    CHECK(all == 2000);
}

TEST_CASE("a string as long as the execution is bounded") {
    const instruction_list endless{loop(1, 4'000'000'000), add};
    const model_error too_long{errc::limit_reached, "instructions"};
    CHECK(kernel_instruction_string(endless).error() == too_long);
    CHECK_FALSE(for_each_symbol(endless, [](char) { return true; }));
    // Two instructions, but more symbols than the bound.
    CHECK(kernel_instruction_string(instruction_list{add, add}, {.compute = max_executed / 2 + 1})
              .error() == too_long);
}

TEST_CASE("a bad stream has no string") {
    for (const auto& [entries, error] : streams::bad_streams()) {
        CHECK(kernel_instruction_string(entries).error() == error);
    }
}

}  // namespace instruction_string_test
