// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_HIERARCHY_HPP
#define WARPGAUGE_SM_HIERARCHY_HPP

#include <cstdint>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>

/// \file Latencies and rates of the levels of a device, with defaults for unknown ones.
///
/// An unknown parameter is that of the next level, or 1; each function says which.

namespace WARPGAUGE_NAMESPACE {

inline constexpr double sector_bytes = 32;  ///< the unit in which caches and DRAM move data
inline constexpr double line_bytes = 128;   ///< the unit in which L1 looks up data
inline constexpr double word_bytes = 4;     ///< a register

/// Hz of an SM's units under load; the device's clock if the sustained one is not known.
template <scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr Real sustained_clock_of(const D& d) {
    if constexpr (has_sustained_clock<D>) {
        if (knows<parameters::sustained_clock>(d)) return Real(d.sustained_clock_hz);
    }
    return Real(d.clock_hz);
}

/// Cycles of the device's clock for one cycle of its units under load; 1 if the sustained clock is not known.
template <scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr Real sustained_pace(const D& d) {
    if constexpr (has_sustained_clock<D>) {
        return Real(d.clock_hz) / sustained_clock_of<Real>(d);
    } else {
        return Real(1.0);
    }
}

/// How an SM issues the instructions of warps.
template <scalar Real>
struct issue_rate {
    Real cycles_of_warp{};  ///< cycles for one instruction of a warp alone
    Real fraction_of_sm{};  ///< the fraction of the SM's issue slots that this takes
};

/// From the schedulers of an SM, or from `issue_cycles` if these are not known. Dual issue is left out, since it needs
/// pairs of independent instructions, which a profile does not count.
template <scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr issue_rate<Real> issue_rate_of(const D& d) {
    if constexpr (has_schedulers<D>) {
        return {Real(1.0), Real(1.0) / Real(d.warp_schedulers)};
    } else {
        return {Real(d.issue_cycles), Real(1.0)};
    }
}

/// B of one transaction of memory; that of a sector if it is not known.
template <scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr Real transaction_bytes_of(const D& d) {
    if constexpr (has_transaction_size<D>) {
        if (knows<parameters::transaction_size>(d)) return Real(d.dram_transaction_bytes);
    }
    return Real(sector_bytes);
}

/// Latency of L2; that of DRAM if it is not known.
template <scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr Real l2_latency_of(const D& d) {
    if constexpr (has_l2_latency<D>) {
        return Real(d.l2_latency_cycles);
    } else {
        return Real(d.dram_latency_cycles);
    }
}

/// Latency of L1; that of L2 if it is not known.
template <scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr Real l1_latency_of(const D& d) {
    if constexpr (has_l1_latency<D>) {
        return Real(d.l1_latency_cycles);
    } else {
        return l2_latency_of<Real>(d);
    }
}

/// The directions in which a launch moves bytes.
enum class traffic_direction : std::uint8_t {
    mixed,  ///< it loads and stores
    read,   ///< it only loads
    write,  ///< it only stores
};

/// The fraction of its peak that DRAM sustains. If that of a direction is not known, it is the first known one of mixed
/// traffic, reads and writes, and else 1.
template <traffic_direction Direction, scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr Real dram_fraction(const D& d) {
    constexpr bool mixed = has_dram_mixed<D>;
    if constexpr (has_dram_read<D> && (Direction == traffic_direction::read || !mixed) &&
                  !(Direction == traffic_direction::write && has_dram_write<D>)) {
        return Real(d.dram_read_fraction);
    } else if constexpr (has_dram_write<D> && (Direction == traffic_direction::write || !mixed)) {
        return Real(d.dram_write_fraction);
    } else if constexpr (mixed) {
        return Real(d.dram_mixed_fraction);
    } else {
        return Real(1.0);
    }
}

/// Seconds for a byte in a long stream.
template <traffic_direction Direction, scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr Real seconds_per_dram_byte(const D& d) {
    return Real(1.0) / (Real(d.dram_bytes_per_s) * dram_fraction<Direction, Real>(d));
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
