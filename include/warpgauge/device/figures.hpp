// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICE_FIGURES_HPP
#define WARPGAUGE_DEVICE_FIGURES_HPP

#include <string_view>

#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file The figures of devices and profiles by name, for tools that go through all of them.

namespace warpgauge {

/// Calls `visit(name, figure)` for every figure that a runtime device has, except the limits of its
/// compute capability, which are whole numbers and only act in steps, and cost tables.
template <class Device, class Visitor>
constexpr void for_each_figure_of_device(Device& d, Visitor&& visit) {
    // clang-format off
    if constexpr (has_chip<Device>) {
        visit("sm_count", d.sm_count);
        visit("clock_hz", d.clock_hz);
        visit("dram_bytes_per_s", d.dram_bytes_per_s);
    }
    if constexpr (has_dram_timing<Device>) {
        visit("dram_latency_cycles", d.dram_latency_cycles);
        visit("coalesced_departure_cycles", d.coalesced_departure_cycles);
        visit("uncoalesced_departure_cycles", d.uncoalesced_departure_cycles);
    }
    if constexpr (has_transaction_size<Device>) visit("dram_transaction_bytes", d.dram_transaction_bytes);
    if constexpr (has_issue<Device>) visit("issue_cycles", d.issue_cycles);
    if constexpr (has_computation_costs<Device>) {
        visit("cpd_a", d.cpd_a);
        visit("cpd_b", d.cpd_b);
        visit("cpd_c", d.cpd_c);
        visit("cpd_d", d.cpd_d);
    }
    if constexpr (has_stencil_timing<Device>) {
        visit("uncontended_latency_cycles", d.uncontended_latency_cycles);
        visit("coalesce_width", d.coalesce_width);
        visit("dram_pipeline_depth", d.dram_pipeline_depth);
        visit("global_sync_cycles", d.global_sync_cycles);
        visit("average_cpi", d.average_cpi);
        visit("tiles_stay_local", d.tiles_stay_local);
        visit("traffic_overlap", d.traffic_overlap);
    }
    // clang-format on
}

/// The same for a profile; of its stencil only where it is one.
template <class Profile, class Visitor>
constexpr void for_each_figure_of_profile(Profile& k, Visitor&& visit) {
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

/// A profile in another type of number.
template <scalar To, scalar From>
[[nodiscard]] constexpr kernel_profile<To> profile_in(const kernel_profile<From>& k) {
    kernel_profile<To> r;
    r.name = k.name;
    r.instructions = k.instructions;
    r.stencil.dimensions = k.stencil.dimensions;
    // Both have the same figures in the same order.
    std::array<const From*, 32> from{};
    std::size_t count = 0;
    for_each_figure_of_profile(k, [&](std::string_view, const From& f) { from[count++] = &f; });
    count = 0;
    for_each_figure_of_profile(r, [&](std::string_view, To& to) { to = To(*from[count++]); });
    return r;
}

}  // namespace warpgauge

#endif
