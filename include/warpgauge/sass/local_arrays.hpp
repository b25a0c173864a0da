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

/// \file Accesses of local arrays that are in registers, since the text has the place of each.
///
/// Source: what ptxas 13.0 makes for 7.5, 8.0, 9.0 and 12.0. Elements of 4 B that all loads and stores access one by one or as
/// vectors, at constant places, stay in registers, also in loops and behind branches; elements of 1 or 8 B do not, nor do
/// accesses by generic addresses.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// Finds them in a routine.
template <class Used = core::when_used>
class local_arrays {
public:
    /// The routine need not outlive it.
    local_arrays(const ptx::link::routine& r, const row_facts<Used>& facts) : is_place_(r.rows) {
        for (const ptx::link::preset& p : r.presets) {
            if (p.parameter == ptx::link::nowhere) is_place_[index_of(p.row)] = 1;
        }
        holds_ = found_ = r.local_bytes != 0;
        for (int pass = 0; holds_ && found_; ++pass) {  // again where a jump back leads to a use
            found_ = false;
            for (std::uint32_t n = 0; n < facts.step_count(); ++n) see(facts, facts.at(n));
            if (pass == max_passes) give_up();
        }
    }

    /// Is the step such an access?
    [[nodiscard]] bool has(const ptx::link::step& s) const {
        return holds_ && s.accesses && s.space == ptx::link::address_space::local;
    }

private:
    using action = ptx::text::action;
    using step = ptx::link::step;

    static constexpr int max_passes = 8;

    [[nodiscard]] bool is_place(std::uint32_t row) const {
        return is_register(row) && is_place_[index_of(row)] != 0;
    }

    // Addresses are copied, and added to literals; before that, they are known to be such.
    void see(const row_facts<Used>& facts, const step& s) {
        if (s.what == action::call) return give_up();
        if (s.accesses && s.space == ptx::link::address_space::local) {
            const bool plain = s.what == action::load || s.what == action::store;
            const bool words = s.type.bits == 32 && s.offset % 4 == 0;
            const bool at_place = is_place(facts.source(s, 0)) && s.predicate == ptx::link::nowhere;
            if (!plain || !words || !at_place) return give_up();
        }
        for (std::uint32_t k = s.accesses ? 1 : 0; k < s.sources; ++k) {
            if (is_place(facts.source(s, k)) && !makes_place(facts, s)) return give_up();
        }
        const bool generic = s.accesses && s.space != ptx::link::address_space::local;
        if (generic && s.sources > 0 && is_place(facts.source(s, 0))) give_up();
    }

    bool makes_place(const row_facts<Used>& facts, const step& s) {
        const std::uint32_t to = facts.result(s);
        if (!is_register(to) || facts.definition_of_row(to) != &s) return false;
        const bool adds =
            s.what == action::add && s.sources == 2 && s.mode == 0 &&
            (is_word(facts, facts.source(s, 0)) || is_word(facts, facts.source(s, 1)));
        if (!adds && !facts.is_plain_copy(s)) return false;
        found_ = found_ || !is_place(to);
        is_place_[index_of(to)] = 1;
        return true;
    }
    static bool is_word(const row_facts<Used>& facts, std::uint32_t row) {
        return facts.is_constant(row) && facts.value_of(row) % 4 == 0;
    }

    void give_up() { holds_ = false; }

    core::late<Used, std::vector<std::uint8_t>> is_place_;  // of each row: an address in the text
    bool holds_ = false;
    bool found_ = false;  // places, since the pass began
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
