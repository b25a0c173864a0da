// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/stream_recorder.hpp>

#include "ptx/asynchronous_kernels.hpp"
#include "ptx/linked.hpp"

namespace stream_recorder_test {

using namespace warpgauge;
using ptx::detail::trace::stream_recorder;

namespace {

// Steps of the body in this order.
std::vector<instruction> recorded(const linked_text& k, const std::vector<std::uint32_t>& order,
                                  std::size_t max_entries = 100) {
    stream_recorder<> recorder(k.program, max_entries);
    for (const std::uint32_t n : order) {
        const std::uint32_t step = instructions_before_body + n;
        const bool accesses = k.program.steps[step].accesses;
        recorder({.step = step,
                  .active = 0xffff'ffff,
                  .unit = k.program.steps[step].unit,
                  .transactions = accesses ? 4U : 0U,
                  .bytes_moved = accesses ? 128U : 0U,
                  .coalesced = accesses});
    }
    return recorder.finish();
}

}  // namespace

TEST_CASE("what an instruction needs: how far before it that stands") {
    const linked_text k(
        kernel_of("mov.u32 %r3, 5;\nmul.lo.u32 %r4, %r3, 3;\nadd.u32 %r5, %r4, %r3;\nst.global.u32 "
                  "[%d1], %r5;\nret;"));
    const auto stream = recorded(k, {0, 1, 2, 3, 4});
    REQUIRE(stream.size() == 5);
    CHECK(stream[1].op == operation::mul);
    CHECK(stream[1].second == operand::constant);
    CHECK(stream[1].needs == std::array<std::int32_t, 3>{1, 0, 0});
    CHECK(stream[2].needs == std::array<std::int32_t, 3>{1, 2, 0});
    CHECK(stream[3].needs[0] == 1);
    CHECK(stream[3].unit == unit_kind::global_memory);
    CHECK(stream[3].transactions == 1);
    CHECK(stream[3].bytes == 4);
}

TEST_CASE("loads go before the first use of their block's loads, as ptxas puts them") {
    const linked_text k(
        kernel_of("L: ld.global.f32 %f1, [%d1];\nadd.f32 %f2, %f2, %f1;\nadd.u64 %d2, %d1, 8;\n"
                  "ld.global.f32 %f3, [%d2];\nadd.f32 %f2, %f2, %f3;\nst.global.f32 [%d2], %f2;\n"
                  "ld.global.f32 %f4, [%d1];\nadd.u64 %d1, %d1, 4;\n@%p1 bra L;\nret;"));
    std::vector<std::uint32_t> order;
    for (int round = 0; round < 3; ++round) {
        for (std::uint32_t n = 0; n < 9; ++n) order.push_back(n);
    }
    order.push_back(9);
    const auto stream = recorded(k, order);
    REQUIRE(stream.size() == 11);
    CHECK(stream[0].loop_length == 9);
    CHECK(stream[0].loop_count == 3);
    struct {
        unit_kind unit;
        std::array<std::int32_t, 3> needs;
    } const expected[] = {{unit_kind::global_memory, {-7, 0, 0}},     // f1; d1 of the round before
                          {unit_kind::integer, {-6, 0, 0}},           // d2
                          {unit_kind::global_memory, {1, 0, 0}},      // f3
                          {unit_kind::single_precision, {3, -1, 0}},  // f2, of the round before
                          {unit_kind::single_precision, {2, 1, 0}},   // f2
                          {unit_kind::global_memory, {1, 4, 0}},      // the store
                          {unit_kind::global_memory, {-1, 0, 0}},     // f4, which does not pass it
                          {unit_kind::integer, {own_result, 0, 0}}};  // d1
    for (std::size_t n = 0; n < 8; ++n) {
        CAPTURE(n);
        CHECK(stream[1 + n].unit == expected[n].unit);
        CHECK(stream[1 + n].needs == expected[n].needs);
    }
}

TEST_CASE("no load goes before a fence that it stands behind") {
    const auto units_with = [](const std::string& between) {
        const linked_text k(kernel_of("ld.global.f32 %f1, [%d1];\nadd.f32 %f2, %f2, %f1;\n" +
                                      between + "\nld.global.f32 %f3, [%d2];\nret;"));
        std::vector<unit_kind> units;
        for (const instruction& i : recorded(k, {0, 1, 2, 3, 4})) units.push_back(i.unit);
        return units;
    };
    constexpr auto load = unit_kind::global_memory, add = unit_kind::single_precision,
                   other = unit_kind::integer;
    const auto free = units_with("mov.u32 %r3, 5;");
    REQUIRE(free.size() == 5);
    CHECK(std::vector(free.begin(), free.begin() + 4) == std::vector{load, other, load, add});
    for (const char* fence : {"membar.gl;", "fence.sc.gpu;"}) {
        CAPTURE(fence);
        const auto held = units_with(fence);
        REQUIRE(held.size() == 5);
        CHECK(std::vector(held.begin(), held.begin() + 4) == std::vector{load, add, other, load});
    }
}

TEST_CASE("rounds that are alike become one entry; one that differs stays apart") {
    const linked_text k(
        kernel_of("L: add.u32 %r3, %r3, 1;\n@%p1 bra N;\nbar.sync 0;\nN: @%p2 bra L;\nret;"));
    const auto alike = recorded(k, {0, 1, 3, 0, 1, 3, 0, 1, 3, 4});
    REQUIRE(alike.size() == 5);
    CHECK(alike[0].unit == unit_kind::loop);
    CHECK(alike[0].loop_length == 3);
    CHECK(alike[0].loop_count == 3);
    CHECK(alike[1].needs[0] == own_result);
    const auto other = recorded(k, {0, 1, 3, 0, 1, 3, 0, 1, 2, 3, 4});
    REQUIRE(other.size() == 1 + 3 + 4 + 1);
    CHECK(other[0].loop_count == 2);
    CHECK(other[4].unit == unit_kind::integer);
    CHECK(other[6].unit == unit_kind::barrier);
}

TEST_CASE(
    "a product has its multiply-adds, in those of half precision; of tcgen05 they are not known") {
    const std::string_view factors =
        " {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};\n";
    std::string body;
    for (const std::string_view opcode : {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"}) {
        body += opcode;
        body += factors;
    }
    const linked_text k(kernel_of(body + "add.u32 %r3, %r3, 1;\nret;"));
    const auto stream = recorded(k, {0, 1, 2});
    REQUIRE(stream.size() == 3);
    CHECK(stream[0].unit == unit_kind::tensor);
    CHECK(stream[0].tensor_fmas == 2048);
    CHECK(stream[1].tensor_fmas == 2048);  // 1024, of twice the time
    CHECK(stream[1].needs[0] == 1);
    CHECK(stream[2].tensor_fmas == 0);
}

TEST_CASE("asynchronous copies, what closes their groups and what waits for them") {
    const linked_text k(
        kernel_of("mov.u32 %r3, tile;\n"
                  "cp.async.cg.shared.global [%r3], [%d1], 16;\n"
                  "cp.async.commit_group;\n"
                  "@%p1 cp.async.wait_group 2;\n"
                  "cp.async.wait_group 70;\n"
                  "cp.async.wait_all;\nret;"));
    const auto stream = recorded(k, {0, 1, 2, 3, 4, 5, 6});
    REQUIRE(stream.size() == 7);
    CHECK_FALSE(check_stream(stream));
    constexpr async_step steps[]{async_step::none, async_step::copy, async_step::commit,
                                 async_step::wait, async_step::wait, async_step::wait_all};
    for (std::size_t n = 0; n < std::size(steps); ++n) CHECK(stream[n].async == steps[n]);
    CHECK(stream[1].unit == unit_kind::global_memory);
    CHECK(stream[1].needs[0] == 1);
    CHECK(stream[3].groups_left == 2);
    CHECK(stream[4].groups_left == max_groups_left);
    CHECK(stream[5].unit == unit_kind::integer);
}

TEST_CASE("what is called a copy and has a result is none: others may need it") {
    const linked_text k(
        kernel_of("cp.async.mov.u32 %r3, %ctaid.x;\nadd.u32 %r4, %r3, 1;\nst.global.u32 [%d1], %r4;"
                  "\nret;"));
    const auto stream = recorded(k, {0, 1, 2, 3});
    REQUIRE(stream.size() == 4);
    CHECK_FALSE(check_stream(stream));
    CHECK(stream[0].async == async_step::none);
    CHECK(stream[1].needs[0] == 1);
}

TEST_CASE("who asks a barrier waits for the last copy in bulk that announced itself there") {
    const linked_text k(bulk_copy);
    const auto step_of = [&](std::string_view opcode) {
        for (std::uint32_t s = 0; s < k.program.steps.size(); ++s) {
            const auto statement = k.program.steps[s].statement;
            if (std::string_view(k.program.source->instructions[statement].opcode)
                    .starts_with(opcode))
                return s;
        }
        return ptx::link::nowhere;
    };
    const std::uint32_t copy = step_of("cp.async.bulk.shared");
    const std::uint32_t ask = step_of("mbarrier.try_wait");
    const std::uint32_t store = step_of("cp.async.bulk.global");
    stream_recorder<> recorder(k.program, 100);
    const auto copies = [&](std::uint32_t step, std::uint64_t barrier) {
        recorder({.step = step,
                  .active = 1,
                  .unit = unit_kind::global_memory,
                  .transactions = 128,
                  .bytes_moved = 4096,
                  .barrier = barrier});
    };
    const auto asks = [&](std::uint64_t barrier) {
        recorder({.step = ask,
                  .active = 0xffff'ffff,
                  .unit = unit_kind::shared_memory,
                  .barrier = barrier});
    };
    asks(8);  // of nothing that is known
    copies(copy, 8);
    copies(copy, 8);
    copies(copy, 16);
    copies(copy, 24);
    asks(8);
    copies(store, 0);
    asks(16);
    copies(store, 0);  // asking again at once would be a loop
    asks(24);
    copies(store, 0);
    asks(32);
    const auto stream = recorder.finish();
    REQUIRE(stream.size() == 12);
    CHECK_FALSE(check_stream(stream));
    CHECK(stream[0].async == async_step::none);
    for (const std::size_t n : {1U, 2U, 3U, 4U}) {
        CHECK(stream[n].async == async_step::bulk);
        CHECK(stream[n].transactions == 128);
    }
    CHECK(stream[5].async == async_step::wait);
    CHECK(stream[5].unit == unit_kind::shared_memory);
    CHECK(stream[5].groups_left == 2);
    CHECK(stream[6].async == async_step::none);  // a store, for which nobody waits
    CHECK(stream[7].groups_left == 1);
    CHECK(stream[9].async == async_step::wait);
    CHECK(stream[9].groups_left == 0);
    CHECK(stream[11].async == async_step::none);
}

TEST_CASE("loops within loops") {
    const linked_text k(kernel_of(
        "A: add.u32 %r3, %r3, 1;\nB: add.u32 %r4, %r4, 1;\n@%p1 bra B;\n@%p2 bra A;\nret;"));
    const auto stream = recorded(k, {0, 1, 2, 1, 2, 3, 0, 1, 2, 1, 2, 3, 4});
    REQUIRE(stream.size() == 7);
    CHECK(stream[0].loop_length == 5);
    CHECK(stream[0].loop_count == 2);
    CHECK(stream[2].loop_length == 2);
    CHECK(stream[2].loop_count == 2);
}

TEST_CASE("a stream that would be too long is none") {
    const linked_text k(kernel_of("bar.sync 0;\nbar.sync 1;\nret;"));
    CHECK(recorded(k, {0, 1, 2}, 3).size() == 3);
    CHECK(recorded(k, {0, 1, 2}, 2).empty());
}

TEST_CASE(
    "of four sources the newest three are waited for; a copy that is none of global memory is "
    "none") {
    const linked_text k(
        kernel_of("mov.u32 %r3, 1;\nmov.u32 %r4, 2;\nmov.u32 %r5, 3;\nmov.u32 %r6, 4;\n"
                  "bfi.b32 %r7, %r6, %r5, %r4, %r3;\nbfi.b32 %r8, %r3, %r4, %r5, %r6;\nret;"));
    const auto stream = recorded(k, {0, 1, 2, 3, 4, 5});
    REQUIRE(stream.size() == 6);
    CHECK(stream[4].needs == std::array<std::int32_t, 3>{1, 2, 3});
    CHECK(stream[5].needs == std::array<std::int32_t, 3>{2, 3, 4});
    const linked_text copy(
        kernel_of("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], "
                  "[%d1], 64, [tile+512];\n"
                  "cp.async.bulk.prefetch.L2.global [%d1], 64;\nret;"));
    stream_recorder<> recorder(copy.program, 100);
    recorder({.step = instructions_before_body, .active = 1, .unit = unit_kind::shared_memory});
    recorder({.step = instructions_before_body + 1, .active = 1, .unit = unit_kind::global_memory});
    const auto copies = recorder.finish();
    REQUIRE(copies.size() == 2);
    CHECK(copies[0].async == async_step::none);
    CHECK(copies[1].async == async_step::none);
}

TEST_CASE("a loop of nothing but its jump has no entry for its rounds") {
    const linked_text k(kernel_of("L: @%p2 bra L;\nret;"));
    const auto stream = recorded(k, {0, 0, 0, 1});
    CHECK_FALSE(check_stream(stream));
    double branches = 0;
    for (const instruction& i : stream) branches += i.unit == unit_kind::branch ? 1 : 0;
    CHECK(branches >= 1);
}

}  // namespace stream_recorder_test
