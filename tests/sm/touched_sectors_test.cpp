// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <random>
#include <set>
#include <utility>

#include <doctest/doctest.h>

#include <warpgauge/sm/touched_sectors.hpp>

namespace touched_sectors_test {

using namespace warpgauge;

namespace {

constexpr warp_access strided(std::uint64_t first, std::uint64_t stride, std::uint32_t bytes) {
    warp_access a{.bytes = bytes};
    for (std::size_t l = 0; l < warp_lanes; ++l) a.addresses[l] = first + stride * l;
    return a;
}

}  // namespace

TEST_CASE("side by side, each sector whole; shifted, two of them in part") {
    static_assert(sectors_of(strided(1024, 4, 4)).count == 4);
    static_assert(sectors_of(strided(1024, 4, 4)).whole() == 4);
    static_assert(sectors_of(strided(1024, 4, 4)).lines() == 1);
    const auto shifted = sectors_of(strided(1028, 4, 4));
    CHECK(shifted.count == 5);
    CHECK(shifted.whole() == 3);
    CHECK(shifted.lines() == 2);
    CHECK(shifted.all[0].sector == 32);
    CHECK(shifted.all[0].bytes == 0xffff'fff0);
    CHECK(shifted.all[4].bytes == 0xf);
}

TEST_CASE("side by side, the same sectors as in any other order") {
    for (const std::uint32_t bytes : {1U, 3U, 4U, 16U, 32U}) {
        for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{1030},
                                         ~std::uint64_t{0} - 200, ~std::uint64_t{0} - 40}) {
            for (const std::uint32_t active : {~0U, 0x7ff0U, 1U}) {
                warp_access a = strided(base, bytes, bytes);
                a.active = active;
                warp_access swapped = a;
                std::swap(swapped.addresses[4], swapped.addresses[5]);
                const auto one = sectors_of(a);
                const auto other = sectors_of(swapped);
                REQUIRE(one.count == other.count);
                for (std::uint32_t n = 0; n < one.count; ++n) {
                    CHECK(one.all[n].sector == other.all[n].sector);
                    CHECK(one.all[n].bytes == other.all[n].bytes);
                }
            }
        }
    }
}

TEST_CASE("a column of a matrix: a sector and a line each") {
    const auto column = sectors_of(strided(0, 4096, 4));
    CHECK(column.count == 32);
    CHECK(column.whole() == 0);
    CHECK(column.lines() == 32);
}

TEST_CASE("wide lanes, one word for all, and lanes that do not take part") {
    CHECK(sectors_of(strided(0, 32, 32)).whole() == 32);
    CHECK(sectors_of(strided(16, 32, 32)).count == 33);  // each in two
    const auto same = sectors_of(strided(64, 0, 8));
    CHECK(same.count == 1);
    CHECK(same.all[0].bytes == 0xff);
    warp_access few = strided(0, 4, 4);
    few.active = 0x0000'00ff;
    CHECK(sectors_of(few).count == 1);
    CHECK(sectors_of(few).whole() == 1);
    few.active = 0;
    CHECK(sectors_of(few).count == 0);
    for (const std::uint32_t bytes : {0U, max_bytes_per_lane + 1, ~0U}) {
        CHECK(sectors_of(strided(0, bytes, bytes)).count == 0);
        CHECK(sectors_of(strided(0, 100, bytes)).count == 0);
    }
}

TEST_CASE("as many sectors and lines as a set of bytes has") {
    constexpr std::uint32_t seed = 20;
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 2000; ++round) {
        warp_access a{.active = static_cast<std::uint32_t>(random()), .bytes = 1U << random() % 6};
        std::set<std::uint64_t> bytes;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            a.addresses[l] = 7 + random() % 2000;
            if ((a.active >> l & 1U) == 0) continue;
            for (std::uint64_t b = 0; b < a.bytes; ++b) bytes.insert(a.addresses[l] + b);
        }
        std::set<std::uint64_t> sectors;
        std::set<std::uint64_t> lines;
        std::uint32_t whole = 0;
        for (const std::uint64_t b : bytes) {
            sectors.insert(b / 32);
            lines.insert(b / 128);
        }
        for (const std::uint64_t s : sectors) {
            const auto first = bytes.lower_bound(32 * s);
            const auto last = bytes.lower_bound(32 * s + 32);
            whole += std::distance(first, last) == 32 ? 1U : 0U;
        }
        const auto touched = sectors_of(a);
        CHECK(touched.count == sectors.size());
        CHECK(touched.lines() == lines.size());
        CHECK(touched.whole() == whole);
        CHECK(touched.count == coalesce(a, coalescing_rule::sectors)->transactions);
    }
}

// Rows of lanes, side by side or of one address each, some lanes apart: as warps over several rows of a block access memory.
TEST_CASE("runs of bytes touch the sectors and lines that their lanes touch") {
    constexpr std::uint32_t seed = 21;
    CAPTURE(seed);
    std::mt19937 random(seed);
    int in_runs = 0;
    for (int n = 0; n < 20'000; ++n) {
        warp_access a;
        a.bytes = 1U << random() % 6;
        a.active = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : 0xffff'ffff;
        const std::uint64_t row_lanes = 1U << random() % 6;
        const std::uint64_t pitch = random() % 2048;
        const std::uint64_t from = random() % 4096 + (std::uint64_t{1} << 40);
        const std::uint64_t by = random() % 4 == 0 ? 0 : a.bytes;
        for (std::uint64_t l = 0; l < warp_lanes; ++l) {
            a.addresses[l] = from + l / row_lanes * pitch + l % row_lanes * by;
        }
        const auto runs = detail::sm::runs_of_bytes(a);
        if (runs.count == 0) continue;
        ++in_runs;
        const sectors_of_runs few(runs);
        const touched_sectors all = sectors_of(a);
        CAPTURE(n);
        REQUIRE(few.count == all.count);
        CHECK(few.whole() == all.whole());
        CHECK(few.lines() == all.lines());
        CHECK(few.first() == all.first());
        CHECK(few.last() == all.last());
        std::size_t at = 0;
        few.each([&](std::uint64_t sector) { CHECK(sector == all.all[at++].sector); });
        const auto t = coalesce(a, coalescing_rule::sectors);
        REQUIRE(t);
        CHECK(t->transactions == runs.pieces(32));
        CHECK(t->coalesced() == (t->transactions <= t->least + (runs.count == 1 ? 1 : 0)));
    }
    CHECK(in_runs > 5'000);
    // Four rows of 32 B, 96 B apart, as of a block of 8 x 8 threads.
    warp_access rows;
    for (std::uint64_t l = 0; l < warp_lanes; ++l) rows.addresses[l] = l / 8 * 128 + l % 8 * 4;
    CHECK(detail::sm::runs_of_bytes(rows).count == 4);
    CHECK(detail::sm::runs_of_bytes({.active = 0}).count == 0);
}

}  // namespace touched_sectors_test
