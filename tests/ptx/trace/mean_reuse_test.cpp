// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/mean_reuse.hpp>

namespace mean_reuse_test {

using namespace warpgauge::ptx::detail::trace;

TEST_CASE("a ratio of sums, each block by those that it stands for") {
    mean_reuse<> none;
    CHECK(none.fraction() == 0);
    CHECK(none.error() == 0);
    mean_reuse<> m;
    m.add({10, 5}, 3);
    m.add({40, 0}, 1);
    CHECK(m.fraction() == 15.0 / 70);
    CHECK(m.error() == 0);  // they are all blocks
}

TEST_CASE("blocks of a kind that reuse alike have no error, whatever other kinds do") {
    mean_reuse<> m;
    m.add_drawn({10, 5}, 300, 1);
    m.add_drawn({10, 5}, 7, 1);
    m.add_drawn({10, 1}, 20, 2);
    m.add_drawn({10, 1}, 20, 2);
    CHECK(m.fraction() == doctest::Approx((307 * 5 + 40) / 3470.0));
    CHECK(m.error() == 0);
}

TEST_CASE("three standard errors of what is drawn") {
    mean_reuse<> m;
    m.add({20, 10}, 100);  // certain, of the fraction of all
    m.add_drawn({20, 8}, 50, 1);
    m.add_drawn({20, 12}, 50, 1);
    CHECK(m.fraction() == 0.5);
    // 50 blocks times two sectors from the mean, either way, of 4000 sectors; two of a hundred blocks were drawn.
    const double variance = (1 - 2.0 / 100) * 2 * (100 * 100 + 100 * 100);
    CHECK(m.error() == doctest::Approx(3 * std::sqrt(variance) / 4000));
    CHECK(m.off_of(1) == 0);
    m.add_variance(3 * variance);
    CHECK(m.error() == doctest::Approx(6 * std::sqrt(variance) / 4000));
    // All blocks of a kind were.
    mean_reuse<> each;
    each.add_drawn({20, 8}, 1, 1);
    each.add_drawn({20, 12}, 1, 1);
    CHECK(each.error() == 0);
    // No fraction is below 0 or above 1.
    mean_reuse<> wide;
    wide.add_drawn({20, 0}, 1000, 1);
    wide.add_drawn({20, 20}, 1000, 1);
    CHECK(wide.fraction() == 0.5);
    CHECK(wide.error() == 0.5);
}

TEST_CASE("blocks that were not drawn may read again what none does that was") {
    mean_reuse<> m;
    for (int n = 0; n < 10; ++n) m.add_drawn({20, 0}, 10, 1);
    CHECK(m.error() == 0);
    m.set_unseen(4);  // three of ten, 4 sectors of 20 each
    CHECK(m.error() == doctest::Approx(std::sqrt(0.9) * 3.0 / 10 * 4 / 20));
    m.set_unseen(1000);  // no more than it reads
    CHECK(m.error() == doctest::Approx(std::sqrt(0.9) * 3.0 / 10));
    mean_reuse<> each;
    each.add_drawn({20, 0}, 1, 1);
    each.set_unseen(4);
    CHECK(each.error() == 0);
}

}  // namespace mean_reuse_test
