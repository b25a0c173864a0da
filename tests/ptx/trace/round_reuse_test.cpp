// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/round_reuse.hpp>

#include "ptx/touched_row.hpp"

namespace round_reuse_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

void check(round_reuse<>& r, double sectors, double reused) {
    const block_reads all = r.end_block();
    CHECK(all.sectors == sectors);
    CHECK(all.reused == reused);
}

}  // namespace

TEST_CASE("what one of the few rounds before has read") {
    round_reuse<> r(1000);
    check(r, 0, 0);
    for (std::uint32_t round = 0; round < 16; ++round) {  // of words, eight in a sector
        warp_access a;
        a.addresses.fill(4 * round);
        r.add(round, 1, sectors_of(a));
        r.add(round, 1, sectors_of(a));  // of another warp: counts once
    }
    check(r, 16, 14);
    r.add(0, 1, touched_row(0));
    r.add(5, 1, touched_row(0));
    check(r, 8, 0);  // too far from each other, and from the block before
    r.add(0, 1, touched_row(0));
    r.add(5, 1, touched_row(0));
    r.add(1, 1, touched_row(0));
    r.add(4, 1, touched_row(0));  // 1, 4 and 5 are near one before
    check(r, 16, 12);
}

TEST_CASE("a round that stands for others reads again in each of them what its loop has read") {
    round_reuse<> r(1000);
    r.add(0, 1, touched_row(0));
    r.add(1, 6, touched_row(0));
    r.add(2, 1, touched_row(1024));
    check(r, 32, 24);
    // What was read before its loop, in one of them.
    r.add(0, 1, touched_row(0), 1);
    r.add(1, 6, touched_row(0), 2);
    r.add(2, 1, touched_row(1024), 2);
    check(r, 32, 4);
}

TEST_CASE("no more of a block than there is room for") {
    round_reuse<> r(4);
    r.add(0, 1, touched_row(0));
    r.add(1, 1, touched_row(0));
    check(r, 4, 0);
    r.add(1, 1, touched_row(0));  // of the next block
    check(r, 4, 0);
}

}  // namespace round_reuse_test
