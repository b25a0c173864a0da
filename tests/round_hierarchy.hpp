// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No GPU, in round numbers, as the saturation model reads one.
#ifndef WARPGAUGE_TESTS_ROUND_HIERARCHY_HPP
#define WARPGAUGE_TESTS_ROUND_HIERARCHY_HPP

/// Units, caches, sustained rates and power: all but the chip, its warps and DRAM.
struct round_hierarchy {
    static constexpr double cuda_cores = 64, integer_units = 32, double_precision_units = 16;
    static constexpr double special_function_units = 16, tensor_fma_per_cycle = 512;
    static constexpr double memory_instruction_cycles = 2, shared_pass_cycles = 1.5;
    static constexpr double branch_cycles = 15, l1_bytes_per_sm = 65536;
    static constexpr double l1_latency_cycles = 30, l2_latency_cycles = 200, l2_bytes = 4e6;
    static constexpr double l1_bytes_per_cycle = 64, l2_bytes_per_cycle = 32;
    static constexpr double dram_read_fraction = 0.9, dram_write_fraction = 0.8;
    static constexpr double dram_mixed_fraction = 0.75, sustained_clock_hz = 0.8e9;
    static constexpr double launch_overhead_s = 2e-6, board_power_w = 200;
    static constexpr double fp32_op_pj = 20, l2_byte_pj = 90;
};

/// Round numbers: 10 SMs at 1 GHz, 100 GB/s; DRAM 400 cycles away.
struct round_gpu {
    static constexpr double sm_count = 10, clock_hz = 1e9, dram_bytes_per_s = 100e9;
    static constexpr double warp_size = 32, dram_latency_cycles = 400;
    static constexpr double warp_schedulers = 4, issues_per_scheduler = 1;
};

/// The same with all that the model reads.
struct whole_gpu : round_gpu, round_hierarchy {};

#endif
