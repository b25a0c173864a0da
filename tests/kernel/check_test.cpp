// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <limits>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/lanes.hpp>
#include <warpgauge/kernel/check.hpp>
#include <warpgauge/kernel/parameters.hpp>

namespace check_test {

using namespace warpgauge;

namespace {

constexpr kernel_profile<> good{.blocks = 1, .threads_per_block = 32};

}  // namespace

TEST_CASE("every number that is negative, NaN or too large is seen, and named") {
    CHECK_FALSE(check_hierarchy_inputs(good));
    CHECK(numbers_in_range(good));
    CHECK(numbers_in_range(profile_in<lanes<4>>(good)));
    CHECK(numbers_in_range(profile_in<gradient<2>>(good)));
    int seen = 0;
    kernel_profile<> names = good;
    detail::kernel::visit_all(names, [&](std::string_view name, double&) {
        for (const double bad : {-1.0, 1.1e20, std::numeric_limits<double>::quiet_NaN()}) {
            kernel_profile<> k = good;
            double* const value = find_parameter(k, name);
            if (value == nullptr) return;  // of a stencil
            *value = bad;
            const model_error error = check_hierarchy_inputs(k);
            if (name == "registers_per_thread") {
                CHECK_FALSE(error);  // not read
                continue;
            }
            CHECK(error.field == name);
            CHECK_FALSE(numbers_in_range(k));
            CHECK_FALSE(numbers_in_range(profile_in<lanes<4>>(k)));
            CHECK_FALSE(numbers_in_range(profile_in<gradient<2>>(k)));
            ++seen;
        }
    });
    CHECK(seen == 3 * 38);
}

TEST_CASE("fractions are at most 1") {
    kernel_profile<> k = good;
    k.waits.reused_fraction = 1.5;
    CHECK(check_hierarchy_inputs(k) == model_error{errc::outside_domain, "reused_fraction"});
    k.waits.reused_fraction = 1;
    k.traffic.in_l2_fraction = 1.5;
    CHECK(check_hierarchy_inputs(k) == model_error{errc::outside_domain, "in_l2_fraction"});
}

}  // namespace check_test
