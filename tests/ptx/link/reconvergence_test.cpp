// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/link/reconvergence.hpp>

#include "ptx/linked.hpp"

namespace reconvergence_test {

using namespace warpgauge;
using ptx::link::find_reconvergence, ptx::link::nowhere;

namespace {

struct reconverged : linked_text {
    explicit reconverged(const char* body) : linked_text(kernel_of(body)) {
        CHECK_FALSE(find_reconvergence(program, program.routines[0], 1000));
    }
    // The step of the body where the paths of a branch meet.
    std::uint32_t meets(std::size_t branch) const {
        const std::uint32_t at = this->body(branch).reconverge;
        return at == nowhere ? nowhere : at - instructions_before_body;
    }
};

}  // namespace

TEST_CASE("both sides of a branch meet behind them") {
    const reconverged k(
        "@%p1 bra THEN;\nadd.u32 %r3, %r2, 1;\nbra JOIN;\nTHEN: sub.u32 %r3, %r2, 1;\n"
        "JOIN: bar.sync 0;\nret;");
    CHECK(k.meets(0) == 4);
    CHECK(k.meets(2) == 4);
}

TEST_CASE("lanes that leave a loop wait behind it") {
    const reconverged k("L: add.u32 %r3, %r3, 1;\n@%p1 bra L;\nbar.sync 0;\nret;");
    CHECK(k.meets(1) == 2);
}

TEST_CASE("an early return keeps nobody waiting") {
    // if (p1) { if (p2) return; add; } bar;
    const reconverged k(
        "@%p1 bra JOIN;\n@%p2 bra RET;\nadd.u32 %r3, %r2, 1;\nJOIN: bar.sync 0;\nRET: ret;");
    CHECK(k.meets(0) == 3);
    CHECK(k.meets(1) == 2);
    const reconverged guard("@%p1 bra RET;\nbar.sync 0;\nRET: ret;");
    CHECK(guard.meets(0) == 1);
}

TEST_CASE("paths that end apart do not meet, and work is bounded") {
    reconverged k("@%p1 bra A;\nbar.sync 0;\nret;\nA: add.u32 %r3, %r2, 1;\nret;");
    CHECK(k.meets(0) == nowhere);
    const reconverged forever("L: bra L;\nret;");
    CHECK(forever.meets(0) == nowhere);
    linked_text loop(kernel_of(
        "A: @%p1 bra C;\nadd.u32 %r3, %r2, 1;\nB: @%p2 bra A;\nbar.sync 0;\nC: @%p3 bra B;\nret;"));
    CHECK(find_reconvergence(loop.program, loop.program.routines[0], 0) ==
          model_error{errc::limit_reached, "max_steps", 12, 1});
}

}  // namespace reconvergence_test
