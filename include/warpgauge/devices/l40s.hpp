// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_L40S_HPP
#define WARPGAUGE_DEVICES_L40S_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ada AD102 of 2023, compute capability 8.9.
struct l40s : ada_sm {
    static constexpr std::string_view name = "L40S";
    static constexpr std::array<std::string_view, 1> aliases{"NVIDIA L40S"};

    static constexpr double sm_count = 142;              // deviceQuery output
    static constexpr double clock_hz = 2.52e9;           // deviceQuery output
    static constexpr double dram_bytes_per_s = 864.1e9;  // deviceQuery output: 9001 MHz, 384 bit
    static constexpr double l2_bytes = 100663296;        // deviceQuery output
    // NVIDIA, L40S data sheet: 362.05 TFLOP/s, dense, at 2.49 GHz.
    static constexpr double tensor_fma_per_cycle = 512;

    // gpu-benches 1c36d50, latency.csv rows 317, 377, 502, of the L40: the same chip, SMs, L2 and memory.
    static constexpr double l1_latency_cycles = 36.2;
    static constexpr double l2_latency_cycles = 276.5;
    static constexpr double dram_latency_cycles = 631.9;  // with misses of the TLB

    static constexpr double board_power_w = 350;  // nvidia-smi output; NVIDIA, L40S data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
