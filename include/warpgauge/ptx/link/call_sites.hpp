// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_CALL_SITES_HPP
#define WARPGAUGE_PTX_LINK_CALL_SITES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/link_state.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/operand_rows.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/symbols.hpp>
#include <warpgauge/ptx/link/variable_addresses.hpp>
#include <warpgauge/ptx/text/initial_values.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file The calls of a program: which function, what goes in and what comes back.
///
/// Which values move is known when both functions are decoded: caller and callee read and write the parts
/// of a parameter in their own ways.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::move_of_call, ptx::link::passing, ptx::link::step;

template <class Used = core::when_used>
class call_sites {
public:
    call_sites(link_state<Used>& state, const symbols<Used>& names, operand_rows<Used>& rows)
        : state_(state), symbols_(names), rows_(rows) {}

    /// The routine of a function; the first call of it makes one, which is to be decoded.
    std::uint32_t routine_of(std::uint32_t function) {
        auto& routines = state_.made.routines;
        std::uint32_t r = routines_.find({}, function);
        if (r == nowhere) {
            r = static_cast<std::uint32_t>(routines.size());
            routines.push_back({.function = function});
            routines_.insert({}, function, r);
        }
        return r;
    }

    /// Notes a call that is about to become the program's next step, and sets its target.
    void add(std::span<const operand> all, step& s) {
        call_site call{.step = static_cast<std::uint32_t>(state_.made.steps.size())};
        bool named = false;
        for (std::size_t o = 0; o < all.size(); o += all[o].parts + 1U) {
            if (all[o].kind == operand_kind::list) {
                auto& list = named ? call.arguments : call.results;
                if (list.empty()) add_values(all.subspan(o + 1, all[o].parts), list);
            } else if (!named) {
                named = true;
                call_function(all[o].text, s);
            } else if (s.through != nowhere) {
                list_callees(all[o].text, call);
            }
        }
        through_pointers_ = through_pointers_ || s.through != nowhere;
        calls_.push_back(std::move(call));
    }

    /// Makes routines of the functions whose address has been taken, if any call goes through a pointer; once there are no
    /// more of these, of one for each call that none of them fits, of those that initial values name.
    void add_taken() {
        if (!through_pointers_) return;
        const std::size_t before = state_.made.routines.size();
        make_taken();
        if (state_.made.routines.size() > before) return;
        take_from_values();
        make_taken();
    }

    /// Adds the moves of all calls, once all functions are decoded.
    void connect() {
        for (const call_site& call : calls_) {
            if (state_.ok()) connect(call);
        }
    }

private:
    // Every function that a call may go to takes some memory.
    static constexpr std::uint64_t work_of_callee = 16;

    struct call_value {
        std::uint32_t declaration = nowhere;  // of a parameter
        std::uint32_t row = nowhere;          // else
    };
    struct call_site {
        std::uint32_t step{};
        std::vector<call_value> results{}, arguments{};
        bool lists_callees{};
        std::vector<std::uint32_t> callees{};  // functions that `.calltargets` lists
    };

    void make_taken() {
        for (; next_taken_ < state_.taken.size(); ++next_taken_) {
            routine_of(state_.taken[next_taken_]);
        }
    }

    // A table of virtual functions is often all that the text says of where a call may go.
    void take_from_values() {
        for (; next_call_ < calls_.size() && state_.ok(); ++next_call_) {
            const call_site& call = calls_[next_call_];
            const bool is_open =
                state_.made.steps[call.step].through != nowhere && !call.lists_callees;
            if (!is_open || first_fit(state_.taken, call) != nowhere) continue;
            if (!knows_named_) list_named();
            const std::uint32_t f = first_fit(named_, call);
            if (f != nowhere) state_.address_of_function(f);
        }
    }

    // The functions that initial values name: first of the variables that the program has the addresses of.
    void list_named() {
        knows_named_ = true;
        core::late<Used, std::vector<bool>> is_named(state_.source.functions.size());
        const auto see = [&](std::string_view name) {
            const std::uint32_t f = symbols_.function(name);
            if (f == nowhere || is_named[f] || !state_.source.functions[f].has_body) return;
            is_named[f] = true;
            named_.push_back(f);
        };
        for (const placed_variable& v : rows_.variables().in_module()) {
            ptx::detail::text::for_each_name(state_.source.declarations[v.declaration].initial,
                                             see);
        }
        for (const declaration& d : state_.source.declarations) {
            ptx::detail::text::for_each_name(d.initial, see);
        }
    }

    // Does a function take and return as many values as a call?
    [[nodiscard]] bool fits(std::uint32_t f, const call_site& call) const {
        const ptx::function& callee = state_.source.functions[f];
        return callee.parameters.count == call.arguments.size() &&
               callee.returns.count == call.results.size();
    }

    std::uint32_t first_fit(const std::vector<std::uint32_t>& functions, const call_site& call) {
        for (const std::uint32_t f : functions) {
            state_.count_work();
            if (fits(f, call)) return f;
        }
        return nowhere;
    }

    void call_function(std::string_view name, step& s) {
        const std::uint32_t f = symbols_.function(name);
        if (f == nowhere) {
            s.through = rows_.register_rows().row_of(name);
        } else if (state_.source.functions[f].has_body) {
            s.target = routine_of(f);
        }
    }

    // The functions of a label before `.calltargets`; one before `.callprototype` lists none.
    void list_callees(std::string_view name, call_site& call) {
        const std::uint32_t l = symbols_.label(name);
        if (l == nowhere) return;
        const range& listed = state_.source.labels[l].targets;
        call.lists_callees = listed.count != 0;
        state_.count_work(std::uint64_t{listed.count} * work_of_callee);
        for (std::uint32_t n = 0; n < listed.count && state_.ok(); ++n) {
            const std::uint32_t f =
                symbols_.function(state_.source.operands[listed.first + n].text);
            if (f == nowhere || !state_.source.functions[f].has_body) continue;
            routine_of(f);
            call.callees.push_back(f);
        }
    }

    void add_values(std::span<const operand> parts, std::vector<call_value>& list) {
        for (const operand& o : parts) {
            call_value value;
            const std::uint32_t d = symbols_.visible(o.text);
            if (rows_.is_parameter(d)) {
                value.declaration = d;
            } else if (o.kind == operand_kind::name || o.kind == operand_kind::integer) {
                value.row = rows_.value_row(o);
            }
            list.push_back(value);
        }
    }

    void connect(const call_site& call) {
        step& s = state_.made.steps[call.step];
        const passing own = passing_to(s.target, call);
        s.first = own.first;
        s.targets = own.targets;
        s.returned = own.returned;
        if (s.through == nowhere) return;
        s.callees = static_cast<std::uint32_t>(state_.made.callees.size());
        // Without a list, all functions whose address is taken and that take and return as many values.
        for (const std::uint32_t f : call.lists_callees ? call.callees : state_.taken) {
            state_.count_work();
            if (!state_.ok()) return;
            if (!call.lists_callees && !fits(f, call)) continue;
            state_.made.callees.push_back(passing_to(routine_of(f), call));
            state_.count_work((call.arguments.size() + call.results.size() + 1) * work_of_callee);
        }
        s.callee_count = static_cast<std::uint32_t>(state_.made.callees.size()) - s.callees;
    }

    passing passing_to(std::uint32_t routine, const call_site& call) {
        const auto& moves = state_.made.moves;
        const function* const callee =
            routine == nowhere ? nullptr
                               : &state_.source.functions[state_.made.routines[routine].function];
        passing p{.routine = routine, .first = static_cast<std::uint32_t>(moves.size())};
        for (std::uint32_t k = 0; callee != nullptr && k < call.arguments.size(); ++k) {
            if (k >= callee->parameters.count) break;
            pass(call.arguments[k], callee->parameters.first + k);
        }
        p.targets = static_cast<std::uint32_t>(moves.size()) - p.first;
        for (std::uint32_t k = 0; k < call.results.size(); ++k) {
            const bool has_formal = callee != nullptr && k < callee->returns.count;
            give_back(has_formal ? callee->returns.first + k : nowhere, call.results[k]);
        }
        p.returned = static_cast<std::uint32_t>(moves.size()) - p.first - p.targets;
        return p;
    }

    void pass(const call_value& value, std::uint32_t formal) {
        if (value.declaration != nowhere) {
            rows_.parameters().join(value.declaration, formal, state_.made.moves);
        } else if (const std::uint32_t to = rows_.register_rows().row_of_declaration(formal);
                   to != nowhere && value.row != nowhere) {
            state_.made.moves.push_back({.from = value.row, .to = to});
        }
    }

    // Of a function that is not in the text, nothing is known of what comes back.
    void give_back(std::uint32_t formal, const call_value& value) {
        if (value.declaration != nowhere) {
            rows_.parameters().join(formal, value.declaration, state_.made.moves);
        } else if (value.row != nowhere) {
            state_.made.moves.push_back(
                {.from =
                     formal == nowhere ? nowhere : rows_.register_rows().row_of_declaration(formal),
                 .to = value.row});
        }
    }

    link_state<Used>& state_;
    const symbols<Used>& symbols_;
    operand_rows<Used>& rows_;
    name_table<Used> routines_;  // of functions
    std::vector<call_site> calls_;
    bool through_pointers_ = false;                       // some call is
    std::size_t next_taken_ = 0;                          // of the functions whose address is taken
    std::size_t next_call_ = 0;                           // that may take one from initial values
    bool knows_named_ = false;                            // `named_`
    core::late<Used, std::vector<std::uint32_t>> named_;  // functions in initial values
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
