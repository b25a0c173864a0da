// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_FOOTPRINT_HPP
#define WARPGAUGE_PTX_TRACE_FOOTPRINT_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/sm/touched_sectors.hpp>

/// \file How much global memory a launch touches, and how much of what a block reads it has just read.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// The ends of what a launch touches, allocation by allocation. What lies between counts as touched: so a sample
/// of blocks that has the first and the last of each dimension is enough, and data that is laid out with gaps is
/// overestimated, up to what all accesses together touch.
class touched_ranges {
public:
    /// Pointers that are not given are allocations 2^40 B apart, 2^27 B with addresses of 32 bits.
    explicit touched_ranges(std::uint32_t address_bits) : shift_(address_bits == 64 ? 40 : 27) {}

    void add(const touched_sectors& touched) {
        for (const touched_sector& s : touched) {
            if (range* const r = range_of(s.sector >> (shift_ - 5))) widen(*r, s.sector, s.sector);
        }
    }

    /// What either has.
    void add(const touched_ranges& other) {
        for (std::size_t n = 0; n < other.count_; ++n) {
            const range& more = other.ranges_[n];
            if (range* const r = range_of(more.allocation)) widen(*r, more.first, more.last);
        }
    }

    /// B, no more than `max_sectors`.
    [[nodiscard]] double bytes(double max_sectors) const {
        double sectors = 0;
        for (std::size_t n = 0; n < count_; ++n) {
            sectors += static_cast<double>(ranges_[n].last - ranges_[n].first + 1);
        }
        return 32 * core::min(sectors, max_sectors);
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

/// What the loads of a block read, by round: the waits that a load has before it.
template <class Used = core::when_used>
class round_reuse {
public:
    explicit round_reuse(std::size_t max_sectors) : max_sectors_(max_sectors) {}

    /// Reads of a round that stands for `times`; `round` counts those that were followed.
    void add(std::uint32_t round, std::uint64_t times, const touched_sectors& touched) {
        if (read_.size() + touched.count > max_sectors_) return;
        for (const touched_sector& s : touched) {
            read_.push_back({s.sector, round, static_cast<float>(times)});
        }
    }

    /// Of the sectors that rounds read, the fraction that one of the few rounds before has read too, 0 to 1.
    [[nodiscard]] double fraction() {
        if (read_.empty()) return 0;
        // std::sort would make this header cost twice as much to include.
        std::qsort(read_.data(), read_.size(), sizeof(in_round), compare);
        double reads = 0;
        double reused = 0;
        for (std::size_t n = 0; n < read_.size(); ++n) {
            const bool same = n > 0 && read_[n].sector == read_[n - 1].sector;
            const std::uint32_t since = same ? read_[n].round - read_[n - 1].round : 0;
            if (same && since == 0) continue;  // of another warp, or twice
            const auto times = static_cast<double>(read_[n].times);
            reads += times;
            if (same && since <= recent_rounds) reused += times;
        }
        return reads > 0 ? reused / reads : 0;
    }

private:
    // One round of a loop may have several waits; L2 keeps what was read so lately.
    static constexpr std::uint32_t recent_rounds = 4;

    struct in_round {
        std::uint64_t sector{};
        std::uint32_t round{};
        float times{};
    };

    static int compare(const void* left, const void* right) {
        const auto& a = *static_cast<const in_round*>(left);
        const auto& b = *static_cast<const in_round*>(right);
        if (a.sector != b.sector) return a.sector < b.sector ? -1 : 1;
        return a.round < b.round ? -1 : a.round > b.round ? 1 : 0;
    }

    std::size_t max_sectors_;
    core::late<Used, std::vector<in_round>> read_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
