// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel through every model on one GPU of today. What was never published of it is added by hand, and named.
#include <array>
#include <iostream>
#include <string>

#include <warpgauge/by_name.hpp>
#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/report/assumptions.hpp>
#include <warpgauge/report/table.hpp>

namespace {

using namespace warpgauge;

// A 5-point stencil on 2000 x 2000 floats, an element a thread: load the tile, compute, store.
constexpr std::array stream{
    instruction{.unit = unit_kind::integer, .op = operation::add},
    instruction{.unit = unit_kind::global_memory, .needs = {1}},
    instruction{.unit = unit_kind::shared_memory, .needs = {1}},
    instruction{.unit = unit_kind::barrier},
    instruction{.unit = unit_kind::shared_memory},
    instruction{.unit = unit_kind::single_precision, .op = operation::add, .needs = {1}},
    instruction{.unit = unit_kind::shared_memory},
    instruction{.unit = unit_kind::single_precision, .op = operation::add, .needs = {1, 2}},
    instruction{.unit = unit_kind::single_precision, .op = operation::mul, .needs = {1}},
    instruction{.unit = unit_kind::global_memory, .needs = {1}}};

kernel_profile<> jacobi() {
    kernel_profile<> k{.name = "Jacobi",
                       .blocks = 15625,
                       .threads_per_block = 256,
                       .registers_per_thread = 20,
                       .shared_bytes_per_block = 18 * 18 * 4,
                       .instructions = stream};
    k.stencil = {.dimensions = 2,
                 .data_length = {2000, 2000},
                 .halo_width = {2, 2},
                 .block_length = 16,
                 .stencil_arrays = 1,
                 .elements_per_op = 0,
                 .profiled_elements = 2000 * 2000,
                 .misc_insts_per_sm = 4 * 2000 * 2000 / 32 / 108,
                 .iter_insts_per_sm = 6 * 2000 * 2000 / 32 / 108};
    return *with_mix(k);
}

// Nobody has published what MWP/CWP, MPD/CPD and the trapezoid need of this GPU.
// region: completed
auto completed_a100() {
    const auto gpu = devices::a100_sxm4_40gb{};
    const auto issuing = with<parameters::issue>(gpu, {.issue_cycles = 0.25});  // four schedulers
    const auto departing = with<parameters::departures>(
        issuing, {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 2});
    // endregion
    instruction_costs costs{.load_store_cycles = gpu.dram_latency_cycles,
                            .other_cycles = gpu.shared_latency_cycles};
    costs.arithmetic.fill({4, 4, 4, 4});
    const auto computing = with<parameters::computation_costs>(
        departing, {.cpd_a = 3, .cpd_b = 11, .cpd_c = 0.5, .cpd_d = 80, .costs = costs});
    return with<parameters::stencil_timing>(computing,
                                            {.uncontended_latency_cycles = gpu.dram_latency_cycles,
                                             .coalesce_width = 32,
                                             .dram_pipeline_depth = 4,
                                             .global_sync_cycles = 3000,
                                             .average_cpi = 0.25});
}

}  // namespace

int main() {
    const any_device gpu(completed_a100());
    const auto kernel = jacobi();
    report::table t({"model", "time", "limited by", "assumed groups"});
    std::string granted;
    for (const std::string_view model :
         {"saturation", "roofline", "mwp_cwp", "mpd_cpd", "trapezoid", "makespan", "hybrid"}) {
        const auto p = predict(model, gpu, kernel);
        if (!p) {
            std::cerr << model << ": " << message(p.error()).view() << '\n';
            return 1;
        }
        t.add({std::string(model), report::duration(p->seconds), std::string(p->limited_by),
               report::groups_in_words(p->assumed_parameters)});
        const std::string words = report::in_words(p->assumed);
        if (!words.empty()) granted += std::string(model) + ": " + words + "\n";
    }
    std::cout << kernel.name << " on " << gpu.name() << "\n\n" << t << "\nAssumed:\n" << granted;
}
