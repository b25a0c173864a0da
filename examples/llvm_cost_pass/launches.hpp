// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_LLVM_COST_PASS_LAUNCHES_HPP
#define WARPGAUGE_EXAMPLES_LLVM_COST_PASS_LAUNCHES_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file How kernels are launched, in JSON that the program `warpgauge` reads, too.

namespace cost_pass {

struct kernel_launch {
    std::string kernel{};  ///< empty: every kernel that has no launch of its own
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint64_t shared_bytes{};
    std::vector<std::optional<std::int64_t>> arguments{};
};

struct launch_list {
    std::vector<kernel_launch> all{};
    std::string error{};  ///< why the text is none; empty if it is

    [[nodiscard]] const kernel_launch* of(std::string_view kernel) const;
};

/// Reads JSON, an object or an array of them, or the file of that name. Members are `kernel`, `grid` or `threads`,
/// `block`, `shared_bytes` and `arguments`, an array with null for what is no integer.
[[nodiscard]] launch_list read_launches(std::string_view text_or_path);

}  // namespace cost_pass

#endif
