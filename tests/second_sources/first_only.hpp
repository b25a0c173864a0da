// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_SECOND_SOURCES_FIRST_ONLY_HPP
#define WARPGAUGE_TESTS_SECOND_SOURCES_FIRST_ONLY_HPP

#include <string_view>

// Parameters of which we know one source. A new parameter of a GPU is entered here or, better, in values.hpp.

namespace second_sources {

/// They follow from other parameters of the GPU, which tests/devices/all_test.cpp checks.
inline constexpr std::string_view derived[]{"issue_cycles", "memory_instruction_cycles",
                                            "shared_pass_cycles"};

struct one_source {
    std::string_view parameter, gpus;
};

inline constexpr one_source first_only[]{
    {"sm_count", "Pascal, as projected; B200"},
    {"clock_hz", "Pascal, as projected"},
    {"dram_bytes_per_s", "Pascal, as projected; Jetson AGX Orin 64GB"},
    {"warp_size", "Instinct MI100; Radeon RX 7900 XTX"},
    {"max_threads_per_block", "Instinct MI100; Radeon RX 7900 XTX"},
    {"max_warps_per_sm", "Instinct MI100; Radeon RX 7900 XTX"},
    {"max_blocks_per_sm",
     "Instinct MI100; Radeon RX 6900 XT; Instinct MI250X, one die; Instinct MI210; Jetson AGX Orin "
     "64GB; Radeon RX 7900 XTX; Instinct MI300X"},
    {"registers_per_sm",
     "Instinct MI100; Radeon RX 6900 XT; Instinct MI250X, one die; Instinct MI210; Jetson AGX Orin "
     "64GB; Radeon RX 7900 XTX"},
    {"max_registers_per_block",
     "1.0; GeForce 8800 GT; 1.3; 6.1; Instinct MI100; Radeon RX 6900 XT; Instinct MI250X, one die; "
     "Instinct MI210; Radeon RX 7900 XTX"},
    {"max_registers_per_thread",
     "Instinct MI100; Radeon RX 6900 XT; Instinct MI250X, one die; Instinct MI210; Jetson AGX Orin "
     "64GB; Radeon RX 7900 XTX; Instinct MI300X"},
    {"register_unit",
     "Instinct MI100; Radeon RX 6900 XT; Instinct MI250X, one die; Instinct MI210; Jetson AGX Orin "
     "64GB; 9.0; 8.9; Radeon RX 7900 XTX; Instinct MI300X; B200; 12.0"},
    {"register_partitions",
     "1.0; GeForce 8800 GT; 1.3; Tesla M2090; 3.5; Pascal, as projected; Instinct MI100; Instinct "
     "MI250X, one die; Instinct MI210; Jetson AGX Orin 64GB; Radeon RX 7900 XTX; Instinct MI300X; "
     "B200"},
    {"register_check_partitions",
     "1.0; GeForce 8800 GT; 1.3; Instinct MI100; Radeon RX 6900 XT; Instinct MI250X, one die; "
     "Instinct MI210; Jetson AGX Orin 64GB; 9.0; 8.9; Radeon RX 7900 XTX; Instinct MI300X; B200; "
     "12.0"},
    {"shared_bytes_per_sm", "Instinct MI100; Radeon RX 7900 XTX"},
    {"max_shared_bytes_per_block",
     "1.0; GeForce 8800 GT; 1.3; Tesla M2090; 3.5; Instinct MI100; Jetson AGX Orin 64GB; Radeon RX "
     "7900 XTX"},
    {"shared_unit_bytes",
     "Instinct MI100; Radeon RX 6900 XT; Instinct MI250X, one die; Instinct MI210; Jetson AGX Orin "
     "64GB; 9.0; 8.9; Radeon RX 7900 XTX; Instinct MI300X; B200; 12.0"},
    {"reserved_shared_bytes_per_block",
     "1.0; GeForce 8800 GT; 1.3; Tesla M2090; 3.5; Instinct MI100; Radeon RX 6900 XT; Instinct "
     "MI250X, one die; Instinct MI210; Jetson AGX Orin 64GB; Radeon RX 7900 XTX; Instinct MI300X"},
    {"dram_latency_cycles",
     "1.0; GeForce 8800 GT; GeForce GTX 280; Tesla M2090; 3.5; Pascal, as projected; GeForce GTX "
     "1080 Ti; Instinct MI100; Jetson AGX Orin 64GB; Instinct MI300X; B200; GeForce RTX 5080"},
    {"coalesced_departure_cycles",
     "1.0; GeForce 8800 GT; GeForce GTX 280; GeForce GTX 1080 Ti; GeForce RTX 2070 SUPER"},
    {"uncoalesced_departure_cycles",
     "1.0; GeForce 8800 GT; GeForce GTX 280; GeForce GTX 1080 Ti; GeForce RTX 2070 SUPER"},
    {"dram_transaction_bytes", "Tesla M2090; 3.5"},
    {"cuda_cores", "Pascal, as projected"},
    {"load_store_units", "3.5; 6.0; 7.0; 8.0; 8.6; Jetson AGX Orin 64GB; 9.0; 8.9; B200; 12.0"},
    {"double_precision_units", "Pascal, as projected; 12.0"},
    {"special_function_units", "6.0; B200; 12.0"},
    {"warp_schedulers", "Pascal, as projected; Jetson AGX Orin 64GB; Radeon RX 7900 XTX; B200"},
    {"issues_per_scheduler",
     "6.0; Radeon RX 6900 XT; Jetson AGX Orin 64GB; Radeon RX 7900 XTX; B200; 12.0"},
    {"sub_cores", "Jetson AGX Orin 64GB; B200; 12.0"},
    {"branch_cycles", "7.5; 8.0; 8.6; 9.0; 8.9"},
    {"integer_latency_cycles", "Tesla M2090; 3.5; 6.0; Jetson AGX Orin 64GB; 8.9; B200; 12.0"},
    {"single_precision_latency_cycles",
     "Tesla M2090; 3.5; 6.0; Jetson AGX Orin 64GB; 8.9; B200; 12.0"},
    {"double_precision_latency_cycles", "Tesla M2090; 3.5; 6.0; Jetson AGX Orin 64GB; 8.9; B200"},
    {"special_function_latency_cycles",
     "Tesla M2090; 3.5; 6.0; 8.6; Jetson AGX Orin 64GB; 9.0; 8.9; 12.0"},
    {"tensor_latency_cycles", "9.0; 8.9; 12.0"},
    {"shared_latency_cycles",
     "Tesla M2090; 3.5; 6.0; Tesla P4; 7.0; Instinct MI100; Instinct MI210; Jetson AGX Orin 64GB; "
     "8.9; Instinct MI300X; 12.0"},
    {"l1_latency_cycles",
     "Tesla M2090; 3.5; 6.0; Tesla P4; Instinct MI100; Radeon RX 6900 XT; Jetson AGX Orin 64GB; "
     "Instinct MI300X; B200; GeForce RTX 5080"},
    {"l2_latency_cycles",
     "Tesla M2090; 3.5; 6.0; Tesla P4; Instinct MI100; Radeon RX 6900 XT; Jetson AGX Orin 64GB; "
     "Instinct MI300X; B200"},
    {"l1_bytes_per_sm", "Jetson AGX Orin 64GB"},
    {"l2_bytes", "GeForce RTX 5080"},
    {"shared_bytes_per_cycle", "Tesla P100 PCIe 16GB; Jetson AGX Orin 64GB; B200; 12.0"},
    {"l1_bytes_per_cycle", "7.0; 8.6; Instinct MI100; Instinct MI210; Jetson AGX Orin 64GB; 9.0"},
    {"l2_bytes_per_cycle",
     "Tesla V100 PCIe; GeForce RTX 2080 Ti; A40; Instinct MI100; Instinct MI210; Jetson AGX Orin "
     "64GB; H100 PCIe; H200; Instinct MI300X"},
    {"dram_read_fraction",
     "Tesla P100 PCIe 16GB; Tesla P4; Tesla V100 PCIe; Tesla T4; GeForce RTX 2080 Ti; GeForce RTX "
     "3090; Instinct MI100; Radeon RX 6900 XT; A100 PCIe 80GB; Instinct MI210; 9.0; GeForce RTX "
     "4090; L40; Instinct MI300X"},
    {"dram_write_fraction",
     "Tesla V100 PCIe; GeForce RTX 2080 Ti; A100 SXM4 40GB; Radeon RX 6900 XT; A100 PCIe 80GB; "
     "Instinct MI210; H100 SXM5; H100 PCIe; L40; Instinct MI300X"},
    {"dram_mixed_fraction",
     "Tesla P100 PCIe 16GB; Tesla P4; Tesla T4; Radeon RX 6900 XT; A100 PCIe 80GB; Instinct MI210; "
     "H100 PCIe; L40"},
    {"sustained_clock_hz", "Tesla T4; A100 PCIe 40GB"},
    {"board_power_w", "Instinct MI100; Instinct MI210; Jetson AGX Orin 64GB; Instinct MI300X"},
    {"launch_overhead_s", "A40; A100 PCIe 80GB; L40; H200"},
    {"tensor_fma_per_cycle", "GeForce RTX 4090; B200"},
    {"cpd_a", "GeForce GTX 260"},
    {"cpd_b", "GeForce GTX 260"},
    {"cpd_c", "GeForce GTX 260"},
    {"cpd_d", "GeForce GTX 260"},
    {"uncontended_latency_cycles", "GeForce GTX 280"},
    {"coalesce_width", "GeForce GTX 280"},
    {"dram_pipeline_depth", "GeForce GTX 280"},
    {"global_sync_cycles", "GeForce GTX 280"},
    {"average_cpi", "GeForce GTX 280"},
    {"tiles_stay_local", "GeForce GTX 280"},
    {"traffic_overlap", "GeForce GTX 280"},
};

}  // namespace second_sources

#endif
