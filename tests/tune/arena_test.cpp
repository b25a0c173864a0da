// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <warpgauge/tune/arena.hpp>
#include <warpgauge/warpgauge.hpp>

namespace arena_test {

using namespace warpgauge;

namespace {

// A model that says as long as there are blocks, and one that is `factor` times as slow and refuses large grids.
struct estimate {
    double cycles{};
    double seconds{};
};
struct by_blocks {
    double factor = 1;
    double max_blocks = 1e9;

    template <class Real>
    result<estimate> predict(const kernel_profile<Real>& k) const {
        if (k.blocks > max_blocks) return model_error{errc::limit_reached, "blocks"};
        return estimate{1, factor * k.blocks};
    }
};

const std::vector<kernel_profile<>> kernels{
    {.blocks = 1}, {.blocks = 2}, {.blocks = 4}, {.blocks = 8}};

}  // namespace

TEST_CASE("models side by side, without measurements") {
    const auto all =
        arena(kernels, {}, contestant{"plain", by_blocks{}}, contestant{"slow", by_blocks{3, 5}});
    REQUIRE(all);
    REQUIRE(all->models.size() == 2);
    CHECK(all->models[0].name == "plain");
    CHECK(all->models[0].predicted == 4);
    CHECK(all->models[1].predicted == 3);
    CHECK(*all->models[1].seconds[2] == 12);
    CHECK(all->models[1].seconds[3].error().field == "blocks");
    CHECK(all->spread == std::vector<double>{3, 3, 3, 0});
    CHECK(*all->agreement(0, 1) == 1);
    CHECK(all->agreement(0, 2).error().field == "models");
    CHECK(all->models[0].error_factor.error().field == "measured");
}

TEST_CASE("errors against measurements, and what is left of them after one factor") {
    const std::vector<double> measured{2, 8, 8, 16};  // 2, 4, 2 and 2 times as long as `plain` says
    const auto all = arena(kernels, measured, contestant{"plain", by_blocks{}},
                           contestant{"double", by_blocks{2}});
    REQUIRE(all);
    const standing& plain = all->models[0];
    const double scale = std::pow(2.0 * 4 * 2 * 2, 0.25);
    CHECK(*plain.error_factor == doctest::Approx(scale));
    CHECK(*plain.scale == doctest::Approx(scale));
    CHECK(*all->models[1].error_factor == doctest::Approx(std::pow(2.0, 0.25)));
    // One factor does not order anything anew, and leaves the same error whatever stood before.
    CHECK(*plain.scaled_error_factor == doctest::Approx(*all->models[1].scaled_error_factor));
    CHECK(*plain.scaled_error_factor < *plain.error_factor);
    CHECK(*plain.spearman == doctest::Approx(*spearman(std::vector<double>{1, 2, 4, 8}, measured)));
}

TEST_CASE("the library's models share an arena") {
    const devices::geforce_rtx_2070_super gpu;
    const std::vector<kernel_profile<>> saxpy{{.blocks = 4096,
                                               .threads_per_block = 256,
                                               .registers_per_thread = 12,
                                               .comp_insts = 10,
                                               .coalesced_mem_insts = 3}};
    const auto all =
        arena(saxpy, {}, contestant{"hidden", mwp_cwp_model{gpu}},
              contestant{"summed", mwp_cwp_model{gpu, {.overlap = overlap_rule::summed}}});
    REQUIRE(all);
    CHECK(all->spread[0] > 1);
    CHECK(all->spread[0] < 3);
    CHECK(all->agreement(0, 1).error().code == errc::missing);  // one kernel orders nothing
}

TEST_CASE("what is no time does not count as predicted") {
    struct timed {
        double cycles{};
        double seconds{};
    };
    struct no_time {
        double of_many;
        result<timed> predict(const kernel_profile<>& k) const {
            return timed{1, k.blocks > 1 ? of_many : 1};
        }
    };
    const std::vector<kernel_profile<>> two{{.blocks = 1}, {.blocks = 2}};
    const auto all = arena(two, {}, contestant{"a", no_time{std::nan("")}});
    REQUIRE(all);
    CHECK(all->models[0].predicted == 1);
    CHECK(all->models[0].seconds[1].error() == model_error{errc::not_positive, "seconds"});
    CHECK(
        arena(two, {}, contestant{"a", no_time{1e-300}}, contestant{"b", no_time{1e300}}).error() ==
        model_error{errc::overflow, "seconds", 2});
}

TEST_CASE("bad input") {
    const contestant one{"plain", by_blocks{}};
    CHECK(arena({}, {}, one).error() == model_error{errc::missing, "kernels"});
    CHECK(arena(kernels, std::vector<double>{1}, one).error().field == "measured_seconds");
    CHECK(arena(kernels, std::vector<double>{1, 2, 0, 4}, one).error() ==
          model_error{errc::not_positive, "measured_seconds", 3});
}

TEST_CASE("kernels that either model lacks do not count, nor does a model without any") {
    const auto all =
        arena(kernels, {}, contestant{"plain", by_blocks{}}, contestant{"slow", by_blocks{3, 5}});
    REQUIRE(all);
    CHECK(*all->agreement(1, 0) == 1);
    CHECK(all->agreement(2, 0).error() == model_error{errc::outside_domain, "models"});
    const std::vector<double> measured{2, 8, 8, 16};
    const auto none = arena(kernels, measured, contestant{"none", by_blocks{1, 0}});
    REQUIRE(none);
    CHECK(none->models[0].predicted == 0);
    CHECK_FALSE(none->models[0].scale);
    CHECK_FALSE(none->models[0].scaled_error_factor);
}

}  // namespace arena_test
