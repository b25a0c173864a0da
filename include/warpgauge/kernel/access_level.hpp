// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_ACCESS_LEVEL_HPP
#define WARPGAUGE_KERNEL_ACCESS_LEVEL_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file The level that serves an access of a stream to global memory.

namespace WARPGAUGE_NAMESPACE {

/// The levels that serve one entry of a stream, the mean of its executions. L1 serves the rest of its bytes. Only entries
/// of `global_memory` have a level.
struct access_level {
    double beyond_l1 = 1;  ///< fraction of its bytes that miss L1, 0 to 1
    double from_dram = 1;  ///< fraction of its bytes that miss L2 too, 0 to `beyond_l1`

    friend constexpr bool operator==(const access_level&, const access_level&) = default;
};

/// The error of the levels of a stream with so many entries; no levels are no error.
/// \errors malformed                 `levels`: another number of them
///         negative, outside_domain  `beyond_l1`, `from_dram`; `line` is the entry, from 1
template <class Used = core::when_used>
[[nodiscard]] constexpr model_error check_levels(
    core::late<Used, std::span<const access_level>> levels, std::size_t entries) {
    if (levels.empty()) return {};
    if (levels.size() != entries) return {errc::malformed, "levels"};
    for (std::size_t at = 0; at < levels.size(); ++at) {
        const access_level& l = levels[at];
        const auto line = static_cast<std::uint32_t>(at + 1);
        if (!core::non_negative(l.beyond_l1)) return {errc::negative, "beyond_l1", line};
        if (!core::non_negative(l.from_dram)) return {errc::negative, "from_dram", line};
        if (l.beyond_l1 > 1) return {errc::outside_domain, "beyond_l1", line};
        if (l.from_dram > l.beyond_l1) return {errc::outside_domain, "from_dram", line};
    }
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
