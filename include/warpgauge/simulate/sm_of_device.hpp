// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_OF_DEVICE_HPP
#define WARPGAUGE_SIMULATE_SM_OF_DEVICE_HPP

#include <warpgauge/device/device.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>

/// \file One SM of a device, for `simulate_sm` and `bound_sm`.

namespace warpgauge {

/// A device of which all is known that `sm_parameters` has; besides, if there, `integer_units` and
/// `dram_transaction_bytes`.
template <class D>
concept simulated_device = has_chip<D> && has_warp<D> && has_cores<D> && has_double_precision<D> &&
    has_special_functions<D> && has_load_store<D> && has_schedulers<D> &&
    has_arithmetic_latency<D> && has_cache_latency<D> && has_dram_latency<D>;

/// One SM of `d`, with an equal part of the bandwidth.
template <simulated_device D>
[[nodiscard]] constexpr sm_parameters sm_of(const D& d) {
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
    if constexpr (has_integers<D>) p.lanes[0] = number(d.integer_units);
    if constexpr (has_transaction_size<D>) {
        p.dram_transaction_bytes = number(d.dram_transaction_bytes);
    }
    return p;
}

}  // namespace warpgauge

#endif
