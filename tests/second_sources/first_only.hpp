// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_SECOND_SOURCES_FIRST_ONLY_HPP
#define WARPGAUGE_TESTS_SECOND_SOURCES_FIRST_ONLY_HPP

#include <string_view>
#include <vector>

// Parameters of which we know one source, by the reason. A new parameter of a GPU is entered here or, better, in
// values.hpp.

namespace second_sources {

/// Parameters that follow from others of the GPU.
struct derived_parameter {
    std::string_view parameter;
    std::string_view gpus{};  ///< empty: of all
    std::string_view
        equals{};  ///< the parameter that it equals; empty: tests/devices/all_test.cpp has the check
};

inline constexpr std::string_view of_compute_units{
    "Instinct MI100; Radeon RX 6900 XT; Instinct MI250X, one die; Instinct MI210; Radeon RX 7900 "
    "XTX; Instinct MI300X"};

inline constexpr derived_parameter derived[]{
    {"issue_cycles"},
    {"memory_instruction_cycles"},
    {"shared_pass_cycles"},
    // A wave lives on one SIMD, of which the compute unit has so many register files; AMD has no smaller limit for a
    // work-group than what they hold.
    {"register_check_partitions", of_compute_units, "register_partitions"},
    {"max_registers_per_block", of_compute_units, "registers_per_sm"},
    // A warp takes 32 / 8 cycles of the lanes.
    {"average_cpi", "GeForce GTX 280", "issue_cycles"},
};

struct one_source {
    std::string_view parameter, gpus;
};

struct reason {
    std::string_view why;
    std::vector<one_source> parameters;
};

inline std::vector<reason> first_only() {
    return {
        {"no such GPU exists: its paper alone says what it would be",
         {{"sm_count", "Pascal, as projected"},
          {"clock_hz", "Pascal, as projected"},
          {"dram_bytes_per_s", "Pascal, as projected"},
          {"cuda_cores", "Pascal, as projected"},
          {"double_precision_units", "Pascal, as projected"},
          {"special_function_units", "Pascal, as projected"},
          {"load_store_units", "Pascal, as projected"},
          {"warp_schedulers", "Pascal, as projected"},
          {"issues_per_scheduler", "Pascal, as projected"},
          {"integer_latency_cycles", "Pascal, as projected"},
          {"single_precision_latency_cycles", "Pascal, as projected"},
          {"double_precision_latency_cycles", "Pascal, as projected"},
          {"special_function_latency_cycles", "Pascal, as projected"},
          {"shared_latency_cycles", "Pascal, as projected"},
          {"l1_latency_cycles", "Pascal, as projected"},
          {"l2_latency_cycles", "Pascal, as projected"},
          {"dram_latency_cycles", "Pascal, as projected"}}},
        {"a parameter of one model, measured or fitted by its authors",
         {{"coalesced_departure_cycles", "1.0; GeForce 8800 GT; GeForce GTX 280"},
          {"uncoalesced_departure_cycles", "1.0; GeForce 8800 GT; GeForce GTX 280"},
          {"cpd_a", "GeForce GTX 260"},
          {"cpd_b", "GeForce GTX 260"},
          {"cpd_c", "GeForce GTX 260"},
          {"cpd_d", "GeForce GTX 260"},
          {"uncontended_latency_cycles", "GeForce GTX 280"},
          {"coalesce_width", "GeForce GTX 280"},
          {"dram_pipeline_depth", "GeForce GTX 280"},
          {"global_sync_cycles", "GeForce GTX 280"},
          {"tiles_stay_local", "GeForce GTX 280"},
          {"traffic_overlap", "GeForce GTX 280"}}},
        {"measured by Chapuis et al. 2016 alone",
         {{"double_precision_latency_cycles", "Tesla M2090; 3.5"},
          {"special_function_latency_cycles", "Tesla M2090; 3.5"},
          {"l1_latency_cycles", "3.5"},
          {"l2_latency_cycles", "Tesla M2090; 3.5"},
          {"dram_latency_cycles", "Tesla M2090; 3.5"}}},
        {"measured for KLARAPTOR alone",
         {{"coalesced_departure_cycles", "GeForce GTX 1080 Ti; GeForce RTX 2070 SUPER"},
          {"uncoalesced_departure_cycles", "GeForce GTX 1080 Ti; GeForce RTX 2070 SUPER"}}},
        {"measured by Jia et al. 2019 alone",
         {{"special_function_latency_cycles", "Tesla P100 PCIe 16GB"},
          {"shared_latency_cycles", "Tesla P100 PCIe 16GB"},
          {"l1_latency_cycles", "Tesla P100 PCIe 16GB"},
          {"l2_latency_cycles", "Tesla P100 PCIe 16GB"},
          {"dram_read_fraction", "Tesla P4"}}},
        {"measured by MT4G alone",
         {{"shared_latency_cycles", "Instinct MI100; Instinct MI210; Instinct MI300X"},
          {"l1_latency_cycles", "Instinct MI100; Instinct MI300X"},
          {"l2_latency_cycles", "Instinct MI100; Instinct MI300X"},
          {"dram_latency_cycles", "Instinct MI100; Instinct MI300X"},
          {"l2_bytes_per_cycle", "GeForce RTX 2080 Ti; Instinct MI300X"},
          {"dram_write_fraction", "Instinct MI300X"}}},
        {"measured by gpu-benches alone",
         {{"l1_latency_cycles", "Radeon RX 6900 XT"},
          {"l2_latency_cycles", "Radeon RX 6900 XT"},
          {"l1_bytes_per_cycle", "Instinct MI100; Instinct MI210"},
          {"l2_bytes_per_cycle", "A40"},
          {"dram_read_fraction", "Radeon RX 6900 XT; H100 PCIe; H200"},
          {"dram_write_fraction", "Radeon RX 6900 XT; H100 PCIe"},
          {"launch_overhead_s", "A40; A100 PCIe 80GB; L40; H200"}}},
        {"measured by gpu-micro-bench alone", {{"dram_read_fraction", "GeForce RTX 3090"}}},
        {"measured by Luo et al. 2024 alone", {{"dram_read_fraction", "GeForce RTX 4090"}}},
        {"measured by AI_kernels alone",
         {{"l1_latency_cycles", "B200; GeForce RTX 5080"},
          {"l2_latency_cycles", "B200"},
          {"dram_latency_cycles", "B200"}}},
        {"measured by the users of Accel-Sim alone",
         {{"load_store_units", "Jetson AGX Orin 64GB"},
          {"double_precision_latency_cycles", "Jetson AGX Orin 64GB"},
          {"special_function_latency_cycles", "Jetson AGX Orin 64GB"},
          {"shared_latency_cycles", "Jetson AGX Orin 64GB"},
          {"l1_latency_cycles", "Jetson AGX Orin 64GB"},
          {"l2_latency_cycles", "Jetson AGX Orin 64GB"},
          {"dram_latency_cycles", "Jetson AGX Orin 64GB"},
          {"l1_bytes_per_cycle", "Jetson AGX Orin 64GB"},
          {"l2_bytes_per_cycle", "Jetson AGX Orin 64GB"}}},
        {"fitted to the operations that NeuSight measured",
         {{"dram_mixed_fraction", "Tesla P4"}, {"sustained_clock_hz", "Tesla T4; A100 PCIe 40GB"}}},
        {"not measured: the configuration of one simulator",
         {{"special_function_latency_cycles", "8.6; 9.0; 12.0"},
          {"shared_latency_cycles", "12.0"},
          {"load_store_units", "12.0"}}},
        {"not documented: what one compiler, ptxas or LLVM, goes by",
         {{"branch_cycles", "7.5; 8.6; 9.0; 8.9"},
          {"integer_latency_cycles", "B200"},
          {"single_precision_latency_cycles", "B200"},
          {"double_precision_latency_cycles", "B200"},
          {"max_blocks_per_sm", of_compute_units}}},
        {"not documented: the vendor's occupancy calculator alone",
         {{"register_unit", "B200; 12.0"},
          {"register_check_partitions", "B200; 12.0"},
          {"shared_unit_bytes", "B200; 12.0"}}},
        {"0, as no document has such a reserve",
         {{"reserved_shared_bytes_per_block",
           "1.0; GeForce 8800 GT; 1.3; Tesla M2090; 3.5; Radeon RX 6900 XT; Radeon RX 7900 XTX"}}},
        {"counted on one GPU of the instruction set, measured on another",
         {{"integer_products_per_cycle", "Tesla P100 PCIe 16GB; 6.1"}}},
        {"one document of the vendor, or one that retells it",
         {{"integer_adds_per_cycle", "3.5; 12.0"},
          {"integer_logic_per_cycle", "3.5; 12.0"},
          {"integer_products_per_cycle", "Tesla M2090; GeForce RTX 5090"},
          {"shifts_per_cycle", "Tesla M2090; 3.5; Tesla P100 PCIe 16GB; 6.1; 9.0; 12.0"},
          {"bit_counts_per_cycle",
           "Tesla M2090; 3.5; Tesla P100 PCIe 16GB; 6.1; 7.0; 7.5; 8.0; 8.6; 8.9; 9.0; 12.0"},
          {"comparisons_per_cycle", "3.5; Tesla P100 PCIe 16GB; 6.1; 8.6; 8.9; 9.0"},
          {"conversions_per_cycle",
           "Tesla M2090; 3.5; Tesla P100 PCIe 16GB; 6.1; 7.0; 7.5; 8.0; 8.6; 8.9; 9.0"},
          {"wide_conversions_per_cycle",
           "Tesla M2090; 3.5; Tesla P100 PCIe 16GB; 6.1; 7.0; 7.5; 8.0; 8.6; 8.9; 9.0; B200; 12.0"},
          {"load_store_units", "B200"},
          {"shared_bytes_per_cycle", "B200"},
          {"issues_per_scheduler", "Radeon RX 6900 XT; Radeon RX 7900 XTX"},
          {"l2_bytes", "GeForce RTX 5080"},
          {"board_power_w", "Instinct MI210; Jetson AGX Orin 64GB"}}},
    };
}

}  // namespace second_sources

#endif
