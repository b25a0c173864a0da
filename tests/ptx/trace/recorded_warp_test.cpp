// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/recorded_warp.hpp>

namespace recorded_warp_test {

using namespace warpgauge::ptx::detail::trace;

constexpr block_index middle{5, 0, 0};

TEST_CASE("the warp of the typical block that is nearest to the mean, the first of several") {
    warp_to_record<> w;
    w.add({{0, 0, 0}, 0, 0}, 100, {}, false);
    w.add({middle, 0, 1}, 60, {}, true);
    w.add({middle, 1, 2}, 110, {}, true);
    w.add({middle, 2, 3}, 90, {}, true);
    CHECK(w.find(100).warp == 1);
    CHECK(w.find(100).ordinal == 2);
    CHECK(w.find(100).block == middle);
    CHECK(w.find(70).warp == 0);
}

TEST_CASE("rather one that begins copies in bulk, if it does more than that") {
    warp_to_record<> w;
    w.add({middle, 0, 0}, 100, {}, true);
    w.add({middle, 1, 1}, 60, {.copies = true}, true);
    w.add({middle, 2, 2}, 100, {}, true);
    CHECK(w.find(100).warp == 1);
    CHECK(w.find(121).warp == 0);  // of less than half
}

TEST_CASE("or one that orders products, of whatever length and block") {
    warp_to_record<> w;
    w.add({{4, 0, 0}, 3, 7}, 1, {.products = true}, false);
    w.add({middle, 0, 8}, 100, {.copies = true}, true);
    CHECK(w.find(100).ordinal == 7);
    w.add({middle, 1, 9}, 1, {.products = true}, true);
    CHECK(w.find(100).ordinal == 9);
}

}  // namespace recorded_warp_test
