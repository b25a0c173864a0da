// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/footprint.hpp>

#include "ptx/touched_row.hpp"

namespace footprint_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

TEST_CASE("from the first to the last byte of each allocation") {
    touched_ranges r(64);
    CHECK(r.bytes(1e9) == 0);
    const std::uint64_t a = std::uint64_t{1} << 40;
    r.add(touched_row(a));
    r.add(touched_row(a + 1'048'576 - 128));
    r.add(touched_row(3 * a));
    CHECK(r.bytes(1e9) == 1'048'576 + 128);
    CHECK(r.bytes(10) == 320);  // no more than what is touched at all
    // Ten sectors, three more or less; and where the ends of the data limit them.
    CHECK(r.error(10, 3, 0) == 96);
    CHECK(r.error(10, 1e9, 0) == 1'048'576 + 128 - 320);
    CHECK(r.error(10, 0, 0) == 0);
    CHECK(r.error(1e9, 3, 0) == 0);
    CHECK(r.error(1e9, 3, 0.5) == r.bytes(1e9) / 2);
    CHECK(r.error(10, 0, 0.5) == 0);  // accesses touch no more
    touched_ranges other(64);
    other.add(touched_row(a - 128));  // of the allocation before
    other.add(touched_row(a + 2'097'152 - 128));
    other.add(r);
    CHECK(other.bytes(1e9) == 128 + 2'097'152 + 128);
    touched_ranges narrow(32);
    narrow.add(touched_row(std::uint64_t{1} << 31));
    narrow.add(touched_row((std::uint64_t{1} << 31) + (std::uint64_t{1} << 27)));
    CHECK(narrow.bytes(1e9) == 256);
}

}  // namespace footprint_test
