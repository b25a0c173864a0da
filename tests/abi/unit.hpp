// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_ABI_UNIT_HPP
#define WARPGAUGE_TESTS_ABI_UNIT_HPP

/// \file What each unit of the program finds, in types of no version.

struct found {
    double seconds;     ///< of a launch on a GPU that the versions have different clocks of
    double rounded;     ///< sum of four lanes, rounded down
    const void* model;  ///< where the linker put a function of the library
};

#endif
