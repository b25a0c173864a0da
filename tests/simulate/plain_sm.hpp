// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An SM of no GPU: two schedulers, and latencies that differ, so that a sum of them tells which they are.
#ifndef WARPGAUGE_TESTS_SIMULATE_PLAIN_SM_HPP
#define WARPGAUGE_TESTS_SIMULATE_PLAIN_SM_HPP

#include <array>

#include <warpgauge/simulate/sm_parameters.hpp>

/// Lanes: integer, single and double precision, special functions, load/store, tensor.
constexpr warpgauge::sm_parameters plain_sm(
    const std::array<double, warpgauge::sm_unit_count>& lanes) {
    return {.warp_size = 32,
            .warp_schedulers = 2,
            .issues_per_scheduler = 1,
            .lanes = lanes,
            .integer_latency_cycles = 5,
            .single_precision_latency_cycles = 7,
            .double_precision_latency_cycles = 11,
            .special_function_latency_cycles = 13,
            .tensor_latency_cycles = 23,
            .shared_latency_cycles = 17,
            .l1_latency_cycles = 19,
            .l2_latency_cycles = 101,
            .dram_latency_cycles = 400,
            .dram_bytes_per_cycle = 16,
            .dram_transaction_bytes = 32};
}

#endif
