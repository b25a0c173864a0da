// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/run/loop_rounds.hpp>

namespace loop_rounds_test {

using namespace warpgauge;

TEST_CASE("the loop with most rounds since it was entered, not one within it") {
    ptx::detail::run::loop_rounds<> loops;
    CHECK(loops.longest().from == ptx::link::nowhere);
    for (int outer = 0; outer < 10; ++outer) {
        for (int inner = 0; inner < 3; ++inner) loops.jump(5, 3, 1);
        loops.jump(8, 1, 1);
    }
    CHECK(loops.longest().from == 8);
    CHECK(loops.longest().to == 1);
    CHECK(loops.longest().rounds == 10);
    loops.jump(5, 3, 1'000);  // one round that stands for many
    CHECK(loops.longest().from == 5);
    CHECK(loops.longest().rounds == 1'000);
    loops.clear();
    CHECK(loops.longest().rounds == 0);
}

}  // namespace loop_rounds_test
