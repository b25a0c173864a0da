// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <string_view>
#include <utility>

#include <warpgauge/analyse/unknowns.hpp>

namespace unknowns_test {

using namespace warpgauge;
using doctest::Approx;

using detail::analyse::check_distribution;
using detail::analyse::quantile_of;

TEST_CASE("quantiles of each distribution, by hand") {
    const double z = core::normal_quantile(0.9);
    CHECK(quantile_of(exactly("x", 5), 0.9) == 5);
    CHECK(quantile_of(between("x", 450, 550), 0.25) == 475);
    CHECK(quantile_of(log_between("x", 1, 10'000), 0.25) == Approx(10));
    CHECK(quantile_of(log_normal("x", 3, 0.1), 0.5) == 3);
    CHECK(quantile_of(log_normal("x", 3, 0.1), 0.9) == Approx(3 * std::pow(1.1, z)));
    CHECK(quantile_of(log_normal("x", 3, 0), 0.9) == 3);
    CHECK(quantile_of(normal("x", 100, 10, 0, 1000), 0.9) == Approx(100 + 10 * z));
    // Half the distribution, from its mean up: its median is the quantile of 3/4.
    CHECK(quantile_of(normal("x", 100, 10, 100, 1000), 0.5) ==
          Approx(100 + 10 * core::normal_quantile(0.75)));
    CHECK(quantile_of(normal("x", 100, 10, 100, 1000), 1 - 0x1p-53) < 1000);
    CHECK(quantile_of(normal("x", 100, 10, 90, 90.0001), 0.5) == Approx(90.00005));
    // Below the mode lie 2/5; the density there is a straight line.
    CHECK(quantile_of(triangular("x", 0, 2, 5), 0.4) == Approx(2));
    CHECK(quantile_of(triangular("x", 0, 2, 5), 0.1) == Approx(1));
    CHECK(quantile_of(triangular("x", 0, 2, 5), 1 - 0.6 / 9) == Approx(4));
    CHECK(quantile_of(triangular("x", 2, 2, 2), 0.3) == 2);
    constexpr double values[]{4, 8, 16};
    CHECK(quantile_of(one_of("x", values), 0.33) == 4);
    CHECK(quantile_of(one_of("x", values), 0.34) == 8);
    CHECK(quantile_of(one_of("x", values), 1 - 0x1p-53) == 16);
}

TEST_CASE("about is a relative log-normal law, and independent marks any law") {
    const uncertain u = about("comp_insts", 0.1);
    CHECK(u.which == probability_law::log_normal);
    CHECK(u.relative);
    CHECK_FALSE(u.independent);
    CHECK(u.centre == 1);
    CHECK(u.spread == 0.1);
    const uncertain own = independent(between("x", 1, 2));
    CHECK(own.independent);
    CHECK_FALSE(own.relative);
    CHECK(own.low == 1);
}

TEST_CASE("numbers that do not suit their distribution are errors of the entry") {
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
        CHECK(check_distribution(bad.first, "blocks", 1) == model_error{bad.second, "blocks", 1});
    }
    CHECK_FALSE(check_distribution(between(b, 1, 1), "blocks", 1));
    CHECK_FALSE(check_distribution(normal(b, 1, 1, 0, 2), "blocks", 1));
}

}  // namespace unknowns_test
