// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>

#include <warpgauge/sass/merged_loads.hpp>

#include "sass/lowered.hpp"

namespace merged_loads_test {

// Four loads from rows of `1 << shift` B, with something between the second and the third.
lowered_text loads(int shift, const std::string& between, int first_offset) {
    std::string text = "shl.b32 %r3, %r2, " + std::to_string(shift) + ";\n";
    for (int n = 0; n < 4; ++n) {
        if (n == 2) text += between;
        text += "ld.shared.u32 %r" + std::to_string(10 + n) + ", [%r3+" +
                std::to_string(first_offset + 4 * n) + "];\n";
    }
    text +=
        "add.u32 %r14, %r10, %r11;\nadd.u32 %r15, %r12, %r13;\nadd.u32 %r16, %r14, %r15;\n"
        "st.global.u32 [%d1], %r16;\nret;";
    return lowered_text(text);
}

std::uint32_t count(const lowered_text& k) {
    std::uint32_t sum = 0;
    for (std::uint32_t n = 0; n < 6; ++n) sum += k.count(n, warpgauge::sass::pipe::shared_load);
    return sum;
}

TEST_CASE("four neighbours are one load where the base is a multiple of 16") {
    CHECK(count(loads(4, "", 0)) == 1);
    CHECK(count(loads(7, "", 16)) == 1);
    CHECK(count(loads(3, "", 0)) == 2);  // of 8
    CHECK(count(loads(2, "", 0)) == 4);  // of 4
    CHECK(count(loads(4, "", 8)) == 2);  // two rows, half of each
    CHECK(count(loads(4, "", -16)) == 1);
}

TEST_CASE("loads that read more than an address are their own") {
    const lowered_text k(
        "shl.b32 %r3, %r2, 4;\nld.shared.u32 %r10, [%r3], %r9;\nld.shared.u32 %r11, [%r3+4], %r9;\n"
        "add.u32 %r14, %r10, %r11;\nst.global.u32 [%d1], %r14;\nret;");
    CHECK(count(k) == 2);
}

TEST_CASE("not across what writes or waits") {
    CHECK(count(loads(4, "st.shared.u32 [%r2], %r1;\n", 0)) == 2);
    CHECK(count(loads(4, "bar.sync 0;\n", 0)) == 2);
    CHECK(count(loads(4, "@%p1 bra A;\nA:\n", 0)) == 2);
    CHECK(count(loads(4, "ld.global.u32 %r20, [%d1];\nst.global.u32 [%d1], %r20;\n", 0)) == 2);
}

TEST_CASE("a base that nothing is known of") {
    const lowered_text k(
        "ld.shared.u32 %r3, [%r2];\nld.shared.u32 %r4, [%r2+4];\n"
        "add.u32 %r5, %r3, %r4;\nst.global.u32 [%d1], %r5;\nret;");
    CHECK(k.total(0) == 1);
    CHECK(k.total(1) == 1);
}

TEST_CASE("what is known of a base's lowest bits") {
    std::string deep = "shl.b32 %r20, %r2, 4;\n";  // more sums than are looked through
    for (int n = 20; n < 30; ++n) {
        deep += "add.u32 %r" + std::to_string(n + 1) + ", %r" + std::to_string(n) + ", 16;\n";
    }
    struct {
        std::string base;
        std::uint32_t loads;
    } const all[]{{"shl.b32 %r4, %r2, 4;\nsub.u32 %r3, %r4, 32;\n", 1},
                  {"mul.lo.u32 %r3, %r2, 16;\n", 1},
                  {"mul.hi.u32 %r3, %r2, 16;\n", 4},
                  {"mad.lo.u32 %r3, %r2, 16, 32;\n", 1},
                  {"mad.lo.u32 %r3, %r2, 16, 8;\n", 2},
                  {"mad.hi.u32 %r3, %r2, 16, 32;\n", 4},
                  {"shl.b32 %r3, %r2, %r1;\n", 4},
                  {"shl.b32 %r3, %r2, 40;\n", 4},
                  {"and.b32 %r3, %r2, -16;\n", 4},
                  {"not.b32 %r3, %r2;\n", 4},
                  {deep + "add.u32 %r3, %r30, 16;\n", 4}};
    for (const auto& b : all) {
        CAPTURE(b.base);
        const lowered_text k(b.base +
                             "ld.shared.u32 %r10, [%r3];\nld.shared.u32 %r11, [%r3+4];\n"
                             "ld.shared.u32 %r12, [%r3+8];\nld.shared.u32 %r13, [%r3+12];\n"
                             "add.u32 %r14, %r10, %r11;\nadd.u32 %r15, %r12, %r13;\n"
                             "add.u32 %r16, %r14, %r15;\nst.global.u32 [%d1], %r16;\nret;");
        std::uint32_t sum = 0;
        for (std::uint32_t n = 0; n + instructions_before_body < k.program.steps.size(); ++n) {
            sum += k.count(n, warpgauge::sass::pipe::shared_load);
        }
        CHECK(sum == b.loads);
    }
}

TEST_CASE("loads that are wider, guarded, misaligned or there already stay alone") {
    for (const char* const other :
         {"ld.shared.u64 %d2, [%r3+8];\n", "@%p1 ld.shared.u32 %r5, [%r3+4];\n",
          "ld.shared.u32 %r5, [%r3+2];\n", "ld.shared.u32 %r5, [%r3];\n",
          "ld.shared.v2.u16 {%h1, %h2}, [%r3+4];\n"}) {
        CAPTURE(other);
        const lowered_text k(std::string("shl.b32 %r3, %r2, 4;\nld.shared.u32 %r4, [%r3];\n") +
                             other +
                             "st.global.u32 [%d1], %r4;\nst.global.u32 [%d1], %r5;\n"
                             "st.global.u64 [%d1], %d2;\nst.global.u16 [%d1], %h1;\nret;");
        CHECK(k.count(1, warpgauge::sass::pipe::shared_load) == 1);
        CHECK(k.count(2, warpgauge::sass::pipe::shared_load) == 1);
    }
    // Pairs far apart, more than are kept in mind.
    std::string text = "shl.b32 %r3, %r2, 4;\n";
    std::string sums;
    for (int n = 0; n < 70; ++n) {
        for (const int part : {0, 4}) {
            const std::string name = "%q" + std::to_string(2 * n + part / 4);
            text += "ld.shared.u32 " + name + ", [%r3+" + std::to_string(16 * n + part) + "];\n";
            sums += "st.global.u32 [%d1], " + name + ";\n";
        }
    }
    const lowered_text k(".reg .u32 %q<140>;\n" + text + sums + "ret;");
    CHECK(k.count(2, warpgauge::sass::pipe::shared_load) == 0);    // the second of a pair
    CHECK(k.count(128, warpgauge::sass::pipe::shared_load) == 0);  // of the last pair that is kept
    CHECK(k.count(140, warpgauge::sass::pipe::shared_load) == 1);
}

}  // namespace merged_loads_test
