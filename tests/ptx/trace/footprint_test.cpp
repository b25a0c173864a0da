// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/footprint.hpp>

#include "ptx/touched_row.hpp"

namespace footprint_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

TEST_CASE("from the first to the last byte of each allocation") {
    touched_ranges r(64);
    CHECK(r.bytes(1e9) == 0);
    const std::uint64_t a = std::uint64_t{1} << 40;
    r.add(touched_row(a));
    r.add(touched_row(a + 1'048'576 - 128));
    r.add(touched_row(3 * a));
    CHECK(r.bytes(1e9) == 1'048'576 + 128);
    CHECK(r.bytes(10) == 320);  // no more than what is touched at all
    // Ten sectors, three more or less; and where the ends of the data limit them.
    CHECK(r.error(10, 3, 0) == 96);
    CHECK(r.error(10, 1e9, 0) == 1'048'576 + 128 - 320);
    CHECK(r.error(10, 0, 0) == 0);
    CHECK(r.error(1e9, 3, 0) == 0);
    CHECK(r.error(1e9, 3, 0.5) == r.bytes(1e9) / 2);
    CHECK(r.error(10, 0, 0.5) == 0);  // accesses touch no more
    touched_ranges other(64);
    other.add(touched_row(a - 128));  // of the allocation before
    other.add(touched_row(a + 2'097'152 - 128));
    other.add(r);
    CHECK(other.bytes(1e9) == 128 + 2'097'152 + 128);
    touched_ranges narrow(32);
    narrow.add(touched_row(std::uint64_t{1} << 31));
    narrow.add(touched_row((std::uint64_t{1} << 31) + (std::uint64_t{1} << 27)));
    CHECK(narrow.bytes(1e9) == 256);
}

TEST_CASE("reuse: what one of the few rounds before has read") {
    round_reuse<> none(1000);
    CHECK(none.fraction() == 0);
    round_reuse<> marching(1000);  // 16 rounds of words, eight in a sector
    for (std::uint32_t round = 0; round < 16; ++round) {
        warp_access a;
        a.addresses.fill(4 * round);
        marching.add(round, 1, sectors_of(a));
        marching.add(round, 1, sectors_of(a));  // of another warp: counts once
    }
    CHECK(marching.fraction() == doctest::Approx(14.0 / 16));
    round_reuse<> far(1000);
    far.add(0, 1, touched_row(0));
    far.add(5, 1, touched_row(0));
    CHECK(far.fraction() == 0);
    far.add(1, 1, touched_row(0));
    far.add(4, 1, touched_row(0));  // 1, 4 and 5 are near one before
    CHECK(far.fraction() == doctest::Approx(3.0 / 4));
    round_reuse<> multiplied(1000);  // the second round stands for six
    multiplied.add(0, 1, touched_row(0));
    multiplied.add(1, 6, touched_row(0));
    multiplied.add(2, 1, touched_row(1024));
    CHECK(multiplied.fraction() == doctest::Approx(6.0 / 8));
    round_reuse<> before_loop(
        1000);  // of what was read before its loop, one of six rounds reads again
    before_loop.add(0, 1, touched_row(0), 1);
    before_loop.add(1, 6, touched_row(0), 2);
    before_loop.add(2, 1, touched_row(1024), 2);
    CHECK(before_loop.fraction() == doctest::Approx(1.0 / 8));
    round_reuse<> bounded(4);
    bounded.add(0, 1, touched_row(0));
    bounded.add(1, 1, touched_row(0));  // no more room: it is not looked at
    CHECK(bounded.fraction() == 0);
}

}  // namespace footprint_test
