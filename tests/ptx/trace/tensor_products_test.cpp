// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/tensor_products.hpp>

using warpgauge::ptx::detail::trace::tensor_fmas_of;

TEST_CASE("the shape in an opcode says how many multiply-adds it makes") {
    static_assert(tensor_fmas_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") == 2048);
    CHECK(tensor_fmas_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64") == 256);
    CHECK(tensor_fmas_of("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32") == 4096);
    // Four warps share it: 64 x 256 x 16 / 4.
    CHECK(tensor_fmas_of("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16") == 65536);
}

TEST_CASE("what is no product") {
    CHECK(tensor_fmas_of("wmma.load.a.sync.aligned.row.m16n16k16.f16") == 0);
    CHECK(tensor_fmas_of("wgmma.commit_group.sync.aligned") == 0);
    CHECK(tensor_fmas_of("fma.rn.f32") == 0);
    CHECK(tensor_fmas_of("mma.sync.aligned.m16n8") == 0);
    CHECK(tensor_fmas_of("mma.m16n8k") == 0);
    CHECK(tensor_fmas_of("") == 0);
}
