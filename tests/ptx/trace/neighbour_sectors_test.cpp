// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx.hpp>
#include <warpgauge/ptx/trace/neighbour_sectors.hpp>

#include "ptx/kernels.hpp"
#include "ptx/linked.hpp"

namespace neighbour_sectors_test {

using namespace warpgauge;

namespace {

result<ptx::neighbour_sectors> compare(std::string_view text, std::string_view name,
                                       const ptx::launch& l,
                                       std::initializer_list<ptx::argument> arguments,
                                       const ptx::neighbour_options& options = {}) {
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, name);
    REQUIRE(k);
    return ptx::sectors_of_neighbours(*k, l, arguments, options);
}

// %d3: the address of the thread's element of 4 B.
const std::string own_element =
    "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmad.lo.u32 %r3, %r4, %r5, %r2;\n"
    "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d3, %d1, %d2;\n";

}  // namespace

TEST_CASE("a stencil of three points shares the sectors at its ends") {
    const std::string text =
        kernel_of(own_element +
                  "ld.global.f32 %f1, [%d3+124];\nld.global.f32 %f2, [%d3+128];\n"
                  "ld.global.f32 %f3, [%d3+132];\nst.global.f32 [%d3+1048576], %f1;\nret;");
    const auto s = compare(text, "k", {{100}, {256}}, {0, {}});
    REQUIRE(s);
    CHECK(s->block == ptx::extent{49, 0, 0});
    // A warp's middle points are 4 sectors; those at the left and at the right are in one more.
    CHECK(s->loads.touched == 8 * (5 + 4 + 5));
    // 256 x 4 B are 32 sectors, and the points beyond them are in one more at each end. The next block reads the last two.
    CHECK(s->loads.different == 34);
    CHECK(s->loads.again() == (112.0 - 34) / 112);
    CHECK(s->loads.with_next[0] == 2 / 34.0);
    CHECK_FALSE(s->loads.with_next[1]);
    CHECK_FALSE(s->loads.with_next[2]);
    CHECK(s->all.touched == 112 + 32);
    CHECK(s->all.different == 34 + 32);
    CHECK(s->all.with_next[0] == 2 / 66.0);
    CHECK(s->unknown_lanes == 0);
    const auto first = compare(text, "k", {{100}, {256}}, {0, {}}, {.block = ptx::extent{0, 0, 0}});
    REQUIRE(first);
    CHECK(first->loads.with_next[0] == 2 / 34.0);
    const auto last = compare(text, "k", {{100}, {256}}, {0, {}}, {.block = ptx::extent{99, 0, 0}});
    REQUIRE(last);
    CHECK(last->loads.different == 34);
    CHECK_FALSE(last->loads.with_next[0]);
}

TEST_CASE("blocks of a product share a row of tiles along x, and a column of them along y") {
    // 16 rows of 128 elements of one matrix, 128 rows of 16 of the other: 256 sectors each. The block stores 32.
    const auto s = compare(kernel_text("matmul"), "matmul_tiled", {{8, 8}, {16, 16}}, {128});
    REQUIRE(s);
    CHECK(s->block == ptx::extent{3, 3, 0});
    CHECK(s->loads.different == 512);
    CHECK(s->loads.touched == 512);  // shared memory has the rest
    CHECK(s->loads.again() == 0);
    CHECK(s->loads.with_next[0] == 0.5);
    CHECK(s->loads.with_next[1] == 0.5);
    CHECK_FALSE(s->loads.with_next[2]);
    CHECK(s->all.different == 544);
    CHECK(s->all.with_next[0] == 256 / 544.0);
    // Without shared memory, a warp of two rows reads 2 sectors of one matrix and 2 of the other for each of 128 products.
    const auto naive = compare(kernel_text("matmul"), "matmul_naive", {{8, 8}, {16, 16}}, {128});
    REQUIRE(naive);
    CHECK(naive->loads.touched == 8 * 128 * (2 + 2));
    CHECK(naive->loads.different == 512);
    CHECK(naive->loads.again() == 0.875);
    CHECK(naive->loads.with_next[1] == 0.5);
}

TEST_CASE("what all blocks read is shared, and what data says is not") {
    const auto one =
        compare(kernel_of("ld.global.f32 %f1, [%d1];\nret;"), "k", {{2, 2, 2}, {64}}, {0, {}});
    REQUIRE(one);
    CHECK(one->block == ptx::extent{0, 0, 0});
    CHECK(one->loads.touched == 2);
    CHECK(one->loads.different == 1);
    for (const auto& next : one->loads.with_next) CHECK(next == 1);
    // Each lane's word is at an address that it has loaded.
    const auto gather =
        compare(kernel_of(own_element + "ld.global.u32 %r6, [%d3];\nmul.wide.u32 %d4, %r6, 4;\n"
                                        "add.u64 %d5, %d1, %d4;\nld.global.f32 %f1, [%d5];\nret;"),
                "k", {{9}, {32}}, {0, {}});
    REQUIRE(gather);
    CHECK(gather->unknown_lanes == 32);
    CHECK(gather->loads.different == 4 + 32);
    CHECK(gather->loads.with_next[0] == 0);
    const auto nothing = compare(kernel_of("ret;"), "k", {{9}, {32}}, {0, {}});
    REQUIRE(nothing);
    CHECK(nothing->all.different == 0);
    CHECK(nothing->all.with_next[0] == 0);
    CHECK(nothing->all.again() == 0);
}

TEST_CASE("a block alone has no neighbours, and one past the end is an error") {
    const std::string text = kernel_of(own_element + "red.global.add.u32 [%d3], 1;\nret;");
    const auto alone = compare(text, "k", {{1}, {32}}, {0, {}});
    REQUIRE(alone);
    CHECK(alone->loads.different == 4);
    for (const auto& next : alone->all.with_next) CHECK_FALSE(next);
    for (const ptx::extent& block : {ptx::extent{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
        const auto past = compare(text, "k", {{1}, {32}}, {0, {}}, {.block = block});
        REQUIRE_FALSE(past);
        CHECK(past.error() == model_error{errc::outside_domain, "block"});
    }
    const auto few = compare(text, "k", {{2}, {64}}, {0, {}}, {.max_requests = 1});
    REQUIRE_FALSE(few);
    CHECK(few.error() == model_error{errc::limit_reached, "max_requests"});
    CHECK_FALSE(compare(text, "k", {{0}, {64}}, {0, {}}));
    // Of a block beside it as well: only the second one loads.
    const auto beside =
        compare(kernel_of("mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 ret;\n" +
                          own_element + "ld.global.f32 %f1, [%d3];\nret;"),
                "k", {{2}, {64}}, {0, {}}, {.block = ptx::extent{0, 0, 0}, .max_requests = 1});
    REQUIRE_FALSE(beside);
    CHECK(beside.error() == model_error{errc::limit_reached, "max_requests"});
}

TEST_CASE("runs of sectors: those that adjoin or overlap are one") {
    using ptx::detail::trace::sector_runs;
    const sector_runs a({{7, 9}, {1, 2}, {3, 3}, {8, 12}});  // 1-3, 7-12
    const sector_runs b({{0, 1}, {3, 7}, {9, 9}, {11, 20}});
    CHECK(a.size() == 9);
    CHECK(a.common(b, 100) == 1 + 1 + 1 + 1 + 2);
    CHECK(b.common(a, 100) == a.common(b, 100));
    CHECK(a.common(b, 7) == 2);
    CHECK(sector_runs({}).common(a, 100) == 0);
    CHECK(a.common(sector_runs({}), 100) == 0);
    CHECK(sector_runs({{30, 31}}).common(a, 100) == 0);
}

}  // namespace neighbour_sectors_test
