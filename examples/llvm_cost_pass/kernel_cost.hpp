// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_LLVM_COST_PASS_KERNEL_COST_HPP
#define WARPGAUGE_EXAMPLES_LLVM_COST_PASS_KERNEL_COST_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launches.hpp"

/// \file What warpgauge says of the kernels of a text. C++17: LLVM is not compiled with anything later.

namespace cost_pass {

struct remark {
    std::string cause{};  ///< "Time"
    std::string text{};
    std::uint32_t line{};  ///< of `.loc`; 0: the kernel as a whole
};

struct kernel_remarks {
    std::string kernel{};
    std::vector<remark> remarks{};
};

/// One remark for each cause: the time and what limits it, what one more block takes, and accesses that need more
/// transactions than if lanes were side by side. Where there is no time, "NoTime" says why.
[[nodiscard]] std::vector<kernel_remarks> remarks_of(std::string_view ptx, std::string_view gpu,
                                                     const launch_list& launches);

}  // namespace cost_pass

#endif
