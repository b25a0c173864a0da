// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/eigen/fit_request.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "synthetic.hpp"

namespace fit_request_test {

using namespace warpgauge;
using namespace warpgauge::detail::eigen;

namespace {

model_error reading(const std::vector<fit_parameter>& wanted) {
    std::vector<fitted_parameter> to;
    return read_parameters(synthetic::gtx_280, wanted, to);
}

}  // namespace

TEST_CASE("parameters are read with the device's own values") {
    std::vector<fitted_parameter> to;
    const std::vector<fit_parameter> wanted{{"sm_count", 10, 100}, {"issue_cycles", 1, 4}};
    REQUIRE(!read_parameters(synthetic::gtx_280, wanted, to));
    REQUIRE(to.size() == 2);
    CHECK(to[0].name == "sm_count");
    CHECK(to[0].start == 30);
    CHECK(to[0].value == 30);
    CHECK(to[0].min_value == 10);
    CHECK(to[0].max_value == 100);
    CHECK(to[1].start == 4);
    const VectorXd x = logs(to, &fitted_parameter::max_value);
    REQUIRE(x.size() == 2);
    CHECK(x[0] == std::log(100.0));
    CHECK(x[1] == std::log(4.0));
    const fitted_parameter scale = scale_parameter();
    CHECK(scale.name == "scale");
    CHECK(scale.start == 1);
    CHECK(std::isinf(scale.max_value));
}

TEST_CASE("what is wrong with a parameter, with its entry") {
    const fit_parameter issue{"issue_cycles", 1, 10};
    CHECK(reading({issue}) == model_error{});
    CHECK(reading({issue, {"cpd_a", 1, 10}}) == model_error{errc::unknown_parameter, "cpd_a", 2});
    CHECK(reading({{"", 1, 10}}) == model_error{errc::unknown_parameter, "parameters", 1});
    CHECK(reading({issue, issue}) == model_error{errc::malformed, "parameters", 2});
    CHECK(reading({{"issue_cycles", 0, 10}}) == model_error{errc::not_positive, "min_value", 1});
    CHECK(reading({{"issue_cycles", 5, 4}}) == model_error{errc::outside_domain, "max_value", 1});
    CHECK(reading({{"issue_cycles", 1, std::numeric_limits<double>::infinity()}}) ==
          model_error{errc::outside_domain, "max_value", 1});
    CHECK(reading({{"issue_cycles", 1, 3}}) ==  // it is 4
          model_error{errc::outside_domain, "issue_cycles", 1});
    CHECK(reading({{"issue_cycles", 5, 10}}) ==
          model_error{errc::outside_domain, "issue_cycles", 1});
}

TEST_CASE("what is wrong with options") {
    CHECK(check_options({}, true) == model_error{});
    CHECK(check_options({.starts = 1001}, true) == model_error{errc::outside_domain, "starts"});
    CHECK(check_options({.max_steps = 0}, true) == model_error{errc::outside_domain, "max_steps"});
    CHECK(check_options({.secant = -0.1}, true) == model_error{errc::outside_domain, "secant"});
    CHECK(check_options({.rank_tolerance = std::nan("")}, true) ==
          model_error{errc::outside_domain, "rank_tolerance"});
    CHECK(check_options({}, false) == model_error{errc::not_positive, "secant"});
    CHECK(check_options({.secant = 0.01}, false) == model_error{});
}

TEST_CASE("what is wrong with measurements") {
    std::vector<measurement> all{{.seconds = 1}, {.seconds = 2}};
    CHECK(check_measurements(all, 1) == model_error{});
    CHECK(check_measurements(all, 0) == model_error{errc::missing, "parameters"});
    CHECK(check_measurements(all, 2) == model_error{errc::missing, "measurements"});
    all[1].seconds = std::nan("");
    CHECK(check_measurements(all, 1) == model_error{errc::not_positive, "seconds", 2});
}

}  // namespace fit_request_test
