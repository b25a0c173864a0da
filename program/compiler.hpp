// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_COMPILER_HPP
#define WARPGAUGE_PROGRAM_COMPILER_HPP

#include <string>
#include <vector>

/// \file From CUDA source to PTX, by the compiler that is on the path.

namespace program {

/// What a compiler has made of a file.
struct compiled_source {
    std::string ptx{};
    std::string ptxas{};  ///< what `ptxas -v` says of it; empty without ptxas
};

/// Compiles by nvcc, or without it by clang, which needs no CUDA installation for source that includes nothing.
/// `macros` are "NAME=VALUE"; `architecture` is "sm_90", or empty for the oldest that today's compilers make.
[[nodiscard]] compiled_source compile_cuda(const std::string& source,
                                           const std::vector<std::string>& macros,
                                           const std::string& architecture);

}  // namespace program

#endif
