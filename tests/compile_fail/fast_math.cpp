// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of what is finite would vanish, and rounding in packs with them.
// fails with: -ffast-math
// expect: without -ffast-math
#include <warpgauge/core/result.hpp>
