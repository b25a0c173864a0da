// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/known_memory.hpp>

#include "ptx/linked.hpp"

namespace known_memory_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

// A store of %r3 to the address in %d2, and loads of it.
struct fixture {
    fixture() {
        file.begin(one_warp());
        file.add_rows(k.program.routines[0].rows);
        fill(file.at(k.source(store, 1)), 0x8182'8384);
    }
    void point_to(std::uint64_t address, std::uint64_t stride = 0) {
        row_values& row = file.at(k.source(store));
        for (std::size_t l = 0; l < warp_lanes; ++l) row.lanes[l] = address + stride * l;
        row.known = all_lanes;
    }
    row_values loaded(std::size_t step) {
        memory.load(k.body(step), all_lanes);
        return file.at(k.result(k.body(step)));
    }

    linked_text k{
        kernel_of("st.local.u32 [%d2], %r3;\nld.local.u32 %r4, [%d2];\n"
                  "ld.local.s8 %r5, [%d2+1];\nld.u32 %r6, [%d2];\n"
                  "ld.global.u32 %r7, [%d2];\nret;")};
    const step& store = k.body(0);
    std::array<argument_bytes, 2> arguments{argument_bytes{.small = {7}, .known = true}};
    register_file<> file{k.program};
    known_memory<> memory{file, arguments, k.program.contents, 64};
};

}  // namespace

TEST_CASE("what is stored in local memory is loaded again, byte by byte") {
    fixture f;
    f.memory.resize_local(16);
    CHECK(f.memory.local_size() == 16);
    CHECK(f.memory.bytes_taken(16) == 16 * 32 * 2);
    f.point_to(8);
    CHECK(f.loaded(1).known == 0);
    CHECK(f.memory.store(f.store, 0xffff) == 0);
    CHECK(f.loaded(1).known == 0xffff);
    CHECK(f.loaded(1).lanes[15] == 0x8182'8384);
    CHECK(f.loaded(2).lanes[0] == 0xffff'ffff'ffff'ff83);
    f.point_to(ptx::link::address_windows(64).local() + 8);
    CHECK(f.loaded(3).known == 0xffff);  // by its generic address
    CHECK(f.loaded(4).known == 0);       // global memory is not followed
    f.point_to(14);
    CHECK(f.loaded(1).known == 0);  // beyond its end
}

TEST_CASE("a store to an unknown place may change everything that the lane has") {
    fixture f;
    f.memory.resize_local(16);
    f.point_to(0);
    f.memory.store(f.store, all_lanes);
    f.file.at(f.k.source(f.store)).known = ~1U;
    CHECK(f.memory.store(f.store, 1) == 16 * 32 / 64);
    f.point_to(0);
    CHECK(f.loaded(1).known == ~1U);
    CHECK(f.memory.forget_local(2) == 8);
    CHECK(f.loaded(1).known == ~3U);
    CHECK(f.memory.forget_local(0) == 0);
}

TEST_CASE("each lane has a local memory of its own, by generic addresses too") {
    fixture f;
    f.memory.resize_local(16);
    f.point_to(ptx::link::address_windows(64).local() + 8, 0);
    CHECK(f.loaded(3).base.is_opaque());
    f.point_to(std::uint64_t{1} << 40, 0);
    CHECK(f.loaded(3).base.breaks == 0);  // of global memory all get one value
}

TEST_CASE("where a lane that takes no part points to local memory, the others get one value") {
    fixture f;
    f.memory.resize_local(16);
    f.point_to(std::uint64_t{1} << 40);
    f.file.at(f.k.source(f.store)).lanes[5] = ptx::link::address_windows(64).local() + 8;
    const step& load = f.k.body(3);
    f.memory.load(load, ~(1U << 5));
    CHECK_FALSE(f.file.at(f.k.result(load)).base.is_opaque());
    f.memory.load(load, all_lanes);
    CHECK(f.file.at(f.k.result(load)).base.is_opaque());
}

TEST_CASE("of an address of which a part is not known, local memory keeps the memory") {
    const linked_text k(
        kernel_of("st.local.u64 [%d2], %d3;\nld.local.u64 %d4, [%d2];\nld.local.u32 %r4, [%d2+4];\n"
                  "st.local.u32 [%d2], %r5;\nret;"));
    register_file<> file{k.program};
    file.begin(one_warp());
    file.add_rows(k.program.routines[0].rows);
    known_memory<> memory{file, {}, k.program.contents, 64};
    memory.resize_local(16);
    fill(file.at(k.source(k.body(0))), 8);
    const ptx::link::address_windows windows(64);
    const auto loaded = [&](std::size_t step) {
        memory.load(k.body(step), all_lanes);
        const row_values r = file.at(k.result(k.body(step)));
        CHECK(r.known == 0);
        return r.lanes[9];
    };
    const auto store = [&](std::uint64_t offset) {
        row_values& value = file.at(k.source(k.body(0), 1));
        value.lanes.fill(offset);
        value.known = 0;
        memory.store(k.body(0), all_lanes);
    };
    store(windows.shared() - 40);
    CHECK(loaded(1) == windows.shared());
    CHECK(loaded(2) == 0);  // half of one is no address
    store(12345);
    CHECK(loaded(1) == 0);
    store(windows.shared() + 40);
    fill(file.at(k.source(k.body(3), 1)), 0xffff'ffff);
    memory.store(k.body(3), all_lanes);
    CHECK(loaded(1) == windows.shared());
    memory.forget_local(all_lanes);
    CHECK(loaded(1) == 0);
}

TEST_CASE("arguments by their addresses") {
    fixture f;
    const ptx::link::address_windows windows(64);
    f.point_to(windows.parameter(0));
    CHECK(f.loaded(3).known == all_lanes);
    CHECK(f.loaded(3).lanes[5] == 7);
    f.point_to(windows.parameter(0) + 6);
    CHECK(f.loaded(3).known == 0);
    f.point_to(windows.parameter(1));
    CHECK(f.loaded(3).known == 0);
    std::uint64_t value = 0;
    CHECK(f.memory.read_argument(0, 0, 8, value));
    CHECK(value == 7);
    CHECK_FALSE(f.memory.read_argument(2, 0, 4, value));
}

TEST_CASE("shared memory, where its contents are given, and what is stored there") {
    const linked_text k(
        kernel_of("st.shared.u32 [%d2], %r3;\nld.shared.u32 %r4, [%d2];\nld.u32 %r5, [%d2];\n"
                  "atom.shared.add.u32 %r6, [%d2], 1;\nret;"));
    register_file<> file{k.program};
    file.begin(one_warp());
    file.add_rows(k.program.routines[0].rows);
    known_memory<> memory{file, {}, k.program.contents, 64};
    fill(file.at(k.source(k.body(0))), 8);
    fill(file.at(k.source(k.body(0), 1)), 5);
    const auto loaded = [&](std::size_t step) {
        memory.load(k.body(step), all_lanes);
        return file.at(k.result(k.body(step)));
    };
    shared_values<> values;
    values.clear(64);
    const ptx::link::undecided_part<> undecided(k.program);
    shared_recorder<> recorder(k.program, undecided, values);
    memory.store(k.body(0), all_lanes);
    CHECK_FALSE(values.any());
    memory.record_shared(&recorder);
    memory.store(k.body(0), all_lanes);
    CHECK(loaded(1).known == 0);
    memory.see_shared(&values);
    CHECK(loaded(1).known == all_lanes);
    CHECK(loaded(1).lanes[9] == 5);
    CHECK(loaded(2).known == 0);  // no address of shared memory
    fill(file.at(k.source(k.body(0))), ptx::link::address_windows(64).shared() + 8);
    CHECK(loaded(2).known == all_lanes);
    fill(file.at(k.source(k.body(0))), 8);
    memory.change(k.body(3), 1);
    CHECK(loaded(1).known == 0);
    memory.record_shared(nullptr);
}

namespace {

// Accesses of the address in %d2, in a text with a table of constants.
struct with_table {
    with_table() {
        file.begin(one_warp());
        file.add_rows(k.program.routines[0].rows);
        memory.resize_local(16);
        fill(file.at(k.source(k.body(2), 1)), 77);
    }
    row_values loaded_from(std::size_t step, std::uint64_t address, std::uint32_t known = all_lanes,
                           std::uint64_t stride = 4) {
        row_values& row = file.at(k.source(k.body(step)));
        for (std::size_t l = 0; l < warp_lanes; ++l) row.lanes[l] = address + stride * l;
        row.known = known;
        memory.load(k.body(step), all_lanes);
        return file.at(k.result(k.body(step)));
    }
    std::uint64_t table() { return k.constant(k.source(k.body(5))); }

    linked_text k{
        kernel_of("ld.const.u32 %r4, [%d2];\nld.shared.u32 %r5, [%d2];\n"
                  "st.global.u32 [%d2], %r3;\nst.u32 [%d2], %r3;\n"
                  "ld.u32 %r6, [%d2];\nmov.u64 %d3, table;\nld.const.u32 %r7, [%d3];\nret;",
                  ".const .align 4 .u32 table[4] = {11, 12, 13, 14};\n")};
    std::array<argument_bytes, 2> arguments{};
    register_file<> file{k.program};
    known_memory<> memory{file, arguments, k.program.contents, 64};
};

}  // namespace

TEST_CASE("a table is loaded by the lanes whose address is known and in it") {
    with_table f;
    const row_values all = f.loaded_from(0, f.table());
    CHECK(all.known == 0xf);
    CHECK(all.lanes[3] == 14);
    CHECK(f.loaded_from(0, f.table(), 0x6).known == 0x6);
    CHECK(f.loaded_from(0, f.table() + (1U << 20)).known == 0);
    CHECK(f.loaded_from(0, f.table(), 0).known == 0);
    CHECK(f.loaded_from(1, f.table()).known == 0);  // an address in shared memory is another
}

TEST_CASE(
    "a generic store goes to local memory where its address does, one to global memory never") {
    with_table f;
    const std::uint64_t local = ptx::link::address_windows(64).local() + 4;
    CHECK(f.loaded_from(4, local, all_lanes, 0).known == 0);
    f.file.at(f.k.source(f.k.body(2), 1)).known = 0xffff;
    CHECK(f.memory.store(f.k.body(2), all_lanes) == 0);
    CHECK(f.loaded_from(4, local, all_lanes, 0).known == 0);
    CHECK(f.memory.store(f.k.body(3), all_lanes) == 0);
    const row_values stored = f.loaded_from(4, local, all_lanes, 0);
    CHECK(stored.known == 0xffff);
    CHECK(stored.lanes[3] == 77);
}

}  // namespace known_memory_test
