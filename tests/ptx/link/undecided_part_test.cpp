// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/reconvergence.hpp>
#include <warpgauge/ptx/link/undecided_part.hpp>

#include "ptx/linked.hpp"

namespace undecided_part_test {

using namespace warpgauge;

namespace {

struct part_of {
    part_of(const std::string& body, std::uint32_t undecided) : k(kernel_of(body)) {
        REQUIRE_FALSE(ptx::link::find_reconvergence(k.program, k.program.routines[0], 10'000));
        CHECK(part.add(instructions_before_body + undecided));
        CHECK_FALSE(part.add(instructions_before_body + undecided));
        part.close();
    }
    // A letter for each step of the body: `x` in the part, `t` with a tainted result, `.` neither.
    std::string shown() const {
        std::string all;
        for (std::uint32_t s = instructions_before_body; s < k.program.steps.size(); ++s) {
            const auto& here = k.program.steps[s];
            const bool tainted = here.results != 0 && part.taints(k.result(here));
            all += part.has(s) ? 'x' : tainted ? 't' : '.';
        }
        return all;
    }

    linked_text k;
    ptx::link::undecided_part<> part{k.program};
};

}  // namespace

TEST_CASE("what a branch decides, up to where its ways meet, and what follows from that") {
    CHECK(
        part_of("@%p1 bra J;\nadd.u32 %r3, %r1, 1;\nJ: add.u32 %r4, %r1, 2;\nadd.u32 %r5, %r3, 3;\n"
                "mul.lo.u32 %r6, %r5, %r4;\nret;",
                0)
            .shown() == "xx.tt.");
    // The same predicate decides again.
    CHECK(part_of("@%p1 bra J;\nmov.u32 %r3, 1;\nJ: mov.u32 %r4, 1;\n@%p1 mov.u32 %r5, 1;\nret;", 0)
              .shown() == "xx.x.");
    // A branch on a tainted value is undecided too.
    CHECK(part_of("@%p1 bra J;\nmov.u32 %r3, 1;\nJ: setp.eq.u32 %p2, %r3, 1;\n@%p2 bra K;\n"
                  "mov.u32 %r4, 1;\nK: mov.u32 %r5, 1;\nret;",
                  0)
              .shown() == "xxtxx..");
    // A loop of unknown rounds.
    CHECK(part_of("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1;\nadd.u32 %r4, %r1, 1;\n@%p1 bra L;\n"
                  "mov.u32 %r5, 1;\nret;",
                  3)
              .shown() == "txxx..");
}

TEST_CASE("an end that nobody knows leaves all behind it open; a guarded step only itself") {
    CHECK(part_of("mov.u32 %r3, 0;\n@%p1 ret;\nmov.u32 %r4, 0;\nret;", 1).shown() == ".xxx");
    CHECK(part_of("@%p1 mov.u32 %r3, 0;\nmov.u32 %r4, 0;\nret;", 0).shown() == "x..");
}

TEST_CASE("what hangs on a result that may be another") {
    linked_text k(
        kernel_of("ld.shared.u32 %r3, [tile];\nadd.u32 %r4, %r3, 1;\nsetp.eq.u32 %p1, %r4, 2;\n"
                  "@%p1 bra J;\nmov.u32 %r5, 1;\nJ: mov.u32 %r6, 1;\n@%p2 mov.u32 %r7, 1;\nret;"));
    REQUIRE_FALSE(ptx::link::find_reconvergence(k.program, k.program.routines[0], 10'000));
    ptx::link::undecided_part<> part(k.program);
    part.add_results(instructions_before_body);
    part.close();
    const std::string shown = "tttxx..";
    for (std::uint32_t s = 0; s < 7; ++s) {
        CAPTURE(s);
        CHECK(part.has(instructions_before_body + s) == (shown[s] == 'x'));
        if (s != 3) CHECK(part.taints(k.result(k.body(s))) == (s < 3 || s == 4));
        CHECK(part.directs(instructions_before_body + s) == (s == 3));
    }
}

TEST_CASE("what goes through local memory and carries") {
    CHECK(part_of(".local .b8 s[8];\n@%p1 mov.u32 %r3, 0;\nst.local.u32 [s], %r3;\n"
                  "ld.local.u32 %r4, [s];\nld.global.u32 %r5, [%d1];\nret;",
                  0)
              .shown() == "x.t..");
    CHECK(part_of("@%p1 mov.u32 %r3, 0;\naddc.u32 %r4, %r1, %r1;\nret;", 0).shown() == "xt.");
    const linked_text k(kernel_of("ret;"));
    ptx::link::undecided_part<> none(k.program);
    none.close();
    CHECK_FALSE(none.has(0));
    CHECK_FALSE(none.taints(ptx::link::carry));
    CHECK_FALSE(none.taints(ptx::link::nowhere));
}

TEST_CASE("tables, ends, carries and memory that may be a thread's own") {
    const std::string table =
        "T: .branchtargets A, B;\nA: mov.u32 %r4, 1;\nbra J;\nB: mov.u32 %r4, 2;\n"
        "J: mov.u32 %r5, %r4;\nret;";
    CHECK(part_of("brx.idx %r2, T;\n" + table, 0).shown() == "xxxxt.");
    CHECK(part_of("@%p1 bra K;\nmov.u32 %r3, 1;\nK: brx.idx %r3, T;\n" + table, 0).shown() ==
          "xxxxxxt.");
    CHECK(part_of("@%p1 exit;\nmov.u32 %r3, 1;\nret;", 0).shown() == "xxx");
    CHECK(part_of("@%p1 exit;\nbrx.idx %r2, T;\n" + table, 0).shown() == "xxxxxxx");
    const part_of carries(
        "@%p1 bra J;\nmov.u32 %r3, 1;\nJ: addc.u32 %r4, %r1, 2;\n"
        "subc.u32 %r5, %r1, 2;\nadd.u32 %r6, %r1, 2;\nret;",
        0);
    CHECK(carries.shown() == "xxtt..");
    CHECK(carries.part.taints(ptx::link::carry));
    CHECK_FALSE(carries.part.taints(ptx::link::laneid));
    CHECK(part_of("@%p1 bra J;\nst.u32 [%d2], %r1;\nJ: ld.u32 %r4, [%d2];\n"
                  "ld.local.u32 %r5, [%d2];\nld.global.u32 %r6, [%d2];\nret;",
                  0)
              .shown() == "xxtt..");
    CHECK(
        part_of("@%p1 bra J;\nmov.b64 {%r3, _}, %d2;\nJ: add.u32 %r4, %r3, 1;\nret;", 0).shown() ==
        "xxt.");
}

}  // namespace undecided_part_test
