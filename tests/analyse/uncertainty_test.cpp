// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <warpgauge/analyse/uncertainty.hpp>
#include <warpgauge/devices/h100_sxm5.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/models/hybrid.hpp>

#include "analyse/model_of_ones_own.hpp"

namespace uncertainty_test {

using namespace model_of_ones_own;
using namespace warpgauge;
using doctest::Approx;

namespace {

sampled_times listed(std::vector<double> seconds) {
    sampled_times t;
    t.seconds = std::move(seconds);
    for (const double s : t.seconds) {
        if (s == 0) t.add({errc::missing, "blocks"});
    }
    return t;
}

// The samples of a parameter that the model above gives back.
time_distribution drawn(const uncertain& u, std::size_t samples = 100'000) {
    const auto t = uncertain_time(counted, kernel, std::span(&u, 1), {.samples = samples});
    REQUIRE(t);
    REQUIRE(t->failed == 0);
    return *t;
}

}  // namespace

TEST_CASE("moments of what is drawn are those of the distribution") {
    constexpr double values[]{4, 8, 16};
    struct expected {
        uncertain u;
        double mean;
        double deviation;
    };
    const double s = std::log(1.1);
    for (const expected& e :
         {expected{between("comp_insts", 450, 550), 500, 100 / std::sqrt(12.0)},
          {log_between("comp_insts", 1, std::exp(1.0)), std::exp(1.0) - 1,
           std::sqrt((std::exp(2.0) - 1) / 2 - std::pow(std::exp(1.0) - 1, 2))},
          {normal("comp_insts", 100, 10, 0, 200), 100, 10},
          {normal("comp_insts", 100, 10, 100, 200), 100 + 10 * std::sqrt(2 / std::acos(-1.0)),
           10 * std::sqrt(1 - 2 / std::acos(-1.0))},
          {about("comp_insts", 0.1), 400 * std::exp(s * s / 2),
           400 * std::sqrt(std::expm1(s * s) * std::exp(s * s))},
          {triangular("comp_insts", 0, 2, 5), 7.0 / 3, std::sqrt(19.0 / 18)},
          {one_of("comp_insts", values), 28.0 / 3, std::sqrt(112 - 784.0 / 9)}}) {
        CAPTURE(static_cast<int>(e.u.which));
        const auto t = drawn(e.u);
        CHECK(std::fabs(t.mean_seconds - e.mean) < 4 * t.mean_error_seconds());
        CHECK(t.deviation_seconds == Approx(e.deviation).epsilon(0.02));
    }
}

TEST_CASE("samples stay within the limits, and come near them") {
    for (const uncertain& u :
         {between("comp_insts", 450, 550), log_between("comp_insts", 450, 550),
          normal("comp_insts", 500, 100, 450, 550), triangular("comp_insts", 450, 450, 550)}) {
        const auto t = drawn(u, 10'000);
        CHECK(t.seconds.front() >= 450);
        CHECK(t.seconds.front() < 451);
        CHECK(t.seconds.back() <= 550);
        CHECK(t.seconds.back() > 545);
    }
}

TEST_CASE("what the model cannot predict is counted, not dropped") {
    // 384 to 640 threads a block, of which this GPU takes 512: half of the samples.
    const uncertain threads[]{between("threads_per_block", 384, 640)};
    kernel_profile<> k = kernel;
    k.active_blocks_per_sm = 0;
    const auto times = sample(mwp_cwp_on_gpu, k, threads, {.samples = 1000});
    REQUIRE(times);
    CHECK(times->seconds.size() == 1000);
    CHECK(times->failed > 400);
    CHECK(times->failed < 600);
    CHECK(times->first_error == model_error{errc::exceeds_device, "threads_per_block"});
    CHECK(static_cast<std::size_t>(std::count(times->seconds.begin(), times->seconds.end(), 0.0)) ==
          times->failed);
    const auto t = distribution_of(*times);
    REQUIRE(t);
    CHECK(t->failed == times->failed);
    CHECK(t->seconds.size() + t->failed == 1000);

    const uncertain too_many[]{between("threads_per_block", 600, 640)};
    CHECK(uncertain_time(mwp_cwp_on_gpu, k, too_many).error() ==
          model_error{errc::exceeds_device, "threads_per_block"});
    const function_model no_number{gpu,
                                   [](const auto&, const auto&) { return takes(std::nan("")); }};
    CHECK(uncertain_time(no_number, k, {}).error() == model_error{errc::not_positive, "seconds"});
    CHECK(uncertain_time(mwp_cwp_on_gpu, k, {}, {.samples = 0}).error() ==
          sample(mwp_cwp_on_gpu, k, {}, {.samples = 0}).error());
}

TEST_CASE("a time in inverse proportion to the clock") {
    // Compute bound: t = t0 c0 / c. With c even over [0.8 c0, 1.2 c0], a share q of the times is below
    // t0 / (1.2 - 0.4 q), and the mean is t0 ln(1.2 / 0.8) / 0.4.
    const double t0 = mwp_cwp_on_gpu.predict(kernel)->seconds;
    const uncertain clock[]{relative(between("clock_hz", 0.8, 1.2))};
    const auto t = uncertain_time(mwp_cwp_on_gpu, kernel, clock);
    REQUIRE(t);
    CHECK(t->seconds.size() == 10'000);
    for (const double q : {0.05, 0.25, 0.5, 0.75, 0.95}) {
        const double exact = t0 / (1.2 - 0.4 * q);
        const auto range = t->quantile_bounds(q);
        REQUIRE(range);
        CHECK(range->min_seconds <= *t->quantile(q));
        CHECK(range->max_seconds >= *t->quantile(q));
        CHECK(*t->quantile(q) == Approx(exact).epsilon(0.01));
    }
    CHECK(std::fabs(t->mean_seconds - t0 * std::log(1.5) / 0.4) < 4 * t->mean_error_seconds());
    CHECK(t->interval(0.9)->min_seconds == *t->quantile(0.05));
    CHECK(t->interval(1)->max_seconds == t->seconds.back());
}

TEST_CASE("bounds of a quantile hold it in 95 of 100 samplings") {
    const uncertain u[]{between("comp_insts", 0, 1)};
    int held = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const auto t = uncertain_time(counted, kernel, u, {.samples = 1000, .seed = seed});
        REQUIRE(t);
        const auto range = t->quantile_bounds(0.9);
        held += range->min_seconds <= 0.9 && 0.9 <= range->max_seconds ? 1 : 0;
    }
    CHECK(held > 941);  // three standard errors around 960, the exact coverage of ranks 881 to 920
    CHECK(held < 979);
}

TEST_CASE("quantiles of few samples") {
    const auto t = distribution_of(listed({4, 1, 0, 2}));
    REQUIRE(t);
    CHECK(t->failed == 1);
    CHECK(t->first_error == model_error{errc::missing, "blocks"});
    CHECK(t->seconds == std::vector<double>{1, 2, 4});
    CHECK(*t->quantile(0) == 1);
    CHECK(*t->quantile(0.25) == 1.5);
    CHECK(*t->quantile(0.75) == 3);
    CHECK(*t->quantile(1) == 4);
    CHECK(t->mean_seconds == Approx(7.0 / 3));
    CHECK(t->deviation_seconds == Approx(std::sqrt(7.0 / 3)));
    CHECK(t->quantile(1.5).error() == model_error{errc::outside_domain, "q"});
    CHECK(t->quantile(std::nan("")).error() == model_error{errc::outside_domain, "q"});
    CHECK(t->quantile_bounds(-1).error() == model_error{errc::outside_domain, "q"});
    CHECK(t->interval(1.5).error() == model_error{errc::outside_domain, "fraction"});
    CHECK(distribution_of(listed({3}))->deviation_seconds == 0);
    CHECK(time_distribution{}.mean_error_seconds() == 0);
    CHECK(time_distribution{}.quantile(0.5).error() == model_error{errc::missing, "seconds"});
    CHECK(time_distribution{}.interval(0.5).error() == model_error{errc::missing, "seconds"});
    CHECK(time_distribution{}.quantile_bounds(0.5).error() ==
          model_error{errc::missing, "seconds"});
}

TEST_CASE("distributions of times however large or small") {
    for (const double scale : {1e-200, 1.0, 1e200}) {
        CAPTURE(scale);
        const auto t = distribution_of(listed({1 * scale, 2 * scale, 3 * scale}));
        REQUIRE(t);
        CHECK(t->mean_seconds / scale == Approx(2));
        CHECK(t->deviation_seconds / scale == Approx(1));
    }
    const auto wide = distribution_of(listed({1.5e308, 1.5e308, 1.5e308, 1e-300}));
    REQUIRE(wide);
    CHECK(wide->mean_seconds == Approx(1.125e308));
    CHECK(std::isfinite(wide->deviation_seconds));
    const sampled_times none{{}, {0, 0}};
    CHECK(probability_faster(none, none).error() == model_error{errc::missing, "seconds"});
    CHECK(top_k_probabilities(std::vector<sampled_times>(2), 1).error() ==
          model_error{errc::missing, "times"});
    CHECK(top_k_probabilities(std::vector{none}, 1).error() ==
          model_error{errc::missing, "seconds"});
}

TEST_CASE("what is exactly known has one time, that of the model") {
    const double t0 = mwp_cwp_on_gpu.predict(kernel)->seconds;
    const std::vector<uncertain> none;
    const uncertain one[]{exactly("comp_insts", 400), relative(exactly("clock_hz", 1))};
    for (const std::span<const uncertain> unknowns : {std::span<const uncertain>(none), {one}}) {
        const auto t = uncertain_time(mwp_cwp_on_gpu, kernel, unknowns, {.samples = 1000});
        REQUIRE(t);
        CHECK(t->seconds.front() == t0);
        CHECK(t->seconds.back() == t0);
        CHECK(t->mean_seconds == t0);
        CHECK(t->deviation_seconds == 0);
        CHECK(*t->quantile(0.3) == t0);
        CHECK(t->quantile_bounds(0.3)->max_seconds == t0);
    }
}

TEST_CASE("the probability of being faster: shared draws") {
    // 10 accesses of L cycles each against a time of 1400, L even over [100, 200]: faster below 140.
    const function_model waits{
        gpu, [](const auto& d, const auto& k) {
            return takes(k.coalesced_mem_insts * d.dram_latency_cycles + k.comp_insts);
        }};
    const kernel_profile<> both[]{{.blocks = 1, .coalesced_mem_insts = 10},
                                  {.blocks = 1, .comp_insts = 1400}};
    const uncertain latency[]{between("dram_latency_cycles", 100, 200)};
    const auto times = sample(waits, both, latency);
    REQUIRE(times);
    const auto p = probability_faster((*times)[0], (*times)[1]);
    REQUIRE(p);
    CHECK(p->standard_error == Approx(std::sqrt(0.4 * 0.6 / 10'000)).epsilon(0.05));
    CHECK(std::fabs(p->first - 0.4) < 4 * p->standard_error);
    CHECK(p->tie == 0);
    CHECK(p->first + p->second == Approx(1));
}

TEST_CASE("the probability of being faster: what is shared cancels out, what is not does not") {
    const kernel_profile<> both[]{{.comp_insts = 1}, {.comp_insts = 2}};
    // u < 2 u always; u < 2 v for 3/4 of the square.
    const uncertain shared[]{relative(between("comp_insts", 0, 1))};
    const uncertain own[]{independent(shared[0])};
    const auto together = sample(counted, both, shared);
    const auto apart = sample(counted, both, own);
    REQUIRE(together);
    REQUIRE(apart);
    CHECK(probability_faster((*together)[0], (*together)[1])->first == 1);
    CHECK(probability_faster((*together)[0], (*together)[0])->tie == 1);
    const auto p = probability_faster((*apart)[0], (*apart)[1]);
    REQUIRE(p);
    CHECK(std::fabs(p->first - 0.75) < 4 * p->standard_error);
}

TEST_CASE("samples that only one configuration has are left out and counted") {
    const auto p = probability_faster(listed({1, 0, 3, 4}), listed({2, 2, 3, 0}));
    REQUIRE(p);
    CHECK(p->first == 0.5);
    CHECK(p->tie == 0.5);
    CHECK(p->failed == 2);
    CHECK(p->first_error == model_error{errc::missing, "blocks"});
    CHECK(probability_faster(listed({1}), listed({1, 2})).error().field == "second");
    CHECK(probability_faster(listed({}), listed({})).error().field == "first");
    CHECK(probability_faster(listed({0, 1}), listed({1, 0})).error().field == "blocks");
}

TEST_CASE("the probability of being among the fastest") {
    const std::array<sampled_times, 3> t{listed({1, 2, 5, 0}), listed({2, 2, 5, 3}),
                                         listed({3, 1, 5, 4})};
    const auto one = top_k_probabilities(t, 1);
    REQUIRE(one);
    CHECK((*one)[0].probability == Approx((1 + 0 + 1 / 3.0 + 0) / 4));
    CHECK((*one)[1].probability == Approx((0 + 0 + 1 / 3.0 + 1) / 4));
    CHECK((*one)[2].probability == Approx((0 + 1 + 1 / 3.0 + 0) / 4));
    CHECK((*one)[0].failed == 1);
    CHECK((*one)[0].first_error.field == "blocks");
    CHECK((*one)[1].failed == 0);
    const auto two = top_k_probabilities(t, 2);
    REQUIRE(two);
    CHECK((*two)[0].probability == Approx((1 + 1 / 2.0 + 2 / 3.0 + 0) / 4));
    CHECK((*two)[1].probability == Approx((1 + 1 / 2.0 + 2 / 3.0 + 1) / 4));
    CHECK((*two)[2].probability == Approx((0 + 1 + 2 / 3.0 + 1) / 4));
    const auto all = top_k_probabilities(t, 100);
    REQUIRE(all);
    CHECK((*all)[0].probability == 0.75);
    CHECK((*all)[1].probability == 1);

    CHECK(top_k_probabilities(t, 0).error() == model_error{errc::not_positive, "k"});
    CHECK(top_k_probabilities({}, 1).error() == model_error{errc::missing, "times"});
    const std::array<sampled_times, 2> uneven{listed({1, 2}), listed({1})};
    CHECK(top_k_probabilities(uneven, 1).error() == model_error{errc::malformed, "times", 2});
    const std::array<sampled_times, 2> failing{listed({0, 0}), listed({0, 0})};
    CHECK(top_k_probabilities(failing, 1).error().field == "blocks");
}

TEST_CASE("configurations alike, each with its own error, are as likely to be among the fastest") {
    const std::vector<kernel_profile<>> five(5, kernel);
    const uncertain own[]{independent(about("comp_insts", 0.2))};
    const auto times = sample(counted, five, own);
    REQUIRE(times);
    const auto two = top_k_probabilities(*times, 2);
    REQUIRE(two);
    for (const auto& p : *two) CHECK(std::fabs(p.probability - 0.4) < 4 * p.standard_error);
}

TEST_CASE("the latency of an H100 is a parameter like any other") {
    // A loop of a load and an addition that needs it, with few warps: the latency is the time.
    constexpr instruction stream[]{loop(2, 50),
                                   {.unit = unit_kind::global_memory},
                                   {.unit = unit_kind::single_precision, .needs = {1, own_result}}};
    const kernel_profile<> k{.blocks = 132, .threads_per_block = 32, .instructions = stream};
    const hybrid_model model{devices::h100_sxm5{}};
    const auto now = model.predict(k);
    REQUIRE(now);
    const uncertain unknowns[]{relative(between("dram_latency_cycles", 0.5, 1.5))};
    const auto t = uncertain_time(model, k, unknowns, {.samples = 200});
    REQUIRE(t);
    CHECK(t->failed == 0);
    CHECK(*t->quantile(0) < 0.7 * now->seconds);
    CHECK(*t->quantile(1) > 1.3 * now->seconds);
    CHECK(t->mean_seconds == Approx(now->seconds).epsilon(0.1));
}

}  // namespace uncertainty_test
