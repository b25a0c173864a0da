// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/decoded_stream.hpp>

#include "plain_sm.hpp"

namespace decoded_stream_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

constexpr sm_parameters plain = [] {
    sm_parameters p = plain_sm({0, 48, 16, 4, 16});
    p.integer_latency_cycles = 5.5;
    return p;
}();

constexpr std::uint64_t warp = 32 * parts_of_thread;

// Of an entry, in parts of threads.
std::uint64_t work(const decoded_entry& e, const sm_parameters& p = plain) {
    const unit_ticks ticks = ticks_of(p.lanes, static_cast<std::size_t>(p.sub_cores));
    const std::size_t unit = e.is_spread ? index_of(sm_unit::tensor) : unit_of_resource(e.resource);
    return e.ticks / ticks.of_part[unit];
}

decoded_stream<> decode(const std::vector<instruction>& stream, const sm_parameters& p = plain) {
    result_slots<> slots;
    slots.assign(stream);
    decoded_stream<> decoded;
    decoded.assign(stream, slots, p);
    return decoded;
}

}  // namespace

TEST_CASE("an entry occupies its unit and waits for its latency, in whole cycles") {
    const auto decoded = decode({{.unit = unit_kind::integer},
                                 {.unit = unit_kind::special_function, .needs = {1}},
                                 {.unit = unit_kind::shared_memory, .transactions = 4},
                                 {.unit = unit_kind::l2_cache},
                                 {.unit = unit_kind::barrier}});
    const auto& e = decoded.entries();
    CHECK(e[0].resource == index_of(sm_unit::single_precision));  // there are no integer lanes
    CHECK(e[0].wait_cycles() == 6);
    CHECK(e[0].is_prompt);
    CHECK(work(e[0]) == warp);
    CHECK(e[1].needs[0] == e[0].result);
    CHECK(e[1].wait_cycles() == 13);
    CHECK(work(e[2]) == 4 * warp);
    CHECK(e[2].wait_cycles() == 17 + 3 * 2);  // a warp takes 16 lanes for two cycles
    CHECK(e[3].is_far());
    CHECK_FALSE(e[2].is_far());
    CHECK(e[4].is_barrier);
    CHECK(e[4].resource == no_resource);
    CHECK(e[4].wait_cycles() == 1);
    CHECK(e[4].waits_for == awaited::none);
    sm_parameters waiting = plain;
    waiting.barriers_wait_for_results = true;
    CHECK(decode({{.unit = unit_kind::barrier}}, waiting).entries()[0].waits_for ==
          awaited::all_of_warp);
}

TEST_CASE("entries wait for the results that they need, if any") {
    const instruction add{.unit = unit_kind::single_precision};
    for (const std::size_t n : {0U, 1U, 2U}) {
        instruction needs = add;
        needs.needs[n] = 1;
        const auto decoded = decode({add, needs});
        CHECK(decoded.entries()[0].waits_for == awaited::none);
        CHECK(decoded.entries()[1].waits_for == awaited::one);
        CHECK(decoded.entries()[1].needs[0] == decoded.entries()[0].result);
    }
}

TEST_CASE("entries are straight but barriers, before loops, at their ends and at the stream's") {
    const instruction add{.unit = unit_kind::single_precision};
    const instruction barrier{.unit = unit_kind::barrier};
    const auto decoded =
        decode({add, add, loop(4, 2), add, loop(2, 3), add, add, add, add, barrier, add, add});
    std::vector<bool> straight;
    for (const auto& e : decoded.entries()) straight.push_back(e.is_straight);
    for (const std::size_t at : {0U, 5U, 7U, 8U, 10U}) CHECK(straight[at]);
    for (const std::size_t at : {1U, 3U, 6U, 9U, 11U}) CHECK_FALSE(straight[at]);
    for (const auto& e : decoded.entries()) CHECK(e.is_plain == (e.is_straight && !e.is_head));
    const instruction load{.unit = unit_kind::global_memory};
    const instruction copy{.unit = unit_kind::shared_memory, .async = async_step::copy};
    const auto others = decode({load, {.unit = unit_kind::shared_memory}, copy, add, barrier});
    for (const std::size_t at : {0U, 1U, 2U}) CHECK_FALSE(others.entries()[at].is_plain);
    CHECK_FALSE(others.entries()[4].is_plain);
}

TEST_CASE("a turn of plain entries, and the rest until the next") {
    const instruction add{.unit = unit_kind::single_precision};
    const instruction access{.unit = unit_kind::shared_memory};
    const instruction sum{.unit = unit_kind::single_precision, .needs = {1}};
    sm_parameters p = plain;
    p.lanes[index_of(sm_unit::load_store)] = 32;
    p.ends_wait_for_stores = true;
    const std::vector<instruction> stream{add, access, sum, access, access, add, sum, add};
    const auto one = decode(stream, p);
    CHECK(one.entries()[0].issues == 1);
    CHECK(one.entries()[0].rest == 1);
    CHECK(one.entries()[0].changes_need);
    CHECK(one.entries()[1].rest == 17);
    CHECK(one.entries()[7].issues == 0);  // the last one is not straight
    p.issues_per_scheduler = 2;
    const auto two = decode(stream, p);
    CHECK(two.entries()[0].issues == 2);
    CHECK(two.entries()[0].rest == 17);
    CHECK(two.entries()[0].turn_latency == 2 * 17);
    CHECK_FALSE(two.entries()[0].changes_need);
    CHECK(two.entries()[1].issues == 1);  // `sum` waits for it
    CHECK(two.entries()[3].issues == 2);
    CHECK(two.entries()[3].rest == 1);
    CHECK(two.entries()[1].fills_cycle);
    CHECK_FALSE(two.entries()[0].fills_cycle);
    p.issues_per_scheduler = 3;
    CHECK(decode(stream, p).entries()[0].issues == 0);
}

TEST_CASE("an empty stream is none of the work of another one") {
    decoded_stream<> decoded = decode({{.unit = unit_kind::global_memory, .transactions = 4}});
    CHECK(decoded.per_warp().instructions == 1);
    result_slots<> slots;
    decoded.assign({}, slots, plain);
    CHECK(decoded.entries().empty());
    CHECK(decoded.per_warp().instructions == 0);
    CHECK(decoded.per_warp().dram_bytes == 0);
}

TEST_CASE("an asynchronous copy is no store, and one in bulk takes a lane and the port") {
    sm_parameters p = plain;
    p.l1_bytes_per_cycle = 64;
    const auto decoded =
        decode({{.unit = unit_kind::global_memory, .async = async_step::copy},
                {.unit = unit_kind::global_memory, .transactions = 32, .async = async_step::bulk},
                {.async = async_step::commit},
                {.async = async_step::wait_all},
                {.unit = unit_kind::l1_cache, .bytes = 1, .async = async_step::bulk}},
               p);
    const auto& e = decoded.entries();
    CHECK(e[0].is_async);
    CHECK_FALSE(e[0].closes_group);
    CHECK_FALSE(e[0].is_left_behind);
    CHECK(work(e[0]) == warp);
    CHECK(e[1].closes_group);
    CHECK(e[1].dram_bytes == 32 * 32);
    CHECK(work(e[1]) ==
          32 * 32 * 16 * parts_of_thread / 64);  // of 16 lanes, as long as 1 KiB takes
    CHECK(e[2].is_async);
    CHECK(e[2].closes_group);
    CHECK_FALSE(e[3].is_async);
    CHECK(e[3].needs[0] == e[0].result);
    CHECK(work(e[4]) == 8 * parts_of_thread);
    CHECK(e[4].wait_cycles() == 19);
    CHECK(work(decode({{.unit = unit_kind::l1_cache, .async = async_step::bulk}}).entries()[0]) ==
          parts_of_thread);
}

TEST_CASE("an asynchronous product of a warp takes its unit, one of a block waits for none") {
    sm_parameters p = plain;
    p.lanes[5] = 1024;
    const auto decoded =
        decode({{.unit = unit_kind::tensor, .async = async_step::product, .tensor_fmas = 65'536},
                {.unit = unit_kind::tensor,
                 .async = async_step::block_product,
                 .sharing_warps = 4,
                 .tensor_fmas = 65'536},
                {.async = async_step::commit_products},
                {.async = async_step::wait_products}},
               p);
    const auto& e = decoded.entries();
    CHECK(e[0].resource == index_of(sm_unit::tensor));
    CHECK_FALSE(e[0].is_spread);
    CHECK_FALSE(e[0].is_plain);
    CHECK(e[1].resource == no_resource);
    CHECK(e[1].is_spread);
    CHECK(work(e[1], p) == 65'536 * parts_of_thread);
    CHECK(e[1].wait_cycles() == 256);
    for (const std::size_t at : {0U, 1U, 2U}) CHECK(e[at].is_async);
    for (const std::size_t at : {0U, 1U, 2U}) CHECK(e[at].of_products);
    CHECK(e[2].closes_group);
    CHECK_FALSE(e[3].is_async);
    CHECK(decoded.per_warp().work[index_of(sm_unit::tensor)] == 2.0 * 65'536 * parts_of_thread);
}

TEST_CASE("accesses to global memory go through the queue with their bytes") {
    const auto decoded = decode({{.unit = unit_kind::global_memory, .bytes = 8},
                                 {.unit = unit_kind::global_memory, .transactions = 3}});
    const auto& e = decoded.entries();
    CHECK(e[0].resource == memory_resource);
    CHECK(e[0].dram_bytes == 256);
    CHECK(e[1].dram_bytes == 96);
    CHECK(work(e[1]) == 3 * warp);
    CHECK(decoded.min_request_bytes() == 96);
}

TEST_CASE("an access takes as long as its memory's port takes for the bytes") {
    sm_parameters p = plain_sm({0, 32, 32, 32, 32});
    p.shared_bytes_per_cycle = 128;
    p.l1_bytes_per_cycle = 64;
    p.l2_bytes_per_cycle = 35;
    const auto decoded = decode({{.unit = unit_kind::shared_memory, .bytes = 16},
                                 {.unit = unit_kind::shared_memory, .transactions = 4},
                                 {.unit = unit_kind::l1_cache},
                                 {.unit = unit_kind::l1_cache, .transactions = 4},
                                 {.unit = unit_kind::l2_cache, .bytes = 8},
                                 {.unit = unit_kind::global_memory}},
                                p);
    const auto& e = decoded.entries();
    CHECK(work(e[0], p) == 4 * warp);
    CHECK(e[0].wait_cycles() == 17 + 3);
    CHECK(work(e[1], p) == 4 * warp);  // a row of all banks four times
    CHECK(work(e[2], p) == 2 * warp);
    CHECK(e[2].wait_cycles() == 19);   // a line comes as a whole
    CHECK(work(e[3], p) == 4 * warp);  // 128 B, but in four transactions
    CHECK(work(e[4], p) == 4 * warp);
    CHECK(e[4].l2_bytes == 256);
    CHECK(e[4].resource == l2_resource);
    CHECK(e[5].l2_bytes == 128);  // what comes from DRAM passes L2
    CHECK(e[5].dram_bytes == 128);
    CHECK(e[5].resource == memory_resource);
    CHECK(decoded.min_request_bytes() == 128);
    // On 16 lanes a pass of shared memory may take less time than the lanes take for a warp.
    p.lanes[4] = 16;
    const auto narrow = decode({{.unit = unit_kind::shared_memory, .transactions = 2}}, p);
    CHECK(work(narrow.entries()[0], p) == warp);
    // What no port is known of takes the lanes alone.
    CHECK(work(decode({{.unit = unit_kind::l1_cache, .bytes = 16}}).entries()[0]) == warp);
}

TEST_CASE("accesses with levels of their own take the queues of these levels") {
    sm_parameters p = plain_sm({0, 32, 32, 32, 32});
    p.l2_bytes_per_cycle = 35;
    constexpr std::array<access_level, 6> levels{{{1, 1}, {1, 0.5}, {0.5, 0}, {0, 0}, {1, 1}, {}}};
    p.levels = {.of_entries = levels, .dram_latency_cycles = 400};
    const instruction load{.unit = unit_kind::global_memory};
    const auto decoded = decode(
        {load, load, load, load, {.unit = unit_kind::l1_cache}, {.unit = unit_kind::l2_cache}}, p);
    const auto& e = decoded.entries();
    CHECK(e[0].resource == memory_resource);
    CHECK(e[0].own_latency_cycles == 0);  // as all: the mean latency of the SM is 400
    CHECK(e[1].resource == memory_resource);
    CHECK(e[1].l2_bytes == 128);
    CHECK(e[1].dram_bytes == 64);
    CHECK(e[1].own_latency_cycles == 250.5F);
    CHECK(e[2].resource == l2_resource);
    CHECK(e[2].l2_bytes == 64);
    CHECK(e[2].own_latency_cycles == 60);
    CHECK(e[2].is_far());
    CHECK(e[3].resource == index_of(sm_unit::load_store));
    CHECK(e[3].wait_cycles() == 19);
    CHECK(e[3].own_latency_cycles == 0);
    CHECK_FALSE(e[3].is_far());
    CHECK(e[4].wait_cycles() == 19);  // these say themselves what serves them
    CHECK(e[5].l2_bytes == 128);
    CHECK(e[5].own_latency_cycles == 0);
}

TEST_CASE("what a warp does from its first instruction to its last") {
    const auto decoded = decode({loop(3, 10),
                                 {.unit = unit_kind::global_memory},
                                 loop(1, 5),
                                 {.unit = unit_kind::double_precision},
                                 {.unit = unit_kind::barrier}});
    const warp_work& w = decoded.per_warp();
    CHECK(w.instructions == 10 * 6 + 1);
    CHECK(w.dram_bytes == 10 * 128);
    CHECK(w.work[index_of(sm_unit::load_store)] == 10 * warp);
    CHECK(w.work[index_of(sm_unit::double_precision)] == 50 * warp);
    CHECK(w.work[index_of(sm_unit::single_precision)] == 0);
}

TEST_CASE("sums of whole bytes are exact, those of fractions of them are not") {
    const std::vector<instruction> load{{.unit = unit_kind::global_memory}};
    CHECK(decode(load).whole_bytes());
    CHECK(decode({{.unit = unit_kind::integer}}).whole_bytes());
    sm_parameters p = plain;
    p.from_dram_fraction = 0.25;
    CHECK(decode(load, p).whole_bytes());
    p.from_dram_fraction = 0.3;
    CHECK_FALSE(decode(load, p).whole_bytes());
}

}  // namespace decoded_stream_test
