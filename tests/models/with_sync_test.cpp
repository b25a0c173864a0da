// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <span>

#include <warpgauge/analyse/sensitivity.hpp>
#include <warpgauge/core/lanes.hpp>
#include <warpgauge/devices/geforce_gtx_280.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/with_sync.hpp>
#include <warpgauge/tune/sweep.hpp>

using namespace warpgauge;

namespace {

using gtx_280 = devices::geforce_gtx_280;
constexpr with_sync synced{mwp_cwp_model<gtx_280>{}};
static_assert(model<with_sync<mwp_cwp_model<gtx_280>>>);
static_assert(sizeof(synced) == sizeof(mwp_cwp_model<gtx_280>));

constexpr kernel_profile<> k{.blocks = 300,
                             .threads_per_block = 128,
                             .active_blocks_per_sm = 4,
                             .comp_insts = 100,
                             .coalesced_mem_insts = 10,
                             .sync_insts = 20};

}  // namespace

TEST_CASE("time with barriers is the estimate's own") {
    constexpr auto plain = mwp_cwp_model<gtx_280>{}.predict(k);
    constexpr auto e = synced.predict(k);
    static_assert(e->cycles == plain->cycles_with_sync);
    static_assert(e->seconds == plain->seconds_with_sync && e->seconds > plain->seconds);
    CHECK(synced.predict(kernel_profile<>{}).error() ==
          mwp_cwp_model<gtx_280>{}.predict(kernel_profile<>{}).error());
}

TEST_CASE("what looks at the time sees barriers") {
    const auto all = sensitivities(
        [](const auto& d, const auto& p) { return with_sync{mwp_cwp_model{d}}.predict(p); },
        gtx_280{}, k);
    REQUIRE(all);
    for (const sensitivity& s : *all) {
        if (s.parameter == "sync_insts") CHECK(s.elasticity > 0);
    }
    const std::array<double, 5> barriers{0, 1, 2, 4, 8};
    const std::array<std::span<const double>, 1> columns{barriers};
    std::array<double, 5> seconds{};
    const auto describe = [](auto p, auto& profile) { profile.sync_insts = p[0]; };
    REQUIRE(predict_batch(synced, k, columns, describe, seconds) == 5);
    for (std::size_t n = 0; n < seconds.size(); ++n) {
        kernel_profile<> one = k;
        one.sync_insts = barriers[n];
        CHECK(seconds[n] == doctest::Approx(synced.predict(one)->seconds).epsilon(1e-14));
        CHECK((n == 0 || seconds[n] > seconds[n - 1]));
    }
}
