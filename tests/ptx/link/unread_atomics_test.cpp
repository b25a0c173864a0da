// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/unread_atomics.hpp>

#include "ptx/linked.hpp"

namespace unread_atomics_test {

using namespace warpgauge;
using ptx::link::step, ptx::text::action;

namespace {

// Is the first atomic of this body a `red`?
bool reduces(std::string_view body, std::string_view functions = {}) {
    const linked_text k(kernel_of(body, functions));
    for (const step& s : k.program.steps) {
        if (!s.is_atomic) continue;
        CHECK(s.stores == (s.results == 0));
        CHECK((s.what == action::unknown) == s.stores);
        return s.stores;
    }
    FAIL("no atomic");
    return false;
}

}  // namespace

TEST_CASE("an atom whose result nothing reads is a red, with the same sources") {
    const linked_text k(
        kernel_of("atom.global.add.u32 %r3, [%d1+8], 1;\n"
                  "red.global.add.u32 [%d1+8], 1;\nret;"));
    const step& made = k.body(0);
    const step& red = k.body(1);
    CHECK(made.what == red.what);
    CHECK(made.stores);
    CHECK(made.results == 0);
    CHECK(made.sources == red.sources);
    CHECK(k.source(made, 0) == k.source(red, 0));
    CHECK(k.source(made, 1) == k.source(red, 1));
    CHECK(made.offset == red.offset);
    CHECK(made.lane_bytes == red.lane_bytes);
}

TEST_CASE("what is read stays: by arithmetic, a predicate, a store, a call") {
    const std::string add = "atom.shared.add.u32 %r3, [tile], 1;\n";
    CHECK(reduces(add + "ret;"));
    CHECK(reduces("atom.shared.add.u32 _, [tile], 1;\nret;"));
    CHECK(reduces("atom.shared.add.u32 [tile], 1;\nret;"));  // no PTX
    CHECK_FALSE(reduces(add + "add.u32 %r4, %r3, 1;\nret;"));
    CHECK_FALSE(reduces(add + "st.global.u32 [%d1], %r3;\nret;"));
    CHECK_FALSE(reduces("atom.shared.add.u32 %r3, [%r3], 1;\nret;"));
    CHECK_FALSE(
        reduces("atom.global.add.u64 %d2, [%d1], 1;\nsetp.eq.u64 %p1, %d2, 0;\n"
                "@%p1 bar.sync 0;\nret;"));
    const std::string takes =
        ".func f(.param .u32 x) {\n.reg .b32 %r<3>;\nld.param.u32 %r1, [x];\n"
        "add.u32 %r2, %r1, 1;\nret;\n}\n";
    CHECK_FALSE(
        reduces(add + "{ .param .u32 a;\nst.param.u32 [a], %r3;\ncall f, (a); }\nret;", takes));
    CHECK(reduces(add + "call f;\nret;", ".extern .func f();\n"));
    const std::string returns =
        ".func (.param .u32 was) f(.param .u64 p) {\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
        "ld.param.u64 %d1, [p];\natom.add.u32 %r1, [%d1], 1;\nst.param.u32 [was], %r1;\nret;\n}\n";
    const std::string call =
        "{ .param .u32 back;\n.param .u64 a;\nst.param.u64 [a], %d1;\n"
        "call (back), f, (a);\nld.param.u32 %r3, [back]; }\n";
    CHECK_FALSE(reduces(call + "st.global.u32 [%d1], %r3;\nret;", returns));
}

TEST_CASE("copies that nothing reads do not count") {
    const std::string add = "{ .reg .u32 t;\natom.global.add.u32 t, [%d1], 1;\nmov.u32 %r3, t; }\n";
    CHECK(reduces(add + "mov.u32 %r4, %r3;\nret;"));
    CHECK_FALSE(reduces(add + "mov.u32 %r4, %r3;\nst.global.u32 [%d1], %r4;\nret;"));
}

TEST_CASE("operations that red does not have stay") {
    for (const std::string_view what : {"inc.u32", "max.s32", "relaxed.gpu.or.b32"}) {
        CHECK(reduces("atom.global." + std::string(what) + " %r3, [%d1], 1;\nret;"));
    }
    for (const std::string_view what : {"exch.b32", "acquire.gpu.add.u32", "acq_rel.gpu.add.u32"}) {
        CHECK_FALSE(reduces("atom.global." + std::string(what) + " %r3, [%d1], 1;\nret;"));
    }
    CHECK_FALSE(reduces("atom.global.cas.b32 %r3, [%d1], 1, 2;\nret;"));
}

}  // namespace unread_atomics_test
