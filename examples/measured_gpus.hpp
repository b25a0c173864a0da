// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_MEASURED_GPUS_HPP
#define WARPGAUGE_EXAMPLES_MEASURED_GPUS_HPP

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/by_name/find_device.hpp>
#include <warpgauge/device/sm_limits.hpp>

// The GPUs of the public measurements that `accuracy` reads: the library's, completed where no source has a figure.
//
// What a GPU lacks is that of its nearest relative with the figure; the clock counts as sustained where no other is
// known; and a launch takes next to nothing, since `measured_kernels.hpp` adds what the program that measured took.

/// A device with all groups that the saturation model reads, and no more.
struct measured_gpu : warpgauge::sm_limits {
    std::string_view name{};
    double sm_count{}, clock_hz{}, dram_bytes_per_s{}, sustained_clock_hz{};
    double cuda_cores{}, warp_schedulers{}, issues_per_scheduler{};
    double dram_transaction_bytes{};
    double memory_instruction_cycles{}, shared_pass_cycles{}, branch_cycles{}, l1_bytes_per_sm{};
    double l1_latency_cycles{}, l2_latency_cycles{}, dram_latency_cycles{};
    double l2_bytes{}, l1_bytes_per_cycle{}, l2_bytes_per_cycle{};
    double dram_read_fraction{}, dram_write_fraction{}, dram_mixed_fraction{};
    double launch_overhead_s{};
};

/// Of which GPU to take what is known of none like this.
constexpr std::string_view relative_of(warpgauge::compute_capability cc) {
    if (cc.major < 8) return "Tesla V100 PCIe";
    if (cc.major == 8) return cc.minor == 0 ? "A100 SXM4 40GB" : "L40";
    return "H100 PCIe";
}

struct fitted_value {
    std::string_view parameter;
    double value;
};

/// The library's GPU of that name, completed; the values in `fitted` come before its own.
inline measured_gpu measured(std::string_view name,
                             std::initializer_list<fitted_value> fitted = {}) {
    using namespace warpgauge;
    const auto own = find_device(name);
    if (!own) throw std::runtime_error(message(own.error()).c_str());
    const auto relative = find_device(relative_of(own->capability()));
    measured_gpu g;
    static_cast<sm_limits&>(g) = *limits_of(own->capability());
    g.name = own->name();
    for_each_parameter(g, [&](device_parameter p, double& value) {
        const std::string_view called = info(p).name;
        const auto known = own->get(called);
        const auto of_relative = relative->get(called);
        if (known) {
            value = *known;
        } else if (called == "sustained_clock_hz") {
            value = g.clock_hz;
        } else if (of_relative) {
            value = *of_relative;
        } else {
            value = 1;
        }
        for (const fitted_value& f : fitted) {
            if (f.parameter == called) value = f.value;
        }
    });
    g.launch_overhead_s = 1e-9;
    return g;
}

/// The GPU of the loop nests. "Fitted": to those of KLARAPTOR, with one set of constants for all launches.
inline measured_gpu measured_rtx_2070_super() {
    auto g =
        measured("GeForce RTX 2070 SUPER", {{"l2_latency_cycles", 257},
                                            {"dram_latency_cycles", 460},  // KLARAPTOR has 501
                                            {"l1_bytes_per_cycle", 128 / 2.33},  // white paper: 64
                                            {"l2_bytes_per_cycle", 27.4},
                                            {"dram_mixed_fraction", 0.75}});
    g.launch_overhead_s = 11.5e-6;  // of the program that measured, and its events
    return g;
}

/// The constants of the RTX 2070 SUPER, with this board's SMs, clock, DRAM, L2 and limits.
inline measured_gpu measured_gtx_1080_ti() {
    auto g = measured_rtx_2070_super();
    static_cast<warpgauge::sm_limits&>(g) = *warpgauge::limits_of({6, 1});
    const measured_gpu own = measured("GeForce GTX 1080 Ti");
    g.name = own.name;
    g.sm_count = own.sm_count;
    g.clock_hz = g.sustained_clock_hz = own.clock_hz;
    g.dram_bytes_per_s = own.dram_bytes_per_s;
    g.l2_bytes = own.l2_bytes;
    g.cuda_cores = own.cuda_cores;
    return g;
}

/// The GPU of a name in the measurements; of one that the library does not have, false.
inline bool find_measured_gpu(std::string_view name, measured_gpu& to) {
    // gpu-benches names no board; its clocks and bandwidths are those of the PCIe ones.
    if (name == "V100") name = "Tesla V100 PCIe";
    if (name == "A100 80GB") name = "A100 PCIe 80GB";
    if (name == "A100 40GB" || name == "NVIDIA A100-PCIE-40GB") {
        // Its own chase of pointers and streams; the library's are of a chase that no TLB misses.
        to = measured("A100 PCIe 40GB", {{"l2_latency_cycles", 213},
                                         {"dram_latency_cycles", 574},
                                         {"dram_read_fraction", 0.96},
                                         {"dram_write_fraction", 0.97}});
        return true;
    }
    const auto own = warpgauge::find_device(name);
    if (!own || !warpgauge::limits_of(own->capability())) return false;
    to = measured(name);
    return true;
}

#endif
