// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/even_blocks.hpp>
#include <warpgauge/ptx/trace/trace.hpp>
#include <warpgauge/sm/touched_sectors.hpp>

#include "ptx/linked.hpp"
#include "ptx/traced_twice.hpp"
#include "ptx/within_errors.hpp"

namespace even_blocks_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

touched_sectors sector(std::uint64_t number) {
    warp_access a;
    a.addresses.fill(32 * number);
    return sectors_of(a);
}

}  // namespace

TEST_CASE("how far a block is from its place between two others") {
    first_sectors<> first;
    first_sectors<> second;
    first_sectors<> last;
    CHECK(first_sectors<>::unevenness(first, second, last, 0.5) == 0);
    first.see(3, sector(100));
    first.see(3, sector(0));  // only the first execution counts
    second.see(3, sector(160));
    last.see(3, sector(300));
    CHECK(first_sectors<>::unevenness(first, second, last, 0.5) == doctest::Approx(0.2));
    CHECK(first_sectors<>::unevenness(first, second, last, 0.3) == doctest::Approx(0));
    first.see(4, sector(200));
    second.see(4, sector(150));
    last.see(4, sector(100));
    CHECK(first_sectors<>::unevenness(first, second, last, 0.3) == doctest::Approx(0.2));
    // One that does not move, and one that not all make.
    first.see(5, sector(7));
    second.see(5, sector(8));
    last.see(5, sector(7));
    first.see(6, sector(0));
    last.see(6, sector(1));
    CHECK(first_sectors<>::unevenness(first, second, last, 0.5) == doctest::Approx(0.2));
}

// Of blocks that take each other's place, those at the ends of the grid are not those at the ends of the data.
TEST_CASE("blocks in another order are within the error") {
    for (const int other : {1, 5, 31}) {
        CAPTURE(other);
        const std::string text =
            kernel_of("mov.u32 %r4, %ctaid.x;\nxor.b32 %r4, %r4, " + std::to_string(other) +
                      ";\nmov.u32 %r5, %ntid.x;\n"
                      "mad.lo.u32 %r3, %r4, %r5, %r2;\nmul.wide.u32 %d2, %r3, 4;\n"
                      "add.u64 %d3, %d1, %d2;\nld.global.f32 %f1, [%d3];\n"
                      "ld.global.f32 %f2, [%d3+4];\nld.global.f32 %f3, [%d3+8];\n"
                      "st.global.f32 [%d3+4194304], %f1;\nret;");
        const auto [sample, all] = traced_twice(text, {{512}, {256}}, 1000);
        CHECK(within_errors::outside(sample, all) == "");
        CHECK(sample.loaded_bytes < all.loaded_bytes);
        CHECK(sample.errors.loaded_bytes < 0.3 * all.loaded_bytes);
    }
}

}  // namespace even_blocks_test
