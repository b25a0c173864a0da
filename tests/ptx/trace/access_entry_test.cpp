// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>

#include <warpgauge/ptx/trace/access_entry.hpp>

namespace access_entry_test {

using warpgauge::instruction;
using warpgauge::unit_kind;
using warpgauge::ptx::write_access;
using warpgauge::ptx::detail::trace::rounded;

TEST_CASE("numbers of an entry are the nearest whole ones that it holds") {
    CHECK(rounded(0.2, 255) == 1);
    CHECK(rounded(2.5, 255) == 3);
    CHECK(rounded(2.4, 255) == 2);
    CHECK(rounded(1e9, 255) == 255);
    CHECK(rounded(std::nan(""), 255) == 1);
    instruction shared{.unit = unit_kind::shared_memory};
    write_access(shared, {.lane_bytes = 16, .transactions = 3.6});
    CHECK(shared.transactions == 4);
    CHECK(shared.bytes == 16);
    write_access(shared, {.lane_bytes = 4096, .transactions = 1e6});
    CHECK(shared.transactions == 65'535);
    CHECK(shared.bytes == 255);
}

TEST_CASE("one transaction of global memory moves what lanes of one address share") {
    instruction load{.unit = unit_kind::global_memory};
    write_access(load, {.lane_bytes = 4, .transactions = 1, .bytes_moved = 32});
    CHECK(load.bytes == 1);
    write_access(load, {.lane_bytes = 4, .transactions = 4, .bytes_moved = 128});
    CHECK(load.transactions == 4);
    CHECK(load.bytes == 4);
}

TEST_CASE("lines of global memory are whole; of other memory an entry has none") {
    instruction load{.unit = unit_kind::global_memory};
    write_access(load, {.lane_bytes = 4, .transactions = 4, .bytes_moved = 128});
    CHECK(load.lines == 0);  // not known
    write_access(load, {.lane_bytes = 4, .transactions = 4, .bytes_moved = 128, .lines = 3.6});
    CHECK(load.lines == 4);
    write_access(load, {.lane_bytes = 4, .transactions = 4, .bytes_moved = 128, .lines = 0.2});
    CHECK(load.lines == 1);
    write_access(load, {.lane_bytes = 4, .transactions = 4, .bytes_moved = 128, .lines = 1e6});
    CHECK(load.lines == 65'535);
    instruction shared{.unit = unit_kind::shared_memory};
    write_access(shared, {.lane_bytes = 4, .transactions = 1, .lines = 2});
    CHECK(shared.lines == 0);
}

}  // namespace access_entry_test
