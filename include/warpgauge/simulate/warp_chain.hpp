// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_WARP_CHAIN_HPP
#define WARPGAUGE_SIMULATE_WARP_CHAIN_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/copy_groups.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

/// \file The time of a warp that only its own instructions delay.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// The longest chain through the instructions of one warp: it issues in order, one a cycle, and each waits for the
/// results that it needs. Takes no memory from the heap.
class warp_chain {
public:
    /// Whether a barrier waits for all results of its warp, or for other warps alone.
    explicit constexpr warp_chain(bool barriers_wait_for_results)
        : barriers_wait_(barriers_wait_for_results) {}

    /// Executes the entry at `at`, whose result arrives `latency` cycles after its issue.
    constexpr void execute(const instruction& i, std::size_t at, double latency) {
        double issue = next_issue_;
        for (const std::int32_t need : i.needs) {
            if (need == 0) continue;
            issue = core::max(issue, result_of(static_cast<std::size_t>(needed_entry(at, need))));
        }
        issue = core::max(issue, copies_.awaited(i));
        if (barriers_wait_ && i.unit == unit_kind::barrier) {
            issue = core::max(issue, last_result_);
        }
        next_issue_ = issue + 1;
        keep(at, issue + latency);
        copies_.execute(i, issue + latency);
        last_result_ = core::max(last_result_, issue + latency);
    }

    /// Cycles until all results have arrived.
    [[nodiscard]] constexpr double cycles() const { return last_result_; }

private:
    // Entries that share a place displace each other. What is displaced is known by the latest of all times alone,
    // so that longer streams get a chain that is never too short.
    static constexpr std::size_t places = 256;
    struct entry_result {
        std::size_t entry = ~std::size_t{0};
        double cycle{};
    };

    constexpr void keep(std::size_t entry, double cycle) {
        entry_result& place = results_[entry % places];
        if (place.entry != entry) displaced_ = core::max(displaced_, place.cycle);
        place = {entry, cycle};
    }
    [[nodiscard]] constexpr double result_of(std::size_t entry) const {
        const entry_result& place = results_[entry % places];
        return place.entry == entry ? place.cycle : displaced_;
    }

    entry_result results_[places]{};
    copy_groups<double> copies_;
    bool barriers_wait_;
    double displaced_ = 0;
    double next_issue_ = 0;
    double last_result_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
