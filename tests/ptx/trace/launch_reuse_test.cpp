// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/launch_reuse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

namespace launch_reuse_test {

using namespace warpgauge;

namespace {

ptx::traced_kernel traced(const std::string& body, ptx::launch l, ptx::sampling blocks) {
    const parsed_text t(kernel_of(body));
    const auto e = ptx::trace(*ptx::find_kernel(t.module, "k"), l, {1024, {}}, {.blocks = blocks});
    REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
    return *e;
}

}  // namespace

TEST_CASE("reuse is that of all kinds of blocks") {
    // Eight rounds of other words, or of the same ones in blocks for which `%r7` is less than `%r8`.
    const auto reuse_of = [](const std::string& numbers, ptx::launch l, ptx::sampling blocks) {
        const auto t = traced(
            "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmad.lo.u32 %r3, %r4, %r5, %r2;\n"
            "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d3, %d1, %d2;\n" +
                numbers +
                "setp.lt.u32 %p1, %r7, %r8;\nmov.u64 %d4, 0;\n@%p1 bra SAME;\nmov.u64 %d4, 128;\n"
                "SAME:\nmov.u32 %r6, 0;\nLOOP:\nld.global.f32 %f1, [%d3];\n"
                "add.f32 %f2, %f2, %f1;\nadd.u64 %d3, %d3, %d4;\nadd.u32 %r6, %r6, 1;\n"
                "setp.lt.u32 %p1, %r6, 8;\n@%p1 bra LOOP;\nret;",
            l, blocks);
        if (blocks == ptx::sampling::all) CHECK(t.errors.reused_fraction == 0);
        return std::array{t.waits.reused_fraction, t.errors.reused_fraction};
    };
    const std::string first_quarter = "mov.u32 %r7, %ctaid.x;\nmov.u32 %r8, 250;\n";
    const ptx::launch line{{1000}, {32}};
    const auto [some, error] = reuse_of(first_quarter, line, ptx::sampling::representative);
    CHECK(some == doctest::Approx(7.0 / 8 / 4));
    CHECK(error == 0);
    CHECK(reuse_of(first_quarter, line, ptx::sampling::all)[0] == doctest::Approx(some));
    // A triangle, of whose blocks some are drawn.
    const std::string triangle = "mov.u32 %r7, %ctaid.x;\nmov.u32 %r8, %ctaid.y;\n";
    const ptx::launch square{{80, 80}, {32}};
    const auto [drawn, off] = reuse_of(triangle, square, ptx::sampling::representative);
    const double exact = reuse_of(triangle, square, ptx::sampling::all)[0];
    CHECK(exact == doctest::Approx(7.0 / 8 * 79 / 160));
    CHECK(std::abs(drawn - exact) <= off + 1e-9);
}

TEST_CASE("blocks that go one way meet their own part in other rounds") {
    // Each block reads its own words, and then those of all blocks.
    const auto reuse_of = [](std::uint32_t blocks, ptx::sampling sampling) {
        const auto t = traced(
            "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmad.lo.u32 %r3, %r4, %r5, %r2;\n"
            "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %d1, %d2;\nmul.wide.u32 %d3, %r2, 4;\n"
            "add.u64 %d3, %d1, %d3;\nmul.wide.u32 %d4, %r5, 4;\nmov.u32 %r7, %nctaid.x;\n"
            "ld.global.f32 %f3, [%d2];\nadd.f32 %f2, %f3, %f3;\nmov.u32 %r6, 0;\n"
            "LOOP:\nld.global.f32 %f1, [%d3];\nadd.f32 %f2, %f2, %f1;\nadd.u64 %d3, %d3, %d4;\n"
            "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, %r7;\n@%p1 bra LOOP;\nret;",
            {{blocks}, {64}}, sampling);
        return std::array{t.waits.reused_fraction, t.errors.reused_fraction};
    };
    for (const std::uint32_t blocks : {24U, 64U, 128U}) {
        CAPTURE(blocks);
        const double exact = reuse_of(blocks, ptx::sampling::all)[0];
        CHECK(exact > 0);
        CHECK(exact < 0.3 / blocks);
        const auto [some, error] = reuse_of(blocks, ptx::sampling::representative);
        CHECK(std::abs(some - exact) <= error + 1e-9);
        CHECK((error > 0) == (blocks > 32));  // else all are looked at
        CHECK(error < 4.0 / blocks);
    }
}

TEST_CASE("a lattice that meets no block which reads again says what it may have missed") {
    // Each block reads one of 100 parts, and then the first ten of them: each hundred of 1800 blocks in a way of its own.
    const auto reuse_of = [](ptx::sampling sampling) {
        std::string body = "mov.u32 %r4, %ctaid.x;\n";
        for (int n = 1; n < 18; ++n) {
            body += "setp.lt.u32 %p2, %r4, 100;\n@%p2 bra READ;\nsub.u32 %r4, %r4, 100;\n";
        }
        body +=
            "READ: mov.u32 %r5, %ntid.x;\nmad.lo.u32 %r3, %r4, %r5, %r2;\n"
            "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %d1, %d2;\nmul.wide.u32 %d3, %r2, 4;\n"
            "add.u64 %d3, %d1, %d3;\nmul.wide.u32 %d4, %r5, 4;\n"
            "ld.global.f32 %f3, [%d2];\nadd.f32 %f2, %f3, %f3;\nmov.u32 %r6, 0;\n"
            "LOOP:\nld.global.f32 %f1, [%d3];\nadd.f32 %f2, %f2, %f1;\nadd.u64 %d3, %d3, %d4;\n"
            "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 10;\n@%p1 bra LOOP;\nret;";
        const auto t = traced(body, {{1800}, {64}}, sampling);
        return std::array{t.waits.reused_fraction, t.errors.reused_fraction};
    };
    const double exact = reuse_of(ptx::sampling::all)[0];
    CHECK(exact > 0);
    const auto [some, error] = reuse_of(ptx::sampling::representative);
    CHECK(std::abs(some - exact) <= error + 1e-9);
    CHECK(error > 0);
    CHECK(error < 0.2);
}

TEST_CASE("of a few ways of small parts of a grid, other blocks are looked at each time") {
    // The first 200 of 4000 blocks go five ways, 40 each, and read one of 40 parts, then the first ten.
    const auto reuse_of = [](ptx::sampling sampling) {
        std::string body = "mov.u32 %r4, %ctaid.x;\n";
        for (int n = 0; n < 5; ++n) {
            body += "setp.lt.u32 %p2, %r4, 40;\n@%p2 bra READ;\nsub.u32 %r4, %r4, 40;\n";
        }
        body +=
            "bra OUT;\nREAD: mov.u32 %r5, %ntid.x;\nmad.lo.u32 %r3, %r4, %r5, %r2;\n"
            "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %d1, %d2;\nmul.wide.u32 %d3, %r2, 4;\n"
            "add.u64 %d3, %d1, %d3;\nmul.wide.u32 %d4, %r5, 4;\n"
            "ld.global.f32 %f3, [%d2];\nadd.f32 %f2, %f3, %f3;\nmov.u32 %r6, 0;\n"
            "LOOP:\nld.global.f32 %f1, [%d3];\nadd.f32 %f2, %f2, %f1;\nadd.u64 %d3, %d3, %d4;\n"
            "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 10;\n@%p1 bra LOOP;\nOUT: ret;";
        const auto t = traced(body, {{4000}, {64}}, sampling);
        return std::array{t.waits.reused_fraction, t.errors.reused_fraction};
    };
    const double exact = reuse_of(ptx::sampling::all)[0];
    CHECK(exact > 0);
    const auto [some, error] = reuse_of(ptx::sampling::representative);
    CHECK(std::abs(some - exact) <= error + 1e-9);
    CHECK(error > 0);
    CHECK(error < 0.25);
}

}  // namespace launch_reuse_test
