// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/profiles/residency.hpp>

#include "profiles/gpu.hpp"

namespace residency_test {

using namespace warpgauge;

TEST_CASE("blocks of all SMs, and one on each where none fits") {
    CHECK(profiles::resident_blocks_of_gpu({.threads_per_block = 256}, small_gpu{}) == 80);
    CHECK(profiles::resident_blocks_of_gpu({.threads_per_block = 4096}, small_gpu{}) == 10);
}

}  // namespace residency_test
