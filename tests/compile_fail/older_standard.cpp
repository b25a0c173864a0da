// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An older standard of C++ is refused in one sentence.
// fails with: -std=c++17
// expect: warpgauge needs C++20
#include <warpgauge/core/result.hpp>
