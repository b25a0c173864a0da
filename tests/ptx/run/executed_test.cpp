// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/warp.hpp>

#include "ptx/linked.hpp"

namespace executed_test {

using namespace warpgauge;

TEST_CASE("what an observer sees of a call and of an access") {
    const linked_text k(kernel_of("call f;\nst.shared.u32 [tile], %r2;\nret;",
                                  ".func f() { .reg .b32 %a; mov.u32 %a, 1; ret; }\n"));
    const std::vector<ptx::run::decision> decisions(k.program.steps.size());
    ptx::run::warp_machine<> machine(k.program, {}, decisions, {7, 5},
                                     {.steps = 100, .memory_bytes = 1 << 20, .calls = 4});
    std::vector<ptx::run::executed> seen;
    CHECK_FALSE(machine.run(one_warp(), [&](const auto& e) { seen.push_back(e); }));
    REQUIRE(seen.size() == 8);
    CHECK(seen[3].depth == 0);
    CHECK(seen[3].callee_base == k.program.routines[0].rows);
    CHECK(seen[4].depth == 1);
    CHECK(seen[4].base == seen[3].callee_base);
    CHECK(seen[6].depth == 0);
    CHECK(seen[6].unit == unit_kind::shared_memory);
    CHECK(seen[6].transactions == 1);  // all lanes the same word
    CHECK(seen[6].active == 0xffff'ffff);
    CHECK(machine.steps() == 8 + 2);  // with two parameters to set
}

}  // namespace executed_test
