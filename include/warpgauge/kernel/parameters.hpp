// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_PARAMETERS_HPP
#define WARPGAUGE_KERNEL_PARAMETERS_HPP

#include <array>
#include <cstddef>
#include <string_view>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file The parameters of a kernel profile by name, for tools that go through all of them.

namespace WARPGAUGE_NAMESPACE {

namespace detail::kernel {

inline constexpr std::string_view data_lengths[]{"data_length[0]", "data_length[1]",
                                                 "data_length[2]"};
inline constexpr std::string_view halo_widths[]{"halo_width[0]", "halo_width[1]", "halo_width[2]"};
inline constexpr std::string_view tile_lengths[]{"tile_length[0]", "tile_length[1]",
                                                 "tile_length[2]"};

template <class Visitor, scalar Real>
constexpr void visit_launch(kernel_profile<Real>& k, Visitor& visit) {
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
}

template <class Visitor, scalar Real>
constexpr void visit_stencil(basic_stencil_shape<Real>& s, Visitor& visit) {
    for (std::size_t n = 0; n < 3; ++n) {
        visit(data_lengths[n], s.data_length[n]);
        visit(halo_widths[n], s.halo_width[n]);
    }
    visit("block_length", s.block_length);
    visit("stencil_arrays", s.stencil_arrays);
    visit("elements_per_op", s.elements_per_op);
    visit("profiled_elements", s.profiled_elements);
    visit("misc_insts_per_sm", s.misc_insts_per_sm);
    visit("iter_insts_per_sm", s.iter_insts_per_sm);
    visit("element_bytes", s.element_bytes);
}

/// Further, optional numbers of a stencil.
template <class Visitor, scalar Real>
constexpr void visit_tile(basic_stencil_shape<Real>& s, Visitor& visit) {
    for (std::size_t n = 0; n < 3; ++n) visit(tile_lengths[n], s.tile_length[n]);
}

template <class Visitor, scalar Real>
constexpr void visit_hierarchy(kernel_profile<Real>& k, Visitor& visit) {
    visit("fp32_ops", k.ops.fp32_ops);
    visit("fp64_ops", k.ops.fp64_ops);
    visit("integer_ops", k.ops.integer_ops);
    visit("special_ops", k.ops.special_ops);
    visit("tensor_fmas", k.ops.tensor_fmas);
    visit("shared_passes", k.shared_passes);
    visit("shared_insts", k.shared_insts);
    visit("branches", k.branches);
    visit("load_sectors", k.accesses.load_sectors);
    visit("full_store_sectors", k.accesses.full_store_sectors);
    visit("partial_store_sectors", k.accesses.partial_store_sectors);
    visit("lines", k.accesses.lines);
    visit("broadcast_loads", k.accesses.broadcast_loads);
    visit("dram_waits", k.waits.dram_waits);
    visit("l2_waits", k.waits.l2_waits);
    visit("l1_waits", k.waits.l1_waits);
    visit("store_waits", k.waits.store_waits);
    visit("arithmetic_wait_cycles", k.waits.arithmetic_wait_cycles);
    visit("steps", k.waits.steps);
    visit("longest_steps", k.waits.longest_steps);
    visit("reused_fraction", k.waits.reused_fraction);
    visit("l2_bytes_per_warp", k.traffic.l2_bytes_per_warp);
    visit("dram_read_bytes", k.traffic.dram_read_bytes);
    visit("dram_write_bytes", k.traffic.dram_write_bytes);
    visit("footprint_bytes", k.traffic.footprint_bytes);
    visit("in_l2_fraction", k.traffic.in_l2_fraction);
    visit("local_bytes", k.traffic.local_bytes);
    visit("local_footprint_bytes", k.traffic.local_footprint_bytes);
}

/// All numbers that a profile of any kernel may have.
template <class Visitor, scalar Real>
constexpr void visit_all(kernel_profile<Real>& k, Visitor&& visit) {
    visit_launch(k, visit);
    visit_stencil(k.stencil, visit);
    visit_tile(k.stencil, visit);
    visit_hierarchy(k, visit);
}

inline constexpr std::size_t max_parameters = 64;

}  // namespace detail::kernel

/// Calls `visit(name, value)` for every number of a profile, with a reference to the value. Numbers of the stencil
/// are visited only if the kernel is one, and optional numbers (tile lengths, lane operations, accesses, waits,
/// traffic) only if they are not 0.
template <class Visitor, scalar Real>
constexpr void for_each_parameter(kernel_profile<Real>& k, Visitor&& visit) {
    detail::kernel::visit_launch(k, visit);
    const auto visit_given = [&](std::string_view name, Real& value) {
        if (!scalar_traits<Real>::all(value == Real(0.0))) visit(name, value);
    };
    if (k.stencil.dimensions != 0) {
        detail::kernel::visit_stencil(k.stencil, visit);
        detail::kernel::visit_tile(k.stencil, visit_given);
    }
    detail::kernel::visit_hierarchy(k, visit_given);
}

/// The same for every number that a profile may have, including those of a stencil if the kernel is none, and optional
/// numbers that are 0.
template <class Visitor, scalar Real>
constexpr void for_each_possible_parameter(kernel_profile<Real>& k, Visitor&& visit) {
    detail::kernel::visit_all(k, visit);
}

/// The parameter of that name, or null. An optional parameter is found even if it is 0.
template <scalar Real>
[[nodiscard]] constexpr Real* find_parameter(kernel_profile<Real>& k, std::string_view name) {
    Real* found = nullptr;
    const auto match = [&](std::string_view other, Real& value) {
        if (other == name) found = &value;
    };
    detail::kernel::visit_launch(k, match);
    if (k.stencil.dimensions != 0) {
        detail::kernel::visit_stencil(k.stencil, match);
        detail::kernel::visit_tile(k.stencil, match);
    }
    detail::kernel::visit_hierarchy(k, match);
    return found;
}

/// A profile in another type of number.
template <scalar To, scalar From>
[[nodiscard]] constexpr kernel_profile<To> profile_in(const kernel_profile<From>& k) {
    kernel_profile<From> source = k;
    kernel_profile<To> r;
    r.name = k.name;
    r.instructions = k.instructions;
    r.levels = k.levels;
    r.stencil.dimensions = k.stencil.dimensions;
    r.waits.counted = k.waits.counted;
    // Both have the same parameters in the same order.
    std::array<const From*, detail::kernel::max_parameters> from{};
    std::size_t count = 0;
    detail::kernel::visit_all(source, [&](std::string_view, const From& f) { from[count++] = &f; });
    count = 0;
    detail::kernel::visit_all(r, [&](std::string_view, To& to) { to = To(*from[count++]); });
    return r;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
