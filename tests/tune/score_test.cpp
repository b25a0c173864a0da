// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <warpgauge/tune/score.hpp>

namespace score_test {

using namespace warpgauge;
using times = std::vector<double>;
using doctest::Approx;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("the pick, alone and tied") {
    const times measured{4, 2, 1, 8};
    CHECK(*top_pick(times{2, 1, 3, 4}, measured) == Approx(0.5));
    CHECK(*top_pick(times{1, 1, 3, 4}, measured) == Approx(std::sqrt(0.25 * 0.5)));
    CHECK(*top_pick(times{1, 1, 1, 1}, measured) == Approx(std::pow(0.25 * 0.5 * 1 * 0.125, 0.25)));
}

TEST_CASE("times that lie far apart") {
    CHECK(*top_pick(times{1, 1}, times{1e-200, 1e200}) == Approx(1e-200));
    times predicted(50'000, 1.0);
    times measured(50'000, 1e300);
    measured[0] = 1e-300;
    CHECK(std::isfinite(*best_of_first(predicted, measured, 5000)));
    CHECK(mean_scale(times{1e300}, times{1e-300}).error() ==
          model_error{errc::overflow, "measured"});
    CHECK(mean_scale(times{1e-300}, times{1e300}).error() ==
          model_error{errc::overflow, "measured"});
}

TEST_CASE("the first few") {
    const times measured{4, 2, 1, 8};
    CHECK(*best_of_first(times{1, 2, 3, 4}, measured, 2) == Approx(0.5));
    CHECK(*best_of_first(times{1, 2, 3, 4}, measured, 9) == Approx(1));
    // One sure (8), one of 4, 2 and 1 at random: the mean over three ways.
    CHECK(*best_of_first(times{2, 2, 2, 1}, measured, 2) ==
          Approx(std::cbrt(1.0 / 4 * 1.0 / 2 * 1.0)));
    // Two of 4, 2 and 1: {4,2}, {4,1}, {2,1}.
    CHECK(*best_of_first(times{2, 2, 2, 3}, measured, 2) == Approx(std::cbrt(0.5)));
    CHECK(*top_fraction(times{1, 2, 3, 4}, measured, 0.5) == Approx(0.5));
    CHECK(*top_fraction(times{1, 2, 3, 4}, measured, 0.51) == Approx(1));
    CHECK(*top_fraction(times{1, 2, 3, 4}, measured, 0.51, whole_part::nearest) == Approx(0.5));
    CHECK(*top_fraction(times{1, 2, 3, 4}, measured, 0.625, whole_part::nearest) == Approx(1));
    CHECK(*top_fraction(times{1, 2, 3, 4}, measured, 0.01, whole_part::nearest) == Approx(0.25));
    CHECK(top_fraction(measured, measured, 0.5, static_cast<whole_part>(2)).error() ==
          model_error{errc::not_an_enumerator, "part"});
}

TEST_CASE(
    "a fraction counts as what it is in decimals, whatever its double times the count rounds to") {
    times predicted(100);
    std::iota(predicted.begin(), predicted.end(), 1.0);
    times measured(100, 2.0);
    measured[7] = 1;  // the eighth
    REQUIRE(0.07 * 100 > 7);
    CHECK(*top_fraction(predicted, measured, 0.07) == Approx(0.5));
    CHECK(*top_fraction(predicted, measured, 0.0701) == Approx(1));
    predicted.resize(50);
    measured.resize(50);
    measured[7] = 2;
    measured[14] = 1;  // the fifteenth
    REQUIRE(0.29 * 50 < 14.5);
    CHECK(*top_fraction(predicted, measured, 0.29, whole_part::nearest) == Approx(1));
    CHECK(*top_fraction(predicted, measured, 0.28, whole_part::nearest) == Approx(0.5));
}

TEST_CASE("many that tie, and as many that tie among the measured") {
    const times predicted(200, 1.0);
    times measured(200, 2.0);
    for (std::size_t i = 0; i < 200; i += 2) measured[i] = 1;
    CHECK(*top_pick(predicted, measured) == Approx(std::sqrt(0.5)));
    CHECK(*best_of_first(predicted, measured, 101) == Approx(1));
    CHECK(*regret(predicted, measured) == Approx(0.5));
    CHECK(*fraction_to_measure(predicted, measured, 1) == Approx(201.0 / 101 / 200));
}

TEST_CASE("scores do not depend on the order of the launches") {
    std::mt19937 random(11);
    times a(40), b(40);
    for (auto& t : a) t = 1 + static_cast<double>(random() % 12);
    for (auto& t : b) t = 1 + static_cast<double>(random() % 1000);
    std::vector<std::size_t> order(40);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const double s = *spearman(a, b), k = *kendall_tau_b(a, b), f = *top_fraction(a, b, 0.1);
    for (int round = 0; round < 20; ++round) {
        std::shuffle(order.begin(), order.end(), random);
        times pa, pb;
        for (const std::size_t i : order) {
            pa.push_back(a[i]);
            pb.push_back(b[i]);
        }
        CHECK(*spearman(pa, pb) == Approx(s));
        CHECK(*kendall_tau_b(pa, pb) == Approx(k));
        CHECK(*top_fraction(pa, pb, 0.1) == Approx(f));
    }
}

TEST_CASE("regret, recall and error factors") {
    const times predicted{1, 1, 2, 3, 4};
    const times measured{12, 10, 8, 20, 9};
    CHECK(*regret(predicted, measured) == Approx((12.0 + 10) / 2 / 8 - 1));
    CHECK(*regret(measured, measured) == 0);
    // Of the three fastest (8, 9, 10), the three predicted fastest hold 10 and 8.
    CHECK(*top_k_recall(predicted, measured, 3) == Approx(2.0 / 3));
    // One of the two that tie is chosen at random; neither is the fastest.
    CHECK(*top_k_recall(predicted, measured, 1) == 0);
    CHECK(*top_k_recall(times{1, 1, 2}, times{5, 6, 7}, 1) == Approx(0.5));
    CHECK(*top_k_recall(times{1, 2, 3}, times{5, 5, 7}, 1) == Approx(0.5));
    CHECK(*top_k_recall(predicted, measured, 5) == Approx(1));
    CHECK(*mean_error_factor(times{1, 4}, times{2, 2}) == Approx(2));
    CHECK(*mean_scale(times{1, 4}, times{2, 2}) == Approx(1));
    CHECK(*mean_scale(times{1, 4}, times{8, 2}) == Approx(2));
    CHECK(top_k_recall(predicted, measured, 0).error() == model_error{errc::not_positive, "count"});
    CHECK(top_k_recall(predicted, times{1}, 1).error().code == errc::malformed);
    CHECK(top_k_recall(predicted, measured, 6).error() ==
          model_error{errc::outside_domain, "count"});
    CHECK(regret(predicted, times{1}).error().field == "measured");
    CHECK(mean_error_factor({}, {}).error().field == "predicted");
    CHECK(mean_scale(times{0}, times{1}).error().code == errc::not_positive);
    CHECK(mean_scale(times{1e-300}, times{1e300}).error() ==
          model_error{errc::overflow, "measured"});
    CHECK(mean_error_factor(times{1e-300}, times{1e300}).error().code == errc::overflow);
    CHECK(regret(times{1, 1}, times{1e-200, 1e200}).error().code == errc::overflow);
}

TEST_CASE("how much to measure until one is fast enough") {
    const times measured{10, 11, 20, 30};
    CHECK(*fraction_to_measure(times{1, 2, 3, 4}, measured, 1) == Approx(0.25));
    CHECK(*fraction_to_measure(times{4, 3, 2, 1}, measured, 1) == Approx(1));
    CHECK(*fraction_to_measure(times{4, 3, 2, 1}, measured, 1.1) == Approx(0.75));
    CHECK(*fraction_to_measure(times{4, 3, 2, 1}, measured, 3) == Approx(0.25));
    // Of four that tie, one serves: the first to fourth, each as likely; of two that serve, 5 / 3.
    CHECK(*fraction_to_measure(times{1, 1, 1, 1}, measured, 1) == Approx(2.5 / 4));
    CHECK(*fraction_to_measure(times{1, 1, 1, 1}, measured, 1.1) == Approx(5.0 / 3 / 4));
    CHECK(*fraction_to_measure(times{2, 2, 1, 2}, measured, 1.1) == Approx((1 + 4.0 / 3) / 4));
    for (const double f : {0.9, -1.0, not_a_number, std::numeric_limits<double>::infinity()}) {
        CHECK(fraction_to_measure(measured, measured, f).error() ==
              model_error{errc::outside_domain, "factor"});
    }
    CHECK(fraction_to_measure({}, {}, 1).error().code == errc::missing);
}

TEST_CASE("one launch alone, and all launches") {
    const times one{5}, two{1, 2};
    CHECK(*top_pick(one, times{7}) == 1);
    CHECK(*top_fraction(one, times{7}, 1) == 1);
    CHECK(*top_fraction(two, times{2, 1}, 1) == Approx(1));
    CHECK(*fraction_to_measure(one, times{7}, 1) == 1);
    CHECK(*top_k_recall(one, times{7}, 1) == 1);
    CHECK(*regret(one, times{7}) == 0);
    CHECK(*mean_scale(one, times{7}) == Approx(1.4));
    CHECK(*mean_error_factor(times{7}, one) == Approx(1.4));
}

TEST_CASE("bad input") {
    const times two{1, 2}, undefined{1, not_a_number};
    CHECK(top_pick(two, undefined).error() == model_error{errc::not_positive, "measured"});
    CHECK(top_pick({}, {}).error() == model_error{errc::missing, "predicted"});
    CHECK(best_of_first(two, two, 0).error() == model_error{errc::not_positive, "count"});
    for (const double f : {0.0, -1.0, 1.1, not_a_number}) {
        CHECK(top_fraction(two, two, f).error() == model_error{errc::outside_domain, "fraction"});
    }
}

}  // namespace score_test
