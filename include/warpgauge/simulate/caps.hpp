// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_CAPS_HPP
#define WARPGAUGE_SIMULATE_CAPS_HPP

#include <cstdint>

#include <warpgauge/core/result.hpp>

/// \file Limits on the work and memory of a simulation.

namespace WARPGAUGE_NAMESPACE {

/// The maximum number of warps on a simulated SM.
inline constexpr std::uint64_t max_sm_warps = 4096;

/// No simulated SM executes more.
inline constexpr std::uint64_t max_sm_blocks = std::uint64_t{1} << 53;

/// The maximum number of cycles of a simulation.
inline constexpr std::uint64_t max_simulated_cycles = std::uint64_t{1} << 40;

/// Limits on a simulation of one SM. To exceed the first two is an error. If a grid has more blocks than an SM holds
/// at a time, the others say how many are simulated one by one if no state repeats.
struct simulation_caps {
    std::uint64_t warp_instructions = std::uint64_t{1} << 30;  ///< that the SM executes
    std::uint64_t words = std::uint64_t{1} << 27;              ///< of memory, 8 B each
    /// At least this number of warp instructions is simulated one by one.
    std::uint64_t min_simulated = std::uint64_t{1} << 15;
    /// From this number of warp instructions on, the rate of the last blocks is extrapolated, however uneven it was.
    std::uint64_t max_simulated = std::uint64_t{1} << 23;
    /// The maximum error of the extrapolated cycles, as a fraction of all, with which a rate counts as even.
    double even_within = 0.01;
};

namespace detail::simulate {

/// The first whole cycle that is not before `cycles`. Beyond `max_simulated_cycles` it is that bound, and
/// `failure` says so.
constexpr std::uint64_t whole_cycles(double cycles, model_error& failure) {
    if (!(cycles <= static_cast<double>(max_simulated_cycles))) {
        failure = {errc::limit_reached, "cycles"};
        return max_simulated_cycles;
    }
    const auto down = static_cast<std::uint64_t>(cycles);
    return static_cast<double>(down) < cycles ? down + 1 : down;
}

}  // namespace detail::simulate

}  // namespace WARPGAUGE_NAMESPACE

#endif
