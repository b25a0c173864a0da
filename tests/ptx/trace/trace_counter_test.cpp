// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/trace_counter.hpp>

#include "ptx/linked.hpp"

namespace trace_counter_test {

using namespace warpgauge;
using ptx::detail::trace::trace_counter;

TEST_CASE("counts are means of a warp, by weight") {
    const linked_text k(kernel_of("ld.global.u32 %r3, [%d1];\n@%p1 bra L;\ncall f;\nL: ret;",
                                  ".extern .func f();\n"));
    ptx::traced_kernel t;
    trace_counter<> counter(k.program, t);
    counter.count({.step = 3,
                   .active = 0xffff'ffff,
                   .unit = unit_kind::global_memory,
                   .transactions = 4,
                   .min_transactions = 4,
                   .bytes_moved = 128,
                   .coalesced = true},
                  3);
    counter.count({.step = 3,
                   .active = 0xffff,
                   .unit = unit_kind::global_memory,
                   .transactions = 16,
                   .min_transactions = 2,
                   .bytes_moved = 512,
                   .unknown_address = true},
                  1);
    counter.count({.step = 4, .active = 0xff, .unit = unit_kind::branch, .unknown_predicate = true},
                  2);
    counter.count({.step = 5, .active = 1, .unit = unit_kind::branch}, 1);
    t.warps = 4;
    std::vector<ptx::run::decision> decisions(k.program.steps.size());
    decisions[4].probability = 0.75;
    ptx::detail::trace::sector_counter<> sectors(k.program, 9);
    sectors.count({.step = 3}, ptx::detail::trace::access_totals{.lines = 1}, 3);
    sectors.count({.step = 3}, ptx::detail::trace::access_totals{.lines = 16}, 1);
    counter.finish(decisions, sectors);
    CHECK(t.warp_insts == (3 + 1 + 2 + 1) / 4.0);
    CHECK(t.active_lanes == (3 * 32 + 16 + 2 * 8 + 1) / 7.0);
    CHECK(t.divergent_insts == 1);
    CHECK(t.insts_of(unit_kind::global_memory) == 1);
    CHECK(t.coalesced_mem_insts == 0.75);
    CHECK(t.uncoalesced_mem_insts == 0.25);
    CHECK(t.transactions == 4);
    CHECK(t.bytes_moved == (3 * 128 + 512) / 4.0);
    REQUIRE(t.accesses.size() == 1);
    const ptx::memory_access& a = t.accesses[0];
    CHECK(a.opcode == "ld.global.u32");
    CHECK(a.executions == 1);
    CHECK(a.active_lanes == 28);
    CHECK(a.transactions == 7);
    CHECK(a.min_transactions == 3.5);
    CHECK(a.max_transactions == 16);
    CHECK(a.lines == 19 / 4.0);
    CHECK(a.uncoalesced == 0.25);
    REQUIRE(t.assumptions.size() == 3);
    CHECK(t.assumptions[0].what == ptx::assumed::address);
    CHECK(t.assumptions[1].what == ptx::assumed::branch);
    CHECK(t.assumptions[1].label == "L");
    CHECK(t.assumptions[1].value == 0.75);
    CHECK(t.assumptions[1].executions == 0.5);
    CHECK(t.assumptions[2].what == ptx::assumed::callee);
}

TEST_CASE("what is assumed of an instruction that accesses two memories is said once") {
    const linked_text k(kernel_of("ld.u32 %r3, [%d1];\nret;"));
    ptx::traced_kernel t;
    trace_counter<> counter(k.program, t);
    const warp_access based;
    for (const unit_kind unit : {unit_kind::global_memory, unit_kind::shared_memory}) {
        counter.count({.step = 3,
                       .active = 0xffff,
                       .unit = unit,
                       .transactions = 1,
                       .min_transactions = 1,
                       .based = &based,
                       .unknown_address = true},
                      1);
    }
    t.warps = 1;
    counter.finish(std::vector<ptx::run::decision>(k.program.steps.size()),
                   ptx::detail::trace::sector_counter<>(k.program, 9));
    CHECK(t.accesses.size() == 2);
    REQUIRE(t.assumptions.size() == 2);
    CHECK(t.assumptions[0].what == ptx::assumed::base);
    CHECK(t.assumptions[1].what == ptx::assumed::address);
}

TEST_CASE("passes of shared memory, of which an atomic makes those of a store") {
    const linked_text k(
        kernel_of("atom.shared.add.u32 %r3, [tile], 1;\nst.global.u32 [%d1], %r3;\n"
                  "ld.shared.u32 %r4, [tile];\nret;"));
    ptx::traced_kernel t;
    trace_counter<> counter(k.program, t);
    counter.count({.step = 3, .active = 1, .unit = unit_kind::shared_memory, .transactions = 5}, 2);
    counter.count({.step = 5, .active = 1, .unit = unit_kind::shared_memory, .transactions = 3}, 2);
    t.warps = 2;
    counter.finish(std::vector<ptx::run::decision>(k.program.steps.size()),
                   ptx::detail::trace::sector_counter<>(k.program, 9));
    CHECK(t.shared_store_passes == 5);
    CHECK(t.shared_load_passes == 3);
}

TEST_CASE("an instruction that no lane executes is issued, and does not access") {
    const linked_text k(kernel_of("@%p1 st.global.u32 [%d1], %r2;\nret;"));
    ptx::traced_kernel t;
    trace_counter<> counter(k.program, t);
    counter.count({.step = 3, .active = 0, .unit = unit_kind::integer}, 1);
    t.warps = 1;
    counter.finish(std::vector<ptx::run::decision>(k.program.steps.size()),
                   ptx::detail::trace::sector_counter<>(k.program, 9));
    CHECK(t.warp_insts == 1);
    CHECK(t.accesses.empty());
}

TEST_CASE("local memory: a thread's bytes, by addresses of local memory and by generic ones") {
    const linked_text k(kernel_of("st.local.u32 [%d1], %r2;\nld.u32 %r2, [%d1];\nret;"));
    const auto bytes = [&](std::uint64_t frame) {
        ptx::traced_kernel t{.local_frame_bytes = frame};
        trace_counter<> counter(k.program, t);
        const auto count = [&](std::uint32_t step, std::uint32_t active, double weight) {
            counter.count({.step = step,
                           .active = active,
                           .unit = unit_kind::l1_cache,
                           .transactions = 1,
                           .min_transactions = 1},
                          weight);
        };
        count(3, 0xffff'ffff, 5);
        count(3, 0, 5);
        count(4, 1, 10);
        t.warps = 10;
        counter.finish(std::vector<ptx::run::decision>(k.program.steps.size()),
                       ptx::detail::trace::sector_counter<>(k.program, 9));
        return t.local_bytes;
    };
    CHECK(bytes(64) == 0.5 * 4 + 4);
    CHECK(bytes(0) == 0.5 * 4);  // without arrays, a generic address is of something else
}

}  // namespace trace_counter_test
