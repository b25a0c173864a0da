// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_EASING_HPP
#define WARPGAUGE_ANALYSE_EASING_HPP

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <warpgauge/analyse/bottleneck.hpp>
#include <warpgauge/analyse/without_barriers.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/kernel/with_blocks.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file The time of a kernel with bottlenecks eased: `eased_seconds`. It changes a copy of the device or
/// of the kernel, so it works with any model.

namespace WARPGAUGE_NAMESPACE {

/// The time that `model` predicts with bottlenecks eased, s. Resident blocks, units and the transactions of a stream
/// are whole numbers, so factors act in steps. A tail wave and the barriers of a stream only change at
/// `removal_factor`.
///
/// A latency is never below one cycle, nor below the time that bandwidth and departures need between two accesses of
/// an SM. With less, models would predict memory that is faster than possible.
/// \errors those of the model; and
///         outside_domain  `factor`: below 1
///         not_positive    `seconds`: the predicted number is not a time
template <placeable_model Model>
[[nodiscard]] result<double> eased_seconds(const Model& model, const kernel_profile<>& k,
                                           const easing& by);

// --- How

namespace detail::analyse {

/// A device and a kernel in which bottlenecks are eased one after another.
template <class Device>
class eased_input {
public:
    template <class D>
    eased_input(const D& device, const kernel_profile<>& k) : device_(edit(device)), kernel_(k) {}

    eased_input(const eased_input&) = delete;  // the profile may view the stream
    eased_input& operator=(const eased_input&) = delete;

    /// Returns false if there is nothing to ease. Call it in the order of `bottleneck`.
    bool ease(bottleneck b, double factor) {
        switch (b) {
            case bottleneck::memory_bandwidth: return ease_bandwidth(factor);
            case bottleneck::l2_bandwidth: return ease_l2_bandwidth(factor);
            case bottleneck::l1_bandwidth: return ease_l1_bandwidth(factor);
            case bottleneck::memory_departures: return ease_departures(factor);
            case bottleneck::uncoalesced_access: return ease_uncoalesced(factor);
            case bottleneck::memory_latency: return ease_latency(factor);
            case bottleneck::issue: return ease_issue(factor);
            case bottleneck::dependences: return ease_dependences(factor);
            case bottleneck::synchronisation: return ease_synchronisation(factor);
            case bottleneck::too_few_warps: return ease_too_few_warps(factor);
            case bottleneck::tail_wave: return ease_tail_wave(factor);
        }
        return false;
    }

    template <class Model>
    result<double> seconds(const Model& model) const {
        const auto t = seconds_of(model.on(device_).predict(kernel_));
        if (!t) return t.error();
        const double fixed = fraction_ < 1 ? overhead_of(model, *t) : 0;
        const double seconds = (*t - fixed) * fraction_ + fixed;
        if (!core::positive(seconds)) return model_error{errc::not_positive, "seconds"};
        return seconds;
    }

private:
    bool ease_bandwidth(double factor) {
        device_.dram_bytes_per_s *= factor;
        return true;
    }

    bool ease_l2_bandwidth(double factor) {
        if constexpr (has_l2_bandwidth<Device>) {
            device_.l2_bytes_per_cycle *= factor;
            return knows<parameters::l2_bandwidth>(device_);
        }
        return false;
    }

    bool ease_l1_bandwidth(double factor) {
        bool any = kernel_.shared_passes > 0;
        kernel_.shared_passes /= factor;
        if constexpr (has_pipes<Device>) {
            shrink(device_.memory_instruction_cycles, factor, 0);
            any = any || knows<parameters::pipes>(device_);
        }
        if constexpr (has_shared_bandwidth<Device>) {
            device_.shared_bytes_per_cycle *= factor;
            const bool streams = !kernel_.instructions.empty();
            any = any || (streams && knows<parameters::shared_bandwidth>(device_));
        }
        if constexpr (has_l1_bandwidth<Device>) {
            device_.l1_bytes_per_cycle *= factor;
            any = any || knows<parameters::l1_bandwidth>(device_);
        }
        return any;
    }

    bool ease_departures(double factor) {
        if constexpr (has_dram_latency<Device> && has_departures<Device>) {
            device_.coalesced_departure_cycles /= factor;
            device_.uncoalesced_departure_cycles /= factor;
            return true;
        }
        return false;
    }

    bool ease_uncoalesced(double factor) {
        const bool gathers = gather(factor);
        const double coalesced = kernel_.uncoalesced_mem_insts * (1 - 1 / factor);
        kernel_.coalesced_mem_insts += coalesced;
        kernel_.uncoalesced_mem_insts -= coalesced;
        const auto uncoalesced = [](const instruction& i) {
            return i.unit == unit_kind::global_memory && i.transactions > 1;
        };
        if (!in_stream(uncoalesced)) return gathers || coalesced > 0;
        std::vector<instruction> stream(kernel_.instructions.begin(), kernel_.instructions.end());
        for (instruction& i : stream) {
            if (!uncoalesced(i)) continue;
            i.transactions = static_cast<std::uint16_t>(1 + (i.transactions - 1) / factor);
        }
        view(std::move(stream));
        return true;
    }

    // Lets accesses touch fewer sectors, down to those of words in a row. Whole sectors are then written as such.
    bool gather(double factor) {
        memory_accesses<>& a = kernel_.accesses;
        const double insts = kernel_.coalesced_mem_insts + kernel_.uncoalesced_mem_insts;
        const double in_a_row = insts * kernel_.bytes_per_access;  // 32 lanes, sectors of 32 B
        const double sectors = a.sectors();
        if (!(kernel_.uncoalesced_mem_insts > 0) || !(in_a_row < sectors)) return false;
        const double left = (in_a_row + (sectors - in_a_row) / factor) / sectors;
        const double stores = a.full_store_sectors + a.partial_store_sectors;
        a.load_sectors *= left;
        a.partial_store_sectors *= left / factor;
        a.full_store_sectors = stores * left - a.partial_store_sectors;
        a.lines = core::min(a.lines, core::max(a.lines * left, insts));
        kernel_.traffic.l2_bytes_per_warp *= left;
        return true;
    }

    bool ease_latency(double factor) {
        bool any = false;
        if constexpr (has_dram_latency<Device>) {
            any = shrink(device_.dram_latency_cycles, factor, min_latency_cycles());
        }
        if constexpr (has_l2_latency<Device>) any = shrink(device_.l2_latency_cycles, factor, 1);
        if constexpr (has_computation_costs<Device>) {
            any = shrink(device_.costs.load_store_cycles, factor, min_latency_cycles());
        }
        if constexpr (has_stencil_timing<Device>) {
            any = shrink(device_.uncontended_latency_cycles, factor, 0);
        }
        return any;
    }

    bool ease_issue(double factor) {
        bool any = false;
        if constexpr (has_issue<Device>) any = shrink(device_.issue_cycles, factor, 0);
        if constexpr (has_stencil_timing<Device>) any = shrink(device_.average_cpi, factor, 0);
        if constexpr (has_computation_costs<Device>) {
            for (operation_cycles& row : device_.costs.arithmetic) {
                for (double* const cycles : {&row.int_constant, &row.int_register,
                                             &row.float_constant, &row.float_register}) {
                    *cycles /= factor;
                }
            }
            any = shrink(device_.costs.other_cycles, factor, 0);
        }
        // The simulation takes at most this many.
        if constexpr (has_cores<Device>) any = grow(device_.cuda_cores, factor, 4096);
        if constexpr (has_integers<Device>) any = grow(device_.integer_units, factor, 4096);
        if constexpr (has_double_precision<Device>) {
            any = grow(device_.double_precision_units, factor, 4096);
        }
        if constexpr (has_load_store<Device>) any = grow(device_.load_store_units, factor, 4096);
        if constexpr (has_special_functions<Device>) {
            any = grow(device_.special_function_units, factor, 4096);
        }
        if constexpr (has_tensor<Device>) any = grow(device_.tensor_fma_per_cycle, factor, 65'536);
        if constexpr (has_schedulers<Device>) any = grow(device_.warp_schedulers, factor, 1024);
        raise_rates(factor);
        return any;
    }

    // Of classes of instructions, which lanes alone do not make faster.
    void raise_rates(double factor) {
        auto raise = [factor](device_parameter, double& rate) {
            rate = core::min(rate * factor, 4096.0);
        };
        const auto raise_all = [&]<template <class> class... Groups>(group_list<Groups...>) {
            (Groups<double>::for_each(device_, raise), ...);
        };
        raise_all(decltype(detail::device::groups_among<Device>(instruction_rate_groups{})){});
    }

    bool ease_dependences(double factor) {
        bool any = kernel_.waits.arithmetic_wait_cycles > 0;
        kernel_.waits.arithmetic_wait_cycles /= factor;
        if constexpr (has_pipes<Device>) {
            shrink(device_.branch_cycles, factor, 1);
            any = any || (kernel_.branches > 0 && knows<parameters::pipes>(device_));
        }
        if constexpr (has_arithmetic_latency<Device>) {
            any = shrink(device_.integer_latency_cycles, factor, 1);
            any = shrink(device_.single_precision_latency_cycles, factor, 1);
        }
        if constexpr (has_double_precision_latency<Device>) {
            any = shrink(device_.double_precision_latency_cycles, factor, 1);
        }
        if constexpr (has_special_function_latency<Device>) {
            any = shrink(device_.special_function_latency_cycles, factor, 1);
        }
        if constexpr (has_tensor_latency<Device>) {
            any = shrink(device_.tensor_latency_cycles, factor, 1);
        }
        if constexpr (has_shared_latency<Device>) {
            any = shrink(device_.shared_latency_cycles, factor, 1);
        }
        if constexpr (has_l1_latency<Device>) any = shrink(device_.l1_latency_cycles, factor, 1);
        return any;
    }

    bool ease_synchronisation(double factor) {
        bool any = kernel_.sync_insts > 0;
        kernel_.sync_insts = factor < removal_factor ? kernel_.sync_insts / factor : 0;
        if constexpr (has_stencil_timing<Device>) {
            if (kernel_.stencil.dimensions > 0) any = shrink(device_.global_sync_cycles, factor, 0);
        }
        if (factor < removal_factor) return any;
        if (!in_stream([](const instruction& i) { return i.unit == unit_kind::barrier; }))
            return any;
        view(without_barriers(kernel_.instructions));
        return true;
    }

    bool ease_too_few_warps(double factor) {
        if constexpr (occupancy_device<Device>) {
            const auto resident = resident_blocks(kernel_, device_);
            if (!resident) return false;
            const double full =
                core::floor(device_.max_warps_per_sm /
                            core::ceil(kernel_.threads_per_block / device_.warp_size));
            if (!(*resident < full)) return false;
            kernel_.active_blocks_per_sm =
                core::max(*resident, core::floor(core::min(full, *resident * factor)));
            return true;
        }
        return false;
    }

    bool ease_tail_wave(double factor) {
        if (factor < removal_factor) return false;
        const auto resident = resident_blocks(kernel_, device_);
        if (!resident) return false;
        const double round = *resident * device_.sm_count;
        const double whole = core::ceil(kernel_.blocks / round) * round;
        if (!(round < kernel_.blocks && kernel_.blocks < whole)) return false;
        fraction_ = kernel_.blocks / whole;
        kernel_ = with_blocks(kernel_, whole);
        return true;
    }

    // The part of a predicted time that is the launch's alone, since not all models have one.
    template <class Model>
    double overhead_of(const Model& model, double seconds) const {
        if constexpr (has_launch_overhead<Device>) {
            if (!knows<parameters::launch_overhead>(device_)) return 0;
            Device twice = device_;
            twice.launch_overhead_s *= 2;
            const auto t = seconds_of(model.on(twice).predict(kernel_));
            if (t) return *t - seconds;
        }
        return 0;
    }

    static bool shrink(double& parameter, double factor, double min) {
        parameter = core::min(parameter, core::max(parameter / factor, min));
        return true;
    }

    static bool grow(double& parameter, double factor, double max) {
        parameter = core::max(parameter, core::min(core::floor(parameter * factor), max));
        return true;
    }

    /// Whether the stream is well formed and has such an entry.
    template <class Which>
    [[nodiscard]] bool in_stream(Which which) const {
        if (check_stream(kernel_.instructions)) return false;
        for (const instruction& i : kernel_.instructions) {
            if (which(i)) return true;
        }
        return false;
    }

    // The accesses to global memory are the same, in the same order, and keep their levels.
    void view(std::vector<instruction> stream) {
        if (kernel_.levels.size() != kernel_.instructions.size()) {
            kernel_.levels = {};
        } else {
            std::vector<access_level> levels(stream.size());
            std::size_t at = 0;
            for (std::size_t n = 0; n < stream.size(); ++n) {
                if (!is_memory(stream[n])) continue;
                while (!is_memory(kernel_.instructions[at])) ++at;
                levels[n] = kernel_.levels[at++];
            }
            levels_ = std::move(levels);
            kernel_.levels = levels_;
        }
        stream_ = std::move(stream);
        kernel_.instructions = stream_;
    }

    /// The time that bandwidth and departures need between two accesses of an SM.
    [[nodiscard]] double min_latency_cycles() const {
        double min = 1;
        if constexpr (has_dram_latency<Device> && has_departures<Device>) {
            min = core::max(min, core::max(device_.coalesced_departure_cycles,
                                           device_.uncoalesced_departure_cycles));
        }
        if constexpr (has_warp<Device>) {
            const double mem_insts = kernel_.coalesced_mem_insts + kernel_.uncoalesced_mem_insts;
            const double uncoalesced =
                mem_insts > 0 ? kernel_.uncoalesced_mem_insts / mem_insts : 0;
            const double bytes = core::min(kernel_.blocks, device_.sm_count) *
                                 load_bytes_per_warp(kernel_, device_, uncoalesced);
            min = core::max(min, bytes * device_.clock_hz / device_.dram_bytes_per_s);
        }
        return min;
    }

    Device device_;
    kernel_profile<> kernel_;
    std::vector<instruction> stream_{};   // of `kernel_.instructions`, once it is changed
    std::vector<access_level> levels_{};  // of `kernel_.levels`, then
    double fraction_ = 1;  // of the predicted time, that the kernel's own blocks take
};

template <class D>
eased_input(const D&, const kernel_profile<>&) -> eased_input<edited<D>>;

/// Eases the bottlenecks of `by` in `input`.
template <class Device>
void ease_all(eased_input<Device>& input, const easing& by) {
    for (std::size_t n = 0; n < bottlenecks; ++n) {
        if (by[n] > 1) input.ease(static_cast<bottleneck>(n), by[n]);
    }
}

/// The time once `by` is eased and `b` removed; none if `b` then cannot be eased, since a tail wave may only appear
/// when more warps fit.
template <class Model>
[[nodiscard]] std::optional<result<double>> seconds_without(const Model& model,
                                                            const kernel_profile<>& k,
                                                            const easing& by, bottleneck b) {
    eased_input input(model.device, k);
    for (std::size_t n = 0; n < bottlenecks; ++n) {
        const auto each = static_cast<bottleneck>(n);
        if (each == b) {
            if (!input.ease(b, removal_factor)) return {};
        } else if (by[n] > 1) {
            input.ease(each, by[n]);
        }
    }
    return input.seconds(model);
}

}  // namespace detail::analyse

template <placeable_model Model>
result<double> eased_seconds(const Model& model, const kernel_profile<>& k, const easing& by) {
    for (const double factor : by) {
        if (!(factor >= 1)) return model_error{errc::outside_domain, "factor"};
    }
    detail::analyse::eased_input input(model.device, k);
    detail::analyse::ease_all(input, by);
    return input.seconds(model);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
