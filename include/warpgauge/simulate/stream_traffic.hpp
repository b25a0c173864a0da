// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_STREAM_TRAFFIC_HPP
#define WARPGAUGE_SIMULATE_STREAM_TRAFFIC_HPP

#include <cstddef>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/parameters.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/sm/cache_misses.hpp>

/// \file The levels that serve the accesses of a stream to global memory, by the bytes that its profile has at each
/// level.
///
/// A stream says that an access goes to global memory, and not which cache serves it. If the profile has the
/// bytes of the launch, from a replay of its addresses or another source, each access has its part of them.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// Fractions of the accesses to global memory.
struct stream_traffic {
    double beyond_l1 = 1;       ///< of their bytes, that miss L1
    double from_dram = 1;       ///< of their bytes, that miss L2 too
    double waits_for_dram = 0;  ///< of their waits, as far as the profile says more than the bytes
};

/// The fraction of a kernel's waits that are for DRAM, as (3) of the saturation model has it; 0 if they are not counted, or
/// an L2 of `l2_bytes` holds all. DRAM sends a sector once that several blocks load, but those which run side by side all
/// wait for it.
[[nodiscard]] constexpr double dram_waits_fraction(const kernel_profile<>& k, double l2_bytes) {
    const dependent_waits<>& w = k.waits;
    const double all = w.dram_waits + w.l2_waits + w.steps;
    if (!(all > 0)) return 0;
    const double footprint = k.traffic.footprint_bytes;
    const double miss =
        footprint > 0 && l2_bytes > 0 ? cache_miss_fraction(footprint, l2_bytes) : 0;
    return (w.dram_waits + w.steps * miss * (1 - w.reused_fraction)) / all;
}

/// The error of what a profile says of its memory, or of the fractions of its peak that DRAM of `d` sustains.
template <class D>
[[nodiscard]] constexpr model_error check_traffic(const D& d, const kernel_profile<>& k) {
    using core::zero;
    const memory_traffic<>& t = k.traffic;
    const auto bad = check_known_parameters<double>(
        group_list<parameters::dram_read, parameters::dram_write, parameters::dram_mixed>{}, d);
    if (bad) return bad;
    const auto wrong =
        core::check_inputs<double>({{t.l2_bytes_per_warp, "l2_bytes_per_warp", zero::allowed},
                                    {t.dram_read_bytes, "dram_read_bytes", zero::allowed},
                                    {t.dram_write_bytes, "dram_write_bytes", zero::allowed},
                                    {t.footprint_bytes, "footprint_bytes", zero::allowed},
                                    {k.accesses.broadcast_loads, "broadcast_loads", zero::allowed},
                                    {k.waits.dram_waits, "dram_waits", zero::allowed},
                                    {k.waits.l2_waits, "l2_waits", zero::allowed},
                                    {k.waits.steps, "steps", zero::allowed},
                                    {k.waits.reused_fraction, "reused_fraction", zero::allowed}});
    if (wrong || k.waits.reused_fraction <= 1) return wrong;
    return {errc::outside_domain, "reused_fraction"};
}

/// Of a checked profile of so many warps, on an SM `p`. All of a malformed stream comes from DRAM.
[[nodiscard]] constexpr stream_traffic traffic_of(const kernel_profile<>& k, double warps,
                                                  double l2_bytes, const sm_parameters& p) {
    stream_traffic t;
    if (check_stream(k.instructions)) return t;
    double bytes = 0;  // of a warp, as if no cache had any
    auto add = [&](const instruction& i, std::size_t, double times) {
        if (is_memory(i)) bytes += times * bytes_of(i, p);
    };
    for_each_entry(k.instructions, 0, k.instructions.size(), 1, add);
    if (!(bytes > 0)) return t;
    if (k.traffic.l2_bytes_per_warp > 0) {
        t.beyond_l1 = core::min(k.traffic.l2_bytes_per_warp / bytes, 1.0);
    }
    const double from_dram = k.traffic.dram_read_bytes + k.traffic.dram_write_bytes;
    t.from_dram = from_dram > 0 ? core::min(from_dram / (warps * bytes), t.beyond_l1) : t.beyond_l1;
    t.waits_for_dram = dram_waits_fraction(k, l2_bytes);
    return t;
}

/// The SM for accesses with the traffic `t`. They take the mean latency of their levels, by bytes or by waits if more of
/// these are for DRAM, and no less than that of L2 if anything passes its queue. If DRAM has some bytes and its latency is not known, theirs is not known.
[[nodiscard]] constexpr sm_parameters with_traffic(sm_parameters p, const stream_traffic& t) {
    p.beyond_l1_fraction = t.beyond_l1;
    p.from_dram_fraction = t.from_dram;
    const double from_dram =
        core::max(t.from_dram, core::min(t.waits_for_dram, t.beyond_l1));  // of their latencies
    if (from_dram > 0 && !(p.dram_latency_cycles > 0)) return p;
    p.dram_latency_cycles = from_dram * p.dram_latency_cycles +
                            (t.beyond_l1 - from_dram) * p.l2_latency_cycles +
                            (1 - t.beyond_l1) * p.l1_latency_cycles;
    return p;
}

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
