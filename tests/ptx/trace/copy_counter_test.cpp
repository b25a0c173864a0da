// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include <warpgauge/ptx.hpp>
#include <warpgauge/ptx/trace/copy_counter.hpp>

#include "ptx/asynchronous_kernels.hpp"
#include "ptx/linked.hpp"

namespace copy_counter_test {

using namespace warpgauge;
using ptx::argument;

namespace {

ptx::traced_kernel traced(std::string_view text, const ptx::launch& l,
                          std::initializer_list<argument> arguments,
                          const ptx::trace_options& options = {}) {
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, "");
    REQUIRE(k);
    auto t = ptx::trace(*k, l, arguments, options);
    CAPTURE(t ? std::string_view() : std::string_view(message(t.error()).view()));
    REQUIRE(t);
    t->name = {};
    t->accesses.clear();  // views into the module
    for (ptx::assumption& a : t->assumptions) a.label = {};
    return *t;
}

std::size_t count_of(const ptx::traced_kernel& t, ptx::assumed what) {
    std::size_t n = 0;
    for (const ptx::assumption& a : t.assumptions) n += a.what == what ? 1 : 0;
    return n;
}

}  // namespace

TEST_CASE(
    "the stream is that of the warp that copies in bulk, with each warp's part of the bytes") {
    const std::string text = hopper_product();
    for (const auto& [t, bytes] : {std::pair{traced(text, {{8}, {128}}, {{}, {}, 10, {}}), 40960.0},
                                   {traced(bulk_copy, {{8}, {128}}, {{}, {}}), 4096.0}}) {
        CHECK(t.stream_warp == 0);
        CHECK_FALSE(check_stream(t.stream));
        double copied = 0;
        std::size_t waits = 0;
        for (const instruction& i : t.stream) {
            if (i.async == async_step::bulk) copied += 32.0 * i.transactions;
            if (i.async == async_step::wait) ++waits;
            if (i.async == async_step::wait) CHECK(i.groups_left == 0);
        }
        CHECK(copied == bytes / 4);
        CHECK(waits == 1);
    }
}

TEST_CASE("tiles of tensors have the bytes that the barrier expects") {
    constexpr double rounds = 10, warps = 4;
    const std::string text = hopper_product();
    const auto t = traced(text, {{8}, {128}}, {{}, {}, 10, {}});
    CHECK(t.touched.load_sectors == rounds * 40960 / 32 / warps);
    CHECK(t.touched.lines == doctest::Approx(rounds * 40960 / 128 / warps + 1));
    CHECK(t.touched.full_store_sectors == 4);
    // Of each round, four products of 64 x 256 x 16 by four warps.
    CHECK(t.tensor_fmas == rounds * 4 * 65'536);
    CHECK(t.profile().ops.tensor_fmas == rounds * 4 * 65'536);
    CHECK(t.insts_of(unit_kind::tensor) == rounds * 4);
    CHECK(t.profile().ops.fp32_ops == 0);
    // The wait is passed once a round; each copy is one access, and each round waits for one.
    CHECK(count_of(t, ptx::assumed::arrival) == 1);
    CHECK(count_of(t, ptx::assumed::loop) == 0);
    CHECK(t.insts_of(unit_kind::shared_memory) == rounds + (rounds + 1) / warps);
    CHECK(count_of(t, ptx::assumed::copy) == 2);
    for (const ptx::assumption& a : t.assumptions) {
        if (a.what == ptx::assumed::copy) CHECK(a.value == 20'480);
    }
    CHECK(t.waits.longest_steps == rounds);
    CHECK(t.bytes_moved == rounds * 40960 / warps + 128);
}

TEST_CASE("copies in bulk have the bytes of their operand, side by side from their address") {
    const auto t = traced(bulk_copy, {{64}, {64}}, {{}, {}});
    constexpr double warps = 2;
    CHECK(t.touched.load_sectors == 4096 / 32 / warps);
    CHECK(t.touched.full_store_sectors == 4096 / 32 / warps);
    CHECK(t.touched.partial_store_sectors == 0);
    CHECK(t.touched.lines == 2 * 4096 / 128 / warps);
    CHECK(t.loaded_bytes == 64 * 4096);
    CHECK(t.stored_bytes == 64 * 4096);
    CHECK(count_of(t, ptx::assumed::copy) == 0);
    CHECK(count_of(t, ptx::assumed::address) == 0);
    CHECK(count_of(t, ptx::assumed::loop) == 0);
    CHECK(t.coalesced_mem_insts == 1);
    CHECK(t.waits.longest_steps == 1);
    // In the stream, a copy has its transactions.
    double sectors = 0;
    const auto alone = traced(bulk_copy, {{64}, {32}}, {{}, {}});
    for (const instruction& i : alone.stream) {
        if (i.unit == unit_kind::global_memory) sectors += i.transactions;
    }
    CHECK(sectors == 256);
}

TEST_CASE("a product whose shape is in a descriptor, issued by an elected lane") {
    const auto t = traced(blackwell_product, {{16}, {128}}, {{}});
    CHECK(t.tensor_fmas == 128 * 256 * 16 / 4.0);
    CHECK(t.insts_of(unit_kind::tensor) == 1 / 4.0);
    CHECK(count_of(t, ptx::assumed::product) == 0);
    CHECK(count_of(t, ptx::assumed::loop) == 0);
    CHECK(count_of(t, ptx::assumed::branch) == 0);
    CHECK(t.insts_of(unit_kind::l1_cache) == 2);  // of tensor memory, and the parameter
}

TEST_CASE("copies of unknown size are named, and stores of tensors are assumed") {
    const std::string text = kernel_of(
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d1, {%r2}], [tile];\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1], %r9, "
        "[tile];\nret;");
    const auto t = traced(text, {{1}, {32}}, {9});
    CHECK(count_of(t, ptx::assumed::copy) == 2);
    constexpr double bytes = ptx::detail::trace::assumed_copy_bytes;
    CHECK(t.touched.full_store_sectors == 32 * bytes / 32);
    CHECK(t.touched.load_sectors == 32 * bytes / 32);
}

TEST_CASE("the maximum of an execution is that of all lanes that copy") {
    const std::string text = kernel_of(
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d1, {%r2}], [tile];\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = ptx::trace(*ptx::find_kernel(*m, ""), {{1}, {40}}, {9, {}});
    REQUIRE(t);
    CHECK(t->accesses[0].transactions == 20 * 256);
    CHECK(t->accesses[0].max_transactions == 32 * 256);
}

TEST_CASE("copies of more bytes than a barrier counts are whole") {
    for (const std::uint64_t bytes : {1U << 20, 1U << 24, ~0U}) {
        CAPTURE(bytes);
        const auto t = traced(kernel_of("setp.eq.u32 %p1, %r2, 0;\n@%p1 cp.async.bulk.prefetch.L2"
                                        ".global [%d1], " +
                                        std::to_string(bytes) + ";\nret;"),
                              {{2}, {32}}, {0});
        const auto sectors = static_cast<double>((bytes + 31) / 32);
        CHECK(t.touched.load_sectors == sectors);
        CHECK(t.touched.lines == static_cast<double>((bytes + 127) / 128));
        CHECK(t.bytes_moved == 32 * sectors);
        CHECK(t.footprint_bytes == 32 * sectors);
        CHECK(t.assumptions.empty());
        CHECK(t.steps < 5'000);
    }
}

// Each thread copies 16 B from 16 B past those of the thread before it, and waits; `part`: how much of them it reads.
std::string copy_of(const std::string& before, const std::string& part) {
    return kernel_of(
        "mov.u32 %r20, %ctaid.x;\nmad.lo.u32 %r21, %r20, 32, %r2;\n"
        "mul.wide.u32 %d2, %r21, 16;\nadd.s64 %d2, %d1, %d2;\n" +
        before + "cp.async.cg.shared.global [tile], [%d2], 16, " + part +
        ";\ncp.async.commit_group;\ncp.async.wait_group 0;\nret;");
}

TEST_CASE("a lane of an asynchronous copy reads as much as its size says") {
    struct known {
        const char* before;
        const char* part;
        double sectors, footprint;  // of whole sectors
    };
    const known all[] = {
        {"setp.lt.u32 %p1, %r2, 10;\nselp.b32 %r3, 16, 0, %p1;\n", "%r3", 5, 160},
        {"setp.lt.u32 %p1, %r2, 10;\n", "%p1", 11, 22 * 16},  // ignored by the first ten
        {"setp.lt.u32 %p1, %r2, 10;\n", "!%p1", 5, 160},
        {"", "16", 16, 512},
        {"", "4", 16, 512},
        {"", "0", 0, 0},
    };
    for (const known& k : all) {
        CAPTURE(k.part);
        const auto t = traced(copy_of(k.before, k.part), {{1}, {32}}, {0});
        CHECK(t.touched.load_sectors == k.sectors);
        CHECK(t.bytes_moved == 32 * k.sectors);
        CHECK(t.touched.lines == (k.sectors + 3 - static_cast<int>(k.sectors + 3) % 4) / 4);
        CHECK(t.footprint_bytes == k.footprint);
        CHECK(t.insts_of(unit_kind::global_memory) == 1);
        CHECK(t.coalesced_mem_insts + t.uncoalesced_mem_insts == (k.sectors > 0 ? 1 : 0));
        CHECK(t.waits.steps == (k.sectors > 0 ? 1 : 0));
        CHECK(t.divergent_insts == 0);
        CHECK(t.assumptions.empty());
    }
}

TEST_CASE("asynchronous copies make passes where they write shared memory") {
    const auto written = [](const std::string& to, const std::string& rest = "16") {
        return traced(
            kernel_of("mov.u32 %r4, tile;\n" + to + "cp.async.cg.shared.global [%r3], [%d1], " +
                      rest + ";\ncp.async.wait_all;\nret;"),
            {{2}, {128}}, {0}, {.blocks = ptx::sampling::all});
    };
    const std::string row = "mad.lo.u32 %r3, %r2, 16, %r4;\n";
    const auto t = written(row);
    CHECK(t.shared_store_passes == 4);
    CHECK(t.shared_load_passes == 0);
    CHECK(t.profile().shared_passes == 4);
    // It stays one instruction, of global memory.
    CHECK(t.insts_of(unit_kind::global_memory) == 1);
    CHECK(t.insts_of(unit_kind::shared_memory) == 0);
    REQUIRE(t.stream.size() == 8);
    CHECK(t.stream[5].async == async_step::copy);
    CHECK(t.stream[5].transactions == 1);
    CHECK(t.assumptions.empty());
    CHECK(written("mad.lo.u32 %r3, %r2, 128, %r4;\n").shared_store_passes == 32);
    // Zeros are written where nothing is read.
    CHECK(written(row, "16, 0").shared_store_passes == 4);
    const auto unknown = written("ld.global.u32 %r5, [%d1];\nadd.u32 %r3, %r4, %r5;\n");
    CHECK(unknown.shared_store_passes == 4);
    CHECK(count_of(unknown, ptx::assumed::base) == 1);
}

TEST_CASE("a copy of a size that data says counts in full, by name") {
    const auto t = traced(copy_of("ld.global.u32 %r3, [%d1];\n", "%r3"), {{1}, {32}}, {0});
    CHECK(t.touched.load_sectors == 1 + 16);
    REQUIRE(t.assumptions.size() == 1);
    CHECK(t.assumptions[0].what == ptx::assumed::copy);
    CHECK(t.assumptions[0].value == 16);
    CHECK(t.assumptions[0].executions == 1);
    // Each of several warps says so, and the name is there once.
    const auto two = traced(copy_of("ld.global.u32 %r3, [%d1];\n", "%r3"), {{1}, {64}}, {0},
                            {.blocks = ptx::sampling::all});
    CHECK(count_of(two, ptx::assumed::copy) == 1);
}

TEST_CASE("a warp of which no lane copies in bulk makes no copy") {
    const std::string copy =
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
        "complete_tx::bytes [tile], [%d1], 256, [tile+512];\nret;";
    const auto t = traced(kernel_of(copy), {{1}, {64}}, {0}, {.blocks = ptx::sampling::all});
    CHECK(t.touched.load_sectors == 256.0 / 32 / 2);
    CHECK(t.coalesced_mem_insts == 0.5);
}

TEST_CASE("a copy in bulk from shared memory to that of another block is none of global memory") {
    const linked_text k(
        kernel_of("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [tile], "
                  "[tile+512], 256, [tile+1024];\nret;"));
    ptx::detail::trace::copy_counter<> counter(k.program);
    const std::uint32_t at = instructions_before_body;
    REQUIRE(counter.concerns(k.program.steps[at]));
    counter.count({.step = at, .active = 1, .unit = unit_kind::shared_memory}, 3);
    CHECK(counter.made(at) == 0);
    CHECK(counter.unsized(at) == 0);
}

TEST_CASE("blocks and rounds whose copies are empty are told apart") {
    // Of 100 blocks, 37 copy.
    const std::string blocks =
        copy_of("setp.lt.u32 %p1, %r20, 37;\nselp.b32 %r3, 16, 0, %p1;\n", "%r3");
    for (const ptx::sampling s : {ptx::sampling::representative, ptx::sampling::all}) {
        const auto t = traced(blocks, {{100}, {32}}, {0}, {.blocks = s});
        CHECK(t.touched.load_sectors == doctest::Approx(0.37 * 16).epsilon(1e-12));
    }
    // Of 1000 rounds, 613.
    const std::string rounds = kernel_of(
        "mov.u32 %r3, 0;\nL: setp.lt.u32 %p1, %r3, 613;\nselp.b32 %r4, 16, 0, %p1;\n"
        "cp.async.cg.shared.global [tile], [%d1], 16, %r4;\ncp.async.commit_group;\n"
        "cp.async.wait_group 0;\nadd.s64 %d1, %d1, 32;\nadd.u32 %r3, %r3, 1;\n"
        "setp.lt.u32 %p2, %r3, 1000;\n@%p2 bra L;\nret;");
    for (const bool every : {false, true}) {
        const auto t = traced(rounds, {{1}, {32}}, {0}, {.every_round = every});
        CHECK(t.touched.load_sectors == 613);
        CHECK(t.waits.steps == 613);
        if (!every) CHECK(t.steps < 1000);
    }
}

TEST_CASE("a copy in bulk of 0 B moves nothing, and those of unknown size are counted apart") {
    const auto bulk = [](const std::string& before, const char* size) {
        return kernel_of(
            before +
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], "
            "[%d1], " +
            size + ", [tile+512];\nret;");
    };
    const auto none = traced(bulk("mov.u32 %r3, 0;\n", "%r3"), {{1}, {32}}, {0});
    CHECK(none.touched.load_sectors == 0);
    CHECK(none.assumptions.empty());
    // The size is known of two lanes: 64 B each.
    const auto some = traced(bulk("ld.global.u32 %r4, [%d1];\nsetp.lt.u32 %p1, %r2, 2;\n"
                                  "selp.b32 %r3, 64, %r4, %p1;\n",
                                  "%r3"),
                             {{1}, {32}}, {0});
    constexpr double bytes = ptx::detail::trace::assumed_copy_bytes;
    CHECK(some.touched.load_sectors == 1 + 2 * 2 + 30 * bytes / 32);
    CHECK(count_of(some, ptx::assumed::copy) == 1);
}

TEST_CASE("what is expected is shared by copies of unknown size") {
    const linked_text k(kernel_of(
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [tile], 1000;\n"
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%d1], 200, "
        "[tile];\n"
        "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%d1, "
        "{%r2}], [tile];\nret;"));
    ptx::detail::trace::copy_counter<> counter(k.program);
    constexpr std::uint32_t first = instructions_before_body;
    counter.count({.step = first, .active = 1, .size = 1000}, 3);
    counter.count({.step = first + 1,
                   .active = 1,
                   .unit = unit_kind::global_memory,
                   .transactions = 7,
                   .bytes_moved = 200},
                  3);
    for (int n = 0; n < 2; ++n) {
        counter.count({.step = first + 2, .active = 1, .unit = unit_kind::global_memory}, 3);
    }
    CHECK(counter.unsized(first + 2) == 6);
    CHECK(counter.bytes_of(first + 2) == 400);
    memory_accesses<> touched;
    counter.add_to(touched, 3);
    CHECK(touched.load_sectors == 25);
    CHECK(touched.lines == 6.25);
}

}  // namespace copy_counter_test
