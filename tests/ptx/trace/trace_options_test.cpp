// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/trace_options.hpp>

namespace trace_options_test {

using namespace warpgauge;
using ptx::hint, ptx::detail::trace::check_options;

TEST_CASE("defaults are in order; odds and rounds outside their range are not") {
    CHECK_FALSE(check_options({}));
    CHECK_FALSE(check_options({.default_probability = 0, .default_rounds = 1}));
    for (const double p : {-0.1, 1.1, std::nan("")}) {
        CHECK(check_options({.default_probability = p}) ==
              model_error{errc::outside_domain, "default_probability"});
    }
    for (const double rounds : {0.5, 2e9, std::nan("")}) {
        CHECK(check_options({.default_rounds = rounds}).field == "default_rounds");
    }
}

TEST_CASE("a sampling that is none is an error") {
    CHECK(check_options({.blocks = static_cast<ptx::sampling>(3)}) ==
          model_error{errc::not_an_enumerator, "blocks"});
}

TEST_CASE("a capability that no GPU has is an error") {
    CHECK_FALSE(check_options({.capability = {12, 1}}));
    CHECK(check_options({.capability = {-8, 0}}) ==
          model_error{errc::outside_domain, "capability"});
    CHECK(check_options({.capability = {8, -1}}) ==
          model_error{errc::outside_domain, "capability"});
    CHECK(check_options({.capability = {0, 5}}) == model_error{errc::outside_domain, "capability"});
}

TEST_CASE("a hint gives odds or rounds, not both") {
    const hint good[]{{.label = "A", .probability = 0}, {.label = "B", .rounds = 2.5}};
    CHECK_FALSE(check_options({.hints = good}));
    for (const hint& bad : {hint{"A"}, hint{"A", 1.5}, hint{"A", -1, 0.5}, hint{"A", 0.5, 2},
                            hint{"A", std::nan("")}}) {
        const hint list[]{good[0], bad};
        CHECK(check_options({.hints = list}) == model_error{errc::outside_domain, "hints", 2});
    }
}

TEST_CASE("a hint is odds or rounds, at one place") {
    using namespace warpgauge;
    const auto bad = [](const ptx::hint& h) {
        const std::array hints{h};
        return ptx::detail::trace::check_options({.hints = hints});
    };
    const model_error wrong{errc::outside_domain, "hints", 1};
    CHECK_FALSE(bad({.label = "L", .rounds = 5}));
    CHECK_FALSE(bad({.probability = 0.5, .source_line = 5}));
    CHECK(bad({.label = "L", .rounds = 5, .source_line = 5}) == wrong);
    CHECK(bad({.label = "L", .rounds = 0.5}) == wrong);
    CHECK(bad({.label = "L", .rounds = 2e9}) == wrong);
    CHECK(bad({.label = "L", .probability = 0.5, .rounds = 5}) == wrong);
    CHECK(bad({.label = "L", .probability = 0.5, .rounds = 0.5}) == wrong);
}

}  // namespace trace_options_test
