// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <warpgauge/by_name/find_device.hpp>
#include <warpgauge/by_name/predict.hpp>

using namespace warpgauge;

namespace {

constexpr kernel_profile<> saxpy{.blocks = 1000,
                                 .threads_per_block = 256,
                                 .registers_per_thread = 16,
                                 .comp_insts = 20,
                                 .coalesced_mem_insts = 3};

// Hong & Kim 2009, fig. 12 and tbl. 2.
constexpr kernel_profile<> fig_12{.blocks = 80,
                                  .threads_per_block = 128,
                                  .active_blocks_per_sm = 5,
                                  .comp_insts = 27,
                                  .uncoalesced_mem_insts = 6,
                                  .sync_insts = 6};

template <class Model>
void same_as(std::string_view name, const Model& m, const kernel_profile<>& k) {
    const auto typed = m.predict(k);
    const auto named = predict(name, any_device(m.device), k);
    REQUIRE(typed);
    REQUIRE(named);
    CHECK(named->cycles == typed->cycles);
    CHECK(named->seconds == typed->seconds);
    CHECK(named->assumed.empty());
}

}  // namespace

TEST_CASE("a model by name gives the bits of the model by type") {
    const devices::geforce_gtx_280 gpu;
    same_as("roofline", roofline_model{devices::h100_sxm5{}}, saxpy);
    same_as("mwp_cwp", mwp_cwp_model{gpu}, saxpy);
    same_as("mwp_cwp", mwp_cwp_model{devices::quadro_fx5600{}}, fig_12);
}

TEST_CASE("the example of Hong & Kim 2009, fig. 12: the whole time, barriers included") {
    any_device gpu(devices::quadro_fx5600{});
    REQUIRE_FALSE(gpu.set("clock_hz", 1e9));
    REQUIRE_FALSE(gpu.set("dram_bytes_per_s", 80e9));
    const auto p = predict("mwp_cwp", gpu, fig_12);
    REQUIRE(p);
    CHECK(p->cycles == doctest::Approx(50728.1875).epsilon(1e-12));
    CHECK(p->seconds == doctest::Approx(50728.1875e-9).epsilon(1e-12));
    CHECK(p->limited_by == "memory bound");
    CHECK(p->assumed.empty());
}

TEST_CASE("what a model needs and the device lacks is named") {
    const any_device h100(devices::h100_sxm5{});
    CHECK(predict("mwp_cwp", h100, saxpy).error() == model_error{errc::missing, "issue_cycles"});
    CHECK(predict("mpd_cpd", h100, saxpy).error() == model_error{errc::missing, "cpd_a"});
    CHECK(predict("trapezoid", h100, saxpy).error() ==
          model_error{errc::missing, "uncontended_latency_cycles"});
    CHECK(predict("ppt_compat", h100, saxpy).error() ==
          model_error{errc::missing, "ppt_description"});
    CHECK(predict("roofline", any_device{}, saxpy).error() ==
          model_error{errc::missing, "sm_count"});
    CHECK(predict("mwp", h100, saxpy).error() == model_error{errc::unknown_name, "mwp"});
}

TEST_CASE("errors of the model are passed on") {
    const auto p = predict("mwp_cwp", any_device(devices::geforce_gtx_280{}), {});
    REQUIRE_FALSE(p);
    CHECK(p.error() ==
          mwp_cwp_model{devices::geforce_gtx_280{}}.predict(kernel_profile<>{}).error());
}

TEST_CASE("a completed device says what was assumed, of what the model reads") {
    any_device h100(devices::h100_sxm5{});
    h100.complete<parameters::issue>({.issue_cycles = 1});
    h100.complete<parameters::departures>(
        {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 2});
    h100.complete<parameters::board_power>({.board_power_w = 700});
    const auto p = predict("mwp_cwp", h100, saxpy);
    REQUIRE(p);
    CHECK(p->assumed.contains(device_parameter::issue_cycles));
    CHECK(p->assumed.contains(device_parameter::coalesced_departure_cycles));
    CHECK_FALSE(p->assumed.contains(device_parameter::board_power_w));
    CHECK_FALSE(p->assumed.contains(device_parameter::sm_count));
}

TEST_CASE("every name of a model is known, and a visitor sees its model") {
    for (const std::string_view name : model_names) {
        CAPTURE(name);
        const auto p = predict(name, any_device{}, saxpy);
        REQUIRE_FALSE(p);
        CHECK(p.error().code == errc::missing);
    }
    std::size_t visits = 0;
    const auto bad =
        visit_model("mwp_cwp", any_device(devices::geforce_gtx_280{}), [&](const auto& m) {
            ++visits;
            CHECK(m.device.sm_count == 30);
            return model_error{errc::outside_domain, "a visitor's own"};
        });
    CHECK(visits == 1);
    CHECK(bad == model_error{errc::outside_domain, "a visitor's own"});
}
