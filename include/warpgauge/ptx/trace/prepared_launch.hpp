// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_PREPARED_LAUNCH_HPP
#define WARPGAUGE_PTX_TRACE_PREPARED_LAUNCH_HPP

#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/ptx/link/link_kernel.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/reconvergence.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/branch_decisions.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/launch_input.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file What the warps of a launch are followed with: the linked kernel, its arguments' bytes, and what it does where
/// unknown data decides.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

struct prepared_launch {
    compute_capability capability{};  ///< whose memory it is
    program linked;
    std::vector<argument_bytes> arguments{};
    std::vector<ptx::run::known_field> fields{};  ///< of arguments that are structures
    std::vector<decision> decisions{};
};

/// \errors as `ptx::trace`, but for what following the warps finds
template <class Used = core::when_used>
result<prepared_launch> prepare_launch(const kernel& k, const launch& l,
                                       std::span<const argument> arguments,
                                       const trace_options& options) {
    if (!has_body(k)) return model_error{errc::missing, "kernel"};
    const function& f = k.text->functions[k.function];
    core::late<Used, prepared_launch> p;
    p.capability = options.capability;
    if (auto bad = check_launch(l, f)) return bad;
    if (p.capability == compute_capability{}) p.capability = target_of(*k.text);
    if (p.capability == compute_capability{}) return model_error{errc::missing, "capability"};
    if (auto bad = check_options(options)) return bad;
    auto linked =
        ptx::link::link_kernel<Used>(*k.text, k.function, options.max_steps,
                                     options.max_memory_bytes / sizeof(run::row_values), k.index);
    if (!linked) return linked.error();
    auto bound = bind_arguments<Used>(*linked, f, arguments);
    if (!bound) return bound.error();
    p.arguments = std::move(bound->parameters);
    p.fields = std::move(bound->fields);
    for (const ptx::link::routine& r : linked->routines) {
        if (auto bad = ptx::link::find_reconvergence<Used>(*linked, r, options.max_steps))
            return bad;
    }
    auto decisions = decide_branches<Used>(*linked, options);
    if (!decisions) return decisions.error();
    p.decisions = std::move(*decisions);
    p.linked = std::move(*linked);
    return p;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
