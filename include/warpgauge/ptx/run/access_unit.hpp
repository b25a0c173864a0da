// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_ACCESS_UNIT_HPP
#define WARPGAUGE_PTX_RUN_ACCESS_UNIT_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/address_windows.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>

/// \file What serves an access through generic addresses.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::address_space, ptx::link::address_windows, ptx::link::step;

class access_unit {
public:
    explicit constexpr access_unit(std::uint32_t address_bits)
        : windows_(address_bits),
          address_mask_(address_bits == 32 ? 0xffff'ffff : ~std::uint64_t{0}) {}

    /// The address of a lane, or what is known of it.
    [[nodiscard]] constexpr std::uint64_t address(const step& s, std::uint64_t base) const {
        return (base + static_cast<std::uint64_t>(s.offset)) & address_mask_;
    }

    /// What serves a lane's generic address, of which only the memory may be known.
    [[nodiscard]] constexpr unit_kind of_lane(const step& s, const row_values& base,
                                              std::size_t lane) const {
        const std::uint64_t at = address(s, base.lanes[lane]);
        const bool known = has_lane(base.known, lane) && !s.hides_addresses;
        const std::uint64_t window = known ? windows_.window_of(at) : windows_.window_near(at);
        if (window == windows_.shared()) return unit_kind::shared_memory;
        const bool cached = window == windows_.parameters() || window == windows_.local();
        return cached ? unit_kind::l1_cache : s.unit;
    }

    /// The lanes whose generic address lies in another memory than that of the others: of global memory, of shared memory
    /// and of what L1 serves, the first to which some lane goes is not elsewhere.
    [[nodiscard]] constexpr std::uint32_t elsewhere(const step& s, const row_values& base,
                                                    std::uint32_t active) const {
        if (s.space != address_space::generic || s.moves_blocks()) return 0;
        std::uint32_t of_global = 0;
        std::uint32_t of_shared = 0;
        for (std::uint32_t left = active; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(left));
            const unit_kind unit = of_lane(s, base, lane);
            of_global |= std::uint32_t{unit == unit_kind::global_memory} << lane;
            of_shared |= std::uint32_t{unit == unit_kind::shared_memory} << lane;
        }
        return of_global != 0 ? active & ~of_global : of_shared != 0 ? active & ~of_shared : 0;
    }

private:
    address_windows windows_;
    std::uint64_t address_mask_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
