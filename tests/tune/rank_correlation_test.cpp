// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include <warpgauge/tune/rank_correlation.hpp>

namespace rank_correlation_test {

using namespace warpgauge;
using times = std::vector<double>;
using doctest::Approx;

namespace {

// Kendall's tau-b by its definition, pair by pair.
double tau_by_pairs(const times& a, const times& b) {
    double score = 0, untied_a = 0, untied_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const int da = (a[i] > a[j]) - (a[i] < a[j]);
            const int db = (b[i] > b[j]) - (b[i] < b[j]);
            score += da * db;
            untied_a += da != 0;
            untied_b += db != 0;
        }
    }
    return score / std::sqrt(untied_a * untied_b);
}

}  // namespace

TEST_CASE("order and reverse order") {
    const times up{1, 2, 3, 4, 5};
    const times down{5, 4, 3, 2, 1};
    CHECK(*spearman(up, up) == Approx(1));
    CHECK(*spearman(up, down) == Approx(-1));
    CHECK(*kendall_tau_b(up, up) == Approx(1));
    CHECK(*kendall_tau_b(up, down) == Approx(-1));
}

TEST_CASE("ties, worked by hand") {
    // Ranks 1.5 1.5 3 4 against 1 2.5 2.5 4: covariance 3.75, both variances 4.5.
    const times a{1, 1, 2, 3};
    const times b{1, 2, 2, 3};
    CHECK(*spearman(a, b) == Approx(3.75 / 4.5));
    // Six pairs, one tied in each, none discordant: 4 / sqrt(5 * 5).
    CHECK(*kendall_tau_b(a, b) == Approx(0.8));
}

TEST_CASE("tau-b agrees with its definition on random times with many ties") {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        CAPTURE(round);
        const std::size_t n = 2 + random() % 40;
        times a(n), b(n);
        for (auto& t : a) t = 1 + static_cast<double>(random() % 9);
        for (auto& t : b) t = 1 + static_cast<double>(random() % 9);
        const auto tau = kendall_tau_b(a, b);
        if (!tau) continue;  // all the same
        CHECK(*tau == Approx(tau_by_pairs(a, b)));
    }
}

TEST_CASE("many ties: two halves, and one launch that is slow in both") {
    times a(201, 1.0), b(201, 1.0);
    a[200] = b[200] = 2;
    CHECK(*spearman(a, b) == Approx(1));
    CHECK(*kendall_tau_b(a, b) == Approx(1));
    // Half of the fast are slow in b: of the pairs with the slow one, 100 agree and 100 tie; of a's ties, 100^2 differ.
    for (std::size_t i = 0; i < 100; ++i) b[i] = 2;
    CHECK(*kendall_tau_b(a, b) == Approx(100 / std::sqrt(200.0 * (100 * 101))));
    CHECK(*spearman(a, b) ==
          Approx(100 / std::sqrt(200.0 * (100 * 101))));  // of two values each, phi
}

TEST_CASE("bad input") {
    const times one{1}, two{1, 2}, same{3, 3}, zero{0, 1};
    CHECK(spearman(one, two).error() == model_error{errc::malformed, "measured"});
    CHECK(spearman(one, one).error() == model_error{errc::missing, "predicted"});
    CHECK(spearman(same, two).error() == model_error{errc::outside_domain, "predicted"});
    CHECK(kendall_tau_b(two, same).error() == model_error{errc::outside_domain, "measured"});
    CHECK(kendall_tau_b(same, two).error() == model_error{errc::outside_domain, "predicted"});
    CHECK(spearman(zero, two).error() == model_error{errc::not_positive, "predicted"});
    CHECK(spearman(two, zero).error() == model_error{errc::not_positive, "measured"});
    CHECK(spearman(two, same).error() == model_error{errc::outside_domain, "measured"});
    CHECK(kendall_tau_b(one, one).error() == model_error{errc::missing, "predicted"});
}

}  // namespace rank_correlation_test
