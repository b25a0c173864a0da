// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/eigen/identify.hpp>

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

namespace identify_test {

using namespace warpgauge;
using namespace synthetic;
using doctest::Approx;

namespace {

struct with_transactions : devices::geforce_gtx_280 {
    static constexpr double dram_transaction_bytes = 32;
};

// A line in the logarithm: ln(seconds) = comp_insts * ln(issue_cycles), of 1 or 3 instructions.
struct power {
    template <class D, class Real>
    auto operator()(const D& d, const kernel_profile<Real>& k) const {
        return takes<Real>(core::select(k.comp_insts < Real(2.0), Real(d.issue_cycles),
                                        Real(d.issue_cycles * d.issue_cycles * d.issue_cycles)));
    }
};

// A time like a * b^(1/128).
struct root {
    template <class D, class Real>
    auto operator()(const D& d, const kernel_profile<Real>& k) const {
        Real b(d.dram_latency_cycles);
        for (int n = 0; n < 7; ++n) b = core::sqrt(b);
        return takes<Real>(1e-6 * Real(d.issue_cycles) * b * k.blocks);
    }
};

struct transfer {
    template <class D, class Real>
    auto operator()(const D& d, const kernel_profile<Real>& k) const {
        return takes<Real>(k.coalesced_mem_insts / Real(d.dram_bytes_per_s));
    }
};

}  // namespace

TEST_CASE("covariance is that of a linear fit") {
    // ln(seconds) = ln(scale) + comp_insts * ln(issue_cycles): a straight line through (x, y), whose
    // errors every textbook has.
    std::vector<measurement> all;
    for (const auto& [x, y] : {std::pair{1, 2.0}, {1, 2.5}, {3, 7.0}, {3, 8.5}}) {
        all.push_back({.profile = {.comp_insts = double(x)}, .seconds = y, .kernel = "k"});
    }
    const auto c =
        calibrate(function_model{gtx_280, power{}}, all,
                  std::array{fit_parameter{"issue_cycles", 0.1, 100}}, {.hold_out = false});
    REQUIRE(c);
    // By hand: mean x 2, Sxx 4; each pair's mean is met, so the residuals are half its differences.
    const double a = std::log(2.0 * 2.5) / 2;
    const double b = std::log(7.0 * 8.5) / 2;
    const double slope = (b - a) / 2;
    CHECK(std::log(c->device.issue_cycles) == Approx(slope).epsilon(1e-9));
    CHECK(std::log(c->scale) == Approx(a - slope).epsilon(1e-9));
    const double squares = (std::pow(std::log(2.5 / 2), 2) + std::pow(std::log(8.5 / 7), 2)) / 2;
    const double variance = squares / 2;  // four measurements less two parameters
    CHECK(c->covariance(0, 0) == Approx(variance / 4));
    CHECK(c->covariance(1, 1) == Approx(variance * (0.25 + 2.0 * 2.0 / 4)));
    CHECK(c->covariance(0, 1) == Approx(-variance * 2 / 4));
    CHECK(c->correlation(0, 1) == Approx(-2 / std::sqrt(5.0)));
    CHECK(c->after.rms_log == Approx(std::sqrt(squares / 4)));
}

TEST_CASE("parameters that the data cannot tell apart are reported") {
    auto all = launches(40);
    for (measurement& m : all) m.profile.coalesced_mem_insts = 0;
    auto truth = edit(with_transactions{});
    truth.dram_bytes_per_s = 30e9;
    measure(mwp_cwp_model{truth}, all, 2);

    SUBCASE("bytes of a transaction over bandwidth; and what no launch has") {
        const auto c =
            calibrate(mwp_cwp_model{with_transactions{}}, all,
                      std::array<fit_parameter, 3>{{{"dram_bytes_per_s", 1e9, 1e12},
                                                    {"coalesced_departure_cycles", 1, 50},
                                                    {"dram_transaction_bytes", 8, 512}}});
        REQUIRE(c);
        CHECK(c->after.factor < 1 + 1e-6);
        REQUIRE(c->ambiguities.size() == 1);
        const ambiguity& both = c->ambiguities[0];
        REQUIRE(both.size() == 2);
        CHECK(both[0].parameter == "dram_bytes_per_s");
        CHECK(both[1].parameter == "dram_transaction_bytes");
        CHECK(both[0].power == Approx(both[1].power).epsilon(1e-6));
        CHECK(parameter(*c, "dram_bytes_per_s").state == fit_state::ambiguous);
        CHECK(parameter(*c, "dram_transaction_bytes").state == fit_state::ambiguous);
        CHECK(std::isinf(parameter(*c, "dram_bytes_per_s").log_error));
        CHECK(parameter(*c, "coalesced_departure_cycles").state == fit_state::no_effect);
        CHECK(std::isinf(parameter(*c, "coalesced_departure_cycles").log_error));
        CHECK(c->device.coalesced_departure_cycles == gtx_280.coalesced_departure_cycles);
        CHECK(parameter(*c, "scale").state == fit_state::fitted);
        CHECK(off(c->scale, 2) < 1e-6);
        CHECK(c->covariance(0, 0) == 0);
        // Only the quotient is determined, and that is found.
        CHECK(off(c->device.dram_bytes_per_s / c->device.dram_transaction_bytes, 30e9 / 32) < 1e-6);
    }
    SUBCASE("the unit of time") {
        const auto c =
            calibrate(mwp_cwp_model{with_transactions{}}, all,
                      std::array<fit_parameter, 4>{{{"issue_cycles", 0.5, 50},
                                                    {"dram_latency_cycles", 50, 5000},
                                                    {"uncoalesced_departure_cycles", 2, 400},
                                                    {"dram_bytes_per_s", 1e9, 1e12}}});
        REQUIRE(c);
        REQUIRE(c->ambiguities.size() == 1);
        REQUIRE(c->ambiguities[0].size() == 5);
        for (const ambiguous_power& p : c->ambiguities[0]) {
            const double sign =
                p.parameter == "dram_bytes_per_s" || p.parameter == "scale" ? -1 : 1;
            CHECK(p.power * c->ambiguities[0][0].power == Approx(sign).epsilon(1e-5));
        }
    }
    SUBCASE("nothing at all") {
        for (measurement& m : all) {
            m.profile.coalesced_mem_insts = 1;
            m.profile.uncoalesced_mem_insts = 0;
        }
        measure(mwp_cwp_model{truth}, all);
        const auto c = calibrate(mwp_cwp_model{with_transactions{}}, all,
                                 std::array{fit_parameter{"uncoalesced_departure_cycles", 2, 400}},
                                 {.fit_scale = false});
        REQUIRE(c);
        CHECK(c->parameters[0].state == fit_state::no_effect);
        CHECK(c->parameters[0].value == c->parameters[0].start);
        CHECK(c->ambiguities.empty());
    }
}

TEST_CASE("a small power is one") {
    auto all = launches(10);
    measure(function_model{true_gtx_280(), root{}}, all, 1, 0.001);
    const auto c = calibrate(
        function_model{gtx_280, root{}}, all,
        std::array<fit_parameter, 2>{{{"issue_cycles", 0.5, 50}, {"dram_latency_cycles", 1, 1e6}}},
        {.fit_scale = false});
    REQUIRE(c);
    for (const fitted_parameter& p : c->parameters) CHECK(p.state == fit_state::ambiguous);
    REQUIRE(c->ambiguities.size() == 1);
    REQUIRE(c->ambiguities[0].size() == 2);
    CHECK(c->ambiguities[0][0].power == Approx(1 / 128.0));
    CHECK(c->ambiguities[0][1].power == Approx(-1));
}

TEST_CASE("a bound where the search comes to rest hides no ambiguity") {
    const double given = gtx_280.dram_bytes_per_s;
    auto all = launches(20);
    measure(function_model{gtx_280, transfer{}}, all, 0.7, 0.01);
    const auto alone = calibrate(function_model{gtx_280, transfer{}}, all, {});
    REQUIRE(alone);
    CHECK(off(alone->scale, 0.7) < 0.01);
    for (const double noise : {0.01, 0.0}) {
        measure(function_model{gtx_280, transfer{}}, all, 0.7, noise);
        for (const double max_value : {given, 1.1 * given, 2 * given}) {
            CAPTURE(noise);
            CAPTURE(max_value / given);
            const auto c =
                calibrate(function_model{gtx_280, transfer{}}, all,
                          std::array{fit_parameter{"dram_bytes_per_s", 1e10, max_value}});
            REQUIRE(c);
            for (const fitted_parameter& p : c->parameters) {
                CHECK(p.state == fit_state::ambiguous);
                CHECK(std::isinf(p.log_error));
                CHECK(std::isinf(p.log_error_of_kernels));
            }
            REQUIRE(c->ambiguities.size() == 1);
            CHECK(c->ambiguities[0][0].power == Approx(c->ambiguities[0][1].power));
            // Nearest to the device as given: each takes half of the factor, as far as its bounds go.
            const double half = std::sqrt((noise > 0 ? alone->scale : 0.7));
            const double faster = std::min(1 / half, max_value / given);
            CHECK(c->device.dram_bytes_per_s == Approx(given * faster));
            CHECK(c->scale == Approx(half * half * faster));
        }
        // Of equal bounds the value is known.
        const auto known = calibrate(function_model{gtx_280, transfer{}}, all,
                                     std::array{fit_parameter{"dram_bytes_per_s", given, given}});
        REQUIRE(known);
        CHECK(parameter(*known, "dram_bytes_per_s").state == fit_state::at_min);
        CHECK(parameter(*known, "scale").state == fit_state::fitted);
    }
}

namespace {

// Bounds wide enough to hold nothing.
detail::eigen::box no_bounds(int parameters) {
    const double infinite = std::numeric_limits<double>::infinity();
    return {Eigen::VectorXd::Constant(parameters, -infinite),
            Eigen::VectorXd::Constant(parameters, infinite)};
}

}  // namespace

TEST_CASE("columns that are multiples of one another are ambiguous, empty ones without effect") {
    Eigen::MatrixXd slopes(3, 4);
    slopes << 1, 2, 0, 1,  //
        2, 4, 0, 0,        //
        3, 6, 0, 0;
    const Eigen::VectorXd errors = Eigen::VectorXd::Constant(3, 0.1);
    const Eigen::VectorXd x = Eigen::VectorXd::Zero(4);
    const auto found = detail::eigen::identify({slopes, errors, x}, no_bounds(4), 1e-6);
    CHECK(found.states == std::vector{fit_state::ambiguous, fit_state::ambiguous,
                                      fit_state::no_effect, fit_state::fitted});
    CHECK(found.free == std::vector<std::size_t>{0, 1, 3});
    REQUIRE(found.unseen.cols() == 1);
    const std::vector<fitted_parameter> parameters{
        {.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}};
    const auto all =
        detail::eigen::sparse_directions(found.unseen.transpose(), found.free, parameters);
    REQUIRE(all.size() == 1);
    REQUIRE(all[0].size() == 2);  // "d" does not take part
    CHECK(all[0][0].parameter == "a");
    CHECK(all[0][1].parameter == "b");
    CHECK(all[0][0].power == Approx(1));
    CHECK(all[0][1].power == Approx(-0.5));
}

TEST_CASE("at a bound that holds it, a parameter is not free") {
    const Eigen::MatrixXd slopes = Eigen::MatrixXd::Identity(3, 3);
    const Eigen::VectorXd errors = Eigen::VectorXd::Constant(3, 0.5);
    Eigen::VectorXd x(3);
    x << 1, 2, 3;
    auto bounds = no_bounds(3);
    bounds.lower[0] = 1;  // errors are above 0, so the times come nearer below
    bounds.upper[1] = 2;  // likewise: this bound holds nothing
    bounds.lower[2] = bounds.upper[2] = 3;
    using detail::eigen::states_at_bounds;
    CHECK(states_at_bounds({slopes, errors, x}, bounds, 1e-6) ==
          std::vector{fit_state::at_min, fit_state::fitted, fit_state::at_min});
    CHECK(states_at_bounds({slopes, -errors, x}, bounds, 1e-6) ==
          std::vector{fit_state::fitted, fit_state::at_max, fit_state::at_min});
    // Where all times are met, no bound holds anything back.
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(3);
    CHECK(states_at_bounds({slopes, none, x}, bounds, 1e-6) ==
          std::vector{fit_state::fitted, fit_state::fitted, fit_state::at_min});
}

TEST_CASE("elimination leaves a basis of the same space with unit pivots") {
    Eigen::MatrixXd rows(2, 3);
    rows << 1, 1, 2,  //
        1, -1, 2;
    detail::eigen::eliminate(rows);  // the space of (1, 0, 2) and (0, 1, 0)
    Eigen::MatrixXd expected(2, 3);
    expected << 0.5, 0, 1,  //
        0, 1, 0;
    CHECK((rows - expected).cwiseAbs().maxCoeff() < 1e-15);
}

}  // namespace identify_test
