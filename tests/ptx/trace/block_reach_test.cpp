// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <random>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/block_reach.hpp>
#include <warpgauge/ptx/trace/warp_reach.hpp>

namespace block_reach_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

TEST_CASE("blocks are reached as far as the nearest bound of their warps") {
    reached_blocks<> blocks;
    CHECK(blocks.find({4, 0, 0}) == nullptr);
    blocks.add({4, 0, 0});
    blocks.add_bound({6}, 20, 100);
    blocks.add_warp(7);
    blocks.add_bound({6, 0, 0, 1}, 100, 13);  // another warp of the block
    blocks.add_bound({0, 0, 0, 1}, 0, 0);     // which no block changes
    blocks.add_warp(8);
    for (const std::uint32_t x : {1U, 4U, 6U}) {
        CAPTURE(x);
        const std::uint32_t* const warps = blocks.find({x, 9, 9});
        REQUIRE(warps != nullptr);
        CHECK(warps[0] == 7);
        CHECK(warps[1] == 8);
    }
    CHECK(blocks.find({0, 0, 0}) == nullptr);
    CHECK(blocks.find({7, 0, 0}) == nullptr);
}

TEST_CASE("blocks are reached after whole turns") {
    reached_blocks<> blocks;
    blocks.add({1, 1, 1});
    blocks.add_turn({0, 96, 0}, 128);
    blocks.add_turn({0, 0, 0, 4}, 128);  // which no block changes
    blocks.add_warp(0);
    CHECK(blocks.find({1, 5, 1}) != nullptr);
    CHECK(blocks.find({1, 4, 1}) == nullptr);
}

TEST_CASE("of several blocks that reach one, each is found") {
    reached_blocks<> blocks;
    for (const std::uint32_t x : {0U, 10U, 20U}) {
        blocks.add({x, 0, 0});
        blocks.add_bound({1}, 0, 4);
        blocks.add_warp(x);
        blocks.add_warp(x + 1);
    }
    for (const std::uint32_t x : {22U, 2U, 13U, 3U, 24U, 10U}) {
        CAPTURE(x);
        const std::uint32_t* const warps = blocks.find({x, 0, 0});
        REQUIRE(warps != nullptr);
        CHECK(warps[0] == x / 10 * 10);
        CHECK(warps[1] == x / 10 * 10 + 1);
    }
    CHECK(blocks.find({5, 0, 0}) == nullptr);
}

TEST_CASE("no more blocks are kept than are worth to be searched") {
    reached_blocks<> blocks;
    for (std::uint32_t n = 0; n < reached_blocks<>::max_blocks; ++n) {
        CHECK_FALSE(blocks.is_full());
        blocks.add({n, 0, 0});
    }
    CHECK(blocks.is_full());
}

TEST_CASE("a block is reached exactly where all of its warps are") {
    const warp_begins<> begins({32, 2, 1});
    for (unsigned seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto any = [&](int least, int most) {
            return std::uniform_int_distribution<std::int64_t>(least, most)(random);
        };
        const block_index from{4, 4, 4};
        reached_warps<> of_first(begins);
        reached_warps<> of_second(begins);
        reached_blocks<> blocks;
        blocks.add(from);
        for (const std::uint32_t warp : {0U, 1U}) {
            warp_reach<> reach{.way = {.of_block = true}};
            for (std::int64_t n = any(0, 3); n > 0; --n) {
                const warp_distance by{any(-3, 3), any(-3, 3), any(-1, 1), any(0, 4), any(0, 4), 0};
                reach.way.bounds.push_back({by, any(-15, 0), any(0, 15)});
            }
            if (any(0, 2) == 0) reach.way.turns.push_back({{any(0, 4), any(0, 4), 0}, 8});
            reached_warps<>& followed = warp == 0 ? of_first : of_second;
            followed.add({from, warp, 0}, reach);
            followed.bound_block({from, warp, 0}, 0, blocks);
        }
        for (std::uint32_t n = 0; n < 9 * 9 * 9; ++n) {
            const block_index to{n % 9, n / 9 % 9, n / 81};
            warp_distance away{};
            const bool both =
                of_first.find({to, 0, 0}, away) == 0 && of_second.find({to, 1, 0}, away) == 0;
            if ((blocks.find(to) != nullptr) == both) continue;
            CAPTURE(n);
            CHECK((blocks.find(to) != nullptr) == both);
        }
    }
}

}  // namespace block_reach_test
