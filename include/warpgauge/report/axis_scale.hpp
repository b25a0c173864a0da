// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_AXIS_SCALE_HPP
#define WARPGAUGE_REPORT_AXIS_SCALE_HPP

#include <cmath>
#include <cstdint>
#include <vector>

#include <warpgauge/core/abi.hpp>

/// \file Axes of pictures, with ticks.

namespace WARPGAUGE_NAMESPACE::report::detail {

/// How an axis is divided.
enum class division : std::uint8_t {
    linear,       ///< at round steps
    logarithmic,  ///< at powers of two if the range begins and ends with one, else as `decimal`
    decimal,      ///< at powers of ten; if the range is short, at 1, 2 and 5, or at round steps
};

/// A step of 2, 5 or 10 times a power of ten, of which at most `parts` fit into `length` > 0.
inline double round_step(double length, double parts) {
    const double rough = length / parts;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    return rough / power > 5 ? 10 * power : rough / power > 2 ? 5 * power : 2 * power;
}

/// The scale of an axis: it maps values to 0..1 and has the positions of ticks.
class axis_scale {
public:
    axis_scale(double low, double high, division how) : log_(how != division::linear) {
        if (!(low <= high)) low = high = 1;
        switch (how) {
            case division::linear: set_linear(low, high); break;
            case division::logarithmic: set_log(low, high); break;
            case division::decimal: set_decimal(low, high); break;
        }
    }

    [[nodiscard]] double place(double v) const {
        return log_ ? std::log(v / low_) / std::log(high_ / low_) : (v - low_) / (high_ - low_);
    }
    [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }

private:
    // Ticks at powers of two from one of them to another, if they are not too far apart.
    void set_log(double low, double high) {
        const double from = std::log2(low);
        const double to = std::log2(high);
        if (from != std::floor(from) || to != std::floor(to) || to - from < 2 || to - from > 10) {
            set_decimal(low, high);
            return;
        }
        low_ = low;
        high_ = high;
        for (int i = 0; i <= to - from; ++i) ticks_.push_back(std::exp2(from + i));
    }

    // Ticks at powers of ten, not too many; at 1, 2 and 5 where the range is short; at round steps
    // where it is so short that these are too few.
    void set_decimal(double low, double high) {
        low_ = low;
        high_ = alike(low, high) ? low * 2 : high;
        const double decades = std::log10(high_) - std::log10(low_);
        const double step = std::fmax(1, std::ceil(decades / 8));
        const double from = std::floor(std::log10(low_));
        for (int i = 0; i < 10; ++i) {
            const double power = std::pow(10.0, from + i * step);
            for (const double times : {1.0, 2.0, 5.0}) {
                if (times == 1 || decades < 3.3) add_within(times * power);
            }
        }
        if (ticks_.size() >= 3) return;
        const std::vector<double> round = axis_scale(low_, high_, division::linear).ticks_;
        ticks_.clear();
        for (const double tick : round) add_within(tick);
        if (ticks_.size() < 2) ticks_ = {low_, high_};
    }

    void add_within(double tick) {
        if (place(tick) >= -1e-9 && place(tick) <= 1 + 1e-9) ticks_.push_back(tick);
    }

    // Values so near to each other are one, and share a range of its size.
    static bool alike(double low, double high) {
        return high - low <= std::fmax(1e-12 * std::fmax(std::fabs(low), std::fabs(high)), 1e-290);
    }

    void set_linear(double low, double high) {
        if (alike(low, high)) high = low + std::fmax(1, std::fabs(low) / 2);
        const double step = round_step(high - low, 5);
        const double first = std::floor(low / step);
        const double last = std::ceil(high / step);
        low_ = first * step;
        high_ = last * step;
        for (int i = 0; i < 400 && first + i <= last; ++i) ticks_.push_back((first + i) * step);
    }

    bool log_;
    double low_{};
    double high_{};
    std::vector<double> ticks_;
};

}  // namespace WARPGAUGE_NAMESPACE::report::detail

#endif
