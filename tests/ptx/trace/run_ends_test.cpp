// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <functional>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/run_ends.hpp>

namespace run_ends_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

using numbers = std::vector<std::uint32_t>;

struct ways {
    std::function<std::uint64_t(const block_index&)> path_of;
    std::function<bool(const block_box&)> is_sure;
    result<std::uint64_t> path(const block_index& b) { return path_of(b); }
    bool is_sure_in(const block_box& box) { return is_sure(box); }
};

// In [5, 8) x [20, 26).
std::uint64_t in_region(const block_index& b) {
    return b[0] >= 5 && b[0] < 8 && b[1] >= 20 && b[1] < 26 ? 1 : 0;
}
bool is_beside_region(const block_box& b) {
    return b.last[0] < 5 || b.first[0] >= 8 || b.last[1] < 20 || b.first[1] >= 26 ||
           (in_region(b.first) != 0 && in_region(b.last) != 0);
}

constexpr block_index grid{100, 64, 1};

}  // namespace

TEST_CASE("runs end where ways change along the first, the middle and the last lines") {
    ways all{
        [](const block_index& b) { return std::uint64_t{b[0] < 30U ? 1U : 2U} + (b[1] == 63); },
        [](const block_box&) { return true; }};
    known_blocks<ways> known(all);
    run_ends<ways> ends(grid, known);
    REQUIRE_FALSE(ends.find());
    CHECK(ends.along(0) == numbers{30, 100});
    CHECK(ends.along(1) == numbers{63, 64});
    CHECK(ends.along(2) == numbers{1});
    CHECK_FALSE(ends.is_in_doubt());
    CHECK(ends.line_through({0, 30}, 0).fixed == block_index{0, 32, 0});
}

TEST_CASE("so do those of a region that these lines do not meet") {
    ways all{in_region, is_beside_region};
    known_blocks<ways> known(all);
    run_ends<ways> ends(grid, known);
    REQUIRE_FALSE(ends.find());
    CHECK(ends.along(0) == numbers{5, 8, 100});
    CHECK(ends.along(1) == numbers{20, 26, 64});
    CHECK_FALSE(ends.is_in_doubt());
    CHECK(in_region(ends.line_through({5, 8}, 0).at(6)) == 1);
    CHECK(in_region(ends.line_through({20, 26}, 1).at(25)) == 1);
    CHECK(in_region(ends.line_through({8, 100}, 0).at(6)) == 0);
}

TEST_CASE("ways that no runs cut out, or of which nothing is known, are in doubt") {
    const auto above = [](const block_index& b) { return std::uint64_t{b[1] > b[0] ? 1U : 0U}; };
    const auto on_one_side = [&](const block_box& b) {
        return b.first[1] > b.last[0] || b.last[1] <= b.first[0];
    };
    for (const bool is_known : {true, false}) {
        CAPTURE(is_known);
        ways all{above, on_one_side};
        if (!is_known) {
            all = {[](const block_index&) { return std::uint64_t{1}; },
                   [](const block_box&) { return false; }};
        }
        known_blocks<ways> known(all);
        run_ends<ways> ends(grid, known);
        REQUIRE_FALSE(ends.find());
        CHECK(ends.is_in_doubt());
    }
    // Of so few blocks that each is looked at, all is known; of one dimension, a few blocks of a line are looked at.
    for (const block_index& other : {block_index{3, 4, 2}, block_index{1000, 1, 1}}) {
        CAPTURE(other[0]);
        ways none{[](const block_index&) { return std::uint64_t{1}; },
                  [](const block_box&) { return false; }};
        known_blocks<ways> known(none);
        run_ends<ways> ends(other, known);
        REQUIRE_FALSE(ends.find());
        CHECK_FALSE(ends.is_in_doubt());
        CHECK(ends.along(0) == numbers{other[0]});
    }
}

TEST_CASE("a block that is not followed to the end is an error") {
    struct failing {
        static result<std::uint64_t> path(const block_index& b) {
            if (b[0] == 16) return model_error{errc::limit_reached, "max_steps"};
            return std::uint64_t{b[0] > 20 ? 1U : 0U};
        }
        static bool is_sure_in(const block_box&) { return true; }
    };
    failing all;
    known_blocks<failing> known(all);
    CHECK(run_ends<failing>({64, 1, 1}, known).find().field == "max_steps");
    CHECK_FALSE(run_ends<failing>({16, 1, 1}, known).find());
}

}  // namespace run_ends_test
