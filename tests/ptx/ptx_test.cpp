// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx.hpp>

namespace ptx_test {

using namespace warpgauge;

TEST_CASE("one header leads from a text and what ptxas says to a profile") {
    const std::string text =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n"
        ".reg .b32 %r<3>;\n.reg .b64 %d<4>;\nld.param.u64 %d1, [data];\nmov.u32 %r1, %tid.x;\n"
        "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\nst.global.u32 [%d3], %r1;\nret;\n}\n";
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto kernel = ptx::find_kernel(*m, "k");
    REQUIRE(kernel);
    const auto t = ptx::trace(*kernel, {{80}, {128}}, {});
    REQUIRE(t);
    const auto compiled = ptx::read_resources(
        "Compiling entry function 'k' for 'sm_75'\nUsed 8 registers, 400 bytes cmem[0]\n", "k");
    REQUIRE(compiled);
    const kernel_profile<> k = t->profile(*compiled);
    CHECK(k.registers_per_thread == 8);
    CHECK(k.comp_insts == 5);
    CHECK(k.coalesced_mem_insts == 1);
    CHECK(k.bytes_per_access == 4);
    CHECK(*ptx::live_registers(*kernel) == 5);  // %d1, %r1, %d2
    CHECK(ptx::classify("st.global.u32").unit == unit_kind::global_memory);
    CHECK(coalesce({}, coalescing_rule_of(ptx::target_of(*m)))->transactions == 1);
}

}  // namespace ptx_test
