// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_ARGUMENTS_HPP
#define WARPGAUGE_PROGRAM_ARGUMENTS_HPP

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>

/// \file The arguments of a kernel, as a command line has them.
///
/// PTX does not keep the names of parameters. A name that it does not have stands for the next integer parameter, and
/// so does a value without a name; a number is a parameter's place, from 0; `?` is a value that nothing is known of.
/// Of a structure, `0+16:4=1024` is a field of 4 B from its byte 16 on, and `0=x0001fe` all of its bytes.

namespace program {

/// Arguments, and what they are views of. It stays where it is made.
struct bound_arguments {
    std::vector<warpgauge::ptx::argument> given{};
    std::map<std::size_t, std::vector<unsigned char>> bytes{};
    std::map<std::size_t, std::vector<warpgauge::ptx::argument_field>> fields{};
};

/// Writes the arguments that `texts` give to `to`.
void bind(const std::vector<std::string>& texts, const warpgauge::ptx::kernel& k,
          bound_arguments& to);

/// Which parameters a trace needs a value of: integers, but for those that are as wide as an address and flow into one.
[[nodiscard]] std::vector<bool> needed_values(const warpgauge::ptx::kernel& k);

}  // namespace program

#endif
