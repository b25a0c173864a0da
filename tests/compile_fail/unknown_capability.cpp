// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Limits of a compute capability that no GPU has; the compiler lists those that have some.
// expect: no limits are known for this compute capability. Known are 1.0 to 1.3, 2.0, 2.1, 3.0, 3.2, 3.5, 3.7, 5.0,
#include <warpgauge/device/sm_limits.hpp>

#ifdef FAIL
using limits = warpgauge::sm_limits_of<7, 4>;
#else
using limits = warpgauge::sm_limits_of<7, 5>;
#endif

static_assert(limits::warp_size == 32);
