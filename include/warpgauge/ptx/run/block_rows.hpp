// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_BLOCK_ROWS_HPP
#define WARPGAUGE_PTX_RUN_BLOCK_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/moving_rows.hpp>
#include <warpgauge/ptx/run/row_motion.hpp>
#include <warpgauge/ptx/run/waiting_bounds.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

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
            const auto length = static_cast<std::uint32_t>(core::floor(exact + 0.5));
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

/// By what a step divides a number, of which `by` is the same in all lanes; 0: it does not.
constexpr std::uint64_t divisor_of(ptx::text::action what, std::uint64_t by) {
    using ptx::text::action;
    switch (what) {
        case action::divide:
        case action::remainder: return by;
        case action::shift_right: return by < 63 ? std::uint64_t{1} << by : 0;
        case action::bit_and: return (by & (by + 1)) == 0 ? by + 1 : 0;
        default: return 0;
    }
}

/// Adds the rows of a step that divides a number which moves from block to block.
template <class Used>
void see_division(const moving_rows<Used>& rows, const step& s, std::uint32_t active,
                  block_rows& to) {
    if (s.sources < 2 || divisor_of(s.what, 1) == 0) return;
    const warp_motion& m = rows.source(s, 0);
    std::uint64_t by = 0;
    if (m.how != warp_motion::kind::even || rows.moves(s, 1)) return;
    if (!same_in_all(rows.values(s, 1).lanes, active, by)) return;
    to.add(m.by, static_cast<double>(divisor_of(s.what, by)));
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
