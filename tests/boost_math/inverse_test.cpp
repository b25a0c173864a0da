// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/boost_math/inverse.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string_view>

#include <warpgauge/warpgauge.hpp>

namespace inverse_test {

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
    const auto need = min_value_for(at_bandwidth, 1e10, 1e12, 1.5 * now);
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
    CHECK(min_value_for(at_bandwidth, 1e10, 1e13, 1e-9)->which == answer::never);
    const auto always = min_value_for(at_bandwidth, 1e11, 1e13, 1.0);
    CHECK(always->which == answer::always);
    CHECK(always->value == 1e11);
    CHECK(max_value_for(at_bandwidth, 1e11, 1e13, 1.0)->value == 1e13);
}

TEST_CASE("the greatest latency for a deadline") {
    const auto at_latency = [](double cycles) {
        auto gpu = edit(devices::geforce_rtx_2070_super{});
        gpu.dram_latency_cycles = cycles;
        return seconds_of(mwp_cwp_model{gpu}.predict(saxpy));
    };
    const double target = 1.2 * *at_latency(devices::geforce_rtx_2070_super::dram_latency_cycles);
    const auto greatest = max_value_for(at_latency, 100, 1e5, target);
    REQUIRE(greatest);
    CHECK(greatest->which == answer::at);
    CHECK(*at_latency(greatest->value) == Approx(target).epsilon(1e-9));
    CHECK(*at_latency(greatest->value * (1 + 1e-9)) > target);
}

TEST_CASE("steps are found to the last bit, and reported as steps") {
    const auto waves = [](double sms) { return result<double>(std::ceil(100 / sms)); };
    const auto need = min_value_for(waves, 1, 100, 4.5);  // four waves from 25 on
    REQUIRE(need);
    CHECK(need->value == 25);
    CHECK(need->seconds == 4);
    CHECK(need->jump);
    CHECK(std::nextafter(need->value, 0) < 25);
    CHECK(*waves(std::nextafter(need->value, 0)) == 5);
}

TEST_CASE("times and ranges as wide as a double") {
    const auto inverse = [](double x) -> result<double> { return 1 / x; };
    const auto need = min_value_for(inverse, 1e-300, 1e300, 1.0);
    REQUIRE(need);
    CHECK(need->value == doctest::Approx(1).epsilon(1e-9));
    const auto step = max_value_for(
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
    CHECK(max_value_for(within, 1e-300, 1e300, 1.0)->which == answer::always);
}

TEST_CASE("a value in error does not meet the target; errors everywhere are the answer") {
    const auto threads = [](double t) -> result<double> {
        if (t > 512) return model_error{errc::exceeds_device, "threads_per_block"};
        return 1 / t;
    };
    const auto greatest = max_value_for(threads, 1, 2048, 0.1);
    REQUIRE(greatest);
    CHECK(greatest->value == 512);
    CHECK(greatest->jump);
    CHECK(min_value_for(threads, 600, 2048, 0.1).error().field == "threads_per_block");
    CHECK(min_value_for(threads, 0, 8, 1).error() == model_error{errc::not_positive, "low"});
    CHECK(min_value_for(threads, 8, 8, 1).error() == model_error{errc::outside_domain, "high"});
    CHECK(min_value_for(threads, 1, 8, -1).error() ==
          model_error{errc::not_positive, "target_seconds"});
    CHECK(min_value_for(threads, 1, 8, 1, {.points = 1}).error().field == "points");
}

TEST_CASE("break-even and crossovers") {
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
             {min_value_for(time, low, high, target), max_value_for(time, low, high, target)}) {
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

namespace {

using gpu = edited<devices::geforce_rtx_2070_super>;

const gpu rtx_2070 = edit(devices::geforce_rtx_2070_super{});

void check_same(const result<threshold>& a, const result<threshold>& b) {
    REQUIRE(a);
    REQUIRE(b);
    CHECK(a->which == b->which);
    CHECK(a->value == b->value);
    CHECK(a->seconds == b->seconds);
    CHECK(a->jump == b->jump);
}

}  // namespace

TEST_CASE("a parameter by name gives the same bits as its function") {
    const mwp_cwp_model model{rtx_2070, {.rounds = waves::whole}};  // options are kept
    const double now = *seconds_of(model.predict(saxpy));
    const double bandwidth = rtx_2070.dram_bytes_per_s;
    const auto at_member = [&](auto member) {
        return [&model, member](double x) {
            gpu d = model.device;
            d.*member = x;
            return seconds_of(model.on(d).predict(saxpy));
        };
    };
    // How much bandwidth makes the kernel half as slow again; as much bandwidth as today for the time of today.
    for (const double times : {0.7, 1.0, 1.5}) {
        CAPTURE(times);
        check_same(
            find_threshold(
                model, saxpy, "dram_bytes_per_s",
                {.low = bandwidth / 8, .high = bandwidth * 8, .target_seconds = times * now}),
            min_value_for(at_member(&gpu::dram_bytes_per_s), bandwidth / 8, bandwidth * 8,
                          times * now));
        check_same(find_threshold(model, saxpy, "dram_latency_cycles",
                                  {.low = 10,
                                   .high = 1e4,
                                   .target_seconds = times * now,
                                   .find = extreme::maximum,
                                   .points = 100}),
                   max_value_for(at_member(&gpu::dram_latency_cycles), 10, 1e4, times * now,
                                 {.points = 100}));
    }
    // The time at twice the bandwidth needs twice the bandwidth.
    gpu doubled = rtx_2070;
    doubled.dram_bytes_per_s *= 2;
    const double target = *seconds_of(model.on(doubled).predict(saxpy));
    CHECK(target < now);
    const auto twice =
        find_threshold(model, saxpy, "dram_bytes_per_s",
                       {.low = bandwidth / 8, .high = bandwidth * 8, .target_seconds = target});
    REQUIRE(twice);
    CHECK(twice->which == answer::at);
    CHECK(twice->value <= 2 * bandwidth);
    gpu found = rtx_2070;
    found.dram_bytes_per_s = twice->value;
    CHECK(*seconds_of(model.on(found).predict(saxpy)) == twice->seconds);
    CHECK(twice->seconds <= target);
}

TEST_CASE("a parameter of the profile by name") {
    const mwp_cwp_model model{rtx_2070};
    const double target = 3 * *seconds_of(model.predict(saxpy));
    const auto insts = [&](double x) {
        auto k = saxpy;
        k.comp_insts = x;
        return seconds_of(model.predict(k));
    };
    const auto found =
        find_threshold(model, saxpy, "comp_insts",
                       {.low = 1, .high = 1e5, .target_seconds = target, .find = extreme::maximum});
    check_same(found, max_value_for(insts, 1, 1e5, target));
    CHECK(found->which == answer::at);
    CHECK(*insts(found->value) == Approx(target).epsilon(1e-9));
}

TEST_CASE("crossovers of two models by the name of a parameter") {
    const auto same_as_functions = [](const auto& a, const auto& b) {
        REQUIRE(a);
        REQUIRE(b);
        REQUIRE(a->size() == b->size());
        for (std::size_t n = 0; n < a->size(); ++n) {
            CHECK((*a)[n].value == (*b)[n].value);
            CHECK((*a)[n].first_seconds == (*b)[n].first_seconds);
            CHECK((*a)[n].second_seconds == (*b)[n].second_seconds);
            CHECK((*a)[n].first_faster_below == (*b)[n].first_faster_below);
            CHECK((*a)[n].jump == (*b)[n].jump);
        }
    };
    const mwp_cwp_model first{devices::geforce_gtx_1080_ti{}};
    const mwp_cwp_model second{rtx_2070};
    const auto insts_on = [](const auto& model) {
        return [&model](double x) {
            auto k = saxpy;
            k.comp_insts = x;
            return seconds_of(model.predict(k));
        };
    };
    const auto by_insts =
        find_crossovers(first, second, saxpy, "comp_insts", {.low = 1, .high = 1e4});
    same_as_functions(by_insts, crossovers(insts_on(first), insts_on(second), 1, 1e4));
    CHECK(by_insts->size() == 1);
    // Of the device: with what bandwidth of both are both as fast?
    auto slow_kernel = saxpy;
    slow_kernel.comp_insts = 30;
    const auto with_bandwidth = [&](const auto& model) {
        return [&](double x) {
            auto d = edit(model.device);
            d.dram_bytes_per_s = x;
            return seconds_of(model.on(d).predict(slow_kernel));
        };
    };
    same_as_functions(
        find_crossovers(first, second, slow_kernel, "dram_bytes_per_s",
                        {.low = 1e10, .high = 1e13, .points = 64}),
        crossovers(with_bandwidth(first), with_bandwidth(second), 1e10, 1e13, {.points = 64}));
}

TEST_CASE("a name that neither device nor kernel has is an error of that name") {
    const mwp_cwp_model model{rtx_2070};
    const threshold_question question{.low = 1, .high = 2, .target_seconds = 1};
    const auto error = [&](std::string_view name) {
        return find_threshold(model, saxpy, name, question).error();
    };
    CHECK(error("bandwidth") == model_error{errc::unknown_parameter, "bandwidth"});
    CHECK(error("cpd_a") == model_error{errc::unknown_parameter, "cpd_a"});  // not of this device
    CHECK(error("block_length") ==
          model_error{errc::unknown_parameter, "block_length"});  // not a stencil
    CHECK(error("") == model_error{errc::unknown_parameter, "parameter"});
    const mpd_cpd_model other{devices::geforce_gtx_260{}};
    CHECK(find_crossovers(model, other, saxpy, "cpd_a", {.low = 1, .high = 2}).error() ==
          model_error{errc::unknown_parameter, "cpd_a"});
    CHECK(find_crossovers(other, model, saxpy, "cpd_a", {.low = 1, .high = 2}).error() ==
          model_error{errc::unknown_parameter, "cpd_a"});
    CHECK(find_threshold(model, saxpy, "clock_hz", {.low = 1, .high = 1}).error() ==
          model_error{errc::outside_domain, "high"});
    CHECK(find_threshold(model, saxpy, "clock_hz", {.low = 1, .high = 2}).error() ==
          model_error{errc::not_positive, "target_seconds"});
}

TEST_CASE("answers have names") {
    CHECK(name(answer::at) == "at a value");
    CHECK(name(answer::never) == "nowhere in the range");
    CHECK(name(answer::always) == "in the whole range");
    CHECK(name(static_cast<answer>(9)) == "unknown");
    CHECK(name(extreme::minimum) == "minimum");
    CHECK(name(extreme::maximum) == "maximum");
}

TEST_CASE("crossovers of a wrong range, of no times, and of the same times") {
    const auto same = [](double x) { return result<double>(x); };
    const auto none = [](double) { return result<double>(model_error{errc::missing, "costs"}); };
    const auto zero = [](double) { return result<double>(0.0); };
    const auto later = [](double x) {
        return x < 3 ? result<double>(model_error{errc::missing, "costs"}) : result<double>(5.0);
    };
    CHECK(crossovers(same, same, 2, 1).error() == min_value_for(same, 2, 1, 1).error());
    CHECK(crossovers(none, same, 1, 2).error() == model_error{errc::missing, "costs"});
    CHECK(crossovers(same, none, 1, 2).error() == model_error{errc::missing, "costs"});
    CHECK(crossovers(zero, same, 1, 2).error() == model_error{errc::not_positive, "seconds"});
    CHECK(crossovers(same, zero, 1, 2).error() == model_error{errc::not_positive, "seconds"});
    CHECK(crossovers(same, same, 1, 2)->empty());
    // Before the first has a time, it is not faster either.
    const auto found = crossovers(later, same, 1, 10);
    REQUIRE(found);
    REQUIRE(found->size() == 1);
    CHECK(found->front().value == Approx(5).epsilon(1e-9));
    CHECK_FALSE(found->front().first_faster_below);
}

}  // namespace inverse_test
