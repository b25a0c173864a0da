// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <list>
#include <random>
#include <vector>

#include <warpgauge/sm/sector_cache.hpp>

namespace sector_cache_test {

using namespace warpgauge;

namespace {

// The same by a list, line by line, slowly.
class slow_cache {
public:
    explicit slow_cache(const cache_shape& s) : shape_(s) {}

    sector_mask load(std::uint64_t line, sector_mask sectors) {
        const auto at = std::find_if(lines_.begin(), lines_.end(),
                                     [&](const auto& l) { return l.first == line; });
        sector_mask held = 0;
        if (at != lines_.end()) {
            held = at->second;
            lines_.erase(at);
        }
        const std::uint64_t sets = shape_.ways == 0 ? 1 : shape_.lines() / shape_.ways;
        const std::uint64_t ways = shape_.ways == 0 ? shape_.lines() : shape_.ways;
        const auto same = [&](const auto& l) { return l.first % sets == line % sets; };
        if (at == lines_.end() || held == 0) {
            while (static_cast<std::uint64_t>(std::count_if(lines_.begin(), lines_.end(), same)) >=
                   ways) {
                lines_.erase(std::prev(std::find_if(lines_.rbegin(), lines_.rend(), same).base()));
            }
        }
        lines_.push_front({line, held | sectors});
        return held & sectors;
    }

private:
    cache_shape shape_;
    std::list<std::pair<std::uint64_t, sector_mask>> lines_;  // newest first
};

std::uint64_t hits(const cache_shape& s, const std::vector<std::uint64_t>& sectors) {
    sector_cache<> c(s);
    std::uint64_t n = 0;
    for (const std::uint64_t sector : sectors) {
        n += c.load(sector / 4, 1U << sector % 4).held != 0;
    }
    return n;
}

}  // namespace

TEST_CASE("a line holds the sectors that were asked for, and no others") {
    sector_cache<> c({.bytes = 256});
    CHECK(c.load(5, 0b0011).held == 0);
    const auto again = c.load(5, 0b0110);
    CHECK(again.held == 0b0010);
    CHECK(again.brought == 0b0100);
    CHECK(c.load(5, 0b1111).held == 0b0111);
}

TEST_CASE("the line that was used longest ago goes") {
    sector_cache<> c({.bytes = 256});  // two lines
    c.load(1, 1);
    c.load(2, 1);
    CHECK(c.load(1, 1).held == 1);
    c.load(3, 1);  // takes the place of 2
    CHECK(c.load(1, 1).held == 1);
    CHECK(c.load(2, 1).held == 0);
    CHECK(c.load(3, 1).held == 0);
}

TEST_CASE("rows that are larger than the cache by a line never hit, read again and again") {
    std::vector<std::uint64_t> sectors;
    for (int round = 0; round < 5; ++round) {
        for (std::uint64_t s = 0; s < 4 * 17; ++s) sectors.push_back(s);
    }
    CHECK(hits({.bytes = 16 * 128}, sectors) == 0);
    CHECK(hits({.bytes = 17 * 128}, sectors) == 4 * 4 * 17);
}

TEST_CASE("what a miss brings in") {
    sector_cache<> c({.bytes = 1024, .fill_bytes = 64});
    CHECK(c.load(0, 0b0010).brought == 0b0011);
    CHECK(c.load(0, 0b0101).held == 0b0001);
    sector_cache<> whole({.bytes = 1024, .fill_bytes = 128});
    CHECK(whole.load(0, 0b0100).brought == 0b1111);
    sector_cache<> long_lines({.bytes = 2048, .line_bytes = 1024, .fill_bytes = 1024});
    CHECK(long_lines.load(0, 1).brought == ~0U);
    sector_cache<> none({.bytes = 127});
    CHECK(none.load(0, 1).brought == 1);
    CHECK(none.load(0, 1).held == 0);
    CHECK(none.store(0, 1, 1).held == 0);
    CHECK(none.write_back() == 0);
}

TEST_CASE("stores, by rule") {
    sector_cache<> through({.bytes = 256});
    CHECK(through.store(0, 1, 1).held == 0);
    CHECK(through.load(0, 1).held == 0);  // no line was brought in
    CHECK(through.store(0, 1, 1).held == 1);
    CHECK(through.write_back() == 0);

    sector_cache<> kept({.bytes = 256, .stores = store_rule::through_kept});
    kept.store(0, 0b11, 0b01);
    CHECK(kept.load(0, 0b11).held == 0b01);  // of the sector written in part, the rest is not known
    CHECK(kept.write_back() == 0);

    sector_cache<> back({.bytes = 256, .stores = store_rule::back});
    CHECK(back.store(0, 0b11, 0b01).brought == 0b10);
    CHECK(back.store(1, 0b1111, 0b1111).brought == 0);
    CHECK(back.load(0, 0b11).held == 0b11);
    const auto pushed_out = back.load(2, 1);  // line 1 is older
    CHECK(pushed_out.written_back == 4);
    CHECK(pushed_out.evicted_line == 1);
    CHECK(pushed_out.evicted_sectors == 0b1111);
    CHECK(back.write_back() == 2);
    CHECK(back.write_back() == 0);
}

TEST_CASE("as a list does it, with one set and with several") {
    std::mt19937 random(3);
    for (const cache_shape s : {cache_shape{.bytes = 128},
                                {.bytes = 8 * 128},
                                {.bytes = 24 * 128, .ways = 4},
                                {.bytes = 16 * 128, .ways = 1}}) {
        sector_cache<> c(s);
        slow_cache slow(s);
        for (int i = 0; i < 20000; ++i) {
            const std::uint64_t line = random() % 40 * (i % 3 == 0 ? 1'000'003 : 1);
            const sector_mask sectors = 1U << random() % 4 | 1U << random() % 4;
            REQUIRE(c.load(line, sectors).held == slow.load(line, sectors));
        }
    }
}

TEST_CASE("more bytes never hit less, where all lines are one set") {
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
        std::vector<cache_answer> before;
        std::vector<std::uint64_t> lines(600);
        std::vector<sector_mask> masks(lines.size());
        std::vector<bool> loads(lines.size());
        for (std::size_t i = 0; i < lines.size(); ++i) {
            lines[i] = random() % (round % 2 == 0 ? 30 : 12);
            masks[i] = static_cast<sector_mask>(1 + random() % 15);
            loads[i] = random() % 4 != 0;
        }
        const auto rule = static_cast<store_rule>(round % 3);
        std::vector<sector_mask> held(lines.size());
        for (std::uint64_t size = 1; size <= 32; ++size) {
            sector_cache<> c({.bytes = size * 128, .stores = rule});
            for (std::size_t i = 0; i < lines.size(); ++i) {
                const sector_mask now = loads[i] ? c.load(lines[i], masks[i]).held
                                                 : c.store(lines[i], masks[i], masks[i] & 5).held;
                CHECK((held[i] & ~now) == 0);  // what a smaller cache held
                held[i] = now;
            }
        }
    }
}

TEST_CASE("shapes that are none") {
    CHECK(check_shape({.line_bytes = 96}) == model_error{errc::outside_domain, "line_bytes"});
    CHECK(check_shape({.line_bytes = 16}) == model_error{errc::outside_domain, "line_bytes"});
    CHECK(check_shape({.line_bytes = 2048}) == model_error{errc::outside_domain, "line_bytes"});
    CHECK(check_shape({.fill_bytes = 256}) == model_error{errc::outside_domain, "fill_bytes"});
    CHECK(check_shape({.fill_bytes = 8}) == model_error{errc::outside_domain, "fill_bytes"});
    CHECK(check_shape({.bytes = 1024, .ways = 3}) == model_error{errc::outside_domain, "ways"});
    CHECK(!check_shape({.bytes = 1024, .ways = 4}));
}

}  // namespace sector_cache_test
