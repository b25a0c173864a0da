// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts that nobody would write end soon, in a trace or in an error with line and column. What each is made of would
// take minutes, or more memory than there is, if the work on it grew faster than its length.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/module_index.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

namespace hostile_text_test {

using namespace warpgauge;

namespace {

std::string repeated(std::string_view text, int times) {
    std::string all;
    for (int n = 0; n < times; ++n) all += text;
    return all;
}

result<ptx::traced_kernel> traced(const parsed_text& t, const ptx::trace_options& options = {}) {
    const auto kernel = static_cast<std::uint32_t>(t.module.functions.size() - 1);
    return ptx::trace(ptx::kernel{&t.module, kernel}, {{1}, {32}}, {17}, options);
}

void require_limit(const result<ptx::traced_kernel>& t, std::string_view field) {
    REQUIRE_FALSE(t);
    CHECK(t.error().code == errc::limit_reached);
    CHECK(t.error().field == field);
    CHECK(t.error().line > 0);
    CHECK(t.error().column > 0);
}

}  // namespace

TEST_CASE("a name of 200,000 digits") {
    const parsed_text t(kernel_of("mov.u32 %r" + std::string(200'000, '1') + ", 1;"));
    const auto bad = traced(t);
    REQUIRE_FALSE(bad);
    CHECK(bad.error() == model_error{errc::missing, "declaration", 15, 1});
}

TEST_CASE("long names in deep braces") {
    const std::string name = "%" + std::string(20'000, 'a');
    const parsed_text t(kernel_of(repeated("{", 200) + ".reg .b32 " + name + ";\n" +
                                  repeated("mov.u32 " + name + ", 1;\n", 50) + repeated("}", 200)));
    CHECK(traced(t));
}

TEST_CASE("a table of a million values, and many that point to each other") {
    const parsed_text table(kernel_of("ld.const.u32 %r3, [t+3999996];\nret;",
                                      ".const .u32 t[] = {" + repeated("1,", 1'000'000) + "};\n"));
    CHECK(traced(table));
    require_limit(traced(table, {.max_memory_bytes = 1 << 20}), "memory");
    std::string chain = ".global .u64 v0 = 1;\n";
    for (int n = 1; n < 20'000; ++n) {
        chain += ".const .u64 v" + std::to_string(n) + "[] = {v" + std::to_string(n - 1) + "};\n";
    }
    CHECK(traced(parsed_text(kernel_of("ld.const.u64 %d2, [v19999];\nret;", chain))));
}

TEST_CASE("many calls through pointers to many functions") {
    std::string names;
    std::string functions;
    for (int n = 0; n < 2000; ++n) {
        const std::string name = "f" + std::to_string(n);
        names += (n == 0 ? "" : ", ") + name;
        functions += ".func " + name + "() { ret; }\n";
    }
    const parsed_text t(kernel_of(
        "T: .calltargets " + names + ";\n" + repeated("call %d2, T;\n", 2000) + "ret;", functions));
    require_limit(traced(t), "max_steps");
}

TEST_CASE("many branches on data beside shared memory that directs") {
    const parsed_text t(kernel_of(
        "st.shared.u32 [tile], %r1;\nld.shared.u32 %r4, [tile];\nsetp.eq.u32 %p2, %r4, 1;\n"
        "ld.global.u32 %r5, [%d1];\nsetp.eq.u32 %p1, %r5, 1;\n" +
        repeated("@%p1 bra E;\n@%p2 bra E;\n", 10'000) + "E: ret;"));
    CHECK(traced(t));
}

TEST_CASE("many jumps back over many branches") {
    const parsed_text t(kernel_of("bra E;\nL:\n@%p1 bra L1;\nL1:\n" +
                                  repeated("@%p1 bra L1;\n", 4000) + repeated("bra L;\n", 4000) +
                                  "E: ret;"));
    require_limit(traced(t, {.max_steps = 1'000'000}), "max_steps");
    // Jumps back over a long way that nothing leaves cost nothing.
    const parsed_text plain(kernel_of("bra E;\nL:\n" + repeated("mov.u32 %r2, 1;\n", 20'000) +
                                      repeated("bra L;\n", 20'000) + "E: ret;"));
    CHECK(traced(plain));
}

TEST_CASE("more constants than memory is allowed") {
    std::string body;
    for (int n = 0; n < 5000; ++n) body += "mov.u32 %r3, " + std::to_string(1000 + n) + ";\n";
    const parsed_text t(kernel_of(body));
    require_limit(traced(t, {.max_memory_bytes = 1'000'000}), "memory");
    CHECK(traced(t, {.max_memory_bytes = 2'000'000}));
    // With the registers of the kernel, they just pass it.
    require_limit(traced(t, {.max_memory_bytes = 5010 * 264}), "memory");
}

TEST_CASE("many branches by one long table") {
    std::string body = "bra E;\nT: .branchtargets E";
    for (int n = 0; n < 5000; ++n) body += ", E";
    const parsed_text t(kernel_of(body + ";\n" + repeated("brx.idx %r1, T;\n", 5000) + "E: ret;"));
    require_limit(traced(t), "max_steps");
}

TEST_CASE("a long loop in a kernel of many registers") {
    std::string body = ".reg .b32 %q<30000>;\n";
    for (int n = 0; n < 30'000; ++n) body += "mov.u32 %q" + std::to_string(n) + ", %r1;\n";
    const parsed_text t(kernel_of(body + "mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1;\n"
                                         "setp.lt.u32 %p1, %r2, 50000;\n@%p1 bra L;\nret;"));
    const auto followed = traced(t, {.blocks = ptx::sampling::middle_block});
    REQUIRE(followed);
    CHECK(followed->warp_insts == 30'000 + 3 + 1 + 3 * 50'000 + 1);
    CHECK(followed->stream.size() == 30'000 + 3 + 1 + 1 + 3 + 1);  // the loop is rolled up
}

TEST_CASE("a hundred thousand labels, calls without end, a loop without end") {
    std::string labels;
    for (int n = 0; n < 100'000; ++n) labels += "L" + std::to_string(n) + ":\n";
    CHECK(traced(parsed_text(kernel_of(labels + "ret;"))));
    const ptx::trace_options few{.max_steps = 100'000};
    require_limit(traced(parsed_text(kernel_of("L: bra L;")), few), "max_steps");
    require_limit(
        traced(parsed_text(kernel_of("call f;\nret;", ".func f { call f; ret; }\n")), few),
        "calls");
    std::string doubling = ".func f0 { ret; }\n";  // 2^40 calls
    for (int n = 1; n <= 40; ++n) {
        const std::string callee = "call f" + std::to_string(n - 1) + "; ";
        doubling += ".func f" + std::to_string(n) + " { " + callee + callee + "ret; }\n";
    }
    require_limit(traced(parsed_text(kernel_of("call f40;\nret;", doubling)), few), "max_steps");
}

TEST_CASE("bytes of zero, lines of DOS, comments without end") {
    std::string dos;
    for (const char c : kernel_of("mov.u32 %r3, 1;\n// a comment\nret;")) {
        if (c == '\n') dos += '\r';
        dos += c;
    }
    CHECK(traced(parsed_text(dos)));
    const std::string text = kernel_of("mov.u32 %r3, 1;\nret;");
    for (const std::string_view in : {"mov.u32", "%r3", ".visible", "{", "ret;"}) {
        std::string broken = text;
        broken[broken.find(in)] = '\0';
        const auto m = ptx::parse(broken);
        REQUIRE_FALSE(m);
        CHECK(m.error().line > 0);
        CHECK(m.error().column > 0);
    }
    CHECK(ptx::parse(text + repeated("/**/", 100'000)));
    CHECK(ptx::parse(text + repeated("/* ", 100'000)).error().field == "'*/'");
}

TEST_CASE("thousands of kernels of one module, each traced by an index of all") {
    std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n";
    constexpr std::uint32_t count = 30'000;
    for (std::uint32_t n = 0; n < count; ++n) {
        text += ".entry k" + std::to_string(n) +
                "(.param .u32 n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\nret;\n}\n";
    }
    const parsed_text t(text);
    const ptx::module_index index(t.module);
    for (std::uint32_t n = 0; n < count; ++n) {
        const std::string name = "k" + std::to_string(n);
        const auto k = ptx::find_kernel(index, name);
        REQUIRE(k);
        const auto followed =
            ptx::trace(*k, {{1}, {32}}, {17}, {.blocks = ptx::sampling::middle_block});
        REQUIRE(followed);
        CHECK(followed->warp_insts == 2);
    }
}

}  // namespace hostile_text_test
