// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/asynchronous_copies.hpp>
#include <warpgauge/ptx/text/operand_reader.hpp>

namespace asynchronous_copies_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::link;

namespace {

bulk_operands operands_of(std::string_view opcode, std::string_view text) {
    ptx::detail::text::cursor in(text);
    std::vector<ptx::operand> list;
    ptx::detail::text::read_operands(in, list);
    REQUIRE(in.ok());
    return bulk_operands_of(opcode, list);
}

}  // namespace

// PTX ISA 9.0, sec. 9.7.9.25.3.
TEST_CASE("what opcodes do with groups of copies") {
    using ptx::link::async_step_of;
    CHECK(async_step_of("cp.async.ca.shared.global") == async_step::copy);
    CHECK(async_step_of("cp.async.cg.shared::cta.global.L2::128B") == async_step::copy);
    CHECK(async_step_of("cp.async.commit_group") == async_step::commit);
    CHECK(async_step_of("cp.async.wait_group") == async_step::wait);
    CHECK(async_step_of("cp.async.wait_all") == async_step::wait_all);
    for (const std::string_view other :
         {"cp.async.mbarrier.arrive.noinc.shared.b64", "cp.async.bulk.commit_group",
          "cp.async.bulk.wait_group.read", "cp.async.bulk.shared::cta.global.mbarrier",
          "wgmma.commit_group.sync.aligned", "ld.global.u32", "cp"}) {
        CHECK(async_step_of(other) == async_step::none);
    }
    const auto left = [](std::string_view text) {
        ptx::detail::text::cursor in(text);
        std::vector<ptx::operand> list;
        ptx::detail::text::read_operands(in, list);
        return ptx::link::groups_left(list);
    };
    CHECK(left("3") == 3);
    CHECK(left("0") == 0);
    CHECK(left("%r1") == 0);
    CHECK(ptx::link::groups_left({}) == 0);
}

// The forms of PTX ISA 9.0, sec. 9.7.9.25.4 and 9.7.9.25.5.
TEST_CASE("what opcodes do with asynchronous products") {
    using ptx::link::product_step_of;
    CHECK(product_step_of("wgmma.mma_async.sp.sync.aligned.m64n8k32.f16.f16.f16") ==
          async_step::product);
    CHECK(product_step_of("wgmma.commit_group.sync.aligned") == async_step::commit_products);
    CHECK(product_step_of("wgmma.wait_group.sync.aligned") == async_step::wait_products);
    CHECK(product_step_of("tcgen05.mma.ws.cta_group::1.kind::f16") == async_step::block_product);
    CHECK(product_step_of("tcgen05.commit.cta_group::2.mbarrier::arrive::one.b64") ==
          async_step::commit_products);
    for (const std::string_view other :
         {"wgmma.fence.sync.aligned", "tcgen05.cp.cta_group::1.128x256b", "tcgen05.wait::ld",
          "tcgen05.ld.sync.aligned.32x32b.x1.b32", "mma.sync.aligned.m16n8k16.row.col.f32.f16",
          "cp.async.commit_group", "tcgen05"}) {
        CAPTURE(other);
        CHECK(product_step_of(other) == async_step::none);
    }
}

TEST_CASE("where address, size and barrier of a copy are") {
    const bulk_operands load =
        operands_of("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
                    "[%r1], [%d1+16], %r2, [%r3], 7");
    CHECK(load.address == 1);
    CHECK(load.size == 2);
    CHECK(load.barrier == 3);
    CHECK_FALSE(load.stores);
    const bulk_operands store =
        operands_of("cp.async.bulk.global.shared::cta.bulk_group", "[%d1], [%r1], 64");
    CHECK(store.address == 0);
    CHECK(store.size == 2);
    CHECK(store.barrier == no_operand);
    CHECK(store.stores);
    const bulk_operands tensor =
        operands_of("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes",
                    "[%r1], [%d1, {%r4, %r5}], [%r3]");
    CHECK(tensor.of_tensor);
    CHECK(tensor.size == no_operand);
    CHECK(tensor.address == 1);
    CHECK(tensor.barrier == 5);  // behind the coordinates
    const bulk_operands back =
        operands_of("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group", "[%d1, {%r4}], [%r3]");
    CHECK(back.address == 0);
    CHECK(back.stores);
    CHECK(back.barrier == no_operand);
    const bulk_operands fetch = operands_of("cp.async.bulk.prefetch.L2.global", "[%d1], %r2");
    CHECK(fetch.address == 0);
    CHECK(fetch.size == 1);
    CHECK_FALSE(fetch.stores);
    const bulk_operands clear = operands_of("st.bulk.weak.shared::cta", "[%r1], 1024, 0");
    CHECK(clear.size == 1);
    CHECK(clear.stores);
    const bulk_operands within =
        operands_of("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
                    "[%r1], [%r2], 512, [%r3]");
    CHECK(within.address == 0);
    CHECK(within.size == 2);
    CHECK(operands_of("cp.async.bulk.global.shared::cta.bulk_group", "%r1").address == no_operand);
}

TEST_CASE("which opcodes copy in bulk, ask a barrier or tell it bytes") {
    CHECK(is_bulk_copy("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32"));
    CHECK_FALSE(is_bulk_copy("cp.async.bulk.commit_group"));
    CHECK_FALSE(is_bulk_copy("cp.async.bulk.wait_group.read"));
    CHECK_FALSE(is_bulk_copy("cp.async.cg.shared.global"));
    CHECK(asks_barrier("mbarrier.try_wait.parity.shared::cta.b64"));
    CHECK(asks_barrier("mbarrier.test_wait.shared::cta.b64"));
    CHECK_FALSE(asks_barrier("mbarrier.arrive.shared::cta.b64"));
    CHECK(expects_bytes("mbarrier.arrive.expect_tx.shared::cta.b64"));
    CHECK_FALSE(expects_bytes("mbarrier.init.shared::cta.b64"));
}

TEST_CASE("bulk copies with more or fewer addresses than they have") {
    const bulk_operands one = operands_of("cp.async.bulk.shared::cluster.global", "[a], 64;");
    CHECK(one.address == 0);
    CHECK(one.size == 1);
    CHECK(one.barrier == no_operand);
    CHECK_FALSE(one.stores);
    const bulk_operands none = bulk_operands_of("cp.async.bulk.shared::cluster.global", {});
    CHECK(none.address == no_operand);
    const bulk_operands four =
        operands_of("cp.async.bulk.shared::cluster.global", "[a], [b], 64, [c], [d];");
    CHECK(four.address == 1);
    CHECK(four.barrier == 3);
}

TEST_CASE("what is no mbarrier asks none and announces nothing to it") {
    for (const std::string_view opcode : {"bar.test_wait.expect_tx", "mbarrier.init.shared.b64"}) {
        CHECK_FALSE(asks_barrier(opcode));
        CHECK_FALSE(expects_bytes(opcode));
    }
}

}  // namespace asynchronous_copies_test
