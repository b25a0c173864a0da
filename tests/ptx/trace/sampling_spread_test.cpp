// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/sampling_spread.hpp>

namespace sampling_spread_test {

using namespace warpgauge;
using ptx::detail::trace::sampling_spread;

TEST_CASE("three standard errors of a stratified mean") {
    sampling_spread<> s;
    // 20 warps of one way, of which two were followed: 4 and 8 instructions.
    s.add(7, 10, {4, 0, 0, 0, 0});
    s.add(7, 10, {8, 0, 0, 0, 0});
    // 2 of another, both followed: no error of theirs.
    s.add(9, 1, {100, 0, 0, 0, 0});
    s.add(9, 1, {300, 0, 0, 0, 0});
    const ptx::sampling_errors e = s.errors(22);
    // N^2 (1 - n/N) s^2 / n = 400 * 0.9 * 8 / 2
    CHECK(e.warp_insts == doctest::Approx(3 * std::sqrt(1440.0) / 22));
    CHECK(e.bytes_moved == 0);
}

TEST_CASE("warps that no other resembles are one stratum") {
    sampling_spread<> s;
    s.add(1, 50, {0, 0, 10, 0, 0});
    s.add(2, 50, {0, 0, 12, 0, 0});
    CHECK(s.errors(100).bytes_moved == doctest::Approx(3 * std::sqrt(1e4 * 0.98 * 2 / 2) / 100));
    CHECK(sampling_spread<>().errors(1).warp_insts == 0);
}

}  // namespace sampling_spread_test
