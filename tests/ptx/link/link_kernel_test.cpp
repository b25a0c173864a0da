// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/link_kernel.hpp>

#include "ptx/linked.hpp"

namespace link_kernel_test {

using namespace warpgauge;

TEST_CASE("a kernel and what it calls, each after the other") {
    const linked_text k(kernel_of(
        "call f;\nret;", ".func g() { ret; }\n.func h() { ret; }\n.func f() { call g; ret; }\n"));
    const auto& routines = k.program.routines;
    REQUIRE(routines.size() == 3);
    CHECK(routines[0].function == 3);
    CHECK(routines[1].function == 2);
    CHECK(routines[2].function == 0);
    CHECK(routines[0].first == 0);
    CHECK(routines[1].first == routines[0].count);
    CHECK(routines[2].first == routines[1].first + routines[1].count);
    CHECK(k.program.steps.size() == routines[2].first + 1);
}

TEST_CASE("work on parameters is bounded") {
    std::string body;
    for (int n = 0; n < 40; ++n) body += "ld.param.u8 %r3, [n+" + std::to_string(n) + "];\n";
    const parsed_text t(kernel_of(body + "ret;"));
    // The first load has taken 4 bytes; then each is compared with those before: 1 + 2 + ... + 40.
    CHECK(ptx::link::link_kernel(t.module, 0, 820));
    const auto bad = ptx::link::link_kernel(t.module, 0, 819);
    REQUIRE_FALSE(bad);
    CHECK(bad.error() == model_error{errc::limit_reached, "max_steps", 54, 1});
}

TEST_CASE("a call by another name of a function is a call of it") {
    const linked_text k(kernel_of("call (%r3), other, (%r1);\nret;",
                                  ".func (.reg .b32 o) f(.reg .b32 i)\n{\nmov.u32 o, i;\nret;\n}\n"
                                  ".func (.reg .b32 o) other(.reg .b32 i);\n.alias other, f;\n"));
    CHECK(k.body(0).target == 1);
    CHECK(k.program.routines.size() == 2);
}

TEST_CASE("after the first error nothing more is linked") {
    CHECK(link_error_of(kernel_of("call f;\nadd.u32 %r3, %nothing, 1;\nret;",
                                  ".func f() { add.u32 %none, 1, 2; ret; }\n")) ==
          model_error{errc::missing, "declaration", 17, 1});
    const model_error first = link_error_of(kernel_of(".local .b8 large[2000000000];\nret;"));
    CHECK(first.code == errc::overflow);
    CHECK(link_error_of(kernel_of(
              ".local .b8 large[2000000000]; .local .b8 larger[3000000000];\nret;")) == first);
}

}  // namespace link_kernel_test
