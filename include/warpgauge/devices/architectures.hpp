// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_ARCHITECTURES_HPP
#define WARPGAUGE_DEVICES_ARCHITECTURES_HPP

#include <warpgauge/device/cu_limits.hpp>
#include <warpgauge/device/sm_limits.hpp>

/// \file Bases of device traits: the parameters that follow from a compute capability or a chip.
///
/// Lanes, schedulers and sizes: NVIDIA, CUDA C++ Programming Guide, "Arithmetic Instructions" and "Compute
/// Capabilities"; load/store lanes: the figure of the SM in the architecture's white paper; multiply-adds of the
/// tensor cores: the white paper. Other sources are beside the number. A base lacks what no source gives.
///
/// Pipes. A memory instruction takes as many cycles as 32 threads on the load/store lanes of the SM. A pass of shared
/// memory: 128 B at the rate of the white paper; that of GA102 has 64 B a cycle of Turing, 128 of its own. Branches: the
/// stall counts (Jia et al. 2018, ch. 2, have their place in an instruction) that ptxas 13.0 gives a comparison and the
/// branch that reads it, one behind the other: 12 and 5 for 7.5; 13 and 5 for 8.0, 8.6, 8.9 and 9.0.
///
/// Rates of classes of instructions: NVIDIA, CUDA C++ Programming Guide, tbl. "Throughput of Native Arithmetic
/// Instructions": up to 7.5 of version 10.2, from 8.0 on of version 12.
///
/// Latencies of arithmetic that no paper has: the stall counts that ptxas 13.0 gives FFMA, IMAD, IADD3 and LOP3 where
/// each needs the one before it, 4 for 7.5 to 12.0, and so DFMA for 9.0 and 10.0, 8. They are what was measured on 7.5,
/// 8.0, 8.7 and 9.0. For other capabilities a scoreboard stands for double precision, and stall counts say nothing.

namespace WARPGAUGE_NAMESPACE::devices {

/// What SMs of compute capability 7.0 and later have in common.
template <int Major, int Minor>
struct sm_of_four_partitions : sm_limits_of<Major, Minor> {
    static constexpr double special_function_units = 16;
    static constexpr double warp_schedulers = 4;
    static constexpr double issues_per_scheduler = 1;
    // "Four processing blocks", each with a scheduler, a register file and lanes of its own: NVIDIA, white papers of the
    // V100, Turing, A100, GA102, Ada, H100 and Blackwell GPUs.
    static constexpr double sub_cores = 4;
    static constexpr double shared_bytes_per_cycle = 128;  // 32 banks of 4 B
    static constexpr double dram_transaction_bytes = 32;   // a sector
};

/// What the table has for all of 7.0, 7.5, 8.0, 8.6, 8.9 and 9.0.
struct rates_of_four_partitions {
    static constexpr double integer_products_per_cycle = 64;
    static constexpr double shifts_per_cycle = 64;
    static constexpr double bit_counts_per_cycle = 16;
    static constexpr double comparisons_per_cycle = 64;
    static constexpr double conversions_per_cycle = 16;
};

/// Pascal, compute capability 6.0: GP100. L1 (24 KiB) is apart from shared memory.
struct gp100_sm : sm_limits_of<6, 0> {
    static constexpr double cuda_cores = 64;
    static constexpr double double_precision_units = 32;
    static constexpr double special_function_units = 16;
    static constexpr double load_store_units = 16;  // and Jia et al. 2019, tbl. 3.1
    static constexpr double warp_schedulers = 2;
    static constexpr double issues_per_scheduler = 2;      // Pascal white paper: dual issue
    static constexpr double shared_bytes_per_cycle = 128;  // 32 banks of 4 B
    static constexpr double dram_transaction_bytes = 32;   // a sector; Jia et al. 2019, tbl. 3.1

    // The table: "multiple instructions". They are three XMAD (NVIDIA developer forum, "XMAD meaning", on a Titan X), at the
    // rate of FFMA ("Maxwell integer mul/mad instruction counts": measured on 5.0).
    static constexpr double integer_products_per_cycle = cuda_cores / 3;
    static constexpr double shifts_per_cycle = 32;
    static constexpr double bit_counts_per_cycle = 16;  // bit reversals: 32
    static constexpr double comparisons_per_cycle = 32;
    static constexpr double conversions_per_cycle = 16;
    static constexpr double wide_conversions_per_cycle = 16;

    // Jia et al. 2019, tbl. 4.1, Pascal.
    static constexpr double integer_latency_cycles = 6;
    static constexpr double single_precision_latency_cycles = 6;
    static constexpr double double_precision_latency_cycles = 8;
    static constexpr double special_function_latency_cycles = 14;  // MUFU, about
};

/// Pascal, compute capability 6.1: GP102 and GP104. L1 (48 KiB) is apart from shared memory. Sources have 16 or 32
/// load/store lanes, as they count an SM or half of one, so that the number is left out.
struct gp10x_sm : sm_limits_of<6, 1> {
    static constexpr double cuda_cores = 128;
    static constexpr double double_precision_units = 4;
    static constexpr double special_function_units = 32;
    static constexpr double warp_schedulers = 4;
    static constexpr double issues_per_scheduler = 2;      // Pascal white paper: dual issue
    static constexpr double shared_bytes_per_cycle = 128;  // 32 banks of 4 B
    static constexpr double dram_transaction_bytes = 32;   // a sector; Jia et al. 2019, tbl. 3.1

    static constexpr double integer_products_per_cycle = cuda_cores / 3;  // as for 6.0
    static constexpr double shifts_per_cycle = 64;
    static constexpr double bit_counts_per_cycle = 32;  // bit reversals: 64
    static constexpr double comparisons_per_cycle = 64;
    static constexpr double conversions_per_cycle = 32;
    static constexpr double wide_conversions_per_cycle = 4;

    // Jia et al. 2019, tbl. 4.1, Pascal.
    static constexpr double integer_latency_cycles = 6;
    static constexpr double single_precision_latency_cycles = 6;
    static constexpr double double_precision_latency_cycles = 8;
    static constexpr double special_function_latency_cycles = 14;  // MUFU, about
};

/// Volta, compute capability 7.0: GV100.
struct volta_sm : sm_of_four_partitions<7, 0>, rates_of_four_partitions {
    static constexpr double cuda_cores = 64;
    static constexpr double integer_units = 64;
    static constexpr double wide_conversions_per_cycle = 16;
    static constexpr double double_precision_units = 32;
    static constexpr double load_store_units = 32;
    static constexpr double l1_bytes_per_sm = 131072;
    static constexpr double tensor_fma_per_cycle = 512;

    // Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking".
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;
    static constexpr double double_precision_latency_cycles = 8;
    // Arafa et al. 2019, rcp.approx.f32 on a GV100: more than the bare instruction, for which Jia et al. 2019,
    // tbl. 4.1, have 14.
    static constexpr double special_function_latency_cycles = 23;
};

/// The chip of every V100.
struct v100_chip : volta_sm {
    static constexpr double sm_count = 80;       // NVIDIA, Tesla V100 architecture white paper
    static constexpr double l2_bytes = 6291456;  // deviceQuery output; OpenXLA target_config, v100
    // gpu-benches 1c36d50, l1_bandwidth.csv row 565, at 1.38 GHz.
    static constexpr double l1_bytes_per_cycle = 13893.0e9 / (80 * 1.38e9);
};

/// Turing, compute capability 7.5.
struct turing_sm : sm_of_four_partitions<7, 5>, rates_of_four_partitions {
    static constexpr double cuda_cores = 64;
    static constexpr double integer_units = 64;
    static constexpr double wide_conversions_per_cycle = 2;
    static constexpr double double_precision_units = 2;
    static constexpr double load_store_units = 16;  // Jia et al. 2019, tbl. 3.1
    static constexpr double memory_instruction_cycles = 2, shared_pass_cycles = 2;
    static constexpr double branch_cycles = 17;
    static constexpr double l1_bytes_per_sm = 98304;
    // Jia et al. 2019, tbl. 3.1, "theoretical": half of what 32 banks hold. Measured: 57.6.
    static constexpr double shared_bytes_per_cycle = 64;
    // No measurement: NVIDIA, GA102 white paper, 116 GB/s of an SM of the RTX 2080 SUPER at its 1.815 GHz.
    static constexpr double l1_bytes_per_cycle = 64;
    // Added up in half precision; on GeForce boards half as many in single.
    static constexpr double tensor_fma_per_cycle = 512;

    // Jia et al. 2019, "Dissecting the NVidia Turing T4 GPU via Microbenchmarking", tbl. 4.1, on a T4.
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;
    static constexpr double double_precision_latency_cycles = 48;  // add and multiply; FMA: 54
    static constexpr double special_function_latency_cycles = 15;  // MUFU, about
    // Sun et al. 2023, "Dissecting Tensor Cores via Microbenchmarks: Latency, Throughput and Numeric Behaviors", tbl. 5,
    // mma.m16n8k8 on an RTX 2080 Ti.
    static constexpr double tensor_latency_cycles = 17.3;
    // Tbl. 3.1, measured on the T4; gpu-arch-microbenchmark (sjfeng1999) has 23 and 32 on an RTX 2070.
    static constexpr double shared_latency_cycles = 19;
    static constexpr double l1_latency_cycles = 32;
};

/// The chip of the T4 and of the RTX 2070 SUPER, with 40 of its 48 SMs.
struct tu104_chip : turing_sm {
    static constexpr double sm_count = 40;  // deviceQuery output of both
    static constexpr double l2_bytes =
        4194304;  // deviceQuery output of both; Jia et al. 2019, tbl. 3.1
    static constexpr double l2_latency_cycles = 188;  // Jia et al. 2019, tbl. 3.1, on the T4
};

/// Ampere, compute capability 8.0: GA100.
struct ga100_sm : sm_of_four_partitions<8, 0>, rates_of_four_partitions {
    static constexpr double cuda_cores = 64;
    static constexpr double integer_units = 64;
    static constexpr double wide_conversions_per_cycle = 16;
    static constexpr double double_precision_units = 32;
    static constexpr double load_store_units = 32;
    static constexpr double memory_instruction_cycles = 1, shared_pass_cycles = 1;
    static constexpr double branch_cycles = 18;
    static constexpr double l1_bytes_per_sm = 196608;
    static constexpr double tensor_fma_per_cycle = 1024;

    // Abdelkhalik et al. 2022, "Demystifying the Nvidia Ampere Architecture through Microbenchmarking and
    // Instruction-level Analysis", on an A100.
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;
    // No measurement: the configuration of the A100 in Accel-Sim (Khairy et al. 2020). That of PPT-GPU has 4 and 23.
    static constexpr double double_precision_latency_cycles = 6;
    static constexpr double special_function_latency_cycles = 23;
    // Sun et al. 2023, "Dissecting Tensor Cores via Microbenchmarks: Latency, Throughput and Numeric Behaviors", tbl. 3:
    // mma.m16n8k16, halves added up in single precision; m16n8k8 17.7. Luo et al. 2024, tbl. VII, have 24.6.
    static constexpr double tensor_latency_cycles = 24.7;
    // Luo et al. 2024, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking",
    // tbl. IV, on the PCIe board with 40 GB. Abdelkhalik et al. 2022 have 23.
    static constexpr double shared_latency_cycles = 29.0;
};

/// The chip of every A100, at the clock of every A100.
struct a100_chip : ga100_sm {
    static constexpr double sm_count = 108;       // NVIDIA, A100 architecture white paper
    static constexpr double clock_hz = 1.41e9;    // boost
    static constexpr double l2_bytes = 41943040;  // OpenXLA target_config, a100_sxm_40 and _80
    // gpu-benches 1c36d50, "A100 80GB", l1_bandwidth.csv row 12, l2_bandwidth.csv row 26. Luo et al. 2024 have 99.5
    // and 17.2 on the PCIe board with 40 GB.
    static constexpr double l1_bytes_per_cycle = 18978.6e9 / (sm_count * clock_hz);
    static constexpr double l2_bytes_per_cycle = 5435.9e9 / (sm_count * clock_hz);
};

/// Ampere, compute capability 8.6: GA102 and GA104.
struct ga10x_sm : sm_of_four_partitions<8, 6>, rates_of_four_partitions {
    static constexpr double cuda_cores = 128;
    static constexpr double integer_units = 64;
    static constexpr double wide_conversions_per_cycle = 2;
    static constexpr double double_precision_units = 2;
    static constexpr double load_store_units = 16;
    // Two passes in the time of one instruction: a conflict of two lanes costs nothing.
    static constexpr double memory_instruction_cycles = 2, shared_pass_cycles = 1;
    static constexpr double branch_cycles = 18;
    static constexpr double l1_bytes_per_sm = 131072;
    // Added up in half precision; on GeForce boards half as many in single.
    static constexpr double tensor_fma_per_cycle = 512;
    // gpu-benches 1c36d50, A40, l1_bandwidth.csv row 97, 84 SMs at 1.74 GHz. The white paper has 128.
    static constexpr double l1_bytes_per_cycle = 9351.9e9 / (84 * 1.74e9);

    // Stall counts, above; gpu-micro-bench (arabel1a) 2f18022 has 2.47 and 2.23 ns on an RTX 3090.
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;
    // No measurement: the configuration of the RTX 3070 in Accel-Sim (Khairy et al. 2020), found by its
    // micro-benchmarks. Its 64 for double precision is no latency, but the time that the lanes take, which is longer.
    static constexpr double special_function_latency_cycles = 21;
    // Huerta et al. 2025, "Dissecting and Modeling the Architecture of Modern GPU Cores", tbl. 2: loads of 32 bits with
    // an address in regular registers.
    static constexpr double shared_latency_cycles = 24;
    static constexpr double l1_latency_cycles = 32;
};

/// Ampere, compute capability 8.7: GA10B.
struct ga10b_sm : sm_of_four_partitions<8, 7> {
    static constexpr double cuda_cores = 128;
    static constexpr double integer_units = 64;
    static constexpr double double_precision_units = 2;
    static constexpr double l1_bytes_per_sm = 196608;

    // Accel-Sim's micro-benchmarks on a Jetson AGX Orin (sun-lingyu/accel-sim-framework 071533a, stats.txt; Huang et al.
    // 2025, "Repurpose Accel-Sim for Next Generation NVIDIA Jetson GPU Architectural Design", rests on them).
    // 127.9 B of shared memory in a cycle, by loads of 4 B.
    static constexpr double load_store_units = 32;
    static constexpr double l1_bytes_per_cycle = 114.963;
    static constexpr double integer_latency_cycles = 4;           // 4.2
    static constexpr double single_precision_latency_cycles = 4;  // 4.08
    static constexpr double double_precision_latency_cycles = 55;
    static constexpr double special_function_latency_cycles = 23.2;  // square root
    static constexpr double shared_latency_cycles = 29.0;
    static constexpr double l1_latency_cycles = 38.0;
};

/// Ada, compute capability 8.9.
struct ada_sm : sm_of_four_partitions<8, 9>, rates_of_four_partitions {
    static constexpr double cuda_cores = 128;
    static constexpr double integer_units = 64;
    static constexpr double wide_conversions_per_cycle = 2;
    static constexpr double double_precision_units = 2;
    static constexpr double load_store_units = 16;
    static constexpr double memory_instruction_cycles = 2, shared_pass_cycles = 1;
    static constexpr double branch_cycles = 18;
    static constexpr double l1_bytes_per_sm = 131072;

    // Stall counts, above.
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;
    // Steinmarder (Oichkatzelesfrettschen), measured on an RTX 4070 Ti: DADD (DFMA has 54.48) and MUFU.EX2 (MUFU.SIN
    // has 23.51, the others about 40, with what their chains add).
    static constexpr double double_precision_latency_cycles = 48.47;
    static constexpr double special_function_latency_cycles = 17.56;
    // Luo et al. 2024, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking", tbl. IV,
    // on an RTX 4090.
    static constexpr double shared_latency_cycles = 30.1;
    static constexpr double l1_latency_cycles = 43.4;
    static constexpr double tensor_latency_cycles = 24.6;  // the same, tbl. VII, mma.m16n8k16
};

/// Hopper, compute capability 9.0: GH100.
struct hopper_sm : sm_of_four_partitions<9, 0>, rates_of_four_partitions {
    static constexpr double cuda_cores = 128;
    static constexpr double integer_units = 64;
    static constexpr double wide_conversions_per_cycle = 16;
    static constexpr double double_precision_units = 64;
    static constexpr double load_store_units = 32;
    static constexpr double memory_instruction_cycles = 1, shared_pass_cycles = 1;
    static constexpr double branch_cycles = 18;
    static constexpr double l1_bytes_per_sm = 262144;
    static constexpr double tensor_fma_per_cycle = 2048;
    // gpu-benches 1c36d50, H100 PCIe, l1_bandwidth.csv row 169, 114 SMs at 1.755 GHz.
    static constexpr double l1_bytes_per_cycle = 25244.1e9 / (114 * 1.755e9);

    // Jarmusch et al. 2025, tbl. III, on the H100 PCIe: 4, 4 and 8.04.
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;
    static constexpr double double_precision_latency_cycles = 8;
    // No measurement in any paper known to us: the configuration of the H100 in Accel-Sim (Khairy et al. 2020).
    static constexpr double special_function_latency_cycles = 23;
    // Luo et al. 2024, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking",
    // tbl. IV, on the PCIe board of the H800. The MT4G tool of TU Munich has 29.9 and 38 on the H100 SXM5.
    static constexpr double shared_latency_cycles = 29.0;
    static constexpr double l1_latency_cycles = 40.7;
    // The same, tbl. VII, mma.m16n8k16. A wgmma of m64n256k16 has 128 (tbl. VIII), the time of its multiply-adds.
    static constexpr double tensor_latency_cycles = 24.1;
};

/// Blackwell, compute capability 10.0: GB100.
struct blackwell_sm : sm_of_four_partitions<10, 0> {
    static constexpr double cuda_cores = 128;
    static constexpr double integer_units = 64;
    static constexpr double wide_conversions_per_cycle = 16;
    static constexpr double double_precision_units = 64;
    // Cornell Virtual Workshop (Center for Advanced Computing), "Inside a Blackwell B200 SM".
    static constexpr double load_store_units = 32;
    static constexpr double l1_bytes_per_sm = 262144;
    static constexpr double tensor_fma_per_cycle = 4096;  // OpenXLA target_config, b200

    // Stall counts, above.
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;
    static constexpr double double_precision_latency_cycles = 8;
};

/// Blackwell, compute capability 12.0: GB202 and GB203. Its CUDA cores do integer work too.
struct rtx_blackwell_sm : sm_of_four_partitions<12, 0> {
    static constexpr double cuda_cores = 128;
    // NVIDIA, CUDA C++ Best Practices Guide 13.4, sec. 12.1.1. It has several rates of conversions of up to 32 bits.
    static constexpr double integer_adds_per_cycle = 128;
    static constexpr double integer_logic_per_cycle = 64;
    static constexpr double integer_products_per_cycle = 64;
    static constexpr double shifts_per_cycle = 64;
    static constexpr double bit_counts_per_cycle = 16;
    static constexpr double wide_conversions_per_cycle = 2;
    static constexpr double double_precision_units = 2;
    static constexpr double l1_bytes_per_sm = 131072;
    // Added up in half precision; on GeForce boards half as many in single.
    static constexpr double tensor_fma_per_cycle = 512;

    // Stall counts, above.
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;
    // No measurement: the configuration of the RTX 5070 Ti in the simulator of Huerta et al. 2025, which has a memory
    // instruction of a warp in two cycles and shared memory as 8.6 has it.
    static constexpr double load_store_units = 16;
    static constexpr double special_function_latency_cycles = 21;
    static constexpr double shared_latency_cycles = 24;
    // sass-king (florianmattana), 13e: a chain of mma.m16n8k16, halves added up in single precision.
    static constexpr double tensor_latency_cycles = 35;
    // AI_kernels (markdewing), latency, on an RTX 5090 and on an RTX PRO 6000: pointer chase.
    static constexpr double l1_latency_cycles = 44;
};

/// AMD's CDNA: a compute unit counts as an SM, a wave as a warp, LDS as shared memory.
template <amd_processor Processor>
struct cdna_cu : cu_limits_of<Processor, 64> {
    static constexpr double cuda_cores = 64;  // AMD, CDNA white papers; without packed operations
    // AMD ROCm documentation, pipeline descriptions: four SIMDs of 16 lanes, each with a wave of 64 for four cycles.
    // Scalar instructions issue beside them.
    static constexpr double issue_cycles = 1;
};

/// AMD's RDNA 2 and 3, in waves of 32 (64 is possible), a compute unit of its own: what AMD calls CU mode.
template <amd_processor Processor>
struct rdna_cu : cu_limits_of<Processor, 32> {
    static constexpr double cuda_cores = 64;  // two SIMDs of 32 lanes; without dual issue
    // AMD, RDNA white paper: each SIMD issues for a wave of 32 in each cycle.
    static constexpr double warp_schedulers = 2, issues_per_scheduler = 1;
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
