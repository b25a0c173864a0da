// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_LAUNCH_HPP
#define WARPGAUGE_PROGRAM_LAUNCH_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file A kernel and its launch, as flags or a JSON file say it.

namespace program {

/// Texts are as a command line has them. What is empty is not given.
struct launch_request {
    std::string name{};    ///< of the launch, in a ranking
    std::string file{};    ///< PTX, or CUDA source
    std::string kernel{};  ///< empty: the only one there is
    std::string grid{}, block{}, threads{}, shared{};
    std::vector<std::string> arguments{};  ///< "NAME=VALUE" or "VALUE"
    bool unordered_arguments = false;      ///< they are members of an object
    std::vector<std::string> macros{};     ///< "NAME=VALUE", to compile CUDA source with
    std::string architecture{};            ///< to compile it for: "sm_90"
    std::vector<std::string> rounds{}, taken{};
    std::string ptxas{};
    bool all_blocks = false;
};

/// What a file of launches says.
struct launch_file {
    std::vector<launch_request> launches{};
    std::vector<std::string> devices{}, models{};
};

/// Reads a JSON object, or an array of them. Names of files are relative to its folder.
[[nodiscard]] launch_file read_launch_file(const std::string& path);

/// The same of a text, as the content of the file `path`.
[[nodiscard]] launch_file launches_in(const std::string& path, std::string_view text);

/// `given` with what only `otherwise` says.
[[nodiscard]] launch_request completed(launch_request given, const launch_request& otherwise);

/// Grid, block and shared memory. Without a grid, as many blocks as `threads` needs.
[[nodiscard]] warpgauge::ptx::launch launch_of(const launch_request& r);

/// "16", "16,8" or "16x8x2". `option` is named where it is none.
[[nodiscard]] warpgauge::ptx::extent extent_of(const std::string& option, const std::string& text);

}  // namespace program

#endif
