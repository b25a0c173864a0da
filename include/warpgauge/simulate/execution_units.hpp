// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_EXECUTION_UNITS_HPP
#define WARPGAUGE_SIMULATE_EXECUTION_UNITS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>

/// \file The units of an SM and how long they are busy (P6 of docs/hybrid.md).
///
/// A unit works off as many threads a cycle as it has lanes. It can start what it cannot finish in a
/// cycle, but nothing after it.

namespace warpgauge::detail::simulate {

class execution_units {
public:
    constexpr execution_units(const std::array<double, sm_unit_count>& lanes, double warp_size)
        : lanes_(lanes), warp_size_(warp_size) {}

    /// Starts an instruction of `parts` passes of a warp in cycle `now`. Returns the time at which the
    /// unit has finished it.
    constexpr double occupy(std::size_t unit, double parts, std::uint64_t now) {
        const double work = warp_size_ * parts;
        const double from = static_cast<double>(now) * lanes_[unit];
        work_until_[unit] = core::max(work_until_[unit], from) + work;
        work_[unit] += work;
        const double finished = work_until_[unit] / lanes_[unit];
        if (work_until_[unit] >= from + lanes_[unit]) {
            ready_[unit] = static_cast<std::uint64_t>(finished);
        }
        return finished;
    }

    /// The first cycle in which the unit can start an instruction.
    [[nodiscard]] constexpr std::uint64_t ready(std::size_t unit) const { return ready_[unit]; }

    /// The fraction of the unit's lanes that worked, over `cycles`; 0 of a unit without lanes.
    [[nodiscard]] constexpr double utilisation(std::size_t unit, double cycles) const {
        return lanes_[unit] > 0 ? work_[unit] / (lanes_[unit] * cycles) : 0;
    }

private:
    std::array<double, sm_unit_count> lanes_;
    double warp_size_;
    std::array<std::uint64_t, sm_unit_count> ready_{};
    std::array<double, sm_unit_count> work_until_{};  // in threads: cycles x lanes
    std::array<double, sm_unit_count> work_{};        // threads
};

}  // namespace warpgauge::detail::simulate

#endif
