// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_FOOTPRINT_HPP
#define WARPGAUGE_PTX_TRACE_FOOTPRINT_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/sm/touched_sectors.hpp>

/// \file How much global memory a launch touches.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// The ends of what a launch touches, allocation by allocation. What lies between counts as touched: so a sample
/// of blocks that has the first and the last of each dimension is enough, and data that is laid out with gaps is
/// overestimated, up to the sectors that all warps touch.
class touched_ranges {
public:
    /// Pointers that are not given are allocations 2^40 B apart, 2^27 B with addresses of 32 bits.
    explicit touched_ranges(std::uint32_t address_bits) : shift_(address_bits == 64 ? 40 : 27) {}

    /// `Touched`: as `touched_sectors`.
    template <class Touched>
    void add(const Touched& touched) {
        if (touched.count == 0) return;
        const std::uint64_t first = touched.first();
        const std::uint64_t last = touched.last();
        if (first >> (shift_ - 5) == last >> (shift_ - 5)) {
            if (range* const r = range_of(first >> (shift_ - 5))) widen(*r, first, last);
            return;
        }
        touched.each([&](std::uint64_t sector) {
            if (range* const r = range_of(sector >> (shift_ - 5))) widen(*r, sector, sector);
        });
    }

    /// What either has.
    void add(const touched_ranges& other) {
        for (std::size_t n = 0; n < other.count_; ++n) {
            const range& more = other.ranges_[n];
            if (range* const r = range_of(more.allocation)) widen(*r, more.first, more.last);
        }
    }

    /// B, no more than `max_sectors`; with what lies outside, a fraction of what is between the ends.
    [[nodiscard]] double bytes(double max_sectors, double outside = 0) const {
        double sectors = 0;
        for (std::size_t n = 0; n < count_; ++n) {
            sectors += static_cast<double>(ranges_[n].last - ranges_[n].first + 1);
        }
        return 32 * core::min(sectors * (1 + outside), max_sectors);
    }

    /// How far `bytes(max_sectors)` is off at most, in B, where `max_sectors` is off by `sectors` at most, and a fraction
    /// `outside` may lie outside.
    [[nodiscard]] double error(double max_sectors, double sectors, double outside) const {
        const double less = core::max(0.0, max_sectors - sectors);
        const double here = bytes(max_sectors);
        return core::max(here - bytes(less), bytes(max_sectors + sectors, outside) - here);
    }

private:
    struct range {
        std::uint64_t allocation{};
        std::uint64_t first = ~std::uint64_t{0};
        std::uint64_t last = 0;
    };

    static void widen(range& r, std::uint64_t first, std::uint64_t last) {
        r.first = core::min(r.first, first);
        r.last = core::max(r.last, last);
    }

    // Null past as many allocations as no kernel has.
    range* range_of(std::uint64_t allocation) {
        for (std::size_t n = 0; n < count_; ++n) {
            if (ranges_[n].allocation == allocation) return &ranges_[n];
        }
        if (count_ == max_ranges) return nullptr;
        ranges_[count_].allocation = allocation;
        return &ranges_[count_++];
    }

    int shift_;
    static constexpr std::size_t max_ranges = 64;
    range ranges_[max_ranges]{};
    std::size_t count_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
