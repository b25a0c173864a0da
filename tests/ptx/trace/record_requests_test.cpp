// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/ptx/trace/record_requests.hpp>
#include <warpgauge/sm/replayed_profile.hpp>

#include "ptx/kernels.hpp"
#include "ptx/linked.hpp"

namespace record_requests_test {

using namespace warpgauge;

namespace {

result<ptx::recorded_requests> record(std::string_view text, std::string_view name,
                                      const ptx::launch& l,
                                      std::initializer_list<ptx::argument> arguments,
                                      const ptx::record_options& options = {}) {
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, name);
    REQUIRE(k);
    return ptx::record_requests(*k, l, arguments, options);
}

// Caches that hold everything: what misses is what is new.
cache_replay replayed(const ptx::recorded_requests& r, std::uint32_t resident = 1,
                      std::uint64_t l1_bytes = 1 << 20) {
    const auto e = replay_caches(r.requests, {.l1 = {.bytes = l1_bytes},
                                              .l2 = {.bytes = 1 << 22, .stores = store_rule::back},
                                              .resident_blocks = resident});
    REQUIRE(e);
    return *e;
}

}  // namespace

TEST_CASE("saxpy: three pieces of 128 B a warp, and nothing hits") {
    const auto r = record(kernel_text("saxpy"), "", {{300}, {256}}, {70'000}, {.blocks = 2});
    REQUIRE(r);
    CHECK(r->blocks == 2);
    CHECK(r->unknown_lanes == 0);
    REQUIRE(r->requests.size() == 2 * 8 * 3);
    for (const memory_request& q : r->requests) {
        CHECK(q.bytes == 128);
        CHECK_FALSE(q.gaps);
        CHECK_FALSE(q.continued);
    }
    CHECK(r->requests[0].kind == request_kind::load);
    CHECK(r->requests[2].kind == request_kind::store);
    CHECK(r->requests[2].address == r->requests[1].address);  // y = a x + y
    CHECK(r->requests[47].block == 1);
    CHECK(r->requests[47].warp == 7);
    const cache_replay e = replayed(*r);
    CHECK(e.l1_load_hits == 0);
    CHECK(e.l2_load_hits == 0);
    CHECK(e.l2_store_hits == 2 * 8 * 4);
    CHECK(e.dram_reads == 2 * 8 * 8);
}

TEST_CASE("as many rounds as a thread of the block has stored to shared memory") {
    const auto r = record(
        kernel_of("setp.ne.u32 %p1, %r2, 0;\n@%p1 bra J;\nst.shared.u32 [tile], %r1;\n"
                  "J: bar.sync 0;\nld.shared.u32 %r4, [tile];\nmov.u32 %r3, 0;\n"
                  "LOOP: ld.global.u32 %r5, [%d1]; add.s64 %d1, %d1, 128; add.u32 %r3, %r3, 1;\n"
                  "setp.lt.u32 %p2, %r3, %r4;\n@%p2 bra LOOP;\nret;"),
        "k", {{2}, {64}}, {23}, {.blocks = 2});
    REQUIRE(r);
    CHECK(r->requests.size() == 2 * 2 * 23);
}

TEST_CASE(
    "matmul: rows of A and columns of B come once to a block, and once to blocks side by side") {
    // 128 x 128; 16 x 16 threads: a block needs 16 rows of A and a column of 16 of B, 8 KiB each.
    const auto r =
        record(kernel_text("matmul"), "matmul_naive", {{8, 8}, {16, 16}}, {128}, {.blocks = 8});
    REQUIRE(r);
    const cache_replay e = replayed(*r, 1, 1 << 20);
    CHECK(e.load_insts == 8 * 8 * 2 * 128);
    // A warp has two rows of 16: of A 2 sectors a load, of B 2.
    CHECK(e.load_sectors == 8 * 8 * 128 * 4);
    CHECK(e.footprint == (16 + 128) * 128 * 4 / 32 + 16 * 128 * 4 / 32);
    CHECK(e.block_sectors == 8 * (2 * 8192 + 1024) / 32);
    CHECK(e.load_sectors - e.l1_load_hits == (16 + 128) * 128 * 4 / 32);  // one L1 for all
    // An L1 of 16 KiB cannot hold the rows, the columns, and what goes by.
    const cache_replay small = replayed(*r, 1, 4 << 10);
    CHECK(small.l1_load_hits < e.l1_load_hits);
    CHECK(small.dram_reads == e.dram_reads);
}

TEST_CASE("transpose: stores down a column are in part, those through shared memory whole") {
    for (const char* name : {"transpose_naive", "transpose_padded"}) {
        CAPTURE(name);
        const auto r = record(kernel_text("transpose"), name, {{16, 16}, {32, 32}}, {512});
        REQUIRE(r);
        const cache_replay e = replayed(*r);
        const bool naive = std::string_view(name) == "transpose_naive";
        CHECK(e.warps == 32);
        CHECK(e.load_sectors == 32 * 4);
        CHECK(e.partial_store_sectors == (naive ? 32 * 32 : 0));
        CHECK(e.full_store_sectors == (naive ? 0 : 32 * 4));
        // Eight warps write the parts of a sector, of which the first finds it absent.
        CHECK(e.dram_reads == 32 * 4 + (naive ? 32 * 4 : 0));
        CHECK(e.dram_writes == 32 * 4);
    }
}

TEST_CASE("what is recorded is what a trace counts") {
    for (const kernel_launch& l : kernel_launches()) {
        CAPTURE(l.kernel);
        const std::string text = kernel_text(l.file);
        const auto m = ptx::parse(text);
        REQUIRE(m);
        const auto k = ptx::find_kernel(*m, l.kernel);
        REQUIRE(k);
        ptx::record_options options{.blocks = 4};
        const auto r = ptx::record_requests(*k, l.launch, l.arguments, options);
        REQUIRE(r);
        ptx::launch few = l.launch;
        few.grid = {1, 1, 1};
        options.blocks = 1;
        const auto one = ptx::record_requests(*k, few, l.arguments, options);
        REQUIRE(one);
        ptx::trace_options all;
        all.blocks = ptx::sampling::all;
        const auto t = ptx::trace(*k, few, l.arguments, all);
        REQUIRE(t);
        if (one->requests.empty()) continue;
        const cache_replay e = replayed(*one);
        const double insts = static_cast<double>(e.load_insts + e.store_insts + e.atomic_insts);
        CHECK(insts ==
              doctest::Approx((t->coalesced_mem_insts + t->uncoalesced_mem_insts) * t->warps));
        const double sectors = static_cast<double>(e.load_sectors + e.full_store_sectors +
                                                   e.partial_store_sectors + e.atomic_sectors);
        CHECK(sectors * 32 == doctest::Approx(t->bytes_moved * t->warps));
    }
}

TEST_CASE("from PTX to a profile with hits by level") {
    const std::string text = kernel_text("matmul");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, "matmul_naive");
    REQUIRE(k);
    const ptx::launch l{{64, 64}, {16, 16}};
    const auto t = ptx::trace(*k, l, {1024}, {.blocks = ptx::sampling::middle_block});
    REQUIRE(t);
    const devices::a100_sxm4_40gb gpu;
    auto options = replay_on(t->profile(), gpu);
    REQUIRE(options);
    const auto r = ptx::record_requests(
        *k, l, {1024}, {.first_block = 32 * 64, .blocks = options->resident_blocks});
    REQUIRE(r);
    const auto e = replay_caches(r->requests, *options);
    REQUIRE(e);
    const auto p = with_replay(t->profile(), *e);
    REQUIRE(p);
    // Eight blocks side by side in a row: 16 rows of A and 128 columns of B, 4 KiB and 512 B a step of K.
    CHECK(e->blocks == 8);
    CHECK(e->blocks_per_sector() > 1.5);
    CHECK(e->l1_hit_fraction() > 0.9);
    CHECK(p->profile.traffic.l2_bytes_per_warp < 0.1 * 32 * p->profile.accesses.load_sectors);
    // The trace has counted how often a warp waits; nine times in ten for L1.
    const dependent_waits<>& w = p->profile.waits;
    CHECK(w.l1_waits > 0.9 * (w.l1_waits + w.l2_waits + w.dram_waits));
    CHECK(w.l1_waits + w.l2_waits + w.dram_waits ==
          doctest::Approx(t->profile().waits.steps + t->profile().waits.l1_waits));
    CHECK(w.steps == 0);
    CHECK_FALSE(p->assumed.contains(assumption::waits_for_each_load));
    CHECK(p->assumed.contains(assumption::part_of_l2));
}

TEST_CASE("addresses that depend on data hit nothing") {
    const auto r = record(kernel_text("spmv"), "", {{20}, {256}}, {5'000}, {.blocks = 1});
    REQUIRE(r);
    CHECK(r->unknown_lanes > 0);
    CHECK(replayed(*r).assumed.contains(assumption::unknown_addresses));
    const auto h = record(kernel_text("histogram"), "", {{30}, {256}}, {100'000}, {.blocks = 1});
    REQUIRE(h);
    CHECK(replayed(*h).atomic_insts > 0);
}

TEST_CASE("a copy in bulk is recorded sector by sector, from an unknown place side by side") {
    const std::string copy =
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [";
    const std::string text =
        kernel_of("setp.ne.u32 %p1, %r2, 0;\n@%p1 ret;\n" + copy + "%d1], 256, [tile];\n" +
                  "ld.global.u64 %d2, [%d1];\n" + copy + "%d2], 2048, [tile];\nret;");
    const auto r = record(text, "", {{1}, {32}}, {5});
    REQUIRE(r);
    std::uint64_t bytes = 0;
    for (const memory_request& q : r->requests) {
        CHECK(q.kind == request_kind::load);
        bytes += q.bytes;
    }
    CHECK(bytes == 256 + 8 + 2048);
    CHECK(r->unknown_lanes == 2 * (32 / 4 + 1));  // pieces of 32 sectors
}

TEST_CASE("which blocks, and limits") {
    const std::string text = kernel_text("transpose");
    const ptx::launch l{{16, 16}, {32, 32}};
    const auto third = record(text, "transpose_naive", l, {512}, {.first_block = 3, .blocks = 1});
    const auto four = record(text, "transpose_naive", l, {512}, {.blocks = 4});
    REQUIRE(third);
    REQUIRE(four);
    const std::size_t n = third->requests.size();
    REQUIRE(four->requests.size() == 4 * n);
    for (std::size_t i = 0; i < n; ++i) {
        CHECK(third->requests[i].address == four->requests[3 * n + i].address);
        CHECK(third->requests[i].block == 0);
    }
    // Block 17 is the second of the second row.
    const auto below = record(text, "transpose_naive", l, {512}, {.first_block = 17});
    CHECK(below->requests[0].address - third->requests[0].address ==
          (32 * 512 + 32) * 4 - 3 * 32 * 4);
    CHECK(record(text, "transpose_naive", l, {512}, {.first_block = 250, .blocks = 99})->blocks ==
          6);

    const auto error = [&](const ptx::record_options& o) {
        const auto r = record(text, "transpose_naive", l, {512}, o);
        REQUIRE_FALSE(r);
        return r.error();
    };
    CHECK(error({.first_block = 256}) == model_error{errc::outside_domain, "first_block"});
    CHECK(error({.blocks = 0}) == model_error{errc::not_positive, "blocks"});
    CHECK(error({.max_requests = 5}) == model_error{errc::limit_reached, "max_requests"});
    ptx::record_options few_steps;
    few_steps.trace.max_steps = 300;
    CHECK(error(few_steps).code == errc::limit_reached);
    CHECK(record(text, "transpose_naive", {{0}, {32}}, {512}).error() ==
          model_error{errc::not_positive, "grid"});
}

TEST_CASE(
    "lanes of unknown address have lines of their own, and those of one unknown base share them") {
    // x[start[ctaid] + tid] is side by side, from an unknown place on; x[start[tid]] is anywhere.
    const auto text = [](const char* index, const char* added) {
        return std::string(".version 8.0\n.target sm_80\n.address_size 64\n") +
               ".visible .entry k(.param .u64 .ptr start, .param .u64 .ptr x)\n{\n"
               ".reg .b32 %r<6>;\n.reg .b64 %d<6>;\n.reg .f32 %f<2>;\n"
               "ld.param.u64 %d1, [start];\nld.param.u64 %d2, [x];\n"
               "cvta.to.global.u64 %d1, %d1;\ncvta.to.global.u64 %d2, %d2;\n"
               "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
               "mul.wide.u32 %d3, " +
               index +
               ", 4;\nadd.s64 %d3, %d1, %d3;\n"
               "ld.global.u32 %r3, [%d3];\nadd.s32 %r4, %r3, " +
               added +
               ";\n"
               "mul.wide.u32 %d4, %r4, 4;\nadd.s64 %d4, %d2, %d4;\n"
               "ld.global.f32 %f1, [%d4];\nret;\n}\n";
    };
    const auto scattered = record(text("%r1", "0"), "k", {{1}, {32}}, {});
    REQUIRE(scattered);
    CHECK(scattered->unknown_lanes == 32);
    const cache_replay apart = replayed(*scattered);
    CHECK(apart.load_sectors == 4 + 32);
    CHECK(apart.footprint == 4 + 32);
    const auto together = record(text("%r2", "%r1"), "k", {{1}, {32}}, {});
    REQUIRE(together);
    CHECK(together->unknown_lanes == 32);
    CHECK(replayed(*together).load_sectors == 1 + 4);
}

TEST_CASE("addresses that differ by known offsets from an unknown one share its lines") {
    for (const auto& [stride, lines] : {std::pair{4, 1}, {64, 16}, {128, 32}}) {
        const auto r =
            record(kernel_of("ld.global.u64 %d2, [%d1];\nmul.wide.u32 %d3, %r2, " +
                             std::to_string(stride) +
                             ";\nadd.s64 %d4, %d2, %d3;\nld.global.u32 %r5, [%d4];\nret;"),
                   "", {{1}, {32}}, {1, {}});
        REQUIRE(r);
        CHECK(r->unknown_lanes == 32);
        std::set<std::uint64_t> seen;
        for (std::size_t n = 1; n < r->requests.size(); ++n) {
            seen.insert(r->requests[n].address / 128);
        }
        CHECK(seen.size() == static_cast<std::size_t>(lines));
    }
}

TEST_CASE("a large copy in bulk is recorded byte by byte") {
    const auto fetched = [](const std::string& before, std::uint64_t max_requests) {
        return record(kernel_of(before + "setp.eq.u32 %p1, %r2, 0;\n@%p1 cp.async.bulk.prefetch.L2"
                                         ".global [%d1], 2097152;\nret;"),
                      "", {{1}, {32}}, {0, {}}, {.max_requests = max_requests});
    };
    const auto known = fetched("", 1 << 20);
    REQUIRE(known);
    std::uint64_t next = known->requests[0].address;
    for (const memory_request& q : known->requests) {
        CHECK(q.address == next);
        next += q.bytes;
    }
    CHECK(next - known->requests[0].address == 2'097'152);
    const auto unknown = fetched("ld.global.u64 %d1, [%d1];\n", 1 << 20);
    REQUIRE(unknown);
    std::uint64_t bytes = 0;
    for (const memory_request& q : unknown->requests) bytes += q.bytes;
    CHECK(bytes == 2'097'152 + 8);
    CHECK(fetched("", 9).error() == model_error{errc::limit_reached, "max_requests"});
}

TEST_CASE("a copy in bulk from who knows where has sectors side by side") {
    const auto r = record(
        kernel_of(
            "ld.global.u64 %d2, [%d1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 cp.async.bulk.shared::"
            "cluster.global.mbarrier::complete_tx::bytes [tile], [%d2], 256, [tile+512];\nret;"),
        "", {{1}, {32}}, {1, {}}, {.trace = {.capability = {9, 0}}});
    REQUIRE(r);
    CHECK(r->unknown_lanes > 0);
    std::uint64_t bytes = 0;
    for (std::size_t n = 1; n < r->requests.size(); ++n) bytes += r->requests[n].bytes;
    CHECK(bytes == 256);
}

TEST_CASE("more requests than are asked for are an error") {
    CHECK(
        record(kernel_text("saxpy"), "", {{300}, {256}}, {70'000}, {.blocks = 2, .max_requests = 3})
            .error() == model_error{errc::limit_reached, "max_requests"});
}

}  // namespace record_requests_test
