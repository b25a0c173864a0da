// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/tensor_products.hpp>

namespace tensor_products_test {

using warpgauge::ptx::detail::trace::tensor_fmas_of;

TEST_CASE("the shape in an opcode says how many multiply-adds it makes") {
    static_assert(tensor_fmas_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") == 2048);
    CHECK(tensor_fmas_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64") == 256);
    CHECK(tensor_fmas_of("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32") == 4096);
    // Four warps share it: 64 x 256 x 16 / 4.
    CHECK(tensor_fmas_of("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16") == 65536);
}

TEST_CASE("all types, and sparse factors") {
    using warpgauge::ptx::detail::trace::tensor_time_by;
    struct {
        const char* opcode;
        double fmas, time;
    } const all[]{
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 1024, 2},
        {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 2048, 1},
        {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32", 4096, 0.5},
        {"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", 8192, 0.25},
        {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 32768, 0.0625},
        {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4096, 0.5},
        {"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m1.e3m2.f32", 4096, 0.5},
        {"mma.sync.aligned.kind::mxf4.block_scale.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0", 8192,
         0.25},
        {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 2048, 16},
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 1024, 1},  // each quarter of the warp
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4096, 0.5},
        {"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", 8192, 0.25},
        {"wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", 2048, 2},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16", 4096, 1},
        {"wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32", 4096, 0.5},
        {"wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3", 65536, 0.5},
        {"wgmma.mma_async.sp.sync.aligned.m64n256k32.f32.bf16.bf16", 131072, 0.5},
    };
    for (const auto& a : all) {
        CAPTURE(a.opcode);
        CHECK(tensor_fmas_of(a.opcode) == a.fmas);
        CHECK(tensor_time_by(a.opcode) == a.time);
    }
}

TEST_CASE("factors of 4 bits from 9.0 on: what ptxas 13.0 makes of them for 12.0") {
    using warpgauge::ptx::detail::trace::tensor_time_by,
        warpgauge::ptx::detail::trace::unpacking_insts;
    struct {
        const char* opcode;
        double insts;  // IADD3 + LOP3 + SHF + IMAD
    } const all[]{{"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 4 + 90 + 48 + 42},
                  {"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", 4 + 64 + 34 + 28},
                  {"mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32", 4 + 38 + 20 + 14},
                  {"mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32", 4 + 12 + 6},
                  {"mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", 4 + 45 + 24 + 21},
                  {"mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32", 2 + 17 + 9 + 7},
                  {"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", 2 + 30 + 16 + 14},
                  {"mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 4 + 60 + 32 + 28}};
    for (const auto& a : all) {
        CAPTURE(a.opcode);
        for (const warpgauge::compute_capability cc :
             {warpgauge::compute_capability{9, 0}, {10, 0}, {12, 0}}) {
            CHECK(unpacking_insts(a.opcode, cc) == a.insts);
            CHECK(tensor_time_by(a.opcode, cc) == 2 * tensor_time_by(a.opcode, {8, 9}));
        }
        CHECK(unpacking_insts(a.opcode, {8, 9}) == 0);
    }
    CHECK(unpacking_insts("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", {12, 0}) == 0);
    CHECK(unpacking_insts("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", {12, 0}) == 0);
    // Single bits have units until 9.0; then eight products of bytes are as long as one of 256 bits.
    const char* const bits = "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc";
    CHECK(tensor_time_by(bits, {9, 0}) == 0.0625);
    CHECK(tensor_time_by(bits, {10, 0}) == 0.5);
}

// PTX ISA 9.0, sec. 9.7.16.4.2: N / 8 in bits 17 to 22, M / 16 in bits 24 to 28.
TEST_CASE("the shape of `tcgen05.mma` is in its descriptor") {
    using warpgauge::ptx::detail::trace::tensor_fmas_by;
    const std::uint64_t shape = std::uint64_t{256 / 8} << 17 | std::uint64_t{128 / 16} << 24;
    CHECK(tensor_fmas_by("tcgen05.mma.cta_group::1.kind::f16", shape, true) == 128 * 256 * 16);
    CHECK(tensor_fmas_by("tcgen05.mma.cta_group::1.kind::tf32", shape, true) == 128 * 256 * 8);
    CHECK(tensor_fmas_by("tcgen05.mma.cta_group::1.kind::i8", shape, true) == 128 * 256 * 32);
    CHECK(tensor_fmas_by("tcgen05.mma.sp.cta_group::1.kind::f16", shape, true) == 128 * 256 * 32);
    const std::uint64_t scaled = std::uint64_t{64 / 8} << 17 | std::uint64_t{256 / 128} << 27;
    CHECK(tensor_fmas_by("tcgen05.mma.cta_group::2.kind::mxf4.block_scale", scaled, true) ==
          256 * 64 * 64);
    CHECK(tensor_fmas_by("tcgen05.mma.cta_group::1.kind::f16", 0, false) == 128 * 256 * 16);
}

TEST_CASE("what is no product") {
    CHECK(tensor_fmas_of("wmma.load.a.sync.aligned.row.m16n16k16.f16") == 0);
    CHECK(tensor_fmas_of("wgmma.commit_group.sync.aligned") == 0);
    CHECK(tensor_fmas_of("fma.rn.f32") == 0);
    CHECK(tensor_fmas_of("mma.sync.aligned.m16n8") == 0);
    CHECK(tensor_fmas_of("mma.m16n8k") == 0);
    CHECK(tensor_fmas_of("") == 0);
}

TEST_CASE("shapes that are cut off or absurd, and `tcgen05` by its whole name") {
    using namespace warpgauge::ptx::detail::trace;
    std::size_t at = 0;
    CHECK(dimension("m16", 'm', at) == 16);
    CHECK(at == 3);
    at = 0;
    CHECK(dimension("m99999999", 'm', at) == 9'999'999);
    at = 0;
    CHECK(dimension("m1/", 'm', at) == 1);
    CHECK(has_descriptor("tcgen05.mma"));
    CHECK(has_descriptor("tcgen05.mma.cta_group::1.kind::f16"));
    CHECK_FALSE(has_descriptor("tcgen05.mma_x"));
    CHECK_FALSE(is_factor_type("ex3m"));
    CHECK_FALSE(is_factor_type("exyz"));
    CHECK_FALSE(is_factor_type("xxmx"));
    CHECK(tensor_fmas_of("mma.sync.aligned.m8n8k4.row.col.f32.bf16.bf16.f32") == 256);
    CHECK(tensor_fmas_of("mma.sync.aligned.m8n16k4.row.col.f32.f16.f16.f32") == 512);
    CHECK(tensor_fmas_of("mma.sync.aligned.m8n8k8.row.col.f32.f16.f16.f32") == 512);
    CHECK(tensor_fmas_by("tcgen05.mma.cta_group::1.kind::mxf4nvf4", 0, false) ==
          tensor_fmas_by("tcgen05.mma.cta_group::1.kind::mxf4", 0, false));
}

}  // namespace tensor_products_test
