// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <vector>

#include <warpgauge/sm/memory_request.hpp>

namespace memory_request_test {

using namespace warpgauge;

namespace {

std::vector<memory_request> requests_of(const warp_access& a,
                                        const memory_request& of = {.kind = request_kind::store}) {
    std::vector<memory_request> all;
    for_each_request(a, of, [&](const memory_request& r) { all.push_back(r); });
    return all;
}

warp_access strided(std::uint64_t first, std::uint64_t stride, std::uint32_t bytes = 4) {
    warp_access a{.bytes = bytes};
    for (std::size_t l = 0; l < warp_lanes; ++l) a.addresses[l] = first + l * stride;
    return a;
}

}  // namespace

TEST_CASE("lanes side by side are one request") {
    const auto r = requests_of(strided(4096, 4), {.block = 3, .warp = 2});
    REQUIRE(r.size() == 1);
    CHECK(r[0].address == 4096);
    CHECK(r[0].bytes == 128);
    CHECK(r[0].block == 3);
    CHECK(r[0].warp == 2);
    CHECK_FALSE(r[0].gaps);
    CHECK_FALSE(r[0].continued);
    // In any order, off a boundary, and of 16 B each.
    warp_access reversed = strided(0, 4);
    for (std::size_t l = 0; l < warp_lanes; ++l) reversed.addresses[l] = 24 + (31 - l) * 4;
    CHECK(requests_of(reversed).size() == 1);
    CHECK(requests_of(reversed)[0].address == 24);
    CHECK(requests_of(reversed)[0].bytes == 128);
    CHECK(requests_of(strided(8, 16, 16))[0].bytes == 512);
}

TEST_CASE("what the request before says of its place is not taken over") {
    for (const bool gaps : {false, true}) {
        const auto r = requests_of(strided(0, 4), {.address = 77, .gaps = gaps, .continued = true});
        REQUIRE(r.size() == 1);
        CHECK(r[0].address == 0);
        CHECK(r[0].bytes == 128);
        CHECK_FALSE((r[0].gaps || r[0].continued));
    }
}

TEST_CASE("unknown addresses are above any of a GPU, with as much room above them") {
    static_assert(first_unknown_address > std::uint64_t{1} << 57);
    static_assert(2 * first_unknown_address == std::uint64_t{1} << 63);
}

TEST_CASE("lanes with gaps between them touch sectors in part") {
    const auto every_other = requests_of(strided(0, 8));
    REQUIRE(every_other.size() == 1);
    CHECK(every_other[0].gaps);
    CHECK(every_other[0].bytes == 8 * 31 + 4);
    const auto apart = requests_of(strided(12, 128));
    REQUIRE(apart.size() == 32);
    CHECK(apart[0].address == 12);
    CHECK(apart[0].bytes == 4);
    CHECK_FALSE(apart[0].continued);
    CHECK(apart[31].continued);
    CHECK_FALSE(apart[31].gaps);
}

TEST_CASE("no active lane, one, and all at one address") {
    warp_access a = strided(0, 4);
    a.active = 0;
    CHECK(requests_of(a).empty());
    a.active = 1U << 5;
    REQUIRE(requests_of(a).size() == 1);
    CHECK(requests_of(a)[0].address == 20);
    CHECK(requests_of(a)[0].bytes == 4);
    REQUIRE(requests_of(strided(64, 0)).size() == 1);
    CHECK(requests_of(strided(64, 0))[0].bytes == 4);
}

TEST_CASE("requests cover the sectors that coalescing counts, each once") {
    std::mt19937 random(5);
    for (int i = 0; i < 3000; ++i) {
        warp_access a{.active = static_cast<std::uint32_t>(random()), .bytes = 1U << random() % 6};
        const std::uint64_t span = 1ULL << random() % 16;
        for (auto& at : a.addresses) at = 1'000'000 + random() % span * (i % 2 == 0 ? 1 : a.bytes);
        std::set<std::uint64_t> sectors;
        std::set<std::uint64_t> bytes_touched;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if ((a.active >> l & 1U) == 0) continue;
            for (std::uint32_t b = 0; b < a.bytes; ++b) bytes_touched.insert(a.addresses[l] + b);
        }
        for (const memory_request& r : requests_of(a)) {
            for (std::uint64_t s = r.address / 32; s * 32 < r.address + r.bytes; ++s) {
                CHECK(sectors.insert(s).second);
                const bool full = r.address <= s * 32 && s * 32 + 32 <= r.address + r.bytes;
                std::uint32_t n = 0;
                for (std::uint64_t b = 0; b < 32; ++b) n += bytes_touched.contains(s * 32 + b);
                CHECK((full && !r.gaps) == (n == 32));
            }
        }
        CHECK(sectors.size() == coalesce(a, coalescing_rule::sectors)->transactions);
    }
}

}  // namespace memory_request_test
