// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_PTX_WITHIN_ERRORS_HPP
#define WARPGAUGE_TESTS_PTX_WITHIN_ERRORS_HPP

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/trace/traced_kernel.hpp>

// Whether the counts of a sample are as near to those of all warps as its errors say.

namespace within_errors {

namespace ptx = warpgauge::ptx;

// Calls `see(name, count, error)` for each count that the ways of warps decide.
template <class See>
void for_each_count_of_ways(const ptx::traced_kernel& t, See&& see) {
    const ptx::sampling_errors& e = t.errors;
    see("warps", t.warps, 0.0);
    see("warp_insts", t.warp_insts, e.warp_insts);
    see("lane_insts", t.active_lanes * t.warp_insts, e.lane_insts);
    see("divergent_insts", t.divergent_insts, e.divergent_insts);
    for (std::size_t n = 0; n < t.unit_insts.size(); ++n) {
        see("unit_insts", t.unit_insts[n], e.unit_insts[n]);
    }
    see("shared_passes", t.shared_load_passes + t.shared_store_passes, e.shared_passes);
    see("shared_load_passes", t.shared_load_passes, e.shared_load_passes);
    see("shared_store_passes", t.shared_store_passes, e.shared_store_passes);
    see("wait_steps", t.waits.steps, e.wait_steps);
    see("longest_steps", t.waits.longest_steps, e.longest_steps);
    see("l1_waits", t.waits.l1_waits, e.l1_waits);
    see("store_waits", t.waits.store_waits, e.store_waits);
}

// The same for each that addresses decide too.
template <class See>
void for_each_count_of_accesses(const ptx::traced_kernel& t, See&& see) {
    const ptx::sampling_errors& e = t.errors;
    see("bytes_moved", t.bytes_moved, e.bytes_moved);
    see("coalesced_bytes_moved", t.coalesced_bytes_moved, e.coalesced_bytes_moved);
    see("coalesced_mem_insts", t.coalesced_mem_insts, e.coalesced_mem_insts);
    see("uncoalesced_mem_insts", t.uncoalesced_mem_insts, e.uncoalesced_mem_insts);
    see("transactions", t.transactions, e.transactions);
    see("atomic_turns", t.atomic_turns, e.atomic_turns);
    see("load_sectors", t.touched.load_sectors, e.load_sectors);
    see("full_store_sectors", t.touched.full_store_sectors, e.full_store_sectors);
    see("partial_store_sectors", t.touched.partial_store_sectors, e.partial_store_sectors);
    see("store_sectors", t.touched.full_store_sectors + t.touched.partial_store_sectors,
        e.store_sectors);
    see("lines", t.touched.lines, e.lines);
    see("broadcast_loads", t.touched.broadcast_loads, e.broadcast_loads);
    see("reused_fraction", t.waits.reused_fraction, e.reused_fraction);
    see("footprint_bytes", t.footprint_bytes, e.footprint_bytes);
    see("loaded_bytes", t.loaded_bytes, e.loaded_bytes);
    see("stored_bytes", t.stored_bytes, e.stored_bytes);
}

// Counts that are off by more than their errors, by name.
class comparison {
public:
    comparison(const ptx::traced_kernel& sample, const ptx::traced_kernel& all, bool accesses) {
        std::vector<double> exact;
        const auto keep = [&](std::string_view, double count, double) { exact.push_back(count); };
        for_each_count_of_ways(all, keep);
        if (accesses) for_each_count_of_accesses(all, keep);
        std::size_t n = 0;
        const auto compare = [&](std::string_view name, double count, double error) {
            const double of_all = exact[n++];
            if (std::fabs(count - of_all) <= error + 1e-9 * of_all) return;
            outside_ += std::string(name) + ' ' + std::to_string(count) + " with error " +
                        std::to_string(error) + " instead of " + std::to_string(of_all) + "; ";
        };
        for_each_count_of_ways(sample, compare);
        if (accesses) for_each_count_of_accesses(sample, compare);
    }

    [[nodiscard]] const std::string& outside() const { return outside_; }

private:
    std::string outside_;
};

// The counts of a sample that are off by more than its errors; empty if none is.
inline std::string outside(const ptx::traced_kernel& sample, const ptx::traced_kernel& all,
                           bool accesses = true) {
    return comparison(sample, all, accesses).outside();
}

// The largest error of a count of instructions, as a fraction of all instructions.
inline double of_instructions(const ptx::traced_kernel& t) {
    double most = t.errors.warp_insts;
    for (const double error : t.errors.unit_insts) most = std::fmax(most, error);
    most = std::fmax(most, std::fmax(t.errors.lane_insts / 32, t.errors.divergent_insts));
    return most / t.warp_insts;
}

}  // namespace within_errors

#endif
