// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

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

namespace {

// An access whose lanes lie side by side, a stride apart, or anywhere, aligned or not, some of them off their place.
warp_access any_access(std::mt19937& random) {
    constexpr std::uint32_t sizes[] = {1, 2, 3, 4, 5, 8, 9, 12, 16, 17, 32};
    warp_access a{.bytes = sizes[random() % 11]};
    if (random() % 2 == 0) a.active = static_cast<std::uint32_t>(random());
    const std::uint64_t base =
        512 + (random() % 3 != 0 ? random() % 4 * 16 * a.bytes : random() % 512);
    const std::uint64_t stride = random() % 3 != 0 ? 1 : random() % 40;
    const std::uint64_t reach = random() % 3 != 0 ? 1 : std::uint64_t{1} << (2 + random() % 10);
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
        a.addresses[lane] = base + lane * stride * a.bytes + random() % reach;
    }
    return a;
}

std::vector<std::size_t> active_lanes(const warp_access& a, std::size_t first, std::size_t last) {
    std::vector<std::size_t> lanes;
    for (std::size_t lane = first; lane < last; ++lane) {
        if ((a.active >> lane & 1U) != 0) lanes.push_back(lane);
    }
    return lanes;
}

std::set<std::uint64_t> touched(const warp_access& a, const std::vector<std::size_t>& lanes,
                                std::uint64_t size) {
    std::set<std::uint64_t> pieces;
    for (const std::size_t lane : lanes) {
        for (std::uint32_t b = 0; b < a.bytes; ++b) pieces.insert((a.addresses[lane] + b) / size);
    }
    return pieces;
}

// One transaction more than the bytes need, and what it serves is side by side.
std::uint32_t off_boundary(const std::set<std::uint64_t>& pieces, std::size_t transactions,
                           std::size_t needed) {
    return transactions == needed + 1 && *pieces.rbegin() - *pieces.begin() + 1 == pieces.size()
               ? 1
               : 0;
}

// Programming Guide 4.2, F.3.2.1: the k-th lane has the k-th word of an aligned segment of 16 words of 4, 8 or 16 B: one
// transaction, two of 128 B for words of 16 B; else one of 32 B for each of the 16 lanes.
global_transactions in_order_again(const warp_access& a) {
    global_transactions t{.parts = 2};
    for (std::size_t first = 0; first < warp_lanes; first += 16) {
        const auto lanes = active_lanes(a, first, first + 16);
        if (lanes.empty()) continue;
        const auto base = [&](std::size_t lane) {
            return a.addresses[lane] - (lane - first) * a.bytes;
        };
        bool good =
            (a.bytes == 4 || a.bytes == 8 || a.bytes == 16) && base(lanes[0]) % (16 * a.bytes) == 0;
        for (const std::size_t lane : lanes) good = good && base(lane) == base(lanes[0]);
        const std::uint32_t needed = a.bytes == 16 ? 2 : 1;
        t.transactions += good ? needed : 16;
        t.bytes_moved += good ? 16 * a.bytes : 16 * 32;
        t.least += needed;
    }
    return t;
}

// F.3.2.2: the segment (32 B for words of 1 B, 64 B of 2 B, else 128 B) of the lowest lane left serves all lanes in it,
// and is the smallest of 32, 64 and 128 B that holds what they use.
global_transactions segments_again(const warp_access& a) {
    global_transactions t{.parts = 2};
    const std::uint64_t segment = a.bytes == 1 ? 32 : a.bytes == 2 ? 64 : 128;
    for (std::size_t first = 0; first < warp_lanes; first += 16) {
        const auto lanes = active_lanes(a, first, first + 16);
        std::map<std::uint64_t, std::vector<std::uint64_t>> used;
        for (const std::size_t lane : lanes) {
            auto& of_segment = used[a.addresses[lane] / segment];
            of_segment.push_back(a.addresses[lane]);
            of_segment.push_back(a.addresses[lane] + a.bytes - 1);
        }
        for (const auto& [number, bytes] : used) {
            const auto [low, high] = std::minmax_element(bytes.begin(), bytes.end());
            std::uint64_t size = 32;
            while (size < segment && *low / size != *high / size) size *= 2;
            t.bytes_moved += static_cast<std::uint32_t>(size);
        }
        const std::size_t needed = (lanes.size() * a.bytes + segment - 1) / segment;
        t.transactions += static_cast<std::uint32_t>(used.size());
        t.least += static_cast<std::uint32_t>(needed);
        if (!lanes.empty())
            t.off_boundary += off_boundary(touched(a, lanes, segment), used.size(), needed);
    }
    return t;
}

// 2.x and later: what the lanes of a part touch; 2.x has two parts for more than 4 B a lane, four for more than 8 B.
global_transactions pieces_again(const warp_access& a, coalescing_rule rule) {
    const std::uint32_t size = rule == lines ? 128 : 32;
    global_transactions t{.parts = rule == sectors || a.bytes <= 4 ? 1U : a.bytes <= 8 ? 2U : 4U};
    for (std::size_t first = 0; first < warp_lanes; first += warp_lanes / t.parts) {
        const auto lanes = active_lanes(a, first, first + warp_lanes / t.parts);
        const auto pieces = touched(a, lanes, size);
        const std::size_t needed = (lanes.size() * a.bytes + size - 1) / size;
        t.transactions += static_cast<std::uint32_t>(pieces.size());
        t.bytes_moved += static_cast<std::uint32_t>(pieces.size()) * size;
        t.least += static_cast<std::uint32_t>(needed);
        if (!lanes.empty()) t.off_boundary += off_boundary(pieces, pieces.size(), needed);
    }
    return t;
}

// Of parts of the warp, one after the other, the most words that one bank serves. Words 32 apart in an aligned 64 are one
// for the wide banks of 3.x. Of 1.x, in each pass the word of the lowest lane left goes to all, another bank serves one lane.
std::uint32_t passes_again(const warp_access& a, bank_rule rule, same_word same) {
    const bool halves = rule == bank_rule::half_warp_16;
    const std::uint64_t words = (a.bytes + 3) / 4;
    const std::size_t parts = words <= 1 ? 1 : words <= 2 ? 2 : words <= 4 ? 4 : 8;
    const std::size_t at_once = (halves ? 16 : 32) / parts;
    std::size_t passes = 0;
    for (std::size_t first = 0; first < warp_lanes; first += at_once) {
        auto lanes = active_lanes(a, first, first + at_once);
        if (halves && words == 1 && same == same_word::together) {
            for (; !lanes.empty(); ++passes) {
                const std::uint64_t broadcast = a.addresses[lanes[0]] / 4;
                std::set<std::uint64_t> busy{broadcast % 16};
                std::erase_if(lanes, [&](std::size_t lane) {
                    const std::uint64_t word = a.addresses[lane] / 4;
                    return word == broadcast || busy.insert(word % 16).second;
                });
            }
            continue;
        }
        std::map<std::uint64_t, std::multiset<std::uint64_t>> waiting;
        for (const std::size_t lane : lanes) {
            for (std::uint64_t word = a.addresses[lane] / 4; word < a.addresses[lane] / 4 + words;
                 ++word) {
                auto& bank = waiting[word % (halves ? 16 : 32)];
                const std::uint64_t row = rule == bank_rule::wide_32 ? word / 64 : word;
                if (same == same_word::in_turn || !bank.contains(row)) bank.insert(row);
            }
        }
        std::size_t busiest = 0;
        for (const auto& [bank, rows] : waiting) busiest = std::max(busiest, rows.size());
        passes += busiest;
    }
    return static_cast<std::uint32_t>(halves ? (passes + 1) / 2 : passes);
}

}  // namespace

TEST_CASE("every rule agrees with itself written a second time, with sets") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    int begun_off_boundary = 0;
    for (int n = 0; n < 3000; ++n) {
        const warp_access a = any_access(random);
        CAPTURE(n);
        CAPTURE(a.bytes);
        CAPTURE(a.active);
        if (a.active == 0) continue;
        CHECK(*coalesce(a, in_order) == in_order_again(a));
        CHECK(*coalesce(a, segments) == segments_again(a));
        CHECK(*coalesce(a, lines) == pieces_again(a, lines));
        CHECK(*coalesce(a, sectors) == pieces_again(a, sectors));
        begun_off_boundary += coalesce(a, sectors)->off_boundary != 0;
        for (const bank_rule rule :
             {bank_rule::half_warp_16, bank_rule::banks_32, bank_rule::wide_32}) {
            for (const same_word same : {same_word::together, same_word::in_turn}) {
                CAPTURE(static_cast<int>(rule));
                CHECK(*bank_passes(a, rule, same) == passes_again(a, rule, same));
            }
        }
    }
    CHECK(begun_off_boundary > 100);
}

TEST_CASE("lanes side by side take the short way, and cost what they do in any other order") {
    for (const std::uint32_t bytes : {1U, 2U, 3U, 4U, 8U, 16U, 32U}) {
        for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{4096}, std::uint64_t{4100},
                                         std::uint64_t{4222}, ~std::uint64_t{0} - 300}) {
            for (const std::uint64_t stride : {0U, 1U}) {
                for (const std::uint32_t active : {~0U, 0xffU, 0x0ff0'0000U, 0x8000'0000U, 6U}) {
                    CAPTURE(bytes);
                    CAPTURE(base);
                    CAPTURE(active);
                    warp_access a = strided(stride, bytes, base);
                    a.active = active;
                    warp_access turned = a;  // the first lane is the last
                    std::reverse(turned.addresses.begin(), turned.addresses.end());
                    turned.active = 0;
                    for (std::size_t l = 0; l < warp_lanes; ++l) {
                        turned.active |= (active >> l & 1U) << (31 - l);
                    }
                    for (const coalescing_rule rule : {lines, sectors}) {
                        CHECK(*coalesce(a, rule) == *coalesce(turned, rule));
                    }
                    CHECK(*bank_passes(a, bank_rule::banks_32) ==
                          *bank_passes(turned, bank_rule::banks_32));
                }
            }
        }
    }
}

TEST_CASE("generations") {
    CHECK(coalescing_rule_of({1, 1}) == in_order);
    CHECK(coalescing_rule_of({1, 2}) == segments);
    CHECK(coalescing_rule_of({1, 3}) == segments);
    CHECK(coalescing_rule_of({2, 0}) == lines);
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
    CHECK(bank_passes({.bytes = 33}, bank_rule::banks_32).error().field == "bytes");
    CHECK(bank_passes({.bytes = 0}, bank_rule::wide_32).error().code == errc::outside_domain);
    CHECK(coalesce({.bytes = 32}, sectors));
    CHECK(bank_passes({.bytes = 32}, bank_rule::banks_32));
}

TEST_CASE("transactions differ in each count") {
    using warpgauge::global_transactions;
    CHECK(global_transactions{.transactions = 1} == global_transactions{.transactions = 1});
    CHECK_FALSE(global_transactions{.transactions = 1} == global_transactions{});
    CHECK_FALSE(global_transactions{.least = 1} == global_transactions{});
}

TEST_CASE("pieces that no shift divides by, and no numbers in a row") {
    const auto a = strided(1);  // 128 B from 4096 on, in pieces of 12 B from 341 to 351
    CHECK(detail::sm::touched_pieces(a, 0, warp_lanes, 12).count == 11);
    CHECK_FALSE(detail::sm::distinct_numbers{}.adjoin());
}

}  // namespace coalescing_test
