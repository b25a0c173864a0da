// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/eigen/calibrate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <utility>
#include <vector>

#include <warpgauge/warpgauge.hpp>

#include "any_gpu.hpp"
#include "synthetic.hpp"

namespace calibrate_test {

using namespace warpgauge;
using namespace synthetic;
using doctest::Approx;

namespace {

constexpr instruction load_first[]{loop(4, 20),
                                   {.unit = unit_kind::global_memory},
                                   {.unit = unit_kind::single_precision, .op = operation::mul},
                                   {.unit = unit_kind::single_precision, .op = operation::add},
                                   {.unit = unit_kind::integer, .op = operation::add}};
constexpr instruction divisions[]{{.unit = unit_kind::global_memory},
                                  loop(2, 9),
                                  {.unit = unit_kind::single_precision, .op = operation::div},
                                  {.unit = unit_kind::integer, .op = operation::mul},
                                  {.unit = unit_kind::global_memory}};
constexpr instruction additions[]{{.unit = unit_kind::global_memory},
                                  loop(1, 40),
                                  {.unit = unit_kind::single_precision, .op = operation::add},
                                  {.unit = unit_kind::global_memory}};

std::vector<measurement> streams() {
    generator random{7};
    std::vector<measurement> all(30);
    for (std::size_t n = 0; n < all.size(); ++n) {
        all[n].profile = {.blocks = std::floor(random.between(1000, 100'000)),
                          .threads_per_block = 32 * std::floor(random.between(1, 8)),
                          .active_blocks_per_sm = std::floor(random.between(1, 4)),
                          .bytes_per_access = 4 * std::floor(random.between(1, 5))};
        const std::span<const instruction> all_streams[]{load_first, divisions, additions};
        all[n].profile.instructions = all_streams[n % 3];
        all[n].kernel = kernels[n % 3];
    }
    return all;
}

// A time that reacts to every parameter of a device that is not 0, by its fourth root.
struct product {
    template <class D, class Real>
    auto operator()(const D& d, const kernel_profile<Real>& k) const {
        Real t = k.blocks;
        for_each_parameter(d, [&](device_parameter, const auto& value) {
            if (value > 0) t = t * core::sqrt(core::sqrt(Real(value)));
        });
        return takes<Real>(t);
    }
};

struct short_time {
    template <class D, class Real>
    auto operator()(const D& d, const kernel_profile<Real>& k) const {
        return takes<Real>(1e-8 / 4 * Real(d.issue_cycles) * k.threads_per_block);
    }
};

// MWP/CWP, which has no prediction below 2 issue cycles.
struct only_above_two {
    template <class D, class Real>
    auto operator()(const D& d, const kernel_profile<Real>& k) const
        -> decltype(mwp_cwp_model{d}.predict(k)) {
        if (d.issue_cycles < 2) return model_error{errc::outside_domain, "issue_cycles"};
        return mwp_cwp_model{d}.predict(k);
    }
};

}  // namespace

TEST_CASE("parameters that the data determine are found to 1e-6, MWP/CWP") {
    auto all = launches(60);
    const auto truth = true_gtx_280();
    for (const double scale : {1.0, 0.3}) {
        CAPTURE(scale);
        measure(mwp_cwp_model{truth}, all, scale);
        const auto c = calibrate(mwp_cwp_model{gtx_280}, all, timing);
        REQUIRE(c);
        CHECK(c->converged);
        CHECK(off(c->device.issue_cycles, 6) < 1e-6);
        CHECK(off(c->device.dram_latency_cycles, 300) < 1e-6);
        CHECK(off(c->device.coalesced_departure_cycles, 9) < 1e-6);
        CHECK(off(c->device.uncoalesced_departure_cycles, 25) < 1e-6);
        CHECK(off(c->scale, scale) < 1e-6);
        CHECK(c->ambiguities.empty());
        CHECK(c->before.factor > 1.2);
        CHECK(c->after.factor < 1 + 1e-6);
        CHECK(c->by_kernel.held_out < 1 + 1e-5);
        CHECK_FALSE(c->by_kernel.overfits());
        CHECK(c->parameters.size() == 5);
        for (const fitted_parameter& p : c->parameters) {
            CHECK(p.state == fit_state::fitted);
            CHECK(p.log_error < 1e-6);
        }
        CHECK(parameter(*c, "issue_cycles").start == 4);
        CHECK(parameter(*c, "scale").start == 1);
    }
}

TEST_CASE("a model that rounds, MPD/CPD, is fitted by secants") {
    auto all = streams();
    auto truth = edit(gtx_260);
    truth.cpd_a = 2;
    truth.cpd_b = 15;
    measure(mpd_cpd_model{truth}, all, 1.7);
    const std::array<fit_parameter, 2> degrees{{{"cpd_a", 0.5, 20}, {"cpd_b", 2, 80}}};
    const auto c = calibrate(mpd_cpd_model{gtx_260}, all, degrees, {.secant = 0.05});
    REQUIRE(c);
    CHECK(off(c->scale, 1.7) < 1e-6);
    CHECK(c->after.rms_log < 1e-6);
    // Cycles are whole numbers: between two of them, all values are as good.
    CHECK(off(c->device.cpd_a, 2) < 1e-3);
    CHECK(off(c->device.cpd_b, 15) < 0.05);
    CHECK(parameter(*c, "cpd_a").state == fit_state::fitted);
}

TEST_CASE("at a point, a model of whole cycles does not react") {
    const function_model whole_cycles{
        gtx_260, [](const auto& d, const auto& k) {
            using real = std::remove_cvref_t<decltype(k.blocks)>;
            return takes<real>(core::ceil(real(k.blocks * real(d.cpd_a))));
        }};
    auto all = streams();
    measure(whole_cycles, all, 1.7);
    const std::array<fit_parameter, 1> degree{{{"cpd_a", 0.5, 20}}};
    const auto flat = calibrate(whole_cycles, all, degree);
    REQUIRE(flat);
    CHECK(parameter(*flat, "cpd_a").state == fit_state::no_effect);
    CHECK(parameter(*flat, "scale").state == fit_state::fitted);
}

TEST_CASE("the device as given is predicted to the bit") {
    const mwp_cwp_model whole{devices::geforce_gtx_1080_ti{}, {.rounds = waves::whole}};  // 28 SMs
    std::vector<measurement> all(8);
    for (std::size_t n = 0; n < all.size(); ++n) {
        const double rounds = static_cast<double>(n + 1);
        all[n].profile = {
            .blocks = 28 * rounds,  // of an SM less by a bit it would be one round more
            .threads_per_block = 256,
            .active_blocks_per_sm = 1,
            .comp_insts = 3000 * rounds};
        all[n].kernel = kernels[n % 2];
    }
    measure(whole, all);
    const auto c =
        calibrate(whole, all, std::array{fit_parameter{"sm_count", 1, 1000}}, {.fit_scale = false});
    REQUIRE(c);
    CHECK(c->before.factor == 1);
    CHECK(c->after.factor == 1);
    CHECK(c->by_kernel.held_out == 1);
    CHECK(c->device.sm_count == 28);
}

TEST_CASE("standard errors are the spread over repeated noise") {
    constexpr int repeats = 100;
    auto all = launches(60);
    const auto truth = true_gtx_280();
    const std::array<double, 5> known{6, 300, 9, 25, 0.8};
    std::array<double, 5> square_sum{};
    std::array<double, 5> variance_sum{};
    for (int n = 0; n < repeats; ++n) {
        measure(mwp_cwp_model{truth}, all, 0.8, 0.02, 1000 + static_cast<std::uint64_t>(n));
        const auto c =
            calibrate(mwp_cwp_model{gtx_280}, all, timing, {.hold_out = false, .starts = 2});
        REQUIRE(c);
        for (std::size_t p = 0; p < known.size(); ++p) {
            const fitted_parameter& f = c->parameters[p];
            CHECK(off(f.value, known[p]) < 5 * f.log_error);
            square_sum[p] += std::pow(std::log(f.value / known[p]), 2);
            variance_sum[p] += f.log_error * f.log_error;
            CHECK(c->covariance(static_cast<int>(p), static_cast<int>(p)) ==
                  Approx(f.log_error * f.log_error).epsilon(1e-12));
            CHECK(c->correlation(static_cast<int>(p), static_cast<int>(p)) == 1);
            CHECK(f.log_error_of_kernels == 0);
        }
    }
    for (std::size_t p = 0; p < known.size(); ++p) {
        CAPTURE(p);
        const double ratio = std::sqrt(square_sum[p] / variance_sum[p]);
        CHECK(ratio > 1 / 1.5);
        CHECK(ratio < 1.5);
    }
}

TEST_CASE("bounds hold, and the report says which of them") {
    auto all = launches(60);
    measure(mwp_cwp_model{true_gtx_280()}, all);  // issue_cycles 6, dram_latency_cycles 300
    const auto c =
        calibrate(mwp_cwp_model{gtx_280}, all,
                  std::array<fit_parameter, 3>{{{"issue_cycles", 3, 5},
                                                {"dram_latency_cycles", 400, 500},
                                                {"uncoalesced_departure_cycles", 2, 400}}});
    REQUIRE(c);
    CHECK(c->converged);
    CHECK(c->device.issue_cycles == 5);
    CHECK(parameter(*c, "issue_cycles").state == fit_state::at_max);
    CHECK(parameter(*c, "issue_cycles").log_error == 0);
    CHECK(c->device.dram_latency_cycles == 400);
    CHECK(parameter(*c, "dram_latency_cycles").state == fit_state::at_min);
    CHECK(parameter(*c, "uncoalesced_departure_cycles").state == fit_state::fitted);
    CHECK(parameter(*c, "uncoalesced_departure_cycles").log_error > 0);
    CHECK(c->covariance(0, 0) == 0);
    CHECK(c->covariance(2, 2) > 0);
    CHECK(c->after.rms_log < c->before.rms_log);

    const auto fixed =
        calibrate(mwp_cwp_model{gtx_280}, all, std::array{fit_parameter{"issue_cycles", 4, 4}},
                  {.fit_scale = false});
    REQUIRE(fixed);
    CHECK(fixed->device.issue_cycles == 4);
    CHECK(fixed->after.rms_log == fixed->before.rms_log);
}

TEST_CASE("the order of measurements and of parameters does not matter") {
    auto all = launches(40);
    measure(mwp_cwp_model{true_gtx_280()}, all, 1.2, 0.1);
    const auto c = calibrate(mwp_cwp_model{gtx_280}, all, timing);
    generator random{5};
    for (std::size_t n = all.size() - 1; n > 0; --n) {
        std::swap(all[n], all[static_cast<std::size_t>(random.uniform() * double(n + 1))]);
    }
    const auto shuffled = calibrate(mwp_cwp_model{gtx_280}, all, timing);
    auto reversed = timing;
    std::reverse(reversed.begin(), reversed.end());
    const auto turned = calibrate(mwp_cwp_model{gtx_280}, all, reversed);
    REQUIRE(c);
    REQUIRE(shuffled);
    REQUIRE(turned);
    for (const fitted_parameter& p : c->parameters) {
        CHECK(off(parameter(*shuffled, p.name).value, p.value) < 1e-5);
        // The model has kinks: other starting points may end in a dent beside.
        CHECK(off(parameter(*turned, p.name).value, p.value) < 0.5 * p.log_error);
        CHECK(parameter(*shuffled, p.name).log_error == Approx(p.log_error).epsilon(1e-4));
    }
    CHECK(shuffled->by_kernel.held_out == Approx(c->by_kernel.held_out).epsilon(1e-6));
    const auto again = calibrate(mwp_cwp_model{gtx_280}, all, timing);
    REQUIRE(again);
    CHECK(again->device.issue_cycles == shuffled->device.issue_cycles);  // to the bit
}

TEST_CASE("corrections carry over to another device") {
    auto all = launches(60);
    measure(mwp_cwp_model{true_gtx_280()}, all, 0.5);
    const auto c = calibrate(mwp_cwp_model{gtx_280}, all, timing);
    REQUIRE(c);
    const auto same = corrected(gtx_280, c->parameters);
    REQUIRE(same);
    CHECK(same->issue_cycles == Approx(c->device.issue_cycles).epsilon(1e-14));
    CHECK(same->sm_count == gtx_280.sm_count);
    constexpr devices::geforce_rtx_2070_super rtx_2070_super;
    const auto other = corrected(rtx_2070_super, c->parameters);
    REQUIRE(other);
    CHECK(other->issue_cycles == Approx(rtx_2070_super.issue_cycles * 6 / 4));
    CHECK(other->name == "GeForce RTX 2070 SUPER");
    CHECK(corrected(gtx_260, c->parameters).error() ==
          model_error{errc::unknown_parameter, "issue_cycles", 1});
}

TEST_CASE("what cannot be corrected is an error") {
    using list = std::vector<fitted_parameter>;
    const auto error = [](const list& parameters) {
        const auto d = corrected(gtx_280, parameters);
        return d ? model_error{} : d.error();
    };
    const double infinite = std::numeric_limits<double>::infinity();
    const fitted_parameter issue{.name = "issue_cycles", .start = 1, .value = 2};
    const fitted_parameter scale{.name = "scale", .start = 1, .value = 2};
    CHECK(error({issue, scale}) == model_error{});
    CHECK(error({issue, issue}) == model_error{errc::malformed, "parameters", 2});
    CHECK(error({scale, issue, scale}) == model_error{errc::malformed, "parameters", 3});
    CHECK(error({scale, {.name = "issue_cycles", .start = 0, .value = 1}}) ==
          model_error{errc::not_positive, "start", 2});
    CHECK(error({{.name = "issue_cycles", .start = 1, .value = infinite}}) ==
          model_error{errc::not_positive, "value", 1});
    CHECK(error({{.name = "issue_cycles", .start = 1e-300, .value = 1e300}}) ==
          model_error{errc::overflow, "issue_cycles", 1});
    CHECK(error({{.name = "issue_cycles", .start = 1e300, .value = 1e-300}}) ==
          model_error{errc::overflow, "issue_cycles", 1});
}

TEST_CASE("times too far apart for a factor between them are an error") {
    std::vector<measurement> all(6);
    for (std::size_t n = 0; n < all.size(); ++n) {
        all[n] = {.profile = {.threads_per_block = double(1 + n)},
                  .seconds = 1e307 * (1 + double(n % 3)),
                  .kernel = kernels[n % 2]};
    }
    const std::array<fit_parameter, 1> issue{{{"issue_cycles", 1, 1e300}}};
    for (const bool scale : {true, false}) {
        CHECK(calibrate(function_model{gtx_280, short_time{}}, all, issue, {.fit_scale = scale})
                  .error() == model_error{errc::overflow, "seconds"});
    }
    // As far as numbers go, a factor is found.
    for (measurement& m : all) m.seconds /= 1e10;
    const auto c = calibrate(function_model{gtx_280, short_time{}}, all, {});
    REQUIRE(c);
    CHECK(c->scale > 1e303);
    CHECK(core::finite(c->scale));
    CHECK(core::finite(c->by_kernel.before));
}

TEST_CASE("what cannot be calibrated is an error") {
    auto all = launches(20);
    measure(mwp_cwp_model{gtx_280}, all);
    const auto error = [&](const auto& measured, std::vector<fit_parameter> parameters,
                           const calibration_options& options = {}) {
        const auto c = calibrate(mwp_cwp_model{gtx_280}, measured, parameters, options);
        return c ? model_error{} : c.error();
    };
    const fit_parameter issue{"issue_cycles", 1, 10};
    CHECK(error(all, {issue}) == model_error{});
    CHECK(error(all, {}) == model_error{});  // the scale alone
    CHECK(error(all, {}, {.fit_scale = false}) == model_error{errc::missing, "parameters"});
    CHECK(error(all, {{"issue", 1, 10}}) == model_error{errc::unknown_parameter, "issue", 1});
    CHECK(error(all, {{"scale", 1, 10}}) == model_error{errc::unknown_parameter, "scale", 1});
    CHECK(error(all, {issue, {"cpd_a", 1, 10}}) ==
          model_error{errc::unknown_parameter, "cpd_a", 2});
    CHECK(error(all, {issue, issue}) == model_error{errc::malformed, "parameters", 2});
    CHECK(error(all, {{"issue_cycles", 0, 10}}) == model_error{errc::not_positive, "min_value", 1});
    CHECK(error(all, {{"issue_cycles", 5, 4}}) ==
          model_error{errc::outside_domain, "max_value", 1});
    CHECK(error(all, {{"issue_cycles", 1, std::nan("")}}) ==
          model_error{errc::outside_domain, "max_value", 1});
    CHECK(error(all, {{"issue_cycles", 1, std::numeric_limits<double>::infinity()}}) ==
          model_error{errc::outside_domain, "max_value", 1});
    auto none = edit(gtx_280);
    none.issue_cycles = 0;  // a parameter without a logarithm
    CHECK(calibrate(mwp_cwp_model{none}, all, std::array{issue}).error() ==
          model_error{errc::outside_domain, "issue_cycles", 1});
    CHECK(error(all, {{"issue_cycles", 5, 10}}) ==
          model_error{errc::outside_domain, "issue_cycles", 1});
    CHECK(error(all, {issue}, {.starts = 0}) == model_error{errc::outside_domain, "starts"});
    CHECK(error(all, {issue}, {.max_steps = 0}) == model_error{errc::outside_domain, "max_steps"});
    CHECK(error(all, {issue}, {.secant = 1}) == model_error{errc::outside_domain, "secant"});
    CHECK(error(all, {issue}, {.rank_tolerance = 1}) ==
          model_error{errc::outside_domain, "rank_tolerance"});
    CHECK(error(std::vector(all.begin(), all.begin() + 2), {issue}) ==
          model_error{errc::missing, "measurements"});
    CHECK(error(std::vector(all.begin(), all.begin() + 3), {issue}) == model_error{});
    // Without a kernel, fewer are left than parameters.
    CHECK(error(std::vector(all.begin(), all.begin() + 6),
                std::vector<fit_parameter>(timing.begin(), timing.end())) == model_error{});
    CHECK(error(std::vector<measurement>{}, {issue}) == model_error{errc::missing, "measurements"});

    auto one_kernel = all;
    for (measurement& m : one_kernel) m.kernel = "one";
    CHECK(error(one_kernel, {issue}) == model_error{errc::missing, "kernel"});
    CHECK(error(one_kernel, {issue}, {.hold_out = false}) == model_error{});

    auto bad = all;
    bad[4].seconds = 0;
    CHECK(error(bad, {issue}) == model_error{errc::not_positive, "seconds", 5});
    bad = all;
    bad[6].profile.threads_per_block = -1;
    CHECK(error(bad, {issue}) == model_error{errc::not_positive, "threads_per_block", 7});
}

TEST_CASE("a search that is cut short says so") {
    auto all = launches(60);
    measure(mwp_cwp_model{true_gtx_280()}, all, 1, 0.1);
    const auto c = calibrate(mwp_cwp_model{gtx_280}, all, timing, {.starts = 1, .max_steps = 1});
    REQUIRE(c);
    CHECK_FALSE(c->converged);
    CHECK(c->after.rms_log < c->before.rms_log);
}

TEST_CASE("a model that has no prediction in part of the bounds is fitted in the rest") {
    auto all = launches(30);
    auto truth = edit(gtx_280);
    truth.issue_cycles = 6;
    measure(mwp_cwp_model{truth}, all);
    const auto c = calibrate(function_model{gtx_280, only_above_two{}}, all,
                             std::array{fit_parameter{"issue_cycles", 0.01, 100}});
    REQUIRE(c);
    CHECK(off(c->device.issue_cycles, 6) < 1e-6);
}

namespace {

struct fits {
    std::size_t fitted{}, refused{};
};

/// Fits each parameter of the table alone.
template <class Device>
void fit_each(const Device& device, fits& count) {
    CAPTURE(device.name);
    parameter_set known;
    auto truth = edit(device);
    for_each_parameter(truth, [&](device_parameter p, double& value) {
        known.add(p);
        value *= 1.5;
    });
    for (std::size_t n = 0; n < device_parameter_count; ++n) {
        const auto p = static_cast<device_parameter>(n);
        CAPTURE(info(p).name);
        auto gpu = edit(device);
        double* const value = find_parameter(gpu, info(p).name);
        CHECK((value != nullptr) == known.contains(p));
        const double given = value != nullptr ? *value : 1;
        const std::array<fit_parameter, 1> wanted{{{info(p).name, given / 4, given * 4}}};
        if (value != nullptr) *value *= 1.5;
        std::vector<measurement> all{{.profile = {.blocks = 10}}, {.profile = {.blocks = 20}}};
        measure(function_model{gpu, product{}}, all);
        const auto c = calibrate(function_model{device, product{}}, all, wanted,
                                 {.fit_scale = false, .hold_out = false, .starts = 1});
        if (known.contains(p) && given > 0) {
            ++count.fitted;
            REQUIRE(c);
            CHECK(off(c->parameters[0].value, 1.5 * given) < 1e-6);
        } else {
            ++count.refused;
            REQUIRE_FALSE(c);
            const model_error expected =
                known.contains(p) ? model_error{errc::not_positive, "min_value", 1}
                                  : model_error{errc::unknown_parameter, info(p).name, 1};
            CHECK(c.error() == expected);
        }
    }
}

}  // namespace

TEST_CASE("calibration takes exactly the parameters that a device has, of every device") {
    fits count;
    for (const any_gpu& gpu : all_gpus()) fit_each(gpu, count);
    CHECK(count.fitted > 200);
    CHECK(count.refused > 100);
}

TEST_CASE("calibration takes exactly the parameters that the type of a device has") {
    fits count;
    fit_each(devices::geforce_8800_gtx{}, count);
    fit_each(devices::instinct_mi210{}, count);
    fit_each(devices::h200{}, count);
    CHECK(count.fitted > 20);
    CHECK(count.refused > 20);
}

TEST_CASE("the latency of DRAM can be fitted on an H100") {
    const devices::h100_sxm5 h100;
    auto truth = edit(h100);
    truth.dram_latency_cycles *= 1.3;
    const std::array<fit_parameter, 1> latency{{{"dram_latency_cycles", 100, 5000}}};

    SUBCASE("through a simulation, which takes no derivatives") {
        constexpr instruction dependent[]{
            {.unit = unit_kind::global_memory},
            loop(1, 4),
            {.unit = unit_kind::single_precision, .op = operation::add, .needs = {2}},
            {.unit = unit_kind::global_memory}};
        std::vector<measurement> all(4);
        for (std::size_t n = 0; n < all.size(); ++n) {
            all[n] = {.profile = {.blocks = 132 * static_cast<double>(1 + n),
                                  .threads_per_block = 64,
                                  .bytes_per_access = 4,
                                  .instructions = n % 2 == 0 ? dependent : additions},
                      .kernel = kernels[n % 2]};
        }
        measure(hybrid_model{truth}, all);
        const auto c =
            calibrate(hybrid_model{h100}, all, latency, {.fit_scale = false, .secant = 0.02});
        REQUIRE(c);
        CHECK(parameter(*c, "dram_latency_cycles").state == fit_state::fitted);
        CHECK(off(c->device.dram_latency_cycles, truth.dram_latency_cycles) < 1e-3);
        CHECK(c->after.factor < 1.001);
        CHECK(c->before.factor > 1.1);
        CHECK(calibrate(hybrid_model{h100}, all, latency).error() ==
              model_error{errc::not_positive, "secant"});
    }
    SUBCASE("through a model of one's own") {
        auto all = launches(10);
        measure(function_model{truth, product{}}, all);
        const auto c = calibrate(function_model{h100, product{}}, all, latency);
        REQUIRE(c);  // the scale is as good an explanation of longer times
        CHECK(parameter(*c, "dram_latency_cycles").state == fit_state::ambiguous);
        const auto alone =
            calibrate(function_model{h100, product{}}, all, latency, {.fit_scale = false});
        REQUIRE(alone);
        CHECK(off(alone->device.dram_latency_cycles, truth.dram_latency_cycles) < 1e-9);
    }
}

}  // namespace calibrate_test
