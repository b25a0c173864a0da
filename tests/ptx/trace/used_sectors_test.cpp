// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/used_sectors.hpp>
#include <warpgauge/sm/touched_sectors.hpp>

namespace used_sectors_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

// What 32 lanes touch that load 4 B each, so many B apart.
touched_sectors strided(std::uint64_t first, std::uint64_t apart) {
    warp_access a;
    for (std::size_t l = 0; l < warp_lanes; ++l) a.addresses[l] = first + apart * l;
    return sectors_of(a);
}

constexpr std::uint64_t base = 1 << 20;

std::uint64_t all_new(used_sectors<>& used, const touched_sectors& touched,
                      const sector_rounds& rounds = {}) {
    return used.add(touched, loads_sector, rounds).all;
}

}  // namespace

TEST_CASE("a sector counts once") {
    used_sectors<> used;
    CHECK(all_new(used, strided(base, 128)) == 32);
    CHECK(all_new(used, strided(base + 4, 128)) == 0);
    CHECK(all_new(used, strided(base + 32, 128)) == 32);
    CHECK(all_new(used, strided(base, 64)) == 16);  // half of it was there
    CHECK(all_new(used, strided(base, 128), {.times = 9}) == 0);
    CHECK(all_new(used, strided(2 * base, 128), {.times = 9}) == 32);  // each round the same
    used.clear();
    CHECK(all_new(used, strided(base, 128)) == 32);
    used.clear();
    used.clear();
    CHECK(all_new(used, strided(base, 128)) == 32);
}

TEST_CASE("loads and stores count apart and together") {
    used_sectors<> used;
    const auto first = used.add(strided(base, 128), stores_sector, {});
    CHECK(first.all == 32);
    CHECK(first.loaded == 0);
    CHECK(first.stored == 32);
    const auto load = used.add(strided(base, 64), loads_sector, {});
    CHECK(load.all == 16);
    CHECK(load.loaded == 32);
    CHECK(load.stored == 0);
    const auto both = used.add(strided(base, 64), uses_sector, {});
    CHECK(both.all == 0);
    CHECK(both.loaded == 0);
    CHECK(both.stored == 16);
    used.clear();
    const sector_rounds ten{.times = 10, .by = 1024};
    CHECK(used.add(strided(base, 128), loads_sector, ten).stored == 0);
    const auto store = used.add(strided(base, 128), stores_sector, ten);
    CHECK(store.all == 0);
    CHECK(store.stored == 320);
}

TEST_CASE("rounds that move alike have the sectors between in common") {
    used_sectors<> used;
    const sector_rounds r{.times = 1000, .by = 4};
    CHECK(all_new(used, strided(base, 1 << 20), r) == 32'000);
    CHECK(all_new(used, strided(base + 8, 1 << 20), r) == 0);
    CHECK(all_new(used, strided(base + 128, 1 << 20), r) == 32);        // a round further
    CHECK(all_new(used, strided(base - 128, 1 << 20), r) == 32);        // and back
    CHECK(all_new(used, strided(base + 128, 1 << 20), {999, 4}) == 0);  // part of it
    CHECK(all_new(used, strided(base, 1 << 20)) == 0);                  // the first round
    CHECK(all_new(used, strided(base + 1000 * 128, 1 << 20)) == 0);     // the last one
    CHECK(all_new(used, strided(base + 1001 * 128, 1 << 20)) == 32);    // one more
    CHECK(all_new(used, strided(base + 32, 1 << 20), r) == 32'000);     // others between
    CHECK(all_new(used, strided(base, 1 << 20), {1000, 8}) >= 16'000);  // half of them
    // Lanes a round apart.
    used.clear();
    CHECK(all_new(used, strided(base, 128), r) == 32 + 999);
    used.clear();
    CHECK(all_new(used, strided(base, 128), {1000, std::uint64_t{0} - 4}) == 32 + 999);
}

TEST_CASE("what takes too much room is forgotten, and counts again") {
    used_sectors<> used;
    std::uint64_t all = 0;
    for (std::uint64_t n = 0; n < 400; ++n) all += all_new(used, strided(base + n * 131072, 4096));
    CHECK(all == 400 * 32);
    CHECK(all_new(used, strided(base, 4096)) == 32);
    for (std::uint64_t by = 1; by < 5000; ++by) {
        CHECK(all_new(used, strided(base, 4096), {.times = 3, .by = by * 1000}) >= 32);
    }
}

// Random accesses against each sector of each round: never too few, and as many where they move alike.
TEST_CASE("never fewer than there are") {
    std::mt19937 random(7);
    const auto below = [&](std::uint32_t n) { return random() % n; };
    for (int n = 0; n < 2000; ++n) {
        used_sectors<> used;
        std::set<std::uint64_t> all[3];
        std::uint64_t counted[3]{};
        const std::uint64_t apart = 4 * (1 + below(64));
        for (std::uint32_t k = 0; k < 12; ++k) {
            const sector_rounds r{.times = 1 + below(6), .by = below(4) - std::uint64_t{1}};
            const auto uses = static_cast<sector_use>(1 + below(3));
            const touched_sectors touched = strided(base + 4 * below(64), apart);
            const auto more = used.add(touched, uses, r);
            for (std::uint64_t t = 0; t < r.times; ++t) {
                touched.each([&](std::uint64_t s) {
                    all[0].insert(s + t * r.by);
                    if ((uses & loads_sector) != 0) all[1].insert(s + t * r.by);
                    if ((uses & stores_sector) != 0) all[2].insert(s + t * r.by);
                });
            }
            counted[0] += more.all;
            counted[1] += more.loaded;
            counted[2] += more.stored;
            for (int u = 0; u < 3; ++u) CHECK(counted[u] >= all[u].size());
        }
    }
}

}  // namespace used_sectors_test
