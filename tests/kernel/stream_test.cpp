// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <vector>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/kernel/stream.hpp>

#include "kernel/streams.hpp"

namespace stream_test {

using namespace warpgauge;
using streams::add;
using streams::barrier;
using streams::instruction_list;
using streams::mem;
using streams::scattered;
using streams::shared;

namespace {

// The tiled matrix multiplication of Hong & Kim 2009, fig. 13: nine computation instructions, two loads and two
// barriers, three times (sec. 3.6).
const instruction_list tiled_matmul{loop(13, 3), scattered, shared, scattered, shared,
                                    barrier,     shared,    shared, add,       add,
                                    barrier,     add,       add,    add};

}  // namespace

TEST_CASE("the mix counts loops without walking them") {
    const instruction_list s{add, loop(4, 1'000'000'000), loop(2, 3), mem, add, scattered, barrier};
    const auto mix = mix_of(s);
    REQUIRE(mix);
    CHECK(mix->comp_insts == 1 + 3e9);
    CHECK(mix->coalesced_mem_insts == 3e9);
    CHECK(mix->uncoalesced_mem_insts == 1e9);
    CHECK(mix->sync_insts == 1);
    CHECK(mix->transactions_per_uncoalesced == 16);
    CHECK(mix->bytes_per_access == 5);  // three of 4 B, one of 8 B
    CHECK(mix->executed() == 1 + 3e9 + 3e9 + 1e9 + 1);
}

TEST_CASE("an access of no transactions is one of a single one") {
    const auto of = [](std::uint16_t transactions) {
        return *mix_of(instruction_list{
            {.unit = unit_kind::global_memory, .bytes = 8, .transactions = transactions}});
    };
    CHECK(of(0).coalesced_mem_insts == 1);
    CHECK(of(0).uncoalesced_mem_insts == 0);
    CHECK(of(0).bytes_per_access == of(1).bytes_per_access);
    CHECK(of(2).uncoalesced_mem_insts == 1);
}

TEST_CASE("a stream without access to memory keeps the defaults of one") {
    const auto mix = mix_of(instruction_list{add, shared});
    REQUIRE(mix);
    CHECK(mix->comp_insts == 2);
    CHECK(mix->bytes_per_access == 4);
    CHECK(mix->transactions_per_uncoalesced == 1);
}

TEST_CASE("the tiled matrix multiplication of Hong & Kim 2009, fig. 13, gives their counts") {
    const kernel_profile<> k{.blocks = 80, .threads_per_block = 128, .instructions = tiled_matmul};
    const auto counted = with_mix(k);
    REQUIRE(counted);
    CHECK(counted->comp_insts == 27);
    CHECK(counted->coalesced_mem_insts == 0);
    CHECK(counted->uncoalesced_mem_insts == 6);
    CHECK(counted->sync_insts == 6);
    CHECK(counted->bytes_per_access == 8);
    CHECK(counted->transactions_per_uncoalesced == 16);
    CHECK(counted->blocks == 80);

    const auto in_lanes = with_mix(kernel_profile<lanes<2>>{.instructions = tiled_matmul});
    REQUIRE(in_lanes);
    CHECK(in_lanes->comp_insts.values[1] == 27);
    CHECK(with_mix(kernel_profile<>{}).error() == model_error{errc::missing, "instructions"});
}

TEST_CASE("bad streams are errors, with the entry") {
    CHECK_FALSE(check_stream(tiled_matmul));
    for (const auto& [entries, error] : streams::bad_streams()) {
        CHECK(check_stream(entries) == error);
        CHECK(mix_of(entries).error() == error);
    }
}

TEST_CASE("loops may be nested to a depth, and no deeper") {
    const auto nested = [](int depth) {
        instruction_list s;
        for (int i = depth; i > 0; --i) s.push_back(loop(static_cast<std::uint32_t>(i), 2));
        s.push_back(add);
        return s;
    };
    const auto deepest = mix_of(nested(max_nested_loops));
    REQUIRE(deepest);
    CHECK(deepest->comp_insts == 65536);
    CHECK(check_stream(nested(max_nested_loops + 1)).code == errc::limit_reached);
}

TEST_CASE("every entry is visited once, with how often it executes") {
    const instruction_list s{add, loop(3, 5), mem, loop(1, 7), shared};
    struct visited {
        std::size_t at;
        double times;
        bool operator==(const visited&) const = default;
    };
    std::vector<visited> all;
    auto note = [&](const instruction& i, std::size_t at, double times) {
        CHECK(i.unit == s[at].unit);
        all.push_back({at, times});
    };
    for_each_entry(s, 0, s.size(), 1, note);
    CHECK(all == std::vector<visited>{{0, 1}, {2, 5}, {4, 35}});
}

TEST_CASE("every execution is visited in order, until the visitor has enough") {
    const instruction_list s{loop(2, 2), add, loop(1, 2), mem};
    // The inner loop lies beyond the outer one's two entries: it is not well formed, and never walked.
    CHECK(check_stream(s).code == errc::malformed);
    const instruction_list t{loop(3, 2), add, loop(1, 2), mem, shared};
    std::vector<std::size_t> order;
    auto note = [&](const instruction&, std::size_t at) {
        order.push_back(at);
        return true;
    };
    CHECK(for_each_execution(t, 0, t.size(), note));
    CHECK(order == std::vector<std::size_t>{1, 3, 3, 1, 3, 3, 4});
    order.clear();
    auto three = [&](const instruction&, std::size_t at) {
        order.push_back(at);
        return order.size() < 3;
    };
    CHECK_FALSE(for_each_execution(t, 0, t.size(), three));
    CHECK(order == std::vector<std::size_t>{1, 3, 3});
}

TEST_CASE("a walk over more executions than the bound does not begin") {
    bool any = false;
    auto note = [&](const instruction&, std::size_t) { return any = true; };
    CHECK_FALSE(for_each_bounded_execution(instruction_list{loop(1, max_executed + 1), add}, note));
    CHECK_FALSE(any);
    CHECK(for_each_bounded_execution(instruction_list{loop(1, 3), add}, note));
    CHECK(any);
}

TEST_CASE("needs count entries back, forward for the round before, or name the entry itself") {
    CHECK(needed_entry(5, 2) == 3);
    CHECK(needed_entry(5, -2) == 7);
    CHECK(needed_entry(5, own_result) == 5);
    CHECK(needed_entry(1, 3) == -2);
}

TEST_CASE("global memory alone is memory; all loads and stores use load/store units") {
    for (const unit_kind unit : {unit_kind::shared_memory, unit_kind::l1_cache, unit_kind::l2_cache,
                                 unit_kind::global_memory}) {
        CHECK(uses_load_store_units(unit));
        CHECK(is_memory({.unit = unit}) == (unit == unit_kind::global_memory));
    }
    for (const unit_kind unit :
         {unit_kind::integer, unit_kind::special_function, unit_kind::barrier, unit_kind::branch}) {
        CHECK_FALSE(uses_load_store_units(unit));
    }
}

TEST_CASE("a value that is none of its type's is an error, and names the entry") {
    std::vector<instruction> s(3, {.unit = unit_kind::integer});
    s[1].unit = static_cast<unit_kind>(200);
    CHECK(check_stream(s) == model_error{errc::not_an_enumerator, "unit", 2});
    s[1] = {.unit = unit_kind::integer, .op = static_cast<operation>(77)};
    CHECK(check_stream(s) == model_error{errc::not_an_enumerator, "op", 2});
    s[1] = {.unit = unit_kind::integer, .second = static_cast<operand>(2)};
    CHECK(mix_of(s).error() == model_error{errc::not_an_enumerator, "second", 2});
    s[1] = {.unit = unit_kind::integer, .op = operation::other, .second = operand::constant};
    CHECK_FALSE(check_stream(s));
    s[1] = {.async = static_cast<async_step>(10)};
    CHECK(check_stream(s) == model_error{errc::not_an_enumerator, "async", 2});
}

TEST_CASE("asynchronous copies are accesses, and integer units close groups and wait") {
    const auto error = [](const instruction& i) {
        return check_stream(instruction_list{add, add, i});
    };
    const model_error malformed{errc::malformed, "instructions", 3};
    for (int n = 0; n <= 11; ++n) {
        const auto unit = static_cast<unit_kind>(n);
        const bool copies = unit == unit_kind::global_memory || unit == unit_kind::l1_cache ||
                            unit == unit_kind::l2_cache;
        const auto said = [&](bool lawful) { return lawful ? model_error{} : malformed; };
        CHECK(error({.unit = unit, .async = async_step::copy}) == said(copies));
        CHECK(error({.unit = unit, .async = async_step::bulk}) == said(copies));
        const bool closes = unit == unit_kind::integer;
        const bool waits = closes || unit == unit_kind::shared_memory;
        CHECK(error({.unit = unit, .async = async_step::commit}) == said(closes));
        CHECK(error({.unit = unit, .async = async_step::wait}) == said(waits));
        CHECK(error({.unit = unit, .async = async_step::wait_all}) == said(waits));
        const bool multiplies = unit == unit_kind::tensor;
        CHECK(error({.unit = unit, .async = async_step::product}) == said(multiplies));
        CHECK(error({.unit = unit, .async = async_step::block_product}) == said(multiplies));
        CHECK(error({.unit = unit, .async = async_step::commit_products}) == said(closes));
        CHECK(error({.unit = unit, .async = async_step::wait_products}) == said(waits));
    }
    CHECK_FALSE(error({.async = async_step::wait_products, .groups_left = 63, .needs = {1}}));
    CHECK(error({.async = async_step::wait_products, .needs = {1, 2}}) == malformed);
    CHECK(error({.async = async_step::commit_products, .groups_left = 1}) == malformed);
    CHECK_FALSE(
        error({.unit = unit_kind::tensor, .async = async_step::block_product, .sharing_warps = 8}));
    CHECK(error({.unit = unit_kind::tensor, .async = async_step::product, .sharing_warps = 8}) ==
          malformed);
    CHECK_FALSE(error({.async = async_step::wait, .groups_left = max_groups_left}));
    CHECK(error({.async = async_step::wait, .groups_left = 64}) == malformed);
    CHECK(error({.async = async_step::wait_all, .groups_left = 1}) == malformed);
    CHECK(error({.groups_left = 1}) == malformed);
    CHECK(error({.lines = 1}) == malformed);
    CHECK(error({.unit = unit_kind::shared_memory, .lines = 1}) == malformed);
    CHECK_FALSE(error({.unit = unit_kind::l1_cache, .lines = 1}));
    CHECK_FALSE(error({.unit = unit_kind::global_memory, .lines = 65'535}));
    CHECK_FALSE(error({.async = async_step::wait, .needs = {1}}));
    CHECK(error({.async = async_step::wait, .needs = {1, 2}}) == malformed);
    CHECK(error({.async = async_step::wait, .needs = {1, 0, 2}}) == malformed);
    CHECK_FALSE(error({.async = async_step::commit, .needs = {1, 2, own_result}}));
    // A copy has no result.
    const instruction copy{.unit = unit_kind::global_memory, .async = async_step::copy};
    CHECK(check_stream(instruction_list{add, copy, {.needs = {1}}}) == malformed);
    const instruction product{.unit = unit_kind::tensor, .async = async_step::product};
    CHECK(check_stream(instruction_list{add, product, {.needs = {1}}}) == malformed);
    const auto mix = mix_of(instruction_list{copy, {.async = async_step::wait_all}});
    REQUIRE(mix);
    CHECK(mix->coalesced_mem_insts == 1);
    CHECK(mix->comp_insts == 1);
}

}  // namespace stream_test
