// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>

#include <warpgauge/warpgauge.hpp>

namespace coalescing_test {

using namespace warpgauge;

namespace {

constexpr auto in_order = coalescing_rule::half_warps_in_order;
constexpr auto segments = coalescing_rule::half_warp_segments;
constexpr auto lines = coalescing_rule::lines;
constexpr auto sectors = coalescing_rule::sectors;

constexpr warp_access strided(std::uint64_t stride_words, std::uint32_t bytes = 4,
                              std::uint64_t base = 4096) {
    warp_access a{.bytes = bytes};
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
        a.addresses[lane] = base + lane * stride_words * bytes;
    }
    return a;
}

}  // namespace

// CUDA C Programming Guide 4.2, F.3.2.1 and F.3.2.2, F.4.2, and figures F-1, F-2 there: 4 B words.
TEST_CASE("the examples of the Programming Guide") {
    const auto aligned = strided(1);
    const auto misaligned = strided(1, 4, 4100);
    auto swapped = strided(1);
    std::swap(swapped.addresses[3], swapped.addresses[4]);

    SUBCASE("aligned and in order: one transaction of 64 B for each half of the warp") {
        CHECK(*coalesce(aligned, in_order) == global_transactions{2, 2, 128, 2});
        CHECK(*coalesce(aligned, segments) == global_transactions{2, 2, 128, 2});
        CHECK(*coalesce(aligned, lines) == global_transactions{1, 1, 128, 1});
        CHECK(*coalesce(aligned, sectors) == global_transactions{4, 4, 128, 1});
    }
    SUBCASE("aligned, two lanes swapped: only 1.0 and 1.1 mind") {
        CHECK(coalesce(swapped, in_order)->transactions == 16 + 1);
        CHECK(coalesce(swapped, in_order)->bytes_moved == 16 * 32 + 64);
        CHECK_FALSE(coalesce(swapped, in_order)->coalesced());
        CHECK(coalesce(swapped, segments)->transactions == 2);
        CHECK(coalesce(swapped, sectors)->transactions == 4);
    }
    SUBCASE("off the boundary by a word") {
        CHECK(coalesce(misaligned, in_order)->transactions == 32);
        // The first half from 4 to 67 of one segment of 128 B; the second crosses into the next one.
        CHECK(*coalesce(misaligned, segments) == global_transactions{3, 2, 128 + 64 + 32, 2, 1});
        CHECK(coalesce(misaligned, segments)->coalesced());
        CHECK(*coalesce(misaligned, lines) == global_transactions{2, 1, 256, 1, 1});
        CHECK(*coalesce(misaligned, sectors) == global_transactions{5, 4, 160, 1, 1});
        CHECK(coalesce(misaligned, sectors)->coalesced());
    }
    SUBCASE("a lane may be inactive") {
        auto a = aligned;
        a.active = 0xffff'fffe;
        CHECK(coalesce(a, in_order)->transactions == 2);
        a.active = 0xffff'0000;
        CHECK(coalesce(a, in_order)->transactions == 1);
        a.active = 0;
        CHECK(*coalesce(a, sectors) == global_transactions{});
    }
}

TEST_CASE("strides of 1 to 32 words, in sectors and in lines") {
    for (std::uint64_t stride = 1; stride <= 32; ++stride) {
        CAPTURE(stride);
        // 32 words a stride apart cover 32 stride words: a sector holds 8 of them, a line 32.
        const auto expected = [&](std::uint64_t words) {
            return static_cast<std::uint32_t>(stride >= words ? 32
                                                              : ((32 - 1) * stride) / words + 1);
        };
        CHECK(coalesce(strided(stride), sectors)->transactions == expected(8));
        CHECK(coalesce(strided(stride), lines)->transactions == expected(32));
    }
}

TEST_CASE("wide and narrow words") {
    // 2.x splits requests of 8 and 16 B a lane; each part asks for its own lines.
    CHECK(*coalesce(strided(1, 8), lines) == global_transactions{2, 2, 256, 2});
    CHECK(*coalesce(strided(1, 16), lines) == global_transactions{4, 4, 512, 4});
    CHECK(coalesce(strided(0, 8), lines)->transactions == 2);
    CHECK(coalesce(strided(1, 8, 4096 + 64), lines)->transactions == 4);
    // Few lanes far apart are not coalesced, however few.
    warp_access two{.active = 3};
    two.addresses[1] = 1 << 20;
    CHECK_FALSE(coalesce(two, sectors)->coalesced());
    two.addresses[1] = 32;
    CHECK(coalesce(two, sectors)->coalesced());
    CHECK(*coalesce(strided(1, 1), sectors) == global_transactions{1, 1, 32, 1});
    CHECK(*coalesce(strided(1, 16), sectors) == global_transactions{16, 16, 512, 1});
    CHECK(*coalesce(strided(1, 16), in_order) == global_transactions{4, 4, 512, 2});
    CHECK(*coalesce(strided(1, 8), in_order) == global_transactions{2, 2, 256, 2});
    CHECK(*coalesce(strided(1, 1), segments) == global_transactions{2, 2, 64, 2});
    CHECK(*coalesce(strided(0), sectors) == global_transactions{1, 4, 32, 1});  // all the same word
}

TEST_CASE("banks: a stride conflicts by what it shares with their number") {
    for (std::uint64_t stride = 1; stride <= 32; ++stride) {
        CAPTURE(stride);
        std::uint32_t common = 32;
        while (stride % common != 0) common /= 2;
        CHECK(*bank_passes(strided(stride), bank_rule::banks_32) == common);
        // Half a warp on 16 banks: as many each, at most 16.
        CHECK(*bank_passes(strided(stride), bank_rule::half_warp_16) == std::min(common, 16U));
    }
    // 1.x, F.3.3: bytes side by side share banks in fours, and but one word at a time is broadcast.
    CHECK(*bank_passes(strided(1, 1), bank_rule::half_warp_16) == 4);
    warp_access halves{};
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) halves.addresses[lane] = lane / 8 % 2 * 4;
    CHECK(*bank_passes(halves, bank_rule::half_warp_16) == 2);
    CHECK(*bank_passes(strided(0), bank_rule::half_warp_16) == 1);
    // One word for all: 2.x and later send it to all lanes.
    CHECK(*bank_passes(strided(0), bank_rule::banks_32) == 1);
    CHECK(*bank_passes(strided(0), bank_rule::banks_32, same_word::in_turn) == 32);
    // CUDA C++ Programming Guide 10.2, H.3.3: words i and i + 32 of an aligned 64 do not conflict.
    CHECK(*bank_passes(strided(2), bank_rule::wide_32) == 1);
    CHECK(*bank_passes(strided(4), bank_rule::wide_32) == 2);
    CHECK(*bank_passes(strided(32), bank_rule::wide_32) == 16);
    // 8 B and 16 B a lane: half and quarter of the warp at a time.
    // Half a warp whose lanes have 8 B goes in two parts, each without conflict on 16 banks; atomics go one by one.
    CHECK(*bank_passes(strided(1, 8), bank_rule::half_warp_16) == 2);
    CHECK(*bank_passes(strided(0), bank_rule::half_warp_16, same_word::in_turn) == 16);
    warp_access nobody = strided(1);
    nobody.active = 0;
    CHECK(*bank_passes(nobody, bank_rule::banks_32) == 0);
    CHECK(*bank_passes(strided(1, 8), bank_rule::banks_32) == 2);
    CHECK(*bank_passes(strided(1, 16), bank_rule::banks_32) == 4);
    CHECK(*bank_passes(strided(1, 12), bank_rule::banks_32) == 4);
}

TEST_CASE("sectors and lines agree with a set, whatever the addresses") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (int n = 0; n < 2000; ++n) {
        warp_access a{.active = static_cast<std::uint32_t>(random()), .bytes = 1U << random() % 6};
        const std::uint64_t reach = std::uint64_t{1} << (4 + random() % 16);
        for (auto& at : a.addresses) at = random() % reach;
        for (const auto& [rule, size] : {std::pair{sectors, 32U}, std::pair{lines, 128U}}) {
            // On 2.x, lanes of 8 B go in halves of the warp, of 16 B and more in quarters.
            const std::size_t parts = rule == sectors || a.bytes <= 4 ? 1 : a.bytes == 8 ? 2 : 4;
            std::set<std::pair<std::size_t, std::uint64_t>> touched;
            for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
                if ((a.active >> lane & 1U) == 0) continue;
                for (std::uint32_t b = 0; b < a.bytes; ++b) {
                    touched.insert({lane * parts / warp_lanes, (a.addresses[lane] + b) / size});
                }
            }
            CHECK(coalesce(a, rule)->transactions == touched.size());
        }
    }
}

TEST_CASE("generations") {
    CHECK(coalescing_rule_of({1, 1}) == in_order);
    CHECK(coalescing_rule_of({1, 3}) == segments);
    CHECK(coalescing_rule_of({2, 1}) == lines);
    CHECK(coalescing_rule_of({3, 5}) == sectors);
    CHECK(coalescing_rule_of({9, 0}) == sectors);
    CHECK(bank_rule_of({1, 3}) == bank_rule::half_warp_16);
    CHECK(bank_rule_of({2, 0}) == bank_rule::banks_32);
    CHECK(bank_rule_of({3, 5}) == bank_rule::wide_32);
    CHECK(bank_rule_of({7, 5}) == bank_rule::banks_32);
}

TEST_CASE("bytes of a lane out of range are an error") {
    CHECK(coalesce({.bytes = 0}, sectors).error().code == errc::outside_domain);
    CHECK(coalesce({.bytes = 33}, lines).error().field == "bytes");
    CHECK(bank_passes({.bytes = 64}, bank_rule::banks_32).error().field == "bytes");
}

}  // namespace coalescing_test
