// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx.hpp"

template warpgauge::result<warpgauge::ptx::module> warpgauge::ptx::parse<>(std::string_view);
template warpgauge::result<warpgauge::ptx::traced_kernel> warpgauge::ptx::trace<>(
    const warpgauge::ptx::kernel&, const warpgauge::ptx::launch&,
    std::span<const warpgauge::ptx::argument>, const warpgauge::ptx::trace_options&);
template warpgauge::result<std::uint32_t> warpgauge::ptx::live_registers<>(
    const warpgauge::ptx::kernel&);
template warpgauge::result<std::vector<bool>> warpgauge::ptx::needed_arguments<>(
    const warpgauge::ptx::kernel&, const warpgauge::ptx::trace_options&);
template warpgauge::result<warpgauge::ptx::recorded_requests> warpgauge::ptx::record_requests<>(
    const warpgauge::ptx::kernel&, const warpgauge::ptx::launch&,
    std::span<const warpgauge::ptx::argument>, const warpgauge::ptx::record_options&);
