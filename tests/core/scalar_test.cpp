// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include <warpgauge/core/scalar.hpp>

#include "core/pack.hpp"

namespace scalar_test {

using namespace warpgauge;

static_assert(scalar<double> && scalar<float> && scalar<pack>);
static_assert(!scalar<int> && !scalar<bool> && !scalar<const char*>);
static_assert(number<int> && number<const double&> && !number<const char*>);

enum class colour { red, green };
static_assert(std::same_as<choice_of<double, colour>, colour>);
static_assert(std::same_as<choice_of<pack, colour>, pack>);

TEST_CASE_TEMPLATE("floor and ceil agree with the standard library", Real, double, float) {
    constexpr Real largest = std::numeric_limits<Real>::max();
    constexpr Real whole_from = 1 / std::numeric_limits<Real>::epsilon();
    for (const Real x : {Real(0), Real(0.5), Real(1), Real(2.75), Real(1e6) + Real(0.25),
                         whole_from - 1, whole_from, whole_from * 4, largest,
                         std::numeric_limits<Real>::min(), std::numeric_limits<Real>::infinity()}) {
        CAPTURE(x);
        CHECK(core::floor(x) == std::floor(x));
        CHECK(core::floor(Real(-x)) == std::floor(-x));
        CHECK(core::ceil(x) == std::ceil(x));
        CHECK(core::ceil(Real(-x)) == std::ceil(-x));
    }
    CHECK(std::isnan(core::floor(std::numeric_limits<Real>::quiet_NaN())));
}

TEST_CASE("quotients in whole numbers, least and greatest") {
    static_assert(core::quotient_up(33.0, 32.0) == 2 && core::quotient_down(33.0, 32.0) == 1);
    static_assert(core::quotient_up(32.0, 32.0) == 1 && core::quotient_down(32.0, 32.0) == 1);
    static_assert(core::quotient_up(0.0, 32.0) == 0 && core::quotient_up(0.1, 32.0) == 1);
    static_assert(core::min(1.0, 2.0) == 1 && core::max(1.0, 2.0) == 2);
}

TEST_CASE_TEMPLATE("what is positive, non-negative and finite", Real, double, float) {
    constexpr Real inf = std::numeric_limits<Real>::infinity();
    constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
    CHECK(core::positive(Real(1e-30)));
    for (const Real x : {Real(0), Real(-1), inf, -inf, nan}) CHECK_FALSE(core::positive(x));
    CHECK(core::non_negative(Real(0)));
    CHECK(core::non_negative(Real(-0.0)));
    for (const Real x : {Real(-1e-30), inf, -inf, nan}) CHECK_FALSE(core::non_negative(x));
    for (const Real x : {inf, -inf, nan}) CHECK_FALSE(core::finite(x));
    CHECK(core::finite(-std::numeric_limits<Real>::max()));
}

TEST_CASE("a pack decides lane by lane") {
    const pack x([](auto i) { return static_cast<double>(i) - 1.5; });  // -1.5 -0.5 0.5 1.5
    const pack clamped = core::max(x, pack(0.0));
    const pack up = core::ceil(x);
    const pack which = core::choose<pack, colour>(x < pack(0.0), core::choice<pack>(colour::red),
                                                  core::choice<pack>(colour::green));
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(clamped[i] == std::max(x[i], 0.0));
        CHECK(up[i] == std::ceil(x[i]));
        CHECK(which[i] == (x[i] < 0 ? 0 : 1));
    }
    CHECK_FALSE(core::positive(x));
    CHECK(core::positive(clamped + pack(1.0)));
}

TEST_CASE("square roots have the same bits when compiled and when run") {
    std::mt19937_64 random(1);
    for (int n = 0; n < 100'000; ++n) {
        const double x = std::exp(std::uniform_real_distribution<>(-600, 700)(random));
        CHECK(core::sqrt(x) == std::sqrt(x));
        CHECK(core::detail::nearest_sqrt(x) == std::sqrt(x));
    }
    for (int n = 1; n < 10'000; ++n) {
        CHECK(core::detail::nearest_sqrt(static_cast<double>(n) * n) == n);
    }
    for (const double x : {1e-300, 1e-310, 5e-324}) {  // where the last bit is not corrected
        CHECK(core::detail::nearest_sqrt(x) / std::sqrt(x) == doctest::Approx(1).epsilon(1e-15));
    }
    static_assert(core::sqrt(2.0) == 1.4142135623730951);
    static_assert(core::sqrt(2.0F) == 1.41421354F);
    static_assert(core::sqrt(0.0) == 0);
    CHECK(core::sqrt(std::numeric_limits<double>::infinity()) ==
          std::numeric_limits<double>::infinity());
}

TEST_CASE("an enumerator is in range, or its field is named") {
    CHECK_FALSE(core::check_enumerator(errc::none, errc::not_whole, "code"));
    CHECK_FALSE(core::check_enumerator(errc::not_whole, errc::not_whole, "code"));
    const auto past = static_cast<errc>(static_cast<int>(errc::not_whole) + 1);
    CHECK(core::check_enumerator(past, errc::not_whole, "code") ==
          model_error{errc::not_an_enumerator, "code"});
}

}  // namespace scalar_test
