// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that read back what their block has stored to shared memory.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/block_shared.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

namespace block_shared_test {

using namespace warpgauge;

namespace {

struct shown {
    double barriers{};
    std::size_t assumptions{};
};

// After `%p1`: not the first thread of its block, and `stores`: as many barriers as `tile[0]` says.
shown show(const std::string& stores, const ptx::trace_options& options = {}) {
    const parsed_text text(kernel_of(
        "setp.ne.u32 %p1, %r2, 0;\nmov.u32 %r9, %ctaid.x;\n" + stores +
        "\nld.shared.u32 %r4, [tile];\nmov.u32 %r3, 0;\nLOOP: bar.sync 0; add.u32 %r3, %r3, 1;\n"
        "setp.lt.u32 %p2, %r3, %r4;\n@%p2 bra LOOP;\nret;"));
    const auto k = ptx::find_kernel(text.module, "k");
    REQUIRE(k);
    const auto t = ptx::trace(*k, {{5}, {96}}, {23}, options);
    CAPTURE(t ? std::string_view() : std::string_view(message(t.error()).view()));
    REQUIRE(t);
    return {t->insts_of(unit_kind::barrier), t->assumptions.size()};
}

void check(const std::string& stores, double barriers, std::size_t assumptions) {
    CAPTURE(stores);
    const shown s = show(stores);
    CHECK(s.barriers == doctest::Approx(barriers));
    CHECK(s.assumptions == assumptions);
}

constexpr double unknown_rounds = 10;

}  // namespace

TEST_CASE("one thread stores a loop's bound") {
    check("@%p1 bra J;\nst.shared.u32 [tile], %r1;\nJ: bar.sync 0;", 1 + 23, 0);
    check("@!%p1 st.shared.u32 [tile], %r1;\nbar.sync 0;", 1 + 23, 0);
    // Of another warp than most, and by its generic address.
    check(
        "setp.ne.u32 %p1, %r2, 95;\nmov.u64 %d2, tile; cvta.shared.u64 %d3, %d2;\n"
        "@%p1 bra J;\nst.u32 [%d3], %r1;\nJ: bar.sync 0;",
        1 + 23, 0);
    // Another number for each block: 1 to 5.
    check("add.u32 %r9, %r9, 1;\n@%p1 bra J;\nst.shared.u32 [tile], %r9;\nJ: bar.sync 0;", 1 + 3,
          0);
    CHECK(show("add.u32 %r9, %r9, 1;\n@%p1 bra J;\nst.shared.u32 [tile], %r9;\nJ: bar.sync 0;",
               {.blocks = ptx::sampling::all})
              .barriers == doctest::Approx(1 + 3));
}

TEST_CASE("of kernels that write to shared memory otherwise, nothing is known") {
    const char* const store = "\n@%p1 bra J;\nst.shared.u32 [tile], %r1;\nJ: bar.sync 0;";
    for (const char* other :
         {"mapa.u64 %d4, %d1, 0;", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {%r9};",
          "cp.async.ca.shared.global [tile], [%d1], 4;", "mbarrier.init.shared.b64 [tile], 1;",
          "st.async.shared::cluster.u32 [%r9], %r9;", "st.shared::cluster.u32 [%r9], %r9;",
          "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [tile], {%r9}, 16;"}) {
        CAPTURE(other);
        CHECK(show(std::string(other) + store).barriers == doctest::Approx(1 + unknown_rounds));
    }
}

TEST_CASE("what one warp computes of what another has stored") {
    check(
        "@%p1 bra J;\nst.shared.u32 [tile+4], %r1;\nJ: bar.sync 0;\n"
        "setp.ne.u32 %p1, %r2, 64;\n@%p1 bra K;\nld.shared.u32 %r5, [tile+4];\n"
        "add.u32 %r5, %r5, 2;\nst.shared.u32 [tile], %r5;\nK: bar.sync 0;",
        2 + 25, 0);
}

TEST_CASE("values that differ, are not known or change stay unknown") {
    check("st.shared.u32 [tile], %r2;\nbar.sync 0;", 1 + unknown_rounds, 1);
    check("ld.global.u32 %r5, [%d1];\nst.shared.u32 [tile], %r5;\nbar.sync 0;", 1 + unknown_rounds,
          1);
    check("st.shared.u32 [tile], %r1;\nbar.sync 0;\nred.shared.add.u32 [tile], 1;\nbar.sync 0;",
          2 + unknown_rounds, 1);
    check(
        "st.shared.u32 [tile], 0;\nbar.sync 0;\n@%p1 bra J;\nst.shared.u32 [tile], %r1;\nJ: "
        "bar.sync 0;",
        2 + unknown_rounds, 1);
    // A store to who knows where.
    check(
        "st.shared.u32 [tile], %r1;\nbar.sync 0;\nld.global.u64 %d2, [%d1];\nst.shared.u32 [%d2], "
        "5;",
        1 + unknown_rounds, 2);
    // Another loop of stores than a few bytes: the bound lies among them.
    check(
        "mov.u32 %r3, 0; mov.u64 %d2, tile;\nM: st.shared.u32 [%d2], %r3; add.u64 %d2, %d2, 4;\n"
        "add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 100;\n@%p3 bra M;\nst.shared.u32 [tile], "
        "%r1;\nbar.sync 0;",
        1 + unknown_rounds, 1);
}

TEST_CASE("where data decides what is stored, nobody knows") {
    const std::string data = "ld.global.u32 %r5, [%d1];\nsetp.ne.u32 %p3, %r5, 0;\n";
    check(data + "@%p3 bra J;\nst.shared.u32 [tile], %r1;\nJ: bar.sync 0;", 1 + unknown_rounds, 2);
    check(data +
              "mov.u32 %r6, 4;\n@%p3 bra J;\nmov.u32 %r6, 5;\nJ: st.shared.u32 [tile], "
              "%r6;\nbar.sync 0;",
          1 + unknown_rounds, 2);
    // What data decides beside it does not matter.
    check(data + "@%p3 bra J;\nadd.u32 %r6, %r6, 1;\nJ: st.shared.u32 [tile], %r1;\nbar.sync 0;",
          1 + 23, 1);
}

TEST_CASE("blocks that take too long to find out about stay unknown, and others' memory does") {
    check(
        "mov.u32 %r3, 0;\nM: st.shared.u32 [tile+8], %r3; add.u32 %r3, %r3, 1;\n"
        "setp.lt.u32 %p3, %r3, 1000000;\n@%p3 bra M;\nst.shared.u32 [tile], %r1;\nbar.sync 0;",
        1 + unknown_rounds, 1);
    check("st.shared.u32 [tile], %r1;\nmapa.u64 %d2, %d1, 1;\nbar.sync 0;", 1 + unknown_rounds, 1);
}

}  // namespace block_shared_test
