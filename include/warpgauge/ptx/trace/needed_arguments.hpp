// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_NEEDED_ARGUMENTS_HPP
#define WARPGAUGE_PTX_TRACE_NEEDED_ARGUMENTS_HPP

#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/link_kernel.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/launch_input.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>

/// \file Which arguments a launch has to give.

namespace WARPGAUGE_NAMESPACE::ptx {

/// For each parameter of a kernel, in their order: does `trace` need an argument of it? It does of an integer, unless that is as
/// wide as an address and is a pointer, or is not used. It follows no warp and needs no launch. Of `options` it reads
/// `max_steps` and `max_memory_bytes`.
/// \errors missing, limit_reached  as `trace`, of the kernel and what it refers to
template <class Used = core::when_used>
[[nodiscard]] result<std::vector<bool>> needed_arguments(const kernel& k,
                                                         const trace_options& options = {}) {
    if (!detail::trace::has_body(k)) return model_error{errc::missing, "kernel"};
    const auto linked = link::link_kernel<Used>(
        *k.text, k.function, options.max_steps,
        options.max_memory_bytes / sizeof(detail::run::row_values), k.index);
    if (!linked) return linked.error();
    const function& f = k.text->functions[k.function];
    return detail::trace::argument_binder<Used>(*linked, f, {}).needed();
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
