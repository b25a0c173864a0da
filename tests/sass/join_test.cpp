// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/join.hpp>

#include "ptx/kernels.hpp"
#include "random_numbers.hpp"
#include "sass/cubins.hpp"
#include "sass/made_code.hpp"

namespace join_test {

namespace {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;
using sass::pipe;

struct traced {
    std::string text;
    ptx::module module;
    ptx::traced_kernel trace;
};

traced trace_of(const std::string& kernel, const std::string& target, const ptx::launch& launch,
                const std::vector<ptx::argument>& arguments) {
    traced t;
    t.text = kernel_text(kernel, target);
    t.module = *ptx::parse(t.text);
    t.trace = *ptx::trace(*ptx::find_kernel(t.module, kernel), launch, arguments);
    return t;
}

// By hand: 76,800 threads, of which 70,000 have an element: of 2,400 warps 2,188 execute all 14 instructions and 212
// the six up to the first EXIT.
TEST_CASE("straight code is counted exactly") {
    const auto t = trace_of("saxpy", "sm_75", {{300}, {256}}, {70'000});
    const auto bytes = cubin_bytes(saxpy_sm_75);
    const auto code = sass::read_cubin(bytes, "saxpy");
    REQUIRE(code);
    const auto x = sass::join(t.module, t.trace, *code);
    REQUIRE(x);
    const double through = 2188.0 / 2400;
    CHECK(x->warp_insts == doctest::Approx(6 + 8 * through));
    CHECK(x->insts_of(pipe::global_load) == doctest::Approx(2 * through));
    CHECK(x->insts_of(pipe::global_store) == doctest::Approx(through));
    CHECK(x->insts_of(pipe::fp32) == doctest::Approx(through));
    CHECK(x->insts_of(pipe::branch) == doctest::Approx(1 + through));
    CHECK(x->insts_of(pipe::unknown) == 0);
    CHECK(x->predicated_insts == 0);
    CHECK(x->disagreement == 0);
    CHECK(x->doubtful.empty());
    CHECK(x->bytes_of(pipe::global_load) == doctest::Approx(8 * through));
    CHECK(x->bytes_of(pipe::local_load) + x->bytes_of(pipe::local_store) == 0);
    CHECK(x->opcodes.front().executions >= x->opcodes.back().executions);
    const auto k = x->profile(t.trace);
    CHECK(k.registers_per_thread == 10);
    CHECK(k.comp_insts == doctest::Approx(6 + 5 * through));  // all but two loads and a store
    CHECK(k.branches == 1);  // all warps come to `@P0 EXIT`; that of the others has no condition
    CHECK(k.ops.fp32_ops == doctest::Approx(32 * through));
    CHECK(k.ops.integer_ops ==
          doctest::Approx(32 * (3 + 3 * through)));  // MOV IMAD ISETP; MOV IMAD.WIDE twice
    CHECK(k.traffic.local_bytes == 0);
    CHECK(k.coalesced_mem_insts == t.trace.profile().coalesced_mem_insts);
}

// By hand: each of 30 blocks of 256 threads goes over 100,000 numbers in steps of 7,680: 13 rounds, and the first
// 100,000 - 13 * 7,680 = 160 threads one more, which are five of all 240 warps.
TEST_CASE("a loop's instructions are executed once a round") {
    const auto t = trace_of("histogram", "sm_90", {{30}, {256}}, {100'000});
    const auto bytes = cubin_bytes(histogram_sm_90);
    const auto code = sass::read_cubin(bytes, "histogram");
    REQUIRE(code);
    const auto x = sass::join(t.module, t.trace, *code);
    REQUIRE(x);
    const double rounds = 13 + 5.0 / 240;
    CHECK(x->insts_of(pipe::global_load) == doctest::Approx(rounds));
    CHECK(x->insts_of(pipe::shared_atomic) == doctest::Approx(rounds));
    CHECK(x->insts_of(pipe::global_atomic) == doctest::Approx(1));
    CHECK(x->insts_of(pipe::barrier) == doctest::Approx(2));
    CHECK(x->profile(t.trace).sync_insts == doctest::Approx(2));
    // STS, LDS, and the atomics of the loop.
    CHECK(x->profile(t.trace).shared_insts == doctest::Approx(2 + rounds));
    // All else, from the blocks of the code: those in the loop so often, those around it once.
    double in_loop = 0;
    double around = 0;
    for (const sass::basic_block& b : x->graph.blocks) {
        if (!b.reachable) continue;
        (b.loop == sass::no_block ? around : in_loop) += b.count;
    }
    CHECK(x->warp_insts == doctest::Approx(around + in_loop * rounds));
}

TEST_CASE("what does not belong together is refused") {
    const auto t = trace_of("saxpy", "sm_75", {{300}, {256}}, {70'000});
    const auto bytes = cubin_bytes(histogram_sm_90);
    const auto other = sass::read_cubin(bytes, "histogram");
    REQUIRE(other);
    CHECK(sass::join(t.module, t.trace, *other).error().code == warpgauge::errc::unknown_name);
    auto without_lines = *sass::read_cubin(bytes, "histogram");
    without_lines.kernel = "saxpy";
    without_lines.has_lines = false;
    CHECK(sass::join(t.module, t.trace, without_lines).error().field == "lines");
}

TEST_CASE("broken code is joined or refused") {
    const auto t = trace_of("histogram", "sm_90", {{30}, {256}}, {100'000});
    const auto bytes = cubin_bytes(histogram_sm_90);
    const auto whole = sass::read_cubin(bytes, "histogram");
    REQUIRE(whole);
    const std::size_t begin = 0xd00;  // its code lies behind it
    random_numbers random{2027};
    int joined = 0;
    for (int n = 0; n < 300; ++n) {
        auto broken = bytes;
        for (int flips = random.whole(1, 30); flips > 0; --flips) {
            broken[begin + static_cast<std::size_t>(
                               random.whole(0, static_cast<int>(broken.size() - begin) - 1))] =
                static_cast<std::byte>(random.whole(0, 255));
        }
        const auto code = sass::read_cubin(broken, "histogram");
        if (!code) continue;
        const auto x = sass::join(t.module, t.trace, *code);
        if (!x) continue;
        ++joined;
        CHECK(x->warp_insts >= 0);
        CHECK(x->warp_insts < 1e9);
    }
    CHECK(joined > 30);
}

// Loads on lines 6 and 7, a branch on line 9 and a store on line 10.
constexpr std::string_view loads_and_store = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b32 %r<3>; .reg .b64 %a; .reg .pred %p;
ld.global.u32 %r1, [%a];
ld.global.u32 %r2, [%a];
setp.lt.u32 %p, %r1, %r2;
@%p bra $L;
st.global.u32 [%a], %r2;
$L:
ret;
}
)";

// Each line of `executions` so often, joined with code made by hand.
sass::executed_code made_join(const std::vector<ptx::executed_line>& executions,
                              const made_code::instructions& instructions,
                              const std::vector<ptx::assumption>& assumptions = {}) {
    const auto m = ptx::parse(loads_and_store);
    REQUIRE(m);
    ptx::traced_kernel t;
    t.name = "k";
    t.lines = executions;
    t.assumptions = assumptions;
    sass::machine_code code;
    code.kernel = "k";
    code.has_lines = true;
    code.instructions = instructions;
    const auto x = sass::join(*m, t, code);
    REQUIRE(x);
    return *x;
}

TEST_CASE("where lines and control flow differ, the fraction of it is said") {
    const auto code = made_code().store(10).jump(2, false).load(6).exit();
    for (const double loads : {5.0, 0.2}) {
        const auto x = made_join({{6, loads}, {10, 1}}, code.code());
        CHECK(x.block_executions == std::vector<double>{1, 1});
        CHECK(x.disagreement == doctest::Approx(0.5));
    }
    CHECK(made_join({{6, 1.005}, {10, 1}}, code.code()).disagreement == 0);
}

TEST_CASE("what the trace executes and the counts leave out is said") {
    // Lanes part, and one line a side is too little to say that both are executed.
    const auto code =
        made_code().jump(3, true, 9).plain(7).jump(4, false).plain(8).store(10).exit(false, 12);
    const auto x = made_join({{7, 1}, {8, 1}, {9, 1}, {10, 1}, {12, 1}}, code.code());
    CHECK(x.block_executions[1] + x.block_executions[2] == 1);
    CHECK(x.disagreement == doctest::Approx(1 / (x.warp_insts + 1)));
    CHECK(made_join({{7, 0}, {8, 1}, {9, 1}, {10, 1}, {12, 1}}, code.code()).disagreement == 0);
}

TEST_CASE("code without an instruction executes nothing") {
    const auto x = made_join({{6, 1}}, {});
    CHECK(x.warp_insts == 0);
    CHECK(x.disagreement == 0);
}

TEST_CASE("what a predicate guards is carried out as often as its line, of all its copies") {
    auto code = made_code().load(6).load(7).load(6).store(10).exit().code();
    for (const std::size_t n : {0U, 1U, 2U, 3U}) code[n].conditional = true;
    code[3].pipe = sass::pipe::shared_store;  // nothing stands for the store
    const auto x = made_join({{6, 0.5}, {7, 0.75}, {8, 1}, {10, 0.25}}, code);
    CHECK(x.insts_of(pipe::global_load) == 3);
    CHECK(x.pipe_carried_out[static_cast<std::size_t>(pipe::global_load)] ==
          doctest::Approx(0.75 + 0.5));
    CHECK(x.pipe_carried_out[static_cast<std::size_t>(pipe::shared_store)] == 1);
    CHECK(x.predicated_insts == 4);
    // Two pipes on a line: each by itself.
    code[2].pipe = sass::pipe::alu;
    const auto mixed = made_join({{6, 0.5}, {7, 0.75}, {8, 1}, {10, 0.25}}, code);
    CHECK(mixed.pipe_carried_out[static_cast<std::size_t>(pipe::global_load)] ==
          doctest::Approx(0.5 + 0.75));
    CHECK(mixed.pipe_carried_out[static_cast<std::size_t>(pipe::alu)] == 1);
    code[3].negated = true;  // of the predicate that always holds
    const auto never = made_join({{6, 0.5}, {7, 0.75}, {8, 1}, {10, 0.25}}, code);
    CHECK(never.pipe_carried_out[static_cast<std::size_t>(pipe::shared_store)] == 0);
}

TEST_CASE("a branch is doubtful by data, or where PTX has none on its line") {
    const auto code = [](std::uint32_t line) {
        return made_code().plain(8).jump(3, true, line).jump(3, false, 8).exit().code();
    };
    const std::vector<ptx::executed_line> lines{{6, 1}, {8, 1}, {9, 1}};
    CHECK(made_join(lines, code(9)).doubtful.empty());
    const auto by_compiler = made_join(lines, code(8));
    REQUIRE(by_compiler.doubtful.size() == 1);
    CHECK(by_compiler.doubtful[0].basis == sass::branch_basis::compiler);
    CHECK(by_compiler.doubtful[0].offset == 16);
    // Without a line nothing of PTX is known of it, whatever the trace assumed elsewhere.
    const auto without = made_join(lines, code(0), {ptx::assumption{}});
    REQUIRE(without.doubtful.size() == 1);
    CHECK(without.doubtful[0].basis == sass::branch_basis::compiler);
    ptx::assumption other;
    other.at = {6, 1};
    ptx::assumption here;
    here.at = {9, 1};
    const auto by_data = made_join(lines, code(9), {other, here});
    REQUIRE(by_data.doubtful.size() == 1);
    CHECK(by_data.doubtful[0].basis == sass::branch_basis::data);
    CHECK(by_data.doubtful[0].line == 9);
    CHECK(by_data.doubtful[0].executions == doctest::Approx(1));
}

TEST_CASE("an exit that a predicate decides is as doubtful as a branch") {
    const auto code = [](std::uint32_t line) {
        return made_code().plain(8).exit(true, line).store(10).exit().code();
    };
    const std::vector<ptx::executed_line> lines{{8, 1}, {9, 1}, {10, 0.5}};
    CHECK(made_join(lines, code(9)).doubtful.empty());
    CHECK(made_join(lines, code(12)).doubtful.empty());  // a return
    CHECK(made_join(lines, code(8)).doubtful[0].basis == sass::branch_basis::compiler);
    ptx::assumption here;
    here.at = {9, 1};
    const auto by_data = made_join(lines, code(9), {here});
    REQUIRE(by_data.doubtful.size() == 1);
    CHECK(by_data.doubtful[0].basis == sass::branch_basis::data);
}

}  // namespace

}  // namespace join_test
