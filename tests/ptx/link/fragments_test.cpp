// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/fragments.hpp>

namespace fragments_test {

using namespace warpgauge::ptx::detail::link;

TEST_CASE("lanes whose addresses `ldmatrix` and `stmatrix` take") {
    const auto lanes = [](std::string_view opcode) {
        step s;
        read_matrices(opcode, s);
        CHECK(s.lane_bytes == 16);
        return int{s.address_lanes};
    };
    CHECK(lanes("ldmatrix.sync.aligned.m8n8.x1.shared.b16") == 8);
    CHECK(lanes("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16") == 16);
    CHECK(lanes("ldmatrix.sync.aligned.m8n8.x4.shared.b16") == 32);
    CHECK(lanes("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8") == 16);
    CHECK(lanes("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8") == 32);
    CHECK(lanes("stmatrix.sync.aligned.m8n8.x2.shared.b16") == 16);
    CHECK(lanes("ldmatrix.sync.aligned") == 32);
    CHECK(lanes("ldmatrix.sync.aligned.m8n8.x2") == 16);
    CHECK(lanes("ldmatrix.sync.aligned.m8n8.x8.shared.b16") == 32);
    CHECK(lanes("ldmatrix.sync.aligned.m8n8.x123456789.shared.b16") == 32);
    CHECK(lanes("ldmatrix.sync.aligned.m8n8.xy.x2.shared.b16") == 16);
}

TEST_CASE("rows of fragments, and how many bytes they have") {
    const auto fragment = [](std::string_view opcode) {
        step s;
        read_fragment(opcode, s);
        CHECK(s.in_rows);
        return s;
    };
    const step a = fragment("wmma.load.a.sync.aligned.row.m16n16k16.global.f16");
    CHECK(a.row_count == 16);
    CHECK(a.lane_bytes == 32);
    CHECK(a.address_lanes == 16);
    CHECK(a.mode == 16);
    const step b = fragment("wmma.load.b.sync.aligned.col.m32n8k16.shared.bf16");
    CHECK(b.row_count == 8);
    CHECK(b.lane_bytes == 32);
    const step d = fragment("wmma.store.d.sync.aligned.row.m16n16k16.f32");
    CHECK(d.row_count == 16);
    CHECK(d.lane_bytes == 32);
    CHECK(d.address_lanes == 32);
    const step wide = fragment("wmma.store.d.sync.aligned.col.m32n8k16.f32");
    CHECK(wide.row_count == 8);
    CHECK(wide.address_lanes == 32);
    const step bits = fragment("wmma.load.a.sync.aligned.row.m8n8k128.b1");
    CHECK(bits.row_count == 8);
    CHECK(bits.lane_bytes == 16);
    CHECK(bits.mode == 1);
    for (const char* opcode :
         {"wmma.load.a.sync.aligned.row.f16", "wmma.load.a.sync.aligned.row.m16n16k16.f",
          "wmma.load.a.sync.aligned.row.m8n8k33.u8", "wmma.load.a.sync.aligned.row.m64n8k16.f16",
          "wmma.load.a.sync.aligned.row.m8n8k8.f12345"}) {
        CAPTURE(opcode);
        step none;
        read_fragment(opcode, none);
        CHECK_FALSE(none.in_rows);
    }
}

TEST_CASE("texels") {
    step s{.lane_bytes = 16};
    read_texels("tex", s);
    CHECK(s.hides_addresses);
    CHECK(s.lane_bytes == 4);
    s.lane_bytes = 8;
    read_texels("suld", s);
    CHECK(s.lane_bytes == 8);
    for (const char* root : {"tld4", "sured"}) {
        s.lane_bytes = 8;
        read_texels(root, s);
        CHECK(s.lane_bytes == 4);
    }
    for (const char* root : {"tex", "tld4", "suld", "sust", "sured"}) CHECK(is_of_texels(root));
    CHECK_FALSE(is_of_texels("txq"));
}

}  // namespace fragments_test
