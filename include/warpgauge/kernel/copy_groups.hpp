// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_COPY_GROUPS_HPP
#define WARPGAUGE_KERNEL_COPY_GROUPS_HPP

#include <cstddef>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

/// \file The groups of asynchronous copies of one warp, as it executes a stream: `copy_groups`.

namespace WARPGAUGE_NAMESPACE {

/// Until when a warp waits for its copies. `Time` is ordered, and `Time{}` comes before all that happens.
template <class Time>
class copy_groups {
public:
    /// When all copies have arrived that `i` waits for; `Time{}` where it waits for none.
    [[nodiscard]] constexpr Time awaited(const instruction& i) const {
        if (i.async == async_step::wait_all) return last_copy_;
        if (i.async != async_step::wait || i.groups_left >= closed_) return Time{};
        return arrivals_[(closed_ - 1 - i.groups_left) % kept];
    }

    /// Executes `i`; if it is a copy, that arrives at `arrival`.
    constexpr void execute(const instruction& i, Time arrival) {
        if (is_async_copy(i)) last_copy_ = core::max(last_copy_, arrival);
        if (closes_group(i)) arrivals_[closed_++ % kept] = last_copy_;
    }

private:
    static constexpr std::size_t kept = std::size_t{max_groups_left} + 1;

    Time arrivals_[kept]{};  // of each closed group and all before it
    std::size_t closed_ = 0;
    Time last_copy_{};  // the latest arrival of all
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
