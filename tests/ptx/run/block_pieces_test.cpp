// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/block_pieces.hpp>

namespace block_pieces_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

TEST_CASE("the pieces of a copy are all of its bytes, each once") {
    for (const std::uint64_t from : {0U, 16U, 48U, 4096U}) {
        for (const std::uint64_t bytes : {0U, 16U, 32U, 48U, 1024U, 1040U, 5008U}) {
            warp_access a;
            std::uint64_t sum = 0;
            std::uint64_t next = from;
            const std::uint64_t made = for_each_piece(from, bytes, a, [&] {
                CHECK(a.addresses[0] == next);
                CHECK((a.bytes == 32 ? a.addresses[0] % 32 == 0 : a.bytes < 32));
                const auto here = a.bytes * static_cast<std::uint64_t>(std::popcount(a.active));
                sum += here;
                next += here;
            });
            CHECK(sum == bytes);
            CHECK(made <= bytes / 1024 + 3);
        }
    }
}

TEST_CASE("rows a stride apart, in pieces") {
    ptx::link::step s{.lane_bytes = 32, .address_lanes = 32, .row_count = 16};
    warp_access a;
    place_rows(s, 1000, 256, a);
    CHECK(a.addresses[0] == 1000);
    CHECK(a.addresses[1] == 1032);
    CHECK(a.addresses[2] == 1256);
    CHECK(a.addresses[31] == 1000 + 15 * 256 + 32);
    CHECK(a.active == 0xffff'ffff);
    s.address_lanes = 16;
    place_rows(s, 0, 64, a);
    CHECK(a.active == 0xffff);
    CHECK(a.addresses[15] == 15 * 64);
}

TEST_CASE("lanes on one address") {
    warp_access a;
    a.addresses.fill(64);
    CHECK(lanes_on_one_address(a) == 32);
    a.active = 0xf;
    CHECK(lanes_on_one_address(a) == 4);
    a.addresses[0] = 0;
    CHECK(lanes_on_one_address(a) == 3);
    a.active = 0;
    CHECK(lanes_on_one_address(a) == 0);
}

}  // namespace block_pieces_test
