// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LOCAL_ARRAYS_HPP
#define WARPGAUGE_SASS_LOCAL_ARRAYS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/sass/row_facts.hpp>

/// \file Accesses of local arrays that are in registers, since the text has the place of each store.
///
/// Source: what ptxas 13.0 makes for 7.5, 8.0, 9.0 and 12.0. Elements of 4 B that all loads and stores access one by one or as
/// vectors, at constant places, stay in registers, also in loops and behind branches; elements of 1 or 8 B do not, nor do
/// accesses by generic addresses. A load of one element at another place is then a comparison and a move for each element, if
/// these are few: up to 80 elements for two such loads, 64 comparisons for more, and 13 elements and 16 comparisons where one is
/// in a loop (tried on 8.0 and 9.0 with 1 to 12 loads of 2 to 128 elements: of 248 arrays, 12 are kept otherwise).

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// Finds them in a routine.
template <class Used = core::when_used>
class local_arrays {
public:
    /// The routine need not outlive it.
    local_arrays(const ptx::link::routine& r, const row_facts<Used>& facts)
        : kinds_(r.rows), elements_(r.local_bytes / 4) {
        for (const ptx::link::preset& p : r.presets) {
            if (p.parameter == ptx::link::nowhere) kinds_[index_of(p.row)] = address::place;
        }
        holds_ = found_ = r.local_bytes != 0;
        for (int pass = 0; holds_ && found_; ++pass) {  // again where a jump back leads to a use
            found_ = false;
            for (std::uint32_t n = 0; n < facts.step_count(); ++n) see(facts, facts.at(n));
            if (pass == max_passes) give_up();
        }
    }

    /// Gives up if loads at other places are too many; `in_loop` says of each step whether a jump back goes around it.
    template <class InLoop>
    void bound(const row_facts<Used>& facts, const InLoop& in_loop) {
        std::uint32_t loads = 0;
        bool any_in_loop = false;
        for (std::uint32_t n = 0; n < facts.step_count(); ++n) {
            if (!has(facts.at(n)) || !is(facts.source(facts.at(n), 0), address::inside)) continue;
            ++loads;
            any_in_loop = any_in_loop || in_loop[n] != 0;
        }
        const std::uint64_t comparisons = std::uint64_t{loads} * elements_;
        const bool few = any_in_loop ? elements_ <= 13 && comparisons <= 16
                                     : elements_ <= 80 && (loads <= 2 || comparisons <= 64);
        if (loads > 0 && !few) give_up();
    }

    /// Is the step such an access?
    [[nodiscard]] bool has(const ptx::link::step& s) const { return holds_ && is_local(s); }
    /// The elements among which it selects one, at a place that the text does not have; 0 of other steps.
    [[nodiscard]] std::uint32_t selected(const row_facts<Used>& facts,
                                         const ptx::link::step& s) const {
        return has(s) && is(facts.source(s, 0), address::inside) ? elements_ : 0;
    }

private:
    using action = ptx::text::action;
    using step = ptx::link::step;

    static constexpr int max_passes = 8;

    // A row may be an address in the text, or one at another place of the array.
    enum class address : std::uint8_t { none, place, inside };

    static bool is_local(const step& s) {
        return s.accesses && s.space == ptx::link::address_space::local;
    }
    [[nodiscard]] bool is(std::uint32_t row, address kind) const {
        return is_register(row) && kinds_[index_of(row)] == kind;
    }
    [[nodiscard]] bool is_address(std::uint32_t row) const {
        return is_register(row) && kinds_[index_of(row)] != address::none;
    }

    // Addresses are copied, and added to; before that, they are known to be such.
    void see(const row_facts<Used>& facts, const step& s) {
        if (s.what == action::call) return give_up();
        if (is_local(s)) {
            const bool plain = s.what == action::load || s.what == action::store;
            const bool words = s.type.bits == 32 && s.offset % 4 == 0;
            const std::uint32_t at = facts.source(s, 0);
            const bool selects =
                is(at, address::inside) && s.what == action::load && s.results == 1;
            const bool known = is(at, address::place) || selects;
            if (!plain || !words || !known || s.predicate != ptx::link::nowhere) return give_up();
        }
        for (std::uint32_t k = is_local(s) ? 1 : 0; k < s.sources; ++k) {
            if (is_address(facts.source(s, k)) && !makes_address(facts, s)) return give_up();
        }
    }

    bool makes_address(const row_facts<Used>& facts, const step& s) {
        const std::uint32_t to = facts.result(s);
        if (!is_register(to) || facts.definition_of_row(to) != &s) return false;
        const bool adds = s.what == action::add;
        if (!adds && !facts.is_plain_copy(s)) return false;
        const std::uint32_t first = facts.source(s, 0);
        const bool from_inside =
            is(first, address::inside) || (adds && is(facts.source(s, 1), address::inside));
        const bool by_constant =
            !adds || facts.is_constant(first) || facts.is_constant(facts.source(s, 1));
        const address kind = !from_inside && by_constant ? address::place : address::inside;
        found_ = found_ || !is(to, kind);
        kinds_[index_of(to)] = kind;
        return true;
    }

    void give_up() { holds_ = false; }

    core::late<Used, std::vector<address>> kinds_;  // of each row
    std::uint32_t elements_;
    bool holds_ = false;
    bool found_ = false;  // places, since the pass began
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
