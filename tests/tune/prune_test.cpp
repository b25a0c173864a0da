// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include <warpgauge/devices/geforce_rtx_2070_super.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/tune/prune.hpp>

namespace prune_test {

using namespace warpgauge;

namespace {

const std::vector<result<double>> mixed{3.0, 1.0, model_error{errc::missing, "blocks"},   2.0,
                                        1.0, 3.1, std::numeric_limits<double>::infinity()};

using places = std::vector<std::size_t>;

}  // namespace

TEST_CASE("pruning by fraction and by slowdown, each drop with its reason") {
    const auto r = rank(mixed);
    REQUIRE(r);
    const auto first = keep_fraction(*r, 0.2);  // one of five, and the one like it
    REQUIRE(first);
    CHECK(first->kept == places{1, 4});
    REQUIRE(first->drops.size() == 5);
    CHECK(first->drops[0] == dropped{3, drop_reason::fraction, 2.0, 1});
    CHECK(first->drops[4].reason == drop_reason::error);
    CHECK(keep_fraction(*r, 0.6)->kept == places{1, 4, 3});
    CHECK(keep_fraction(*r, 1)->kept.size() == 5);
    CHECK(keep_fraction(*r, 1e-9)->kept == places{1, 4});
    CHECK(keep_fraction(*r, std::numeric_limits<double>::denorm_min())->kept == places{1, 4});
    CHECK(keep_within(*r, 1)->kept == places{1, 4});
    CHECK(keep_within(*r, 3)->kept == places{1, 4, 3, 0});
    CHECK(keep_within(*r, 3)->drops[0].reason == drop_reason::slowdown);
    CHECK(keep_fraction(*r, 0).error().field == "fraction");
    CHECK(keep_within(*r, 0.5).error().field == "slowdown");
}

TEST_CASE("a drop is compared with the fastest, wherever it stands in its group") {
    const auto r = rank(std::vector<double>{1.05, 1, 3}, {}, 0.1);
    REQUIRE(r);
    const auto p = keep_within(*r, 2);
    REQUIRE(p);
    CHECK(p->kept == places{0, 1});
    CHECK(p->drops == std::vector{dropped{2, drop_reason::slowdown, 3, 1}});
}

TEST_CASE("times without a ratio, bounds without a meaning") {
    const auto r = rank(std::vector<double>{1e-300, 1e300}, {});
    REQUIRE(r);
    CHECK(keep_within(*r, 2).error() == model_error{errc::overflow, "seconds", 2});
    CHECK(keep_fraction(*r, 0.5).error() == model_error{errc::overflow, "seconds", 2});
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto error_of = [&](time_bounds first, time_bounds second) {
        return keep_possible(*r, std::vector{first, second}).error();
    };
    CHECK(error_of({1e-300, 1e-300}, {1e300, 1e300}) == model_error{errc::overflow, "seconds", 2});
    CHECK(error_of({0, 0}, {1, 2}) == model_error{errc::outside_domain, "bounds", 1});
    CHECK(error_of({0, 1}, {infinity, infinity}) == model_error{errc::outside_domain, "bounds", 2});
    const auto unknown = keep_possible(*r, std::vector<time_bounds>{{0, infinity}, {1, 2}});
    REQUIRE(unknown);
    CHECK(unknown->kept == places{0, 1});
    CHECK(keep_within(ranking{}, 2)->kept.empty());
}

TEST_CASE("safe pruning drops only what cannot be the fastest") {
    const auto r = rank(mixed);
    REQUIRE(r);
    const time_bounds b[]{{1, 9}, {0.5, 2}, {0, 0}, {2.1, 3}, {0.1, 4}, {2, 5}, {0, 0}};
    const auto p = keep_possible(*r, b);
    REQUIRE(p);
    CHECK(p->kept == places{1, 4, 0, 5});
    CHECK(p->drops[0].configuration == 3);
    CHECK(p->drops[0].reason == drop_reason::bound);
    CHECK(p->drops[0].against == 1);
    CHECK(p->drops[0].ratio == doctest::Approx(1.05));
    const time_bounds alike[]{{0, 2}, {0, 2}, {0, 0}, {3, 4}, {0, 2}, {0, 2}, {0, 0}};
    CHECK(keep_possible(*r, alike)->drops[0].against ==
          1);  // of upper bounds alike, the first in order
    CHECK(keep_possible(*r, std::span(b).first(3)).error().code == errc::malformed);
    const time_bounds wrong[]{{1, 9}, {3, 2}, {0, 0}, {2.1, 3}, {0.1, 4}, {2, 5}, {0, 0}};
    CHECK(keep_possible(*r, wrong).error() == model_error{errc::outside_domain, "bounds", 2});
}

TEST_CASE(
    "on random lists: order of the list does not matter, groups are whole, the best is kept") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (int n = 0; n < 500; ++n) {
        const std::size_t count = 1 + random() % 60;
        std::vector<result<double>> list;
        std::vector<time_bounds> bounds;
        std::vector<double> truth;
        for (std::size_t i = 0; i < count; ++i) {
            const auto t = static_cast<double>(1 + random() % 20);
            list.push_back(random() % 9 == 0 ? result<double>(model_error{errc::missing, "x"})
                                             : result<double>(t));
            const double real = t * (0.5 + 0.001 * static_cast<double>(random() % 1000));
            truth.push_back(real);
            bounds.push_back({0.5 * t, 1.5 * t});
        }
        const auto r = rank(list);
        REQUIRE(r);
        // Every configuration once; times do not fall.
        places sorted = r->order;
        std::sort(sorted.begin(), sorted.end());
        places all(count);
        std::iota(all.begin(), all.end(), std::size_t{0});
        CHECK(sorted == all);
        for (std::size_t at = 1; at < r->predicted(); ++at) {
            CHECK(r->seconds[r->order[at - 1]] <= r->seconds[r->order[at]]);
        }
        // The same configurations in another order: the same times and groups.
        places shuffle = all;
        std::shuffle(shuffle.begin(), shuffle.end(), random);
        std::vector<result<double>> other;
        for (const std::size_t i : shuffle) other.push_back(list[i]);
        const auto again = rank(other);
        REQUIRE(again);
        CHECK(again->groups == r->groups);
        // No way to prune splits a group, and the model's optimum is kept.
        if (r->predicted() == 0) continue;
        const double fraction = 0.01 + 0.01 * static_cast<double>(random() % 99);
        for (const auto& p : {keep_fraction(*r, fraction), keep_within(*r, 1 + fraction)}) {
            REQUIRE(p);
            CHECK(p->kept.size() + p->drops.size() == count);
            CHECK(p->kept[0] == r->order[0]);
            const double slowest = r->seconds[p->kept.back()];
            for (const dropped& d : p->drops) {
                CHECK((d.reason == drop_reason::error || r->seconds[d.configuration] > slowest));
            }
        }
        const auto safe = keep_possible(*r, bounds);
        REQUIRE(safe);
        std::size_t best = r->order[0];
        for (std::size_t at = 0; at < r->predicted(); ++at) {
            if (truth[r->order[at]] < truth[best]) best = r->order[at];
        }
        CHECK(std::find(safe->kept.begin(), safe->kept.end(), best) != safe->kept.end());
        CHECK(safe->kept[0] == r->order[0]);
    }
}

TEST_CASE("both conditions at once, each drop with the one that it breaks") {
    const auto r = rank(std::vector<double>{1, 2, 3, 4}, {});
    REQUIRE(r);
    const auto p = prune(*r, {.fraction = 0.75, .max_slowdown = 2.5});
    REQUIRE(p);
    CHECK(p->kept == places{0, 1});
    CHECK(p->drops == std::vector{dropped{2, drop_reason::slowdown, 3, 0},
                                  dropped{3, drop_reason::fraction, 4, 0}});
    CHECK(prune(*r, {})->kept.size() == 4);
    CHECK(prune(*r, {.fraction = 1.5}).error().field == "fraction");
    CHECK(prune(*r, {.max_slowdown = 0.5}).error().field == "max_slowdown");
}

TEST_CASE("a model and profiles: predicted, ranked and pruned in one call") {
    const mwp_cwp_model<devices::geforce_rtx_2070_super> model;
    std::vector<kernel_profile<>> blocks;
    for (double threads = 32; threads <= 2048; threads *= 2) {
        blocks.push_back({.blocks = 1048576 / threads,
                          .threads_per_block = threads,
                          .registers_per_thread = 32,
                          .comp_insts = 20,
                          .coalesced_mem_insts = 3});
    }
    const auto r = rank(model, blocks, 1e-9);
    REQUIRE(r);
    const auto in_two = keep_within(*r, 1.2);
    const auto in_one = prune(model, blocks, {.max_slowdown = 1.2, .tolerance = 1e-9});
    REQUIRE(in_two);
    REQUIRE(in_one);
    CHECK(in_one->kept == in_two->kept);
    CHECK(in_one->drops == in_two->drops);
    CHECK(in_one->kept.size() < 6);
    CHECK(in_one->drops.back() == dropped{6, drop_reason::error, 0, 6});
    CHECK(prune(model, blocks, {.tolerance = -1}).error().field == "tolerance");
}

TEST_CASE("each reason for a drop has a name") {
    constexpr std::string_view words[] = {"no prediction", "enough others are faster",
                                          "too much slower than the fastest",
                                          "slower at best than another at worst"};
    unsigned number = 0;
    for (const std::string_view expected : words) {
        CHECK(name(static_cast<drop_reason>(number)) == expected);
        ++number;
    }
    CHECK(name(static_cast<drop_reason>(number)) == "unknown");
}

TEST_CASE("what is dropped differs by what and why") {
    constexpr warpgauge::dropped d{.configuration = 1, .ratio = 2};
    CHECK(d == warpgauge::dropped{.configuration = 1, .ratio = 2});
    CHECK_FALSE(d == warpgauge::dropped{.configuration = 2, .ratio = 2});
    CHECK_FALSE(d == warpgauge::dropped{.configuration = 1, .ratio = 3});
}

}  // namespace prune_test
