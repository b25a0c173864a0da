// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_NEUTRAL_GROUPS_HPP
#define WARPGAUGE_SM_NEUTRAL_GROUPS_HPP

#include <type_traits>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/sm/hierarchy.hpp>

/// \file A partly known device for equations that select by the groups of a type: `with_neutral_groups`.
///
/// Unknown parameters get neutral values, which change no bit of a result: an infinite rate, the latency of the
/// next level, a fraction of 1, a cache of no bytes.

namespace WARPGAUGE_NAMESPACE {

namespace detail::sm {

/// The groups that have a neutral value, or that every caller needs.
template <class Real, template <class> class... More>
using neutral_device =
    partial_device<Real, parameters::chip, parameters::warp, parameters::residency,
                   parameters::dram_latency, parameters::transaction_size, parameters::cores,
                   parameters::double_precision, parameters::special_functions, parameters::tensor,
                   parameters::l1_latency, parameters::l2_latency, parameters::l1_cache,
                   parameters::l2_cache, parameters::pipes, parameters::l1_bandwidth,
                   parameters::l2_bandwidth, parameters::dram_read, parameters::dram_write,
                   parameters::dram_mixed, parameters::sustained_clock, parameters::board_power,
                   parameters::operation_energy, parameters::launch_overhead, More...>;

/// Neutral values for the unknown lanes and rates of `d`.
template <class Real, class To>
constexpr void neutral_rates(To& d) {
    const Real unbounded(core::infinity<double>());
    if (!knows<parameters::transaction_size>(d)) d.dram_transaction_bytes = Real(sector_bytes);
    if (!knows<parameters::double_precision>(d)) d.double_precision_units = unbounded;
    if (!knows<parameters::special_functions>(d)) d.special_function_units = unbounded;
    if (!knows<parameters::tensor>(d)) d.tensor_fma_per_cycle = unbounded;
    if (!knows<parameters::l1_bandwidth>(d)) d.l1_bytes_per_cycle = unbounded;
    if (!knows<parameters::l2_bandwidth>(d)) d.l2_bytes_per_cycle = unbounded;
    if (!knows<parameters::pipes>(d)) {
        d.memory_instruction_cycles = d.branch_cycles = Real(0.0);
        d.shared_pass_cycles = Real(1.0);
        d.known.remove(device_group::pipes);
    }
    if (!knows<parameters::cores>(d)) {  // without them integers bound nothing either
        d.cuda_cores = unbounded;
        if constexpr (has_integers<To>) d.integer_units = unbounded;
        d.known.remove(device_group::integers);
    }
}

/// The same for caches, latencies, DRAM, clock and power.
template <class Real, class To>
constexpr void neutral_levels(To& d) {
    if (!knows<parameters::l1_cache>(d)) d.l1_bytes_per_sm = Real(core::infinity<double>());
    if (!knows<parameters::l2_cache>(d)) d.l2_bytes = Real(1e-200);
    if (!knows<parameters::l2_latency>(d)) d.l2_latency_cycles = d.dram_latency_cycles;
    if (!knows<parameters::l1_latency>(d)) d.l1_latency_cycles = d.l2_latency_cycles;
    const bool read = knows<parameters::dram_read>(d);
    const bool write = knows<parameters::dram_write>(d);
    if (!knows<parameters::dram_mixed>(d)) {
        d.dram_mixed_fraction = read    ? d.dram_read_fraction
                                : write ? d.dram_write_fraction
                                        : Real(1.0);
    }
    if (!read) d.dram_read_fraction = d.dram_mixed_fraction;
    if (!write) d.dram_write_fraction = d.dram_mixed_fraction;
    if (!knows<parameters::sustained_clock>(d)) d.sustained_clock_hz = d.clock_hz;
    if (!knows<parameters::board_power>(d) || !knows<parameters::operation_energy>(d)) {
        d.board_power_w = Real(1.0);
        d.fp32_op_pj = d.l2_byte_pj = Real(0.0);
        d.known.remove(device_group::operation_energy);
    }
    if (!knows<parameters::launch_overhead>(d)) d.launch_overhead_s = Real(0.0);
}

}  // namespace detail::sm

/// Calls `act(device)` with the same numbers as `partial`, on a type that has each group or a neutral value for it.
/// The type has schedulers if these are known, and else `issue`. It has integer units if these are known or if cores
/// are not, since integer units have no neutral value. `act` is compiled four times. The groups of chip, warp,
/// residency, DRAM latency and issue that `act` needs have to be known.
template <partly_known D, class Act>
[[nodiscard]] constexpr auto with_neutral_groups(const D& partial, const Act& act) {
    using Real = typename D::real;
    const auto filled = [&]<class To>(std::type_identity<To>) {
        To d(partial);
        detail::sm::neutral_rates<Real>(d);
        detail::sm::neutral_levels<Real>(d);
        return act(d);
    };
    using detail::sm::neutral_device;
    using namespace parameters;
    const bool integers_apart = knows<integers>(partial) || !knows<cores>(partial);
    if (knows<schedulers>(partial)) {
        if (integers_apart) {
            return filled(std::type_identity<neutral_device<Real, schedulers, integers>>{});
        }
        return filled(std::type_identity<neutral_device<Real, schedulers>>{});
    }
    if (integers_apart) return filled(std::type_identity<neutral_device<Real, issue, integers>>{});
    return filled(std::type_identity<neutral_device<Real, issue>>{});
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
