// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_COMMANDS_HPP
#define WARPGAUGE_PROGRAM_COMMANDS_HPP

#include <string>
#include <vector>

#include "answer.hpp"
#include "kernel.hpp"
#include "launch.hpp"

/// \file The subcommands: from a request to an answer. Each has a file of its own.

namespace program {

/// What the subcommands are asked.
struct request {
    launch_request launch{};
    std::vector<launch_request> launches{};  ///< of `rank`
    std::vector<std::string> devices{}, models{};
    bool picture = false;            ///< an SVG is asked for
    bool details = false;            ///< `predict`
    std::vector<std::string> set{};  ///< `what-if`
    double keep = 0.1;               ///< `rank`
    std::string registers{};         ///< `occupancy`, without a file
    std::string device{};            ///< `devices`
};

[[nodiscard]] answer predict(const request& r);
[[nodiscard]] answer compare(const request& r);
[[nodiscard]] answer explain(const request& r);
[[nodiscard]] answer what_if(const request& r);
[[nodiscard]] answer occupancy(const request& r);
[[nodiscard]] answer rank(const request& r);
[[nodiscard]] answer devices(const request& r);

// --- What several of them say

/// "saxpy, 16 blocks of 256 threads, 12 registers, 0 B shared".
[[nodiscard]] std::string headline(const loaded_kernel& kernel, const followed_kernel& f);

/// The same as facts of JSON.
void add_facts(const loaded_kernel& kernel, const followed_kernel& f, answer& to);

/// What the warps do, which accesses they make, and what was assumed.
[[nodiscard]] std::string details_of(const loaded_kernel& kernel, const followed_kernel& f);

}  // namespace program

#endif
