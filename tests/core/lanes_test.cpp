// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include <warpgauge/core/lanes.hpp>

namespace lanes_test {

using namespace warpgauge;

static_assert(scalar<lanes<native_lanes>>);
static_assert(lanes<native_lanes>::width == native_lanes);

namespace {

template <class pack>
pack other_in_first(double first, double others) {
    pack p(others);
    p.values[0] = first;
    return p;
}

template <std::size_t Width>
bool everywhere(const lane_mask<Width>& m) {
    return scalar_traits<lanes<Width>>::all(m);
}

}  // namespace

TEST_CASE_TEMPLATE("lanes compute each for itself", pack, lanes<2>, lanes<4>, lanes<8>) {
    const pack a = other_in_first<pack>(2, 5);
    const pack b(4.0);
    const std::array<pack, 4> results{a + b, a - b, a * b, a / b};
    for (std::size_t n = 0; n < pack::width; ++n) {
        const double x = n == 0 ? 2 : 5;
        CHECK(results[0].values[n] == x + 4);
        CHECK(results[1].values[n] == x - 4);
        CHECK(results[2].values[n] == x * 4);
        CHECK(results[3].values[n] == x / 4);
        CHECK(core::select(a < b, pack(1.0), pack(0.0)).values[n] == (x < 4 ? 1 : 0));
        CHECK(core::min(a, b).values[n] == std::min(x, 4.0));
        CHECK(core::sqrt(a).values[n] == core::sqrt(x));
    }
}

TEST_CASE_TEMPLATE("a condition holds for a pack when it holds in every lane", pack, lanes<2>,
                   lanes<4>, lanes<8>) {
    const pack a = other_in_first<pack>(2, 5);
    CHECK(everywhere(a < pack(6.0)));
    CHECK(!everywhere(a < pack(5.0)));
    CHECK(!everywhere(pack(2.0) < a));
    CHECK(everywhere(a <= pack(5.0)));
    CHECK(everywhere(a >= pack(2.0)));
    CHECK(!everywhere(a >= pack(3.0)));
    CHECK(everywhere(a > pack(1.0)));
    CHECK(!everywhere(a > pack(2.0)));
    CHECK(everywhere(!(a == pack(4.0))));
    CHECK(everywhere(a == pack(2.0) || a == pack(5.0)));
    CHECK(!everywhere(a == pack(2.0) && a < pack(6.0)));
    CHECK(everywhere(typename pack::mask(true)));
    CHECK(!everywhere(typename pack::mask(false)));
    for (std::size_t n = 0; n < pack::width; ++n) {
        pack one(1.0);
        one.values[n] = 0;
        CHECK(!everywhere(pack(0.0) < one));
    }
    CHECK(!core::positive(other_in_first<pack>(std::numeric_limits<double>::quiet_NaN(), 1)));
    CHECK(!core::finite(other_in_first<pack>(std::numeric_limits<double>::infinity(), 1)));
}

TEST_CASE_TEMPLATE("lanes round as the standard library does", pack, lanes<2>, lanes<4>, lanes<8>) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double two_51 = 2251799813685248.0;
    for (const double x :
         {0.0, 0.3, 0.5, 0.7, 1.0, 1.5, 2.5, 1e6 + 0.25, two_51 - 0.5, two_51 - 0.25, two_51,
          two_51 + 0.5, 2 * two_51 + 1, 1e20, 1e-300, infinity}) {
        for (const double y : {x, -x}) {
            CAPTURE(y);
            CHECK(core::floor(pack(y)).values[0] == std::floor(y));
            CHECK(core::ceil(pack(y)).values[pack::width - 1] == std::ceil(y));
        }
        if (!(x < two_51)) continue;
        CHECK(core::quotient_down(pack(x), pack(1.0)).values[0] == std::floor(x));
        CHECK(core::quotient_up(pack(x), pack(1.0)).values[0] == std::ceil(x));
    }
    CHECK(std::isnan(core::floor(pack(std::numeric_limits<double>::quiet_NaN())).values[0]));
    CHECK(core::quotient_down(pack(33.0), pack(32.0)).values[0] == 1);
    CHECK(core::quotient_up(pack(33.0), pack(32.0)).values[0] == 2);
    CHECK(core::quotient_up(pack(64.0), pack(32.0)).values[0] == 2);
}

}  // namespace lanes_test
