// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_OF_DEVICE_HPP
#define WARPGAUGE_SIMULATE_SM_OF_DEVICE_HPP

#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/simulate/stream_traffic.hpp>
#include <warpgauge/sm/hierarchy.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file One SM of a device, for `simulate_sm` and `bound_sm`.

namespace WARPGAUGE_NAMESPACE {

/// A device whose SM can be simulated: it has the parameters that every stream needs. Those that only some streams need
/// may be unknown (`stream_groups`); a stream that needs an unknown one is an error that names it.
template <class D>
concept simulated_device =
    has_chip<D> && has_warp<D> && has_cores<D> && has_schedulers<D> && has_arithmetic_latency<D>;

/// The groups of such a device, for devices by name.
using simulated_groups = group_list<parameters::chip, parameters::warp, parameters::cores,
                                    parameters::schedulers, parameters::arithmetic_latency>;

/// Latencies that only some streams need, of units and of memories.
using stream_latencies =
    group_list<parameters::double_precision_latency, parameters::special_function_latency,
               parameters::tensor_latency, parameters::shared_latency, parameters::l1_latency,
               parameters::l2_latency, parameters::dram_latency>;

/// Groups that only some streams need: those, and lanes.
using stream_groups =
    decltype(group_list<parameters::double_precision, parameters::special_functions,
                        parameters::load_store, parameters::tensor>{} +
             stream_latencies{});

/// All groups that are read if a device has them.
using simulated_extras = decltype(
    stream_groups{} + instruction_rate_groups{} +
    group_list<parameters::architecture, parameters::integers, parameters::partitions,
               parameters::transaction_size, parameters::residency, parameters::l1_cache,
               parameters::l2_cache, parameters::shared_bandwidth, parameters::l1_bandwidth,
               parameters::l2_bandwidth, parameters::dram_read, parameters::dram_write,
               parameters::dram_mixed, parameters::sustained_clock>{});

namespace detail::simulate {

/// A copy of the known parameters of those groups. Unknown ones are 0.
template <class D, template <class> class... Groups>
constexpr partial_device<double, Groups...> known_of(const D& d, group_list<Groups...>) {
    return partial_device<double, Groups...>(d);
}
template <simulated_device D>
constexpr auto known_of(const D& d) {
    return known_of(d, simulated_groups{} + simulated_extras{});
}

/// The errors of a device or of what a profile says of its memory that `check_sm` cannot find in an SM's parameters, where rates are
/// per cycle, and a latency of 0 is not known.
template <simulated_device D>
[[nodiscard]] constexpr model_error check_simulated(const D& d, const kernel_profile<>& k) {
    const auto bad =
        core::check_inputs<double>({{static_cast<double>(d.clock_hz), "clock_hz"},
                                    {static_cast<double>(d.dram_bytes_per_s), "dram_bytes_per_s"}});
    if (bad) return bad;
    const auto wrong = check_known_parameters<double>(
        stream_latencies{} + group_list<parameters::sustained_clock, parameters::l2_cache>{}, d);
    return wrong ? wrong : check_traffic(d, k);
}

/// The bytes that the ports of an SM move in a cycle, as far as the device says. If L1 and shared memory are one
/// and its rate as L1 is not known, it is that of shared memory. An SM gets no more from L2 if it is alone.
template <class D>
constexpr void add_ports(sm_parameters& p, const D& d) {
    const auto known = known_of(d);
    p.shared_bytes_per_cycle = known.shared_bytes_per_cycle;
    p.l1_bytes_per_cycle = known.l1_bytes_per_cycle;
    if (!(p.l1_bytes_per_cycle > 0) && known.l1_bytes_per_sm > 0) {
        p.l1_bytes_per_cycle = p.shared_bytes_per_cycle;
    }
    p.l2_bytes_per_cycle = known.l2_bytes_per_cycle;
}

/// The rates of classes of instructions, as far as the device says.
template <class D>
constexpr instruction_rates rates_of(const D& d) {
    const auto known = known_of(d);
    return {.integer_adds = known.integer_adds_per_cycle,
            .integer_logic = known.integer_logic_per_cycle,
            .integer_products = known.integer_products_per_cycle,
            .shifts = known.shifts_per_cycle,
            .bit_counts = known.bit_counts_per_cycle,
            .comparisons = known.comparisons_per_cycle,
            .conversions = known.conversions_per_cycle,
            .wide_conversions = known.wide_conversions_per_cycle};
}

/// The fraction of its peak that DRAM sustains, in the direction of the traffic. If the profile does not give the
/// direction, it is that of loads and stores together; if that is not known, another known one; 1 if none is known.
template <class D>
constexpr double sustained_fraction(const D& d, const memory_traffic<>& t) {
    const auto known = known_of(d);
    const bool one_way = (t.dram_read_bytes > 0) != (t.dram_write_bytes > 0);
    const double of_way =
        t.dram_read_bytes > 0 ? known.dram_read_fraction : known.dram_write_fraction;
    const double mixed = known.dram_mixed_fraction;
    for (const double fraction :
         {one_way ? of_way : mixed, mixed, known.dram_read_fraction, known.dram_write_fraction}) {
        if (fraction > 0) return fraction;
    }
    return 1;
}

}  // namespace detail::simulate

/// B/cycle of an SM under load that one SM gets from DRAM if no other SM uses it: the rate of L2 for each SM while all
/// read it, or that of L1, or else a word of 4 B for each load/store lane; at least its part of the bandwidth.
template <simulated_device D>
[[nodiscard]] constexpr double max_dram_bytes_per_cycle(const D& d) {
    const auto known = detail::simulate::known_of(d);
    const double pace = sustained_pace<double>(d);
    const double part = pace * (known.dram_bytes_per_s / known.clock_hz / known.sm_count);
    const double of_l1 =
        known.l1_bytes_per_cycle > 0 ? known.l1_bytes_per_cycle : 4 * known.load_store_units;
    return core::max(part, known.l2_bytes_per_cycle > 0 ? pace * known.l2_bytes_per_cycle : of_l1);
}

/// One SM of a device as in the authors' hybrid simulation: memories move any number of bytes, and DRAM its
/// peak, of which the SM has an equal part. It has asynchronous copies from compute capability 8.0 on, and bulk
/// copies from 9.0 on (NVIDIA, CUDA C++ Programming Guide 13.0, sec. 10.28 and 10.29).
template <simulated_device D>
[[nodiscard]] constexpr sm_parameters published_sm_parameters_of(const D& d) {
    const auto known = detail::simulate::known_of(d);
    return {
        .warp_size = known.warp_size,
        .warp_schedulers = known.warp_schedulers,
        .issues_per_scheduler = known.issues_per_scheduler,
        .lanes = {known.integer_units, known.cuda_cores, known.double_precision_units,
                  known.special_function_units, known.load_store_units, known.tensor_fma_per_cycle},
        .integer_latency_cycles = known.integer_latency_cycles,
        .single_precision_latency_cycles = known.single_precision_latency_cycles,
        .double_precision_latency_cycles = known.double_precision_latency_cycles,
        .special_function_latency_cycles = known.special_function_latency_cycles,
        .tensor_latency_cycles = known.tensor_latency_cycles,
        .shared_latency_cycles = known.shared_latency_cycles,
        .l1_latency_cycles = known.l1_latency_cycles,
        .l2_latency_cycles = known.l2_latency_cycles,
        .dram_latency_cycles = known.dram_latency_cycles,
        .dram_bytes_per_cycle = known.dram_bytes_per_s / known.clock_hz / known.sm_count,
        .dram_transaction_bytes = known.dram_transaction_bytes,
        .barriers_wait_for_results = true,
        .ends_wait_for_stores = true,
        .async_copies = known.capability.major >= 8,
        .bulk_copies = known.capability.major >= 9};
}

namespace detail::simulate {

/// A time beyond the SM in cycles of one whose cycle takes `pace` of the device's; one that has a cycle keeps one.
constexpr double cycles_at_pace(double cycles, double pace) {
    return cycles >= 1 ? core::max(cycles / pace, 1.0) : cycles;
}

/// The SM in cycles of its clock under load. Memory beyond the SM and a block's turnaround take the same time as
/// at the device's clock, as in the saturation model.
template <class D>
constexpr sm_parameters under_load(sm_parameters p, const D& d) {
    const double pace = sustained_pace<double>(d);
    p.l2_latency_cycles = cycles_at_pace(p.l2_latency_cycles, pace);
    p.dram_latency_cycles = cycles_at_pace(p.dram_latency_cycles, pace);
    p.l2_bytes_per_cycle *= pace;
    p.dram_bytes_per_cycle *= pace;
    p.turnaround_cycles = core::ceil(p.turnaround_cycles / pace);
    return p;
}

}  // namespace detail::simulate

/// Cycles until a kernel's first instruction, in which its parameters are loaded from DRAM. It is 0 if that latency
/// is not known or not positive. `pace` is the number of the device's cycles in one of these, above 1 for an SM under
/// load (`sustained_pace`).
template <simulated_device D>
[[nodiscard]] constexpr std::uint64_t parameter_cycles(const D& d, double pace) {
    const double cycles = core::ceil(
        detail::simulate::cycles_at_pace(detail::simulate::known_of(d).dram_latency_cycles, pace));
    return cycles > 0 && cycles < 1e6 ? static_cast<std::uint64_t>(cycles) : 0;
}

namespace detail::simulate {

/// Cycles from the end of a block to the first instruction of the next one in its place: 400 in the saturation model,
/// with the computation of its first addresses (docs/hybrid.md).
inline constexpr double turnaround_cycles = 400;

/// Cycles of the device's clock in which a slice of L2 serves a load of one sector: 0.92 in the saturation model. A slice
/// has a port of 32 B a cycle in the configurations of Accel-Sim (Khairy et al. 2020), so that it would be 1.
inline constexpr double l2_slice_cycles = 0.92;

/// Cycles of `sustained_clock_of` in which one slice of L2 serves the loads by which all warps of a launch read the same
/// sector, one after the other; `beyond_l1`: the fraction of loads that L1 does not serve.
template <class D>
[[nodiscard]] constexpr double l2_slice_cycles_of(const D& d, const kernel_profile<>& k,
                                                  const whole_launch& launch, double beyond_l1) {
    const double warps =
        static_cast<double>(launch.blocks) * static_cast<double>(launch.warps_per_block);
    return warps * k.accesses.broadcast_loads * beyond_l1 * l2_slice_cycles *
           sustained_clock_of<double>(d) / static_cast<double>(d.clock_hz);
}

/// Adds what hardware does and the authors' simulation does not.
template <class D>
constexpr sm_parameters on_hardware(sm_parameters p, const D& d) {
    add_ports(p, d);
    p.rates = rates_of(d);
    p.sub_cores = core::max(known_of(d).sub_cores, 1.0);
    p.barriers_wait_for_results = p.ends_wait_for_stores = false;
    p.turnaround_cycles = turnaround_cycles;
    return under_load(p, d);
}

}  // namespace detail::simulate

/// One SM of a device under load, in cycles of `sustained_clock_of`, with its part of the bandwidth while all SMs
/// use it.
template <simulated_device D>
[[nodiscard]] constexpr sm_parameters sm_parameters_of(const D& d) {
    sm_parameters p = detail::simulate::on_hardware(published_sm_parameters_of(d), d);
    p.dram_bytes_per_cycle *= detail::simulate::sustained_fraction(d, {});
    return p;
}

/// The same for the accesses of a launch of `k`, with the direction of its traffic and its hits in caches.
template <simulated_device D>
[[nodiscard]] constexpr sm_parameters sm_parameters_of(const D& d, const kernel_profile<>& k,
                                                       const whole_launch& launch) {
    namespace simulate = detail::simulate;
    sm_parameters p = simulate::on_hardware(published_sm_parameters_of(d), d);
    p.dram_bytes_per_cycle *= simulate::sustained_fraction(d, k.traffic);
    const double warps =
        static_cast<double>(launch.blocks) * static_cast<double>(launch.warps_per_block);
    return simulate::with_traffic(
        p, simulate::traffic_of(k, warps, simulate::known_of(d).l2_bytes, p));
}

/// The same for the SM with the maximum of blocks, with its part of the bandwidth while all active SMs use it, and
/// while only those SMs use it that get one block more than others.
template <simulated_device D>
[[nodiscard]] constexpr sm_parameters busiest_sm_parameters_of(const D& d,
                                                               const kernel_profile<>& k,
                                                               const whole_launch& launch) {
    sm_parameters p = sm_parameters_of(d, k, launch);
    const double all = p.dram_bytes_per_cycle * static_cast<double>(d.sm_count);
    const auto part = [&](std::uint64_t sms) {
        return core::min(all / static_cast<double>(sms), max_dram_bytes_per_cycle(d));
    };
    p.dram_bytes_per_cycle = part(launch.active_sms());
    p.last_dram_bytes_per_cycle = part(launch.sms_with_max_blocks());
    return p;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
