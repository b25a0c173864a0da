// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_RESULT_TIME_HPP
#define WARPGAUGE_SIMULATE_RESULT_TIME_HPP

#include <cstdint>

#include <warpgauge/core/abi.hpp>

/// \file When a result is there, and how far away it comes from: `result_time`.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// A time at which a result is there, and whether it comes from DRAM or L2. Later times compare greater, and
/// of equal ones that of far memory.
struct result_time {
    std::uint64_t cycle_and_far{};  // 2 x cycle, + 1 if far

    static constexpr result_time at(std::uint64_t cycle, bool far) {
        return {cycle << 1 | static_cast<std::uint64_t>(far)};
    }
    [[nodiscard]] constexpr std::uint64_t cycle() const { return cycle_and_far >> 1; }
    /// Whether the result is there in cycle `now`.
    [[nodiscard]] constexpr bool by(std::uint64_t now) const { return cycle_and_far < 2 * now + 2; }
    [[nodiscard]] constexpr bool far() const { return (cycle_and_far & 1) != 0; }
    [[nodiscard]] static constexpr result_time later(result_time a, result_time b) {
        return a.cycle_and_far < b.cycle_and_far ? b : a;
    }
    /// The same, counted from cycle `now`; 0 if it is there by then.
    [[nodiscard]] constexpr std::uint64_t from(std::uint64_t now) const {
        return cycle() > now ? cycle_and_far - (now << 1) : 0;
    }
    /// Back again; what was there by then stays.
    constexpr void read(std::uint64_t now, std::uint64_t from_now) {
        if (from_now > 0) cycle_and_far = from_now + (now << 1);
    }
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
