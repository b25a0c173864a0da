// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/eigen/log_errors.hpp>

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

namespace log_errors_test {

using namespace warpgauge;
using namespace synthetic;
using doctest::Approx;

namespace {

struct ends_at_four {
    template <class D, class Real>
    result<timed<Real>> operator()(const D& d, const kernel_profile<Real>& k) const {
        if (d.issue_cycles > 4) return model_error{};  // names no field
        return takes<Real>(Real(d.issue_cycles) * k.blocks * 1e-6);
    }
};

}  // namespace

TEST_CASE("secants stay within the bounds and the model") {
    auto all = launches(10);
    auto truth = edit(gtx_280);  // of 4 cycles
    truth.issue_cycles = 3;
    measure(function_model{truth, ends_at_four{}}, all);
    for (const double max_value : {4.0, 50.0}) {
        const auto c = calibrate(function_model{gtx_280, ends_at_four{}}, all,
                                 std::array{fit_parameter{"issue_cycles", 1, max_value}},
                                 {.fit_scale = false, .secant = 0.05});
        REQUIRE(c);
        CHECK(off(c->device.issue_cycles, 3) < 1e-9);
        CHECK(c->parameters[0].state == fit_state::fitted);
    }
    const auto known = calibrate(function_model{gtx_280, ends_at_four{}}, all,
                                 std::array{fit_parameter{"issue_cycles", 4, 4}}, {.secant = 0.05});
    REQUIRE(known);
    CHECK(known->parameters[0].state == fit_state::at_min);
    CHECK(off(known->scale, 0.75) < 1e-9);
    truth.issue_cycles = 5;
    CHECK(calibrate(function_model{truth, ends_at_four{}}, all, {}).error() ==
          model_error{errc::missing, "profile", 1});
}

TEST_CASE("derivatives agree with finite differences") {
    auto all = launches(40);
    measure(mwp_cwp_model{gtx_280}, all);
    std::vector<fitted_parameter> parameters;
    Eigen::VectorXd x(10);
    auto device = edit(gtx_280);
    for_each_parameter(device, [&](device_parameter p, double value) {
        x[static_cast<int>(parameters.size())] = std::log(value * 1.01);
        if (parameters.size() < 9) parameters.push_back({.name = info(p).name});
    });
    REQUIRE(parameters.size() == 9);  // more than go through one evaluation
    parameters.push_back({.name = detail::eigen::scale_name});
    x[9] = 0.3;
    const mwp_cwp_model model{gtx_280};
    const detail::eigen::log_errors_of errors(model, all, parameters, 0);
    std::vector<std::size_t> which{3, 1, 20, 39};
    Eigen::MatrixXd exact;
    REQUIRE(!errors.derivatives(x, which, exact));
    Eigen::VectorXd above;
    Eigen::VectorXd below;
    for (int n = 0; n < 10; ++n) {
        const double h = 1e-5;
        Eigen::VectorXd moved = x;
        moved[n] = x[n] + h;
        REQUIRE(!errors.values(moved, which, above));
        moved[n] = x[n] - h;
        REQUIRE(!errors.values(moved, which, below));
        CAPTURE(n);
        CHECK(((above - below) / (2 * h) - exact.col(n)).cwiseAbs().maxCoeff() < 1e-8);
    }
    // A short secant comes near to the derivative; of the scale it is 1 to rounding.
    for (fitted_parameter& p : parameters) p.max_value = std::numeric_limits<double>::infinity();
    const detail::eigen::log_errors_of secants(model, all, parameters, 1e-5);
    Eigen::MatrixXd near;
    REQUIRE(!secants.derivatives(x, which, near));
    CHECK((near - exact).cwiseAbs().maxCoeff() < 1e-4);
    CHECK((near.col(9).array() - 1).abs().maxCoeff() < 1e-9);
}

TEST_CASE("a value that was given is found again to the bit") {
    const fitted_parameter p{.name = "sm_count", .start = 28, .min_value = 3, .max_value = 49};
    CHECK(std::exp(std::log(28.0)) != 28);
    CHECK(detail::eigen::value_at(p, std::log(28.0)) == 28);
    CHECK(detail::eigen::value_at(p, std::log(3.0)) == 3);
    CHECK(detail::eigen::value_at(p, std::log(49.0)) == 49);
    CHECK(detail::eigen::value_at(p, 1.0) == std::exp(1.0));
}

TEST_CASE("errors are logarithms of scale * predicted / measured, and name the measurement") {
    auto all = launches(3);
    measure(mwp_cwp_model{gtx_280}, all);
    const std::vector<fitted_parameter> parameters{{.name = "issue_cycles", .start = 4},
                                                   {.name = detail::eigen::scale_name}};
    const mwp_cwp_model model{gtx_280};
    const detail::eigen::log_errors_of errors(model, all, parameters, 0);
    CHECK(errors.has_scale());
    Eigen::VectorXd x(2);
    x << std::log(4.0), std::log(3.0);
    const std::vector<std::size_t> which{2, 0};
    Eigen::VectorXd e;
    REQUIRE(!errors.values(x, which, e));
    REQUIRE(e.size() == 2);
    CHECK(e[0] == std::log(3.0));
    all[2].seconds /= 2;
    REQUIRE(!errors.values(x, which, e));
    CHECK(e[0] == Approx(std::log(6.0)));
    CHECK(e[1] == Approx(std::log(3.0)));
    all[2].profile.blocks = -1;
    CHECK(errors.values(x, which, e) == model_error{errc::not_positive, "blocks", 3});
}

}  // namespace log_errors_test
