// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/control_slice.hpp>
#include <warpgauge/ptx/link/reconvergence.hpp>

#include "ptx/linked.hpp"

namespace control_slice_test {

using namespace warpgauge;
using ptx::link::control_slice;

TEST_CASE("what directs a warp, and what that needs, is in the slice; the rest is not") {
    linked_text k(
        kernel_of("mad.lo.u32 %r3, %r2, 3, %r1;\n"    // 0: of the guard
                  "mul.wide.u32 %d2, %r2, 4;\n"       // 1: of an address
                  "setp.lt.u32 %p1, %r3, 9;\n"        // 2
                  "@%p1 bra OUT;\n"                   // 3
                  "add.s64 %d3, %d1, %d2;\n"          // 4
                  "ld.global.f32 %f1, [%d3];\n"       // 5
                  "@%p1 st.global.f32 [%d3], %f1;\n"  // 6: which lanes execute it
                  "OUT: ret;"));
    REQUIRE_FALSE(ptx::link::find_reconvergence(k.program, k.program.routines[0], 1'000));
    const control_slice<> slice(k.program);
    const bool of_body[]{true, false, true, true, false, false, true, true};
    for (std::uint32_t s = 0; s < 8; ++s) {
        CAPTURE(s);
        CHECK(slice.has(instructions_before_body + s) == of_body[s]);
    }
    CHECK(slice.has(0));        // n
    CHECK_FALSE(slice.has(1));  // data
    CHECK(slice.stop(instructions_before_body + 5) == instructions_before_body + 6);
    CHECK(slice.stop(instructions_before_body + 3) == instructions_before_body + 3);
}

TEST_CASE("how much of a copy a lane reads directs it like a predicate") {
    const linked_text k(
        kernel_of("mul.wide.u32 %d2, %r2, 16;\nadd.s64 %d3, %d1, %d2;\n"  // 0, 1: of an address
                  "setp.lt.u32 %p1, %r2, %r1;\nselp.b32 %r3, 16, 0, %p1;\n"
                  "cp.async.cg.shared.global [tile], [%d3], 16, %r3;\n"
                  "cp.async.cg.shared.global [tile], [%d3], 16;\nret;"));
    const control_slice<> slice(k.program);
    const bool of_body[]{false, false, true, true, true, false, true};
    for (std::uint32_t s = 0; s < 7; ++s) {
        CAPTURE(s);
        CHECK(slice.has(instructions_before_body + s) == of_body[s]);
    }
    CHECK(k.program.part_row(k.body(4)) == k.result(k.body(3)));
    CHECK(k.program.part_row(k.body(5)) == ptx::link::nowhere);
}

TEST_CASE("what accesses cost depends on where copies write shared memory") {
    const linked_text k(
        kernel_of("shl.b32 %r3, %r2, 4;\nadd.u32 %r4, %r3, 1;\n"
                  "cp.async.cg.shared.global [%r3], [%d1], 16;\nret;"));
    CHECK_FALSE(control_slice<>(k.program).has(instructions_before_body));
    const control_slice<> costs(k.program, ptx::link::slice_extent::accesses);
    CHECK(costs.has(instructions_before_body));
    CHECK_FALSE(costs.has(instructions_before_body + 1));
}

TEST_CASE("a value that goes through local memory or a carry") {
    const linked_text local(
        kernel_of(".local .align 4 .b8 mine[16];\nmov.u64 %d2, mine;\nst.local.u32 [%d2], %r2;\n"
                  "ld.local.u32 %r3, [%d2];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra OUT;\nOUT: ret;"));
    const control_slice<> of_local(local.program);
    for (std::uint32_t s = 0; s < 4; ++s) CHECK(of_local.has(instructions_before_body + s));
    const linked_text carry(
        kernel_of("add.cc.u32 %r3, %r2, %r1;\naddc.u32 %r4, %r2, 0;\nmul.lo.u32 %r5, %r2, 3;\n"
                  "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra OUT;\nOUT: ret;"));
    const control_slice<> of_carry(carry.program);
    CHECK(of_carry.has(instructions_before_body));
    CHECK(of_carry.has(instructions_before_body + 1));
    CHECK_FALSE(of_carry.has(instructions_before_body + 2));
}

TEST_CASE(
    "what is stored to shared memory, without what is loaded from there and directs nothing of "
    "it") {
    linked_text k(
        kernel_of("add.u32 %r3, %r2, 1;\nst.shared.u32 [tile], %r3;\nld.shared.u32 %r4, [tile];\n"
                  "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra J;\nmov.u32 %r5, 1;\nJ: bar.sync 0;\nret;"));
    REQUIRE_FALSE(ptx::link::find_reconvergence(k.program, k.program.routines[0], 1'000));
    ptx::link::undecided_part<> loaded(k.program);
    loaded.add_results(instructions_before_body + 2);
    loaded.close();
    const control_slice<> all(k.program, ptx::link::slice_extent::shared_stores);
    const control_slice<> stores(k.program, ptx::link::slice_extent::shared_stores, &loaded);
    const bool of_stores[]{true, true, false, false, false, false, false, true};
    for (std::uint32_t s = 0; s < 8; ++s) {
        CAPTURE(s);
        CHECK(stores.has(instructions_before_body + s) == of_stores[s]);
        CHECK(all.has(instructions_before_body + s) == (s < 5 || s == 7));
    }
}

TEST_CASE("where accesses count, the slice has their addresses, and not what is stored") {
    const linked_text k(
        kernel_of("mul.wide.u32 %d2, %r2, 4;\nadd.u64 %d3, %d1, %d2;\nld.global.u32 %r4, [%d3];\n"
                  "add.u32 %r5, %r4, 1;\nst.global.u32 [%d3], %r5;\nret;"));
    const control_slice<> of_ways(k.program);
    const control_slice<> slice(k.program, ptx::link::slice_extent::accesses);
    const bool of_address[]{true, true, false, false, false};
    for (std::uint32_t s = 0; s < 5; ++s) {
        CAPTURE(s);
        CHECK_FALSE(of_ways.has(instructions_before_body + s));
        CHECK(slice.has(instructions_before_body + s) == of_address[s]);
    }
}

TEST_CASE("of a kernel with functions, all is in the slice") {
    const linked_text k(
        kernel_of("call f;\nmul.lo.u32 %r5, %r2, 3;\nret;", ".func f() { ret; }\n"));
    const control_slice<> slice(k.program);
    for (std::uint32_t s = 0; s < k.program.steps.size(); ++s) CHECK(slice.has(s));
}

TEST_CASE("where shared memory directs, the slice has all that may write there") {
    const auto slice_of = [](linked_text& k, bool shared_stores) {
        REQUIRE_FALSE(ptx::link::find_reconvergence(k.program, k.program.routines[0], 10'000));
        const auto extent =
            shared_stores ? ptx::link::slice_extent::shared_stores : ptx::link::slice_extent::ways;
        return ptx::link::control_slice<>(k.program, extent);
    };
    const char* const loop = "setp.eq.u32 %p1, %r4, 1;\n@%p1 bra L;\nL: ret;";
    linked_text shared(kernel_of(std::string("mov.u32 %r5, 3;\n@%p2 st.shared.u32 [tile], %r5;\n"
                                             "atom.shared.add.u32 %r6, [tile], 1;\n"
                                             "st.global.u32 [%d1], %r5;\n"
                                             "ld.shared.u32 %r4, [tile];\n"
                                             "atom.shared.add.u32 %r7, [tile+4], 1;\n"
                                             "st.global.u32 [%d1], %r7;\n") +
                                 loop));
    const auto with = slice_of(shared, true);
    CHECK(with.loads_shared());
    for (const std::uint32_t s : {0U, 1U, 2U, 4U, 5U})
        CHECK(with.has(instructions_before_body + s));
    CHECK_FALSE(with.has(instructions_before_body + 3));
    const auto loads_alone = slice_of(shared, false);
    CHECK(loads_alone.loads_shared());
    CHECK_FALSE(loads_alone.has(instructions_before_body));
    linked_text global(
        kernel_of(std::string("st.shared.u32 [tile], %r5;\nld.global.u32 %r4, [%d1];\n") + loop));
    const auto without = slice_of(global, true);
    CHECK_FALSE(without.loads_shared());
    CHECK_FALSE(without.has(instructions_before_body));
}

}  // namespace control_slice_test
