// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/live_registers.hpp>

#include "ptx/linked.hpp"

namespace live_registers_test {

using namespace warpgauge;

TEST_CASE("a kernel's registers, with those of the function that needs most") {
    const char* const body =
        "add.u32 %r3, %r2, 1;\nadd.u32 %r4, %r2, 2;\nadd.u32 %r5, %r3, %r4;\n"
        "st.global.u32 [%d1], %r5;\nret;";
    const parsed_text alone(kernel_of(body));
    CHECK(*ptx::live_registers(*ptx::find_kernel(alone.module, "k")) == 4);
    const parsed_text calls(
        kernel_of(std::string("call f;\ncall g;\n") + body,
                  ".func g() { ret; }\n.func f() { .reg .b64 %a<3>;\n"
                  "mov.u64 %a1, 1; mov.u64 %a2, 2; add.u64 %a1, %a1, %a2; ret; }\n"));
    CHECK(*ptx::live_registers(*ptx::find_kernel(calls.module, "k")) == 4 + 4);
    CHECK(ptx::live_registers({}).error() == model_error{errc::missing, "kernel"});
}

}  // namespace live_registers_test
