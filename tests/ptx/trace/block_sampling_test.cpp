// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/block_sampling.hpp>

#include "ptx/weighed_blocks.hpp"

namespace block_sampling_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;
using weighed_blocks::sum, weighed_blocks::weighed;

namespace {

constexpr block_index wide{1'000'000, 1, 1};

// What blocks do, as functions of their place.
template <class Path, class Cost>
struct ways {
    Path path_of;
    Cost cost_of;
    std::vector<block_row> known_rows{};
    result<std::uint64_t> path(const block_index& b) { return path_of(b); }
    void expect(const block_index&) {}
    bool is_sure_in(const block_box&) { return true; }
    result<block_place> place(const block_index& b) { return block_place{.cost = cost_of(b)}; }
    result<std::uint64_t> edge(const block_index& b) { return cost_of(b); }
    result<std::uint64_t> whole(const block_index& b) { return 1000 * *path(b) + cost_of(b); }
    const std::vector<block_row>& rows() const { return known_rows; }
};

template <class Path, class Cost>
result<block_sample> sampled(const block_index& grid, Path path, Cost cost) {
    ways<Path, Cost> all{path, cost};
    return representative_blocks(grid, all);
}

std::uint64_t alike(const block_index&) {
    return 2;
}

// One access that moves by so many B along each dimension.
struct evenly_aligned {
    block_index by{};
    result<std::uint64_t> path(const block_index&) { return std::uint64_t{1}; }
    void expect(const block_index&) {}
    bool is_sure_in(const block_box&) { return true; }
    result<block_place> place(const block_index& b) {
        const auto at = static_cast<std::uint8_t>((b[0] * by[0] + b[1] * by[1]) % 128);
        return block_place{.cost = at, .alignments = {at, 0}};
    }
    result<std::uint64_t> edge(const block_index& b) { return place(b)->cost; }
    result<std::uint64_t> whole(const block_index& b) { return std::uint64_t{b[0]}; }
    std::vector<block_row> rows() const { return {}; }
};

}  // namespace

TEST_CASE("one block stands for a grid of blocks that are all alike") {
    int looks = 0;
    const auto path = [&](const block_index&) {
        ++looks;
        return std::uint64_t{1};
    };
    const auto sample = sampled({1000, 1000, 1}, path, alike);
    REQUIRE(sample);
    CHECK(count_of(*sample) == 1);
    CHECK(looks < 60);
    CHECK(weighed(*sample, [](const block_index&) { return 1.0; }) == 1e6);
}

TEST_CASE("runs of blocks are found by bisection, to the block") {
    // The last 12,345 blocks go another way, and the very last one a third.
    const auto path = [](const block_index& b) {
        return std::uint64_t{b[0] >= wide[0] - 12'345} + (b[0] == wide[0] - 1 ? 1 : 0);
    };
    int looks = 0;
    const auto counted = [&](const block_index& b) {
        ++looks;
        return path(b);
    };
    const auto sample = sampled(wide, counted, path);
    REQUIRE(sample);
    CHECK(sample->along[0].size() == 3);
    CHECK(looks < 60);
    CHECK(weighed(*sample, [&](const block_index& b) { return double(path(b)); }) == 12'346);
    const block_index typical = typical_block(*sample, wide);
    CHECK(path(typical) == 0);
}

TEST_CASE("blocks that go another way between ends that agree") {
    // Where something else is done in a range of blocks, those on both sides of it know where theirs ends.
    struct parted
        : ways<std::uint64_t (*)(const block_index&), std::uint64_t (*)(const block_index&)> {
        std::uint32_t from{}, to{};
        int asked = 0;
        std::uint64_t side(const block_index& b) const {
            return b[0] < from ? 1U : b[0] < to ? 2U : 3U;
        }
        result<std::uint64_t> path(const block_index& b) {
            ++asked;
            return std::uint64_t{side(b) == 2 ? 7U : 1U};
        }
        bool is_sure_in(const block_box& box) const { return side(box.first) == side(box.last); }
    };
    for (const std::uint32_t from : {1234U, 3U, 765'432U, 999'990U}) {
        for (const std::uint32_t size : {1U, 5U, 1000U}) {
            CAPTURE(from);
            CAPTURE(size);
            parted all{{alike, alike}, from, from + size};
            const auto sample = representative_blocks(wide, all);
            REQUIRE(sample);
            const auto in_range = [&](const block_index& b) { return all.side(b) == 2 ? 1.0 : 0; };
            CHECK(weighed(*sample, in_range) == std::min(size, 1'000'000 - from));
            CHECK(all.asked < 150);
        }
    }
    // Where nothing is known, few are asked.
    struct unknown : parted {
        bool is_sure_in(const block_box&) const { return false; }
    };
    unknown none{{{alike, alike}, 2'000'000, 2'000'000}};
    CHECK(count_of(*representative_blocks(wide, none)) == 1);
    CHECK(none.asked < 100);
}

TEST_CASE("a box that goes another way inside of a grid is found") {
    struct boxed
        : ways<std::uint64_t (*)(const block_index&), std::uint64_t (*)(const block_index&)> {
        block_box inner{};
        int asked = 0;
        [[nodiscard]] int side(const block_index& b, std::size_t d) const {
            return b[d] < inner.first[d] ? 0 : b[d] <= inner.last[d] ? 1 : 2;
        }
        [[nodiscard]] bool has(const block_index& b) const {
            return side(b, 0) == 1 && side(b, 1) == 1 && side(b, 2) == 1;
        }
        result<std::uint64_t> path(const block_index& b) {
            ++asked;
            return std::uint64_t{has(b) ? 7U : 1U};
        }
        // Outside of the inner box along one dimension, the others do not matter.
        [[nodiscard]] bool is_sure_in(const block_box& box) const {
            bool inside = true;
            for (std::size_t d = 0; d < 3; ++d) {
                const int first = side(box.first, d);
                if (first == side(box.last, d) && first != 1) return true;
                inside = inside && first == 1 && side(box.last, d) == 1;
            }
            return inside;
        }
    };
    for (const block_index& grid : {block_index{1000, 700, 1}, block_index{90, 80, 70}}) {
        for (const std::uint32_t size : {1U, 6U, 17U}) {
            for (const block_index& from : {block_index{3, 5, 0}, block_index{61, 40, 0}}) {
                CAPTURE(grid[0]);
                CAPTURE(size);
                CAPTURE(from[0]);
                boxed all{{alike, alike}};
                all.inner.first = from;
                const bool deep = grid[2] > 1;
                if (deep) all.inner.first[2] = 33;
                all.inner.last = {from[0] + size - 1, from[1] + size - 1, deep ? 33 + size - 1 : 0};
                const auto sample = representative_blocks(grid, all);
                REQUIRE(sample);
                CHECK_FALSE(sample->is_spread);
                const auto in_box = [&](const block_index& b) { return all.has(b) ? 1.0 : 0; };
                CHECK(weighed(*sample, in_box) == std::pow(size, deep ? 3 : 2));
                CHECK(count_of(*sample) <= 27);
                CHECK(all.asked < 500);
            }
        }
    }
    // Where nothing is known of blocks that go one way as far as is seen, they are spread over the grid.
    struct unknown : boxed {
        bool is_sure_in(const block_box&) const { return false; }
    };
    unknown none{{{alike, alike}}};
    none.inner.first = none.inner.last = {2000, 2000, 0};
    const auto sample = representative_blocks({1000, 700, 1}, none);
    REQUIRE(sample);
    CHECK(sample->is_spread);
    CHECK(none.asked < 500);
}

TEST_CASE("as many blocks stand for a run as accesses take to repeat") {
    const auto place = [](const block_index& b) { return std::uint64_t{b[0] % 4 == 0}; };
    const auto sample = sampled(wide, alike, place);
    REQUIRE(sample);
    CHECK(weighed(*sample, [&](const block_index& b) { return double(place(b)); }) == 250'000);
}

TEST_CASE("guards along two dimensions, each at its place") {
    const auto inside = [](const block_index& b) { return b[0] < 7 && b[1] < 30; };
    const auto sample = sampled({64, 40, 1}, inside, alike);
    REQUIRE(sample);
    CHECK(weighed(*sample, [&](const block_index& b) { return inside(b) ? 1.0 : 0.0; }) == 210);
}

TEST_CASE("a triangle is sampled as a lattice") {
    const auto inside = [](const block_index& b) { return b[0] <= b[1]; };
    const auto sample = sampled({64, 64, 1}, inside, alike);
    REQUIRE(sample);
    CHECK(count_of(*sample) == 1024);
    CHECK(weighed(*sample, [&](const block_index& b) { return inside(b) ? 1.0 : 0.0; }) ==
          doctest::Approx(64 * 65 / 2).epsilon(0.03));
}

TEST_CASE("tiles row by row along a grid of one dimension: the ends of rows are seen") {
    for (const std::uint32_t tiles : {3U, 7U, 8U, 11U, 13U, 16U}) {
        for (const std::uint32_t blocks : {400U, 3000U, 100'000U}) {
            CAPTURE(tiles);
            CAPTURE(blocks);
            const auto at_end = [&](const block_index& b) { return b[0] % tiles == tiles - 1; };
            const auto sample = sampled({blocks, 1, 1}, at_end, at_end);
            REQUIRE(sample);
            const double ends = blocks / tiles;
            CHECK(weighed(*sample, [&](const block_index& b) { return double(at_end(b)); }) /
                      ends ==
                  doctest::Approx(1).epsilon(blocks == 400 ? 1e-12 : 0.07));
        }
    }
}

TEST_CASE("blocks along one line that are all alike stay one sample") {
    int looks = 0;
    const auto path = [&](const block_index&) {
        ++looks;
        return std::uint64_t{1};
    };
    const auto sample = sampled(wide, path, alike);
    REQUIRE(sample);
    CHECK(count_of(*sample) == 1);
    CHECK(looks < 16);
}

TEST_CASE("addresses that move evenly: as many blocks as their places in a sector") {
    const auto along = [](const block_index& moved) {
        return evenly_aligned{{moved[0] * 56, moved[1] * 56, 0}};
    };
    auto one = along({1, 0, 0});
    CHECK(representative_blocks(wide, one)->along[0].size() == 16);  // all of them on a line
    CHECK(representative_blocks({1'000'000, 2, 1}, one)->along[0].size() == 4);
    evenly_aligned words{{84, 0, 0}};
    CHECK(representative_blocks({1'000'000, 2, 1}, words)->along[0].size() == 8);
    auto both = along({1, 1, 0});
    const auto sample = representative_blocks({1'000'000, 1000, 1}, both);
    REQUIRE(sample);
    REQUIRE(sample->along[0].size() == 4);
    REQUIRE(sample->along[1].size() == 4);
    std::uint32_t in_sector = 0;  // a bit for each place of 8 B in a sector
    for (const sampled_index& s : sample->along[0]) in_sector |= 1U << s.index * 56 % 32 / 8;
    CHECK(in_sector == 15);
    CHECK(sum(sample->along[0]) == 1e6);
}

TEST_CASE(
    "blocks that are aligned differently have all places in a sector, and each another in a line") {
    const auto places = [](std::uint32_t by, std::uint32_t count, std::uint32_t bytes) {
        evenly_aligned all{{by, 0, 0}};
        const auto sample = representative_blocks({count, 2, 1}, all);
        REQUIRE(sample);
        std::vector<int> found(bytes);
        for (const sampled_index& s : sample->along[0]) {
            CHECK(s.index < count);
            ++found[s.index * by % bytes];
        }
        return found;
    };
    const auto most_of = [](const std::vector<int>& found) {
        int all = 0;
        for (const int n : found) all = std::max(all, n);
        return all;
    };
    for (const std::uint32_t by : {4U, 12U, 44U, 84U, 124U}) {
        CAPTURE(by);
        const std::vector<int> in_sector = places(by, 1'000'000, 32);
        for (std::size_t at = 0; at < in_sector.size(); ++at) CHECK(in_sector[at] == (at % 4 == 0));
        CHECK(most_of(places(by, 1'000'000, 128)) == 1);
    }
    // Of a run that is shorter than the period, none is taken twice.
    for (const std::uint32_t count : {9U, 11U, 12U, 14U, 15U, 17U, 23U, 29U, 32U}) {
        CAPTURE(count);
        CHECK(most_of(places(4, count, 128)) == 1);
    }
}

TEST_CASE("as many blocks stand for each alignment as have it") {
    // Three of four alignments have 3 of 11 blocks, the last one 2.
    evenly_aligned all{{32, 0, 0}};
    const auto sample = representative_blocks({11, 1, 1}, all);
    REQUIRE(sample);
    for (std::uint32_t at = 0; at < 128; at += 32) {
        CAPTURE(at);
        const auto is_there = [&](const block_index& b) { return b[0] * 32 % 128 == at ? 1.0 : 0; };
        CHECK(weighed(*sample, is_there) == (at == 96 ? 2 : 3));
    }
}

TEST_CASE("ends of a run whose accesses cost otherwise are runs of their own") {
    // Along x, three blocks at the begin are clamped and one at the end; along y none.
    const auto clamped = [](const block_index& b) {
        return std::uint64_t{b[0] < 3} + (b[0] == 999 ? 2 : 0);
    };
    const auto sample = sampled({1000, 40, 1}, alike, clamped);
    REQUIRE(sample);
    CHECK_FALSE(sample->is_spread);
    CHECK(count_of(*sample) <= 5);
    CHECK(weighed(*sample, [&](const block_index& b) { return double(clamped(b)); }) == 40 * 5);
    // Where ever other alignments hide it, the ends of the grid stand for themselves.
    evenly_aligned moved{{4, 0, 0}};
    const auto uneven = representative_blocks({20, 1, 1}, moved);
    REQUIRE(uneven);
    CHECK(uneven->along[0].front().weight == 1);
    CHECK(uneven->along[0].back().weight == 1);
    CHECK(uneven->along[0].back().index == 19);
    CHECK(sum(uneven->along[0]) == 20);
}

TEST_CASE("costs that two neighbours share and others do not are seen") {
    // A stride of a table by the block's number, and one that doubles along y.
    const auto table = [](const block_index& b) {
        constexpr std::uint64_t strides[]{1, 2, 5, 10, 10, 10, 10, 10};
        return strides[b[0] & 7];
    };
    const auto doubled = [](const block_index& b) {
        return std::uint64_t{1} << (b[1] < 5 ? b[1] : 5);
    };
    for (const std::uint32_t blocks : {100U, 101U, 200U, 333U, 5000U}) {
        CAPTURE(blocks);
        const auto sample = sampled({blocks, 1, 1}, alike, table);
        REQUIRE(sample);
        const double all = weighed(all_blocks({blocks, 1, 1}),
                                   [&](const block_index& b) { return double(table(b)); });
        CHECK(weighed(*sample, [&](const block_index& b) { return double(table(b)); }) ==
              doctest::Approx(all).epsilon(0.05));
    }
    const auto sample = sampled({18, 16, 1}, alike, doubled);
    REQUIRE(sample);
    CHECK(weighed(*sample, [&](const block_index& b) { return double(doubled(b)); }) ==
          18 * (31 + 11 * 32));
}

TEST_CASE("costs that never repeat are those of blocks spread over the grid") {
    const auto square = [](const block_index& b) { return std::uint64_t{b[0]} * b[0] % 8191; };
    CHECK(sampled({5000, 1, 1}, alike, square)->is_spread);
    CHECK(sampled({500, 9, 1}, alike, square)->is_spread);
    CHECK(count_of(*sampled({30, 1, 1}, alike, square)) == 30);
}

TEST_CASE("corners of every part are tried, however many parts there are") {
    // A triangle in a corner: 38 kinds along each dimension, and blocks that only some corners show.
    const auto inside = [](const block_index& b) {
        return b[0] <= b[1] && b[1] < 38 ? b[1] - b[0] + 1 : 0;
    };
    CHECK(sampled({64, 64, 1}, inside, alike)->is_spread);
}

TEST_CASE("the ends of rows of a known length are looked at, however long they are") {
    // The last block of each row goes another way, or only that of rows in the second half.
    for (const std::uint32_t begin : {0U, 400'000U}) {
        const auto path = [&](const block_index& b) {
            return std::uint64_t{b[0] >= begin && b[0] % 101 == 100};
        };
        ways<decltype(path), decltype(&alike)> all{path, alike};
        CHECK(count_of(*representative_blocks(wide, all)) < 10);
        all.known_rows = {{0, 2'000'000}, {0, 101}};
        CHECK(representative_blocks(wide, all)->is_spread);
    }
}

TEST_CASE("so are those of rows along one of several dimensions") {
    const auto path = [](const block_index& b) { return std::uint64_t{b[1] % 101 == 100}; };
    const block_index grid{7, 1000, 2};
    ways<decltype(path), decltype(&alike)> all{path, alike};
    all.known_rows = {{0, 4}, {2, 101}};
    CHECK_FALSE(representative_blocks(grid, all)->is_spread);
    all.known_rows = {{1, 101}};
    CHECK(representative_blocks(grid, all)->is_spread);
}

TEST_CASE("rows that end within blocks are looked at, in what blocks do and in what it costs") {
    // A block with the begin of a row, which is none of the first, middle or last warp's.
    for (const double length : {0.39, 15.6, 390.6}) {
        CAPTURE(length);
        const auto row = [&](const block_index& b) {
            const auto begin_in = [&](double at) { return std::uint64_t(at / length); };
            return std::uint64_t{begin_in(b[0] + 0.999) != begin_in(b[0])};
        };
        ways<decltype(&alike), decltype(row)> all{alike, row};
        all.known_rows = {{0, length}};
        CHECK(representative_blocks(wide, all)->is_spread == (length > 1));
        const auto other = [](const block_index& b) { return std::uint64_t{b[0] % 2}; };
        ways<decltype(other), decltype(&alike)> turned{other, alike};
        turned.known_rows = {{0, length}};
        CHECK(representative_blocks(wide, turned)->is_spread);
    }
    // As long as the grid: there are none.
    ways<decltype(&alike), decltype(&alike)> all{alike, alike};
    all.known_rows = {{0, 1e6 + 0.5}, {1, 0.5}};
    CHECK_FALSE(representative_blocks(wide, all)->is_spread);
}

TEST_CASE("an error of a block ends the search") {
    const auto path = [](const block_index& b) {
        if (b[0] == 500'000)
            return result<std::uint64_t>(model_error{errc::limit_reached, "max_steps"});
        return result<std::uint64_t>(1U);
    };
    const auto sample = sampled(wide, path, alike);
    CHECK(sample.error() == model_error{errc::limit_reached, "max_steps"});
}

}  // namespace block_sampling_test
