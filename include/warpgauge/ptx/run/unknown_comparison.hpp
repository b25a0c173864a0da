// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_UNKNOWN_COMPARISON_HPP
#define WARPGAUGE_PTX_RUN_UNKNOWN_COMPARISON_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/unknown_base.hpp>
#include <warpgauge/ptx/run/unknown_results.hpp>

/// \file Comparisons of values that are not known: decided where their ranges are apart or their base is one, else a
/// base of its own, the same for lanes that must go the same way.
///
/// Taken for granted: one value that nobody knows, compared by order with others, is below or above those of all lanes of
/// a warp. So `if (i < n)` keeps warps whole.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

class unknown_comparison {
public:
    /// What is not known of `a` or `b`, in their lanes.
    unknown_comparison(const step& s, const source_values& a, const source_values& b)
        : step_(s), a_(a), b_(b), open_(a.lanes) {}

    /// Puts in `yes` what follows in lanes that are then known; of others whether they hold if their base does.
    template <class Used>
    unknown_base complete(std::uint32_t& yes, std::uint32_t& known,
                          register_file<Used>& registers) {
        const bool one_base =
            a_.row->base.identity == b_.row->base.identity && a_.row->base.identity != 0;
        const std::uint32_t alike = a_.are_alike() && b_.are_alike() ? open_ : 0;
        for (std::uint32_t left = open_; left != 0; left &= left - 1) {
            const auto l = static_cast<std::size_t>(std::countr_zero(left));
            if (alike != 0) left = 1U << l;  // one stands for all
            bool holds = false;
            const bool both = !a_.is_known(l) && !b_.is_known(l);
            if (one_base && both) {
                holds = compared_offsets(l);
            } else if (!decided(l, holds)) {
                continue;
            }
            const std::uint32_t lanes = alike != 0 ? alike : 1U << l;
            known |= lanes;
            yes = holds ? yes | lanes : yes & ~lanes;
        }
        open_ &= ~known;
        if (open_ == 0) return opaque_base;
        const std::uint32_t opposite = is_opposite() ? open_ : 0;
        yes = (yes & ~open_) | opposite;
        return base(registers);
    }

private:
    // Offsets from one base.
    [[nodiscard]] bool compared_offsets(std::size_t l) const {
        step as_signed = step_;
        as_signed.unsigned_compare = false;
        as_signed.from.is_signed = true;
        return compared(as_signed, a_.offset(l), b_.offset(l));
    }

    // False where both may be.
    bool decided(std::size_t l, bool& holds) const {
        const value_range x = range_of(a_, l);
        const value_range y = range_of(b_, l);
        const value_type& t = a_.type;
        const bool below = less(t, x.most, y.least);
        const bool above = less(t, y.most, x.least);
        switch (step_.compare) {
            case comparison::eq:
            case comparison::ne:
                holds = step_.compare == comparison::ne;
                // A counter that a loop has run past the value it waits for says nothing: how often it runs is decided.
                return ((below || above) && !is_offset(a_, l) && !is_offset(b_, l)) ||
                       low_bits_differ(l);
            case comparison::lt: holds = below; return below || !less(t, x.least, y.most);
            case comparison::ge: holds = !below; return below || !less(t, x.least, y.most);
            case comparison::gt: holds = above; return above || !less(t, y.least, x.most);
            case comparison::le: holds = !above; return above || !less(t, y.least, x.most);
        }
        return false;
    }

    static bool is_offset(const source_values& p, std::size_t l) {
        return !p.is_known(l) && p.offset(l) != 0;
    }

    [[nodiscard]] bool low_bits_differ(std::size_t l) const {
        const unsigned of_a = a_.is_known(l) ? 64 : a_.row->base.zeros();
        const unsigned of_b = b_.is_known(l) ? 64 : b_.row->base.zeros();
        const std::uint64_t low = ones(of_a < of_b ? of_a : of_b) & ones(a_.type.bits);
        return ((a_.offset(l) ^ b_.offset(l)) & low) != 0;
    }

    // `ge` is the opposite of `lt`, `le` of `gt`, `ne` of `eq`.
    [[nodiscard]] bool is_opposite() const {
        return step_.compare == comparison::ge || step_.compare == comparison::le ||
               step_.compare == comparison::ne;
    }

    template <class Used>
    unknown_base base(register_file<Used>& registers) const {
        const bool by_order = step_.compare != comparison::eq && step_.compare != comparison::ne;
        unknown_base made = registers.new_base(0, 1);
        std::uint64_t identity = by_order ? 1 : 2;
        lane_values difference{};
        bool named = true;
        for (const source_values* p : {&a_, &b_}) {
            const std::uint32_t unknown = open_ & ~p->row->known;
            if (unknown != 0) made.breaks |= p->row->base.breaks;
            if (unknown != open_) made.breaks |= edges_of(unknown);
            named = named && (unknown == 0 || (unknown == open_ && p->row->base.identity != 0));
            identity = identity_of(identity * 3 + (unknown == 0 ? 0 : p->row->base.identity));
        }
        for (std::uint32_t left = open_; left != 0; left &= left - 1) {
            const auto l = static_cast<std::size_t>(std::countr_zero(left));
            difference[l] = a_.offset(l) - b_.offset(l);
            identity = identity_of(identity + difference[l]);
        }
        if (!by_order) made.breaks |= breaks_of(difference);
        // `a < b` is `b > a`.
        const bool turned = step_.compare == comparison::gt || step_.compare == comparison::le;
        if (named) made.identity = identity_of(identity + (turned ? 1 : 0) + a_.type.is_signed);
        return made;
    }

    const step& step_;
    source_values a_, b_;
    std::uint32_t open_;  // lanes in which one of them is not known
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
