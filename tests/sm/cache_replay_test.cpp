// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include <warpgauge/sm/cache_misses.hpp>
#include <warpgauge/sm/cache_replay.hpp>

#include "sm/requests.hpp"

namespace cache_replay_test {

using namespace warpgauge;
using enum request_kind;

namespace {

using requests = std::vector<memory_request>;

constexpr std::uint64_t KiB = 1024;

replay_options caches(std::uint64_t l1_bytes, std::uint64_t l2_bytes, std::uint32_t resident = 1,
                      std::uint32_t sms = 1) {
    return {.l1 = {.bytes = l1_bytes},
            .l2 = {.bytes = l2_bytes, .stores = store_rule::back},
            .sms = sms,
            .resident_blocks = resident};
}

cache_replay replayed(const requests& r, const replay_options& o) {
    const auto e = replay_caches(r, o);
    REQUIRE(e);
    // What holds of every replay whose caches fill sector by sector.
    CHECK(e->l1_load_hits <= e->load_sectors);
    CHECK(e->l2_loads == e->load_sectors - e->l1_load_hits + e->atomic_sectors);
    CHECK(e->l2_load_hits <= e->l2_loads);
    CHECK(e->l2_stores == e->full_store_sectors + e->partial_store_sectors);
    CHECK(e->dram_reads >= e->l2_loads - e->l2_load_hits);
    CHECK(e->dram_reads <= e->l2_loads - e->l2_load_hits + e->partial_store_sectors);
    CHECK(e->dram_writes <= e->l2_stores + e->atomic_sectors);
    CHECK(e->load_insts + e->atomic_insts == e->l1_insts + e->l2_insts + e->dram_insts);
    CHECK(e->footprint <= e->block_sectors);
    CHECK(e->block_sectors <=
          e->load_sectors + e->atomic_sectors + e->full_store_sectors + e->partial_store_sectors);
    return *e;
}

}  // namespace

TEST_CASE("a stream: nothing hits, every byte comes once and goes once") {
    requests r;
    for (std::uint32_t block = 0; block < 8; ++block) {
        for (std::uint16_t warp = 0; warp < 4; ++warp) {
            const std::uint64_t at = (block * 4 + warp) * 128;
            issue(r, block, warp, load, at);
            issue(r, block, warp, store, 1 << 20 | at);
        }
    }
    const cache_replay e = replayed(r, caches(64 * KiB, 1024 * KiB, 2, 2));
    CHECK(e.blocks == 8);
    CHECK(e.warps == 32);
    CHECK(e.load_sectors == 32 * 4);
    CHECK(e.full_store_sectors == 32 * 4);
    CHECK(e.partial_store_sectors == 0);
    CHECK(e.lines == 64);
    CHECK(e.l1_hit_fraction() == 0);
    CHECK(e.l2_hit_fraction() == 0);
    CHECK(e.dram_reads == 32 * 4);
    CHECK(e.dram_writes == 32 * 4);
    CHECK(e.dram_insts == 32);
    CHECK(e.footprint == 2 * 32 * 4);
    CHECK(e.blocks_per_sector() == 1);
}

TEST_CASE("what a block reads again hits, if L1 holds it; a line too much, and nothing does") {
    requests r;  // 64 lines, three times
    for (int round = 0; round < 3; ++round) {
        for (std::uint64_t line = 0; line < 64; ++line) issue(r, 0, 0, load, line * 128);
    }
    const cache_replay fits = replayed(r, caches(64 * 128, 0));
    CHECK(fits.l1_load_hits == 2 * 64 * 4);
    CHECK(fits.l1_insts == 128);
    CHECK(fits.dram_insts == 64);
    CHECK(replayed(r, caches(63 * 128, 0)).l1_load_hits == 0);
    // Then L2 serves it.
    const cache_replay in_l2 = replayed(r, caches(63 * 128, 64 * 128));
    CHECK(in_l2.l2_load_hits == 2 * 64 * 4);
    CHECK(in_l2.l2_insts == 128);
    CHECK(in_l2.dram_reads == 64 * 4);
    CHECK(replayed(r, caches(0, 63 * 128)).l2_load_hits == 0);
}

TEST_CASE("down the columns of a matrix: a sector a lane, and the next seven columns hit") {
    requests r;  // 32 rows of 1024 floats; 16 columns
    for (std::uint64_t column = 0; column < 16; ++column) issue(r, 0, 0, load, column * 4, 4096);
    const cache_replay e = replayed(r, caches(32 * 128, 0));
    CHECK(e.load_sectors == 16 * 32);
    CHECK(e.lines == 16 * 32);
    CHECK(e.l1_load_hits == 14 * 32);  // two sectors of each row miss
    CHECK(replayed(r, caches(31 * 128, 0)).l1_load_hits == 0);
}

TEST_CASE("neighbours of a stencil in a row, in one block and across blocks") {
    // out[i] = in[i - 1] + in[i] + in[i + 1], 128 threads a block.
    requests r;
    constexpr std::uint64_t in = 4096;
    for (std::uint32_t block = 0; block < 4; ++block) {
        for (std::uint16_t warp = 0; warp < 4; ++warp) {
            const std::uint64_t at = in + (block * 4 + warp) * 128;
            issue(r, block, warp, load, at - 4);
            issue(r, block, warp, load, at);
            issue(r, block, warp, load, at + 4);
        }
    }
    // Five sectors, four, five. Each block misses its 16 sectors and one to each side; of blocks side by side on an
    // SM the one to the side is a neighbour's.
    const cache_replay alone = replayed(r, caches(128 * KiB, 1024 * KiB, 1, 4));
    CHECK(alone.load_sectors == 16 * 14);
    CHECK(alone.load_sectors - alone.l1_load_hits == 4 * 18);
    CHECK(alone.l2_load_hits == 3 * 2);
    CHECK(alone.footprint == 66);
    CHECK(alone.block_sectors == 4 * 18);
    const cache_replay together = replayed(r, caches(128 * KiB, 1024 * KiB, 4, 1));
    CHECK(together.load_sectors - together.l1_load_hits == 66);
    CHECK(together.dram_reads == 66);
}

TEST_CASE("rows of an image with a border: what a block loads and what of it is new") {
    // 54 rows of 46 floats, 4110 floats apart: loads of 32 and of 14 lanes. By hand: rows begin 0, 24, 16 and 8 B past
    // a sector in turn, so that the first 32 floats touch 4, 5, 5, 5 sectors, the other 14 touch 2, 3, 3, 2, and both
    // together 6, 7, 7, 6; 14, 14, 13, 13 rows of each.
    requests r;
    for (std::uint64_t row = 0; row < 54; ++row) {
        issue(r, 0, 0, load, row * 4110 * 4);
        issue(r, 0, 0, load, row * 4110 * 4 + 128, 4, 14);
    }
    const cache_replay e = replayed(r, caches(64 * KiB, 0));
    CHECK(e.load_sectors == 14 * 4 + 40 * 5 + 14 * 2 + 27 * 3 + 13 * 2);
    CHECK(e.load_sectors - e.l1_load_hits == 14 * 6 + 27 * 7 + 13 * 6);
}

TEST_CASE("stores: parts of sectors are read first, whole ones not; L1 keeps no line for them") {
    requests r;
    issue(r, 0, 0, store, 0, 8);  // every other float of 256 B: 8 sectors in part
    issue(r, 0, 0, store, 4096);  // 4 sectors
    issue(r, 0, 0, load, 4096);   // from L2
    issue(r, 0, 0, store, 4096);  // again
    issue(r, 0, 0, load, 4096);   // from L1
    const cache_replay e = replayed(r, caches(64 * KiB, 64 * KiB));
    CHECK(e.partial_store_sectors == 8);
    CHECK(e.full_store_sectors == 8);
    CHECK(e.dram_reads == 8);
    CHECK(e.dram_writes == 12);
    CHECK(e.l2_store_hits == 4);
    CHECK(e.l2_load_hits == 4);
    CHECK(e.l1_load_hits == 4);
    CHECK(e.l2_insts == 1);
    CHECK(e.l1_insts == 1);
    replay_options kept = caches(64 * KiB, 64 * KiB);
    kept.l1.stores = store_rule::through_kept;
    CHECK(replayed(r, kept).l1_load_hits == 8);
    // Without an L2 each goes to DRAM on its own.
    CHECK(replayed(r, caches(64 * KiB, 0)).dram_writes == 16);
}

TEST_CASE("atomics go to L2") {
    requests r;
    issue(r, 0, 0, load, 0);
    for (int i = 0; i < 3; ++i) issue(r, 0, 0, atomic, 0, 0);
    const cache_replay e = replayed(r, caches(64 * KiB, 64 * KiB));
    CHECK(e.atomic_insts == 3);
    CHECK(e.atomic_sectors == 3);
    CHECK(e.l1_load_hits == 0);
    CHECK(e.l2_loads == 4 + 3);
    CHECK(e.l2_load_hits == 3);
    CHECK(e.l2_insts == 3);
    CHECK(e.dram_writes == 1);
    CHECK(replayed(r, caches(64 * KiB, 0)).dram_writes == 3);
}

TEST_CASE("resident warps take turns: two that share a cache of half their data lose it") {
    requests r;
    for (std::uint32_t block = 0; block < 2; ++block) {
        for (int round = 0; round < 2; ++round) {
            for (std::uint64_t line = 0; line < 8; ++line) {
                issue(r, block, 0, load, (block << 20) + line * 128);
            }
        }
    }
    CHECK(replayed(r, caches(8 * 128, 0, 1)).l1_hit_fraction() == 0.5);     // one after the other
    CHECK(replayed(r, caches(8 * 128, 0, 2)).l1_hit_fraction() == 0);       // in turns
    CHECK(replayed(r, caches(8 * 128, 0, 1, 2)).l1_hit_fraction() == 0.5);  // on an SM each
    CHECK(replayed(r, caches(16 * 128, 0, 2)).l1_hit_fraction() == 0.5);
}

TEST_CASE("tiles of a product: blocks side by side read what the closed form says") {
    // Outputs of 4 x 8 tiles of 32 x 32; 16 terms of K at a time. A: rows of 64 floats; B: rows of 256 floats.
    constexpr std::uint64_t depth = 64, across = 8, down = 4, b = 1 << 24;
    requests r;
    for (std::uint32_t block = 0; block < across * down; ++block) {
        const std::uint64_t x = block % across, y = block / across;
        for (std::uint64_t row = 0; row < 32; ++row) {
            issue(r, block, 0, load, ((y * 32 + row) * depth) * 4);
            issue(r, block, 0, load, ((y * 32 + row) * depth + 32) * 4);
        }
        for (std::uint64_t k = 0; k < depth; ++k) {
            issue(r, block, 0, load, b + (k * across * 32 + x * 32) * 4);
        }
    }
    for (const std::uint32_t side_by_side : {8U, 16U, 32U}) {
        const requests first(r.begin(), r.begin() + side_by_side * (64 + depth));
        const cache_replay e = replayed(first, caches(0, 1 << 20, 1, side_by_side));
        CHECK(32.0 * static_cast<double>(e.dram_reads) ==
              shared_tile_bytes<double>(side_by_side, across, 32 * depth * 4, 32 * depth * 4));
        CHECK(e.dram_reads == e.footprint);
        CHECK(e.blocks_per_sector() > 1.5);
    }
}

TEST_CASE("caches of lines without sectors, and of other lengths") {
    requests r;
    for (std::uint64_t i = 0; i < 16; ++i) issue(r, 0, 0, load, i * 32, 4, 8);  // a sector each
    replay_options o = caches(16 * KiB, 64 * KiB);
    o.l1 = {.bytes = 16 * KiB, .line_bytes = 64, .fill_bytes = 64};
    o.l2.fill_bytes = 128;
    const auto e = replay_caches(r, o);
    REQUIRE(e);
    CHECK(e->load_sectors == 16);
    CHECK(e->l1_load_hits == 8);
    CHECK(e->l2_loads == 16);
    CHECK(e->l2_load_hits == 8);
    CHECK(e->dram_reads == 16);
}

TEST_CASE("random accesses: hits and misses add up, more bytes never hit less in L1") {
    std::mt19937 random(11);
    for (int round = 0; round < 40; ++round) {
        requests r;
        for (std::uint32_t block = 0; block < 6; ++block) {
            for (std::uint16_t warp = 0; warp < 3; ++warp) {
                for (std::uint32_t i = 0; i < random() % 20; ++i) {
                    const auto kind =
                        static_cast<request_kind>(random() % 6 > 2 ? 0 : random() % 3);
                    issue(r, block, warp, kind, random() % 20000, random() % 3 * 4 + random() % 40,
                          1 + random() % 32);
                }
            }
        }
        std::uint64_t hits = 0, l2_hits = 0;
        for (const std::uint64_t kib : {0U, 1U, 2U, 4U, 8U, 16U, 64U}) {
            const cache_replay e = replayed(r, caches(kib * KiB, 8 * KiB, 2, 2));
            CHECK(e.l1_load_hits >= hits);
            hits = e.l1_load_hits;
            const cache_replay l2 = replayed(r, caches(2 * KiB, kib * KiB, 2, 2));
            CHECK(l2.l2_load_hits + l2.l2_store_hits >= l2_hits);
            l2_hits = l2.l2_load_hits + l2.l2_store_hits;
        }
    }
}

TEST_CASE(
    "the sectors of each source: a table that stays in L1, data that are read once, results") {
    requests r;
    std::vector<std::uint32_t> sources;
    const auto access = [&](std::uint32_t source, std::uint32_t block, request_kind kind,
                            std::uint64_t first) {
        issue(r, block, 0, kind, first);
        sources.resize(r.size(), source);
    };
    for (std::uint32_t block = 0; block < 10; ++block) {
        access(1, block, load, 0);
        access(2, block, load, (1 << 20) + block * 128);
        access(2, block, load, (1 << 20) + block * 128);
        access(4, block, store, (2 << 20) + block * 128);
    }
    const auto e = replay_sources(r, sources, caches(16 * KiB, 64 * KiB));
    REQUIRE(e);
    REQUIRE(e->of_sources.size() == 5);
    CHECK(e->of_sources[0].requested == 0);
    CHECK(e->of_sources[1].requested == 40);
    CHECK(e->of_sources[1].beyond_l1 == 4);  // of the first block
    CHECK(e->of_sources[1].from_dram == 4);
    CHECK(level_of(e->of_sources[1]) == access_level{0.1, 0.1});
    CHECK(level_of(e->of_sources[2]) == access_level{0.5, 0.5});
    CHECK(level_of(e->of_sources[3]) == access_level{0, 0});
    CHECK(level_of(e->of_sources[4]) == access_level{1, 1});
    CHECK(e->all.dram_writes == 40);
    // Without L1, L2 serves what is read again.
    const auto l2 = replay_sources(r, sources, caches(0, 64 * KiB));
    CHECK(level_of(l2->of_sources[1]) == access_level{1, 0.1});
    CHECK(level_of(l2->of_sources[2]) == access_level{1, 0.5});
    // What comes along and what is read and written count once at most.
    CHECK(level_of({.requested = 2, .beyond_l1 = 8, .from_dram = 4}) == access_level{1, 1});
    CHECK(level_of({.requested = 4, .beyond_l1 = 2, .from_dram = 3}) == access_level{0.5, 0.5});
}

TEST_CASE("the sources of random accesses: together they have the counts of the replay") {
    std::mt19937 random(17);
    for (int round = 0; round < 40; ++round) {
        requests r;
        std::vector<std::uint32_t> sources;
        for (std::uint32_t block = 0; block < 6; ++block) {
            for (std::uint16_t warp = 0; warp < 3; ++warp) {
                for (std::uint32_t i = 0; i < random() % 20; ++i) {
                    issue(r, block, warp, static_cast<request_kind>(random() % 3), random() % 20000,
                          random() % 3 * 4 + random() % 40, 1 + random() % 32);
                    sources.resize(r.size(), static_cast<std::uint32_t>(random() % 7));
                }
            }
        }
        replay_options o = caches(random() % 3 * KiB, random() % 3 * 4 * KiB, 2, 2);
        if (random() % 3 == 0) o.l1.fill_bytes = 128;
        if (random() % 3 == 0) o.l2.stores = store_rule::through;
        const auto e = replay_sources(r, sources, o);
        const auto alone = replay_caches(r, o);
        REQUIRE(e);
        REQUIRE(alone);
        source_sectors sum;
        for (const source_sectors& s : e->of_sources) {
            sum.requested += s.requested;
            sum.beyond_l1 += s.beyond_l1;
            sum.from_dram += s.from_dram;
        }
        CHECK(sum.requested == alone->load_sectors + alone->full_store_sectors +
                                   alone->partial_store_sectors + alone->atomic_sectors);
        CHECK(sum.beyond_l1 == alone->l2_loads + alone->l2_stores);
        CHECK(sum.from_dram == alone->dram_reads + alone->dram_writes);
        CHECK(e->all.dram_reads == alone->dram_reads);
        CHECK(e->all.l1_load_hits == alone->l1_load_hits);
    }
}

TEST_CASE("sources that cannot be counted") {
    requests r;
    issue(r, 0, 0, load, 0);
    const auto error_of = [&](std::vector<std::uint32_t> sources, const replay_options& o) {
        const auto e = replay_sources(r, sources, o);
        REQUIRE_FALSE(e);
        return e.error();
    };
    CHECK(error_of({}, caches(KiB, KiB)) == model_error{errc::malformed, "sources"});
    CHECK(error_of({0, 0}, caches(KiB, KiB)) == model_error{errc::malformed, "sources"});
    CHECK(error_of({(1U << 24) + 1}, caches(KiB, KiB)) ==
          model_error{errc::limit_reached, "sources"});
    CHECK(error_of({0}, caches(KiB, KiB, 0)) ==
          model_error{errc::outside_domain, "resident_blocks"});
    r[0].bytes = 0;
    CHECK(error_of({0}, caches(KiB, KiB)) == model_error{errc::outside_domain, "requests", 1});
}

TEST_CASE("what a replay takes for granted") {
    requests r;
    issue(r, 0, 0, load, 0);
    const cache_replay one = replayed(r, caches(KiB, KiB));
    CHECK(one.assumed.contains(assumption::lru_caches));
    CHECK_FALSE(one.assumed.contains(assumption::warps_in_turn));
    CHECK(one.assumed.contains(assumption::part_of_l2));
    CHECK(one.assumed.contains(assumption::sampled_blocks));
    replay_options all = caches(KiB, KiB);
    all.part_of_gpu = all.part_of_grid = false;
    issue(r, 0, 1, load, 0);
    const cache_replay whole = replayed(r, all);
    CHECK(whole.assumed.contains(assumption::warps_in_turn));
    CHECK_FALSE(whole.assumed.contains(assumption::part_of_l2));
    CHECK_FALSE(whole.assumed.contains(assumption::sampled_blocks));
    CHECK(replayed({}, caches(KiB, KiB)).l1_hit_fraction() == 0);
    CHECK_FALSE(whole.assumed.contains(assumption::unknown_addresses));
    issue(r, 1, 0, load, first_unknown_address);
    CHECK(replayed(r, all).assumed.contains(assumption::unknown_addresses));
}

TEST_CASE("blocks and warps that access nothing count where they are told of") {
    requests r;
    issue(r, 3, 1, load, 0);
    CHECK(replayed(r, caches(KiB, KiB)).blocks == 1);
    replay_options o = caches(KiB, KiB);
    o.blocks = 4;
    o.warps_per_block = 8;
    CHECK(replayed(r, o).blocks == 4);
    CHECK(replayed(r, o).warps == 32);
}

TEST_CASE("what cannot be replayed") {
    requests good;
    issue(good, 0, 0, load, 0, 256);
    issue(good, 1, 2, load, 0);
    const auto error_of = [&](auto change) {
        requests r = good;
        replay_options o = caches(KiB, KiB);
        change(r, o);
        const auto e = replay_caches(r, o);
        REQUIRE_FALSE(e);
        return e.error();
    };
    const auto entry = [](std::uint32_t n) {
        return model_error{errc::outside_domain, "requests", n};
    };
    CHECK(error_of([](auto& r, auto&) { r[3].bytes = 0; }) == entry(4));
    CHECK(error_of([](auto& r, auto&) { r[3].bytes = 5000; }) == entry(4));
    CHECK(error_of([](auto& r, auto&) { r[32].block = 0, r[31].warp = 3; }) == entry(32));
    CHECK(error_of([](auto& r, auto&) { r[0].block = 2; }) == entry(2));
    CHECK(error_of([](auto& r, auto&) { r[0].continued = true; }) == entry(1));
    CHECK(error_of([](auto& r, auto&) { r[5].kind = store; }) == entry(6));
    CHECK(error_of([](auto&, auto& o) { o.sms = 0; }) == model_error{errc::outside_domain, "sms"});
    CHECK(error_of([](auto&, auto& o) { o.resident_blocks = 0; }) ==
          model_error{errc::outside_domain, "resident_blocks"});
    CHECK(error_of([](auto&, auto& o) { o.l2.line_bytes = 100; }) ==
          model_error{errc::outside_domain, "line_bytes"});
    const model_error full{errc::limit_reached, "max_memory_bytes"};
    CHECK(error_of([](auto&, auto& o) { o.l1.bytes = ~0ULL; }) == full);
    CHECK(error_of([](auto&, auto& o) { o.l2.bytes = 1ULL << 40; }) == full);
    CHECK(error_of([](auto&, auto& o) { o.sms = ~0U; }) == full);
    CHECK(error_of([](auto&, auto& o) { o.max_memory_bytes = 1000; }) == full);
    CHECK(error_of([](auto& r, auto& o) {
              for (std::uint64_t i = 0; i < 40'000; ++i) issue(r, 1, 2, load, i * 128);
              o.max_memory_bytes = 100'000;
          }) == full);
    // An address at the end of the space is an address.
    requests last;
    issue(last, 0, 0, load, ~0ULL - 127);
    last[0].bytes = 128;
    CHECK(replay_caches(last, caches(KiB, KiB)));
}

TEST_CASE("requests in order, and within the memory that is given") {
    requests back;
    issue(back, 1, 0, load, 0);
    issue(back, 0, 0, load, 0);
    CHECK(replay_caches(back, caches(64 * KiB, 1024 * KiB)).error().field == "requests");
    requests warps;
    issue(warps, 0, 1, load, 0);
    issue(warps, 0, 0, load, 0);
    CHECK(replay_caches(warps, caches(64 * KiB, 1024 * KiB)).error().field == "requests");
    const model_error full{errc::limit_reached, "max_memory_bytes"};
    requests one;
    issue(one, 0, 0, load, 0);
    replay_options o = caches(0, 0);
    o.max_memory_bytes = ~std::uint64_t{0};
    CHECK(replay_caches(one, o));
    o.l1.bytes = o.l2.bytes = std::uint64_t{1} << 50;
    CHECK(replay_caches(one, o).error() == full);
    o = caches(64 * KiB, 1024 * KiB);
    o.max_memory_bytes = 80 * KiB;  // less than L2 takes
    o.l2.bytes = 64 * 1024 * KiB;
    CHECK(replay_caches(one, o).error() == full);
    requests many;
    for (std::uint32_t block = 0; block < 2000; ++block) issue(many, block, 0, load, 0);
    o = caches(0, 0);
    o.max_memory_bytes = 20'000;
    CHECK(replay_caches(many, o).error() == full);
}

TEST_CASE("stores that go through L2 are DRAM's, whether they hit or not") {
    replay_options through = caches(0, 64 * KiB);
    through.l2.stores = store_rule::through;
    requests r;
    issue(r, 0, 0, load, 0);
    issue(r, 0, 0, store, 0);
    const cache_replay e = replayed(r, through);
    CHECK(e.dram_writes == 4);
    CHECK(replayed(r, caches(0, 64 * KiB)).dram_writes == 4);  // written back at the end
}

TEST_CASE("a replay that memory has no room for is refused") {
    replay_options small = caches(0, 64 * KiB);
    small.l2.bytes = std::uint64_t{1} << 34;
    small.max_memory_bytes = 1 << 20;
    requests r;
    issue(r, 0, 0, load, 0);
    CHECK(replay_caches(r, small).error() == model_error{errc::limit_reached, "max_memory_bytes"});
}

}  // namespace cache_replay_test
