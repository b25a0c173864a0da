// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/run/access_unit.hpp>

namespace access_unit_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

TEST_CASE("lanes whose generic address lies in another memory than that of the others") {
    const ptx::link::address_windows windows(64);
    step generic{.unit = unit_kind::global_memory, .space = address_space::generic};
    row_values base{.known = 0xffff'ffff};
    const access_unit units(64);
    CHECK(units.elsewhere(generic, base, 0xffff'ffff) == 0);
    base.lanes[3] = windows.shared() + 16;
    base.lanes[5] = windows.local() + 16;
    CHECK(units.elsewhere(generic, base, 0xffff'ffff) == 0x28);
    CHECK(units.elsewhere(generic, base, 0x28) == 0x20);  // shared memory first
    CHECK(units.elsewhere(generic, base, 0x20) == 0);
    base.known = ~0x08U;  // only the memory is known
    CHECK(units.elsewhere(generic, base, 0xff) == 0x28);
    CHECK(units.of_lane(generic, base, 3) == unit_kind::shared_memory);
    CHECK(units.of_lane(generic, base, 5) == unit_kind::l1_cache);
    CHECK(units.of_lane(generic, base, 6) == unit_kind::global_memory);
    // Just below a window and near it: known to be outside, or within if its place is hidden.
    base.lanes[7] = windows.shared() - 16;
    CHECK(units.of_lane(generic, base, 7) == unit_kind::global_memory);
    generic.hides_addresses = true;
    CHECK(units.of_lane(generic, base, 7) == unit_kind::shared_memory);
    generic.hides_addresses = false;
    generic.offset = 0 - 64;
    CHECK(units.of_lane(generic, base, 3) == unit_kind::shared_memory);
    CHECK(units.of_lane(generic, base, 5) == unit_kind::global_memory);  // below local memory
    generic.space = address_space::global;
    CHECK(units.elsewhere(generic, base, 0xff) == 0);
}

}  // namespace access_unit_test
