// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the value of an error is no constant expression.
// expect: abort
#include <warpgauge/warpgauge.hpp>

#ifdef FAIL
constexpr warpgauge::compute_capability cc{4, 2};
#else
constexpr warpgauge::compute_capability cc{5, 2};
#endif
constexpr double warps = warpgauge::limits_of(cc)->max_warps_per_sm;
