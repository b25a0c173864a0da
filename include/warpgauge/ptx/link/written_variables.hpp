// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_WRITTEN_VARIABLES_HPP
#define WARPGAUGE_PTX_LINK_WRITTEN_VARIABLES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/initial_values.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file Which variables of global memory the functions of a module may write to.
///
/// A variable is only read if all that the text does with its address is arithmetic, comparison and loads. An address
/// that is stored, passed to a function or initial value of another variable may be written to by anyone. Pointers that
/// the host makes do not count.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

template <class Used = core::when_used>
class written_variables {
public:
    /// `variables`: those of the module by name.
    written_variables(const module& m, const name_table<Used>& variables)
        : source_(m), variables_(variables) {}

    /// By declaration; empty if no variable of global memory has initial values.
    core::late<Used, std::vector<bool>> find() {
        bool any = false;
        for (const declaration& d : source_.declarations) any = any || is_candidate(d);
        if (!any) return {};
        written_.resize(source_.declarations.size());
        for (const declaration& d : source_.declarations) {
            ptx::detail::text::for_each_name(
                d.initial, [this](std::string_view name) { write(variable(name)); });
        }
        for (const function& f : source_.functions) {
            if (f.has_body && mentions(f)) follow(f);
        }
        return written_;
    }

private:
    using action = ptx::text::action;
    static constexpr std::uint32_t nowhere = ptx::link::nowhere;
    static constexpr int max_passes =
        16;  // of a function; beyond, all that it mentions counts as written

    static bool is_candidate(const declaration& d) {
        return d.space == state_space::global && !d.initial.empty();
    }

    [[nodiscard]] std::uint32_t variable(std::string_view name) const {
        const std::uint32_t d = variables_.find(name);
        return d != nowhere && is_candidate(source_.declarations[d]) ? d : nowhere;
    }

    void write(std::uint32_t d) {
        if (d != nowhere) written_[d] = true;
    }

    [[nodiscard]] std::span<const operand> operands_of(const function& f) const {
        const auto body = source_.body(f);
        if (body.empty()) return {};
        const range& last = body.back().operands;
        const std::uint32_t first = body.front().operands.first;
        return {source_.operands.data() + first, last.first + last.count - first};
    }

    [[nodiscard]] bool mentions(const function& f) const {
        for (const operand& o : operands_of(f)) {
            if (!o.text.empty() && o.text[0] != '%' && variable(o.text) != nowhere) return true;
        }
        return false;
    }

    // --- One function: registers by name, wherever they are declared

    void follow(const function& f) {
        held_.clear();
        registers_ = {};
        for (int n = 0; n < max_passes; ++n) {
            changed_ = false;
            for (const ptx::instruction& i : source_.body(f)) see(i);
            if (!changed_) return;
        }
        for (const operand& o : operands_of(f)) write(variable(o.text));
    }

    // The variable whose address an operand may have.
    [[nodiscard]] std::uint32_t held_by(const operand& o) const {
        if (o.text.empty()) return nowhere;
        const std::uint32_t r = registers_.find(o.text);
        if (r != nowhere) return held_[r];
        return o.text[0] == '%' ? nowhere : variable(o.text);
    }

    void hold(const operand& o, std::uint32_t d) {
        if (o.text.empty()) return;
        const std::uint32_t r = registers_.find(o.text);
        if (r == nowhere) {
            registers_.insert(o.text, 0, static_cast<std::uint32_t>(held_.size()));
            held_.push_back(d);
            changed_ = true;
        } else if (held_[r] != d) {  // of several, who knows
            write(held_[r]);
            write(d);
        }
    }

    void see(const ptx::instruction& i) {
        const std::span<const operand> all = source_.operands_of(i);
        const ptx::text::root_rule* const rule = ptx::text::rule_of(i.opcode);
        const action what = rule == nullptr ? action::unknown : rule->what;
        const bool loads = rule != nullptr && (rule->root == "ld" || rule->root == "ldu");
        if (loads || what == action::compare || all.empty()) return;
        const bool computes = hands_on(what);
        const std::size_t results = all[0].parts + 1U;
        for (std::size_t o = computes ? results : 0; o < all.size(); ++o) {
            const std::uint32_t d = held_by(all[o]);
            if (d == nowhere) continue;
            if (!computes) write(d);
            for (std::size_t to = 0; computes && to < results; ++to) hold(all[to], d);
        }
    }

    // What is computed of an address may be an address.
    static bool hands_on(action what) {
        switch (what) {
            case action::move:
            case action::convert:
            case action::convert_address:
            case action::add:
            case action::add_carry:
            case action::subtract:
            case action::subtract_borrow:
            case action::multiply:
            case action::multiply_add:
            case action::minimum:
            case action::maximum:
            case action::bit_and:
            case action::bit_or:
            case action::bit_xor:
            case action::bit_not:
            case action::shift_left:
            case action::shift_right:
            case action::select: return true;
            default: return false;
        }
    }

    const module& source_;
    const name_table<Used>& variables_;
    core::late<Used, std::vector<bool>> written_;
    name_table<Used> registers_;                         // places in `held_`
    core::late<Used, std::vector<std::uint32_t>> held_;  // declarations
    bool changed_ = false;
};

/// The variables that may be written to, by declaration; empty if none of global memory has initial values.
template <class Used = core::when_used>
core::late<Used, std::vector<bool>> find_written_variables(const module& m,
                                                           const name_table<Used>& variables) {
    return written_variables<Used>(m, variables).find();
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
