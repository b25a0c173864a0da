// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/block_sample.hpp>

#include "ptx/weighed_blocks.hpp"

namespace block_sample_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;
using weighed_blocks::sum, weighed_blocks::weighed;

TEST_CASE("samples that look at no block") {
    const block_index grid{9, 4, 1};
    const block_sample middle = middle_block(grid);
    CHECK(middle.along[0][0].index == 4);
    CHECK(middle.along[1][0].index == 2);
    CHECK(middle.along[0][0].weight == 9);
    CHECK(count_of(all_blocks(grid)) == 36);
    CHECK(count_of(block_lattice(grid)) == 36);  // few enough to take all
    const block_sample lattice = block_lattice({1000, 500, 3});
    CHECK(count_of(lattice) <= max_lattice_blocks);
    CHECK(count_of(lattice) > max_lattice_blocks / 4);
    const block_sample deep = block_lattice({3, 500, 1000});
    CHECK(count_of(deep) <= max_lattice_blocks);
    CHECK(sum(deep.along[2]) == 1000);
    CHECK(deep.along[2].size() == lattice.along[0].size());
    CHECK(sum(lattice.along[0]) == 1000);
    CHECK(sum(lattice.along[1]) == 500);
    CHECK(sum(lattice.along[2]) == 3);
}

TEST_CASE("the typical block is one of those that are visited") {
    // Of the largest run, each of four coordinates stands for less than that of a smaller run.
    block_sample sample;
    sample.along[0] = {
        {10, 8, 0, 1, 0}, {20, 5, 8, 4, 0}, {21, 5, 8, 4, 1}, {22, 5, 8, 4, 2}, {23, 5, 8, 4, 3}};
    sample.along[1] = {{5, 3, 0, 1, 0}, {6, 2, 3, 2, 0}, {7, 2, 3, 2, 1}};
    sample.along[2] = {{0, 1}};
    const block_index grid{28, 7, 1};
    const block_index typical = typical_block(sample, grid);
    bool visited = false;
    REQUIRE_FALSE(for_each_block(sample, [&](const block_index& at, double) {
        visited = visited || at == typical;
        return model_error{};
    }));
    CHECK(visited);
}

TEST_CASE("from the first to the last block of some runs") {
    // Along x three runs, of which the second has two blocks that stand for it; along y one.
    ptx::detail::trace::block_sample sample;
    sample.along = {{{{5, 10, 0}, {12, 8, 10, 2, 0}, {13, 8, 10, 2, 1}, {26, 4, 26}},
                     {{3, 7, 0}},
                     {{0, 1, 0}}}};
    const block_index grid{30, 7, 1};
    using ptx::detail::trace::runs_of;
    ptx::detail::trace::block_box box;
    CHECK(box.is_empty());
    box.add(runs_of(sample, {13, 3, 0}, grid));
    CHECK_FALSE(box.is_empty());
    CHECK(box.first == block_index{10, 0, 0});
    CHECK(box.last == block_index{25, 6, 0});
    box.add(runs_of(sample, {26, 3, 0}, grid));
    CHECK(box.first == block_index{10, 0, 0});
    CHECK(box.last == block_index{29, 6, 0});
    box.add(runs_of(sample, {5, 3, 0}, grid));
    CHECK(box.first == block_index{0, 0, 0});
    CHECK(box.last == block_index{29, 6, 0});
    CHECK(box.corner(0) == box.first);
    CHECK(box.corner(2) == block_index{0, 6, 0});
    CHECK(box.corner(7) == box.last);
}

TEST_CASE("a lattice has one block of each cell") {
    const block_index grid{200, 90, 3};
    const block_sample lattice = block_lattice(grid);
    CHECK(lattice.is_spread);
    CHECK(weighed(lattice, [](const block_index&) { return 1.0; }) == 200 * 90 * 3);
    std::vector<int> cells(lattice.along[0].size() * lattice.along[1].size() * 3);
    const auto cell_along = [&](std::size_t d, std::uint32_t index) {
        std::size_t cell = 0;
        for (const sampled_index& s : lattice.along[d]) cell += s.run <= index ? 1 : 0;
        return cell - 1;
    };
    REQUIRE_FALSE(for_each_block(lattice, [&](const block_index& b, double) {
        REQUIRE((b[0] < grid[0] && b[1] < grid[1] && b[2] < grid[2]));
        const std::size_t row = cell_along(2, b[2]) * lattice.along[1].size() + cell_along(1, b[1]);
        cells[row * lattice.along[0].size() + cell_along(0, b[0])] += 1;
        return model_error{};
    }));
    for (const int blocks : cells) CHECK(blocks == 1);
}

TEST_CASE("the longest cell of a lattice, as a fraction of its dimension") {
    const auto longest = [](const block_index& grid) {
        return longest_cell(block_lattice(grid), grid);
    };
    CHECK(longest({64, 64, 1}) == 1.0 / 32);
    CHECK(longest({64, 64, 2}) == 1.0 / 16);
    CHECK(longest({1, 2000, 1}) == 1.0 / 1000);
    CHECK(longest({30, 20, 1}) == 1.0 / 30);  // all blocks
}

TEST_CASE("a lattice meets diagonals and edges in proportion") {
    double diagonal = 0;
    double other_diagonal = 0;
    double row = 0;
    double column = 0;
    int grids = 0;
    for (std::uint32_t side = 48; side <= 256; side += 4) {
        const block_sample lattice = block_lattice({side, side, 1});
        const auto part = [&](auto holds) {
            return weighed(lattice, [&](const block_index& b) { return holds(b) ? 1.0 : 0; }) /
                   side;
        };
        diagonal += part([](const block_index& b) { return b[0] == b[1]; });
        other_diagonal += part([&](const block_index& b) { return b[0] + b[1] == side - 1; });
        row += part([&](const block_index& b) { return b[1] == side - 1; });
        column += part([](const block_index& b) { return b[0] == 0; });
        ++grids;
    }
    for (const double sum : {diagonal, other_diagonal, row, column}) {
        CHECK(sum / grids == doctest::Approx(1).epsilon(0.2));
    }
}

TEST_CASE("the typical block of a lattice is one that is visited, near the middle") {
    for (const block_index& grid : {block_index{64, 64, 1}, {100, 37, 9}, {5000, 1, 1}}) {
        const block_sample lattice = block_lattice(grid);
        const block_index typical = typical_block(lattice, grid);
        CHECK(weighed(lattice, [&](const block_index& b) { return b == typical ? 1.0 : 0; }) >= 1);
        for (std::size_t d = 0; d < 3; ++d) {
            CHECK(2 * typical[d] + 20 > grid[d] - grid[d] / 16);
            CHECK(2 * typical[d] < grid[d] + 20);
        }
    }
}

TEST_CASE("the first and the last block of a line stand for themselves") {
    const block_sample sample = block_lattice({5000, 1, 1});
    CHECK(count_of(sample) > max_lattice_blocks / 2);
    CHECK(sum(sample.along[0]) == 5000);
    CHECK(sample.along[0].front().index == 0);
    CHECK(sample.along[0].front().weight == 1);
    CHECK(sample.along[0].back().index == 4999);
    CHECK(sample.along[0].back().weight == 1);
}

TEST_CASE("coordinates that stand for a run take turns where the others are in smaller runs") {
    block_sample sample;
    sample.along[1] = {{0, 1, 0}, {7, 14, 1}, {15, 1, 15}};
    sample.along[2] = {{0, 1}};
    // Costs of the run repeat after two of its blocks, or it is not known that they do.
    for (const std::uint32_t period : {2U, 0U}) {
        sample.along[0] = {{4, 10, 0, 2, 0, period}, {5, 10, 0, 2, 1, period}};
        double blocks = 0;
        int visits = 0;
        const auto bad = for_each_block(sample, [&](const block_index& b, double weight) {
            blocks += weight;
            ++visits;
            CHECK(weight == (b[1] == 7 ? 140 : period == 0 ? 10 : 20));
            return model_error{};
        });
        CHECK_FALSE(bad);
        CHECK(visits == (period == 0 ? 6 : 4));
        CHECK(blocks == 320);
    }
}

TEST_CASE("some of the blocks that are aligned differently are others in each row") {
    block_sample sample;
    for (std::uint32_t n = 0; n < 4; ++n) {
        sample.along[0].push_back({3 + 10 * n % 32, 25, 2, 4, n, 32});  // of 2 to 101
        sample.along[1].push_back({n, 1, 0, 4, n, 0});
    }
    sample.along[2] = {{0, 1}};
    std::vector<std::uint32_t> places(32);
    double blocks = 0;
    REQUIRE_FALSE(for_each_block(sample, [&](const block_index& b, double weight) {
        CHECK((b[0] >= 2 && b[0] < 102));
        ++places[b[0] % 32];
        blocks += weight;
        return model_error{};
    }));
    CHECK(blocks == 400);
    for (std::size_t place = 0; place < 8; ++place) {  // 2 of 16 in each place of 4 B in a sector
        CHECK(places[place] + places[place + 8] + places[place + 16] + places[place + 24] == 2);
    }
}

TEST_CASE("turns leave out no block and count none twice, whichever dimension takes them") {
    const std::vector<sampled_index> guard{{4, 18, 0}, {19, 1, 18}};
    const std::vector<sampled_index> aligned{
        {0, 1, 0}, {4, 5, 1, 4, 0}, {5, 5, 1, 4, 1}, {6, 5, 1, 4, 2}, {7, 5, 1, 4, 3}};
    const std::vector<sampled_index> shifted{
        {1, 2, 0, 2, 0}, {2, 2, 0, 2, 1}, {6, 5, 4, 3, 0}, {7, 5, 4, 3, 1}, {8, 5, 4, 3, 2}};
    const std::vector<sampled_index> all[]{guard, aligned, shifted};
    for (const auto& x : all) {
        for (const auto& y : all) {
            for (const auto& z : all) {
                block_sample sample;
                sample.along = {x, y, z};
                double blocks = 0;
                REQUIRE_FALSE(for_each_block(sample, [&](const block_index&, double weight) {
                    blocks += weight;
                    return model_error{};
                }));
                CHECK(blocks == sum(x) * sum(y) * sum(z));
            }
        }
    }
}

TEST_CASE("of warps that go one way one of each half is drawn, and stands for it") {
    const std::vector<std::uint64_t> paths{7, 3, 3, 3, 3, 3, 9, 9};
    std::vector<int> drawn(paths.size());
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        double of_three = 0;
        for (std::uint32_t warp = 0; warp < paths.size(); ++warp) {
            double weight = 1;
            if (!is_drawn(paths, warp, seed, weight)) continue;
            ++drawn[warp];
            if (paths[warp] == 3) of_three += weight;
            if (paths[warp] != 3) CHECK(weight == 1);
        }
        CHECK(of_three == 5);
    }
    for (const std::size_t alone : {0U, 6U, 7U}) CHECK(drawn[alone] == 300);
    for (const std::size_t half : {1U, 2U}) CHECK(drawn[half] > 100);
    for (const std::size_t third : {3U, 4U, 5U}) CHECK(drawn[third] > 60);
}

TEST_CASE("blocks of a box by number") {
    const block_box box{{2, 0, 5}, {4, 1, 5}};
    CHECK(box.count() == 6);
    CHECK(box.at(0) == box.first);
    CHECK(box.at(1) == block_index{3, 0, 5});
    CHECK(box.at(3) == block_index{2, 1, 5});
    CHECK(box.at(5) == box.last);
}

}  // namespace block_sample_test
