// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_ARGUMENTS_HPP
#define WARPGAUGE_PROGRAM_ARGUMENTS_HPP

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>

#include "launch.hpp"

/// \file The arguments of a kernel, as a command line has them.
///
/// A name is that of the source, or of PTX. Where neither is known (`parameter_names`), names stand for the next integer
/// parameters, in their order. So does a value without a name. A number is a parameter's place, from 0; `?` is a value
/// that nothing is known of.
/// Of a structure, `0+16:4=1024` is a field of 4 B from its byte 16 on, and `0=x0001fe` all of its bytes.

namespace program {

/// Arguments, and what they are views of. It stays where it is made.
struct bound_arguments {
    std::vector<warpgauge::ptx::argument> given{};
    std::map<std::size_t, std::vector<unsigned char>> bytes{};
    std::map<std::size_t, std::vector<warpgauge::ptx::argument_field>> fields{};
    std::string note{};  ///< which parameters names are taken for that no text has; empty: none
};

/// Writes the arguments of a launch to `to`. `source` is the CUDA source of the kernel, or empty.
void bind(const launch_request& r, const warpgauge::ptx::kernel& k, std::string_view source,
          bound_arguments& to);

/// Which parameters a trace needs a value of: integers, but for those that are as wide as an address and flow into one.
[[nodiscard]] std::vector<bool> needed_values(const warpgauge::ptx::kernel& k);

}  // namespace program

#endif
