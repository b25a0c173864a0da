// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_OF_DEVICE_HPP
#define WARPGAUGE_SIMULATE_SM_OF_DEVICE_HPP

#include <cstdint>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/simulate/stream_traffic.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file One SM of a device, for `simulate_sm` and `bound_sm`.

namespace WARPGAUGE_NAMESPACE {

/// A device of which all is known that `sm_parameters` has; where a device has them, also `integer_units`,
/// `dram_transaction_bytes`, what shared memory, L1 and L2 move in a cycle, and what
/// fraction of its peak DRAM sustains.
template <class D>
concept simulated_device = has_chip<D> && has_warp<D> && has_cores<D> && has_double_precision<D> &&
    has_special_functions<D> && has_load_store<D> && has_schedulers<D> &&
    has_arithmetic_latency<D> && has_cache_latency<D> && has_dram_latency<D>;

/// The groups of such a device, for those who know one by name.
using simulated_groups =
    group_list<parameters::chip, parameters::warp, parameters::cores, parameters::double_precision,
               parameters::special_functions, parameters::load_store, parameters::schedulers,
               parameters::arithmetic_latency, parameters::shared_latency, parameters::l1_latency,
               parameters::l2_latency, parameters::dram_latency>;

/// Further groups that are read where a device has them.
using simulated_extras =
    group_list<parameters::integers, parameters::transaction_size, parameters::residency,
               parameters::l1_cache, parameters::shared_bandwidth, parameters::l1_bandwidth,
               parameters::l2_bandwidth, parameters::dram_read, parameters::dram_write,
               parameters::dram_mixed>;

/// B/cycle that one SM draws of DRAM if nothing else draws: what the L2 gives each SM while all read it, or the L1
/// its SM, or else a word of 4 B for each load/store lane; at least its part of the bandwidth.
template <simulated_device D>
[[nodiscard]] constexpr double max_dram_bytes_per_cycle(const D& d) {
    const auto number = [](const auto& x) { return static_cast<double>(x); };
    const double part = number(d.dram_bytes_per_s) / number(d.clock_hz) / number(d.sm_count);
    if constexpr (has_l2_bandwidth<D>) {
        if (knows<parameters::l2_bandwidth>(d)) {
            return core::max(part, number(d.l2_bytes_per_cycle));
        }
    }
    if constexpr (has_l1_bandwidth<D>) {
        if (knows<parameters::l1_bandwidth>(d)) {
            return core::max(part, number(d.l1_bytes_per_cycle));
        }
    }
    return core::max(part, 4 * number(d.load_store_units));
}

namespace detail::simulate {

/// What moves through the ports of an SM in a cycle, as far as the device says. Where L1 and shared memory are one
/// and its rate as L1 is not known, it has that of shared memory. An SM draws no more from L2 if it is alone.
template <class D>
constexpr void add_ports(sm_parameters& p, [[maybe_unused]] const D& d) {
    if constexpr (has_shared_bandwidth<D>) {
        if (knows<parameters::shared_bandwidth>(d)) {
            p.shared_bytes_per_cycle = static_cast<double>(d.shared_bytes_per_cycle);
            if (knows<parameters::l1_cache>(d)) p.l1_bytes_per_cycle = p.shared_bytes_per_cycle;
        }
    }
    if constexpr (has_l1_bandwidth<D>) {
        if (knows<parameters::l1_bandwidth>(d)) {
            p.l1_bytes_per_cycle = static_cast<double>(d.l1_bytes_per_cycle);
        }
    }
    if constexpr (has_l2_bandwidth<D>) {
        if (knows<parameters::l2_bandwidth>(d)) {
            p.l2_bytes_per_cycle = static_cast<double>(d.l2_bytes_per_cycle);
        }
    }
}

/// The fraction of its peak that DRAM sustains, in the direction of the traffic; of loads and stores together where
/// the profile does not say which, and of what the device knows where that is not known; 1 where it knows none.
template <class D>
constexpr double sustained_fraction([[maybe_unused]] const D& d, const memory_traffic<>& t) {
    double read = 0, write = 0, mixed = 0;
    if constexpr (has_dram_read<D>) {
        if (knows<parameters::dram_read>(d)) read = static_cast<double>(d.dram_read_fraction);
    }
    if constexpr (has_dram_write<D>) {
        if (knows<parameters::dram_write>(d)) write = static_cast<double>(d.dram_write_fraction);
    }
    if constexpr (has_dram_mixed<D>) {
        if (knows<parameters::dram_mixed>(d)) mixed = static_cast<double>(d.dram_mixed_fraction);
    }
    const bool one_way = (t.dram_read_bytes > 0) != (t.dram_write_bytes > 0);
    const double of_way = t.dram_read_bytes > 0 ? read : write;
    for (const double known : {one_way ? of_way : mixed, mixed, read, write}) {
        if (known > 0) return known;
    }
    return 1;
}

}  // namespace detail::simulate

/// One SM of a device as the authors of the hybrid simulation have it: memories move any number of bytes, DRAM its
/// peak, of which the SM has its part while all draw.
template <simulated_device D>
[[nodiscard]] constexpr sm_parameters published_sm_parameters_of(const D& d) {
    const auto number = [](const auto& x) { return static_cast<double>(x); };
    sm_parameters p{.warp_size = number(d.warp_size),
                    .warp_schedulers = number(d.warp_schedulers),
                    .issues_per_scheduler = number(d.issues_per_scheduler),
                    .lanes = {0, number(d.cuda_cores), number(d.double_precision_units),
                              number(d.special_function_units), number(d.load_store_units)},
                    .integer_latency_cycles = number(d.integer_latency_cycles),
                    .single_precision_latency_cycles = number(d.single_precision_latency_cycles),
                    .double_precision_latency_cycles = number(d.double_precision_latency_cycles),
                    .special_function_latency_cycles = number(d.special_function_latency_cycles),
                    .shared_latency_cycles = number(d.shared_latency_cycles),
                    .l1_latency_cycles = number(d.l1_latency_cycles),
                    .l2_latency_cycles = number(d.l2_latency_cycles),
                    .dram_latency_cycles = number(d.dram_latency_cycles),
                    .dram_bytes_per_cycle =
                        number(d.dram_bytes_per_s) / number(d.clock_hz) / number(d.sm_count),
                    .dram_transaction_bytes = 0};
    if constexpr (has_integers<D>) {
        if (knows<parameters::integers>(d)) p.lanes[0] = number(d.integer_units);
    }
    if constexpr (has_transaction_size<D>) {
        if (knows<parameters::transaction_size>(d)) {
            p.dram_transaction_bytes = number(d.dram_transaction_bytes);
        }
    }
    p.barriers_wait_for_results = p.ends_wait_for_stores = true;
    return p;
}

namespace detail::simulate {

/// Cycles until a block's place has its next block at work, before that one's own instructions: 400 with its first
/// addresses in the saturation model, and as sharp (docs/hybrid.md).
inline constexpr double turnaround_cycles = 400;

/// What hardware does and the authors' simulation does not.
template <class D>
constexpr sm_parameters on_hardware(sm_parameters p, const D& d) {
    add_ports(p, d);
    p.barriers_wait_for_results = p.ends_wait_for_stores = false;
    p.turnaround_cycles = turnaround_cycles;
    return p;
}

}  // namespace detail::simulate

/// One SM of a device, with the part of the bandwidth that it has while all draw.
template <simulated_device D>
[[nodiscard]] constexpr sm_parameters sm_parameters_of(const D& d) {
    sm_parameters p = detail::simulate::on_hardware(published_sm_parameters_of(d), d);
    p.dram_bytes_per_cycle *= detail::simulate::sustained_fraction(d, {});
    return p;
}

/// The same for the accesses of a launch of `k`, in the direction of its traffic and as far as caches have them.
template <simulated_device D>
[[nodiscard]] constexpr sm_parameters sm_parameters_of(const D& d, const kernel_profile<>& k,
                                                       const whole_launch& launch) {
    namespace simulate = detail::simulate;
    sm_parameters p = simulate::on_hardware(published_sm_parameters_of(d), d);
    p.dram_bytes_per_cycle *= simulate::sustained_fraction(d, k.traffic);
    const double warps =
        static_cast<double>(launch.blocks) * static_cast<double>(launch.warps_per_block);
    return simulate::with_traffic(p, simulate::traffic_of(k, warps, p));
}

/// The same for the SM that gets most blocks, with its part of the bandwidth while all active SMs draw, and while
/// those alone do that get one block more than others.
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
