// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/boost_math/time_by_parameter.hpp>

#include <doctest/doctest.h>

#include <warpgauge/profiles/element_wise.hpp>
#include <warpgauge/warpgauge.hpp>

namespace time_by_parameter_test {

using namespace warpgauge;
using detail::boost_math::time_by_parameter;

TEST_CASE("a time as a function of one parameter, of device or kernel") {
    const kernel_profile<> k{.blocks = 4096,
                             .threads_per_block = 256,
                             .active_blocks_per_sm = 4,
                             .comp_insts = 10,
                             .coalesced_mem_insts = 3};
    const mwp_cwp_model model{devices::geforce_gtx_280{}};
    time_by_parameter by_clock(model, k, "clock_hz");
    REQUIRE(!by_clock.error());
    auto slow = edit(model.device);
    slow.clock_hz = 1e9;
    const double expected = *seconds_of(model.on(slow).predict(k));
    CHECK(*by_clock(1e9) == expected);
    CHECK(*by_clock(2e9) < expected);
    CHECK(*by_clock(1e9) == expected);
    time_by_parameter by_blocks(model, k, "blocks");
    REQUIRE(!by_blocks.error());
    CHECK(*by_blocks(4096) == *seconds_of(model.predict(k)));
    CHECK(by_blocks(-1).error() == model_error{errc::not_positive, "blocks"});
    CHECK(time_by_parameter(model, k, "block").error() ==
          model_error{errc::unknown_parameter, "block"});
}

TEST_CASE("more blocks move more bytes of the launch") {
    const saturation_model<devices::h100_sxm5> model;
    const auto half = profiles::element_wise({.elements = 1 << 26});
    const auto whole = profiles::element_wise({.elements = 1 << 27});
    time_by_parameter by_blocks(model, half, "blocks");
    CHECK(by_blocks(-1).error() == model_error{errc::not_positive, "blocks"});
    CHECK(*by_blocks(whole.blocks) == doctest::Approx(model.predict(whole)->seconds));
    CHECK(*by_blocks(half.blocks) == doctest::Approx(model.predict(half)->seconds));
}

}  // namespace time_by_parameter_test
