// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/eigen/held_out.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <utility>
#include <vector>

#include <warpgauge/eigen/calibrate.hpp>
#include <warpgauge/warpgauge.hpp>

#include "synthetic.hpp"

namespace held_out_test {

using namespace warpgauge;
using namespace synthetic;
using doctest::Approx;

namespace {

// Launches of more than 100 threads have no prediction beyond 8 cycles.
struct limited {
    template <class D, class Real>
    result<timed<Real>> operator()(const D& d, const kernel_profile<Real>& k) const {
        if (k.threads_per_block > 100 && d.issue_cycles > 8) {
            return model_error{errc::outside_domain, "threads_per_block"};
        }
        return takes<Real>(Real(d.issue_cycles) * k.blocks * 1e-6);
    }
};

// The same, without derivatives beyond 8 cycles.
struct without_slope {
    template <class D, class Real>
    result<timed<Real>> operator()(const D& d, const kernel_profile<Real>& k) const {
        if (!std::same_as<Real, double> && d.issue_cycles > 8) {
            return model_error{errc::outside_domain, "issue_cycles"};
        }
        return limited{}(d, k);
    }
};

struct sum {
    template <class D, class Real>
    auto operator()(const D& d, const kernel_profile<Real>& k) const {
        return takes<Real>(Real(d.issue_cycles) * k.comp_insts +
                           Real(d.dram_latency_cycles) * k.coalesced_mem_insts);
    }
};

}  // namespace

TEST_CASE("held-out error tells a fit of noise from a fit") {
    auto all = launches(50);
    const auto truth = true_gtx_280();
    measure(mwp_cwp_model{truth}, all, 1, 0.05);
    const auto good = calibrate(mwp_cwp_model{gtx_280}, all, timing);
    REQUIRE(good);
    CHECK_FALSE(good->by_kernel.overfits());
    CHECK(good->by_kernel.held_out < 1.1);
    CHECK(good->by_kernel.after <= good->by_kernel.held_out);
    REQUIRE(good->kernels.size() == kernels.size());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        CHECK(good->kernels[k].kernel == kernels[k]);
        CHECK(good->kernels[k].measurements == 10);
        CHECK(good->kernels[k].held_out.factor < good->kernels[k].before.factor);
    }
    // The device is right as it is, but one kernel's times are noise: the others pay for it.
    measure(mwp_cwp_model{gtx_280}, all);
    generator random{3};
    for (measurement& m : all) {
        if (m.kernel == "sort") m.seconds *= std::exp(3 * random.uniform());
    }
    const auto bad = calibrate(mwp_cwp_model{gtx_280}, all, timing);
    REQUIRE(bad);
    CHECK(bad->after.rms_log < bad->before.rms_log);
    CHECK(bad->by_kernel.overfits());
    CHECK(bad->by_kernel.held_out > bad->by_kernel.before);
}

TEST_CASE("what a scale alone does better is overfitted") {
    auto all = launches(50);
    measure(mwp_cwp_model{gtx_280}, all, 0.25);
    generator random{1};
    for (measurement& m :
         all) {  // the device is right but for a scale, and one kernel's times are noise
        if (m.kernel == "sort") m.seconds *= std::exp(2 * (2 * random.uniform() - 1));
    }
    const auto c = calibrate(mwp_cwp_model{gtx_280}, all, timing);
    REQUIRE(c);
    const auto scale = calibrate(mwp_cwp_model{gtx_280}, all, {});
    REQUIRE(scale);
    CHECK(c->by_kernel.scale_alone == Approx(scale->by_kernel.held_out).epsilon(1e-6));
    CHECK(scale->by_kernel.scale_alone == 0);
    CHECK_FALSE(scale->by_kernel.overfits());
    CHECK(c->by_kernel.held_out < c->by_kernel.before);
    CHECK(c->by_kernel.held_out > c->by_kernel.scale_alone);
    CHECK(c->by_kernel.overfits());
}

TEST_CASE("the error of a held-out kernel is that of the fit to the others") {
    auto all = launches(50);
    measure(mwp_cwp_model{true_gtx_280()}, all, 0.7, 0.1);
    const auto c = calibrate(mwp_cwp_model{gtx_280}, all, timing);
    REQUIRE(c);
    std::vector<measurement> rest;
    std::vector<measurement> sort;
    for (const measurement& m : all) (m.kernel == "sort" ? sort : rest).push_back(m);
    const auto without = calibrate(mwp_cwp_model{gtx_280}, rest, timing);
    REQUIRE(without);
    double sum = 0;
    for (const measurement& m : sort) {
        sum += off(without->scale * mwp_cwp_model{without->device}.predict(m.profile)->seconds,
                   m.seconds);
    }
    CHECK(c->kernels[3].held_out.factor == Approx(std::exp(sum / 10)).epsilon(1e-9));
    for (const fitted_parameter& p : c->parameters) {
        CHECK(p.log_error_of_kernels > 0.1 * p.log_error);
        CHECK(p.log_error_of_kernels < 10 * p.log_error);
    }
}

TEST_CASE("a held-out fit that fails is reported beside the others") {
    // Launches of more than 100 threads have no prediction beyond 8 cycles.
    std::vector<measurement> all;
    for (int n = 1; n <= 8; ++n) {
        const bool wide = n % 2 == 1;
        all.push_back({.profile = {.blocks = double(n), .threads_per_block = wide ? 128.0 : 32.0},
                       .seconds = (wide ? 7e-6 : 9e-6) * n,
                       .kernel = wide ? "wide" : "narrow"});
    }
    const std::array<fit_parameter, 1> issue{{{"issue_cycles", 0.5, 50}}};
    const auto c = calibrate(function_model{gtx_280, limited{}}, all, issue, {.fit_scale = false});
    REQUIRE(c);
    CHECK(c->device.issue_cycles == Approx(std::sqrt(7.0 * 9.0)));
    CHECK(c->kernels[0].held_out.factor == 0);  // 9 cycles from the narrow ones
    CHECK(c->kernels[0].held_out_error ==
          model_error{errc::outside_domain, "threads_per_block", 1});
    CHECK(c->kernels[1].held_out.factor == Approx(9.0 / 7.0));
    CHECK(c->kernels[1].held_out_error == model_error{});
    CHECK(c->by_kernel.held_out == Approx(9.0 / 7.0));
    CHECK(c->by_kernel.held_out < c->by_kernel.before);
    CHECK(c->by_kernel.unpredicted == 1);
    CHECK(c->by_kernel.overfits());
    CHECK(c->parameters[0].log_error_of_kernels == Approx(std::log(9.0 / 7.0) / 2));

    // Without derivatives beyond 8 cycles, there is no fit to the narrow ones.
    const auto lame =
        calibrate(function_model{gtx_280, without_slope{}}, all, issue, {.fit_scale = false});
    REQUIRE(lame);
    CHECK(lame->device.issue_cycles == Approx(std::sqrt(7.0 * 9.0)));
    CHECK(lame->kernels[0].held_out_error == model_error{errc::outside_domain, "issue_cycles", 2});
    CHECK(std::isinf(lame->parameters[0].log_error_of_kernels));
    CHECK_FALSE(lame->converged);
}

TEST_CASE("where one kernel alone determines a parameter, its error over kernels is infinite") {
    // The launches of "scan" alone have memory instructions.
    auto all = launches(40);
    for (measurement& m : all) {
        m.profile.comp_insts = 100 + m.profile.comp_insts / 30;
        if (m.kernel != "scan") m.profile.coalesced_mem_insts = 0;
    }
    measure(function_model{gtx_280, sum{}}, all, 1, 0.02);
    constexpr std::array<fit_parameter, 2> both{
        {{"issue_cycles", 0.1, 100}, {"dram_latency_cycles", 1, 1e5}}};
    auto start = edit(gtx_280);
    for (const double latency : {400.0, 450.0, 1000.0}) {
        CAPTURE(latency);
        start.dram_latency_cycles = latency;
        const auto c = calibrate(function_model{start, sum{}}, all, both, {.fit_scale = false});
        REQUIRE(c);
        CHECK(off(c->device.dram_latency_cycles, 450) < 0.03);
        CHECK(parameter(*c, "dram_latency_cycles").state == fit_state::fitted);
        CHECK(parameter(*c, "dram_latency_cycles").log_error < 0.03);
        CHECK(std::isinf(parameter(*c, "dram_latency_cycles").log_error_of_kernels));
        CHECK(parameter(*c, "issue_cycles").log_error_of_kernels < 0.03);
    }
    // A second kernel with memory instructions tells it too.
    for (std::size_t n = 0; n < all.size(); ++n) {
        if (all[n].kernel == "sort") all[n].profile.coalesced_mem_insts = double(1 + n);
    }
    measure(function_model{gtx_280, sum{}}, all, 1, 0.02);
    const auto c = calibrate(function_model{start, sum{}}, all, both, {.fit_scale = false});
    REQUIRE(c);
    CHECK(parameter(*c, "dram_latency_cycles").log_error_of_kernels < 0.1);
}

TEST_CASE("measurements are sorted by kernel, in the order of their first") {
    const std::vector<measurement> all{
        {.kernel = "b"}, {.kernel = "a"}, {.kernel = "b"}, {.kernel = "c"}, {.kernel = "a"}};
    const auto places = detail::eigen::places_by_kernel(all);
    REQUIRE(places.size() == 3);
    CHECK(places[0].kernel == "b");
    CHECK(places[0].inside == std::vector<std::size_t>{0, 2});
    CHECK(places[1].inside == std::vector<std::size_t>{1, 4});
    CHECK(places[2].inside == std::vector<std::size_t>{3});
}

TEST_CASE("errors of times and their means") {
    Eigen::VectorXd e(4);
    e << std::log(2.0), -std::log(2.0), std::log(8.0), -std::log(8.0);
    const time_error all = detail::eigen::time_error_of(e);
    CHECK(all.factor == Approx(4));  // 2^((1 + 1 + 3 + 3) / 4)
    CHECK(all.rms_log == Approx(std::log(2.0) * std::sqrt(5.0)));
    CHECK(detail::eigen::is_number(all));
    CHECK_FALSE(detail::eigen::is_number({std::numeric_limits<double>::infinity(), 1}));
    const std::vector<std::size_t> some{3, 0};
    const Eigen::VectorXd chosen = detail::eigen::at(e, some);
    REQUIRE(chosen.size() == 2);
    CHECK(chosen[0] == e[3]);
    CHECK(chosen[1] == e[0]);

    const std::vector<kernel_error> two_kernels{{.before = {2, 0}, .held_out = {3, 0}},
                                                {.before = {8, 0}}};
    CHECK(detail::eigen::mean_factor(two_kernels, &kernel_error::before) == Approx(4));
    CHECK(detail::eigen::mean_factor(two_kernels, &kernel_error::held_out) == Approx(3));
    CHECK(detail::eigen::mean_factor(two_kernels, &kernel_error::after) == 0);
}

TEST_CASE("a scale alone is fitted to the other kernels") {
    // Errors of +0.2 in one kernel and of -0.1 and +0.1 in the other: shifted by the others' mean.
    Eigen::VectorXd e(3);
    e << 0.2, -0.1, 0.1;
    const std::vector<detail::eigen::kernel_places> places{{"a", {0}}, {"b", {1, 2}}};
    // Of "a", 0.2 - 0 is left; of "b", |-0.1 - 0.2| and |0.1 - 0.2|, in the mean 0.2.
    CHECK(detail::eigen::scale_alone(e, places) == Approx(std::exp(0.2)));
}

}  // namespace held_out_test
