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

// The same by a list, line by line and sector by sector, slowly.
class slow_cache {
public:
    explicit slow_cache(const cache_shape& s) : shape_(s) {}

    cache_answer load(std::uint64_t line, sector_mask sectors) {
        cache_answer a;
        kept& k = newest(line, a);
        a.held = k.held & sectors;
        a.brought = fills(sectors & ~k.held);
        k.held |= a.brought;
        return a;
    }

    cache_answer store(std::uint64_t line, sector_mask sectors, sector_mask whole) {
        cache_answer a;
        if (shape_.stores == store_rule::through && find(line) == lines_.end()) return a;
        kept& k = newest(line, a);
        a.held = k.held & sectors;
        if (shape_.stores == store_rule::through) return a;
        if (shape_.stores == store_rule::back) {
            a.brought = fills(sectors & ~whole & ~k.held);
            a.dirtied = sectors & ~k.dirty;
            k.dirty |= sectors;
        }
        k.held |= a.brought | (sectors & whole);
        return a;
    }

    std::uint64_t dirty() const {
        std::uint64_t n = 0;
        for (const kept& k : lines_) n += static_cast<std::uint64_t>(std::popcount(k.dirty));
        return n;
    }

private:
    struct kept {
        std::uint64_t line;
        sector_mask held, dirty;
    };

    std::list<kept>::iterator find(std::uint64_t line) {
        return std::find_if(lines_.begin(), lines_.end(),
                            [&](const kept& k) { return k.line == line; });
    }

    kept& newest(std::uint64_t line, cache_answer& a) {
        const auto at = find(line);
        if (at != lines_.end()) {
            lines_.splice(lines_.begin(), lines_, at);
            return lines_.front();
        }
        const std::uint64_t ways = shape_.ways == 0 ? shape_.lines() : shape_.ways;
        const std::uint64_t sets = shape_.lines() / ways;
        const auto same = [&](const kept& k) { return k.line % sets == line % sets; };
        if (static_cast<std::uint64_t>(std::count_if(lines_.begin(), lines_.end(), same)) == ways) {
            const auto oldest =
                std::prev(std::find_if(lines_.rbegin(), lines_.rend(), same).base());
            a.written_back = static_cast<std::uint32_t>(std::popcount(oldest->dirty));
            a.evicted_line = oldest->line;
            a.evicted_sectors = oldest->dirty;
            lines_.erase(oldest);
        }
        lines_.push_front({line, 0, 0});
        return lines_.front();
    }

    sector_mask fills(sector_mask missing) const {
        sector_mask all = 0;
        const std::uint32_t sectors = shape_.fill_bytes / 32;
        for (std::uint32_t sector = 0; sector < shape_.line_bytes / 32; ++sector) {
            for (std::uint32_t other = 0; other < shape_.line_bytes / 32; ++other) {
                if (other / sectors == sector / sectors) all |= (missing >> other & 1U) << sector;
            }
        }
        return all;
    }

    cache_shape shape_;
    std::list<kept> lines_;  // newest first
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

TEST_CASE("as a list does it, with one set and with several, for each rule of stores") {
    std::mt19937 random(3);
    for (cache_shape s : {cache_shape{.bytes = 128},
                          {.bytes = 8 * 128},
                          {.bytes = 8 * 128, .fill_bytes = 64},
                          {.bytes = 24 * 128, .ways = 4},
                          {.bytes = 7 * 1024, .line_bytes = 1024, .fill_bytes = 256},
                          {.bytes = 16 * 128, .fill_bytes = 128, .ways = 1}}) {
        for (int rule = 0; rule < 3; ++rule) {
            s.stores = static_cast<store_rule>(rule);
            sector_cache<> c(s);
            slow_cache slow(s);
            const std::uint32_t sectors_of_line = s.line_bytes / 32;
            std::uint64_t dirtied = 0, written = 0;
            for (int i = 0; i < 2000; ++i) {
                const std::uint64_t line = random() % 40 * (i % 3 == 0 ? 1'000'003 : 1);
                sector_mask sectors = 1U << random() % sectors_of_line;
                sectors |= 1U << random() % sectors_of_line;
                const auto whole = static_cast<sector_mask>(random()) & sectors;
                const bool loads = random() % 2 == 0;
                const cache_answer a =
                    loads ? c.load(line, sectors) : c.store(line, sectors, whole);
                const cache_answer b =
                    loads ? slow.load(line, sectors) : slow.store(line, sectors, whole);
                REQUIRE(a.held == b.held);
                REQUIRE(a.brought == b.brought);
                REQUIRE(a.dirtied == b.dirtied);
                dirtied += static_cast<std::uint64_t>(std::popcount(a.dirtied));
                written += a.written_back;
                REQUIRE(a.written_back == b.written_back);
                REQUIRE(a.evicted_sectors == b.evicted_sectors);
                if (a.written_back != 0) REQUIRE(a.evicted_line == b.evicted_line);
            }
            const std::uint64_t left = c.write_back();
            CHECK(left == slow.dirty());
            CHECK(dirtied == written + left);  // each is written once
        }
    }
}

TEST_CASE(
    "the memory that a cache takes: of each line 24 B, at most four slots of 4 B, of each set 12 "
    "B") {
    CHECK(sector_cache<>::memory_bytes({.bytes = 8 * 128}) == 8 * 40 + 12);
    CHECK(sector_cache<>::memory_bytes({.bytes = 8 * 128, .ways = 2}) == 8 * 40 + 4 * 12);
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
    CHECK(!check_shape({.line_bytes = 1024, .fill_bytes = 1024}));
    CHECK(!check_shape({.line_bytes = 32, .fill_bytes = 32}));
}

}  // namespace sector_cache_test
