// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// doctest's comparison of floating-point numbers, relative to them alone: its own adds 1, so that all times of 1e-6 s are equal.
#ifndef WARPGAUGE_TESTS_APPROX_HPP
#define WARPGAUGE_TESTS_APPROX_HPP

#include <doctest/doctest.h>

struct Approx : doctest::Approx {
    explicit Approx(double value) : doctest::Approx(value) { scale(1e-300); }
};

#endif
