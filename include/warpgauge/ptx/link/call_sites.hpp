// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_CALL_SITES_HPP
#define WARPGAUGE_PTX_LINK_CALL_SITES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/link_state.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/operand_rows.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/symbols.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file The calls of a program: which function, what goes in and what comes back.
///
/// Which values move is known when both functions are decoded: caller and callee read and write the parts
/// of a parameter in their own ways.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::move_of_call, ptx::link::step;

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
        for (std::size_t o = 0; o < all.size(); o += all[o].parts + 1) {
            if (all[o].kind == operand_kind::list) {
                auto& list = named ? call.arguments : call.results;
                if (list.empty()) add_values(all.subspan(o + 1, all[o].parts), list);
            } else if (!named) {
                named = true;
                const std::uint32_t f = symbols_.function(all[o].text);
                if (f == nowhere || !state_.source.functions[f].has_body) continue;
                s.target = routine_of(f);
            }
        }
        calls_.push_back(std::move(call));
    }

    /// Adds the moves of all calls, once all functions are decoded.
    void connect() {
        for (const call_site& call : calls_) {
            if (state_.ok()) connect(call);
        }
    }

private:
    struct call_value {
        std::uint32_t declaration = nowhere;  // of a parameter
        std::uint32_t row = nowhere;          // else
    };
    struct call_site {
        std::uint32_t step{};
        std::vector<call_value> results{}, arguments{};
    };

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
        auto& moves = state_.made.moves;
        step& s = state_.made.steps[call.step];
        const function* const callee =
            s.target == nowhere ? nullptr
                                : &state_.source.functions[state_.made.routines[s.target].function];
        s.first = static_cast<std::uint32_t>(moves.size());
        for (std::uint32_t k = 0; callee != nullptr && k < call.arguments.size(); ++k) {
            if (k >= callee->parameters.count) break;
            pass(call.arguments[k], callee->parameters.first + k);
        }
        s.targets = static_cast<std::uint32_t>(moves.size()) - s.first;
        for (std::uint32_t k = 0; k < call.results.size(); ++k) {
            const bool has_formal = callee != nullptr && k < callee->returns.count;
            give_back(has_formal ? callee->returns.first + k : nowhere, call.results[k]);
        }
        s.returned = static_cast<std::uint32_t>(moves.size()) - s.first - s.targets;
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
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
