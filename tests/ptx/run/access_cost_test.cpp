// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/access_cost.hpp>

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
    step hidden = global;
    hidden.hides_addresses = true;
    CHECK(counted(hidden, lanes_from(1 << 20, 4)).transactions == 32);
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
