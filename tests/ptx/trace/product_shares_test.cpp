// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/product_shares.hpp>

namespace product_shares_test {

using namespace warpgauge;
using ptx::detail::trace::product_shares;

TEST_CASE("each warp makes its part of a product, as often as the stream has it") {
    // 8 warps of two blocks make 20 products of 4,000 multiply-adds, 10 in each block.
    product_shares<> shares({{}, {.made = 20, .work = 80'000}}, 8, 4);
    shares.execute(1, 10);
    instruction i;
    shares.write(1, i);
    CHECK(i.tensor_fmas == 1000);
    CHECK(i.sharing_warps == 4);
}

TEST_CASE("what only other warps order is made with the products of the stream") {
    product_shares<> shares({{.made = 2, .work = 3000}, {.made = 2, .work = 1000}}, 4, 4);
    shares.execute(0, 2);
    shares.execute(1, 0);
    instruction i;
    shares.write(0, i);
    CHECK(2 * 4 * i.tensor_fmas == 4000);
}

TEST_CASE("without a launch, or past what an entry can hold, they are not known") {
    product_shares<> none;
    none.execute(3, 1);
    instruction i;
    none.write(3, i);
    CHECK(i.tensor_fmas == 0);
    CHECK(i.sharing_warps == 1);
    product_shares<> large({{.made = 1, .work = 0x1p40}}, 1, 100'000);
    large.execute(0, 1);
    large.write(0, i);
    CHECK(i.tensor_fmas == 0);
    CHECK(i.sharing_warps == 0xffff);
}

}  // namespace product_shares_test
