// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpus.hpp"

#include <warpgauge/by_name/find_device.hpp>

#include "failure.hpp"
#include "text.hpp"

namespace program {

namespace {

// Table 1 of Cheng & Suda 2011 lists arithmetic and memory; the rest is taken as an addition.
warpgauge::any_device with_other_costs(warpgauge::any_device gpu) {
    if (!gpu.knows(warpgauge::device_group::computation_costs)) return gpu;
    const auto typed = gpu.as<warpgauge::parameters::computation_costs>();
    warpgauge::parameters::computation_costs<double> group = typed;
    group.costs.other_cycles = group.costs.arithmetic[0].int_register;
    gpu.complete(group);
    return gpu;
}

[[noreturn]] void refuse(const std::string& name, warpgauge::errc code) {
    std::vector<std::string> like;
    warpgauge::for_each_device_like(name, [&](std::string_view n) { like.emplace_back(n); });
    if (code == warpgauge::errc::ambiguous_name) {
        fail_usage("--device " + name + ": could be any of " + joined(like));
    }
    std::vector<std::string> known;
    warpgauge::for_each_device_name([&](std::string_view n) { known.emplace_back(n); });
    const std::string near = perhaps(name, known);
    fail_usage("--device " + name + ": no such GPU" +
               (near.empty() ? "; warpgauge devices lists all" : near));
}

}  // namespace

std::vector<warpgauge::any_device> all_gpus() {
    std::vector<warpgauge::any_device> all;
    warpgauge::for_each_device_name([&](std::string_view name) {
        if (const auto found = warpgauge::find_device(name))
            all.push_back(with_other_costs(*found));
    });
    return all;
}

warpgauge::any_device gpu_called(const std::string& name) {
    const auto found = warpgauge::find_device(name);
    if (!found) refuse(name, found.error().code);
    return with_other_costs(*found);
}

std::vector<warpgauge::any_device> gpus_called(const std::vector<std::string>& names) {
    std::vector<warpgauge::any_device> all;
    if (names.empty()) {
        return gpus_called({"GeForce RTX 2070 SUPER", "A100 SXM4 40GB", "H100 SXM5", "L40"});
    }
    for (const std::string& name : names) all.push_back(gpu_called(name));
    return all;
}

}  // namespace program
