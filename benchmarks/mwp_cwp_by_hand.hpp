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
    const double rounds = rep > 1 ? rep : 1;
    const double some_uncoal = k.uncoalesced_mem_insts < 1 ? k.uncoalesced_mem_insts : 1;
    const double some = mem_insts < 1 ? mem_insts : 1;
    const double period = latency_coal * some + (latency_uncoal - latency_coal) * some_uncoal;
    const double comp_period = comp * period / mem;
    const double others = mwp > 1 ? mwp - 1 : 0;
    double cycles = mem * n / mwp + comp_period * others;
    const double few_warps = mem + comp + comp_period * (n - 1);
    if (few_warps > cycles) cycles = few_warps;
    const double issued = period + comp * n;
    if (issued > cycles) cycles = issued;
    const double delay_coal = g.coalesced_departure_cycles;
    const double delay_uncoal = g.uncoalesced_departure_cycles * k.transactions_per_uncoalesced;
    const double rest_coal = latency_coal - delay_coal;
    const double longest_coal = delay_coal * (n - 1) < rest_coal ? delay_coal * (n - 1) : rest_coal;
    const double queue = delay_uncoal * (n - 1);
    const double rest = latency_uncoal - delay_uncoal;
    const double longest_uncoal = queue < rest ? queue : rest;
    const double least = longest_uncoal < longest_coal ? longest_uncoal : longest_coal;
    const double some_coal = k.coalesced_mem_insts < 1 ? k.coalesced_mem_insts : 1;
    const double barrier =
        least * some + (longest_uncoal - least) * some_uncoal + (longest_coal - least) * some_coal;
    return (cycles + barrier * k.sync_insts * blocks) * rounds;
}

#endif
