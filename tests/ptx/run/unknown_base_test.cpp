// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/run/unknown_base.hpp>

namespace unknown_base_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

TEST_CASE("identities of sums are sums of identities, and hardly ever another's") {
    CHECK(identity_of(1) != identity_of(2));
    CHECK(identity_of(1) + identity_of(2) != identity_of(3));
    CHECK(identity_of(0) == 0);  // like no other
    // Splitmix64 from the state 0: the first number of the published generator.
    CHECK(identity_of(1) == 0xe220'a839'7b1d'cdafU);
}

TEST_CASE("runs of lanes that share a base") {
    lane_values v{};
    for (std::size_t l = 0; l < warp_lanes; ++l) v[l] = l / 8;
    CHECK(breaks_of(v) == 0x0101'0100);
    CHECK(edges_of(0xf0) == 0x110);
    CHECK(edges_of(0xf) == 0x10);
    CHECK(edges_of(~0U) == 0);
    const lane_run second = first_run(0xffff'0f00, 0x0101'0100);
    CHECK(second.first == 8);
    CHECK(second.lanes == 0xf00);
    CHECK(first_run(0x8000'0000, ~0U).lanes == 0x8000'0000);
    CHECK(first_run(~0U, 0).lanes == ~0U);
    CHECK(run_of(0x0101'0100, 7) == 0);
    CHECK(run_of(0x0101'0100, 31) == 3);
    CHECK(run_of(~0U, 31) == 31);
}

TEST_CASE("what is known of a base") {
    CHECK(opaque_base.is_opaque());
    CHECK(opaque_base.zeros() == 0);
    CHECK_FALSE(opaque_base.is_unset());
    CHECK(unknown_base{}.is_unset());
    constexpr unknown_base fours{.identity = 5, .bits = 0xfc, .breaks = 0};
    CHECK(fours.zeros() == 2);
    CHECK_FALSE(fours.is_opaque());
    CHECK(unknown_base{.identity = 0, .bits = 0xfc}.possible_bits() == ~std::uint64_t{0});
}

}  // namespace unknown_base_test
