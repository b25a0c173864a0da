// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sass.hpp"

template warpgauge::result<warpgauge::sass::machine_code> warpgauge::sass::read_cubin<>(
    warpgauge::sass::byte_view, std::string_view);
template warpgauge::result<warpgauge::sass::executed_code> warpgauge::sass::join<>(
    const warpgauge::ptx::module&, const warpgauge::ptx::traced_kernel&,
    const warpgauge::sass::machine_code&);
template warpgauge::result<warpgauge::sass::machine_stream> warpgauge::sass::stream_of<>(
    const warpgauge::sass::executed_code&, const warpgauge::ptx::traced_kernel&, std::size_t);
