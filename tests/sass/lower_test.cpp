// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/lower.hpp>

#include "ptx/kernels.hpp"
#include "ptx/producers.hpp"
#include "random_numbers.hpp"

namespace lower_test {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;
using sass::pipe;
using warpgauge::errc;
using warpgauge::model_error;

struct traced {
    std::string text;
    ptx::module module;
    ptx::kernel kernel;
    ptx::traced_kernel trace;
};

traced trace_of(const kernel_launch& k, const std::string& target) {
    traced t;
    t.text = kernel_text(k.file, target);
    t.module = *ptx::parse(t.text);
    t.kernel = *ptx::find_kernel(t.module, k.kernel);
    t.trace = *ptx::trace(t.kernel, k.launch, k.arguments);
    return t;
}

// By hand, as of the machine code in `join_test`: 2,188 of 2,400 warps go through.
TEST_CASE("saxpy is what ptxas makes of it") {
    const traced t = trace_of(kernel_launches()[0], "sm_75");
    const auto code = sass::lower({&t.module, t.kernel.function}, t.trace);
    REQUIRE(code);
    const double through = 2188.0 / 2400;
    CHECK(code->warp_insts == doctest::Approx(6 + 8 * through));
    CHECK(code->insts_of(pipe::global_load) == doctest::Approx(2 * through));
    CHECK(code->insts_of(pipe::global_store) == doctest::Approx(through));
    CHECK(code->insts_of(pipe::fp32) == doctest::Approx(through));
    CHECK(code->insts_of(pipe::branch) == doctest::Approx(1 + through));
    CHECK(code->insts_of(pipe::other) == doctest::Approx(2));
    CHECK(code->unlisted_insts == 0);

    const auto k = code->profile(t.trace);
    CHECK(k.comp_insts == doctest::Approx(code->warp_insts - 3 * through));
    CHECK(k.sync_insts == 0);
    CHECK(k.branches == 1);  // the jump to the end
    CHECK(k.ops.fp32_ops == doctest::Approx(32 * through));
    CHECK(k.ops.integer_ops ==
          doctest::Approx(32 * (code->insts_of(pipe::alu) + code->insts_of(pipe::integer_fma))));
    CHECK(k.coalesced_mem_insts == t.trace.profile().coalesced_mem_insts);
}

TEST_CASE(
    "counts are of the pipes together, and of all kernels fewer than of PTX but for predicates and "
    "roots") {
    for (const kernel_launch& k : kernel_launches()) {
        for (const std::string target : {"sm_75", "sm_90"}) {
            CAPTURE(k.kernel);
            const traced t = trace_of(k, target);
            const auto code = sass::lower({&t.module, t.kernel.function}, t.trace);
            REQUIRE(code);
            double sum = 0;
            for (const double insts : code->pipe_insts) sum += insts;
            CHECK(code->warp_insts == doctest::Approx(sum));
            CHECK(code->unlisted_insts == 0);
            CHECK(code->warp_insts < 1.3 * t.trace.warp_insts);
            CHECK(code->warp_insts > 0.5 * t.trace.warp_insts);
        }
    }
}

// ptxas 13.0 makes 358 instructions of a warp of it for 8.0, and 360 for 9.0: none of local memory.
TEST_CASE("a counter and a sum in a local array of words") {
    for (const auto& [target, machine] : {std::pair{"sm_80", 358.0}, {"sm_90", 360.0}}) {
        const std::string text =
            std::string(".version 9.0\n.target ") + target +
            "\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 i)\n{\n"
            ".local .align 16 .b8 depot[64];\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n"
            ".reg .b64 %d<9>;\n.reg .pred %p<2>;\nmov.u64 %d4, depot;\nld.param.u64 %d1, [p];\n"
            "ld.param.u32 %r1, [i];\ncvta.to.global.u64 %d2, %d1;\nmov.u32 %r2, %tid.x;\n"
            "mul.wide.u32 %d3, %r2, 4;\nadd.s64 %d2, %d2, %d3;\nmov.u32 %r3, 0;\n"
            "st.local.u32 [%d4], %r3;\nst.local.f32 [%d4+4], 0f00000000;\n"
            "L: ld.global.f32 %f1, [%d2];\nld.local.f32 %f2, [%d4+4];\nadd.f32 %f3, %f1, %f2;\n"
            "st.local.f32 [%d4+4], %f3;\nadd.s64 %d2, %d2, 128;\nld.local.u32 %r4, [%d4];\n"
            "add.u32 %r5, %r4, 1;\nst.local.u32 [%d4], %r5;\nsetp.lt.u32 %p1, %r5, %r1;\n"
            "@%p1 bra L;\nld.local.f32 %f4, [%d4+4];\nst.global.f32 [%d2], %f4;\nret;\n}\n";
        const auto m = ptx::parse(text);
        REQUIRE(m);
        const auto k = ptx::find_kernel(*m, "k");
        const auto t = ptx::trace(*k, {{1}, {32}}, {{}, 50});
        REQUIRE(t);
        const auto code = sass::lower(*k, *t);
        REQUIRE(code);
        CHECK(code->insts_of(pipe::local_load) == 0);
        CHECK(code->insts_of(pipe::local_store) == 0);
        CHECK(code->warp_insts == doctest::Approx(machine).epsilon(0.01));
        // By the text alone, the array is in local memory.
        CHECK(t->profile().traffic.local_bytes == 4 * (2 + 50 * 4 + 1));
        CHECK(t->profile().traffic.local_footprint_bytes == 64);
        CHECK(code->profile(*t).traffic.local_bytes == 0);
        CHECK(code->profile(*t).traffic.local_footprint_bytes == 0);
    }
}

TEST_CASE("an array at places that data decide is in local memory") {
    const std::string text =
        ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".local .align 16 .b8 depot[4096];\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
        "mov.u64 %d4, depot;\nld.param.u64 %d1, [p];\nld.global.u32 %r1, [%d1];\n"
        "mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d4, %d2;\nst.local.u32 [%d3], %r1;\n"
        "ld.global.u32 %r2, [%d1+4];\nmul.wide.u32 %d2, %r2, 8;\nadd.s64 %d3, %d4, %d2;\n"
        "ld.local.v2.u32 {%r3, %r4}, [%d3];\nst.global.v2.u32 [%d1], {%r3, %r4};\nret;\n}\n";
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, "k");
    const auto t = ptx::trace(*k, {{1}, {32}}, {{}});
    REQUIRE(t);
    const auto code = sass::lower(*k, *t);
    REQUIRE(code);
    CHECK(code->local_bytes == 4 + 8);
    CHECK(code->profile(*t).traffic.local_bytes == 4 + 8);
    CHECK(code->profile(*t).traffic.local_footprint_bytes == 4096);
}

TEST_CASE("as the documents have it") {
    const std::string text = kernel_text("saxpy", "sm_75");
    // region: lower
    const auto m = ptx::parse(text);
    const auto kernel = ptx::find_kernel(*m, "saxpy");
    const auto traced = ptx::trace(*kernel, {{300}, {256}}, {70'000});
    const auto code = sass::lower(*kernel, *traced);          // #include <warpgauge/sass/lower.hpp>
    const double integers = code->insts_of(sass::pipe::alu);  // of a warp
    const auto lowered = code->profile(*traced);              // for the models
    // endregion
    CHECK(integers > 0);
    CHECK(lowered.comp_insts < traced->profile().comp_insts);
}

TEST_CASE("a trace of another kernel, or of another text") {
    const traced saxpy = trace_of(kernel_launches()[0], "sm_75");
    const traced naive = trace_of(kernel_launches()[1], "sm_75");
    CHECK(sass::lower({&naive.module, naive.kernel.function}, saxpy.trace).error() ==
          model_error{errc::unknown_name, "kernel"});
    auto other = saxpy.trace;
    for (auto& l : other.lines) l.line += 1;
    CHECK(sass::lower({&saxpy.module, saxpy.kernel.function}, other).error() ==
          model_error{errc::unknown_name, "lines"});
    const std::string declared =
        ".version 7.0\n.target sm_75\n.address_size 64\n.extern .entry k();\n";
    const auto m = ptx::parse(declared);
    if (m && !m->functions.empty()) {
        CHECK(sass::lower({&*m, 0}, saxpy.trace).error() == model_error{errc::missing, "kernel"});
    }
}

TEST_CASE("functions that are called count too") {
    const std::string text =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".func (.reg .u32 %back) f(.reg .u32 %given) {\nmul.hi.u32 %back, %given, "
        "%given;\nret;\n}\n"
        ".visible .entry k(.param .u64 data) {\n.reg .b32 %r<9>;\n.reg .b64 %d<3>;\n"
        "mov.u32 %r1, %tid.x;\ncall (%r2), f, (%r1);\nld.param.u64 %d1, [data];\n"
        "st.global.u32 [%d1], %r2;\nret;\n}\n";
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, "k");
    const auto t = ptx::trace(*k, {{1}, {32}}, {});
    REQUIRE(t);
    const auto code = sass::lower(*k, *t);
    REQUIRE(code);
    CHECK(code->insts_of(pipe::integer_fma) == doctest::Approx(1));
    CHECK(code->insts_of(pipe::branch) == doctest::Approx(3));
}

// Cut, doubled and changed texts: what can be traced can be lowered, with counts that are numbers.
TEST_CASE("changed texts") {
    constexpr unsigned seed = 270;
    CAPTURE(seed);
    random_numbers random(seed);
    const auto below = [&](std::size_t n) {
        return static_cast<std::size_t>(random.whole(0, static_cast<int>(n) - 1));
    };
    int lowered = 0;
    for (int n = 0; n < 400; ++n) {
        const std::size_t which = below(kernel_launches().size());
        const kernel_launch& k = kernel_launches()[which];
        std::string text = kernel_text(k.file);
        const std::size_t changes = 1 + below(4);
        for (std::size_t c = 0; c < changes; ++c) {
            const std::size_t at = text.find('\n', below(text.size()));
            if (at == std::string::npos) continue;
            const std::size_t end = text.find('\n', at + 1);
            if (end == std::string::npos) continue;
            if (below(2) == 0) {
                text.erase(at, end - at);
            } else {
                const std::size_t from = text.find('\n', below(text.size()));
                const std::size_t to = from == std::string::npos ? from : text.find('\n', from + 1);
                if (to != std::string::npos) text.insert(at, text.substr(from, to - from));
            }
        }
        const auto m = ptx::parse(text);
        const auto found = m ? ptx::find_kernel(*m, k.kernel) : ptx::kernel{};
        if (!m || !found) continue;
        const auto t = ptx::trace(*found, {{2}, {64}}, k.arguments,
                                  {.blocks = ptx::sampling::middle_block, .max_steps = 200'000});
        if (!t) continue;
        const auto code = sass::lower(*found, *t);
        REQUIRE(code);
        ++lowered;
        CHECK(code->warp_insts >= 0);
        CHECK(code->warp_insts < 100 * (t->warp_insts + 100));
    }
    CHECK(lowered > 50);
}

// Each step of the way down is bounded: long chains, many loops and texts without a definition end at once.
TEST_CASE("long texts") {
    std::string text =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 data) {\n"
        ".reg .b32 %r<20009>;\n.reg .b64 %d<20009>;\n.reg .pred %p<9>;\n"
        "ld.param.u64 %d0, [data];\n";
    for (int n = 1; n <= 20'000; ++n) {
        text += "add.u64 %d" + std::to_string(n) + ", 8, %d" + std::to_string(n - 1) + ";\n";
    }
    text += "mov.u32 %r1, 0;\n";
    for (int n = 0; n < 5'000; ++n) {
        std::string label("L");
        label += std::to_string(n);
        text += label + ": add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, " + std::to_string(n % 10) +
                ";\n@%p1 bra " + label + ";\n";
    }
    text += "ld.global.u32 %r2, [%d20000];\nst.global.u32 [%d20000], %r2;\nret;\n}\n";
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, "k");
    const auto t = ptx::trace(*k, {{1}, {32}}, {});
    REQUIRE(t);
    CHECK(sass::lower(*k, *t));
}

TEST_CASE("kernels of another compiler") {
    const std::string text = triton_text;
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, "doubled_kernel");
    const auto t = ptx::trace(*k, {{4}, {128}}, {{}, {}, 4000});
    REQUIRE(t);
    const auto code = sass::lower(*k, *t);
    REQUIRE(code);
    CHECK(code->warp_insts > 0);
    CHECK(code->insts_of(pipe::exchange) > 0);
}

}  // namespace lower_test
