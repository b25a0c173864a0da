// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/ptx/trace/memory_facts.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

namespace memory_facts_test {

using namespace warpgauge;

namespace {

ptx::traced_kernel traced(const std::string& body, ptx::launch l,
                          ptx::sampling blocks = ptx::sampling::representative) {
    const parsed_text t(kernel_of(body));
    const auto e = ptx::trace(*ptx::find_kernel(t.module, "k"), l, {1024, {}}, {.blocks = blocks});
    REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
    return *e;
}

// Element `%r3` of `data`.
constexpr const char* element =
    "mad.lo.u32 %r3, %r4, %r5, %r2;\nmul.wide.u32 %d2, %r3, 4;\nadd.u64 %d3, %d1, %d2;\n";
const std::string own_element =
    "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\n" + std::string(element);

}  // namespace

TEST_CASE("a copy in place: one wait, each byte once") {
    const auto t =
        traced(own_element + "ld.global.f32 %f1, [%d3];\nst.global.f32 [%d3], %f1;\nret;",
               {{1000}, {256}});
    CHECK(t.touched.load_sectors == 4);
    CHECK(t.touched.full_store_sectors == 4);
    CHECK(t.touched.partial_store_sectors == 0);
    CHECK(t.touched.lines == 2);
    CHECK(t.waits.steps == 1);
    CHECK(t.waits.longest_steps == 1);
    CHECK(t.waits.store_waits == 1);
    CHECK(t.waits.reused_fraction == 0);
    CHECK(t.footprint_bytes == 4 * 256 * 1000);
    const auto p = t.profile();
    CHECK(p.waits.counted);
    CHECK(p.waits.steps == 1);
    CHECK(p.accesses.load_sectors == 4);
    CHECK(p.traffic.footprint_bytes == t.footprint_bytes);
}

TEST_CASE(
    "data at unknown addresses are read once: each lane's, or the sectors of lanes of one base") {
    constexpr double threads = 256 * 1000;
    const auto at = [](const std::string& index) {
        return "mul.wide.u32 %d2, " + index + ", 4;\nadd.u64 %d3, %d1, %d2;\n";
    };
    // x[start[block] + thread]
    const std::string start = "mov.u32 %r4, %ctaid.x;\n" + at("%r4") +
                              "ld.global.u32 %r4, [%d3];\nadd.u32 %r4, %r4, %r2;\n";
    const auto rows =
        traced(start + at("%r4") + "ld.global.f32 %f1, [%d3];\nret;", {{1000}, {256}});
    CHECK(rows.loaded_bytes == 4 * 1000 + 4 * threads);
    CHECK(rows.footprint_bytes == rows.loaded_bytes);
    CHECK(rows.stored_bytes == 0);
    // x[index[thread]], loaded, stored and both
    const std::string gather = own_element + "ld.global.u32 %r4, [%d3];\n" + at("%r4");
    const auto loads = traced(gather + "ld.global.f32 %f1, [%d3];\nret;", {{1000}, {256}});
    CHECK(loads.loaded_bytes == 4 * threads + 4 * threads);
    const auto stores = traced(gather + "st.global.f32 [%d3], %f1;\nret;", {{1000}, {256}});
    CHECK(stores.loaded_bytes == 4 * threads);
    CHECK(stores.stored_bytes == 4 * threads);
    const auto sums = traced(gather + "red.global.add.f32 [%d3], %f1;\nret;", {{1000}, {256}});
    CHECK(sums.loaded_bytes == 8 * threads);
    CHECK(sums.stored_bytes == 4 * threads);
    CHECK(sums.footprint_bytes == 8 * threads);
    // No prediction is below the time in which DRAM moves them.
    const saturation_model a100{devices::a100_sxm4_40gb{}};
    CHECK(a100.predict(rows.profile())->seconds > rows.loaded_bytes / a100.device.dram_bytes_per_s);
}

TEST_CASE("what is loaded and stored again moves twice") {
    const std::string in_place = own_element + "ld.global.f32 %f1, [%d3];\n";
    constexpr double bytes = 4 * 256 * 1000;
    const auto copy =
        traced(in_place + "st.global.f32 [%d3], %f1;\nret;", {{1000}, {256}}).profile();
    CHECK(copy.traffic.dram_read_bytes == bytes);
    CHECK(copy.traffic.dram_write_bytes == bytes);
    const auto load = traced(in_place + "ret;", {{1000}, {256}}).profile();
    CHECK(load.traffic.dram_read_bytes == bytes);
    CHECK(load.traffic.dram_write_bytes == 0);
    const auto add =
        traced(own_element + "red.global.add.u32 [%d3], %r2;\nret;", {{1000}, {256}}).profile();
    CHECK(add.traffic.dram_read_bytes == bytes);
    CHECK(add.traffic.dram_write_bytes == bytes);
}

TEST_CASE("the footprint ends with the blocks that touch memory, wherever these are in the grid") {
    const std::string index = "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ctaid.y;\n";
    const std::string load = own_element + "ld.global.f32 %f1, [%d3];\n";
    const auto footprint = [](const std::string& body, const ptx::launch& l) {
        const auto few = traced(body + "OUT: ret;", l);
        const auto all = traced(body + "OUT: ret;", l, ptx::sampling::all);
        CHECK(few.footprint_bytes == all.footprint_bytes);
        return few.footprint_bytes;
    };
    const std::string below = "setp.ge.u32 %p1, %r4, 37;\n@%p1 bra OUT;\n";
    const std::string from = "setp.lt.u32 %p1, %r4, 61;\n@%p1 bra OUT;\n";
    CHECK(footprint(index + below + load, {{100}, {128}}) == 37 * 512);
    CHECK(footprint(index + from + load, {{100}, {128}}) == 39 * 512);
    CHECK(footprint(index + from + "setp.ge.u32 %p2, %r4, 93;\n@%p2 bra OUT;\n" + load,
                    {{100}, {128}}) == 32 * 512);
    // The same without a branch, and a corner of a plane.
    CHECK(footprint(index + "setp.lt.u32 %p1, %r4, 37;\n" + own_element +
                        "@%p1 ld.global.f32 %f1, [%d3];\n",
                    {{100}, {128}}) == 37 * 512);
    const std::string rows =
        "mad.lo.u32 %r6, %r5, 100, %r4;\nmad.lo.u32 %r6, %r6, 128, %r2;\n"
        "mul.wide.u32 %d2, %r6, 4;\nadd.s64 %d3, %d1, %d2;\nst.global.f32 [%d3], %f1;\n";
    CHECK(footprint(index + below + "setp.ge.u32 %p2, %r5, 11;\n@%p2 bra OUT;\n" + rows,
                    {{100, 30}, {128}}) == 37 * 11 * 512);
}

TEST_CASE("one block of many says nothing of what all touch") {
    const std::string load = own_element + "ld.global.f32 %f1, [%d3];\nret;";
    const auto t = traced(load, {{1000}, {256}}, ptx::sampling::middle_block);
    CHECK(t.footprint_bytes == 0);
    CHECK(t.profile().traffic.dram_read_bytes == 0);
    CHECK(t.touched.load_sectors == 4);
    // A grid of one block is its middle.
    CHECK(traced(load, {{1}, {256}}, ptx::sampling::middle_block).footprint_bytes == 4 * 256);
}

TEST_CASE("a loop over words that all warps read, through shared memory") {
    const auto t = traced(
        own_element +
            "mov.u32 %r6, 0;\nmov.u64 %d4, %d1;\nLOOP:\nld.global.f32 %f1, [%d4];\n"
            "st.shared.f32 [tile], %f1;\nld.shared.f32 %f2, [tile];\nadd.f32 %f3, %f3, %f2;\n"
            "add.u64 %d4, %d4, 4;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 64;\n"
            "@%p1 bra LOOP;\nst.global.f32 [%d3], %f3;\nret;",
        {{64}, {128}});
    CHECK(t.touched.broadcast_loads == 64);
    CHECK(t.waits.steps == 64);
    CHECK(t.waits.l1_waits == 64);
    CHECK(t.waits.reused_fraction == doctest::Approx(7.0 / 8));
    CHECK(t.shared_load_passes == 64);
    CHECK(t.shared_store_passes == 64);
    CHECK(t.profile().shared_passes == 128);
    CHECK(t.ops.fp32_ops == 32 * 64);
    CHECK(t.footprint_bytes == 4 * 64 * 128);  // what is read lies in what is written
}

TEST_CASE("what the warps of one block share, others need not") {
    // Every block reads a word of its own; one block is followed.
    const auto own_word = traced(
        "mov.u32 %r6, %ctaid.x;\nmul.wide.u32 %d2, %r6, 128;\nadd.u64 %d3, %d1, %d2;\n"
        "ld.global.f32 %f1, [%d3];\nret;",
        {{1000}, {256}});
    CHECK(own_word.touched.broadcast_loads == 0);
    const auto one_word = traced("ld.global.f32 %f1, [%d1];\nret;", {{1000}, {256}});
    CHECK(one_word.touched.broadcast_loads == 1);
}

TEST_CASE("rounds that are told apart touch what they touch one by one") {
    // 32 words a warp, 4 B further in each of 12 rounds: too few for what they cost to repeat.
    const parsed_text text(
        kernel_of(own_element +
                  "mov.u32 %r6, 0;\nLOOP:\nld.global.f32 %f1, [%d3];\nadd.f32 %f2, %f2, %f1;\n"
                  "add.u64 %d3, %d3, 4;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 12;\n"
                  "@%p1 bra LOOP;\nret;"));
    const auto k = ptx::find_kernel(text.module, "k");
    ptx::trace_options options{.blocks = ptx::sampling::middle_block};
    const auto few = ptx::trace(*k, {{5}, {256}}, {1024, {}}, options);
    options.every_round = true;
    const auto each = ptx::trace(*k, {{5}, {256}}, {1024, {}}, options);
    REQUIRE(few);
    REQUIRE(each);
    CHECK(few->steps < each->steps / 8);  // of one warp in eight, and not all of that
    // From rounds 0 and 8 on a boundary, 4 sectors; else 5.
    CHECK(few->touched.load_sectors == 2 * 4 + 10 * 5);
    CHECK(each->touched.load_sectors == 2 * 4 + 10 * 5);
    CHECK(few->touched.lines == each->touched.lines);
    CHECK(few->bytes_moved == each->bytes_moved);
    CHECK(few->waits.reused_fraction == each->waits.reused_fraction);
    CHECK(few->waits.reused_fraction > 0);
}

namespace {

// Structures of `size` B, one a thread.
std::string structures(int size) {
    return "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmad.lo.u32 %r3, %r4, %r5, %r2;\n"
           "mul.wide.u32 %d2, %r3, " +
           std::to_string(size) + ";\nadd.u64 %d3, %d1, %d2;\n";
}

std::string load(int offset) {
    return "ld.global.f32 %f1, [%d3+" + std::to_string(offset) + "];\n";
}
std::string store(int offset) {
    return "st.global.f32 [%d3+" + std::to_string(offset) + "], %f1;\n";
}

// A loop of so many rounds, in each of which `%d3` moves.
std::string loop(int rounds, int by, const std::string& body) {
    return "mov.u32 %r6, 0;\nLOOP:\n" + body + "add.u64 %d3, %d3, " + std::to_string(by) +
           ";\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, " + std::to_string(rounds) +
           ";\n@%p1 bra LOOP;\n";
}

// B of the different sectors of words at these places of each structure.
double bytes_of(int threads, int size, const std::vector<int>& offsets) {
    std::set<int> sectors;
    for (int t = 0; t < threads; ++t) {
        for (const int offset : offsets) sectors.insert((t * size + offset) / 32);
    }
    return 32.0 * static_cast<double>(sectors.size());
}
std::vector<int> places(int count, int apart) {
    std::vector<int> all;
    for (int n = 0; n < count; ++n) all.push_back(n * apart);
    return all;
}

constexpr int blocks = 20;
constexpr int threads = blocks * 128;

// Of a sample, and of all blocks.
void check_loaded(const std::string& body, double bytes) {
    const ptx::launch l{{blocks}, {128}};
    const auto t = traced(body + "ret;", l);
    CHECK(t.loaded_bytes == bytes);
    CHECK(t.footprint_bytes == bytes);
    CHECK(t.errors.loaded_bytes == 0);
    CHECK(traced(body + "ret;", l, ptx::sampling::all).loaded_bytes == bytes);
}

}  // namespace

TEST_CASE("fields of structures: each sector once, without the gaps") {
    // Four fields lie in one sector of four.
    check_loaded(structures(128) + load(0) + load(4) + load(8) + load(12), 32.0 * threads);
    CHECK(bytes_of(threads, 128, {0, 4, 8, 12}) == 32.0 * threads);
    // In two sectors of three; in more or less than one, since every eighth structure begins alike.
    check_loaded(structures(96) + load(0) + load(36) + load(40) + load(4),
                 bytes_of(threads, 96, {0, 4, 36, 40}));
    CHECK(bytes_of(threads, 96, {0, 36}) == 64.0 * threads);
    check_loaded(structures(76) + load(0) + load(4) + load(8) + load(12),
                 bytes_of(threads, 76, {0, 4, 8, 12}));
    // Two sectors of one and a half leave no gap.
    check_loaded(structures(48) + load(0) + load(36), 48.0 * threads);
    CHECK(bytes_of(threads, 48, {0, 36}) == 48.0 * threads);
    // A strided access twice.
    check_loaded(structures(64) + load(0) + load(0), 32.0 * threads);
}

TEST_CASE("fields of structures that are stored, or changed") {
    const ptx::launch l{{blocks}, {128}};
    const auto stores = traced(structures(128) + store(0) + store(4) + store(36) + "ret;", l);
    CHECK(stores.stored_bytes == 64.0 * threads);
    CHECK(stores.footprint_bytes == 64.0 * threads);
    CHECK(stores.loaded_bytes == 0);
    const auto changes =
        traced(structures(128) + load(0) + load(4) + store(0) + store(8) + "ret;", l);
    CHECK(changes.loaded_bytes == 32.0 * threads);
    CHECK(changes.stored_bytes == 32.0 * threads);
    CHECK(changes.footprint_bytes == 32.0 * threads);
    const auto others = traced(structures(128) + load(0) + store(64) + store(68) + "ret;", l);
    CHECK(others.loaded_bytes == 32.0 * threads);
    CHECK(others.stored_bytes == 32.0 * threads);
    CHECK(others.footprint_bytes == 64.0 * threads);
    const auto sums = traced(structures(128) + load(0) +
                                 "red.global.add.f32 [%d3+4], %f1;\n"
                                 "red.global.add.f32 [%d3+8], %f1;\nret;",
                             l);
    CHECK(sums.loaded_bytes == 32.0 * threads);
    CHECK(sums.stored_bytes == 32.0 * threads);
    CHECK(sums.footprint_bytes == 32.0 * threads);
}

TEST_CASE("a loop over fields, followed or multiplied") {
    const auto all_of = [](int rounds, int by) {
        return threads * bytes_of(1, 0, places(rounds, by));
    };
    for (const int rounds : {4, 33, 100, 1000}) {
        CAPTURE(rounds);
        check_loaded(structures(8192) + loop(rounds, 4, load(0)), all_of(rounds, 4));
        // Each round the same; in every second sector; backwards.
        check_loaded(structures(64) + loop(rounds, 0, load(0)), 32.0 * threads);
        check_loaded(structures(131072) + loop(rounds, 64, load(0) + load(4)), all_of(rounds, 64));
        check_loaded(structures(8192) + loop(rounds, -4, load(4092)),
                     all_of(rounds, 4));  // the last of a sector first
    }
    // One after the other in structures that begin anywhere: at most a sector more of each.
    const double exact = bytes_of(threads, 2060, places(40, 4));
    const auto odd = traced(structures(2060) + loop(40, 4, load(0)) + "ret;", {{blocks}, {128}});
    CHECK(odd.loaded_bytes >= exact);
    CHECK(odd.loaded_bytes <= 1.2 * exact);
}

TEST_CASE("one round after the other of a grid over structures") {
    // 50 grids of structures, two fields each.
    check_loaded(structures(128) + loop(50, 128 * threads, load(0) + load(8) + load(12)),
                 50 * 32.0 * threads);
}

TEST_CASE("the longest warp of a launch in which they differ") {
    // Each warp makes as many rounds as its number in the block says, and one.
    const auto t = traced(
        "shr.u32 %r6, %r2, 5;\nadd.u32 %r6, %r6, 1;\nLOOP:\n"
        "ld.global.f32 %f1, [%d1];\nadd.f32 %f2, %f2, %f1;\nadd.u64 %d1, %d1, 4096;\n"
        "sub.u32 %r6, %r6, 1;\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra LOOP;\nret;",
        {{10}, {128}});
    CHECK(t.waits.steps == 2.5);
    CHECK(t.waits.longest_steps == 4);
}

}  // namespace memory_facts_test
