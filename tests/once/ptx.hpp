// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_ONCE_PTX_HPP
#define WARPGAUGE_TESTS_ONCE_PTX_HPP

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/live_registers.hpp>
#include <warpgauge/ptx/trace/needed_arguments.hpp>
#include <warpgauge/ptx/trace/record_requests.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

// Instantiated in ptx.cpp, and in no other unit.

extern template warpgauge::result<warpgauge::ptx::module> warpgauge::ptx::parse<>(std::string_view);
extern template warpgauge::result<warpgauge::ptx::traced_kernel> warpgauge::ptx::trace<>(
    const warpgauge::ptx::kernel&, const warpgauge::ptx::launch&,
    std::span<const warpgauge::ptx::argument>, const warpgauge::ptx::trace_options&);
extern template warpgauge::result<std::uint32_t> warpgauge::ptx::live_registers<>(
    const warpgauge::ptx::kernel&);
extern template warpgauge::result<std::vector<bool>> warpgauge::ptx::needed_arguments<>(
    const warpgauge::ptx::kernel&, const warpgauge::ptx::trace_options&);
extern template warpgauge::result<warpgauge::ptx::recorded_requests>
warpgauge::ptx::record_requests<>(const warpgauge::ptx::kernel&, const warpgauge::ptx::launch&,
                                  std::span<const warpgauge::ptx::argument>,
                                  const warpgauge::ptx::record_options&);

#endif
