// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <warpgauge/tune/bootstrap.hpp>
#include <warpgauge/tune/score.hpp>

namespace bootstrap_test {

using namespace warpgauge;

namespace {

const auto mean_of = [](const std::vector<double>& values) {
    return [&values](std::span<const std::size_t> places) {
        double sum = 0;
        for (const std::size_t n : places) sum += values[n];
        return result<double>(sum / static_cast<double>(places.size()));
    };
};

}  // namespace

TEST_CASE("the interval of a mean is about as wide as the central limit theorem says") {
    std::vector<double> values;
    for (int n = 0; n < 400; ++n) values.push_back(std::sin(n) * std::sqrt(2));  // deviation 1
    const auto i = bootstrap(values.size(), mean_of(values), {.samples = 4000, .confidence = 0.9});
    REQUIRE(i);
    CHECK(i->low < i->value);
    CHECK(i->high > i->value);
    CHECK(i->high - i->low == doctest::Approx(2 * 1.645 / 20).epsilon(0.06));
    const auto wider = bootstrap(values.size(), mean_of(values), {.confidence = 0.99});
    CHECK(wider->high - wider->low > 1.3 * (i->high - i->low));
    CHECK(i->failed == 0);
}

TEST_CASE("the same seed gives the same bits, another one others") {
    const std::vector<double> values{1, 2, 4, 8, 16};
    const auto a = bootstrap(5, mean_of(values), {.seed = 1});
    const auto b = bootstrap(5, mean_of(values), {.seed = 1});
    const auto c = bootstrap(5, mean_of(values), {.seed = 2});
    CHECK(a->low == b->low);
    CHECK(a->high == b->high);
    CHECK((a->low != c->low || a->high != c->high));
    CHECK(a->value == 6.2);
}

TEST_CASE("one thing has no spread; all places are drawn, and in no fixed order") {
    const std::vector<double> one{3};
    CHECK(bootstrap(1, mean_of(one))->low == 3);
    CHECK(bootstrap(1, mean_of(one))->high == 3);
    std::set<std::size_t> seen;
    std::set<std::vector<std::size_t>> samples;
    (void)bootstrap(6,
                    [&](std::span<const std::size_t> places) {
                        seen.insert(places.begin(), places.end());
                        samples.emplace(places.begin(), places.end());
                        return result<double>(1.0);
                    },
                    {.samples = 100});
    CHECK(seen == std::set<std::size_t>{0, 1, 2, 3, 4, 5});
    CHECK(samples.size() > 90);
}

TEST_CASE("samples without a statistic are counted, and errors are named") {
    const std::vector<double> predicted{1, 2, 3};
    const std::vector<double> measured{1, 3, 2};
    const auto i = bootstrap(3, [&](std::span<const std::size_t> places) {
        std::vector<double> p;
        std::vector<double> m;
        for (const std::size_t n : places) p.push_back(predicted[n]), m.push_back(measured[n]);
        return spearman(p, m);  // none where all are the same launch: a ninth of the samples
    });
    REQUIRE(i);
    CHECK(i->value == 0.5);
    CHECK(i->failed > 2000 / 9 - 60);
    CHECK(i->failed < 2000 / 9 + 60);
    CHECK(i->low == -1);
    CHECK(i->high == 1);
    const auto never = [](std::span<const std::size_t>) {
        return result<double>(model_error{errc::missing, "predicted"});
    };
    CHECK(bootstrap(3, never).error().field == "predicted");
    const auto infinite = [](std::span<const std::size_t>) {
        return result<double>(std::numeric_limits<double>::infinity());
    };
    CHECK(bootstrap(3, infinite).error() == model_error{errc::overflow, "statistic"});
    CHECK(bootstrap(0, never).error() == model_error{errc::missing, "count"});
    CHECK(bootstrap(3, never, {.samples = 0}).error().field == "samples");
    CHECK(bootstrap(3, never, {.samples = 2'000'000}).error().code == errc::limit_reached);
    CHECK(bootstrap(3, never, {.confidence = 1}).error().field == "confidence");
}

TEST_CASE("too many things, no confidence, and statistics of all alone") {
    const auto one = [](std::span<const std::size_t>) { return result<double>(1); };
    CHECK(bootstrap(std::size_t{1} << 32, one).error() ==
          model_error{errc::limit_reached, "count"});
    for (const double confidence : {0.0, 1.0}) {
        CHECK(bootstrap(2, one, {.confidence = confidence}).error() ==
              model_error{errc::outside_domain, "confidence"});
    }
    int calls = 0;
    const auto first_alone = [&](std::span<const std::size_t>) -> result<double> {
        if (calls++ == 0) return 1;
        return model_error{errc::missing, "pairs"};
    };
    CHECK(bootstrap(2, first_alone).error() == model_error{errc::missing, "pairs"});
    calls = 0;
    const auto then_infinite = [&](std::span<const std::size_t>) {
        return result<double>(calls++ == 0 ? 1 : std::numeric_limits<double>::infinity());
    };
    CHECK(bootstrap(2, then_infinite).error() == model_error{errc::overflow, "statistic"});
}

}  // namespace bootstrap_test
