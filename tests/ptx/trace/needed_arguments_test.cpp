// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/needed_arguments.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/kernels.hpp"
#include "ptx/linked.hpp"

namespace needed_arguments_test {

using namespace warpgauge;

std::string text_of(const std::string& parameters, const std::string& body,
                    const std::string& address_bits = "64") {
    return ".version 7.0\n.target sm_75\n.address_size " + address_bits + "\n.visible .entry k(" +
           parameters + ")\n{\n.reg .pred %p;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n" + body +
           "\nret;\n}\n";
}

std::vector<bool> needed_in(const std::string& text) {
    const parsed_text parsed(text);
    const auto needed = ptx::needed_arguments(*ptx::find_kernel(parsed.module, "k"));
    REQUIRE(needed);
    return *needed;
}

TEST_CASE("integers are needed, but for pointers and for what is not used") {
    const std::string reads =
        "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [n]; mov.u64 %d3, 7;\n"
        "setp.lt.u64 %p, %d3, %d2; @%p st.global.u64 [%d1], %d3;";
    CHECK(needed_in(text_of(".param .u64 to, .param .u64 n, .param .u64 unused, .param .u32 m,\n"
                            ".param .f32 x, .param .align 8 .b8 s[16]",
                            reads)) == std::vector<bool>{false, true, false, true, false, false});
    CHECK(needed_in(text_of(".param .u64 .ptr .global .align 4 to, .param .u64 n", reads)) ==
          std::vector<bool>{false, true});
    CHECK(needed_in(text_of(".param .u32 to, .param .u64 n",
                            "ld.param.u32 %r1, [to]; st.global.u32 [%r1], 1;", "32")) ==
          std::vector<bool>{false, true});
    CHECK(needed_in(text_of("", "")).empty());
}

TEST_CASE("what unoptimised code only stores in its local memory is not needed") {
    const std::string parameters = ".param .u64 to, .param .u64 unused, .param .u64 n";
    const std::string body =
        ".local .align 8 .b8 depot[24];\n.reg .b64 %SP; .reg .b64 %SPL;\n"
        "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;\n"
        "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [unused]; ld.param.u64 %d3, [n];\n"
        "st.u64 [%SP+0], %d1; st.u64 [%SP+8], %d2; st.u64 [%SP+16], %d3;\n"
        "ld.u64 %d4, [%SP+0]; ld.u64 %d5, [%SP+16];\n"
        "setp.lt.u64 %p, 7, %d5; @%p st.u64 [%d4], %d5;";
    const std::string text = text_of(parameters, body);
    CHECK(needed_in(text) == std::vector<bool>{false, false, true});
    const parsed_text parsed(text);
    CHECK(ptx::trace(*ptx::find_kernel(parsed.module, "k"), {{1}, {32}}, {{}, {}, 9}));
    CHECK(needed_in(text_of(parameters, body + "\nld.u32 %r1, [%SP+12];")) ==
          std::vector<bool>{false, true, true});
}

TEST_CASE("a trace fails without any of them, and without no other") {
    for (const kernel_launch& l : kernel_launches()) {
        CAPTURE(l.kernel);
        const parsed_text parsed(kernel_text(l.file));
        const auto kernel = *ptx::find_kernel(parsed.module, l.kernel);
        const auto needed = ptx::needed_arguments(kernel);
        REQUIRE(needed);
        std::vector<ptx::argument> given(needed->size());
        for (std::size_t n = 0; n < given.size(); ++n) {
            if ((*needed)[n]) given[n] = ptx::argument::unknown();
        }
        CHECK(ptx::trace(kernel, l.launch, given, {.blocks = ptx::sampling::middle_block}));
        for (std::size_t n = 0; n < given.size(); ++n) {
            if (!(*needed)[n]) continue;
            given[n] = {};
            const auto without = ptx::trace(kernel, l.launch, given);
            REQUIRE_FALSE(without);
            CHECK(without.error().code == errc::missing);
            CHECK(without.error().line == n + 1);
            given[n] = ptx::argument::unknown();
        }
    }
}

TEST_CASE("what cannot be linked has no answer") {
    CHECK(ptx::needed_arguments({}).error() == model_error{errc::missing, "kernel"});
    const parsed_text parsed(text_of(".param .u32 n", "mov.u32 %r1, nothing;"));
    const auto kernel = *ptx::find_kernel(parsed.module, "k");
    CHECK(ptx::needed_arguments(kernel).error().code == errc::missing);
    const parsed_text long_text(text_of(".param .u32 n", "mov.u32 %r1, 1;"));
    const auto large = *ptx::find_kernel(long_text.module, "k");
    CHECK(ptx::needed_arguments(large, {.max_memory_bytes = 1}).error().code ==
          errc::limit_reached);
}

}  // namespace needed_arguments_test
