// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_LIVE_REGISTERS_HPP
#define WARPGAUGE_PTX_TRACE_LIVE_REGISTERS_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/link_kernel.hpp>
#include <warpgauge/ptx/link/live_rows.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>

/// \file The registers that a kernel needs, estimated from its text.

namespace WARPGAUGE_NAMESPACE::ptx {

/// The maximum of live 32-bit registers of a thread: an estimate of the registers that
/// the compiler will take. It may take fewer, by computing values again, and takes more where it unrolls
/// loops or loads ahead.
/// \errors missing, limit_reached  as `trace`
template <class = core::when_used>
[[nodiscard]] result<std::uint32_t> live_registers(const kernel& k);

namespace detail::trace {

/// The live registers of a kernel, with the maximum of those of the functions that it calls.
template <class Used = core::when_used>
result<std::uint32_t> live_registers(const ptx::link::program& p, std::uint64_t max_work) {
    std::uint32_t of_kernel = 0;
    std::uint32_t of_callee = 0;
    for (std::size_t r = 0; r < p.routines.size(); ++r) {
        const auto live = ptx::link::max_live_registers<Used>(p, p.routines[r], max_work);
        if (!live) return live.error();
        std::uint32_t& most = r == 0 ? of_kernel : of_callee;
        most = *live > most ? *live : most;
    }
    return of_kernel + of_callee;
}

}  // namespace detail::trace

template <class Used>
result<std::uint32_t> live_registers(const kernel& k) {
    if (!detail::trace::has_body(k)) return model_error{errc::missing, "kernel"};
    constexpr std::uint64_t max_work = trace_options{}.max_steps;
    const auto linked =
        link::link_kernel<Used>(*k.text, k.function, max_work, 0xffff'ffff, k.index);
    if (!linked) return linked.error();
    return detail::trace::live_registers<Used>(*linked, max_work);
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
