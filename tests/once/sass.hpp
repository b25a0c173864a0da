// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_ONCE_SASS_HPP
#define WARPGAUGE_TESTS_ONCE_SASS_HPP

#include <cstddef>
#include <string_view>

#include <warpgauge/sass/cubin.hpp>
#include <warpgauge/sass/join.hpp>
#include <warpgauge/sass/machine_stream.hpp>

// Instantiated in sass.cpp, and in no other unit.

extern template warpgauge::result<warpgauge::sass::machine_code> warpgauge::sass::read_cubin<>(
    warpgauge::sass::byte_view, std::string_view);
extern template warpgauge::result<warpgauge::sass::executed_code> warpgauge::sass::join<>(
    const warpgauge::ptx::module&, const warpgauge::ptx::traced_kernel&,
    const warpgauge::sass::machine_code&);
extern template warpgauge::result<warpgauge::sass::machine_stream> warpgauge::sass::stream_of<>(
    const warpgauge::sass::executed_code&, const warpgauge::ptx::traced_kernel&, std::size_t);

#endif
