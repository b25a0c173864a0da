// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/eigen/log_fit.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace log_fit_test {

using namespace warpgauge;
using namespace warpgauge::detail::eigen;
using doctest::Approx;

namespace {

// Errors slopes * x - of, of no model.
class linear_errors final : public log_errors {
public:
    MatrixXd slopes;
    VectorXd of;
    double max_x = std::numeric_limits<double>::infinity();  // beyond, no prediction

    linear_errors(const MatrixXd& a, const VectorXd& b) : log_errors({}, {}), slopes(a), of(b) {}

    model_error values(const VectorXd& x, chosen_measurements which, VectorXd& to) const override {
        if (x.maxCoeff() > max_x) return {errc::outside_domain, "x"};
        to.resize(Index(which.size()));
        for (std::size_t i = 0; i < which.size(); ++i) {
            to[Index(i)] = slopes.row(Index(which[i])).dot(x) - of[Index(which[i])];
        }
        return {};
    }
    model_error derivatives(const VectorXd&, chosen_measurements which,
                            MatrixXd& to) const override {
        to.resize(Index(which.size()), slopes.cols());
        for (std::size_t i = 0; i < which.size(); ++i) {
            to.row(Index(i)) = slopes.row(Index(which[i]));
        }
        return {};
    }
};

VectorXd two(double a, double b) {
    VectorXd x(2);
    x << a, b;
    return x;
}

const calibration_options options{};
const std::vector<std::size_t> all_three{0, 1, 2};

linear_errors three_lines() {
    MatrixXd slopes(3, 2);
    slopes << 1, 0,  //
        0, 1,        //
        1, 1;
    VectorXd of(3);
    of << 1, 2, 6;  // least squares, by hand: x = 2, y = 3
    return {slopes, of};
}

}  // namespace

TEST_CASE("a search finds the least squares of linear errors") {
    const auto errors = three_lines();
    const VectorXd start = two(0, 0);
    const box bounds{two(-9, -9), two(9, 9)};
    const log_problem problem{errors, start, bounds, options, all_three};
    const auto found = fit(problem);
    REQUIRE(found);
    CHECK(found->converged);
    CHECK(found->x[0] == Approx(2));
    CHECK(found->x[1] == Approx(3));
    CHECK(found->squares == Approx(3));
    // Without the third line, the two others are met.
    const std::vector<std::size_t> first_two{0, 1};
    const auto met = fit(problem.with(first_two));
    REQUIRE(met);
    CHECK(met->x[0] == Approx(1));
    CHECK(met->x[1] == Approx(2));
    CHECK(met->squares < rounding_of_squares(2));
}

TEST_CASE("bounds and the end of the model stop a search") {
    auto errors = three_lines();
    const VectorXd start = two(0, 0);
    const box bounds{two(-9, -9), two(9, 2)};
    const log_problem problem{errors, start, bounds, options, all_three};
    const auto bounded = descent(problem).run(start);
    REQUIRE(bounded);
    CHECK(bounded->x[1] == 2);
    CHECK(bounded->x[0] == Approx(2.5));  // the least of (x - 1)^2 + (x - 4)^2
    errors.max_x = 1.5;
    const auto ended = descent(problem).run(start);
    REQUIRE(ended);
    CHECK(ended->x.maxCoeff() <= 1.5);
    CHECK(ended->squares < 1 + 4 + 36);
    errors.max_x = -1;
    CHECK(descent(problem).run(start).error() == model_error{errc::outside_domain, "x"});
    const calibration_options one_step{.max_steps = 1};
    errors.max_x = 9;
    const log_problem short_one{errors, start, bounds, one_step, all_three};
    CHECK_FALSE(descent(short_one).run(start)->converged);
}

TEST_CASE("of points that fit equally well, the one nearest to the start is taken") {
    MatrixXd slopes(2, 2);
    slopes << 1, 1,  //
        2, 2;
    VectorXd of(2);
    of << 4, 8;
    const linear_errors errors(slopes, of);  // only the sum of both counts
    const VectorXd start = two(1, 0);
    const std::vector<std::size_t> both{0, 1};
    const box wide{two(-9, -9), two(9, 9)};
    const auto found = fit({errors, start, wide, options, both});
    REQUIRE(found);
    CHECK(found->x[0] == Approx(2.5));
    CHECK(found->x[1] == Approx(1.5));
    const box narrow{two(-9, -9), two(2, 9)};
    const auto bounded = fit({errors, start, narrow, options, both});
    REQUIRE(bounded);
    CHECK(bounded->x[0] == Approx(2));
    CHECK(bounded->x[1] == Approx(2));
}

TEST_CASE("the nearest point on a plane within bounds") {
    const MatrixXd plane = two(1, -1) / std::sqrt(2.0);  // the line x + y = 4 through (4, 0)
    const box bounds{two(0, 0), two(9, 1)};
    const VectorXd x = nearest_on_plane(two(4, 0), plane, two(1, 1), bounds);
    CHECK(x[0] == Approx(3));
    CHECK(x[1] == Approx(1));
    CHECK(bounds.nearest(two(-1, 5)) == two(0, 1));
}

TEST_CASE("scattered points fill a box evenly, and leave an unbounded edge at 0") {
    const double infinite = std::numeric_limits<double>::infinity();
    // Along one edge, strides of the golden ratio: the points 0.118, 0.736, 0.354 of R1.
    const box edge{VectorXd::Constant(1, 0), VectorXd::Constant(1, 1)};
    CHECK(scattered_point(edge, 0)[0] == 0.5);
    CHECK(scattered_point(edge, 1)[0] == Approx(0.1180339887));
    CHECK(scattered_point(edge, 2)[0] == Approx(0.7360679775));
    const box bounds{two(-2, -infinite), two(2, infinite)};
    std::vector<int> in_quarter(4);
    for (std::size_t n = 0; n < 100; ++n) {
        const VectorXd x = scattered_point(bounds, n);
        CHECK(x[1] == 0);
        ++in_quarter[static_cast<std::size_t>(x[0] + 2)];
    }
    CHECK(*std::min_element(in_quarter.begin(), in_quarter.end()) >= 23);
}

}  // namespace log_fit_test
