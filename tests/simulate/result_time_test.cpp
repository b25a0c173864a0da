// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <initializer_list>

#include <doctest/doctest.h>

#include <warpgauge/simulate/result_time.hpp>

namespace result_time_test {

using warpgauge::detail::simulate::result_time;

TEST_CASE("times of results compare by cycle, then by where they come from") {
    constexpr auto near = result_time::at(7, false);
    constexpr auto far = result_time::at(7, true);
    static_assert(near.cycle() == 7 && !near.far() && far.cycle() == 7 && far.far());
    static_assert(result_time::later(near, far).far() && result_time::later(far, near).far());
    static_assert(!result_time::later(far, result_time::at(8, false)).far());
}

TEST_CASE("a result is there in its cycle, near or far") {
    for (const bool far : {false, true}) {
        const auto time = result_time::at(7, far);
        CHECK_FALSE(time.by(6));
        CHECK(time.by(7));
        CHECK(time.by(8));
    }
}

TEST_CASE("counted from a cycle and back again, a time is the same from another cycle") {
    result_time time;
    time.read(100, result_time::at(12, true).from(5));
    CHECK(time.cycle() == 107);
    CHECK(time.far());
    CHECK(result_time::at(5, true).from(5) == 0);
    time.read(200, 0);  // it was there: it stays
    CHECK(time.cycle() == 107);
}

}  // namespace result_time_test
