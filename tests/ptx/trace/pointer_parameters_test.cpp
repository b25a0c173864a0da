// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <warpgauge/ptx/trace/pointer_parameters.hpp>

#include "ptx/linked.hpp"

namespace pointer_parameters_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

std::string two_numbers(std::string_view body, std::string_view first = ".param .u64 a",
                        std::string_view functions = {}) {
    return ".version 7.0\n.target sm_75\n.address_size 64\n" + std::string(functions) +
           ".visible .entry k(" + std::string(first) + ", .param .u64 b)\n{\n" +
           ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.local .align 8 .b8 room[16];\n"
           "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\n" +
           std::string(body) + "\nret;\n}\n";
}

// The parameters that are pointers, by their number.
std::string pointers(const std::string& text) {
    const linked_text t(text);
    std::string all;
    for (const pointer_field& p : pointer_flow<>(t.program).fields()) {
        all += std::to_string(p.parameter) + "+" + std::to_string(p.offset) + " ";
    }
    return all;
}

}  // namespace

TEST_CASE("what flows into an address is a pointer") {
    CHECK(pointers(two_numbers("cvta.to.global.u64 %d3, %d1;")) == "0+0 ");
    CHECK(pointers(two_numbers("ld.global.u32 %r1, [%d2+4];")) == "1+0 ");
    CHECK(pointers(two_numbers("discard.L2 [%d2], 128;")) == "1+0 ");
    CHECK(pointers(two_numbers("setp.lt.u64 %p1, %d1, %d2;")).empty());
    // An index is scaled.
    CHECK(pointers(two_numbers("shl.b64 %d3, %d2, 2;\nadd.s64 %d4, %d1, %d3;\n"
                               "st.global.u32 [%d4], 1;")) == "0+0 ");
    CHECK(pointers(two_numbers("mad.lo.s64 %d4, %d2, 4, %d1;\nst.global.u32 [%d4], 1;")) == "0+0 ");
    // Of an index of bytes, only the pointer beside it says so.
    CHECK(pointers(two_numbers("cvta.to.global.u64 %d3, %d1;\nadd.s64 %d4, %d3, %d2;\n"
                               "st.global.u8 [%d4], 1;")) == "0+0 ");
    CHECK(pointers(two_numbers("add.s64 %d4, %d1, %d2;\nst.global.u8 [%d4], 1;",
                               ".param .u64 .ptr .global .align 4 a")) == "0+0 ");
    // An offset into shared memory is none.
    CHECK(pointers(two_numbers("ld.shared.u32 %r1, [%d1];")).empty());
}

TEST_CASE("through loops, selections, spills and calls") {
    CHECK(pointers(two_numbers("L: ld.global.u32 %r1, [%d1];\nadd.s64 %d1, %d1, 4;\n"
                               "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;")) == "0+0 ");
    CHECK(pointers(two_numbers("setp.eq.u64 %p1, %d1, 0;\nselp.b64 %d3, %d1, %d2, %p1;\n"
                               "ld.global.u32 %r1, [%d3];")) == "0+0 1+0 ");
    CHECK(pointers(two_numbers("mov.u64 %d5, room;\nst.local.u64 [%d5+8], %d1;\n"
                               "st.local.u64 [%d5], %d2;\nld.local.u64 %d3, [%d5+8];\n"
                               "ld.global.u32 %r1, [%d3];")) == "0+0 ");
    const std::string function =
        ".func f(.param .b64 x) { .reg .b64 %e<3>; .reg .b32 %q<2>;\n"
        "ld.param.u64 %e1, [x]; ld.global.u32 %q1, [%e1]; ret; }\n";
    CHECK(pointers(two_numbers("{ .param .b64 p0; st.param.b64 [p0], %d2; call f, (p0); }",
                               ".param .u64 a", function)) == "1+0 ");
}

TEST_CASE("fields of a structure, and parameters that nothing needs") {
    CHECK(pointers(two_numbers("ld.param.u64 %d3, [a+8];\nld.global.u32 %r1, [%d3];",
                               ".param .align 8 .b8 a[16]")) == "0+8 ");
    const linked_text t(two_numbers("mov.u64 %d3, %d1;\nsetp.eq.u64 %p1, %d2, 0;"));
    const pointer_flow<> flow(t.program);
    CHECK_FALSE(flow.is_used(0));
    CHECK(flow.is_used(1));
}

TEST_CASE("what a function returns of a pointer is one") {
    const std::string next = ".func (.reg .u64 r) next(.reg .u64 p) { add.s64 r, p, 4; ret; }\n";
    CHECK(pointers(two_numbers("call (%d3), next, (%d1);\nld.global.u32 %r1, [%d3];",
                               ".param .u64 a", next)) == "0+0 ");
    CHECK(pointers(two_numbers("call (%d3), next, (%d1);\nadd.s64 %d4, %d3, %d2;\n"
                               "st.global.u8 [%d4], 1;",
                               ".param .u64 .ptr .global .align 4 a", next)) == "0+0 ");
    CHECK(pointers(two_numbers("call (%d3), next, (%d1);\nsetp.lt.u64 %p1, %d3, %d2;",
                               ".param .u64 a", next))
              .empty());
}

TEST_CASE("a handle that is only asked for a size needs no value") {
    const linked_text t(
        two_numbers("txq.width.b32 %r1, [%d1];\nsuq.height.b32 %r2, [%d1];\n"
                    "add.u64 %d3, %d2, 1;\ntxq.width.b32 %r1, [%d2];"));
    const pointer_flow<> flow(t.program);
    CHECK_FALSE(flow.is_used(0));
    CHECK(flow.is_used(1));
}

}  // namespace pointer_parameters_test
