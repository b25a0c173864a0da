// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_VARIABLE_ADDRESSES_HPP
#define WARPGAUGE_PTX_LINK_VARIABLE_ADDRESSES_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/address_windows.hpp>
#include <warpgauge/ptx/link/constant_pool.hpp>
#include <warpgauge/ptx/link/link_state.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file Where variables lie in shared, local and global memory.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

/// The next multiple of `to`.
constexpr std::uint64_t aligned(std::uint64_t at, std::uint64_t to) {
    return to <= 1 ? at : (at + to - 1) / to * to;
}

/// B of a whole variable.
constexpr std::uint64_t size_of(const declaration& d) {
    ptx::text::value_type type;
    ptx::text::read_type(d.type, type);
    std::uint64_t bits = type.bits == 1 ? 8 : type.bits;
    if (d.type == "b128") bits = 128;
    return d.elements * d.vector * (bits / 8);
}

constexpr std::uint64_t alignment_of(const declaration& d) {
    if (d.alignment != 0) return d.alignment;
    ptx::text::value_type type;
    ptx::text::read_type(d.type, type);
    return std::uint64_t{d.vector} * ptx::text::bytes_of(type);
}

/// A variable of constant or global memory, and where it lies.
struct placed_variable {
    std::uint32_t declaration{};
    std::uint64_t address{};
};

template <class Used = core::when_used>
class variable_addresses {
public:
    variable_addresses(link_state<Used>& state, constant_pool<Used>& constants)
        : state_(state), constants_(constants) {}

    /// Gives a local variable of the current routine its place.
    void add_local(std::uint32_t d) {
        const declaration& v = state_.source.declarations[d];
        const std::uint64_t at = aligned(state_.current().local_bytes, alignment_of(v));
        const std::uint64_t size = size_of(v);
        if (size > (1U << 30) || at + size > (1U << 30)) {
            return state_.fail(errc::overflow, "local", v.at);
        }
        locals_.insert({}, d, static_cast<std::uint32_t>(at));
        state_.current().local_bytes = static_cast<std::uint32_t>(at + size);
    }

    /// The row of a variable's address; `new_row` makes a row of the current routine.
    template <class NewRow>
    std::uint32_t row_of(std::uint32_t d, std::int64_t offset, NewRow new_row) {
        const declaration& v = state_.source.declarations[d];
        const auto add = static_cast<std::uint64_t>(offset);
        if (v.space == state_space::local) {
            const std::uint32_t row = new_row();
            const std::uint32_t at = locals_.find({}, d);
            state_.current().presets.push_back(
                {.row = row,
                 .parameter = nowhere,
                 .offset = static_cast<std::uint32_t>((at == nowhere ? 0 : at) + add),
                 .bytes = 8});
            return row;
        }
        if (v.space == state_space::shared && v.elements == 0) {
            const std::uint32_t row = constants_.own_row(0);
            dynamic_shared_.push_back({row, add});
            return row;
        }
        const std::uint32_t row = place(d);
        return add == 0 ? row : constants_.row_of(constants_.value(row) + add);
    }

    /// Variables of the module that have an address, in order of their addresses.
    [[nodiscard]] const auto& in_module() const { return in_module_; }

    /// What a launch adds to shared memory comes after all that is declared.
    void place_dynamic_shared() {
        for (const auto& [row, offset] : dynamic_shared_) {
            constants_.value(row) = aligned(state_.made.shared_bytes, 16) + offset;
        }
    }

private:
    static constexpr std::uint32_t nowhere = ptx::link::nowhere;

    // The first use of a variable gives it its address, so that others take no room. Its row is its own:
    // a variable must not share a row with one that moves at the end.
    std::uint32_t place(std::uint32_t d) {
        const declaration& v = state_.source.declarations[d];
        std::uint32_t row = rows_.find({}, d);
        if (row != nowhere) return row;
        std::uint64_t& shared_bytes = state_.made.shared_bytes;
        if (v.space == state_space::shared) {
            shared_bytes = aligned(shared_bytes, alignment_of(v));
            row = constants_.own_row(shared_bytes);
            shared_bytes += size_of(v);
            if (shared_bytes > (std::uint64_t{1} << 40)) {
                state_.fail(errc::overflow, "shared", v.at);
            }
        } else {
            row = constants_.own_row(place_in_module(d));
        }
        rows_.insert({}, d, row);
        return row;
    }

    // Apart from each other, and below all allocations.
    std::uint64_t place_in_module(std::uint32_t d) {
        constexpr std::uint64_t gap = 1 << 16;
        const declaration& v = state_.source.declarations[d];
        const ptx::link::address_windows windows(state_.source.address_bits);
        if (end_ == 0) end_ = windows.variables();
        const std::uint64_t address = aligned(end_, gap);
        if (size_of(v) > windows.end_of_variables() - address - gap) {
            state_.fail(errc::overflow, "global", v.at);
            return address;
        }
        end_ = address + size_of(v) + 1;
        in_module_.push_back({d, address});
        return address;
    }

    link_state<Used>& state_;
    constant_pool<Used>& constants_;
    std::uint64_t end_ = 0;  // of variables of the module
    core::late<Used, std::vector<placed_variable>> in_module_;
    name_table<Used> rows_;    // of addresses
    name_table<Used> locals_;  // B, in the local memory of a call
    core::late<Used, std::vector<std::pair<std::uint32_t, std::uint64_t>>>
        dynamic_shared_;  // row, offset
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
