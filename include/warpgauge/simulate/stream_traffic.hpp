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

/// \file The levels that serve the accesses of a stream to global memory, by the bytes that its profile has at each
/// level.
///
/// A stream says that an access goes to global memory, and not which cache serves it. If the profile has the
/// bytes of the launch, from a replay of its addresses or another source, each access has its part of them.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// Fractions of the bytes of accesses to global memory.
struct stream_traffic {
    double beyond_l1 = 1;  ///< that miss L1
    double from_dram = 1;  ///< that miss L2 too
};

/// The error of the traffic of a profile, or of the fractions of its peak that DRAM of `d` sustains.
template <class D>
[[nodiscard]] constexpr model_error check_traffic(const D& d, const memory_traffic<>& t) {
    using core::zero;
    const auto bad = check_known_parameters<double>(
        group_list<parameters::dram_read, parameters::dram_write, parameters::dram_mixed>{}, d);
    if (bad) return bad;
    return core::check_inputs<double>({{t.l2_bytes_per_warp, "l2_bytes_per_warp", zero::allowed},
                                       {t.dram_read_bytes, "dram_read_bytes", zero::allowed},
                                       {t.dram_write_bytes, "dram_write_bytes", zero::allowed}});
}

/// Of a checked profile of so many warps, on an SM `p`. All of a malformed stream comes from DRAM.
[[nodiscard]] constexpr stream_traffic traffic_of(const kernel_profile<>& k, double warps,
                                                  const sm_parameters& p) {
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
    return t;
}

/// The SM for accesses with the traffic `t`. They take the mean latency of their levels by bytes, and no less than
/// that of L2 if anything passes its queue. If DRAM has some bytes and its latency is not known, theirs is not known.
[[nodiscard]] constexpr sm_parameters with_traffic(sm_parameters p, const stream_traffic& t) {
    p.beyond_l1_fraction = t.beyond_l1;
    p.from_dram_fraction = t.from_dram;
    if (t.from_dram > 0 && !(p.dram_latency_cycles > 0)) return p;
    p.dram_latency_cycles = t.from_dram * p.dram_latency_cycles +
                            (t.beyond_l1 - t.from_dram) * p.l2_latency_cycles +
                            (1 - t.beyond_l1) * p.l1_latency_cycles;
    return p;
}

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
