// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <warpgauge/analyse/uncertainty.hpp>
#include <warpgauge/warpgauge.hpp>

using namespace warpgauge;
using doctest::Approx;

namespace {

const auto mwp_cwp = [](const auto& d, const auto& k) { return mwp_cwp_model{d}.predict(k); };

struct estimate {
    double seconds;
};

// A model whose time is one instruction count of the kernel.
const auto counted = [](const auto&, const auto& k) {
    return result<estimate>(estimate{k.comp_insts});
};

constexpr devices::geforce_gtx_280 gpu;
constexpr kernel_profile<> kernel{.blocks = 4000,
                                  .threads_per_block = 256,
                                  .active_blocks_per_sm = 3,
                                  .comp_insts = 400,
                                  .coalesced_mem_insts = 12};

sampled_times listed(std::vector<double> seconds) {
    sampled_times t;
    t.seconds = std::move(seconds);
    for (const double s : t.seconds) {
        if (s == 0) t.add({errc::missing, "blocks"});
    }
    return t;
}

// The samples of a figure that the model above gives back.
time_distribution drawn(const uncertain& u, std::size_t samples = 100'000) {
    const auto t = uncertain_time(counted, gpu, kernel, std::span(&u, 1), {.samples = samples});
    REQUIRE(t);
    REQUIRE(t->failed == 0);
    return *t;
}

model_error error_of(const std::vector<uncertain>& unknowns, const sampling_options& options = {}) {
    const auto t = sample_times(counted, gpu, kernel, unknowns, options);
    REQUIRE_FALSE(t);
    return t.error();
}

}  // namespace

TEST_CASE("quantiles of each distribution, by hand") {
    const double z = core::normal_quantile(0.9);
    CHECK(detail::analyse::quantile_of(exactly("x", 5), 0.9) == 5);
    CHECK(detail::analyse::quantile_of(between("x", 450, 550), 0.25) == 475);
    CHECK(detail::analyse::quantile_of(log_between("x", 1, 10'000), 0.25) == Approx(10));
    CHECK(detail::analyse::quantile_of(log_normal("x", 3, 0.1), 0.5) == 3);
    CHECK(detail::analyse::quantile_of(log_normal("x", 3, 0.1), 0.9) ==
          Approx(3 * std::pow(1.1, z)));
    CHECK(detail::analyse::quantile_of(log_normal("x", 3, 0), 0.9) == 3);
    CHECK(detail::analyse::quantile_of(normal("x", 100, 10, 0, 1000), 0.9) == Approx(100 + 10 * z));
    // Half the distribution, from its mean up: its median is the quantile of 3/4.
    CHECK(detail::analyse::quantile_of(normal("x", 100, 10, 100, 1000), 0.5) ==
          Approx(100 + 10 * core::normal_quantile(0.75)));
    CHECK(detail::analyse::quantile_of(normal("x", 100, 10, 100, 1000), 1 - 0x1p-53) < 1000);
    CHECK(detail::analyse::quantile_of(normal("x", 100, 10, 90, 90.0001), 0.5) == Approx(90.00005));
    // Below the mode lie 2/5; the density there is a straight line.
    CHECK(detail::analyse::quantile_of(triangular("x", 0, 2, 5), 0.4) == Approx(2));
    CHECK(detail::analyse::quantile_of(triangular("x", 0, 2, 5), 0.1) == Approx(1));
    CHECK(detail::analyse::quantile_of(triangular("x", 0, 2, 5), 1 - 0.6 / 9) == Approx(4));
    CHECK(detail::analyse::quantile_of(triangular("x", 2, 2, 2), 0.3) == 2);
    constexpr double values[]{4, 8, 16};
    CHECK(detail::analyse::quantile_of(one_of("x", values), 0.33) == 4);
    CHECK(detail::analyse::quantile_of(one_of("x", values), 0.34) == 8);
    CHECK(detail::analyse::quantile_of(one_of("x", values), 1 - 0x1p-53) == 16);
}

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

TEST_CASE("a time in inverse proportion to the clock") {
    // Compute bound: t = t0 c0 / c. With c even over [0.8 c0, 1.2 c0], a share q of the times is below
    // t0 / (1.2 - 0.4 q), and the mean is t0 ln(1.2 / 0.8) / 0.4.
    const double t0 = mwp_cwp(gpu, kernel)->seconds;
    const uncertain clock[]{relative(between("clock_hz", 0.8, 1.2))};
    const auto t = uncertain_time(mwp_cwp, gpu, kernel, clock);
    REQUIRE(t);
    CHECK(t->seconds.size() == 10'000);
    for (const double q : {0.05, 0.25, 0.5, 0.75, 0.95}) {
        const double exact = t0 / (1.2 - 0.4 * q);
        const auto range = t->quantile_bounds(q);
        REQUIRE(range);
        CHECK(range->least_seconds <= *t->quantile(q));
        CHECK(range->most_seconds >= *t->quantile(q));
        CHECK(*t->quantile(q) == Approx(exact).epsilon(0.01));
    }
    CHECK(std::fabs(t->mean_seconds - t0 * std::log(1.5) / 0.4) < 4 * t->mean_error_seconds());
    CHECK(t->interval(0.9)->least_seconds == *t->quantile(0.05));
    CHECK(t->interval(1)->most_seconds == t->seconds.back());
}

TEST_CASE("bounds of a quantile hold it in 95 of 100 samplings") {
    const uncertain u[]{between("comp_insts", 0, 1)};
    int held = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const auto t = uncertain_time(counted, gpu, kernel, u, {.samples = 1000, .seed = seed});
        REQUIRE(t);
        const auto range = t->quantile_bounds(0.9);
        held += range->least_seconds <= 0.9 && 0.9 <= range->most_seconds ? 1 : 0;
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
    CHECK(t->interval(1.5).error() == model_error{errc::outside_domain, "share"});
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
    CHECK(top_k_probabilities(std::vector{none}, 1).error() ==
          model_error{errc::missing, "seconds"});
}

TEST_CASE("what is exactly known has one time, that of the model") {
    const double t0 = mwp_cwp(gpu, kernel)->seconds;
    const std::vector<uncertain> none;
    const uncertain one[]{exactly("comp_insts", 400), relative(exactly("clock_hz", 1))};
    for (const std::span<const uncertain> unknowns : {std::span<const uncertain>(none), {one}}) {
        const auto t = uncertain_time(mwp_cwp, gpu, kernel, unknowns, {.samples = 1000});
        REQUIRE(t);
        CHECK(t->seconds.front() == t0);
        CHECK(t->seconds.back() == t0);
        CHECK(t->mean_seconds == t0);
        CHECK(t->deviation_seconds == 0);
        CHECK(*t->quantile(0.3) == t0);
        CHECK(t->quantile_bounds(0.3)->most_seconds == t0);
    }
}

TEST_CASE("samples have places: no order changes them") {
    constexpr double transactions[]{4, 8, 16};
    const uncertain one_way[]{between("dram_latency_cycles", 300, 500), about("comp_insts", 0.1),
                              one_of("transactions_per_uncoalesced", transactions)};
    const uncertain other_way[]{one_way[2], one_way[0], one_way[1]};
    kernel_profile<> memory_bound = kernel;
    memory_bound.uncoalesced_mem_insts = 40;
    const kernel_profile<> both[]{kernel, memory_bound};
    const kernel_profile<> swapped[]{memory_bound, kernel};

    const auto a = sample_times(mwp_cwp, gpu, both, one_way, {.samples = 1000});
    const auto b = sample_times(mwp_cwp, gpu, swapped, other_way, {.samples = 1000});
    REQUIRE(a);
    REQUIRE(b);
    CHECK((*a)[0].seconds == (*b)[1].seconds);
    CHECK((*a)[1].seconds == (*b)[0].seconds);

    // Fewer samples are the first of more.
    const auto few = sample_times(mwp_cwp, gpu, memory_bound, one_way, {.samples = 300});
    REQUIRE(few);
    CHECK(std::equal(few->seconds.begin(), few->seconds.end(), (*a)[1].seconds.begin()));
    const auto others =
        sample_times(mwp_cwp, gpu, memory_bound, one_way, {.samples = 300, .seed = 1});
    REQUIRE(others);
    CHECK(few->seconds != others->seconds);

    // A device with other groups of figures sees the same draws.
    const auto elsewhere = sample_times(counted, devices::geforce_gtx_260{}, kernel,
                                        std::span(&one_way[1], 1), {.samples = 300});
    const auto here = sample_times(counted, gpu, kernel, one_way, {.samples = 300});
    REQUIRE(elsewhere);
    REQUIRE(here);
    CHECK(elsewhere->seconds == here->seconds);
}

TEST_CASE("no two figures share a stream") {
    std::set<std::uint64_t> streams;
    std::size_t count = 0;
    const auto insert = [&](std::string_view name, const auto&) {
        streams.insert(detail::analyse::stream_of(name, 0));
        ++count;
    };
    auto d = edit(devices::geforce_gtx_280{});
    auto with_costs = edit(devices::geforce_gtx_260{});
    auto with_transactions = edit(devices::geforce_rtx_2070_super{});
    kernel_profile<> k;
    k.stencil.dimensions = 3;
    for_each_figure_of_profile(k, insert);
    CHECK(count < detail::analyse::most_figures - 20);
    for_each_figure_of_device(d, insert);
    for (const char* name : {"cpd_a", "cpd_b", "cpd_c", "cpd_d", "dram_transaction_bytes"}) {
        insert(name, 0);
    }
    CHECK(streams.size() == count);
    const std::size_t all = streams.size();
    for_each_figure_of_device(with_costs, insert);  // no names that are not above
    for_each_figure_of_device(with_transactions, insert);
    CHECK(streams.size() == all);
}

TEST_CASE("the probability of being faster: shared draws") {
    // 10 accesses of L cycles each against a time of 1400, L even over [100, 200]: faster below 140.
    const auto waits = [](const auto& d, const auto& k) {
        return result<estimate>(
            estimate{k.coalesced_mem_insts * d.dram_latency_cycles + k.comp_insts});
    };
    const kernel_profile<> both[]{{.blocks = 1, .coalesced_mem_insts = 10},
                                  {.blocks = 1, .comp_insts = 1400}};
    const uncertain latency[]{between("dram_latency_cycles", 100, 200)};
    const auto times = sample_times(waits, gpu, both, latency);
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
    const auto together = sample_times(counted, gpu, both, shared);
    const auto apart = sample_times(counted, gpu, both, own);
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
    const auto times = sample_times(counted, gpu, five, own);
    REQUIRE(times);
    const auto two = top_k_probabilities(*times, 2);
    REQUIRE(two);
    for (const auto& p : *two) CHECK(std::fabs(p.probability - 0.4) < 4 * p.standard_error);
}

TEST_CASE("what the model cannot predict is counted, not dropped") {
    // 384 to 640 threads a block, of which this GPU takes 512: half of the samples.
    const uncertain threads[]{between("threads_per_block", 384, 640)};
    kernel_profile<> k = kernel;
    k.active_blocks_per_sm = 0;
    const auto times = sample_times(mwp_cwp, gpu, k, threads, {.samples = 1000});
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
    CHECK(uncertain_time(mwp_cwp, gpu, k, too_many).error() ==
          model_error{errc::exceeds_device, "threads_per_block"});
    const auto no_number = [](const auto&, const auto&) {
        return result<estimate>(estimate{std::nan("")});
    };
    CHECK(uncertain_time(no_number, gpu, k, {}).error() ==
          model_error{errc::not_positive, "seconds"});
}

TEST_CASE("errors name the figure and its entry") {
    const auto ok = between("blocks", 1, 2);
    CHECK(error_of({ok, between("dram_latency", 1, 2)}) ==
          model_error{errc::unknown_parameter, "dram_latency", 2});
    CHECK(message(error_of({ok, between("dram_latency", 1, 2)})).view() ==
          "entry 2: dram_latency is no figure of this device or this kernel");
    CHECK(error_of({between("", 1, 2)}) == model_error{errc::unknown_parameter, "parameter", 1});
    // A kernel that is no stencil has no such figure, nor has a GPU without cost tables.
    CHECK(error_of({between("block_length", 1, 2)}).code == errc::unknown_parameter);
    CHECK(error_of({between("cpd_a", 1, 2)}).code == errc::unknown_parameter);
    CHECK(error_of({ok, exactly("clock_hz", 1), about("blocks", 0.1)}) ==
          model_error{errc::malformed, "blocks", 3});

    const double infinity = core::infinity<double>();
    const double nan = std::nan("");
    constexpr double bad_values[]{1, -1};
    constexpr std::string_view b = "blocks";
    for (const auto& bad : {std::pair{between(b, 2, 1), errc::outside_domain},
                            {between(b, -1, 1), errc::negative},
                            {between(b, 0, infinity), errc::negative},
                            {between(b, nan, 1), errc::negative},
                            {between(b, 0, 1e21), errc::overflow},
                            {exactly(b, nan), errc::negative},
                            {log_between(b, 0, 1), errc::not_positive},
                            {log_between(b, 2, 1), errc::outside_domain},
                            {log_normal(b, 0, 0.1), errc::not_positive},
                            {about(b, -0.1), errc::negative},
                            {normal(b, 1, 0, 0, 2), errc::not_positive},
                            {normal(b, 1, 1, 2, 0), errc::outside_domain},
                            {normal(b, 1, 1, 50, 60), errc::outside_domain},
                            {triangular(b, 1, 3, 2), errc::outside_domain},
                            {triangular(b, 1, 0, 2), errc::outside_domain},
                            {one_of(b, {}), errc::missing},
                            {one_of(b, bad_values), errc::negative}}) {
        CAPTURE(static_cast<int>(bad.first.which));
        CHECK(error_of({bad.first}) == model_error{bad.second, "blocks", 1});
    }
    CHECK(error_of({ok}, {.samples = 0}) == model_error{errc::not_positive, "samples"});
    CHECK(error_of({ok}, {.samples = most_samples + 1}) ==
          model_error{errc::limit_reached, "samples"});
    const std::vector<kernel_profile<>> many(9, kernel);
    CHECK(sample_times(counted, gpu, many, {}, {.samples = most_samples}).error() ==
          model_error{errc::limit_reached, "samples"});
    const auto nothing = sample_times(counted, gpu, std::span<const kernel_profile<>>{}, {});
    REQUIRE(nothing);
    CHECK(nothing->empty());
}
