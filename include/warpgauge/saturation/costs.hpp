// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SATURATION_COSTS_HPP
#define WARPGAUGE_SATURATION_COSTS_HPP

#include <type_traits>

#include <warpgauge/core/min_and_sum.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/saturation/estimate.hpp>
#include <warpgauge/sm/hierarchy.hpp>

/// \file The costs on a device of each unit of a kernel's work, as factors.

namespace WARPGAUGE_NAMESPACE::detail::saturation {

/// The type of the costs on a device `D` for profiles of `Real`s: without slopes if the device has none.
template <scalar Real, class D>
using cost_of = std::conditional_t<
    std::is_arithmetic_v<std::remove_cvref_t<decltype(std::declval<const D&>().clock_hz)>>,
    core::plain<Real>, Real>;

/// Reciprocals of a device's rates. Absent parameters cost nothing; `has_<group><D>` says which these are, so that
/// nothing is computed for them.
template <scalar Cost, class D>
struct costs {
    Cost sm_count{};
    Cost warp_size{};
    Cost issue_cycles{};    ///< of an instruction of a warp alone, cycles
    Cost issue_fraction{};  ///< the fraction of the SM's issue slots that this takes
    Cost dram_latency_cycles{};
    Cost l2_latency_cycles{};
    Cost l1_latency_cycles{};
    Cost branch_cycles{};   ///< until the instruction after it
    Cost l1_bytes{};        ///< B of L1 and shared memory
    Cost fill_per_byte{};   ///< for a byte of the footprint: how much more re-reads miss L2
    Cost fp32_cycles{};     ///< of an SM for a lane operation, cycles
    Cost integer_cycles{};  ///< the same on integer units, if it has any
    Cost fp64_cycles{};
    Cost special_cycles{};
    Cost tensor_cycles{};
    Cost mem_inst_cycles{};  ///< for a memory instruction of a warp, at least
    Cost pass_cycles{};      ///< for a pass of shared memory
    Cost line_cycles{};      ///< for a line that L1 looks up
    Cost l2_byte_cycles{};   ///< for a byte between the SM and L2
    Cost transaction_bytes{};
    Cost dram_mixed_s{};  ///< for a byte of DRAM, by the direction of the traffic
    Cost dram_read_s{};
    Cost dram_write_s{};
    Cost cycle_s{};      ///< a cycle
    Cost block_s{};      ///< the launch of a block
    Cost broadcast_s{};  ///< a sector that all warps read
    Cost fp32_energy_s{};
    Cost l2_byte_energy_s{};
    Cost overhead_s{};  ///< the launch of the kernel
};

/// The costs on `d`.
template <scalar Cost, class D>
[[nodiscard, gnu::always_inline]] constexpr costs<Cost, D> costs_on(
    const D& d, const saturation_constants& constants) {
    using way = traffic_direction;
    const Cost pace = sustained_pace<Cost>(d);
    const auto issue = issue_rate_of<Cost>(d);
    costs<Cost, D> c;
    c.sm_count = Cost(d.sm_count);
    c.warp_size = Cost(d.warp_size);
    c.issue_cycles = issue.cycles_of_warp * pace;
    c.issue_fraction = issue.fraction_of_sm;
    c.dram_latency_cycles = Cost(d.dram_latency_cycles);
    c.l2_latency_cycles = l2_latency_of<Cost>(d);
    c.l1_latency_cycles = l1_latency_of<Cost>(d);
    if constexpr (has_l2_cache<D>) {
        c.fill_per_byte = Cost(1.0) / (Cost(d.l2_bytes) * Cost(constants.l2_filling.width));
    }
    if constexpr (has_cores<D>) c.fp32_cycles = pace / Cost(d.cuda_cores);
    if constexpr (has_integers<D>) c.integer_cycles = pace / Cost(d.integer_units);
    if constexpr (has_double_precision<D>) c.fp64_cycles = pace / Cost(d.double_precision_units);
    if constexpr (has_special_functions<D>) {
        c.special_cycles = pace / Cost(d.special_function_units);
    }
    if constexpr (has_tensor<D>) c.tensor_cycles = pace / Cost(d.tensor_fma_per_cycle);
    c.pass_cycles = pace;
    if constexpr (has_pipes<D>) {
        c.mem_inst_cycles = pace * Cost(d.memory_instruction_cycles);
        c.pass_cycles = pace * Cost(d.shared_pass_cycles);
        c.branch_cycles = pace * Cost(d.branch_cycles);
    }
    if constexpr (has_l1_cache<D>) c.l1_bytes = Cost(d.l1_bytes_per_sm);
    if constexpr (has_l1_bandwidth<D>) {
        c.line_cycles = pace * Cost(line_bytes) / Cost(d.l1_bytes_per_cycle);
    }
    if constexpr (has_l2_bandwidth<D>) c.l2_byte_cycles = Cost(1.0) / Cost(d.l2_bytes_per_cycle);
    c.transaction_bytes = transaction_bytes_of<Cost>(d);
    c.dram_mixed_s = seconds_per_dram_byte<way::mixed, Cost>(d);
    c.dram_read_s = seconds_per_dram_byte<way::read, Cost>(d);
    c.dram_write_s = seconds_per_dram_byte<way::write, Cost>(d);
    c.cycle_s = Cost(1.0) / Cost(d.clock_hz);
    c.block_s = Cost(constants.block_launch_cycles) * c.cycle_s;
    c.broadcast_s = Cost(constants.broadcast_cycles) * c.cycle_s;
    if constexpr (has_board_power<D> && has_operation_energy<D>) {
        const Cost joule_s =
            Cost(1e-12) / (Cost(constants.sustained_power_fraction) * Cost(d.board_power_w));
        c.fp32_energy_s = Cost(d.fp32_op_pj) * joule_s;
        c.l2_byte_energy_s = Cost(d.l2_byte_pj) * joule_s;
    }
    if constexpr (has_launch_overhead<D>) c.overhead_s = Cost(d.launch_overhead_s);
    return c;
}

}  // namespace WARPGAUGE_NAMESPACE::detail::saturation

#endif
