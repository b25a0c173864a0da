// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_INITIAL_CONTENTS_HPP
#define WARPGAUGE_PTX_LINK_INITIAL_CONTENTS_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/known_contents.hpp>
#include <warpgauge/ptx/link/link_state.hpp>
#include <warpgauge/ptx/link/operand_rows.hpp>
#include <warpgauge/ptx/link/symbols.hpp>
#include <warpgauge/ptx/link/variable_addresses.hpp>
#include <warpgauge/ptx/text/initial_values.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file Gives a program the initial values of the variables that it has the addresses of.
///
/// What holds for the launch is what the text says if nothing writes to the variable: constants, and variables of global
/// memory that no function of the module may write to. A host that writes to them is not in the text.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

template <class Used = core::when_used>
class initial_contents {
public:
    initial_contents(link_state<Used>& state, const symbols<Used>& names, operand_rows<Used>& rows,
                     std::uint64_t max_values)
        : state_(state), symbols_(names), rows_(rows), max_values_(max_values) {}

    /// Adds those of all variables that have been placed since the last call. Addresses in them place others, and take
    /// those of functions.
    void add() {
        for (; next_ < rows_.variables().in_module().size() && state_.ok(); ++next_) {
            const placed_variable v = rows_.variables().in_module()[next_];
            if (has_values(v.declaration)) add(v);
        }
    }

private:
    static constexpr std::size_t bytes_of_row = 256;  // a constant is one of each lane

    [[nodiscard]] bool has_values(std::uint32_t d) const {
        const declaration& v = state_.source.declarations[d];
        if (v.initial.empty()) return false;
        return v.space == state_space::constant || !symbols_.may_be_written(d);
    }

    void add(const placed_variable& v) {
        const declaration& d = state_.source.declarations[v.declaration];
        const auto read = ptx::text::read_initial_values<Used>(d);
        if (!read) return state_.fail(read.error().code, read.error().field, d.at);
        auto& all = state_.made.contents;
        if ((all.bytes().size() + read->bytes.size()) / bytes_of_row > max_values_) {
            return state_.fail(errc::limit_reached, "memory", d.at);
        }
        all.add_variable(v.address, d.elements == 0 ? read->size : size_of(d));
        std::size_t next_address = 0;
        for (const ptx::text::value_run& run : read->runs) {
            if (run.known) {
                all.add_run({v.address + run.at, run.bytes, all.bytes().size(), true});
                const auto from = read->bytes.begin() + static_cast<std::ptrdiff_t>(run.first);
                all.bytes().insert(all.bytes().end(), from,
                                   from + static_cast<std::ptrdiff_t>(run.bytes));
                continue;
            }
            add_open_run(v, run, *read, next_address);
        }
    }

    // Of a run that the text alone does not decide: addresses, and what stays unknown between them.
    void add_open_run(const placed_variable& v, const ptx::text::value_run& run,
                      const ptx::text::initial_values<Used>& all, std::size_t& next) {
        auto& to = state_.made.contents;
        const std::uint64_t end = run.at + run.bytes;
        std::uint64_t at = run.at;
        const auto unknown_to = [&](std::uint64_t where) {
            if (where > at) to.add_run({v.address + at, where - at, 0, false});
            at = where;
        };
        for (; next < all.addresses.size() && all.addresses[next].at < end; ++next) {
            const ptx::text::initial_address& a = all.addresses[next];
            const std::uint64_t address =
                a.bytes * 8 == address_bits() ? rows_.address_in_module(a.name) : 0;
            if (address == 0) continue;
            unknown_to(a.at);
            to.add_run({v.address + a.at, a.bytes, to.bytes().size(), true});
            for (std::uint32_t b = 0; b < a.bytes; ++b) {
                const std::uint64_t value = address + static_cast<std::uint64_t>(a.offset);
                to.bytes().push_back(static_cast<unsigned char>(value >> 8 * b & 0xff));
            }
            at = a.at + a.bytes;
        }
        unknown_to(end);
    }

    [[nodiscard]] std::uint32_t address_bits() const {
        return state_.source.address_bits == 64 ? 64 : 32;
    }

    link_state<Used>& state_;
    const symbols<Used>& symbols_;
    operand_rows<Used>& rows_;
    std::uint64_t max_values_;
    std::size_t next_ = 0;  // of the placed variables
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
