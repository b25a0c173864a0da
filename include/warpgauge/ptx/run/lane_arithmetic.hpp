// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_LANE_ARITHMETIC_HPP
#define WARPGAUGE_PTX_RUN_LANE_ARITHMETIC_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/unknown_base.hpp>
#include <warpgauge/ptx/run/unknown_results.hpp>
#include <warpgauge/ptx/run/whole_rows.hpp>

/// \file Integer arithmetic, lane by lane: one result from up to four sources. What decides little, most sums and products,
/// takes a short way: its sources are read where they stand.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// The type in which an instruction reads a source.
constexpr value_type source_type(const step& s, unsigned k) {
    if (k == 2 && s.what == action::multiply_add && s.part == halves::wide) {
        return {.bits = static_cast<std::uint8_t>(2 * s.type.bits > 64 ? 64 : 2 * s.type.bits),
                .is_signed = s.type.is_signed};
    }
    if (s.what == action::select_by_sign && k < 2) return s.type;
    const bool shifts = s.what == action::shift_left || s.what == action::shift_right;
    if (shifts && k == 1) return {.bits = 32};
    return s.from;
}

/// The bits of a result that count.
constexpr unsigned result_bits(const step& s) {
    const bool wide =
        s.part == halves::wide && (s.what == action::multiply || s.what == action::multiply_add);
    if (s.what == action::find_bit || s.what == action::leading_zeros ||
        s.what == action::count_ones) {
        return 32;
    }
    return wide ? 2U * s.type.bits : s.type.bits;
}

template <class Used = core::when_used>
class lane_arithmetic {
public:
    /// The registers must outlive it.
    explicit lane_arithmetic(register_file<Used>& registers) : registers_(registers) {}

    /// Writes the result of a step whose action `computed` knows.
    void compute(const step& s, std::uint32_t active) {
        const row_values* rows[4]{};
        std::uint32_t known = all_lanes;
        const unsigned sources = s.sources < 4 ? s.sources : 4;
        for (unsigned k = 0; k < sources; ++k) {
            rows[k] = &registers_.source_head(s, k);
            known &= rows[k]->known;
        }
        const std::uint32_t open = active & ~known;
        if (open != 0 && !may_fail(s) && !is_based(rows, sources, open)) {
            return registers_.forget(registers_.result(s), active);
        }
        if (open != 0 && is_plain_sum(s) && sources == 2) {
            return add_unknown(s, active, rows, known);
        }
        for (unsigned k = 0; k < sources; ++k)
            registers_.set_lanes(registers_.result(s, s.results + k));
        if (open != 0 || !takes_low_bits(s)) return compute_extended(s, active, rows, known);
        const auto of = [&](unsigned k) -> const lane_values& {
            return k < sources ? rows[k]->lanes : none;
        };
        const std::uint64_t kept = ones(result_bits(s));
        if (active == all_lanes) {
            lane_values* const to = registers_.overwritten(registers_.result(s));
            if (to != nullptr) compute_row(s, of(0), of(1), of(2), kept, *to);
            return;
        }
        lane_values out;
        compute_row(s, of(0), of(1), of(2), kept, out);
        registers_.write(registers_.result(s), out, known, active);
    }

private:
    static constexpr lane_values none{};

    // Each source `as` the type that the step reads it in.
    void compute_extended(const step& s, std::uint32_t active, const row_values* const (&rows)[4],
                          std::uint32_t known) {
        const unsigned sources = s.sources < 4 ? s.sources : 4;
        const std::uint64_t kept =
            s.what == action::convert ? ~std::uint64_t{0} : ones(result_bits(s));
        lane_values out;
        lane_values in[4];
        for (unsigned k = 0; k < sources; ++k) extend(source_type(s, k), rows[k]->lanes, in[k]);
        if (known == 0) {
            out.fill(0);
            return complete(s, active, in, rows, out, known);
        }
        const auto of = [&](unsigned k) -> const lane_values& {
            return k < sources ? in[k] : none;
        };
        if (!compute_row(s, of(0), of(1), of(2), kept, out)) {
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                out[l] = computed(s, of(0)[l], of(1)[l], of(2)[l], of(3)[l]) & kept;
            }
        }
        // A conversion fills the register that it writes, however wide, with the sign.
        if (s.what == action::convert) extend(s.type, out, out);
        if (may_fail(s)) {
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                if (of(1)[l] == 0) known &= ~(1U << l);
            }
        }
        if ((active & ~known) != 0) return complete(s, active, in, rows, out, known);
        registers_.write(registers_.result(s), out, known, active);
    }

    static bool may_fail(const step& s) {
        return s.what == action::divide || s.what == action::remainder;
    }
    static bool is_plain_sum(const step& s) {
        return (s.what == action::add || s.what == action::subtract) && takes_low_bits(s);
    }

    // A sum that is not known in all lanes: its low bits are those of the offsets' sum.
    void add_unknown(const step& s, std::uint32_t active, const row_values* const (&rows)[4],
                     std::uint32_t known) {
        const std::uint32_t open = active & ~known;
        std::array<source_values, 4> partly;
        for (unsigned k = 0; k < 2; ++k) {
            partly[k] = source_values(*rows[k], rows[k]->lanes, source_type(s, k), open);
        }
        const unknown_base base =
            unknown_results(s, result_bits(s), partly, 2, open).add(known, registers_.new_base(0));
        if (registers_.is_blank(registers_.result(s, s.results)) &&
            registers_.is_blank(registers_.result(s, s.results + 1U))) {
            return registers_.write_zeros(registers_.result(s), known, active, base);
        }
        const lane_values& a = registers_.source(s, 0).lanes;
        const lane_values& b = registers_.source(s, 1).lanes;
        lane_values out;
        compute_row(s, a, b, b, ones(result_bits(s)), out);
        registers_.write(registers_.result(s), out, known, active, base);
    }

    // Is some source more than a value for each lane of which nothing is known?
    static bool is_based(const row_values* const (&rows)[4], unsigned sources, std::uint32_t open) {
        bool based = false;
        for (unsigned k = 0; k < sources; ++k) {
            based = based || !rows[k]->base.is_opaque() || rows[k]->base.identity != 0 ||
                    (rows[k]->known & open) != 0;
        }
        return based;
    }

    // Writes a result that is not known in all lanes. Apart, so that the others are fast.
    [[gnu::noinline]] void complete(const step& s, std::uint32_t active, const lane_values (&in)[4],
                                    const row_values* const (&rows)[4], lane_values& out,
                                    std::uint32_t known) {
        const std::uint32_t open = active & ~known;
        const unsigned sources = s.sources < 4 ? s.sources : 4;
        if (!is_based(rows, sources, open)) {
            return registers_.forget(registers_.result(s), active);
        }
        std::array<source_values, 4> partly;
        for (unsigned k = 0; k < sources; ++k) {
            partly[k] = source_values(*rows[k], in[k], source_type(s, k), open);
        }
        const unknown_base base = unknown_results(s, result_bits(s), partly, sources, open)
                                      .complete(out, known, registers_.new_base(0));
        registers_.write(registers_.result(s), out, known, active, base);
    }

    register_file<Used>& registers_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
