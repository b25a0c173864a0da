// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_COPY_GROUPS_HPP
#define WARPGAUGE_KERNEL_COPY_GROUPS_HPP

#include <cstddef>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

/// \file The groups of asynchronous copies and products of one warp, as it executes a stream: `copy_groups`.

namespace WARPGAUGE_NAMESPACE {

/// Until when a warp waits for its copies and products. `Time` is ordered, and `Time{}` comes before all that happens.
template <class Time>
class copy_groups {
public:
    /// When all copies, or products, have arrived that `i` waits for; `Time{}` where it waits for none.
    [[nodiscard]] constexpr Time awaited(const instruction& i) const {
        if (!waits_for_groups(i)) return Time{};
        const arrivals& of = concerns_products(i) ? products_ : copies_;
        if (i.async == async_step::wait_all) return of.last;
        if (i.groups_left >= of.closed) return Time{};
        return of.groups[(of.closed - 1 - i.groups_left) % kept];
    }

    /// Executes `i`; if it is a copy or an asynchronous product, that arrives at `arrival`.
    constexpr void execute(const instruction& i, Time arrival) {
        arrivals& of = concerns_products(i) ? products_ : copies_;
        if (is_async_copy(i) || is_async_product(i)) of.last = core::max(of.last, arrival);
        if (closes_group(i)) of.groups[of.closed++ % kept] = of.last;
    }

private:
    static constexpr std::size_t kept = std::size_t{max_groups_left} + 1;

    struct arrivals {
        Time groups[kept]{};  // of each closed group and all before it
        std::size_t closed = 0;
        Time last{};  // the latest of all
    };

    arrivals copies_;
    arrivals products_;
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
