// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_GPUS_HPP
#define WARPGAUGE_PROGRAM_GPUS_HPP

#include <string>
#include <vector>

#include <warpgauge/by_name/any_device.hpp>

/// \file GPUs by name. This is the one unit that compiles what is made for each of them.

namespace program {

/// Every GPU of the library, oldest first.
[[nodiscard]] std::vector<warpgauge::any_device> all_gpus();

/// The GPU of that name; where there is none, it fails with a name that is near.
[[nodiscard]] warpgauge::any_device gpu_called(const std::string& name);

/// Those of these names; without any, four of the last generations.
[[nodiscard]] std::vector<warpgauge::any_device> gpus_called(const std::vector<std::string>& names);

}  // namespace program

#endif
