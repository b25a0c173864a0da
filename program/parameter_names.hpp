// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_PARAMETER_NAMES_HPP
#define WARPGAUGE_PROGRAM_PARAMETER_NAMES_HPP

#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/trace/find_kernel.hpp>

/// \file The names that the parameters of a kernel have in its source.

namespace program {

/// The name of each parameter. CUDA `source`, which may be empty, gives them if it defines one `__global__` function of that
/// name with as many parameters, of which pointers are as wide as addresses. Otherwise PTX gives those that a compiler has
/// not numbered, as in `saxpy_param_0`. A name that neither gives is empty.
[[nodiscard]] std::vector<std::string> parameter_names(const warpgauge::ptx::kernel& k,
                                                       std::string_view source);

}  // namespace program

#endif
