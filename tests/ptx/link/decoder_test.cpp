// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/link/decoder.hpp>

#include "ptx/linked.hpp"

namespace decoder_test {

using namespace warpgauge;
using ptx::link::address_space, ptx::text::action;

TEST_CASE("arithmetic: results, sources, predicates") {
    const linked_text k(kernel_of(
        "@!%p1 setp.lt.and.s32 %p2|%p3, %r3, 4, !%p4;\nmov.b64 %d2, {%r3, %r4};\n"
        "mov.b64 {%r3, %r4}, %d2;\nshl.b64 %d2, %d2, -1;\nmad.wide.s32 %d2, %r3, 2, -7;\nret;"));
    const auto& compare = k.body(0);
    CHECK(compare.predicate_negated);
    CHECK(compare.predicate != ptx::link::nowhere);
    CHECK(compare.results == 2);
    CHECK(compare.sources == 3);
    CHECK(compare.negated_sources == 4);
    CHECK(compare.has_constant);
    CHECK(k.body(1).what == action::pack);
    CHECK(k.body(1).sources == 2);
    CHECK(k.body(2).what == action::unpack);
    CHECK(k.body(2).results == 2);
    CHECK(k.constant(k.source(k.body(3), 1)) == 0xffff'ffff);  // an amount has 32 bits
    CHECK(k.constant(k.source(k.body(4), 2)) == 0xffff'ffff'ffff'fff9);
}

TEST_CASE("accesses: address, then what is stored") {
    const linked_text k(
        kernel_of("ld.global.v2.f32 {%f1, %f2}, [%d1+8];\nst.shared.f32 [tile], %f1;\n"
                  "atom.global.add.u32 %r3, [%d1], 1;\nred.global.add.u32 [%d1], %r3;\n"
                  "cp.async.ca.shared.global [tile], [%d1], 8;\ncp.async.wait_all;\nld.f32 %f1, "
                  "[%d1];\nret;"));
    CHECK(k.body(0).what == action::load);
    CHECK(k.body(0).results == 2);
    CHECK(k.body(0).lane_bytes == 8);
    CHECK(k.body(0).accesses);
    CHECK(k.body(1).stores);
    CHECK(k.body(1).sources == 2);
    CHECK(k.body(2).is_atomic);
    CHECK(k.body(2).what == action::atomic);
    CHECK(k.body(3).stores);
    CHECK(k.body(3).what == action::unknown);
    CHECK(k.body(4).lane_bytes == 8);
    CHECK_FALSE(k.body(5).accesses);
    CHECK(k.body(6).space == address_space::generic);
}

TEST_CASE("parameters are moved, not accessed") {
    const linked_text k(kernel_of("ld.param.u64 %d2, [data];\nret;"));
    for (const auto* s : {&k.program.steps[0], &k.program.steps[1], &k.body(0)}) {
        CHECK(s->what == action::move);
        CHECK_FALSE(s->accesses);
    }
    CHECK(k.source(k.body(0)) == k.source(k.program.steps[1]));
}

TEST_CASE("control") {
    const linked_text k(
        kernel_of("T: .branchtargets A, B, A;\nbrx.idx %r2, T;\nA: bra.uni B;\nB: bar.sync 0;\n"
                  "bar.red.popc.u32 %r3, 0, %p1;\nexit;"));
    const auto& table = k.body(0);
    CHECK(table.what == action::branch_table);
    CHECK(table.targets == 3);
    CHECK(k.program.rows[table.target] == 4);
    CHECK(k.program.rows[table.target + 1] == 5);
    CHECK(k.body(1).target == 5);
    CHECK(k.body(2).what == action::barrier);
    CHECK(k.body(3).what == action::unknown);
    CHECK(k.body(3).results == 1);
    CHECK(k.body(4).what == action::exit);
    CHECK(link_error_of(kernel_of("bra NOWHERE;\nret;")) ==
          model_error{errc::missing, "label", 15, 1});
    CHECK(link_error_of(kernel_of("brx.idx %r2, A;\nA: ret;")).field == "label");
    CHECK(link_error_of(kernel_of("@%none bra A;\nA: ret;")).field == "declaration");
}

TEST_CASE("copies in bulk: address, size, barrier") {
    const linked_text k(kernel_of(
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%d1+64], %r4, "
        "[%r3+8];\n"
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d1, {%r3, %r4}], [tile];\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+8], 512;\n"
        "mbarrier.test_wait.shared::cta.b64 %p1, [%r3], %d2;\n"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3], %r4, [%r5];\nret;"));
    const auto& load = k.body(0);
    CHECK(load.in_bulk);
    CHECK_FALSE(load.stores);
    CHECK(load.offset == 64);
    CHECK(k.source(load, 0) == k.result(k.program.steps[1]));
    CHECK(load.size_source == 2);
    CHECK(load.barrier_source == 3);
    CHECK(load.barrier_offset == 8);
    const auto& store = k.body(1);
    CHECK(store.in_bulk);
    CHECK(store.stores);
    CHECK(store.size_source == 0);
    CHECK(k.source(store) == ptx::link::unknown_row);
    CHECK(k.body(2).size_source == 2);
    CHECK(k.body(2).barrier_source == 1);
    CHECK(k.constant(k.source(k.body(2), 1)) == 512);
    CHECK(k.body(3).what == ptx::text::action::come_true);
    CHECK(k.source(k.body(4)) == k.source(k.body(3)));  // where it stores, not its barrier
}

TEST_CASE("products, fragments, and addresses in other blocks") {
    const linked_text k(
        kernel_of("tcgen05.mma.cta_group::1.kind::f16 [%r3], %d1, %d2, %r4, %p1;\n"
                  "tcgen05.mma.sp.cta_group::1.kind::f16 [%r3], [%r5], %d2, [%r6], %r4, %p1;\n"
                  "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r4, %r5}, [%d1], %r6;\n"
                  "wmma.store.d.sync.aligned.row.m16n16k16.f32 [%d1], {%f1, %f2}, 64;\n"
                  "mapa.u64 %d3, %d1, %r3;\nmultimem.red.global.add.f32 [%d1], %f1;\n"
                  "multimem.ld_reduce.global.add.f32 %f1, [%d1];\nret;"));
    CHECK(k.body(0).size_source == 4);
    CHECK(k.body(1).size_source == 5);
    CHECK(k.source(k.body(0), 3) == k.source(k.body(1), 4));
    CHECK(k.body(2).in_rows);
    CHECK(k.body(2).results == 2);
    CHECK(k.source(k.body(2), k.body(2).size_source - 1U) == k.source(k.body(1), 3));
    CHECK(k.constant(k.source(k.body(3), k.body(3).size_source - 1U)) == 64);
    CHECK(k.body(4).what == ptx::text::action::move);
    CHECK(k.body(4).sources == 1);
    CHECK(k.body(5).stores);
    CHECK_FALSE(k.body(6).stores);
}

TEST_CASE("branches have a label, and tables an index and labels") {
    const auto error = [](const char* body) { return link_error_of(kernel_of(body)); };
    const model_error no_label{errc::missing, "label", 15, 1};
    CHECK(error("bra;\nret;") == no_label);
    CHECK(error("brx.idx %r2;\nret;") == no_label);
    CHECK(error("brx.idx %r2, T;\nret;") == no_label);
    CHECK(error("brx.idx {%r2, %r3}, T;\nT: ret;") == model_error{errc::missing, "index", 15, 1});
    CHECK(error("brx.idx %r2, T;\nT: .branchtargets X, Y;\nret;") == no_label);
}

TEST_CASE("instructions with too few operands, or too many, are not followed") {
    const linked_text k(kernel_of(
        "mov.u32;\nmov.u32 %r3;\nmapa.u64;\nmapa.u64 %d2;\nmapa.u64 %d2, %d3;\n"
        "frob.u32 %r3, %r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1, !%p1;\n"
        "frob.u32 %r3, %r1, !%p1;\ntcgen05.mma.cta_group::1.kind::f16;\n"
        "cp.async.bulk.global.shared::cta.bulk_group 5;\nld.param.u32 {%r3, %r4};\nret;"));
    CHECK(k.body(0).what == action::unknown);
    CHECK(k.body(1).what == action::unknown);
    CHECK(k.body(2).what == action::unknown);
    CHECK(k.body(3).what == action::unknown);
    CHECK(k.body(4).what == action::move);
    CHECK(k.body(5).sources == 9);
    CHECK(k.body(5).negated_sources == 0);  // of the first eight
    CHECK(k.body(6).negated_sources == 2);
    CHECK(k.body(7).size_source == 0);
    CHECK_FALSE(k.body(8).accesses);
    CHECK_FALSE(k.body(9).accesses);
}

TEST_CASE("where a copy writes shared memory is a source of its own") {
    const linked_text k(
        kernel_of("cp.async.ca.shared.global [%r3+8], [%d1+4], 8;\n"
                  "cp.async.ca.shared.global [tile], [%d1], 8, %r1;\n"
                  "ld.global.f32 %f1, [%d1];\nret;"));
    CHECK(k.body(0).written_source == 2);
    CHECK(k.body(0).written_offset == 8);
    CHECK(k.body(0).offset == 4);
    CHECK(k.source(k.body(1), k.body(1).written_source - 1U) != ptx::link::unknown_row);
    CHECK(k.body(1).written_offset == 0);
    CHECK(k.body(1).reads_part());
    CHECK(k.body(2).written_source == 0);
}

TEST_CASE("what a copy moves is 4 B where its text does not say") {
    const linked_text k(kernel_of(
        "cp.async.ca.shared.global [tile], [%d1];\ncp.async.ca.shared.global [tile], [%d1], %r1;\n"
        "cp.async.ca.shared.global [tile], [%d1], 0;\ncp.async.ca.shared.global [tile], [%d1], "
        "32;\n"
        "cp.async.cg.shared.global [tile], [%d1], 16;\nret;"));
    for (std::size_t n = 0; n < 4; ++n) CHECK(k.body(n).lane_bytes == 4);
    CHECK(k.body(4).lane_bytes == 16);
}

TEST_CASE(
    "how much a lane of a copy reads is the operand after its size, unless that is a policy") {
    const std::string_view hint = "cp.async.cg.shared.global.L2::cache_hint [tile], [%d1], 16, ";
    const std::string_view plain = "cp.async.cg.shared.global [tile], [%d1], 16";
    const auto line = [](std::string_view opcode, std::string_view rest) {
        return std::string(opcode) + std::string(rest) + ";\n";
    };
    const linked_text k(kernel_of(line(plain, "") + line(plain, ", %r1") + line(plain, ", 8") +
                                  line(plain, ", %p1") + line(plain, ", !%p1") + line(hint, "%d2") +
                                  line(hint, "%r1, %d2") + "ret;"));
    CHECK_FALSE(k.body(0).reads_part());
    CHECK_FALSE(k.body(5).reads_part());
    for (const std::size_t n : {1U, 2U, 3U, 4U, 6U}) {
        CAPTURE(n);
        REQUIRE(k.body(n).reads_part());
        CHECK(k.body(n).lane_bytes == 16);
        CHECK((k.body(n).from.bits == 1) == (n == 3 || n == 4));
        CHECK(k.body(n).negated_sources == (n == 4 ? 1 : 0));
    }
    const auto part = [&](std::size_t n) {
        return k.source(k.body(n), k.body(n).size_source - 1U);
    };
    CHECK(part(1) == k.result(k.program.steps[0]));  // %r1
    CHECK(part(6) == part(1));
    CHECK(k.constant(part(2)) == 8);
    CHECK(part(3) == part(4));
}

TEST_CASE("matrices, fragments, surfaces and groups of GPUs") {
    const linked_text k(
        kernel_of("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3, %r4}, [tile];\n"
                  "stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {%r3};\n"
                  "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r3, %r4}, [tile], 16;\n"
                  "sured.b.add.1d.u32.trap [tile, {%r1}], %r2;\n"
                  "multimem.st.global.f32 [%d1], %f1;\nmultimem.red.global.add.f32 [%d1], %f1;\n"
                  "mbarrier.expect_tx.relaxed.cta.shared.b64 [tile];\n"
                  "ld.global.u32 %r3, [%d1, 4];\n"
                  "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d1], {%f1, %f2}, 16;\n"
                  "ret;"));
    CHECK(k.body(0).address_lanes == 16);
    CHECK_FALSE(k.body(0).stores);
    CHECK(k.body(1).address_lanes == 8);
    CHECK(k.body(1).stores);
    CHECK(k.body(2).in_rows);
    CHECK(k.body(2).size_source == 2);
    CHECK_FALSE(k.body(2).stores);
    CHECK(k.body(3).stores);
    CHECK(k.body(3).hides_addresses);
    CHECK(k.body(4).stores);
    CHECK_FALSE(k.body(4).is_atomic);
    CHECK(k.body(5).is_atomic);
    CHECK(k.body(6).size_source == 0);
    CHECK(k.source(k.body(7)) == k.result(k.program.steps[1]));
    CHECK(k.body(8).in_rows);
    CHECK(k.body(8).stores);
}

TEST_CASE("a list beside rows of a matrix tells no stride, and a copy of no memory is generic") {
    const linked_text k(
        kernel_of("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r3}, [%r4], (%r1);\n"
                  "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r3}, [%r4], %r1;\n"
                  "cp.async.bulk [tile], [%d1], 64, [tile+512];\nret;"));
    CHECK(k.body(0).size_source == 0);
    CHECK(k.body(1).size_source == 2);
    CHECK(k.body(2).in_bulk);
    CHECK(k.body(2).space == ptx::link::address_space::generic);
}

}  // namespace decoder_test
