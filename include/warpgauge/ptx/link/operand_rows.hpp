// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_OPERAND_ROWS_HPP
#define WARPGAUGE_PTX_LINK_OPERAND_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/address_windows.hpp>
#include <warpgauge/ptx/link/constant_pool.hpp>
#include <warpgauge/ptx/link/link_state.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/parameter_parts.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/registers.hpp>
#include <warpgauge/ptx/link/symbols.hpp>
#include <warpgauge/ptx/link/variable_addresses.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file The rows of an instruction's operands.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::unknown_row;

/// Some bytes of a parameter, which an address means.
struct parameter_place {
    std::uint32_t declaration = nowhere;
    std::int64_t offset{};
};

template <class Used = core::when_used>
class operand_rows {
public:
    operand_rows(link_state<Used>& state, const symbols<Used>& names)
        : state_(state),
          symbols_(names),
          constants_(state.made.constants),
          variables_(state, constants_),
          registers_(state, names),
          parameters_(state, registers_) {}

    [[nodiscard]] registers<Used>& register_rows() { return registers_; }
    [[nodiscard]] parameter_parts<Used>& parameters() { return parameters_; }
    [[nodiscard]] variable_addresses<Used>& variables() { return variables_; }

    /// The row of any operand that has a value; `nowhere` of `_`. A name that has none is an error.
    std::uint32_t value_row(const operand& o) {
        if (o.kind == operand_kind::integer) return constant(static_cast<std::uint64_t>(o.value));
        if (o.kind == operand_kind::real) {  // known to the bit where it is written so
            const bool bits = o.text.size() > 2 && (o.text[1] == 'f' || o.text[1] == 'F' ||
                                                    o.text[1] == 'd' || o.text[1] == 'D');
            return bits ? constant(static_cast<std::uint64_t>(o.value)) : unknown_row;
        }
        if (o.text == "_") return nowhere;
        if (o.text == "WARP_SZ") return constant(32);
        std::uint32_t row = registers_.row_of(o.text);
        if (row != nowhere) return row;
        row = special_register(o.text);
        if (row != nowhere) return row;
        return address_of_symbol(o.text, o.value);
    }

    /// The row of an address's base: a register, a variable or, of `[4096]`, zero.
    std::uint32_t base_row(const operand& address) {
        if (address.text.empty()) return constant(0);
        operand base = address;
        base.kind = operand_kind::name;
        base.value = 0;
        const std::uint32_t row = value_row(base);
        return row == nowhere ? unknown_row : row;
    }

    /// B that an address is past its base; of `array[4]`, four elements.
    [[nodiscard]] std::int64_t offset_of(const operand& address) const {
        if (!address.indexed) return address.value;
        std::uint32_t d = symbols_.visible(address.text);
        if (d == nowhere) d = symbols_.module_variable(address.text);
        ptx::text::value_type type{.bits = 8};
        if (d != nowhere) ptx::text::read_type(state_.source.declarations[d].type, type);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(address.value) *
                                         ptx::text::bytes_of(type));
    }

    /// Adds the rows of one operand, and of a vector all of its parts, to the program's; goes on to the
    /// next. Literals are cut to their type. `sink`: what `_` is; of a source, a value that nobody knows.
    void add(std::span<const operand> all, std::size_t& at, const ptx::text::value_type& type,
             std::uint16_t& count, std::uint32_t sink = unknown_row) {
        const std::size_t end = at + all[at].parts + 1U;
        for (std::size_t o = is_group(all[at]) ? at + 1 : at; o < end && state_.ok(); ++o) {
            if (is_group(all[o])) continue;
            const std::uint32_t row = row_of(all[o], type);
            if (count == 0xffff) return state_.fail(errc::limit_reached, "operands");
            state_.made.rows.push_back(row == nowhere ? sink : row);
            ++count;
        }
        at = end;
    }

    /// Notes `mov.b64 %rd1, parameter`: accesses by that register are accesses of the parameter.
    void note_address_of_parameter(std::span<const operand> all) {
        if (all.size() != 2 || all[1].kind != operand_kind::name) return;
        const std::uint32_t d = symbols_.visible(all[1].text);
        const std::uint32_t row = registers_.row_of(all[0].text);
        if (row == nowhere || !is_parameter(d)) return;
        held_.insert({}, salt_of(row), static_cast<std::uint32_t>(held_places_.size()));
        held_places_.push_back({d, all[1].value});
    }

    /// The parameter that an address means, by name or by a register that holds it.
    parameter_place parameter_at(const operand& address) {
        parameter_place place{symbols_.visible(address.text), address.value};
        if (const std::uint32_t row = registers_.row_of(address.text); row != nowhere) {
            const std::uint32_t held = held_.find({}, salt_of(row));
            if (held == nowhere) return {};
            place = {held_places_[held].declaration, place.offset + held_places_[held].offset};
        }
        return is_parameter(place.declaration) ? place : parameter_place{};
    }

    /// The address of a variable of the module by its name, or of a function; 0 if the name means neither.
    std::uint64_t address_in_module(std::string_view name) {
        const std::uint32_t d = symbols_.module_variable(name);
        if (d != nowhere) {
            const state_space space = state_.source.declarations[d].space;
            if (space != state_space::global && space != state_space::constant) return 0;
            return constants_.value(variables_.row_of(d, 0, [] { return nowhere; }));
        }
        const std::uint32_t f = symbols_.function(name);
        return f == nowhere ? 0 : state_.address_of_function(f);
    }

    [[nodiscard]] bool is_parameter(std::uint32_t d) const {
        return d != nowhere && state_.source.declarations[d].space == state_space::param;
    }

private:
    static bool is_group(const operand& o) {
        return o.kind == operand_kind::vector || o.kind == operand_kind::list;
    }

    std::uint32_t constant(std::uint64_t value) { return constants_.row_of(value); }

    std::uint32_t row_of(const operand& o, const ptx::text::value_type& type) {
        if (o.kind == operand_kind::integer) {
            const std::uint64_t mask =
                type.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.bits) - 1;
            return constant(static_cast<std::uint64_t>(o.value) & mask);
        }
        if (o.indexed && o.parts == 0) return address_of_symbol(o.text, offset_of(o));
        return o.kind == operand_kind::address ? base_row(o) : value_row(o);
    }

    std::uint32_t address_of_symbol(std::string_view name, std::int64_t offset) {
        std::uint32_t d = symbols_.visible(name);
        if (d == nowhere) d = symbols_.module_variable(name);
        if (d != nowhere && !is_parameter(d)) {
            return variables_.row_of(d, offset, [this] { return registers_.new_row(0); });
        }
        if (d != nowhere) {
            const std::uint32_t parameter = state_.kernel_parameter(d);
            if (parameter != nowhere) {
                const ptx::link::address_windows windows(state_.source.address_bits);
                return constant(windows.parameter(parameter) + static_cast<std::uint64_t>(offset));
            }
        }
        if (d == nowhere) {
            const std::uint32_t f = symbols_.function(name);
            if (f != nowhere) return address_of_function(f, offset);
        }
        if (d != nowhere || symbols_.label(name) != nowhere) return unknown_row;
        state_.fail(errc::missing, "declaration");
        return unknown_row;
    }

    std::uint32_t address_of_function(std::uint32_t f, std::int64_t offset) {
        const std::uint64_t address = state_.address_of_function(f);
        return address == 0 ? unknown_row : constant(address + static_cast<std::uint64_t>(offset));
    }

    // Rows of different routines have the same numbers.
    [[nodiscard]] std::uint64_t salt_of(std::uint32_t row) const {
        return std::uint64_t{state_.routine} << 32 | row;
    }

    link_state<Used>& state_;
    const symbols<Used>& symbols_;
    constant_pool<Used> constants_;
    variable_addresses<Used> variables_;
    registers<Used> registers_;
    parameter_parts<Used> parameters_;
    name_table<Used> held_;  // rows of registers that hold addresses of parameters
    core::late<Used, std::vector<parameter_place>> held_places_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
