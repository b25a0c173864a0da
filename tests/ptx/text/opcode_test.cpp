// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/opcode.hpp>

namespace opcode_test {

using namespace warpgauge;

TEST_CASE("classes of opcodes") {
    const auto unit = [](std::string_view opcode) {
        const auto c = ptx::classify(opcode);
        CHECK(c.known);
        return c.unit;
    };
    CHECK(unit("add.s32") == unit_kind::integer);
    CHECK(unit("add.f32") == unit_kind::single_precision);
    CHECK(unit("fma.rn.f64") == unit_kind::double_precision);
    CHECK(unit("cvt.rn.f32.u16") == unit_kind::single_precision);
    CHECK(unit("fma.rn.bf16x2") == unit_kind::single_precision);
    CHECK(unit("cvt.rna.tf32.s32") == unit_kind::single_precision);
    CHECK(unit("add.bf16") == unit_kind::single_precision);
    CHECK(unit("add.f#2") == unit_kind::integer);  // no type
    CHECK(unit("add.f:2") == unit_kind::integer);
    CHECK(unit("tcgen05.st.sync.aligned.32x32b.x8.b32") == unit_kind::l1_cache);
    CHECK(unit("setp.ge.s32") == unit_kind::integer);
    CHECK(unit("sin.approx.f32") == unit_kind::special_function);
    CHECK(unit("rcp.rn.f64") == unit_kind::double_precision);
    CHECK(unit("ld.f32") == unit_kind::global_memory);
    CHECK(unit("ld.const.f32") == unit_kind::l1_cache);
    CHECK(unit("atom.shared.add.u32") == unit_kind::shared_memory);
    CHECK(unit("cp.async.ca.shared.global") == unit_kind::global_memory);
    CHECK(unit("bar.sync") == unit_kind::barrier);
    CHECK(unit("bra.uni") == unit_kind::branch);
    CHECK(unit("ldmatrix.sync.aligned.x4.b16") == unit_kind::shared_memory);
    CHECK(unit("cp.async.wait_all") == unit_kind::integer);
    CHECK(unit("bar.warp.sync") == unit_kind::integer);
    CHECK(unit("wmma.load.a.sync.aligned.row.global.f16") == unit_kind::global_memory);
    CHECK(unit("wmma.mma.sync.aligned.f32") == unit_kind::tensor);
    CHECK(unit("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32") == unit_kind::tensor);
    CHECK(unit("wgmma.mma_async.sp.sync.aligned.m64n8k32.f16.f16.f16") == unit_kind::tensor);
    CHECK(unit("tcgen05.mma.cta_group::1.kind::f16") == unit_kind::tensor);
    for (const char* opcode :
         {"wgmma.fence.sync.aligned", "wgmma.commit_group.sync.aligned",
          "tcgen05.wait::ld.sync.aligned", "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64",
          "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32",
          "cp.async.bulk.wait_group.read", "cp.async.bulk.commit_group",
          "barrier.cluster.arrive.aligned", "elect.sync", "fence.proxy.async",
          "griddepcontrol.wait", "setmaxnreg.inc.sync.aligned.u32"}) {
        CAPTURE(opcode);
        CHECK(unit(opcode) == unit_kind::integer);
        CHECK(ptx::classify(opcode).known);
    }
    CHECK(unit("barrier.cluster.wait.aligned") == unit_kind::barrier);
    CHECK(unit("tcgen05.ld.sync.aligned.32x32b.x8.b32") == unit_kind::l1_cache);
    CHECK(unit("mbarrier.try_wait.parity.shared::cta.b64") == unit_kind::shared_memory);
    CHECK(
        unit("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes") ==
        unit_kind::global_memory);
    CHECK_FALSE(ptx::classify("").known);
    CHECK_FALSE(ptx::classify("zzz").known);
    CHECK_FALSE(ptx::classify("ad.s32").known);
}

}  // namespace opcode_test
