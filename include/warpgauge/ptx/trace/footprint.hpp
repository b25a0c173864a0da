// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_FOOTPRINT_HPP
#define WARPGAUGE_PTX_TRACE_FOOTPRINT_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/sm/touched_sectors.hpp>

/// \file How much global memory a launch touches, and how much of what a block reads it has just read.

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

/// What the loads of a block read, by round: the waits that a load has before it.
template <class Used = core::when_used>
class round_reuse {
public:
    explicit round_reuse(std::size_t max_sectors) : max_sectors_(max_sectors) {}

    /// Reads of a step in a round that stands for `times`; `round` counts those that were followed.
    template <class Touched>
    void add(std::uint32_t round, std::uint64_t times, const Touched& touched,
             std::uint32_t step = 0) {
        if (added_ + touched.count > max_sectors_) return;
        added_ += touched.count;
        if (times > 1) {
            repeats_.resize(core::max(repeats_.size(), std::size_t{step} + 1));
            repeats_[step] = 1;
        }
        in_round* r = nullptr;
        touched.each([&](std::uint64_t sector) {
            const std::uint64_t group = sector / in_round::sectors;
            if (r == nullptr || r->group != group) r = &entry_of(group, round);
            const std::size_t n = sector % in_round::sectors;
            r->step[n] = step;
            if (!(r->times[n] > 0)) r->times[n] = static_cast<float>(times);  // else read twice
        });
    }

    /// Of the sectors that rounds read, the fraction that one of the few rounds before has read too, 0 to 1.
    [[nodiscard]] double fraction() const {
        double reads = 0;
        double reused = 0;
        for (const in_round& r : read_) {
            for (const float times : r.times) reads += static_cast<double>(times);
            reused += times_reused(r);
        }
        return reads > 0 ? reused / reads : 0;
    }

private:
    // One round of a loop may have several waits; L2 keeps what was read so lately.
    static constexpr std::uint32_t recent_rounds = 4;

    // Neighbouring sectors that a round reads.
    struct in_round {
        static constexpr std::size_t sectors = 8;
        std::uint64_t group{};  // the first of them / 8
        std::uint32_t round{};
        std::uint32_t step[sectors]{};  // that read it last
        float times[sectors]{};         // 0: it is not read
    };

    // A round that stands for others reads again in each of them what its loop has read before it; what was read before the
    // loop, in one of them.
    [[nodiscard]] double times_reused(const in_round& r) const {
        double most[in_round::sectors]{};
        for (std::uint32_t back = 1; back <= recent_rounds && back <= r.round; ++back) {
            const std::uint32_t at = slots_[place_of(r.group, r.round - back)];
            if (at == 0) continue;
            const in_round& before = read_[at - 1];
            for (std::size_t n = 0; n < in_round::sectors; ++n) {
                if (!(before.times[n] > 0) || !(r.times[n] > 0)) continue;
                const std::uint32_t step = before.step[n];
                const bool repeats = step < repeats_.size() && repeats_[step] != 0;
                most[n] = repeats ? static_cast<double>(r.times[n]) : core::max(most[n], 1.0);
            }
        }
        double sum = 0;
        for (const double times : most) sum += times;
        return sum;
    }

    // Of sectors of a round, the entry, which is made if there is none.
    [[nodiscard]] in_round& entry_of(std::uint64_t group, std::uint32_t round) {
        if (2 * read_.size() >= slots_.size()) grow();
        std::uint32_t& at = slots_[place_of(group, round)];
        if (at == 0) {
            read_.push_back({.group = group, .round = round});
            at = static_cast<std::uint32_t>(read_.size());
        }
        return read_[at - 1];
    }

    // The slot that they have, or may get: behind what has the one that their number gives.
    [[nodiscard]] std::size_t place_of(std::uint64_t group, std::uint32_t round) const {
        const std::uint64_t hash = (group + (std::uint64_t{round} << 40)) * 0x9e37'79b9'7f4a'7c15U;
        std::size_t at = static_cast<std::size_t>(hash >> 32) & (slots_.size() - 1);
        while (slots_[at] != 0) {
            const in_round& r = read_[slots_[at] - 1];
            if (r.group == group && r.round == round) break;
            at = (at + 1) & (slots_.size() - 1);
        }
        return at;
    }

    void grow() {
        const std::size_t more = slots_.empty() ? 64 : 4 * slots_.size();
        slots_.assign(more, 0);
        for (std::uint32_t n = 0; n < read_.size(); ++n) {
            slots_[place_of(read_[n].group, read_[n].round)] = n + 1;
        }
    }

    std::size_t max_sectors_;
    std::size_t added_ = 0;
    core::late<Used, std::vector<in_round>> read_;
    core::late<Used, std::vector<std::uint32_t>>
        slots_;  // a power of two of them: one past the place in `read_`, or 0
    core::late<Used, std::vector<std::uint8_t>>
        repeats_;  // by step: it was in a round that stands for others
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
