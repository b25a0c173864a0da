// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_KERNEL_TUNER_HPP
#define WARPGAUGE_PROGRAM_KERNEL_TUNER_HPP

#include <string>
#include <utility>
#include <vector>

#include "launch.hpp"

/// \file What Kernel Tuner has recorded of a tuning run: its cache file, or results in the T4 format.

namespace program {

/// One configuration, and what was measured of it.
struct tuned_configuration {
    std::vector<std::pair<std::string, std::string>> parameters{};  ///< as macros: name and value
    double seconds{};        ///< of a launch; 0: it did not run
    double spent_seconds{};  ///< by the tuner: compiling, running, checking
};

struct tuner_record {
    std::string kernel{};        ///< empty: not recorded, as in T4
    std::string problem_size{};  ///< "4096,4096"; empty: not recorded
    std::vector<tuned_configuration> configurations{};
};

/// Reads a file. It fails by `failure`.
[[nodiscard]] tuner_record read_tuner_record(const std::string& path);

/// Removes the configurations that do not fulfil a restriction, which is written as for Kernel Tuner. It fails by
/// `failure`.
void restrict_to(const std::string& restriction, tuner_record& record);

/// How Kernel Tuner finds the grid: along each dimension the problem's size, divided by all parameters of a list.
struct grid_divisors {
    std::vector<std::string> x{}, y{}, z{};  ///< empty: the block's side
};

/// The launch of a configuration: `block_size_x`, `_y` and `_z` are the block, and every parameter is a macro.
[[nodiscard]] launch_request launch_of(const tuned_configuration& c,
                                       const std::string& problem_size,
                                       const grid_divisors& divisors, launch_request like);

}  // namespace program

#endif
