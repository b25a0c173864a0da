// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/device/sm_limits.hpp>

namespace sm_limits_test {

using namespace warpgauge;

TEST_CASE("every compute capability from 1.0 to 12.1 is known, in order") {
    CHECK(std::size(known_sm_limits) == 31);
    CHECK(known_sm_limits[0].capability == compute_capability{1, 0});
    CHECK(std::rbegin(known_sm_limits)->capability == compute_capability{12, 1});
    for (std::size_t i = 1; i < std::size(known_sm_limits); ++i) {
        CHECK(known_sm_limits[i - 1].capability < known_sm_limits[i].capability);
    }
}

TEST_CASE("every row is consistent") {
    for (const sm_limits& l : known_sm_limits) {
        CAPTURE(l.capability.major);
        CAPTURE(l.capability.minor);
        CHECK(limits_of(l.capability));
        CHECK(*limits_of(l.capability) == l);
        CHECK(l.warp_size == 32);
        CHECK(l.max_threads_per_block <= l.max_warps_per_sm * l.warp_size);
        CHECK(l.max_registers_per_block <= l.registers_per_sm);
        CHECK(l.max_shared_bytes_per_block + l.reserved_shared_bytes_per_block <=
              l.shared_bytes_per_sm);
    }
}

TEST_CASE("limits differ in each of their groups") {
    const sm_limits limits = *limits_of({8, 0});
    sm_limits other = limits;
    other.capability = {8, 6};
    CHECK(other != limits);
    other = limits;
    other.warp_size = 64;
    CHECK(other != limits);
    other = limits;
    other.max_blocks_per_sm = 1;
    CHECK(other != limits);
}

TEST_CASE("an unknown compute capability is an error") {
    for (const compute_capability cc :
         {compute_capability{0, 0}, {1, 4}, {4, 0}, {9, 1}, {13, 0}, {-1, 0}}) {
        const auto l = limits_of(cc);
        REQUIRE_FALSE(l);
        CHECK(l.error() == model_error{errc::unknown_compute_capability, "capability"});
    }
}

TEST_CASE("the static limits are those of the table") {
    static_assert(sm_limits_of<7, 5>::max_warps_per_sm == 32);
    static_assert(sm_limits_of<7, 5>::max_blocks_per_sm == 16);
    static_assert(sm_limits_of<1, 0>::registers_go == register_rule::per_block);
    static_assert(sm_limits_of<9, 0>::shared_bytes_per_sm == 228 * 1024);
}

}  // namespace sm_limits_test
