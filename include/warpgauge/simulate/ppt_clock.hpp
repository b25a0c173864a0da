// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_CLOCK_HPP
#define WARPGAUGE_SIMULATE_PPT_CLOCK_HPP

#include <cstdint>

#include <warpgauge/core/when_used.hpp>

/// \file The clock of the authors' program: a double to which every cycle adds 1.
///
/// It starts when the parameters are loaded, at any fraction. Many cycles at once must therefore round as if they were
/// added one after the other.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

template <class = core::when_used>
class ppt_clock {
public:
    explicit constexpr ppt_clock(double start) { set(start); }

    [[nodiscard]] constexpr double now() const { return now_; }
    /// Cycles since the start.
    [[nodiscard]] constexpr std::uint64_t cycle() const { return cycle_; }

    /// `now` after a number of cycles, rounded as if 1 had been added as many times: exact up to the next power
    /// of two, and rounded once when that is passed.
    [[nodiscard]] constexpr double later(std::uint64_t cycles) const {
        double t = now_ + static_cast<double>(cycles);
        if (t < binade_) return t;
        t = now_;
        for (double binade = binade_; cycles > 0; binade *= 2) {
            const auto within = static_cast<std::uint64_t>(binade - t) + 1;
            const std::uint64_t taken = cycles < within ? cycles : within;
            t += static_cast<double>(taken);
            cycles -= taken;
        }
        return t;
    }

    constexpr void pass(std::uint64_t cycles) {
        set(later(cycles));
        cycle_ += cycles;
    }

    /// The number of cycles until `now` reaches `time`; at least 1.
    [[nodiscard]] constexpr std::uint64_t cycles_to_reach(double time) const {
        std::uint64_t cycles = whole_cycles_to(time);
        while (later(cycles) < time) ++cycles;
        return cycles;
    }
    /// The number of cycles until `now` is past `time`; at least 1.
    [[nodiscard]] constexpr std::uint64_t cycles_to_pass(double time) const {
        std::uint64_t cycles = whole_cycles_to(time);
        while (later(cycles) <= time) ++cycles;
        return cycles;
    }

private:
    [[nodiscard]] constexpr std::uint64_t whole_cycles_to(double time) const {
        const double wait = time - now_;
        return wait > 1 ? static_cast<std::uint64_t>(wait) : 1;
    }

    constexpr void set(double now) {
        now_ = now;
        while (binade_ <= now_) binade_ *= 2;
    }

    double now_ = 0;
    double binade_ = 1;  // the least power of two above `now_`
    std::uint64_t cycle_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
