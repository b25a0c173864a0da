// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string_view>

#include <warpgauge/analyse/error_factor.hpp>
#include <warpgauge/analyse/uncertainty.hpp>
#include <warpgauge/devices/a100_pcie_40gb.hpp>
#include <warpgauge/models/saturation.hpp>

namespace error_factor_test {

using namespace warpgauge;
using doctest::Approx;

namespace {

constexpr saturation_model<devices::a100_pcie_40gb> on_a100;

/// A stream of loads and stores, long enough that DRAM bounds it.
constexpr kernel_profile<> stream{
    .blocks = 1 << 16,
    .threads_per_block = 256,
    .comp_insts = 10,
    .coalesced_mem_insts = 2,
    .bytes_per_access = 8,
    .waits = {.counted = true, .dram_waits = 1, .store_waits = 1},
    .traffic = {.dram_read_bytes = 1 << 27, .dram_write_bytes = 1 << 27}};

double predicted() {
    return on_a100.predict(stream)->seconds;
}

}  // namespace

TEST_CASE("the error is a factor of the predicted time, log-normal") {
    const error_factor error = saturation_error(kernel_kind::stream);
    const uncertain unknowns[]{error.unknown()};
    const auto time = uncertain_time(on_a100, stream, unknowns);
    REQUIRE(time);
    CHECK(time->failed == 0);
    for (const double q : {0.05, 0.5, 0.95}) {
        const auto bounds = *time->quantile_bounds(q);
        CHECK(bounds.min_seconds <= predicted() * error.quantile(q));
        CHECK(predicted() * error.quantile(q) <= bounds.max_seconds);
    }
    CHECK(error.quantile(0.5) == Approx(error.centre));
    // 1.645 standard deviations of the logarithm; ln(1 + spread) is one.
    CHECK(error.quantile(0.95) / error.quantile(0.05) ==
          Approx(std::exp(2 * 1.6448536 * std::log1p(error.spread))));
}

TEST_CASE("it adds to what is not known of device and kernel") {
    // region: both
    const uncertain both[]{relative(triangular("dram_mixed_fraction", 0.8, 0.95, 1)),
                           saturation_error(kernel_kind::stream).unknown()};
    const auto wide = uncertain_time(on_a100, stream, both);
    // endregion
    const auto narrow = uncertain_time(on_a100, stream, std::span(both, 1));
    const auto error = uncertain_time(on_a100, stream, std::span(both + 1, 1));
    REQUIRE((wide && narrow && error));
    const auto width = [](const time_distribution& t) {
        const auto i = *t.interval(0.9);
        return i.max_seconds / i.min_seconds;
    };
    CHECK(width(*wide) > 1.02 * width(*narrow));
    CHECK(width(*wide) > 1.02 * width(*error));
}

TEST_CASE("shared by all configurations, or each its own") {
    kernel_profile<> slower = stream;
    slower.traffic.dram_read_bytes *= 1.02;
    const kernel_profile<> launches[]{stream, slower};
    const uncertain shared[]{saturation_error(kernel_kind::stream).unknown()};
    const uncertain own[]{independent(shared[0])};
    const auto together = sample(on_a100, launches, shared);
    const auto apart = sample(on_a100, launches, own);
    REQUIRE((together && apart));
    CHECK(probability_faster((*together)[0], (*together)[1])->first == 1);
    const double first = probability_faster((*apart)[0], (*apart)[1])->first;
    CHECK(first > 0.5);
    CHECK(first < 0.7);  // 1% apart, where each is 6% off
}

TEST_CASE("any law may be that of the factor") {
    for (const uncertain& u : {exactly("seconds", 1.25), relative(exactly("seconds", 1.25))}) {
        const auto time = sample(on_a100, stream, std::span(&u, 1), {.samples = 1});
        REQUIRE(time);
        CHECK(time->seconds[0] == predicted() * 1.25);
    }
    const uncertain nothing[]{exactly("seconds", 0)};
    const auto none = sample(on_a100, stream, nothing, {.samples = 3});
    REQUIRE(none);
    CHECK(none->failed == 3);
    CHECK(none->first_error == model_error{errc::not_positive, "seconds"});
    const uncertain twice[]{about("seconds", 0.1), about("seconds", 0.2)};
    CHECK(sample(on_a100, stream, twice).error() == model_error{errc::malformed, "seconds", 2});
}

TEST_CASE("every kind has a name and an error") {
    CHECK(name(static_cast<kernel_kind>(99)) == "unknown");
    for (const double spread : {0.1, 0.2}) {
        const uncertain u = error_factor{1.5, spread}.unknown();
        CHECK(u.parameter == "seconds");
        CHECK(u.centre == 1.5);
        CHECK(u.spread == spread);
    }
    CHECK(saturation_error(static_cast<kernel_kind>(99)).spread == error_factor{}.spread);
    std::set<std::string_view> names;
    for (std::size_t n = 0; n < kernel_kinds; ++n) {
        const auto kind = static_cast<kernel_kind>(n);
        CAPTURE(name(kind));
        CHECK(names.insert(name(kind)).second);
        CHECK(saturation_error(kind).spread > 0);
        // From counts alone the model is too slow; otherwise the interval has 1 in it.
        const bool has_one =
            saturation_error(kind).quantile(0.05) < 1 && saturation_error(kind).quantile(0.95) > 1;
        CHECK(has_one == (kind != kernel_kind::counted_loop_nest));
    }
    CHECK(names.count("unknown") == 0);
}

}  // namespace error_factor_test
