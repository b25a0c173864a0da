// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/boost_math/inverse.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include <warpgauge/warpgauge.hpp>

using namespace warpgauge;
using doctest::Approx;

namespace {

constexpr kernel_profile<> saxpy{.blocks = 4096,
                                 .threads_per_block = 256,
                                 .registers_per_thread = 12,
                                 .comp_insts = 10,
                                 .coalesced_mem_insts = 3};

// Its time on a GPU of so much bandwidth.
result<double> at_bandwidth(double bytes_per_s) {
    auto gpu = edit(devices::geforce_rtx_2070_super{});
    gpu.dram_bytes_per_s = bytes_per_s;
    return seconds_of(mwp_cwp_model{gpu}.predict(saxpy));
}

}  // namespace

TEST_CASE("the answer put back gives the target") {
    const double now = *at_bandwidth(448e9);
    const auto need = least_value_for(at_bandwidth, 1e10, 1e12, 1.5 * now);
    REQUIRE(need);
    CHECK(need->which == answer::at);
    CHECK_FALSE(need->jump);
    CHECK(need->value < 448e9);
    CHECK(*at_bandwidth(need->value) == Approx(1.5 * now).epsilon(1e-9));
    CHECK(*at_bandwidth(need->value) <= 1.5 * now);
    CHECK(need->seconds == *at_bandwidth(need->value));
    CHECK(*at_bandwidth(need->value * (1 - 1e-9)) > 1.5 * now);  // and it is the least
}

TEST_CASE("never and always are answers") {
    CHECK(least_value_for(at_bandwidth, 1e10, 1e13, 1e-9)->which == answer::never);
    const auto always = least_value_for(at_bandwidth, 1e11, 1e13, 1.0);
    CHECK(always->which == answer::always);
    CHECK(always->value == 1e11);
    CHECK(most_value_for(at_bandwidth, 1e11, 1e13, 1.0)->value == 1e13);
}

TEST_CASE("the most latency for a deadline") {
    const auto at_latency = [](double cycles) {
        auto gpu = edit(devices::geforce_rtx_2070_super{});
        gpu.dram_latency_cycles = cycles;
        return seconds_of(mwp_cwp_model{gpu}.predict(saxpy));
    };
    const double target = 1.2 * *at_latency(devices::geforce_rtx_2070_super::dram_latency_cycles);
    const auto most = most_value_for(at_latency, 100, 1e5, target);
    REQUIRE(most);
    CHECK(most->which == answer::at);
    CHECK(*at_latency(most->value) == Approx(target).epsilon(1e-9));
    CHECK(*at_latency(most->value * (1 + 1e-9)) > target);
}

TEST_CASE("steps are found to the last bit, and said to be steps") {
    const auto waves = [](double sms) { return result<double>(std::ceil(100 / sms)); };
    const auto need = least_value_for(waves, 1, 100, 4.5);  // four waves from 25 on
    REQUIRE(need);
    CHECK(need->value == 25);
    CHECK(need->seconds == 4);
    CHECK(need->jump);
    CHECK(std::nextafter(need->value, 0) < 25);
    CHECK(*waves(std::nextafter(need->value, 0)) == 5);
}

TEST_CASE("times and ranges as wide as a double") {
    const auto inverse = [](double x) -> result<double> { return 1 / x; };
    const auto need = least_value_for(inverse, 1e-300, 1e300, 1.0);
    REQUIRE(need);
    CHECK(need->value == doctest::Approx(1).epsilon(1e-9));
    const auto step = most_value_for(
        [](double x) -> result<double> { return x < 5 ? 1e-300 : 1e200; }, 1, 10, 1e100);
    REQUIRE(step);
    CHECK(step->value < 5);
    CHECK(step->value == doctest::Approx(5).epsilon(1e-12));
    CHECK(step->jump);
    const auto crossed =
        crossovers([](double x) -> result<double> { return x; }, inverse, 1e-300, 1e300);
    REQUIRE(crossed);
    REQUIRE(crossed->size() == 1);
    CHECK(crossed->front().value == doctest::Approx(1).epsilon(1e-9));
    const auto within = [](double x) -> result<double> {
        CHECK(x >= 1e-300);
        CHECK(x <= 1e300);
        return 1e-6;
    };
    CHECK(most_value_for(within, 1e-300, 1e300, 1.0)->which == answer::always);
}

TEST_CASE("a value in error does not meet the target; errors everywhere are the answer") {
    const auto threads = [](double t) -> result<double> {
        if (t > 512) return model_error{errc::exceeds_device, "threads_per_block"};
        return 1 / t;
    };
    const auto most = most_value_for(threads, 1, 2048, 0.1);
    REQUIRE(most);
    CHECK(most->value == 512);
    CHECK(most->jump);
    CHECK(least_value_for(threads, 600, 2048, 0.1).error().field == "threads_per_block");
    CHECK(least_value_for(threads, 0, 8, 1).error() == model_error{errc::not_positive, "low"});
    CHECK(least_value_for(threads, 8, 8, 1).error() == model_error{errc::outside_domain, "high"});
    CHECK(least_value_for(threads, 1, 8, -1).error() == model_error{errc::not_positive, "target"});
    CHECK(least_value_for(threads, 1, 8, 1, {.points = 1}).error().field == "points");
}

TEST_CASE("break-even and crossovers") {
    // A GPU of half the bandwidth and three times the price: how much must the first one's clock be?
    const auto a = [](double n) { return result<double>(2 + n); };
    const auto b = [](double n) { return result<double>(0.25 * n * n); };
    const auto all = crossovers(a, b, 0.1, 100);
    REQUIRE(all);
    REQUIRE(all->size() == 1);
    const double root = 2 + std::sqrt(12.0);  // 0.25 n^2 = n + 2
    CHECK((*all)[0].value == Approx(root).epsilon(1e-12));
    CHECK((*all)[0].first_seconds == Approx((*all)[0].second_seconds).epsilon(1e-9));
    CHECK_FALSE((*all)[0].first_faster_below);
    CHECK_FALSE((*all)[0].jump);
    CHECK(crossovers(a, b, 10, 100)->empty());
    const auto wavy = crossovers([](double x) { return result<double>(2 + std::sin(x)); },
                                 [](double) { return result<double>(2); }, 1, 30);
    CHECK(wavy->size() == 9);  // 30 / pi
    const auto none = [](double) { return result<double>(model_error{errc::missing, "costs"}); };
    CHECK(crossovers(a, none, 1, 2).error().field == "costs");
}

TEST_CASE("on random kernels and parameters: put back, the target") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
        return low *
               std::exp(std::log(high / low) * (static_cast<double>(random()) / 4'294'967'296.0));
    };
    int met = 0;
    for (int n = 0; n < 300; ++n) {
        const kernel_profile<> k{.blocks = std::floor(between(100, 10'000)),
                                 .threads_per_block = 32 * std::floor(between(1, 16)),
                                 .registers_per_thread = 16,
                                 .comp_insts = between(1, 1000),
                                 .coalesced_mem_insts = between(1, 100),
                                 .uncoalesced_mem_insts = between(0.1, 10)};
        const auto time = [&](double x) {
            auto gpu = edit(devices::geforce_rtx_2070_super{});
            (n % 3 == 0   ? gpu.dram_bytes_per_s
             : n % 3 == 1 ? gpu.clock_hz
                          : gpu.dram_latency_cycles) = x;
            return seconds_of(mwp_cwp_model{gpu}.predict(k));
        };
        const double low = n % 3 == 2 ? 100 : 1e8;
        const double high = n % 3 == 2 ? 1e4 : 1e13;
        const double target = std::sqrt(*time(low) * *time(high));
        for (const auto& t :
             {least_value_for(time, low, high, target), most_value_for(time, low, high, target)}) {
            REQUIRE(t);
            if (t->which != answer::at) continue;
            ++met;
            CHECK(*time(t->value) <= target);
            if (!t->jump && t->value != low && t->value != high) {
                CHECK(*time(t->value) == Approx(target).epsilon(1e-9));
            }
        }
    }
    CHECK(met > 200);
}
