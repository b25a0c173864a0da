// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/access_cost.hpp>

namespace access_cost_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

// Lanes a stride apart from an address on.
row_values lanes_from(std::uint64_t first, std::uint64_t stride) {
    row_values r{.known = 0xffff'ffff};
    for (std::size_t l = 0; l < warp_lanes; ++l) r.lanes[l] = first + stride * l;
    return r;
}

executed counted(const step& s, const row_values& base, std::uint32_t active = 0xffff'ffff,
                 compute_capability cc = {7, 5}) {
    executed e{.unit = s.unit};
    warp_access a;
    access_cost<>(64, cc).count(s, base, active, a, e);
    // Whoever watches sees the lanes of an access to global memory, and of no other.
    CHECK((e.access == &a) == (e.unit == unit_kind::global_memory));
    if (e.access != nullptr) CHECK(a.active == (s.hides_addresses ? 0 : base.known & active));
    e.access = nullptr;
    return e;
}

constexpr step global{
    .unit = unit_kind::global_memory, .space = address_space::global, .lane_bytes = 4};
constexpr step shared{
    .unit = unit_kind::shared_memory, .space = address_space::shared, .lane_bytes = 4};

}  // namespace

TEST_CASE("global memory: side by side, apart, and past a boundary") {
    const executed together = counted(global, lanes_from(1 << 20, 4));
    CHECK(together.transactions == 4);
    CHECK(together.min_transactions == 4);
    CHECK(together.bytes_moved == 128);
    CHECK(together.coalesced);
    CHECK(together.alignment == 0);
    const executed apart = counted(global, lanes_from((1 << 20) + 64, 128));
    CHECK(apart.transactions == 32);
    CHECK(apart.min_transactions == 4);
    CHECK_FALSE(apart.coalesced);
    CHECK(apart.alignment == 64);
    step s = global;
    s.offset = 4;
    CHECK(counted(s, lanes_from(1 << 20, 4)).transactions == 5);
}

TEST_CASE("a lane of a copy reads as much as its size says, and all where that is not known") {
    step s = global;
    s.lane_bytes = 16;
    const auto copied = [&](const row_values& part) {
        executed e{.unit = s.unit, .idle = access_cost<>::idle_lanes(s, part, 0xffff'ffff)};
        warp_access a;
        access_cost<>(64, {8, 0}).count_part(s, lanes_from(1 << 20, 16), part, 0xffff'ffff, a, e);
        e.access = nullptr;
        return e;
    };
    row_values part{.known = 0xffff'ffff};
    CHECK(copied(part).idle == 0xffff'ffff);
    CHECK(copied(part).transactions == 0);
    for (std::size_t l = 0; l < 10; ++l) part.lanes[l] = l == 9 ? 4 : 16;
    executed e = copied(part);
    CHECK(e.idle == 0xffff'fc00);
    CHECK(e.transactions == 5);
    CHECK(e.bytes_moved == 160);
    CHECK_FALSE(e.unknown_size);
    part.known = 0xffff'f0ff;  // lanes 8 to 11
    e = copied(part);
    CHECK(e.idle == 0xffff'f000);
    CHECK(e.transactions == 6);
    CHECK(e.unknown_size);
    // More than the copy has is not read, and of a predicate, lanes read that do not ignore the source.
    CHECK(bytes_read(s, lanes_from(17, 0), 0) == 16);
    s.from.bits = 1;
    const row_values odd = lanes_from(0, 1);
    CHECK(bytes_read(s, odd, 2) == 16);
    CHECK(bytes_read(s, odd, 3) == 0);
    s.negated_sources = 1;
    CHECK(bytes_read(s, odd, 3) == 16);
}

TEST_CASE("a copy writes shared memory in as many passes as a store") {
    step s = global;
    s.lane_bytes = 16;
    const auto written = [&](const row_values& to, std::uint32_t active = 0xffff'ffff) {
        executed e{.unit = s.unit};
        warp_access a;
        access_cost<> cost(64, {8, 0});
        count_written(cost, s, to, active, a, e);
        CHECK(e.transactions == 0);
        CHECK(e.access == nullptr);
        return e;
    };
    CHECK(written(lanes_from(0, 16)).written_passes == 4);
    CHECK(written(lanes_from(0, 16), 0xff).written_passes == 1);
    CHECK(written(lanes_from(0, 128)).written_passes == 32);
    s.written_offset = 4;
    s.lane_bytes = 4;
    CHECK(written(lanes_from(0, 8)).written_passes == 2);
    row_values unknown = lanes_from(0, 4);
    CHECK_FALSE(written(unknown).unknown_written);
    unknown.known = 0;
    unknown.base = {.breaks = 0};
    CHECK(written(unknown).based_written);
    unknown.base = {.breaks = ~0U};
    CHECK(written(unknown).unknown_written);
    CHECK(written(unknown).written_passes == 1);
}

TEST_CASE("a lane of unknown address has a transaction of its own") {
    row_values base = lanes_from(1 << 20, 4);
    base.known = 0xff;
    base.base = opaque_base;
    const executed e = counted(global, base);
    CHECK(e.unknown_address);
    CHECK(e.transactions == 1 + 24);
    CHECK(e.bytes_moved == 32 * 25);
    CHECK_FALSE(e.coalesced);
    CHECK(counted(global, base, 0xff, {2, 0}).transactions == 1);
}

TEST_CASE("texels of neighbouring lanes are neighbours") {
    step texels = global;
    texels.hides_addresses = true;
    const executed e = counted(texels, lanes_from(1 << 20, 128));
    CHECK(e.transactions == 4);
    CHECK(e.unknown_sectors == 4);
    CHECK(e.bytes_moved == 128);
    CHECK(e.unknown_address);
    CHECK(counted(texels, lanes_from(0, 4), 0xff).transactions == 1);
}

// PTX ISA 9.0, sec. 9.7.14.5.15: the first 8, 16 or 32 lanes have the addresses of rows of 16 B.
TEST_CASE("matrices of 8 rows are a pass each, conflicts besides") {
    step rows = shared;
    rows.lane_bytes = 16;
    for (const std::uint32_t count : {1U, 2U, 4U}) {
        rows.address_lanes = static_cast<std::uint8_t>(8 * count);
        CHECK(counted(rows, lanes_from(0, 16)).transactions == count);
        CHECK(counted(rows, lanes_from(0, 16)).min_transactions == count);
        CHECK(counted(rows, lanes_from(0, 128)).transactions == 8 * count);  // all of one bank
        CHECK(counted(rows, lanes_from(0, 144)).transactions == count);      // padded
    }
}

TEST_CASE("a fragment's rows are a stride apart from one address") {
    step s = global;
    s.in_rows = true;
    s.lane_bytes = 32;  // 16 rows of 16 elements of 2 B
    s.row_count = s.address_lanes = 16;
    s.mode = 16;
    s.size_source = 2;
    warp_access a;
    executed e{.unit = s.unit, .size = 1024};
    access_cost<>(64, {7, 5}).count(s, lanes_from(1 << 20, 0), ~0U, a, e);
    CHECK(e.transactions == 16);
    CHECK(a.addresses[1] - a.addresses[0] == 2048);
    CHECK_FALSE(e.unknown_address);
    e = {.unit = s.unit, .size = 16};  // side by side
    access_cost<>(64, {7, 5}).count(s, lanes_from((1 << 20) + 16, 0), ~0U, a, e);
    CHECK(e.transactions == 17);
    e = {.unit = s.unit};  // a stride that is not known
    access_cost<>(64, {7, 5}).count(s, lanes_from(1 << 20, 0), ~0U, a, e);
    CHECK(e.unknown_sectors == 16);
    CHECK(e.unknown_address);
}

// A stencil's rows: an answer that is remembered is that of an access that is counted alone.
TEST_CASE("accesses of shared memory by one base, a constant apart") {
    step s = global;
    s.space = address_space::shared;
    s.unit = unit_kind::shared_memory;
    for (const compute_capability cc : {compute_capability{1, 3}, {3, 5}, {7, 5}}) {
        access_cost<> cost(64, cc);
        for (const std::uint64_t by : {4U, 8U, 36U, 128U}) {
            for (const std::int64_t offset : {0, 4, -292, 2, 128, 256, 260}) {
                for (const std::uint32_t active : {~0U, 0x7e7e'7e7eU, 1U}) {
                    for (const bool atomic : {false, true}) {
                        s.offset = offset;
                        s.is_atomic = atomic;
                        s.lane_bytes = offset == 128 ? 8 : 4;
                        const row_values base = lanes_from(1 << 20, by);
                        warp_access a;
                        executed together{.unit = s.unit};
                        executed alone{.unit = s.unit};
                        cost.count(s, base, active, a, together);
                        access_cost<>(64, cc).count(s, base, active, a, alone);
                        CHECK(together.transactions == alone.transactions);
                        CHECK(together.min_transactions == alone.min_transactions);
                        CHECK(together.coalesced == alone.coalesced);
                        CHECK(together.alignment == alone.alignment);
                    }
                }
            }
        }
    }
}

TEST_CASE("atomics of one address take turns") {
    step s = global;
    s.is_atomic = true;
    CHECK(counted(s, lanes_from(1 << 20, 0)).turns == 32);
    CHECK(counted(s, lanes_from(1 << 20, 4)).turns == 1);
    row_values pairs = lanes_from(1 << 20, 0);
    for (std::size_t l = 0; l < warp_lanes; ++l) pairs.lanes[l] += 4 * (l / 2);
    CHECK(counted(s, pairs).turns == 2);
    CHECK(counted(s, pairs, 0x5555'5555).turns == 1);
    CHECK(counted(global, pairs).turns == 0);
}

TEST_CASE("a copy in bulk is as many accesses as it takes") {
    step s = global;
    s.in_bulk = true;
    s.lane_bytes = 32;
    std::uint32_t sectors = 0;
    std::uint32_t unknown = 0;
    const auto copied = [&](std::uint64_t from, bool known, std::uint64_t bytes) {
        warp_access a;
        executed e{.unit = s.unit};
        sectors = unknown = 0;
        return access_cost<>(64, {9, 0}).count_copy(s, from, known, bytes, a, e, [&] {
            sectors += e.transactions;
            unknown += e.unknown_sectors;
            CHECK(e.coalesced);
        });
    };
    CHECK(copied(1 << 20, true, 16'384) == 16);
    CHECK(sectors == 512);
    CHECK(unknown == 0);
    copied((1 << 20) + 16, true, 16'384);
    CHECK(sectors == 513);
    copied(0, false, 16'384);
    CHECK(sectors == 512);
    CHECK(unknown == 512);
    CHECK(copied(1 << 20, true, 0) == 0);
    // Large ones are a few runs of bytes, none of whose sectors is counted twice.
    CHECK(copied((1 << 20) + 16, true, 1 << 24) == 1);
    CHECK(sectors == (1 << 19) + 1);
    CHECK(copied((1 << 27) - 16, true, 1 << 28) == 3);
    CHECK(sectors == (1 << 23) + 1);
    CHECK(unknown == 0);
    CHECK(copied(1 << 20, false, 1 << 24) == 1);
    CHECK(unknown == 1 << 19);
    CHECK(copied(1 << 20, true, 0xffff'ffff) == 33);
}

TEST_CASE("lanes of one unknown base are placed as if it were a multiple of 128 B") {
    row_values base = lanes_from(4, 4);  // from 4 B past it on
    base.known = 0;
    base.base = {.identity = 7, .bits = ~0U, .breaks = 0};
    const executed e = counted(global, base);
    CHECK_FALSE(e.unknown_address);
    CHECK(e.based != nullptr);
    CHECK(e.transactions == 5);
    base.base.breaks = 1U << 16;                         // two bases
    CHECK(counted(global, base).transactions == 3 + 3);  // each off a boundary of 32 B
    // Offsets below the base are side by side with those above.
    base = lanes_from(0 - std::uint64_t{64}, 4);
    base.known = 0;
    base.base = {.identity = 7, .bits = ~0U, .breaks = 0};
    CHECK(counted(global, base).transactions == 4);
}

TEST_CASE("banks of shared memory") {
    CHECK(counted(shared, lanes_from(0, 4)).transactions == 1);
    CHECK(counted(shared, lanes_from(0, 128)).transactions == 32);
    CHECK_FALSE(counted(shared, lanes_from(0, 128)).coalesced);
    CHECK(counted(shared, lanes_from(64, 0)).transactions == 1);
    step atomic = shared;
    atomic.is_atomic = true;
    CHECK(counted(atomic, lanes_from(64, 0)).transactions == 32);
}

TEST_CASE("generic addresses are seen through, constants are read word by word") {
    const ptx::link::address_windows windows(64);
    step generic = global;
    generic.space = address_space::generic;
    CHECK(counted(generic, lanes_from(windows.shared(), 4)).unit == unit_kind::shared_memory);
    CHECK(counted(generic, lanes_from(windows.local(), 4)).unit == unit_kind::l1_cache);
    CHECK(counted(generic, lanes_from(windows.parameter(1), 0)).unit == unit_kind::l1_cache);
    CHECK(counted(generic, lanes_from(1 << 20, 4)).unit == unit_kind::global_memory);
    const step constant{
        .unit = unit_kind::l1_cache, .space = address_space::constant, .lane_bytes = 4};
    CHECK(counted(constant, lanes_from(0, 0)).transactions == 1);
    CHECK(counted(constant, lanes_from(0, 2)).transactions == 17);
    CHECK_FALSE(counted(constant, lanes_from(0, 2)).coalesced);
}

TEST_CASE("of a generic address of which only the memory is known") {
    const ptx::link::address_windows windows(64);
    step generic = global;
    generic.space = address_space::generic;
    row_values base = lanes_from(windows.shared() - 64, 0);
    base.known = 0;
    base.base = opaque_base;
    const executed alone = counted(generic, base);
    CHECK(alone.unit == unit_kind::shared_memory);
    CHECK(alone.transactions == 1);
    CHECK(alone.unknown_address);
    base.base = {.identity = 7, .bits = ~std::uint64_t{0}, .breaks = 0};
    CHECK(counted(generic, base).unit == unit_kind::shared_memory);
    for (std::uint64_t& lane : base.lanes) lane = windows.local() - 64;
    CHECK(counted(generic, base).unit == unit_kind::l1_cache);
    for (std::uint64_t& lane : base.lanes) lane = 0 - std::uint64_t{64};
    CHECK(counted(generic, base).unit == unit_kind::global_memory);
}

TEST_CASE("copies on the chip count lines, and a fragment is where its address says") {
    access_cost<> cost(64, {9, 0});
    executed e{.unit = unit_kind::shared_memory};
    warp_access a;
    int seen = 0;
    const auto count = [&] { ++seen; };
    CHECK(cost.count_copy(shared, 0, true, 300, a, e, count) == 1);
    CHECK(seen == 1);
    CHECK(e.transactions == 3);
    CHECK(e.min_transactions == 3);
    CHECK(cost.count_copy(shared, 0, true, 0, a, e, count) == 0);
    CHECK(seen == 1);
    // 16 rows of 32 B side by side, where nothing says how far apart they are.
    step rows = global;
    rows.in_rows = true;
    rows.row_count = 16;
    rows.address_lanes = 16;
    rows.lane_bytes = 32;
    rows.mode = 16;
    const auto transactions = [&](const step& s, std::uint32_t active) {
        executed counted{.unit = s.unit};
        warp_access lanes;
        access_cost<>(64, {7, 5}).count(s, lanes_from(1 << 20, 0), active, lanes, counted);
        return counted;
    };
    CHECK(transactions(rows, 0xffff'ffff).transactions == 16);
    CHECK_FALSE(transactions(rows, 0xffff'ffff).unknown_address);
    step generic = rows;
    generic.space = address_space::generic;
    CHECK(transactions(generic, 0xffff'ffff).unit == unit_kind::global_memory);
    step on_chip = rows;
    on_chip.unit = unit_kind::shared_memory;
    on_chip.space = address_space::shared;
    CHECK(transactions(on_chip, 0xffff'ffff).unit == unit_kind::shared_memory);
}

TEST_CASE("lanes of unknown address move whole lines where a device has no sectors") {
    row_values base = lanes_from(1 << 20, 4);
    base.known = 0xffff;
    base.base = opaque_base;
    const executed lines = counted(global, base, 0xffff'ffff, {2, 0});
    CHECK(lines.transactions == 1 + 16);
    CHECK(lines.bytes_moved == 128 + 16 * 128);
    CHECK_FALSE(lines.coalesced);
}

TEST_CASE("rows and constants of unknown address") {
    step rows = shared;
    rows.in_rows = true;
    rows.lane_bytes = 16;
    rows.address_lanes = 8;
    rows.space = address_space::generic;
    row_values unknown{};
    for (const std::uint8_t count : {std::uint8_t{0}, std::uint8_t{8}}) {
        rows.row_count = count;
        CHECK(counted(rows, unknown).unknown_address);
        CHECK_FALSE(counted(rows, lanes_from(0, 0)).unknown_address);
    }
    constexpr step constants{
        .unit = unit_kind::l1_cache, .space = address_space::constant, .lane_bytes = 4};
    CHECK(counted(constants, unknown).transactions == 1);
}

}  // namespace access_cost_test
