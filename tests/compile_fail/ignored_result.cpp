// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A result that nobody looks at is a warning; an error here.
// expect: nodiscard
#include <warpgauge/warpgauge.hpp>

#pragma GCC diagnostic error "-Wunused-result"

void look() {
    const auto l = warpgauge::limits_of({7, 0});
#ifdef FAIL
    warpgauge::limits_of({7, 0});
#endif
    (void)l;
}
