// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include <warpgauge/devices/geforce_rtx_2070_super.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/tune/rank.hpp>

namespace rank_test {

using namespace warpgauge;

namespace {

const std::vector<result<double>> mixed{3.0, 1.0, model_error{errc::missing, "blocks"},   2.0,
                                        1.0, 3.1, std::numeric_limits<double>::infinity()};

using places = std::vector<std::size_t>;

}  // namespace

TEST_CASE("ties stay together, errors come last with their reason") {
    const auto r = rank(mixed);
    REQUIRE(r);
    CHECK(r->order == places{1, 4, 3, 0, 5, 2, 6});
    CHECK(r->groups == std::vector<rank_group>{{0, 2, 1.0}, {2, 1, 2.0}, {3, 1, 3.0}, {4, 1, 3.1}});
    CHECK(r->predicted() == 5);
    CHECK(r->errors[2].field == "blocks");
    CHECK(r->errors[6] == model_error{errc::not_positive, "predictions"});
    CHECK(!r->errors[0]);
    CHECK(ranking{}.predicted() == 0);
}

TEST_CASE("within a tolerance, the model cannot tell them apart") {
    const auto r = rank(mixed, 0.05);
    REQUIRE(r);
    CHECK(r->groups == std::vector<rank_group>{{0, 2, 1.0}, {2, 1, 2.0}, {3, 2, 3.0}});
    CHECK(rank(mixed, -1).error() == model_error{errc::negative, "tolerance"});
    CHECK(rank(std::span<const result<double>>{})->order.empty());
}

TEST_CASE("of many equal times, and many that differ, each keeps its place in the list") {
    std::vector<double> seconds(200, 1.0);
    for (std::size_t i = 1; i < 200; i += 2) seconds[i] = 2 + static_cast<double>(200 - i);
    const auto r = rank(seconds, {});
    REQUIRE(r);
    CHECK(r->groups.size() == 101);
    CHECK(r->groups[0] == rank_group{0, 100, 1.0});
    for (std::size_t i = 0; i < 100; ++i) {
        CHECK(r->order[i] == 2 * i);
        CHECK(r->order[100 + i] == 199 - 2 * i);
    }
    for (const double bad : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
        seconds[7] = bad;
        const auto without = rank(seconds, {});
        REQUIRE(without);
        CHECK(without->errors[7] == model_error{errc::not_positive, "seconds"});
        CHECK(without->order.back() == 7);
    }
    const std::vector<model_error> one(1);
    CHECK(rank(seconds, one).error() == model_error{errc::malformed, "errors"});
}

TEST_CASE("any model ranks profiles") {
    std::vector<kernel_profile<>> blocks;
    for (double threads = 32; threads <= 2048; threads *= 2) {
        blocks.push_back({.blocks = 1048576 / threads,
                          .threads_per_block = threads,
                          .registers_per_thread = 32,
                          .comp_insts = 20,
                          .coalesced_mem_insts = 3});
    }
    const auto r = rank(mwp_cwp_model<devices::geforce_rtx_2070_super>{}, blocks);
    REQUIRE(r);
    CHECK(r->predicted() == 6);
    CHECK(r->order.back() == 6);
    CHECK(r->errors[6].code == errc::exceeds_device);
    CHECK(r->groups[0].count > 1);  // several block sizes fill the SM alike
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(r->seconds[i] ==
              mwp_cwp_model<devices::geforce_rtx_2070_super>{}.predict(blocks[i])->seconds);
    }
}

TEST_CASE("groups of a ranking differ in each of their parts") {
    using warpgauge::rank_group;
    CHECK(rank_group{1, 2, 3} == rank_group{1, 2, 3});
    CHECK_FALSE(rank_group{1, 2, 3} == rank_group{2, 2, 3});
    CHECK_FALSE(rank_group{1, 2, 3} == rank_group{1, 3, 3});
    CHECK_FALSE(rank_group{1, 2, 3} == rank_group{1, 2, 4});
}

}  // namespace rank_test
