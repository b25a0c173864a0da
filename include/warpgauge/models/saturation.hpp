// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_SATURATION_HPP
#define WARPGAUGE_MODELS_SATURATION_HPP

#include <type_traits>

#include <warpgauge/core/min_and_sum.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/check.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/saturation/costs.hpp>
#include <warpgauge/saturation/equations.hpp>
#include <warpgauge/saturation/estimate.hpp>
#include <warpgauge/sm/launch.hpp>
#include <warpgauge/sm/neutral_groups.hpp>

/// \file Saturation: run time from the waits of a warp, the busy time of every resource of an SM, and the floors
/// of the whole GPU. For GPUs with caches, from Pascal on.
///
/// Equation numbers are those of docs/saturation.md, which also has the accuracy. The form is our own. It builds on:
/// - S. Hong, H. Kim, ISCA 2009: warps that wait together, rounds of blocks; (18), (19), #Rep;
/// - J. Sim, A. Dasgupta, H. Kim, R. Vuduc, PPoPP 2012: count waits, not instructions (ILP and MLP);
/// - V. Volkov, "Understanding Latency Hiding on GPUs", 2016: a warp's latency against the throughput of the SM;
/// - S. Williams, A. Waterman, D. Patterson, CACM 2009: a roof for each resource.

namespace WARPGAUGE_NAMESPACE {

/// The parameters of a device that the model requires. If a device has them, it also reads latency and bandwidth of
/// L1 and L2, sizes of both, lanes by unit, pipes, sustained fractions of DRAM bandwidth, sustained clock, launch
/// overhead, and power with energy by operation. An absent parameter limits nothing and takes no time: short launches
/// of GPUs with and without a launch overhead do not compare.
template <class D>
concept saturation_device = has_chip<D> && has_warp<D> && has_dram_latency<D> &&
    (has_schedulers<D> || has_issue<D>);

template <saturation_device D, scalar Real = double>
class prepared_saturation;

/// Predicts the run time of kernels on `device`.
///
/// Reads of a profile the launch, the instruction counts and, where they are given, `ops`, `shared_passes`,
/// `shared_insts`, `branches`, `accesses`, `waits` and `traffic`. Does not throw, allocate or keep state.
/// \errors not_positive    `blocks`, `threads_per_block`, `transactions_per_uncoalesced`, `bytes_per_access`, or a
///                         parameter of the device
///         negative        another number of the profile, or a constant
///         missing         `comp_insts`: the kernel has no instruction at all;
///                         `active_blocks_per_sm`: it is 0 and the device has no limits
///         exceeds_device  as `occupancy`, if `active_blocks_per_sm` of the profile is 0
///         outside_domain  a fraction above 1
///         overflow        an input that is above 1e20, or not 0 and below 1e-10; `seconds`
template <saturation_device D>
struct saturation_model {
    [[no_unique_address]] D device{};  ///< the device that it predicts for
    saturation_options options{};      ///< the constants of the model

    /// The same model with everything computed that does not depend on the kernel, for many predictions on one device.
    /// Its results have the same bits.
    template <scalar Real = double>
    requires(!partly_known<D>)
        [[nodiscard]] constexpr prepared_saturation<D, Real> prepared() const;

    /// The same model on another device.
    template <saturation_device Other>
    [[nodiscard]] constexpr saturation_model<Other> on(const Other& other) const {
        return {other, options};
    }

    /// The run time of the kernel, with every intermediate value.
    template <scalar Real = double>
    [[nodiscard]] constexpr result<saturation_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept;
};

/// Deduces the type of the device.
template <class D>
saturation_model(D, saturation_options = {}) -> saturation_model<D>;

namespace detail::models {

/// Every group that the model reads if a device has it.
using saturation_groups =
    group_list<parameters::chip, parameters::warp, parameters::dram_latency, parameters::schedulers,
               parameters::issue, parameters::transaction_size, parameters::cores,
               parameters::integers, parameters::double_precision, parameters::special_functions,
               parameters::tensor, parameters::pipes, parameters::l1_latency,
               parameters::l2_latency, parameters::l1_cache, parameters::l2_cache,
               parameters::l1_bandwidth, parameters::l2_bandwidth, parameters::dram_read,
               parameters::dram_write, parameters::dram_mixed, parameters::sustained_clock,
               parameters::board_power, parameters::operation_energy, parameters::launch_overhead>;

/// The error of the first constant, or parameter of the device, that is out of range.
template <scalar Real, saturation_device D>
constexpr model_error saturation_diagnose(const saturation_model<D>& m) {
    const saturation_constants& c = m.options.constants;
    for (const core::bounded_parameter& p :
         {core::bounded_parameter{c.queueing_in_sm, "queueing_in_sm", false, 0, 1},
          {c.queueing_at_floor, "queueing_at_floor", false, 0, 1},
          {c.turnaround_cycles, "turnaround_cycles", false, 0, core::max_input},
          {c.store_cycles, "store_cycles", false, 0, core::max_input},
          {c.sector_cycles, "sector_cycles", false, 0, core::max_input},
          {c.extra_sectors_per_partial, "extra_sectors_per_partial", false, 0, core::max_input},
          {c.broadcast_cycles, "broadcast_cycles", false, 0, core::max_input},
          {c.block_launch_cycles, "block_launch_cycles", false, 0, core::max_input},
          {c.l2_filling.knee, "knee", false, 0, core::max_input},
          {c.l2_filling.width, "width", false, core::min_input, core::max_input},
          {c.sustained_power_fraction, "sustained_power_fraction", false, core::min_input, 1}}) {
        if (const auto wrong = core::check_bounded(p)) return wrong;
    }
    return check_known_parameters<Real>(saturation_groups{}, m.device);
}

/// The error of the first input that is out of range.
template <scalar Real, saturation_device D>
[[gnu::noinline]] constexpr model_error saturation_diagnose(const kernel_profile<Real>& k,
                                                            const saturation_model<D>& m) {
    if (const auto bad = check_hierarchy_inputs(k)) return bad;
    const Real insts = k.comp_insts + k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    if (!scalar_traits<Real>::all(Real(0.0) < insts)) return {errc::missing, "comp_insts"};
    return saturation_diagnose<Real>(m);
}

/// The type in which a device's parameters are compared: doubles, unless they are packs.
template <class Value>
[[gnu::always_inline]] constexpr auto parameter_value(const Value& x) {
    if constexpr (std::is_arithmetic_v<Value>) {
        return static_cast<double>(x);
    } else {
        return core::without_slopes(x);
    }
}

/// True if the device and the constants are well within range; known when compiled for a static device.
template <saturation_device D>
[[gnu::always_inline]] constexpr bool saturation_in_range(const saturation_model<D>& m) {
    using number = decltype(parameter_value(m.device.clock_hz));
    core::min_and_sum<number> all(number(1.0));
    number least_slack(0.0);  // of fractions, to 1
    const auto see = [&](device_parameter p, const auto& value) {
        const number x(parameter_value(value));
        all.add(x);
        if (info(p).range == parameter_range::fraction) {
            least_slack = core::min(least_slack, number(number(1.0) - x));
        }
    };
    for_each_known(saturation_groups{}, m.device, see);
    const saturation_constants& c = m.options.constants;
    core::min_and_sum<double> constants(1.0);
    constants.add(c.queueing_in_sm, c.queueing_at_floor, c.turnaround_cycles, c.store_cycles,
                  c.sector_cycles, c.extra_sectors_per_partial, c.broadcast_cycles,
                  c.block_launch_cycles, c.l2_filling.knee);
    return scalar_traits<number>::all(number(core::min_input) <= all.least &&
                                      all.sum <= number(core::max_input) &&
                                      number(0.0) <= least_slack) &&
           0 <= constants.least && constants.sum <= core::max_input && c.queueing_in_sm <= 1 &&
           c.queueing_at_floor <= 1 && core::min_input <= c.l2_filling.width &&
           c.l2_filling.width <= core::max_input && core::min_input <= c.sustained_power_fraction &&
           c.sustained_power_fraction <= 1;
}

/// True if a profile is well within range. It takes few instructions, since it precedes every prediction.
template <scalar Real>
[[gnu::always_inline]] constexpr bool saturation_in_range(const kernel_profile<Real>& k) {
    using number = core::plain<Real>;
    const number insts =
        core::without_slopes(k.comp_insts) + (core::without_slopes(k.coalesced_mem_insts) +
                                              core::without_slopes(k.uncoalesced_mem_insts));
    const number fraction = core::max(core::without_slopes(k.traffic.in_l2_fraction),
                                      core::without_slopes(k.waits.reused_fraction));
    return numbers_in_range(k) &&
           scalar_traits<number>::all(number(core::min_input) <= insts && fraction <= number(1.0));
}

/// The costs on the device of a model, whether or not its parameters are in range.
template <scalar Real, saturation_device D>
[[gnu::always_inline]] constexpr auto saturation_costs(const saturation_model<D>& m) {
    using cost = saturation::cost_of<Real, D>;
    // What is out of range has no costs in a constant expression; at run time they are not looked at.
    if (std::is_constant_evaluated() && saturation_diagnose<Real>(m)) {
        return saturation::costs<cost, D>{};
    }
    return saturation::costs_on<cost>(m.device, m.options.constants);
}

/// A prediction with the costs on the device of `m`, which is `in_range` if both it and the constants are.
template <scalar Real, saturation_device D, class Costs>
[[gnu::always_inline]] constexpr result<saturation_estimate<Real>> saturation_predict(
    const kernel_profile<Real>& k, const saturation_model<D>& m, const Costs& costs,
    bool in_range) {
    // Sums are for run time alone: a constant expression may neither overflow nor be NaN.
    if (std::is_constant_evaluated() || !in_range || !saturation_in_range(k)) [[unlikely]] {
        // Copies, so that GCC may keep the originals in registers.
        const kernel_profile<Real> copy = k;
        const saturation_model<D> copy_of_model = m;
        if (const auto bad = saturation_diagnose(copy, copy_of_model)) return bad;
    }
    result<Real> resident = resident_blocks(k, m.device);
    if (!resident) return resident.error();
    return saturation::estimate(k, m.device, costs, m.options.constants, *resident);
}

/// A prediction on a device that has all groups of its type.
template <scalar Real, saturation_device D>
[[gnu::always_inline]] constexpr result<saturation_estimate<Real>> saturation_on(
    const kernel_profile<Real>& k, const saturation_model<D>& m) {
    // Not const: a const one would be a constant expression itself.
    bool in_range = std::is_constant_evaluated() || saturation_in_range(m);
    return saturation_predict(k, m, saturation_costs<Real>(m), in_range);
}

/// For a partly known device: checks that the required groups are known, and predicts with the known ones.
template <scalar Real, saturation_device D>
constexpr result<saturation_estimate<Real>> saturation_of_known(const kernel_profile<Real>& k,
                                                                const saturation_model<D>& m) {
    const D& d = m.device;
    if (!knows<parameters::chip>(d)) return model_error{errc::missing, "sm_count"};
    if (!knows<parameters::warp>(d)) return model_error{errc::missing, "warp_size"};
    if (!knows<parameters::dram_latency>(d)) {
        return model_error{errc::missing, "dram_latency_cycles"};
    }
    if (!knows<parameters::schedulers>(d) && !knows<parameters::issue>(d)) {
        return model_error{errc::missing, "warp_schedulers"};
    }
    return with_neutral_groups(d, [&](const auto& whole) { return saturation_on(k, m.on(whole)); });
}

}  // namespace detail::models

template <saturation_device D>
template <scalar Real>
[[gnu::always_inline]] constexpr result<saturation_estimate<Real>> saturation_model<D>::predict(
    const kernel_profile<Real>& k) const noexcept {
    namespace models = detail::models;
    if constexpr (partly_known<D>) {
        return models::saturation_of_known(k, *this);
    } else {
        return models::saturation_on(k, *this);
    }
}

/// A `saturation_model` with everything computed that does not depend on the kernel, for profiles of `Real`s.
template <saturation_device D, scalar Real>
class prepared_saturation {
public:
    /// Computes the costs of `m` that do not depend on the kernel.
    constexpr explicit prepared_saturation(const saturation_model<D>& m)
        : model_(m),
          costs_(detail::models::saturation_costs<Real>(m)),
          in_range_(std::is_constant_evaluated() || detail::models::saturation_in_range(m)) {}

    /// Predicts as the model itself does, with the same bits.
    [[nodiscard, gnu::always_inline]] constexpr result<saturation_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept {
        return detail::models::saturation_predict(k, model_, costs_, in_range_);
    }

private:
    [[no_unique_address]] saturation_model<D> model_;
    detail::saturation::costs<detail::saturation::cost_of<Real, D>, D> costs_;
    bool in_range_;
};

template <saturation_device D>
template <scalar Real>
requires(
    !partly_known<D>) constexpr prepared_saturation<D, Real> saturation_model<D>::prepared() const {
    return prepared_saturation<D, Real>(*this);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
