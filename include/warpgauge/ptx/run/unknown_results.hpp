// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_UNKNOWN_RESULTS_HPP
#define WARPGAUGE_PTX_RUN_UNKNOWN_RESULTS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/unknown_base.hpp>
#include <warpgauge/ptx/run/whole_rows.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file What an instruction makes of sources that are not known in all lanes: a sum or a multiple of a base is a base,
/// with its offset; `and` with 0 is 0; and of anything else, lanes with equal sources have equal results.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// One source of a step, in the lanes in which some source is not known.
struct source_values {
    const row_values* row{};
    const lane_values* values{};  ///< `as` the type that it is read in
    value_type type{};
    std::uint32_t lanes{};    ///< those looked at
    std::uint32_t unknown{};  ///< of them

    constexpr source_values() = default;
    constexpr source_values(const row_values& r, const lane_values& as_type, const value_type& t,
                            std::uint32_t looked_at)
        : row(&r), values(&as_type), type(t), lanes(looked_at), unknown(looked_at & ~r.known) {}

    [[nodiscard]] constexpr bool is_known(std::size_t lane) const {
        return (row->known >> lane & 1U) != 0;
    }
    /// The offset from the base, which may be below it; of a known lane the value.
    [[nodiscard]] constexpr std::uint64_t offset(std::size_t lane) const {
        return is_known(lane) ? (*values)[lane] : sign_extended(row->lanes[lane], type.bits);
    }
    /// Bits of the base that may be set, as the type has them.
    [[nodiscard]] constexpr std::uint64_t base_bits() const {
        const std::uint64_t bits = row->base.possible_bits();
        const bool negative = type.is_signed && (bits >> (type.bits - 1U) & 1U) != 0;
        return negative ? bits | ~ones(type.bits) : bits & ones(type.bits);
    }
    /// Bits of one lane's value that may be set.
    [[nodiscard]] constexpr std::uint64_t possible(std::size_t lane) const {
        if (is_known(lane)) return (*values)[lane] & ones(type.bits);
        const std::uint64_t o = offset(lane) & ones(type.bits);
        const std::uint64_t b = base_bits() & ones(type.bits);
        return (o & b) == 0 ? o | b : ones(type.bits);
    }
    [[nodiscard]] constexpr std::uint64_t possible() const {
        std::uint64_t all = 0;
        for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
            all |= possible(static_cast<std::size_t>(std::countr_zero(left)));
        }
        return all;
    }
    /// Is the same known of all lanes?
    [[nodiscard]] constexpr bool are_alike() const {
        if (unknown != 0 && unknown != lanes) return false;
        const lane_values& all = unknown != 0 ? row->lanes : *values;
        const std::uint64_t first = all[static_cast<std::size_t>(std::countr_zero(lanes))];
        std::uint64_t off = 0;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            off |= has_lane(lanes, l) ? all[l] ^ first : 0;
        }
        return off == 0;
    }
    /// The value that all lanes have; false if they have not, or it is not known.
    [[nodiscard]] constexpr bool one_value(std::uint64_t& value) const {
        if (unknown != 0) return false;
        value = (*values)[static_cast<std::size_t>(std::countr_zero(lanes))];
        for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
            if ((*values)[static_cast<std::size_t>(std::countr_zero(left))] != value) return false;
        }
        return true;
    }
};

/// The least and the greatest that a value may be, as its type orders them.
struct value_range {
    std::uint64_t least{};
    std::uint64_t most{};
};

constexpr value_range range_of(const source_values& p, std::size_t lane) {
    if (p.is_known(lane)) return {(*p.values)[lane], (*p.values)[lane]};
    const unsigned bits = p.type.bits;
    const std::uint64_t top = p.type.is_signed ? ones(bits - 1) : ones(bits);
    const value_range all = p.type.is_signed ? value_range{~top, top} : value_range{0, top};
    const std::uint64_t o = p.offset(lane);
    const std::uint64_t b = p.base_bits();
    const bool below = static_cast<std::int64_t>(o) < 0;
    if (b > top || (below && !p.type.is_signed)) return all;
    if (below ? false : o > top - b) return all;
    return {o, o + b};
}

/// The number of bits up to the highest that is set.
constexpr int width(std::uint64_t bits) {
    return 64 - std::countl_zero(bits);
}

/// The bits from `low` to before `high`.
constexpr std::uint64_t between(int low, int high) {
    if (low >= 64) return 0;
    return (high >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << high) - 1) >> low << low;
}

/// The bits that a sum may have.
constexpr std::uint64_t sum_bits(std::uint64_t a, std::uint64_t b) {
    const int low = std::countr_zero(a | b);
    const int high = width(a | b) + 1;
    return between(low, high);
}

/// What a step computes from sources of which some are not known.
class unknown_results {
public:
    unknown_results(const step& s, unsigned bits, const std::array<source_values, 4>& in,
                    unsigned sources, std::uint32_t lanes)
        : step_(s), bits_(bits), in_(in), sources_(sources), lanes_(lanes) {}

    /// Puts results, and the offsets of unknown ones, in `out`; adds lanes that are known after all to `known`. The
    /// base of the others; `other` if it is not one of the sources' or their sum.
    unknown_base complete(lane_values& out, std::uint32_t& known, const unknown_base& other) {
        for (std::uint32_t left = may_be_absorbed() ? lanes_ : 0; left != 0; left &= left - 1) {
            const auto l = static_cast<std::size_t>(std::countr_zero(left));
            if (!absorbed(l, out[l])) continue;
            out[l] &= ones(bits_);
            known |= 1U << l;
        }
        lanes_ &= ~known;
        if (lanes_ == 0) return other;
        for (unsigned k = 0; k < sources_; ++k) {
            in_[k].lanes = lanes_;
            in_[k].unknown &= lanes_;
        }
        if (find_weights()) return add_up(out, known, other);
        unknown_base base = other;
        base.breaks = 0;
        for (unsigned k = 0; k < sources_; ++k) {
            if (in_[k].unknown != 0) base.breaks |= in_[k].row->base.breaks;
            if (in_[k].unknown != lanes_) base.breaks |= edges_of(in_[k].unknown);
            base.breaks |= breaks_of(in_[k].row->lanes);
        }
        base.bits = other_bits();
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if ((lanes_ >> l & 1U) != 0) out[l] = 0;
        }
        return base;
    }

    /// The base of a sum or a difference, whose lanes have the sum of all offsets.
    unknown_base add(std::uint32_t& known, const unknown_base& other) {
        find_weights();
        return base_of_sum(known, other);
    }

private:
    // --- Values that one source decides

    // Is there a lane to look at?
    [[nodiscard]] bool may_be_absorbed() const {
        const std::uint32_t known =
            in_[0].row->known | (sources_ > 1 ? in_[1].row->known : std::uint32_t{0});
        switch (step_.what) {
            case action::add:
            case action::subtract: return false;
            case action::convert: return narrow_bits() <= in_[0].row->base.zeros();
            case action::bit_and:
            case action::bit_or:
            case action::multiply:
            case action::multiply_24:
            case action::multiply_add:
            case action::multiply_add_24:
            case action::minimum:
            case action::maximum: return (known & lanes_) != 0;
            default: return true;
        }
    }

    bool absorbed(std::size_t l, std::uint64_t& out) const {
        const source_values& a = in_[0];
        const source_values& b = in_[1];
        switch (step_.what) {
            case action::bit_and:
                return sources_ > 1 && (masked(a, b, l, out) || masked(b, a, l, out));
            case action::bit_or: return has(l, ones(bits_), out);
            case action::multiply:
            case action::multiply_24: return has(l, 0, out);
            case action::multiply_add:
            case action::multiply_add_24: {
                if (sources_ < 3 || !in_[2].is_known(l) || !has(l, 0, out)) return false;
                out = (*in_[2].values)[l];
                return true;
            }
            case action::minimum: return bounded(l, out, false);
            case action::maximum: return bounded(l, out, true);
            case action::shift_left:
            case action::shift_right: {
                const bool sign = step_.what == action::shift_right && step_.type.is_signed;
                out = 0;
                return !sign && b.is_known(l) && ((*b.values)[l] & 0xffff'ffff) >= step_.type.bits;
            }
            case action::divide: {
                out = 0;
                return !a.type.is_signed && range_of(a, l).most < range_of(b, l).least;
            }
            case action::remainder: out = 0; return b.is_known(l) && (*b.values)[l] == 1;
            case action::extract: return extracted_low(l, out);
            case action::convert:
                if (narrow_bits() > a.row->base.zeros()) return false;
                out = as(step_.type, as(a.type, a.offset(l)));
                return true;
            default: return false;
        }
    }

    // Does one of two factors or terms have a value that is then the result's?
    bool has(std::size_t l, std::uint64_t value, std::uint64_t& out) const {
        for (unsigned k = 0; k < 2 && k < sources_; ++k) {
            const std::uint64_t all = ones(in_[k].type.bits);
            if (in_[k].is_known(l) && ((*in_[k].values)[l] & all) == (value & all)) {
                out = value;
                return true;
            }
        }
        return false;
    }

    // Only bits are wanted that the base does not have.
    static bool masked(const source_values& x, const source_values& mask, std::size_t l,
                       std::uint64_t& out) {
        if (!mask.is_known(l)) return false;
        const std::uint64_t m = (*mask.values)[l] & ones(mask.type.bits);
        const std::uint64_t o = x.offset(l) & ones(x.type.bits);
        const std::uint64_t b = x.base_bits() & ones(x.type.bits);
        const bool low = (m & ~ones(x.row->base.zeros())) == 0;
        if (!low && ((b & o) != 0 || (b & m) != 0)) return false;
        out = o & m;
        return true;
    }

    bool bounded(std::size_t l, std::uint64_t& out, bool maximum) const {
        if (sources_ < 2) return false;
        for (unsigned k = 0; k < 2; ++k) {
            if (!in_[k].is_known(l)) continue;
            const std::uint64_t limit = (*in_[k].values)[l];
            const value_range r = range_of(in_[1 - k], l);
            if (maximum ? less(step_.type, limit, r.most) : less(step_.type, r.least, limit)) {
                continue;
            }
            out = limit;
            return true;
        }
        return false;
    }

    bool extracted_low(std::size_t l, std::uint64_t& out) const {
        if (sources_ < 3 || !in_[1].is_known(l) || !in_[2].is_known(l)) return false;
        const std::uint64_t from = (*in_[1].values)[l] & 0xff;
        const std::uint64_t length = (*in_[2].values)[l] & 0xff;
        if (length != 0 && from + length > in_[0].row->base.zeros()) return false;
        out = extracted(step_.type, in_[0].offset(l), from, length);
        return true;
    }

    // --- Sums of multiples

    // The bits that a conversion takes over.
    [[nodiscard]] unsigned narrow_bits() const {
        return step_.type.bits < step_.from.bits ? step_.type.bits : step_.from.bits;
    }

    // How often each source is in the result; false if it is no sum of multiples.
    bool find_weights() {
        std::uint64_t value = 0;
        switch (step_.what) {
            case action::convert: {
                const std::uint64_t all = ones(narrow_bits());
                weights_[0] = 1;
                return narrow_bits() >= 32 || (in_[0].possible() & ~all) == 0;
            }
            case action::move: return weigh(1, 0, 0);
            case action::add: return weigh(1, 1, 0);
            case action::subtract: return weigh(1, ~std::uint64_t{0}, 0);
            case action::negate:
            case action::bit_not: return weigh(bits_ == 1 ? 1 : ~std::uint64_t{0}, 0, 0);
            case action::bit_xor: return bits_ == 1 && weigh(1, 1, 0);
            case action::bit_or:
                return bits_ != 1 && (in_[0].possible() & in_[1].possible()) == 0 && weigh(1, 1, 0);
            case action::bit_and: return is_alignment(0) || is_alignment(1);
            case action::multiply:
            case action::multiply_add:
                if (step_.part == ptx::link::halves::high) return false;
                adds_product_ = in_[0].unknown == 0 && in_[1].unknown == 0;
                if (adds_product_) return weigh(0, 0, 1);
                if (in_[1].one_value(value)) return weigh(value, 0, 1);
                if (in_[0].one_value(value)) return weigh(0, value, 1);
                return false;
            case action::shift_left:
                return in_[1].one_value(value) && weigh(std::uint64_t{1} << (value & 63), 0, 0);
            case action::shift_right:
                if (!in_[1].one_value(value) || value > in_[0].row->base.zeros()) return false;
                shift_ = static_cast<unsigned>(value);
                return in_[0].unknown == lanes_ && weigh(1, 0, 0);
            default: return false;
        }
    }

    bool weigh(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        weights_[0] = a;
        weights_[1] = b;
        weights_[2] = c;
        weights_[3] = 0;
        return true;
    }

    // `and` with a mask that cuts low bits off which the base does not have.
    bool is_alignment(unsigned k) {
        std::uint64_t mask = 0;
        const source_values& x = in_[k];
        if (x.unknown != lanes_ || !in_[1 - k].one_value(mask)) return false;
        const std::uint64_t all = ones(bits_);
        const std::uint64_t low = ~mask & all;
        const bool cuts = (low & (low + 1)) == 0 && (low & ~ones(x.row->base.zeros())) == 0;
        bool keeps = (x.base_bits() & all & ~mask) == 0;
        for (std::uint32_t left = lanes_; left != 0 && keeps; left &= left - 1) {
            const auto l = static_cast<std::size_t>(std::countr_zero(left));
            keeps = (x.offset(l) & x.base_bits() & all) == 0;
        }
        if (!cuts && !keeps) return false;
        mask_ = cuts ? mask | ~all : mask;
        return k == 0 ? weigh(1, 0, 0) : weigh(0, 1, 0);
    }

    // A weight as it counts in the result: 0xffffffff is -1 there.
    [[nodiscard]] std::uint64_t signed_weight(unsigned k) const {
        return sign_extended(weights_[k], bits_ < 2 ? 64 : bits_);
    }

    unknown_base add_up(lane_values& out, std::uint32_t& known, const unknown_base& other) {
        put(out, offsets_of_sum(), lanes_);
        return base_of_sum(known, other);
    }

    unknown_base base_of_sum(std::uint32_t& known, const unknown_base& other) {
        unknown_base base{.identity = 0, .bits = 0, .breaks = 0};
        bool compares = true;  // with other bases
        for (unsigned k = 0; k < sources_ && k < 3; ++k) {
            const source_values& p = in_[k];
            if (p.unknown == 0 || weights_[k] == 0) continue;
            const unknown_base& b = p.row->base;
            compares = compares && b.identity != 0 && p.unknown == lanes_;
            if (p.unknown != lanes_) base.breaks |= edges_of(p.unknown);
            base.identity += b.identity * signed_weight(k);
            base.breaks |= b.breaks;
            base.bits = base.bits == 0 ? multiple_bits(k) : sum_bits(base.bits, multiple_bits(k));
        }
        if (compares && base.identity == 0) known |= lanes_;  // the bases have gone
        if (!compares) base.identity = other.identity;
        if (shift_ != 0) {
            base.identity = identity_of(base.identity + shift_);
            base.bits >>= shift_;
        }
        return base;
    }

    // `offset` of all lanes.
    [[nodiscard]] lane_values offsets(unsigned k) const {
        const source_values& p = in_[k];
        lane_values all;
        extend({.bits = p.type.bits, .is_signed = true}, p.row->lanes, all);
        put(all, *p.values, p.row->known);
        return all;
    }

    [[nodiscard]] lane_values offsets_of_sum() const {
        lane_values sum{};
        for (unsigned k = 0; k < sources_ && k < 3; ++k) {
            if (weights_[k] == 0) continue;
            const lane_values of_source = offsets(k);
            for (std::size_t l = 0; l < warp_lanes; ++l) sum[l] += of_source[l] * weights_[k];
        }
        if (adds_product_) {
            const lane_values a = offsets(0);
            const lane_values b = offsets(1);
            for (std::size_t l = 0; l < warp_lanes; ++l) sum[l] += a[l] * b[l];
        }
        if (step_.what == action::bit_not) {
            for (std::uint64_t& s : sum) s -= bits_ == 1 ? 0 - std::uint64_t{1} : 1;
        }
        if (shift_ != 0) {
            for (std::uint64_t& s : sum) s = sign_extended(s >> shift_, 64 - shift_);
        }
        const bool converts = step_.what == action::convert;
        for (std::uint64_t& s : sum) s &= converts ? mask_ : mask_ & ones(bits_);
        if (converts) extend({.bits = step_.type.bits, .is_signed = true}, sum, sum);
        return sum;
    }

    // Bits that a multiple of a base may have.
    [[nodiscard]] std::uint64_t multiple_bits(unsigned k) const {
        const std::uint64_t bits = in_[k].base_bits();
        const std::uint64_t weight = weights_[k];
        if (bits == 0 || weight == 0) return 0;
        if (std::has_single_bit(weight)) return bits << std::countr_zero(weight);
        const int low = std::countr_zero(bits) + std::countr_zero(weight);
        const int high = width(bits) + width(weight);
        return between(low, high);
    }

    // --- Anything else

    // The bits that the result may have, where it is neither.
    [[nodiscard]] std::uint64_t other_bits() const {
        const std::uint64_t all = ones(bits_);
        std::uint64_t value = 0;
        const std::uint64_t a = sources_ > 0 ? in_[0].possible() : all;
        const std::uint64_t b = sources_ > 1 ? in_[1].possible() : all;
        switch (step_.what) {
            case action::bit_and: return a & b;
            case action::bit_or:
            case action::bit_xor: return a | b;
            case action::is_zero: return 1;
            case action::count_ones:
            case action::leading_zeros: return 127;
            case action::shift_right: {
                const bool positive = (a >> (step_.type.bits - 1U) & 1U) == 0;
                if (!in_[1].one_value(value) || (step_.type.is_signed && !positive)) return all;
                return a >> (value & 63);
            }
            case action::extract:
                if (step_.type.is_signed || !in_[2].one_value(value)) return all;
                return ones(static_cast<unsigned>(value & 0xff)) & all;
            case action::minimum:
                if (step_.type.is_signed) return all;
                return between(0, width(a < b ? a : b));
            case action::divide:
                if (step_.type.is_signed || !in_[1].one_value(value) || value == 0) return all;
                return between(0, width(a / value));
            case action::remainder:
                if (step_.type.is_signed || !in_[1].one_value(value) || value == 0) return all;
                return between(0, width(value - 1));
            case action::convert: {
                const bool sign = step_.type.is_signed || step_.from.is_signed;
                return sign ? ~std::uint64_t{0} : a & ones(narrow_bits());
            }
            default: return all;
        }
    }

    const step& step_;
    unsigned bits_;  // of the result
    std::array<source_values, 4> in_;
    unsigned sources_;
    std::uint32_t lanes_;  // in which a source is not known
    std::uint64_t weights_[4]{};
    bool adds_product_ = false;  // of known factors
    unsigned shift_ = 0;
    std::uint64_t mask_ = ~std::uint64_t{0};
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
