// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_BLOCK_ROWS_HPP
#define WARPGAUGE_PTX_RUN_BLOCK_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <warpgauge/ptx/run/waiting_bounds.hpp>

/// \file How many blocks make a row where kernels divide a number of the block, as `blockIdx.x % tiles`.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// The lengths of rows of blocks, each once.
class block_rows {
public:
    /// A number that moves `by` from block to block is divided by `divisor`. A multiplication and a shift divide too, and
    /// nearly by a whole number. Rows that do not end with a block are none.
    void add(const warp_distance& by, double divisor) {
        for (std::size_t d = 0; d < 3; ++d) {
            if (by[d] == 0) continue;
            const auto step = static_cast<double>(by[d]);
            const double exact = divisor / (step < 0 ? -step : step);
            if (!(exact >= 1.5 && exact < max_length)) continue;
            const auto length = static_cast<std::uint32_t>(exact + 0.5);
            const double off = exact / length - 1;
            if (off < nearly && -off < nearly) add(length);
        }
    }

    [[nodiscard]] std::span<const std::uint32_t> lengths() const { return {lengths_, count_}; }

private:
    static constexpr double max_length = 0x1p31;
    static constexpr double nearly = 1e-6;
    static constexpr std::size_t max_lengths = 8;

    void add(std::uint32_t length) {
        for (const std::uint32_t other : lengths()) {
            if (other == length) return;
        }
        if (count_ < max_lengths) lengths_[count_++] = length;
    }

    std::uint32_t lengths_[max_lengths]{};
    std::size_t count_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
