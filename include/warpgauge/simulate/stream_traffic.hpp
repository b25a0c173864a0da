// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_STREAM_TRAFFIC_HPP
#define WARPGAUGE_SIMULATE_STREAM_TRAFFIC_HPP

#include <cstddef>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/parameters.hpp>
#include <warpgauge/kernel/access_level.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/simulate/entry_levels.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/sm/cache_misses.hpp>

/// \file The levels that serve the accesses of a stream to global memory, by the bytes that its profile has at each
/// level.
///
/// A stream says that an access goes to global memory, and not which cache serves it. If the profile has the
/// bytes of the launch, from a replay of its addresses or another source, each access has its part of them: the same
/// one, or with `levels` its own, moved so that together they are the bytes of the launch.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// Fractions of the accesses to global memory.
struct stream_traffic {
    double beyond_l1 = 1;       ///< of their bytes, that miss L1
    double from_dram = 1;       ///< of their bytes, that miss L2 too
    double waits_for_dram = 0;  ///< of their waits, as far as the profile says more than the bytes
    stream_levels levels{};     ///< of each entry, with those means

    /// The fraction of the latencies that is DRAM's.
    [[nodiscard]] constexpr double dram_latencies() const {
        return core::max(from_dram, core::min(waits_for_dram, beyond_l1));
    }
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
    if (wrong) return wrong;
    if (k.waits.reused_fraction > 1) return {errc::outside_domain, "reused_fraction"};
    return check_levels(k.levels, k.instructions.size());
}

/// The bytes of a stream's accesses to global memory, of one warp.
struct level_bytes {
    double all{};        ///< as if no cache had any
    double beyond_l1{};  ///< that miss L1
    double from_dram{};  ///< that miss L2 too
};

/// Sums up a checked stream; `level_at(position)` gives the levels of an entry.
template <class LevelAt>
[[nodiscard]] constexpr level_bytes count_bytes(std::span<const instruction> stream,
                                                const sm_parameters& p, const LevelAt& level_at) {
    level_bytes b;
    auto add = [&](const instruction& i, std::size_t at, double times) {
        if (!is_memory(i)) return;
        const double bytes = times * bytes_of(i, p);
        const access_level l = level_at(at);
        b.all += bytes;
        b.beyond_l1 += bytes * l.beyond_l1;
        b.from_dram += bytes * l.from_dram;
    };
    for_each_entry(stream, 0, stream.size(), 1, add);
    return b;
}

/// Moves the levels of a profile's entries to the means of `t`. Fractions of what misses L1 are means over what misses it
/// once that has been moved.
[[nodiscard]] constexpr stream_levels levels_of(const kernel_profile<>& k, const sm_parameters& p,
                                                const level_bytes& given, const stream_traffic& t) {
    stream_levels levels{.of_entries = k.levels};
    if (given.beyond_l1 > 0) levels.mean_misses = given.from_dram / given.beyond_l1;
    levels.beyond_l1 = moved(given.beyond_l1 / given.all, t.beyond_l1);
    const level_bytes b = count_bytes(k.instructions, p, [&](std::size_t at) {
        const double beyond_l1 = levels.beyond_l1(k.levels[at].beyond_l1);
        return access_level{beyond_l1, beyond_l1 * levels.misses_of(k.levels[at])};
    });
    if (!(b.beyond_l1 > 0)) return levels;
    const double misses = core::min(b.from_dram / b.beyond_l1, 1.0);
    levels.misses = moved(misses, t.from_dram / t.beyond_l1);
    levels.waits = moved(misses, t.dram_latencies() / t.beyond_l1);
    return levels;
}

/// Of a checked profile of so many warps, on an SM `p`. All of a malformed stream comes from DRAM.
[[nodiscard]] constexpr stream_traffic traffic_of(const kernel_profile<>& k, double warps,
                                                  double l2_bytes, const sm_parameters& p) {
    stream_traffic t;
    if (check_stream(k.instructions)) return t;
    const level_bytes given = count_bytes(k.instructions, p, [&](std::size_t at) {
        return k.levels.empty() ? access_level{} : k.levels[at];
    });
    if (!(given.all > 0)) return t;
    const double l2_bytes_per_warp =
        k.traffic.l2_bytes_per_warp > 0 ? k.traffic.l2_bytes_per_warp : given.beyond_l1;
    t.beyond_l1 = core::min(l2_bytes_per_warp / given.all, 1.0);
    const double from_dram = k.traffic.dram_read_bytes + k.traffic.dram_write_bytes;
    const double misses = given.beyond_l1 > 0 ? given.from_dram / given.beyond_l1 : 1;
    t.from_dram = from_dram > 0 ? core::min(from_dram / (warps * given.all), t.beyond_l1)
                                : t.beyond_l1 * misses;
    t.waits_for_dram = dram_waits_fraction(k, l2_bytes);
    if (!k.levels.empty()) t.levels = levels_of(k, p, given, t);
    return t;
}

/// The SM for accesses with the traffic `t`. They take the mean latency of their levels, by bytes or by waits if more of
/// these are for DRAM, and no less than that of L2 if anything passes its queue. If DRAM has some bytes and its latency is not known, theirs is not known.
[[nodiscard]] constexpr sm_parameters with_traffic(sm_parameters p, const stream_traffic& t) {
    p.beyond_l1_fraction = t.beyond_l1;
    p.from_dram_fraction = t.from_dram;
    p.levels = t.levels;
    p.levels.dram_latency_cycles = p.dram_latency_cycles;
    const double from_dram = t.dram_latencies();
    if (from_dram > 0 && !(p.dram_latency_cycles > 0)) return p;
    p.dram_latency_cycles = from_dram * p.dram_latency_cycles +
                            (t.beyond_l1 - from_dram) * p.l2_latency_cycles +
                            (1 - t.beyond_l1) * p.l1_latency_cycles;
    return p;
}

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
