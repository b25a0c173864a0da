// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_BLOCK_RATE_HPP
#define WARPGAUGE_SIMULATE_BLOCK_RATE_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file How even the rate of an SM was, and so how far the rate of later blocks can be from that of the last ones.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// The cycles that an SM takes for a warp instruction, over equally many rounds each.
///
/// At a power of two of rounds, the last half of them gives the rate. Its error is the largest of the changes of the rate
/// (twice that against the quarter before, that against the eighth before it, twice that within the half) and of the
/// errors of the mean of 4, 8 and 16 parts of the half, by Student's t for 99%. But a rate that was even can change later,
/// and nothing in the past shows by how much. So the error has another part, which becomes smaller with the rounds and
/// instructions simulated. This part and the factors 2 are chosen so that the error covers 99 in 100 random streams
/// (docs/hybrid.md).
template <class = core::when_used>
class block_rate {
public:
    /// Begins in `cycle`.
    void reset(std::uint64_t cycle) {
        marks_[0] = {cycle, 0};
        count_ = 1;
        stride_ = 1;
        skipped_ = 0;
    }

    /// Notes the end of a round: so many instructions were issued by now.
    void add_round(std::uint64_t cycle, std::uint64_t warp_instructions) {
        if (++skipped_ < stride_) return;
        skipped_ = 0;
        marks_[count_++] = {cycle, warp_instructions};
        if (count_ > 2 * most_parts) halve();
    }

    /// By how many cycles a warp instruction can be off the rate of the last half of the rounds, of which there were a
    /// power of two, at least two, in the mean of so many that follow.
    [[nodiscard]] double error(double instructions_left) const {
        const std::size_t end = count_ - 1;
        const std::size_t half = end / 2;
        const std::size_t quarter = end / 4;
        const double rate = cycles(half, end);
        double change = 2 * distance(rate, cycles(quarter, half));
        if (quarter > 0) {
            const std::size_t middle = half + quarter;
            change = core::max(change, 2 * distance(cycles(half, middle), cycles(middle, end)));
            change = core::max(change, distance(rate, cycles(end / 8, quarter)));
        }
        const double measured = instructions(half, end);
        // The rounds that follow differ from the mean of all rounds, too.
        const double both = core::sqrt(1 + measured / core::max(instructions_left, 1.0));
        return core::max(change, both * mean_error()) + rate * unseen_fraction();
    }

private:
    struct mark {
        std::uint64_t cycle{};
        std::uint64_t warp_instructions{};
    };
    static constexpr std::size_t most_parts = 32;

    void halve() {
        for (std::size_t i = 1; i <= most_parts; ++i) marks_[i] = marks_[2 * i];
        count_ = most_parts + 1;
        stride_ *= 2;
    }

    static double distance(double a, double b) { return a < b ? b - a : a - b; }
    [[nodiscard]] double instructions(std::size_t from, std::size_t to) const {
        return static_cast<double>(marks_[to].warp_instructions - marks_[from].warp_instructions);
    }
    // Of one instruction. Blocks begin in groups; instructions are a finer measure of what was done.
    [[nodiscard]] double cycles(std::size_t from, std::size_t to) const {
        return static_cast<double>(marks_[to].cycle - marks_[from].cycle) / instructions(from, to);
    }

    // Of the mean of the last half, or of all rounds if they are few: parts of several lengths, since neighbours are not
    // independent of each other.
    [[nodiscard]] double mean_error() const {
        constexpr double student_t[]{5.84, 3.5, 2.95};  // of 3, 7 and 15 degrees of freedom, 99%
        const std::size_t end = count_ - 1;
        const std::size_t first = end < 8 ? 0 : end / 2;
        double most = 0;
        std::size_t parts = 4;
        for (const double t : student_t) {
            if (parts > end - first) break;
            most = core::max(most, t * standard_error(first, (end - first) / parts));
            parts *= 2;
        }
        return most;
    }
    // Of the mean from mark `first` to the last one, by parts of so many marks.
    [[nodiscard]] double standard_error(std::size_t first, std::size_t length) const {
        const double mean = cycles(first, count_ - 1);
        double squares = 0;
        double parts = 0;
        for (std::size_t at = first; at + length < count_; at += length) {
            const double off = cycles(at, at + length) - mean;
            squares += off * off;
            ++parts;
        }
        return core::sqrt(squares / (parts * (parts - 1)));
    }

    // Of the rate: 1% after 32 rounds of 1,600 instructions each, or after 8 of 100,000.
    [[nodiscard]] double unseen_fraction() const {
        const double rounds = static_cast<double>(count_ - 1) * static_cast<double>(stride_);
        return 0.15 / core::sqrt(rounds * core::sqrt(instructions(0, count_ - 1) / 1024));
    }

    mark marks_[2 * most_parts + 1]{};
    std::size_t count_ = 1;
    std::uint64_t stride_ = 1;   // rounds between two marks
    std::uint64_t skipped_ = 0;  // since the last one
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
