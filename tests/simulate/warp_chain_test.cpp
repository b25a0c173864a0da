// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/warp_chain.hpp>

namespace warp_chain_test {

using namespace warpgauge;

namespace {

constexpr instruction add{.unit = unit_kind::integer};
constexpr instruction add_to_last{.unit = unit_kind::integer, .needs = {1}};
constexpr instruction barrier{.unit = unit_kind::barrier};

double cycles_of(const std::vector<instruction>& stream, double latency,
                 bool barriers_wait_for_results = true) {
    detail::simulate::warp_chain chain(barriers_wait_for_results);
    auto execute = [&](const instruction& i, std::size_t at) {
        chain.execute(i, at, i.unit == unit_kind::barrier ? 1 : latency);
        return true;
    };
    for_each_execution(stream, 0, stream.size(), execute);
    return chain.cycles();
}

}  // namespace

TEST_CASE("a chain: one issue a cycle, a latency where a result is needed") {
    CHECK(cycles_of({}, 5) == 0);
    CHECK(cycles_of({add}, 5) == 5);
    CHECK(cycles_of({add, add, add}, 5) == 2 + 5);
    CHECK(cycles_of({add, add_to_last, add_to_last}, 5) == 15);
    CHECK(cycles_of({add, add, {.unit = unit_kind::integer, .needs = {2}}}, 5) == 10);
    // A barrier waits for all results, and all that follows for it.
    CHECK(cycles_of({add, add, barrier, add}, 5) == 6 + 1 + 5);
    CHECK(cycles_of({add, barrier}, 5) == 6);
    // Or for other warps alone.
    CHECK(cycles_of({add, add, barrier, add}, 5, false) == 3 + 5);
    CHECK(cycles_of({add, barrier, add_to_last}, 5, false) == 2 + 5);
}

TEST_CASE("in a loop, what is needed is the latest result") {
    const instruction accumulate{.unit = unit_kind::integer, .needs = {own_result}};
    CHECK(cycles_of({loop(1, 100), accumulate}, 5) == 500);
    CHECK(cycles_of({loop(2, 100), add, accumulate}, 5) == 1 + 500);
    const instruction of_round_before{.unit = unit_kind::integer, .needs = {-1}};
    CHECK(cycles_of({loop(2, 10), of_round_before, add_to_last}, 5) == 100);
}

TEST_CASE("a warp waits for its asynchronous copies where it says so, and else at its end") {
    const instruction copy{.unit = unit_kind::global_memory, .async = async_step::copy};
    const instruction commit{.async = async_step::commit};
    const instruction wait{.async = async_step::wait, .groups_left = 1};
    CHECK(cycles_of({copy, add}, 50) == 1 + 50);
    CHECK(cycles_of({copy, {.async = async_step::wait_all}}, 50) == 50 + 50);
    CHECK(cycles_of({copy, commit, copy, commit, wait}, 50) == 50 + 50);
    CHECK(cycles_of({copy, commit, wait}, 50) == 2 + 50);
    // Two tiles under way: two rounds take a copy's time and an issue. Then the last wait, whose own result takes 50.
    CHECK(cycles_of({copy, commit, loop(3, 100), copy, commit, wait}, 50) == 50 * 51 + 2 + 50);
}

TEST_CASE("it waits for its asynchronous products apart from its copies") {
    const instruction product{.unit = unit_kind::tensor, .async = async_step::product};
    const instruction commit{.async = async_step::commit_products};
    const instruction wait{.async = async_step::wait_products};
    const instruction copy{.unit = unit_kind::global_memory, .async = async_step::copy};
    CHECK(cycles_of({product, add}, 50) == 1 + 50);
    CHECK(cycles_of({product, commit, wait}, 50) == 50 + 50);
    CHECK(cycles_of({product, commit, copy, {.async = async_step::wait_all}}, 50) == 52 + 50);
    CHECK(cycles_of({product, commit, copy, wait}, 50) == 50 + 50);
}

TEST_CASE("of a stream of more entries than it keeps, a chain is never too short") {
    // The first result is needed 400 entries later: another has its place, and it is taken for the latest of those
    // that have gone, of entry 143.
    std::vector<instruction> s(400, add);
    s.push_back({.unit = unit_kind::integer, .needs = {400}});
    CHECK(cycles_of(s, 5) == 400 + 5);
    CHECK(cycles_of(s, 1000) == 143 + 1000 + 1000);
    // Entries that have kept theirs are known exactly.
    s.back().needs = {200};
    CHECK(cycles_of(s, 1000) == 200 + 1000 + 1000);
}

}  // namespace warp_chain_test
