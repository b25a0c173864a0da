// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/machine_stream.hpp>

#include "ptx/asynchronous_kernels.hpp"
#include "ptx/kernels.hpp"
#include "random_numbers.hpp"
#include "sass/cubins.hpp"
#include "sass/made_code.hpp"

namespace machine_stream_test {

namespace {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;
using warpgauge::errc;
using warpgauge::instruction;
using warpgauge::operation;
using warpgauge::unit_kind;
using needs = std::array<std::int32_t, 3>;

struct joined {
    std::string text;
    ptx::module module;
    ptx::traced_kernel trace;
    sass::executed_code executed;
};

joined join_text(const std::string& text, const std::string& kernel, const ptx::launch& launch,
                 const std::vector<ptx::argument>& arguments, const std::vector<std::byte>& cubin) {
    joined j;
    j.text = text;
    j.module = *ptx::parse(j.text);
    j.trace = *ptx::trace(*ptx::find_kernel(j.module, kernel), launch, arguments);
    j.executed = *sass::join(j.module, j.trace, *sass::read_cubin(cubin, kernel));
    return j;
}

joined join(const std::string& kernel, const std::string& target, const ptx::launch& launch,
            const std::vector<ptx::argument>& arguments, const std::vector<std::byte>& cubin) {
    return join_text(kernel_text(kernel, target), kernel, launch, arguments, cubin);
}

// Code made by hand whose blocks are executed so often.
sass::executed_code executed(const made_code::instructions& code, std::vector<double> blocks) {
    sass::executed_code x;
    x.code.instructions = code;
    x.graph = sass::find_blocks(code);
    REQUIRE(x.graph.blocks.size() == blocks.size());
    x.block_executions = std::move(blocks);
    return x;
}

std::vector<unit_kind> units_of(const std::vector<instruction>& stream) {
    std::vector<unit_kind> units;
    for (const instruction& i : stream) units.push_back(i.unit);
    return units;
}

}  // namespace

TEST_CASE("straight code is a stream that waits where the control bits say") {
    const auto bytes = cubin_bytes(saxpy_sm_75);
    const joined j = join("saxpy", "sm_75", {{300}, {256}}, {70'000}, bytes);
    const auto s = sass::stream_of(j.executed, j.trace);
    REQUIRE(s);
    using enum unit_kind;
    // MOV S2R S2R IMAD ISETP EXIT MOV IMAD.WIDE IMAD.WIDE LDG LDG FFMA STG EXIT; the last two of the code never run.
    REQUIRE(units_of(s->instructions) == std::vector{integer, integer, integer, integer, integer,
                                                     branch, integer, integer, integer,
                                                     global_memory, global_memory, single_precision,
                                                     global_memory, branch});
    CHECK(s->instructions[3].needs == needs{1, 0, 0});  // barrier 0, of the second S2R
    CHECK(s->instructions[4].needs == needs{1, 0, 0});  // a stall of 5 behind the IMAD
    CHECK(s->instructions[10].needs ==
          needs{});  // LDG behind LDG, none of which the other waits for
    CHECK(s->instructions[11].needs == needs{1, 0, 0});  // barrier 2, which both set
    CHECK(s->instructions[12].needs == needs{1, 0, 0});  // a stall of 8 behind the FFMA
    CHECK(s->instructions[9].transactions == 4);         // 128 B, as PTX says of line 48
    // 2,188 of 2,400 warps go on behind the first EXIT, and the stream is of one that does.
    CHECK(s->warp_insts == 14);
    CHECK(s->misplaced_insts == doctest::Approx(8 * 212.0 / 2400));
    CHECK(s->unknown_insts == 0);
    CHECK_FALSE(check_stream(s->instructions));
}

TEST_CASE("a loop has as many rounds as its blocks are executed") {
    const auto bytes = cubin_bytes(histogram_sm_90);
    const joined j = join("histogram", "sm_90", {{30}, {256}}, {100'000}, bytes);
    const auto s = sass::stream_of(j.executed, j.trace);
    REQUIRE(s);
    std::size_t head = 0;
    while (s->instructions[head].unit != unit_kind::loop) ++head;
    // 13 rounds, and one more of five warps in 240.
    CHECK(s->instructions[head].loop_count == 13);
    CHECK(s->instructions[head].loop_length == 8);
    CHECK(s->misplaced_insts == doctest::Approx(8 * 5.0 / 240));
    CHECK(s->warp_insts + s->misplaced_insts == doctest::Approx(j.executed.warp_insts));
    const auto mix = warpgauge::mix_of(s->instructions);
    REQUIRE(mix);
    CHECK(mix->executed() == s->warp_insts);
    CHECK(mix->sync_insts == 2);
    // The address of the atomic waits for the byte that LDG loads.
    const instruction& address = s->instructions[head + 6];
    CHECK(s->instructions[head + 3].unit == unit_kind::global_memory);
    CHECK(address.needs[1] == 3);
}

TEST_CASE("what is loaded in one round is waited for in the next") {
    // 0: add; loop: 1: add that waits for barrier 1, 2: load that sets it, 3: back to 1; 4: exit.
    made_code made;
    made.plain().plain().load(7).jump(1, true).exit();
    auto code = made.code();
    code[1].control.wait_mask = 1 << 1;
    code[2].control.write_barrier = 1;
    const auto s = sass::stream_of(executed(code, {1, 10, 1}), {});
    REQUIRE(s);
    REQUIRE(s->instructions.size() == 6);
    CHECK(s->instructions[1].loop_length == 3);
    CHECK(s->instructions[1].loop_count == 10);
    CHECK(s->instructions[2].needs == needs{-1, 0, 0});
    CHECK(s->misplaced_insts == 0);
    // Loaded before the loop as well: both, the latest counts.
    code[0] = code[2];
    const auto first = sass::stream_of(executed(code, {1, 10, 1}), {});
    REQUIRE(first);
    CHECK(first->instructions[2].needs == needs{2, -1, 0});
    // An instruction that waits for what it sets itself waits for its own round before.
    code[0] = code[1];
    code[2].control.wait_mask = 1 << 1;
    code[1].control.wait_mask = 0;
    const auto own = sass::stream_of(executed(code, {1, 10, 1}), {});
    REQUIRE(own);
    CHECK(own->instructions[3].needs == needs{warpgauge::own_result, 0, 0});
}

TEST_CASE("machine code copies asynchronously, closes groups and waits for all but the newest") {
    // Two tiles ahead: 0: copy, close; 2: copy, close, wait, add, back to 2; 7: wait, exit.
    made_code made;
    made.copy(0).commit().copy(0).commit().await(0, 1).plain().jump(2, true).await(0, 0).exit();
    auto code = made.code();
    code[5].control.wait_mask = 1;      // for barrier 0, which a commit sets
    code[2].control.write_barrier = 3;  // of a copy, which has no result
    code[4].control.wait_mask = 1 << 3;
    const auto s = sass::stream_of(executed(code, {1, 10, 1}), {});
    REQUIRE(s);
    CHECK_FALSE(check_stream(s->instructions));
    using warpgauge::async_step;
    constexpr async_step steps[]{async_step::copy, async_step::commit, async_step::none,
                                 async_step::copy, async_step::commit, async_step::wait,
                                 async_step::none, async_step::none,   async_step::wait,
                                 async_step::none};
    REQUIRE(s->instructions.size() == std::size(steps));
    for (std::size_t n = 0; n < std::size(steps); ++n) {
        CHECK(s->instructions[n].async == steps[n]);
    }
    CHECK(s->instructions[0].unit == unit_kind::global_memory);
    CHECK(s->instructions[5].groups_left == 1);
    CHECK(s->instructions[5].needs == needs{});
    CHECK(s->instructions[6].needs == needs{2, 0, 0});
    // Of a barrier that something else sets, or nothing, nothing is known.
    auto loads = made_code().load(0).await(0, 0).exit().code();
    for (const std::uint8_t barrier : {std::uint8_t{7}, std::uint8_t{0}}) {
        loads[0].control.write_barrier = barrier;
        const auto other = sass::stream_of(executed(loads, {1}), {});
        REQUIRE(other);
        CHECK(other->instructions[1].async == async_step::none);
    }
    // A wait for copies waits for one result besides.
    auto both = made_code().load(0).load(0).copy(0).commit().await(0, 0).exit().code();
    both[0].control.write_barrier = 1;
    both[1].control.write_barrier = 2;
    both[4].control.wait_mask = 1 << 1 | 1 << 2;
    const auto one = sass::stream_of(executed(both, {1}), {});
    REQUIRE(one);
    CHECK(one->instructions[4].async == async_step::wait);
    CHECK(one->instructions[4].needs == needs{4, 0, 0});
    CHECK_FALSE(check_stream(one->instructions));
}

TEST_CASE("copies in bulk are under way while the code computes, as in PTX") {
    const auto bytes = cubin_bytes(bulk_sums_sm_90);
    const joined j = join_text(bulk_sums, "sums", {{3000}, {128}}, {{}, {}, 16}, bytes);
    const auto s = sass::stream_of(j.executed, j.trace);
    REQUIRE(s);
    CHECK_FALSE(check_stream(s->instructions));
    CHECK(s->unknown_insts == 0);
    // One thread of four warps copies 16 tiles of 128 sectors: each warp of the stream a quarter of each.
    double copied[2]{};
    double copies[2]{};
    double waits[2]{};
    for (const bool of_text : {false, true}) {
        const auto count = [&](const instruction& i, std::size_t, double times) {
            using warpgauge::async_step;
            if (i.async == async_step::bulk) {
                CHECK(i.unit == unit_kind::global_memory);
                CHECK(i.lines == 0);
                copied[of_text] += times * i.transactions;
                copies[of_text] += times;
            } else if (i.async == async_step::wait) {
                CHECK(i.unit == unit_kind::shared_memory);
                if (!of_text) CHECK(i.groups_left == 1);
                waits[of_text] += times;
            }
        };
        const auto& stream = of_text ? j.trace.stream : s->instructions;
        warpgauge::for_each_entry(stream, 0, stream.size(), 1, count);
    }
    CHECK(copied[0] == 16 * 128 / 4);
    CHECK(copied[1] == copied[0]);
    CHECK(copies[0] == 2 + 16);  // of the 16 in the loop, each is 14 of 16 parts of one
    CHECK(waits[0] == 16);
    CHECK(waits[1] == 16);
    // One warp in four executes the blocks of the first two copies, 10 instructions, and two blocks around these, 21, which
    // the mean warp does not.
    CHECK(s->misplaced_insts == 10 * 0.75 + 21 * 0.25);
    CHECK(s->warp_insts == doctest::Approx(j.executed.warp_insts + 10 * 0.75 - 21 * 0.25));
}

TEST_CASE("a copy in bulk to global memory is a store, and none without a line of PTX is one") {
    made_code made;
    made.copy_in_bulk(7).copy_in_bulk(8).copy_in_bulk(0).ask_barrier().exit();
    ptx::traced_kernel trace;
    for (const std::uint32_t line : {7U, 8U}) {
        trace.accesses.push_back({.at = {line, 1},
                                  .unit = unit_kind::global_memory,
                                  .stores = line == 8,
                                  .bytes_per_lane = 32,
                                  .executions = 0.25,
                                  .transactions = 64,
                                  .bytes_moved = 2048});
    }
    using warpgauge::async_step;
    const auto s = sass::stream_of(executed(made.code(), {1}), trace);
    REQUIRE(s);
    REQUIRE(s->instructions.size() == 5);
    CHECK(s->instructions[0].async == async_step::bulk);
    CHECK(s->instructions[0].transactions == 16);
    CHECK(s->instructions[1].async == async_step::none);
    CHECK(s->instructions[1].transactions == 16);
    CHECK(s->instructions[2].async == async_step::none);
    CHECK(s->instructions[2].transactions == 1);
    CHECK(s->instructions[3].async == async_step::wait);
    CHECK(s->instructions[3].unit == unit_kind::shared_memory);
    CHECK(s->instructions[3].groups_left == 0);
    // As many copies under way as most waits of PTX leave; of as many waits, the fewest.
    const instruction wait{.unit = unit_kind::shared_memory, .async = async_step::wait};
    trace.stream = {wait, warpgauge::loop(1, 3), wait, wait};
    trace.stream[2].groups_left = 2;
    CHECK(sass::stream_of(executed(made.code(), {1}), trace)->instructions[3].groups_left == 2);
    trace.stream[1].loop_count = 2;
    CHECK(sass::stream_of(executed(made.code(), {1}), trace)->instructions[3].groups_left == 0);
    // Waits for groups of copies, at no `mbarrier`, do not count, and neither does what no counter holds.
    trace.stream = {wait, wait, wait, wait};
    trace.stream[0] = {.unit = unit_kind::integer, .async = async_step::wait, .groups_left = 5};
    trace.stream[1].groups_left = warpgauge::max_groups_left + 1;
    trace.stream[2].groups_left = warpgauge::max_groups_left;
    trace.stream[3] = trace.stream[2];
    CHECK(sass::stream_of(executed(made.code(), {1}), trace)->instructions[3].groups_left ==
          warpgauge::max_groups_left);
    // UTMALDG copies as UBLKCP does; what its neighbour UBLKRED does is no copy to wait for.
    auto others = made.code();
    others[0].code = 0x5b4;
    CHECK(sass::stream_of(executed(others, {1}), trace)->instructions[0].async == async_step::bulk);
    others[0].code = 0x3bb;
    const auto reduces = sass::stream_of(executed(others, {1}), trace);
    REQUIRE(reduces);
    CHECK(reduces->instructions[0].async == async_step::none);
    CHECK(reduces->instructions[0].transactions == 16);
    // From shared memory to that of another block: nothing of it is global.
    for (auto& a : trace.accesses) a.unit = unit_kind::shared_memory;
    const auto shared = sass::stream_of(executed(made.code(), {1}), trace);
    REQUIRE(shared);
    CHECK(shared->instructions[0].unit == unit_kind::shared_memory);
    CHECK(shared->instructions[0].async == async_step::none);
    CHECK(shared->instructions[3].async == async_step::none);
    // A barrier at which no copy announces itself is no wait for copies.
    trace.accesses.clear();
    const auto none = sass::stream_of(executed(made.code(), {1}), trace);
    REQUIRE(none);
    CHECK(none->instructions[3].async == async_step::none);
    CHECK(none->instructions[3].unit == unit_kind::shared_memory);
}

TEST_CASE(
    "products of a warpgroup have the work of the text, and waits leave a group of them under "
    "way") {
    const auto bytes = cubin_bytes(products_sm_90a);
    const joined j =
        join_text(warpgroup_products, "products", {{132}, {128}}, {{}, 1, 2, 64}, bytes);
    const auto s = sass::stream_of(j.executed, j.trace);
    REQUIRE(s);
    CHECK_FALSE(check_stream(s->instructions));
    CHECK(s->unknown_insts == 0);
    // 64 rounds of two products; a quarter of 64 x 16 x 16 for each of four warps.
    REQUIRE(j.trace.products.size() == 2);
    CHECK(j.trace.products[0].executions == 64);
    CHECK(j.trace.products[0].tensor_fmas == 4096);
    double work[2]{};
    for (const bool of_text : {false, true}) {
        const auto& stream = of_text ? j.trace.stream : s->instructions;
        const auto add = [&](const instruction& i, std::size_t, double times) {
            work[of_text] += times * i.tensor_fmas;
        };
        warpgauge::for_each_entry(stream, 0, stream.size(), 1, add);
    }
    CHECK(work[0] == 128 * 4096);
    CHECK(work[1] == work[0]);
    CHECK(j.trace.ops.tensor_fmas == work[0]);
    // ptxas unrolls by four. Each round waits for the group of the round before: of the second in the loop for the first of
    // it, of the first for the last of the loop.
    std::size_t head = 0;
    while (s->instructions[head].unit != unit_kind::loop) ++head;
    CHECK(s->instructions[head].loop_count == 16);
    std::vector<std::size_t> closers;
    std::vector<std::size_t> waits;
    bool second = false;
    for (std::size_t n = head + 1; n <= head + s->instructions[head].loop_length; ++n) {
        const instruction& i = s->instructions[n];
        if (i.unit == unit_kind::tensor) {
            if (second) closers.push_back(n);
            second = !second;
        } else if (closers.size() > waits.size() && i.unit == unit_kind::integer &&
                   i.needs[0] != 0) {
            waits.push_back(n);
        }
    }
    REQUIRE(closers.size() == 4);
    REQUIRE(waits.size() == 4);
    for (std::size_t n = 0; n < 4; ++n) {
        const std::size_t of = closers[(n + 3) % 4];
        CHECK(s->instructions[waits[n]].needs[0] ==
              static_cast<std::int32_t>(waits[n]) - static_cast<std::int32_t>(of));
    }
}

TEST_CASE("other products share what their line multiplies; without one it is not known") {
    // 0 and 1: both of line 7, 2: of a line that multiplies nothing, 3: ordered by one thread for all.
    made_code made;
    made.product(7).product(7).product(8).product(9).exit();
    auto code = made.code();
    code[3].code = 0x5ea;
    ptx::traced_kernel trace;
    trace.products = {{.at = {7, 1}, .executions = 6, .tensor_fmas = 1001},
                      {.at = {9, 1}, .executions = 6, .tensor_fmas = 1001}};
    const auto s = sass::stream_of(executed(code, {6}), trace);
    REQUIRE(s);
    REQUIRE(s->instructions.front().unit == unit_kind::loop);
    CHECK(s->instructions[1].tensor_fmas == 501);  // half, rounded
    CHECK(s->instructions[2].tensor_fmas == 501);
    CHECK(s->instructions[3].tensor_fmas == 0);
    CHECK(s->instructions[4].tensor_fmas == 0);
    // More than a stream holds is not known either.
    trace.products[0].tensor_fmas = 1e10;
    const auto large = sass::stream_of(executed(code, {6}), trace);
    REQUIRE(large);
    CHECK(large->instructions[1].tensor_fmas == 0);
}

TEST_CASE("a wait for products in a loop counts the groups of rounds before") {
    // 0: a product before the loop; 1: wait that leaves two, 2: product, 3: product, 4: back to 1; 5: exit.
    made_code made;
    made.product_of_columns(8).await_products(2).product_of_columns(8).product_of_columns(16);
    const auto s = sass::stream_of(executed(made.jump(1, true).exit().code(), {1, 10, 1}), {});
    REQUIRE(s);
    REQUIRE(s->instructions.size() == 7);
    CHECK(s->instructions[0].tensor_fmas == 256 * 8);
    CHECK(s->instructions[4].tensor_fmas == 256 * 16);
    // In each round both products of the one before may be under way: it waits for none of the loop.
    CHECK(s->instructions[2].needs == needs{});
    // If it leaves one, for the first of the two; if none, for the second.
    for (const std::uint8_t left : {std::uint8_t{1}, std::uint8_t{0}}) {
        auto code = made.code();
        code[1].groups_left = left;
        const auto one = sass::stream_of(executed(code, {1, 10, 1}), {});
        REQUIRE(one);
        const std::int32_t behind = left == 1 ? -1 : -2;
        // Before the first round, one that leaves none waits for the product before the loop too.
        CHECK(one->instructions[2].needs ==
              (left == 1 ? needs{behind, 0, 0} : needs{2, behind, 0}));
        CHECK_FALSE(check_stream(one->instructions));
    }
}

TEST_CASE("a block that few warps execute is in the stream if it copies in bulk") {
    // 0: jump to 3; 1: copy, 2: jump back to 1; 3: exit.
    made_code made;
    made.jump(3, true).copy_in_bulk(7).jump(1, true).exit();
    ptx::traced_kernel trace;
    trace.accesses.push_back({.at = {7, 1},
                              .unit = unit_kind::global_memory,
                              .bytes_per_lane = 32,
                              .executions = 0.125,
                              .transactions = 128,
                              .bytes_moved = 4096});
    const auto s = sass::stream_of(executed(made.code(), {1, 0.125, 1}), trace);
    REQUIRE(s);
    REQUIRE(s->instructions.size() == 4);
    CHECK(s->instructions[1].async == warpgauge::async_step::bulk);
    CHECK(s->instructions[1].transactions == 16);
    CHECK(s->misplaced_insts == 2 * 0.875);
    const auto never = sass::stream_of(executed(made.code(), {1, 0, 1}), trace);
    REQUIRE(never);
    CHECK(never->instructions.size() == 2);
}

TEST_CASE("inner loops count by the round around them") {
    // 0: add; 1: add; 2: add, back to 2; 3: back to 1; 4: exit.
    made_code made;
    made.plain().plain().plain().jump(2, true).plain().jump(1, true).exit();
    const auto x = executed(made.code(), {1, 5, 20, 5, 1});
    const auto s = sass::stream_of(x, {});
    REQUIRE(s);
    CHECK(s->instructions[1].loop_count == 5);
    CHECK(s->instructions[1].loop_length == 6);
    CHECK(s->instructions[3].loop_count == 4);
    CHECK(s->instructions[3].loop_length == 2);
    CHECK(s->warp_insts == 1 + 5 + 40 + 10 + 1);
    CHECK(s->misplaced_insts == 0);
    // Rounds are to the nearest whole number, those of the inner loop by what the outer one has.
    const auto rough = sass::stream_of(executed(made.code(), {1, 5.4, 21.6, 5.4, 1}), {});
    REQUIRE(rough);
    CHECK(rough->instructions[1].loop_count == 5);
    CHECK(rough->instructions[3].loop_count == 4);
    CHECK(rough->misplaced_insts == doctest::Approx(0.4 + 2 * 1.6 + 2 * 0.4));
}

TEST_CASE("what less than half of the warps execute is left out, and counted") {
    made_code made;
    made.plain().jump(3, true).plain().plain().exit();
    const auto s = sass::stream_of(executed(made.code(), {1, 0.4, 1}), {});
    REQUIRE(s);
    CHECK(s->warp_insts == 4);
    CHECK(s->misplaced_insts == doctest::Approx(0.4));
    const auto more = sass::stream_of(executed(made.code(), {1, 0.6, 1}), {});
    REQUIRE(more);
    CHECK(more->warp_insts == 5);
    CHECK(more->misplaced_insts == doctest::Approx(0.4));
}

TEST_CASE("of two ways that warps go, the stream has one") {
    // 0: jump to 3; 1: add, jump to 4; 3: add, add; 4: exit.
    made_code made;
    made.jump(3, true).plain().jump(5, false).plain().plain().exit();
    for (const double left : {0.3, 0.45, 0.55, 0.7}) {
        CAPTURE(left);
        const auto s = sass::stream_of(executed(made.code(), {1, left, 1 - left, 1}), {});
        REQUIRE(s);
        CHECK(s->warp_insts == 4);
        CHECK((s->instructions[2].unit == unit_kind::branch) == (left > 0.5));
    }
}

TEST_CASE("a load that a predicate mostly keeps from being carried out takes an issue slot alone") {
    made_code made;
    made.load(7).exit();
    auto code = made.code();
    code[0].conditional = true;
    code[0].predicate = 0;
    ptx::traced_kernel trace;
    trace.accesses.push_back({.at = {7, 1},
                              .unit = unit_kind::global_memory,
                              .bytes_per_lane = 4,
                              .executions = 0.4,
                              .transactions = 4,
                              .bytes_moved = 128});
    const auto off = sass::stream_of(executed(code, {1}), trace);
    REQUIRE(off);
    CHECK(off->instructions[0].unit == unit_kind::integer);
    trace.accesses[0].executions = 0.6;
    const auto on = sass::stream_of(executed(code, {1}), trace);
    REQUIRE(on);
    CHECK(on->instructions[0].unit == unit_kind::global_memory);
    CHECK(on->instructions[0].transactions == 4);
}

TEST_CASE(
    "accesses are found by their line, in any order, and guarded ones without any are carried "
    "out") {
    auto code = made_code().load(7).load(9).load(3).exit().code();
    code[2].conditional = true;
    ptx::traced_kernel trace;
    for (const std::uint32_t line : {9U, 7U}) {
        trace.accesses.push_back({.at = {line, 1},
                                  .unit = unit_kind::global_memory,
                                  .bytes_per_lane = 4,
                                  .executions = 1,
                                  .transactions = static_cast<double>(line),
                                  .bytes_moved = line * 32.0});
    }
    const auto s = sass::stream_of(executed(code, {1}), trace);
    REQUIRE(s);
    CHECK(s->instructions[0].transactions == 7);
    CHECK(s->instructions[1].transactions == 9);
    CHECK(s->instructions[2].unit == unit_kind::global_memory);
    CHECK(s->instructions[2].bytes == 4);
    // Of several in one line, the one that is executed most often.
    trace.accesses.push_back(trace.accesses[1]);
    trace.accesses[2].transactions = 2;
    trace.accesses[2].executions = 0.5;
    CHECK(sass::stream_of(executed(code, {1}), trace)->instructions[0].transactions == 7);
    trace.accesses[2].executions = 1.5;
    CHECK(sass::stream_of(executed(code, {1}), trace)->instructions[0].transactions == 2);
}

TEST_CASE("a loop of which whole rounds leave nothing is left out") {
    // A hundred instructions that one warp in twenty does not reach, and a loop of 1.5 rounds.
    made_code made;
    for (int n = 0; n < 100; ++n) made.plain();
    made.plain().jump(100, true).exit();
    const auto s = sass::stream_of(executed(made.code(), {0.95, 1.5, 1}), {});
    REQUIRE(s);
    CHECK(s->warp_insts == 101);
    CHECK(s->misplaced_insts == doctest::Approx(0.05 * 100 + 1.5 * 2));
    for (const instruction& i : s->instructions) CHECK(i.unit != unit_kind::loop);
}

TEST_CASE("spills and constants, which PTX does not have, are accesses to L1") {
    made_code made;
    made.load(0).load(0).load(0).exit();
    auto code = made.code();
    code[0].pipe = sass::pipe::local_load;
    code[0].lane_bytes = 16;
    code[1].pipe = sass::pipe::constant_load;
    code[1].lane_bytes = 8;
    code[2].pipe = sass::pipe::unknown;
    const auto s = sass::stream_of(executed(code, {1}), {});
    REQUIRE(s);
    CHECK(s->instructions[0].unit == unit_kind::l1_cache);
    CHECK(s->instructions[0].bytes == 16);
    CHECK(s->instructions[1].unit == unit_kind::l1_cache);
    CHECK(s->instructions[1].bytes == 1);
    CHECK(s->instructions[2].unit == unit_kind::integer);
    CHECK(s->unknown_insts == 1);
}

TEST_CASE("limits of a stream of machine code") {
    made_code made;
    made.plain().plain().exit();
    const auto x = executed(made.code(), {1});
    CHECK(sass::stream_of(x, {}, 2).error() ==
          warpgauge::model_error{errc::limit_reached, "entries"});
    CHECK(sass::stream_of(x, {}, 3));
    // No place for the beginning of a loop.
    const auto looped =
        executed(made_code().plain().plain().jump(1, true).exit().code(), {1, 9, 1});
    CHECK(sass::stream_of(looped, {}, 1).error().field == "entries");
    CHECK(sass::stream_of(looped, {}, 5));
    CHECK(sass::stream_of(executed(made.code(), {0}), {}).error() ==
          warpgauge::model_error{errc::missing, "instructions"});
    CHECK(sass::stream_of({}, {}).error() == warpgauge::model_error{errc::missing, "instructions"});
    // Loops in loops: as deep as streams may be, and one more.
    for (const std::uint32_t deep : {16U, 17U}) {
        made_code nest;
        for (std::uint32_t n = 0; n < deep; ++n) nest.plain();
        std::vector<double> blocks;
        for (std::uint32_t n = 0; n < deep; ++n) {
            nest.jump(deep - 1 - n, true);
        }
        nest.exit();
        const auto graph = sass::find_blocks(nest.code());
        for (std::uint32_t b = 0; b < deep; ++b) blocks.push_back(static_cast<double>(2U << b));
        for (std::uint32_t b = 1; b < deep; ++b)
            blocks.push_back(static_cast<double>(2U << (deep - 1 - b)));
        blocks.push_back(1);
        REQUIRE(graph.blocks.size() == blocks.size());
        const auto s = sass::stream_of(executed(nest.code(), blocks), {});
        if (deep == 16) {
            REQUIRE(s);
            CHECK_FALSE(check_stream(s->instructions));
        } else {
            CHECK(s.error() == warpgauge::model_error{errc::limit_reached, "loops"});
        }
        // Even those of a single round.
        const std::vector<double> once(blocks.size(), 1.0);
        const auto single = sass::stream_of(executed(nest.code(), once), {});
        CHECK(single.has_value() == (deep == 16));
        if (!single) CHECK(single.error().field == "loops");
    }
}

TEST_CASE("any counts of any code give a stream, or it is said why not") {
    random_numbers random{2028};
    int made_streams = 0;
    for (int n = 0; n < 500; ++n) {
        made_code made;
        const int length = random.whole(1, 40);
        for (int i = 0; i < length; ++i) {
            const auto to = static_cast<std::uint32_t>(random.whole(0, length));
            switch (random.whole(0, 6)) {
                case 0: made.jump(to, random.whole(0, 3) > 0); break;
                case 1: made.load(static_cast<std::uint32_t>(random.whole(0, 3))); break;
                case 2: made.exit(true); break;
                case 3: made.product_of_columns(8); break;
                case 4: made.await_products(static_cast<std::uint8_t>(random.whole(0, 3))); break;
                default: made.plain();
            }
        }
        made.exit();
        auto code = made.code();
        for (auto& i : code) {
            i.control.wait_mask = static_cast<std::uint8_t>(random.whole(0, 63));
            i.control.write_barrier = static_cast<std::uint8_t>(random.whole(0, 7));
            i.control.stall_cycles = static_cast<std::uint8_t>(random.whole(0, 15));
        }
        std::vector<double> blocks(sass::find_blocks(code).blocks.size());
        for (double& b : blocks) b = random.whole(0, 2000) / 100.0;
        const auto s = sass::stream_of(executed(code, blocks), {});
        if (!s) continue;
        ++made_streams;
        CHECK_FALSE(check_stream(s->instructions));
        const auto mix = warpgauge::mix_of(s->instructions);
        REQUIRE(mix);
        CHECK(mix->executed() == doctest::Approx(s->warp_insts));
    }
    CHECK(made_streams > 300);
}

TEST_CASE("operations of integers that an SM may have a rate for") {
    using sass::pipe;
    struct {
        std::uint16_t code;
        pipe by;
        operation op;
    } const all[]{
        {0x024, pipe::integer_fma, operation::mul}, {0x025, pipe::integer_fma, operation::mul},
        {0x009, pipe::alu, operation::min},         {0x017, pipe::alu, operation::min},
        {0x048, pipe::alu, operation::min},         {0x00f, pipe::alu, operation::min},
        {0x00a, pipe::alu, operation::compare},     {0x00b, pipe::alu, operation::compare},
        {0x00c, pipe::alu, operation::compare},     {0x010, pipe::alu, operation::add},
        {0x036, pipe::alu, operation::add},         {0x012, pipe::alu, operation::logic},
        {0x019, pipe::alu, operation::shift},       {0x007, pipe::alu, operation::other},  // SEL
        {0x023, pipe::fp32, operation::other},                                             // FFMA
        {0x105, pipe::special, operation::other},                                          // F2I
        {0x112, pipe::fp64, operation::other}};                                            // I2F.64
    for (const auto& e : all) {
        CAPTURE(e.code);
        sass::machine_instruction i;
        i.code = static_cast<std::uint16_t>(0x200 | e.code);  // its operands come from somewhere
        i.pipe = e.by;
        CHECK(sass::detail::operation_of(i) == e.op);
        if (e.code != 0x017) CHECK(sass::find_opcode(e.code, 120).pipe == e.by);
    }
}

TEST_CASE("the unit and the latency of every pipe") {
    using sass::pipe;
    using enum unit_kind;
    struct {
        pipe p;
        unit_kind unit;
        bool fixed;
    } const all[]{{pipe::fp32, single_precision, true},
                  {pipe::half, single_precision, true},
                  {pipe::integer_fma, integer, true},
                  {pipe::alu, integer, true},
                  {pipe::uniform, integer, true},
                  {pipe::fp64, double_precision, false},
                  {pipe::special, special_function, false},
                  {pipe::tensor, tensor, false},
                  {pipe::shared_load, shared_memory, false},
                  {pipe::shared_store, shared_memory, false},
                  {pipe::shared_atomic, shared_memory, false},
                  {pipe::local_load, l1_cache, false},
                  {pipe::local_store, l1_cache, false},
                  {pipe::constant_load, l1_cache, false},
                  {pipe::global_load, global_memory, false},
                  {pipe::global_store, global_memory, false},
                  {pipe::global_atomic, global_memory, false},
                  {pipe::texture, global_memory, false},
                  {pipe::branch, branch, false},
                  {pipe::barrier, barrier, false},
                  {pipe::other, integer, false}};
    for (const auto& e : all) {
        CAPTURE(static_cast<int>(e.p));
        CHECK(sass::detail::unit_of(e.p) == e.unit);
        CHECK(sass::detail::has_fixed_latency(e.p) == e.fixed);
    }
}

}  // namespace machine_stream_test
