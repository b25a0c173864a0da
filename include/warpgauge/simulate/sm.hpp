// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_HPP
#define WARPGAUGE_SIMULATE_SM_HPP

#include <cstdint>
#include <span>
#include <type_traits>

#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/sm_estimate.hpp>
#include <warpgauge/simulate/sm_machine.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/simulate/sm_workspace.hpp>
#include <warpgauge/simulate/warp_chooser.hpp>

/// \file One SM and its resident blocks, cycle by cycle (Chapuis et al. 2016, sec. 3.2).
///
/// In every cycle each scheduler may choose a warp and issue its next instruction, in order, if the
/// results that it needs are available and its unit can start it. If the authors' program departs from
/// that, this follows the text; P1 to P10 are explained in docs/hybrid.md. Cycles in which nothing can
/// be issued are counted without stepping through them.

namespace WARPGAUGE_NAMESPACE {

/// Simulates the blocks of `r` on one SM until the last result arrives. `observer(event)` is called at every issue of the
/// blocks that are simulated, in every round of their loops, in order of cycles. Blocks that are counted instead, as
/// `repeated_blocks` or `extrapolated_blocks` of the result, have no events, and their time is a gap between the events
/// before and after them. Memory is taken from `space`, before the first cycle.
/// \errors as `stream.hpp`, for the stream; also
///         not_an_enumerator  `policy`
///         negative, outside_domain, not_whole, overflow  a parameter of `p`: latencies are 1 to 65536 cycles,
///                                                        lanes and schedulers whole numbers
///         not_positive   `blocks`, `warps_per_block`
///         malformed      `instructions`: an access to global memory moves no bytes
///         missing        a number of units, a latency, `dram_transaction_bytes` or the `tensor_fmas` of a product
///                        that is not known, with the first entry of the stream that needs it
///         limit_reached  `instructions`: past `caps`; `cycles`: past `max_simulated_cycles`; `blocks`
///                        or `warps_per_block`: past `max_sm_warps`; `dram_latency_cycles`: more
///                        requests under way than `caps`
template <class Observer = no_observer>
[[nodiscard]] result<sm_estimate> simulate_sm(std::span<const instruction> stream,
                                              const sm_parameters& p, const sm_residency& r,
                                              warp_policy policy, const simulation_caps& caps,
                                              sm_workspace& space, Observer&& observer = {}) {
    if (const auto bad =
            core::check_enumerator(policy, warp_policy::greedy_then_oldest, "policy")) {
        return bad;
    }
    const auto mix = mix_of(stream);
    if (!mix) return mix.error();
    if (const auto bad = detail::simulate::check_sm(p)) return bad;
    if (const auto bad = detail::simulate::check_units(stream, p)) return bad;
    if (const auto bad = detail::simulate::check_residency(r)) return bad;
    const std::uint64_t warps = r.blocks * r.warps_per_block;
    if (mix->executed() * static_cast<double>(warps) >
            static_cast<double>(caps.warp_instructions) ||
        stream.size() > caps.words / 8) {
        return model_error{errc::limit_reached, "instructions"};
    }
    using seen_by = std::remove_reference_t<Observer>;
    using detail::simulate::sm_machine;
    return p.sub_cores > 1 ? sm_machine<sm_workspace, seen_by, 4>::simulate(stream, p, r, policy,
                                                                            caps, space, observer)
                           : sm_machine<sm_workspace, seen_by, 1>::simulate(stream, p, r, policy,
                                                                            caps, space, observer);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
