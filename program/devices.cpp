// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"
#include "gpus.hpp"
#include "models.hpp"
#include "text.hpp"

namespace program {

namespace {

std::string capability_of(const warpgauge::any_device& gpu) {
    const auto c = gpu.capability();
    return c == warpgauge::compute_capability{}
               ? ""
               : std::to_string(c.major) + "." + std::to_string(c.minor);
}

cell scaled_cell(const warpgauge::any_device& gpu, std::string_view parameter, double unit) {
    const auto x = gpu.get(parameter);
    return x ? cell{short_number(*x / unit), *x} : cell{};
}

answer list_of_devices() {
    answer a{.rows_key = "devices",
             .columns = {{"GPU", "gpu"},
                         {"capability", "compute_capability"},
                         {"SMs", "sm_count"},
                         {"clock, GHz", "clock_hz"},
                         {"DRAM, GB/s", "dram_bytes_per_s"},
                         {"L2, MiB", "l2_bytes"},
                         {"default model", "default_model"}}};
    for (const auto& gpu : all_gpus()) {
        a.rows.push_back(
            {text_cell(gpu.name()), text_cell(capability_of(gpu)), scaled_cell(gpu, "sm_count", 1),
             scaled_cell(gpu, "clock_hz", 1e9), scaled_cell(gpu, "dram_bytes_per_s", 1e9),
             scaled_cell(gpu, "l2_bytes", 1024.0 * 1024), text_cell(default_model(gpu))});
    }
    return a;
}

answer parameters_of(const warpgauge::any_device& gpu) {
    answer a{.before = std::string(gpu.name()) + "\n\n",
             .facts = {{"gpu", std::string(gpu.name())}},
             .rows_key = "parameters",
             .columns = {{"parameter", "name"},
                         {"meaning", "meaning"},
                         {"unit", "unit"},
                         {"value", "value"}},
             .left = 3};
    gpu.for_each_known([&](warpgauge::device_parameter p, double x) {
        const auto& row = info(p);
        a.rows.push_back({text_cell(row.name),
                          text_cell(row.meaning),
                          text_cell(row.unit),
                          {exact_number(x), x}});
    });
    return a;
}

}  // namespace

answer devices(const request& r) {
    return r.device.empty() ? list_of_devices() : parameters_of(gpu_called(r.device));
}

}  // namespace program
