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

/// Rows of blocks along a dimension of the grid: a row begins after each `blocks` of them, perhaps within one.
struct block_row {
    std::size_t dimension{};
    double blocks{};

    [[nodiscard]] constexpr bool ends_with_block() const { return blocks == core::floor(blocks); }
};

/// The lengths of rows of blocks, each once.
class block_rows {
public:
    /// A number that moves so from block to block is divided by `divisor`. A multiplication and a shift divide too, and
    /// nearly by a whole number. Where each block has whole rows there are none of blocks.
    void add(const mean_motion& mean, double divisor) {
        for (std::size_t d = 0; d < mean.size(); ++d) {
            const double step = mean[d] < 0 ? -mean[d] : mean[d];
            if (step == 0 || !(divisor > 0)) continue;
            const double exact = divisor / step;
            const bool is_likely = exact < max_length && exact > 1 / max_length;
            if (!is_likely || is_whole(1 / exact)) continue;
            add(block_row{d, is_whole(exact) ? core::floor(exact + 0.5) : exact});
        }
    }

    [[nodiscard]] std::span<const block_row> all() const { return {rows_, count_}; }

private:
    static constexpr double max_length = 0x1p31;
    static constexpr double nearly = 1e-6;
    static constexpr std::size_t max_rows = 8;

    static constexpr bool is_whole(double number) {
        const double whole = core::floor(number + 0.5);
        const double off = whole - number;
        return whole > 0 && off < nearly * number && -off < nearly * number;
    }

    void add(const block_row& more) {
        for (const block_row& other : all()) {
            if (other.dimension == more.dimension && other.blocks == more.blocks) return;
        }
        if (count_ < max_rows) rows_[count_++] = more;
    }

    block_row rows_[max_rows]{};
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

/// Is a source the same in all lanes and warps? `value` gets it.
template <class Used>
bool is_constant(const moving_rows<Used>& rows, const step& s, unsigned source,
                 std::uint32_t active, std::uint64_t& value) {
    return !rows.moves(s, source) && same_in_all(rows.values(s, source).lanes, active, value);
}

/// What a step multiplies by if its other source is the same in all lanes and warps; 0: it is not.
template <class Used>
double factor_of(const moving_rows<Used>& rows, const step& s, unsigned source,
                 std::uint32_t active) {
    std::uint64_t by = 0;
    if (!is_constant(rows, s, source, active, by)) return 0;
    const unsigned bits = s.from.bits;
    const bool is_signed = s.from.is_signed || s.part == ptx::link::halves::low;
    const double factor =
        is_signed ? static_cast<double>(static_cast<std::int64_t>(sign_extended(by, bits)))
                  : static_cast<double>(by);
    if (s.part != ptx::link::halves::high) return factor;
    return factor / (bits < 64 ? static_cast<double>(std::uint64_t{1} << bits) : 0x1p64);
}

/// By what the result of a step moves, on the average: a quotient moves as its dividend over the divisor, and what
/// remains does not.
template <class Used>
mean_motion mean_result(const moving_rows<Used>& rows, const step& s, std::uint32_t active) {
    using ptx::text::action;
    const mean_motion a = mean_of(rows.source(s, 0));
    const mean_motion b = s.sources > 1 ? mean_of(rows.source(s, 1)) : mean_motion{};
    double of_a = 0;
    double of_b = 0;
    mean_motion added{};
    std::uint64_t by = 0;
    const auto known_by = [&] { return is_constant(rows, s, 1, active, by); };
    switch (s.what) {
        case action::convert: of_a = 1; break;
        case action::add: of_a = of_b = 1; break;
        case action::subtract:
            of_a = 1;
            of_b = -1;
            break;
        case action::multiply_add: added = mean_of(rows.source(s, 2)); [[fallthrough]];
        case action::multiply:
            of_a = factor_of(rows, s, 1, active);
            of_b = factor_of(rows, s, 0, active);
            break;
        case action::divide:
            if (known_by() && by != 0) of_a = 1 / static_cast<double>(by);
            break;
        case action::shift_left:
            if (known_by() && by < 63) of_a = static_cast<double>(std::uint64_t{1} << by);
            break;
        case action::shift_right:  // the sign alone moves hardly
            if (known_by() && by + 1 < s.type.bits) {
                of_a = 1 / static_cast<double>(std::uint64_t{1} << by);
            }
            break;
        default: break;
    }
    mean_motion mean;
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] = of_a * a[d] + of_b * b[d] + added[d];
    return mean;
}

/// A motion itself, or, where it is uneven, what that of the result of a step is on the average.
template <class Used>
warp_motion with_mean(const warp_motion& m, const moving_rows<Used>& rows, const step& s,
                      std::uint32_t active) {
    return m.how == warp_motion::kind::uneven ? uneven_by(mean_result(rows, s, active)) : m;
}

/// Adds the rows of a step that divides a number which moves from block to block.
template <class Used>
void see_division(const moving_rows<Used>& rows, const step& s, std::uint32_t active,
                  block_rows& to) {
    if (s.sources < 2 || divisor_of(s.what, 1) == 0) return;
    std::uint64_t by = 0;
    if (!is_constant(rows, s, 1, active, by)) return;
    to.add(mean_of(rows.source(s, 0)), static_cast<double>(divisor_of(s.what, by)));
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
