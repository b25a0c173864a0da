// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derivatives through a model, with a dual number that the library knows nothing about.
#include <doctest/doctest.h>

#include <boost/math/differentiation/autodiff.hpp>

#include <warpgauge/warpgauge.hpp>

namespace scalar_dual_test {

using namespace warpgauge;
using dual = boost::math::differentiation::autodiff_fvar<double, 1>;

static_assert(scalar<dual>);

namespace {

kernel_profile<dual> seeded(double insts) {
    kernel_profile<dual> k;
    k.blocks = 4096.0;
    k.threads_per_block = 256.0;
    k.registers_per_thread = 20.0;
    k.comp_insts = boost::math::differentiation::make_fvar<double, 1>(insts);
    k.uncoalesced_mem_insts = 12.0;
    k.transactions_per_uncoalesced = 8.0;
    return k;
}

double seconds(double insts) {
    const kernel_profile<> k{.blocks = 4096,
                             .threads_per_block = 256,
                             .registers_per_thread = 20,
                             .comp_insts = insts,
                             .uncoalesced_mem_insts = 12,
                             .transactions_per_uncoalesced = 8};
    return mwp_cwp_model<devices::geforce_rtx_2070_super>{}.predict(k)->cycles;
}

}  // namespace

TEST_CASE("the derivative of cycles agrees with finite differences in both regimes") {
    for (const double insts : {40.0, 90000.0}) {
        CAPTURE(insts);
        const auto e = mwp_cwp_model<devices::geforce_rtx_2070_super>{}.predict(seeded(insts));
        REQUIRE(e);
        const double h = 1e-4 * insts;
        const double slope = (seconds(insts + h) - seconds(insts - h)) / (2 * h);
        CHECK(e->cycles.derivative(0) == doctest::Approx(seconds(insts)).epsilon(1e-12));
        CHECK(e->cycles.derivative(1) == doctest::Approx(slope).epsilon(1e-6));
        CHECK(slope > 0);
    }
}

TEST_CASE("an edited device may hold dual numbers too") {
    auto d = edit<dual>(devices::geforce_rtx_2070_super{});
    d.clock_hz = boost::math::differentiation::make_fvar<double, 1>(d.clock_hz.derivative(0));
    const auto e = mwp_cwp_model{d}.predict(seeded(90000.0));
    REQUIRE(e);
    REQUIRE(e->which == mwp_cwp_case::compute_bound);
    const double clock = devices::geforce_rtx_2070_super::clock_hz;
    // Both are derivatives with respect to the one seed: of instructions and of the clock.
    const dual expected = e->cycles / d.clock_hz;
    CHECK(e->seconds.derivative(1) == doctest::Approx(expected.derivative(1)));
    CHECK(e->seconds.derivative(0) == doctest::Approx(e->cycles.derivative(0) / clock));
}

}  // namespace scalar_dual_test
