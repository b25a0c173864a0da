// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <string_view>

#include <warpgauge/by_name/find_device.hpp>
#include <warpgauge/by_name/predict.hpp>
#include <warpgauge/tune/default_model.hpp>

namespace predict_test {

using namespace warpgauge;

namespace {

constexpr std::array stream{
    instruction{.unit = unit_kind::integer, .op = operation::add},
    instruction{.unit = unit_kind::global_memory, .needs = {1}},
    instruction{.unit = unit_kind::single_precision, .op = operation::mul, .needs = {1}},
    instruction{.unit = unit_kind::global_memory, .needs = {1}}};

constexpr kernel_profile<> kernel{.blocks = 4096,
                                  .threads_per_block = 256,
                                  .registers_per_thread = 16,
                                  .comp_insts = 2,
                                  .coalesced_mem_insts = 2,
                                  .instructions = stream};

/// The same with what goes through the caches and shared memory, far more than DRAM and issue bear.
constexpr kernel_profile<> busy_in(double lines, double l2_bytes, double shared_passes) {
    kernel_profile<> k = kernel;
    k.accesses.lines = lines;
    k.traffic.l2_bytes_per_warp = l2_bytes;
    k.shared_passes = shared_passes;
    return k;
}

/// A GPU with all that the closed forms read, where they have a choice.
auto all_groups_of_gtx_260() {
    using namespace parameters;
    const auto far = with<dram_latency>(devices::geforce_gtx_260{}, {.dram_latency_cycles = 440});
    const auto issuing = with<issue>(far, {.issue_cycles = 4});
    const auto departing = with<departures>(
        issuing, {.coalesced_departure_cycles = 4, .uncoalesced_departure_cycles = 40});
    const auto moving = with<transaction_size>(departing, {.dram_transaction_bytes = 64});
    const auto scheduling =
        with<schedulers>(moving, {.warp_schedulers = 1, .issues_per_scheduler = 2});
    return with<stencil_timing>(scheduling, {.uncontended_latency_cycles = 440,
                                             .coalesce_width = 16,
                                             .dram_pipeline_depth = 4,
                                             .global_sync_cycles = 3000,
                                             .average_cpi = 5});
}

/// By name and by type, on these groups of that GPU alone.
template <template <class> class... Groups, class ModelOf>
void check_same(std::string_view name, const ModelOf& model_of, const kernel_profile<>& k) {
    const runtime_device<double, Groups...> d(all_groups_of_gtx_260());
    const auto p = predict(name, any_device(d), k);
    const auto e = model_of(d).predict(k);
    REQUIRE(p.has_value() == e.has_value());
    if (e) {
        CHECK(p->seconds == e->seconds);
        CHECK(p->cycles == e->cycles);
        for (const assumption a : {assumption::transactions_of_32_bytes, assumption::issue_floor}) {
            CHECK(p->assumed.contains(a) == assumptions_of(*e).contains(a));
        }
    } else {
        CHECK(p.error() == e.error());
    }
}

/// What a model by type says.
template <class Model>
result<prediction> of_type(const Model& model, const kernel_profile<>& k) {
    const auto e = model.predict(k);
    if (!e) return error_of(e);
    prediction p{.cycles = e->cycles, .seconds = e->seconds};
    if constexpr (requires { name(e->which); }) p.limited_by = name(e->which);
    return p;
}

/// By name the same as by type. It is not compiled for each device: that takes seconds.
void check_same(const any_device& d, std::string_view model, const result<prediction>& by_type,
                const kernel_profile<>& k = kernel) {
    CAPTURE(d.name());
    CAPTURE(model);
    const auto p = predict(model, d, k);
    REQUIRE(p.has_value() == by_type.has_value());
    if (!p) {
        CHECK(model == "hybrid");  // all others predict this kernel
        CHECK(p.error() == by_type.error());
        return;
    }
    CHECK(p->seconds == by_type->seconds);
    CHECK(p->cycles == by_type->cycles);
    if (!by_type->limited_by.empty()) CHECK(p->limited_by == by_type->limited_by);
}

}  // namespace

TEST_CASE("a model by name gives the bits of the model by type, the default model among them") {
    int saturations = 0;
    devices::for_each([&]<class D>(const D& d) {
        const any_device any(d);
        if constexpr (mwp_cwp_device<D>) {
            check_same(any, "mwp_cwp", of_type(mwp_cwp_model{d}, kernel));
        }
        if constexpr (roofline_device<D>) {
            for (const kernel_profile<>& k :
                 {kernel, busy_in(1e6, 0, 0), busy_in(0, 1e8, 0), busy_in(0, 0, 1e6)}) {
                check_same(any, "roofline", of_type(roofline_model{d}, k), k);
            }
        }
        if constexpr (mpd_cpd_device<D>) {
            check_same(any, "mpd_cpd", of_type(mpd_cpd_model{d}, kernel));
        }
        if constexpr (makespan_device<D>) {
            check_same(any, "makespan", of_type(makespan_model{d}, kernel));
        }
        if constexpr (hybrid_device<D>) {
            check_same(any, "hybrid", of_type(hybrid_model{d}, kernel));
        }
        if constexpr (saturation_device<D>) {
            check_same(any, "saturation", of_type(saturation_model{d}, kernel));
        }
        if constexpr (ppt_compat_device<D>) {
            check_same(any, "ppt_compat", of_type(ppt_compat_model{d}, kernel));
        }
        const std::string_view model = default_model_name(any);
        saturations += model == "saturation";
        if constexpr (has_default_model<D>) {
            check_same(any, model, of_type(default_model(d), kernel));
        }
    });
    CHECK(saturations >= 17);
}

TEST_CASE(
    "a closed form by name gives the bits of its type for each set of groups that it may lack") {
    using namespace parameters;
    kernel_profile<> k = kernel;
    k.uncoalesced_mem_insts = 1;
    std::array scattered = stream;
    scattered[1].transactions = 16;
    k.instructions = scattered;
    k.stencil = {.dimensions = 2,
                 .data_length = {2000, 2000},
                 .halo_width = {2, 2},
                 .block_length = 16,
                 .profiled_elements = 4e6,
                 .misc_insts_per_sm = 2e4,
                 .iter_insts_per_sm = 3e4};
    for (const double blocks : {0.0, 2.0}) {
        CAPTURE(blocks);
        k.active_blocks_per_sm = blocks;
        const auto mwp_cwp = [](const auto& d) { return mwp_cwp_model{d}; };
        check_same<chip, warp, issue, dram_latency, departures>("mwp_cwp", mwp_cwp, k);
        check_same<chip, warp, residency, issue, dram_latency, departures>("mwp_cwp", mwp_cwp, k);
        check_same<chip, warp, issue, dram_latency, departures, transaction_size>("mwp_cwp",
                                                                                  mwp_cwp, k);
        const auto mpd_cpd = [](const auto& d) { return mpd_cpd_model{d}; };
        check_same<chip, warp, residency, computation_costs>("mpd_cpd", mpd_cpd, k);
        check_same<chip, warp, residency, computation_costs, issue>("mpd_cpd", mpd_cpd, k);
        check_same<chip, warp, residency, computation_costs, schedulers>("mpd_cpd", mpd_cpd, k);
        check_same<chip, warp, residency, computation_costs, transaction_size>("mpd_cpd", mpd_cpd,
                                                                               k);
        check_same<chip, warp, residency, computation_costs, issue, schedulers>("mpd_cpd", mpd_cpd,
                                                                                k);
        const auto trapezoid = [](const auto& d) { return trapezoid_model{d}; };
        check_same<chip, warp, residency, stencil_timing>("trapezoid", trapezoid, k);
        check_same<chip, warp, residency, stencil_timing, issue>("trapezoid", trapezoid, k);
        check_same<chip, warp, residency, stencil_timing, schedulers>("trapezoid", trapezoid, k);
    }
}

TEST_CASE("the roofline by name has the roofs of L1, L2 and shared memory") {
    const any_device a100(devices::a100_pcie_40gb{});
    CHECK(predict("roofline", a100, kernel)->limited_by == "memory bandwidth");
    CHECK(predict("roofline", a100, busy_in(1e6, 0, 0))->limited_by == "L1 bandwidth");
    CHECK(predict("roofline", a100, busy_in(0, 1e8, 0))->limited_by == "L2 bandwidth");
    CHECK(predict("roofline", a100, busy_in(0, 0, 1e6))->limited_by == "shared memory");
    // The GTX 280's have no known bandwidth, and bound nothing.
    const any_device gtx_280(devices::geforce_gtx_280{});
    CHECK(predict("roofline", gtx_280, busy_in(1e6, 1e8, 1e6))->seconds ==
          predict("roofline", gtx_280, kernel)->seconds);
}

TEST_CASE("errors name what is missing") {
    const any_device h100(devices::h100_sxm5{});
    CHECK(predict("mwp_cwp", h100, kernel).error() == model_error{errc::missing, "issue_cycles"});
    CHECK(predict("trapezoid", h100, kernel).error() ==
          model_error{errc::missing, "uncontended_latency_cycles"});
    CHECK(predict("mpd_cpd", h100, kernel).error() == model_error{errc::missing, "cpd_a"});
    CHECK(predict("oracle", h100, kernel).error() == model_error{errc::unknown_name, "oracle"});
    CHECK(predict("roofline", any_device{}, kernel).error() ==
          model_error{errc::missing, "sm_count"});
    any_device unscheduled;
    for (const char* given : {"sm_count", "clock_hz", "dram_bytes_per_s", "warp_size"}) {
        CHECK_FALSE(unscheduled.set(given, 32));
    }
    CHECK(predict("roofline", unscheduled, kernel).error() ==
          model_error{errc::missing, "warp_schedulers"});
    CHECK(predict("mwp_cwp", any_device(devices::geforce_gtx_280{}), {}).error().code ==
          errc::not_positive);
}

TEST_CASE("what no source gives is named in the prediction") {
    const auto completed = with<parameters::departures>(
        with<parameters::issue>(devices::h100_sxm5{}, {.issue_cycles = 0.25}),
        {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 2});
    const any_device any(completed);
    const auto p = predict("mwp_cwp", any, kernel);
    REQUIRE(p);
    CHECK(p->assumed_parameters.contains(device_parameter::issue_cycles));
    CHECK(p->assumed_parameters.contains(device_parameter::uncoalesced_departure_cycles));
    CHECK_FALSE(p->assumed_parameters.contains(device_parameter::clock_hz));
    const auto simulated = predict("hybrid", any, kernel);
    REQUIRE(simulated);
    CHECK(simulated->assumed_parameters.empty());  // the simulation reads none of them
}

TEST_CASE("every name is a model's") {
    const any_device k40(devices::tesla_k40{});
    for (const std::string_view model : model_names) {
        CAPTURE(model);
        const auto p = predict(model, k40, kernel);
        CHECK((p || p.error().code == errc::missing));
    }
}

TEST_CASE("a model is visited once for many configurations") {
    const any_device gpu(devices::geforce_rtx_2070_super{});
    double sum = 0;
    const auto bad = visit_model("mwp_cwp", gpu, [&](const auto& model) -> model_error {
        for (double threads = 32; threads <= 1024; threads += 32) {
            kernel_profile<> k = kernel;
            k.threads_per_block = threads;
            const auto e = model.predict(k);
            if (!e) return e.error();
            sum += e->seconds;
        }
        return {};
    });
    CHECK(!bad);
    CHECK(sum > 0);
}

TEST_CASE("the default model by name") {
    CHECK(default_model_name(any_device(devices::h100_sxm5{})) == "saturation");
    CHECK(default_model_name(any_device(devices::geforce_gtx_280{})) == "mwp_cwp");
    CHECK(default_model_name(any_device(devices::geforce_rtx_3090{})) == "saturation");
    CHECK(default_model_name(any_device(devices::geforce_gtx_260{})) == "mpd_cpd");
    // No source has the latency of its DRAM.
    CHECK(default_model_name(any_device(devices::radeon_rx_6900_xt{})) == "roofline");
}

TEST_CASE("the default model predicts on each device") {
    constexpr instruction sums[]{{.unit = unit_kind::single_precision, .op = operation::add}};
    kernel_profile<> k = kernel;
    k.instructions = sums;  // the costs of the GTX 260 are those of arithmetic alone
    devices::for_each([&](const auto& d) {
        CAPTURE(d.name);
        const any_device any(d);
        CHECK(predict(default_model_name(any), any, k));
    });
}

TEST_CASE("each model names what a device lacks") {
    for (const std::string_view name : model_names) {
        CAPTURE(name);
        CHECK(predict(name, any_device{}, kernel).error().code == errc::missing);
    }
    using namespace parameters;
    const runtime_device<double, chip, warp, cores, load_store, residency> two_units(
        devices::tesla_m2090{});
    const auto p = predict("makespan", any_device(two_units), kernel);
    const auto e = makespan_model{two_units}.predict(kernel);
    REQUIRE(p);
    REQUIRE(e);
    CHECK(p->seconds == e->seconds);
    CHECK(p->assumed.contains(assumption::two_unit_types));
}

TEST_CASE("the default model of a device that lacks a part of what another reads is the roofline") {
    using namespace parameters;
    const auto all = all_groups_of_gtx_260();
    const runtime_device<double, chip, warp, dram_latency, issue> without_departures(all);
    const runtime_device<double, chip, warp, dram_latency, schedulers> without_caches(all);
    CHECK(default_model_name(any_device(without_departures)) == "roofline");
    CHECK(default_model_name(any_device(without_caches)) == "roofline");
}

}  // namespace predict_test
