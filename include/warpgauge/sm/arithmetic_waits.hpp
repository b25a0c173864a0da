// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_ARITHMETIC_WAITS_HPP
#define WARPGAUGE_SM_ARITHMETIC_WAITS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/dependent_chain.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/sm/hierarchy.hpp>

/// \file The waits of a warp for results of arithmetic on a device, from the longest chain of its stream:
/// `with_arithmetic_waits`. Group headers do not include this header.

namespace WARPGAUGE_NAMESPACE {

/// A device that says how long arithmetic takes, and how fast it issues.
template <class D>
concept arithmetic_device = has_chip<D> && has_arithmetic_latency<D> &&
    (has_schedulers<D> || has_issue<D>);

namespace detail::sm {

/// The latencies of a device's arithmetic, as far as they are known.
using arithmetic_latencies =
    partial_device<double, parameters::arithmetic_latency, parameters::double_precision_latency,
                   parameters::special_function_latency, parameters::tensor_latency>;

/// A latency in cycles, with the name of its parameter; 0 if it is not known.
struct named_latency {
    double cycles{};
    std::string_view parameter{};  ///< empty: the unit does no arithmetic
};

/// That of the arithmetic of a unit.
constexpr named_latency latency_of(unit_kind unit, const arithmetic_latencies& of) {
    switch (unit) {
        case unit_kind::integer: return {of.integer_latency_cycles, "integer_latency_cycles"};
        case unit_kind::single_precision:
            return {of.single_precision_latency_cycles, "single_precision_latency_cycles"};
        case unit_kind::double_precision:
            return {of.double_precision_latency_cycles, "double_precision_latency_cycles"};
        case unit_kind::special_function:
            return {of.special_function_latency_cycles, "special_function_latency_cycles"};
        case unit_kind::tensor: return {of.tensor_latency_cycles, "tensor_latency_cycles"};
        default: return {};
    }
}

/// Does a warp wait for anything that the profile tells?
constexpr bool tells_waits(const dependent_waits<>& w) {
    return w.counted || w.dram_waits + w.l2_waits + w.l1_waits + w.store_waits + w.steps > 0;
}

}  // namespace detail::sm

/// `k` with `waits.arithmetic_wait_cycles`: the cycles that the longest chain of dependent arithmetic of
/// `k.instructions` takes on `d`, less those in which its instructions issue, which models count apart. Chains do not
/// go through memory or barriers, so the waits are too short where results pass through shared memory, and too long
/// where a warp waits for arithmetic and for loads at once. A matrix product takes the latency of the smallest.
/// \errors those of `longest_chain`; not_positive, overflow  a parameter of `d` that is read
///         missing  `waits`: those of `k` are not known, and would be taken to be these alone;
///                  a latency by its name: `d` does not know that of the entry `line`
template <arithmetic_device D>
[[nodiscard]] result<kernel_profile<>> with_arithmetic_waits(const kernel_profile<>& k,
                                                             const D& d) {
    using namespace detail::sm;
    if (!tells_waits(k.waits)) return model_error{errc::missing, "waits"};
    const arithmetic_latencies latencies(d);
    using read = group_list<parameters::chip, parameters::schedulers, parameters::issue,
                            parameters::sustained_clock>;
    const auto groups = read{} + groups_of<arithmetic_latencies>{};
    if (const auto bad = check_known_parameters<double>(groups, d)) return bad;
    for (std::size_t at = 0; at < k.instructions.size(); ++at) {
        const auto latency = latency_of(k.instructions[at].unit, latencies);
        if (latency.parameter.empty() || latency.cycles > 0) continue;
        return model_error{errc::missing, latency.parameter, static_cast<std::uint32_t>(at + 1)};
    }
    const double issue = issue_rate_of<double>(d).cycles_of_warp;
    const auto chain = longest_chain(k.instructions, [&](unit_kind unit) {
        return core::max(0.0, latency_of(unit, latencies).cycles - issue);
    });
    if (!chain) return chain.error();
    kernel_profile<> waiting = k;
    waiting.waits.arithmetic_wait_cycles = chain->cycles * sustained_pace<double>(d);
    return waiting;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
