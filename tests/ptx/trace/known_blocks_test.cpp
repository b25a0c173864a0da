// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/known_blocks.hpp>

namespace known_blocks_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

// Costs, and those at edges, are those of a coordinate; the way of block 9 is not known.
struct ways {
    int paths = 0, places = 0, edges = 0, wholes = 0;
    result<std::uint64_t> path(const block_index& b) {
        ++paths;
        if (b[0] == 9) return model_error{errc::limit_reached, "max_steps"};
        return std::uint64_t{b[0]};
    }
    result<block_place> place(const block_index& b) {
        ++places;
        return block_place{.cost = b[1]};
    }
    result<std::uint64_t> edge(const block_index& b) {
        ++edges;
        return std::uint64_t{b[2]};
    }
    result<std::uint64_t> whole(const block_index& b) {
        ++wholes;
        return std::uint64_t{b[0]} + b[1];
    }
};

}  // namespace

TEST_CASE("each block is asked about once") {
    ways asked;
    known_blocks<ways> known(asked);
    for (int n = 0; n < 3; ++n) {
        CHECK(*known.path_of({4, 5, 6}) == 4);
        CHECK(*known.path_of({5, 5, 6}) == 5);
        CHECK(*known.whole_of({4, 5, 6}) == 9);
        CHECK(known.place_of({4, 5, 6})->cost == 5);
    }
    CHECK(asked.paths == 2);
    CHECK(asked.wholes == 1);
    CHECK(asked.places == 1);
    CHECK(known.path_of({9, 0, 0}).error().field == "max_steps");
}

TEST_CASE("edges are looked at where the middles cost the same") {
    ways asked;
    known_blocks<ways> known(asked);
    CHECK_FALSE(*known.cost_the_same({0, 1, 0}, {0, 2, 0}));
    CHECK(asked.edges == 0);
    CHECK_FALSE(*known.cost_the_same({0, 1, 0}, {0, 1, 1}));
    CHECK(*known.middles_cost_the_same({0, 1, 0}, {0, 1, 1}));
    CHECK(*known.cost_the_same({0, 1, 1}, {7, 1, 1}));
    CHECK(asked.edges == 3);
}

}  // namespace known_blocks_test
