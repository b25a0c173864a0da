// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <warpgauge/core/gradient.hpp>

namespace gradient_test {

using namespace warpgauge;
using doctest::Approx;

static_assert(scalar<gradient<1>> && scalar<gradient<3, 2>> && scalar<gradient<9, 4>>);

namespace {

// x and y, each with its own direction out of `Directions`.
template <class Real>
struct two_variables {
    Real x{3.0};
    Real y{4.0};

    two_variables() {
        x.set_slope(0, 1);
        y.set_slope(1, 1);
    }
};

template <class Real>
void check(const Real& r, double value, double by_x, double by_y) {
    CHECK(r.value == Approx(value).epsilon(1e-15));
    CHECK(r.slope(0) == Approx(by_x).epsilon(1e-15));
    CHECK(r.slope(1) == Approx(by_y).epsilon(1e-15));
}

}  // namespace

// Directions that fill their vectors and that do not, in one vector and in several.

TEST_CASE_TEMPLATE("numbers without derivatives beside those that have some", Real, gradient<2, 2>,
                   gradient<3, 2>, gradient<5, 4>) {
    const two_variables<Real> v;
    check(v.x + 2.0, 5, 1, 0);
    check(2.0 + v.x, 5, 1, 0);
    check(v.x - 2.0, 1, 1, 0);
    check(2.0 - v.x, -1, -1, 0);
    check(v.x * 2.0, 6, 2, 0);
    check(2.0 * v.y, 8, 0, 2);
    check(v.y / 2.0, 2, 0, 0.5);
    check(2.0 / v.y, 0.5, 0, -0.125);
    check(with_slopes(7, 2, v.x, 3, v.y), 7, 2, 3);
}

TEST_CASE_TEMPLATE("sums, products and quotients carry their derivatives", Real, gradient<2, 2>,
                   gradient<3, 2>, gradient<5, 4>) {
    const two_variables<Real> v;
    check(v.x + v.y, 7, 1, 1);
    check(v.x - v.y, -1, 1, -1);
    check(v.x * v.y, 12, 4, 3);
    check(v.x / v.y, 0.75, 0.25, -3.0 / 16);
    check(v.x * v.x * v.x + 2.0 * v.y, 35, 27, 2);
    check(Real(5.0), 5, 0, 0);
    Real r = v.x;
    r += v.y;  // x + y
    r *= v.x;  // x^2 + x y
    r -= v.y;  // x^2 + (x - 1) y
    check(r, 17, 10, 2);
    r /= v.y;  // x^2 / y + x - 1
    check(r, 4.25, 2.5, -9.0 / 16);
    CHECK(r.slope(1) == Approx(-9.0 / 16));
}

TEST_CASE_TEMPLATE("directions beyond the first vector are like any other", Real, gradient<5, 4>,
                   gradient<9, 2>) {
    Real x(2.0);
    x.set_slope(4, 1);
    const Real cube = x * x * x;
    CHECK(cube.slope(4) == 12);
    for (std::size_t direction = 0; direction < 4; ++direction) CHECK(cube.slope(direction) == 0);
}

TEST_CASE_TEMPLATE("the derivative follows the side that was taken", Real, gradient<2, 2>,
                   gradient<3, 2>, gradient<5, 4>) {
    const two_variables<Real> v;
    check(core::min(v.x, v.y), 3, 1, 0);
    check(core::max(v.x, v.y), 4, 0, 1);
    check(core::select(v.x < v.y, v.x * v.x, v.y), 9, 6, 0);
    check(core::select(v.y < v.x, v.x * v.x, v.y), 4, 0, 1);
    Real same(3.0);
    same.set_slope(1, 7);
    CHECK(same == v.x);  // the value alone is compared
    CHECK(same <= v.x);
    CHECK(same >= v.x);
    CHECK_FALSE(same < v.x);
    CHECK_FALSE(same > v.x);
    CHECK(v.y > v.x);
}

TEST_CASE_TEMPLATE("whole numbers are flat between their steps", Real, gradient<2, 2>,
                   gradient<3, 2>, gradient<5, 4>) {
    const two_variables<Real> v;
    const Real part = v.x / v.y;
    check(core::floor(part), 0, 0, 0);
    check(core::ceil(part), 1, 0, 0);
    check(core::ceil(part) * v.x, 3, 1, 0);
}

TEST_CASE_TEMPLATE("the root is steep at 0, but for what does not change", Real, gradient<2, 2>,
                   gradient<3, 2>, gradient<5, 4>) {
    const two_variables<Real> v;
    check(core::sqrt(Real(v.x * v.x + v.y * v.y)), 5, 0.6, 0.8);
    Real zero(0.0);
    zero.set_slope(0, 1);
    const Real root = core::sqrt(zero);
    CHECK(root.value == 0);
    CHECK(root.slope(0) == std::numeric_limits<double>::infinity());
    CHECK(root.slope(1) == 0);
}

TEST_CASE_TEMPLATE("a copy has the derivatives too", Real, gradient<2, 2>, gradient<3, 2>,
                   gradient<5, 4>) {
    const two_variables<Real> v;
    Real copy(v.y);
    check(copy, 4, 0, 1);
    copy = v.x;
    check(copy, 3, 1, 0);
    copy.set_slope(0, 2);
    check(v.x, 3, 1, 0);
}

}  // namespace gradient_test
