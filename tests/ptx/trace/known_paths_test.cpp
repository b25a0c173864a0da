// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/ptx/trace/known_paths.hpp>

#include <cstdint>

#include <doctest/doctest.h>

namespace known_paths_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

TEST_CASE("paths are kept by block and warp") {
    known_paths<> known(4);
    CHECK(known.of({1, 2, 3})[0].path == 0);
    CHECK(known.of({1, 2, 3})[0].record == ptx::link::nowhere);
    known.of({1, 2, 3})[1] = {.path = 7, .record = 2};
    known.of({1, 2, 4})[1] = {.path = 8};
    known.of({2, 1, 3})[3] = {.path = 9};
    CHECK(known.of({1, 2, 3})[1].path == 7);
    CHECK(known.of({1, 2, 3})[1].record == 2);
    CHECK(known.of({1, 2, 3})[2].path == 0);
    CHECK(known.of({1, 2, 4})[1].path == 8);
    CHECK(known.of({2, 1, 3})[3].path == 9);
}

TEST_CASE("a block that was not asked for has none") {
    known_paths<> known(4);
    CHECK(known.find({1, 2, 3}, 1) == nullptr);
    known.of({1, 2, 3})[1].path = 7;
    REQUIRE(known.find({1, 2, 3}, 1) != nullptr);
    CHECK(known.find({1, 2, 3}, 1)->path == 7);
    CHECK(known.find({1, 2, 4}, 1) == nullptr);
}

TEST_CASE("of many blocks some are forgotten, none is taken for another") {
    constexpr std::uint32_t blocks = 1000;
    known_paths<> known(2);
    for (std::uint32_t n = 0; n < blocks; ++n)
        known.of({n % 10, n / 10 % 10, n / 100})[1].path = n + 1;
    int kept = 0;
    for (std::uint32_t n = blocks; n-- > 0;) {
        const std::uint64_t path = known.of({n % 10, n / 10 % 10, n / 100})[1].path;
        CHECK((path == 0 || path == n + 1));
        kept += path != 0 ? 1 : 0;
    }
    CHECK(kept > 150);
    CHECK(kept <= 256);
}

}  // namespace known_paths_test
