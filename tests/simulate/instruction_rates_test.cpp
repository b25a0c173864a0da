// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/instruction_rates.hpp>

namespace instruction_rates_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

constexpr instruction_rates numbered{1, 2, 3, 4, 5, 6, 7, 8};

double rate(unit_kind unit, operation op) {
    return rate_of({.unit = unit, .op = op}, numbered);
}

}  // namespace

TEST_CASE("each class of integers has its rate, and what is of no class has that of its unit") {
    struct {
        std::vector<operation> class_of;
        double rate;
    } const rows[]{{{operation::add, operation::sub, operation::neg}, numbered.integer_adds},
                   {{operation::bit_and, operation::bit_or, operation::bit_xor, operation::bit_not,
                     operation::logic},
                    numbered.integer_logic},
                   {{operation::mul}, numbered.integer_products},
                   {{operation::shift}, numbered.shifts},
                   {{operation::count_bits}, numbered.bit_counts},
                   {{operation::compare, operation::min, operation::max}, numbered.comparisons},
                   {{operation::convert}, numbered.conversions},
                   {{operation::convert_wide}, numbered.wide_conversions},
                   {{operation::div, operation::other}, 0}};
    std::size_t operations = 0;
    for (const auto& r : rows) {
        for (const operation op : r.class_of) {
            CAPTURE(static_cast<int>(op));
            CHECK(rate(unit_kind::integer, op) == r.rate);
            ++operations;
        }
    }
    CHECK(operations == static_cast<std::size_t>(operation::other) + 1);
}

TEST_CASE("floats have rates of comparisons and conversions") {
    CHECK(rate(unit_kind::single_precision, operation::min) == numbered.comparisons);
    CHECK(rate(unit_kind::single_precision, operation::compare) == numbered.comparisons);
    CHECK(rate(unit_kind::double_precision, operation::compare) == 0);
    for (const unit_kind unit : {unit_kind::single_precision, unit_kind::double_precision}) {
        CHECK(rate(unit, operation::convert) == numbered.conversions);
        CHECK(rate(unit, operation::convert_wide) == numbered.wide_conversions);
        CHECK(rate(unit, operation::mul) == 0);
        CHECK(rate(unit, operation::add) == 0);
    }
    // Machine code says which unit converts.
    CHECK(rate(unit_kind::special_function, operation::convert) == 0);
    CHECK(rate(unit_kind::branch, operation::add) == 0);
    CHECK(rate(unit_kind::global_memory, operation::add) == 0);
}

TEST_CASE("rates within their bounds") {
    CHECK_FALSE(check_rates({}));
    CHECK_FALSE(check_rates(numbered));
    CHECK_FALSE(check_rates({.integer_products = 128.0 / 3}));
    CHECK(check_rates({.integer_adds = -1}) ==
          model_error{errc::negative, "integer_adds_per_cycle"});
    CHECK(check_rates({.integer_logic = 0.5}) ==
          model_error{errc::outside_domain, "integer_logic_per_cycle"});
    CHECK(check_rates({.integer_products = 4097}) ==
          model_error{errc::overflow, "integer_products_per_cycle"});
    CHECK(check_rates({.shifts = 1e300}) == model_error{errc::overflow, "shifts_per_cycle"});
    CHECK(check_rates({.bit_counts = std::numeric_limits<double>::quiet_NaN()}));
    CHECK(check_rates({.comparisons = 0.5}) ==
          model_error{errc::outside_domain, "comparisons_per_cycle"});
    CHECK(check_rates({.conversions = 5000}) ==
          model_error{errc::overflow, "conversions_per_cycle"});
    CHECK(check_rates({.wide_conversions = 0.1}) ==
          model_error{errc::outside_domain, "wide_conversions_per_cycle"});
}

}  // namespace instruction_rates_test
