// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_MWP_CWP_BY_HAND_HPP
#define WARPGAUGE_BENCHMARKS_MWP_CWP_BY_HAND_HPP

#include <warpgauge/kernel/profile.hpp>

/// \file MWP/CWP as somebody writes it down, to compare with.

/// Cycles by Hong & Kim 2009, eqs. (5)-(24) with (26)-(27): the constants of `Gpu` in place, no checks, no intermediate
/// kept.
template <class Gpu>
double mwp_cwp_by_hand(const warpgauge::kernel_profile<>& k) {
    constexpr Gpu g{};
    constexpr double latency_coal = g.dram_latency_cycles;
    const double active_sms = k.blocks < g.sm_count ? k.blocks : g.sm_count;
    const double mean = k.blocks / g.sm_count;
    const double whole = static_cast<double>(static_cast<long>(mean));
    const double most = whole < mean ? whole + 1 : whole;
    const double blocks = k.active_blocks_per_sm < most ? k.active_blocks_per_sm : most;
    const double n =
        blocks * static_cast<double>(static_cast<long>((k.threads_per_block + 31) / 32));
    const double rep = k.blocks / (blocks * active_sms);
    const double mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    const double fraction = k.uncoalesced_mem_insts / mem_insts;
    const double latency_uncoal =
        latency_coal + (k.transactions_per_uncoalesced - 1) * g.uncoalesced_departure_cycles;
    const double latency = latency_uncoal * fraction + latency_coal * (1 - fraction);
    const double departure =
        g.uncoalesced_departure_cycles * k.transactions_per_uncoalesced * fraction +
        g.coalesced_departure_cycles * (1 - fraction);
    double mwp = latency / departure;
    const double peak =
        g.dram_bytes_per_s / (g.clock_hz * k.bytes_per_access * 32 / latency * active_sms);
    if (peak < mwp) mwp = peak;
    if (n < mwp) mwp = n;
    const double mem =
        latency_uncoal * k.uncoalesced_mem_insts + latency_coal * k.coalesced_mem_insts;
    const double comp = g.issue_cycles * (k.comp_insts + mem_insts);
    double cwp = (mem + comp) / comp;
    if (n < cwp) cwp = n;
    const double others = mwp > 1 ? mwp - 1 : 0;
    const double overlap = comp / mem_insts * others;
    double cycles = 0;
    if (mwp == n && cwp == n) {
        cycles = mem + comp + overlap;
    } else if (cwp >= mwp && comp <= mem) {
        cycles = mem * n / mwp + overlap;
    } else {
        cycles = latency + comp * n;
    }
    return (cycles + departure * others * k.sync_insts * blocks) * rep;
}

#endif
