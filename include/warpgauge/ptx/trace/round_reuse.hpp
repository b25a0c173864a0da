// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_ROUND_REUSE_HPP
#define WARPGAUGE_PTX_TRACE_ROUND_REUSE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file How much of what the rounds of a block read one of the few rounds before has read too.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// Sectors that rounds of a block read, each once a round.
struct block_reads {
    double sectors{};
    double reused{};  ///< those that one of the few rounds before has read too
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

    /// Of the block that ends here. The next reads are those of another one.
    [[nodiscard]] block_reads end_block() {
        block_reads all;
        for (const in_round& r : read_) {
            for (const float times : r.times) all.sectors += static_cast<double>(times);
            all.reused += times_reused(r);
        }
        added_ = 0;
        read_.clear();
        slots_.clear();
        repeats_.clear();
        return all;
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
