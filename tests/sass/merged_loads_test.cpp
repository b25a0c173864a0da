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

}  // namespace merged_loads_test
