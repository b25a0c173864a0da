// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of what is finite would vanish.
// fails with: -ffinite-math-only
// expect: without -ffast-math
#include <warpgauge/core/result.hpp>
