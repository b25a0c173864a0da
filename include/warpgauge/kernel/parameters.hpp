// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_PARAMETERS_HPP
#define WARPGAUGE_KERNEL_PARAMETERS_HPP

#include <array>
#include <cstddef>
#include <string_view>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file The parameters of a kernel profile by name, for tools that go through all of them.

namespace warpgauge {

/// Calls `visit(name, value)` for every number of a profile, with a reference to the value; for those of its
/// stencil only where it is one.
template <class Visitor, scalar Real>
constexpr void for_each_parameter(kernel_profile<Real>& k, Visitor&& visit) {
    visit("blocks", k.blocks);
    visit("threads_per_block", k.threads_per_block);
    visit("registers_per_thread", k.registers_per_thread);
    visit("shared_bytes_per_block", k.shared_bytes_per_block);
    visit("active_blocks_per_sm", k.active_blocks_per_sm);
    visit("comp_insts", k.comp_insts);
    visit("coalesced_mem_insts", k.coalesced_mem_insts);
    visit("uncoalesced_mem_insts", k.uncoalesced_mem_insts);
    visit("sync_insts", k.sync_insts);
    visit("transactions_per_uncoalesced", k.transactions_per_uncoalesced);
    visit("bytes_per_access", k.bytes_per_access);
    if (k.stencil.dimensions == 0) return;
    constexpr std::string_view lengths[]{"data_length[0]", "data_length[1]", "data_length[2]"};
    constexpr std::string_view widths[]{"halo_width[0]", "halo_width[1]", "halo_width[2]"};
    for (std::size_t n = 0; n < 3; ++n) {
        visit(lengths[n], k.stencil.data_length[n]);
        visit(widths[n], k.stencil.halo_width[n]);
    }
    visit("block_length", k.stencil.block_length);
    visit("stencil_arrays", k.stencil.stencil_arrays);
    visit("elements_per_op", k.stencil.elements_per_op);
    visit("profiled_elements", k.stencil.profiled_elements);
    visit("misc_insts_per_sm", k.stencil.misc_insts_per_sm);
    visit("iter_insts_per_sm", k.stencil.iter_insts_per_sm);
}

/// The parameter of that name, or null.
template <scalar Real>
[[nodiscard]] constexpr Real* find_parameter(kernel_profile<Real>& k, std::string_view name) {
    Real* found = nullptr;
    for_each_parameter(k, [&](std::string_view other, Real& value) {
        if (other == name) found = &value;
    });
    return found;
}

/// A profile in another type of number.
template <scalar To, scalar From>
[[nodiscard]] constexpr kernel_profile<To> profile_in(const kernel_profile<From>& k) {
    kernel_profile<From> source = k;
    kernel_profile<To> r;
    r.name = k.name;
    r.instructions = k.instructions;
    r.stencil.dimensions = k.stencil.dimensions;
    // Both have the same parameters in the same order.
    std::array<const From*, 32> from{};
    std::size_t count = 0;
    for_each_parameter(source, [&](std::string_view, const From& f) { from[count++] = &f; });
    count = 0;
    for_each_parameter(r, [&](std::string_view, To& to) { to = To(*from[count++]); });
    return r;
}

}  // namespace warpgauge

#endif
