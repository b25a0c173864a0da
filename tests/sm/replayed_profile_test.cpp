// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/profiles/stream.hpp>
#include <warpgauge/sm/replayed_profile.hpp>

#include "sm/requests.hpp"

namespace replayed_profile_test {

using namespace warpgauge;
using enum request_kind;

TEST_CASE("L1 is what shared memory leaves of the SM's memory") {
    // A100: 192 KiB; two blocks of 32 KiB and 1 KiB that the system takes.
    const devices::a100_sxm4_40gb a100;
    const kernel_profile<> k{.threads_per_block = 1024, .shared_bytes_per_block = 32768};
    CHECK(*l1_beside(k, a100) == 196608 - 2 * 33 * 1024);
    CHECK(*l1_beside({.threads_per_block = 1024}, a100) == 196608 - 2 * 1024);
    const kernel_profile<> all{.threads_per_block = 32, .shared_bytes_per_block = 163 * 1024};
    CHECK(*l1_beside(all, a100) == (192 - 164) * 1024);
    const kernel_profile<> given{.threads_per_block = 64, .active_blocks_per_sm = 1};
    CHECK(*l1_beside(given, a100) == 196608 - 1024);
    const kernel_profile<> too_large{.threads_per_block = 4096};
    CHECK(l1_beside(too_large, a100).error() ==
          model_error{errc::exceeds_device, "threads_per_block"});
}

TEST_CASE("the caches of a device") {
    const devices::a100_sxm4_40gb a100;  // 108 SMs, 40 MiB of L2
    const kernel_profile<> k{.blocks = 1e6, .threads_per_block = 256};
    const auto o = replay_on(k, a100, 4);
    REQUIRE(o);
    CHECK(o->sms == 4);
    CHECK(o->resident_blocks == 8);
    CHECK(o->l1.bytes == (192 - 8) * 1024);
    CHECK(o->l2.bytes == 41943040ULL * 4 / 108);
    CHECK(o->l2.stores == store_rule::back);
    CHECK(o->part_of_gpu);
    CHECK(o->part_of_grid);
    const kernel_profile<> small{.blocks = 800, .threads_per_block = 256};
    CHECK_FALSE(replay_on(small, a100, 108)->part_of_gpu);
    CHECK_FALSE(replay_on(small, a100, 108)->part_of_grid);
    CHECK(replay_on(k, a100, 0).error() == model_error{errc::not_positive, "sms"});
    CHECK(replay_on(k, a100, 109).error() == model_error{errc::exceeds_device, "sms"});
    auto many = k;
    many.active_blocks_per_sm = 1e6;
    CHECK(replay_on(many, a100));
    many.active_blocks_per_sm = 2e6;
    CHECK(replay_on(many, a100).error() ==
          model_error{errc::outside_domain, "active_blocks_per_sm"});
    // No size of L1 is known of a P100, nor of L2 for an MI300X.
    CHECK(replay_on(k, devices::tesla_p100_pcie_16gb{})->l1.bytes == 0);
    CHECK(replay_on(k, devices::instinct_mi300x{})->l2.bytes == 0);
}

TEST_CASE("atomics load too") {
    cache_replay r;
    r.blocks = 1;
    r.warps = 2;
    r.load_sectors = 8;
    r.load_insts = 2;
    r.atomic_sectors = 4;
    r.atomic_insts = 4;
    r.l2_insts = 3;
    r.dram_insts = 3;
    const auto replayed = with_replay({.blocks = 10}, r, 2);
    REQUIRE(replayed);
    CHECK(replayed->profile.accesses.load_sectors == 6);
    CHECK(replayed->profile.waits.l2_waits == 1);  // half of the six
    CHECK(replayed->profile.waits.dram_waits == 1);
    CHECK(with_replay({.blocks = 10}, r)->profile.waits.l2_waits == 1.5);
}

TEST_CASE("a stream by replay is the stream by hand") {
    const kernel_profile<> by_hand = profiles::stream(
        {.elements = 1 << 24, .element_bytes = 4, .threads_per_block = 256, .loads = 2});
    std::vector<memory_request> r;
    for (std::uint32_t block = 0; block < 64; ++block) {
        for (std::uint16_t warp = 0; warp < 8; ++warp) {
            const std::uint64_t at = (block * 8ULL + warp) * 128;
            issue(r, block, warp, load, at);
            issue(r, block, warp, load, 1ULL << 32 | at);
            issue(r, block, warp, store, 2ULL << 32 | at);
        }
    }
    const devices::a100_pcie_40gb gpu;
    const auto options = replay_on(by_hand, gpu, 8);
    REQUIRE(options);
    const auto counted = replay_caches(r, *options);
    REQUIRE(counted);
    // The two loads do not wait for each other.
    const auto replayed = with_replay(by_hand, *counted, 1);
    REQUIRE(replayed);
    const kernel_profile<>& k = replayed->profile;
    CHECK(k.accesses.lines == by_hand.accesses.lines);
    CHECK(k.accesses.load_sectors == 8);
    CHECK(k.accesses.full_store_sectors == 4);
    CHECK(k.waits.dram_waits == 1);
    CHECK(k.waits.l1_waits == 0);
    CHECK(k.waits.store_waits == by_hand.waits.store_waits);
    CHECK(k.traffic.l2_bytes_per_warp == by_hand.traffic.l2_bytes_per_warp);
    CHECK(k.traffic.dram_read_bytes == by_hand.traffic.dram_read_bytes);
    CHECK(k.traffic.dram_write_bytes == by_hand.traffic.dram_write_bytes);
    CHECK(k.traffic.footprint_bytes == 0);  // of a part of the grid it is not known
    CHECK(replayed->assumed.contains(assumption::sampled_blocks));
    CHECK_FALSE(replayed->assumed.contains(assumption::waits_for_each_load));
    const auto by_replay = saturation_model{gpu}.predict(k);
    const auto expected = saturation_model{gpu}.predict(by_hand);
    REQUIRE(by_replay);
    REQUIRE(expected);
    CHECK(by_replay->seconds == doctest::Approx(expected->seconds).epsilon(0.01));
}

TEST_CASE("waits go to the levels that the loads go to") {
    std::vector<memory_request> r;
    for (int i = 0; i < 4; ++i) issue(r, 0, 0, load, 0);  // one from DRAM, three from L1
    const auto counted =
        replay_caches(r, {.l1 = {.bytes = 1024}, .part_of_gpu = false, .part_of_grid = false});
    REQUIRE(counted);
    kernel_profile<> k{.blocks = 1, .threads_per_block = 32};
    const auto each = with_replay(k, *counted);
    REQUIRE(each);
    CHECK(each->profile.waits.counted);
    CHECK(each->profile.waits.dram_waits == 1);
    CHECK(each->profile.waits.l1_waits == 3);
    CHECK(each->assumed.contains(assumption::waits_for_each_load));
    CHECK(each->profile.traffic.footprint_bytes == 128);
    k.waits.steps = 2;
    k.waits.longest_steps = 3;
    const auto steps = with_replay(k, *counted);
    CHECK(steps->profile.waits.dram_waits == 0.5);
    CHECK(steps->profile.waits.l1_waits == 1.5);
    CHECK(steps->profile.waits.steps == 0);
    CHECK(steps->profile.waits.longest_steps == 0);
    CHECK(with_replay(k, *counted, 8)->profile.waits.l1_waits == 6);
    k.waits.l1_waits = 5;  // of shared memory
    CHECK(with_replay(k, *counted, 8)->profile.waits.l1_waits == 11);
    k.waits.l1_waits = 0;

    CHECK(with_replay(k, {}).error() == model_error{errc::missing, "requests"});
    CHECK(with_replay({}, *counted).error() == model_error{errc::not_positive, "blocks"});
    CHECK(with_replay(k, *counted, std::numeric_limits<double>::quiet_NaN()).error() ==
          model_error{errc::negative, "load_waits"});
}

TEST_CASE("so much of a wait is for L1 as L1 serves of the loads") {
    // By hand: a line, another, and the first again, which hits: 4 of 12 sectors.
    cache_replay r;
    r.warps = 1;
    r.load_sectors = 12;
    r.l1_load_hits = 4;
    kernel_profile<> k;
    k.waits.dram_waits = 1;
    k.waits.l1_waits = 2;
    k.waits.steps = 9;
    k.waits.longest_steps = 18;
    k.traffic.l2_bytes_per_warp = 384;
    const auto hits = with_l1_hits(k, r);
    REQUIRE(hits);
    CHECK(hits->waits.l1_waits == doctest::Approx(2 + 3));
    CHECK(hits->waits.steps == doctest::Approx(6));
    CHECK(hits->waits.longest_steps == doctest::Approx(12));
    CHECK(hits->waits.dram_waits == 1);
    CHECK(hits->waits.counted);
    CHECK(hits->traffic.l2_bytes_per_warp == 384);

    r.l1_load_hits = 0;
    const auto none = with_l1_hits(k, r);
    REQUIRE(none);
    CHECK(none->waits.steps == 9);
    CHECK(none->waits.l1_waits == 2);
    r.l1_load_hits = 12;
    const auto all = with_l1_hits(k, r);
    REQUIRE(all);
    CHECK(all->waits.steps == 0);
    CHECK(all->waits.l1_waits == 11);
    CHECK(with_l1_hits(k, {}).error() == model_error{errc::missing, "requests"});
}

TEST_CASE("a kernel that only stores waits for nothing") {
    std::vector<memory_request> r;
    issue(r, 0, 0, store, 0);
    const auto counted = replay_caches(r, {});
    REQUIRE(counted);
    const auto p = with_replay({.blocks = 10, .threads_per_block = 32}, *counted);
    REQUIRE(p);
    CHECK(p->profile.waits.counted);
    CHECK(p->profile.waits.dram_waits == 0);
    CHECK(p->profile.traffic.dram_write_bytes == 10 * 128);
    CHECK_FALSE(p->assumed.contains(assumption::waits_for_each_load));
}

TEST_CASE("a launch that does not fit has no caches") {
    const devices::a100_sxm4_40gb a100;
    CHECK(replay_on({.blocks = 8, .threads_per_block = 4096}, a100).error() ==
          model_error{errc::exceeds_device, "threads_per_block"});
    CHECK(replay_on({.blocks = 8, .threads_per_block = 64, .active_blocks_per_sm = 0.5}, a100)
              .error()
              .field == "active_blocks_per_sm");
    const kernel_profile<> given{.blocks = 8,
                                 .threads_per_block = 64,
                                 .shared_bytes_per_block = -1,
                                 .active_blocks_per_sm = 1};
    CHECK(replay_on(given, a100).error().field == "shared_bytes_per_block");
}

}  // namespace replayed_profile_test
