// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/ptx/trace/known_paths.hpp>

#include <cstdint>

#include <doctest/doctest.h>

namespace known_paths_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

TEST_CASE("paths are kept by block and warp") {
    known_paths<> known(4);
    CHECK(known.of({1, 2, 3}, 0).path == 0);
    CHECK(known.of({1, 2, 3}, 0).record == ptx::link::nowhere);
    known.of({1, 2, 3}, 1) = {.path = 7, .record = 2};
    known.of({1, 2, 4}, 1) = {.path = 8};
    known.of({2, 1, 3}, 3) = {.path = 9};
    CHECK(known.of({1, 2, 3}, 1).path == 7);
    CHECK(known.of({1, 2, 3}, 1).record == 2);
    CHECK(known.of({1, 2, 3}, 2).path == 0);
    CHECK(known.of({1, 2, 4}, 1).path == 8);
    CHECK(known.of({2, 1, 3}, 3).path == 9);
}

TEST_CASE("the oldest of many blocks is forgotten") {
    known_paths<> known(2);
    for (std::uint32_t n = 0; n < 256; ++n) known.of({n, 0, 0}, 1).path = n + 1;
    CHECK(known.of({0, 0, 0}, 1).path == 1);
    CHECK(known.of({256, 0, 0}, 1).path == 0);  // takes the place of the first
    for (std::uint32_t n = 1; n < 256; ++n) CHECK(known.of({n, 0, 0}, 1).path == n + 1);
    CHECK(known.of({0, 0, 0}, 1).path == 0);
    CHECK(known.of({1, 0, 0}, 1).path == 0);  // gave its place
}

}  // namespace known_paths_test
