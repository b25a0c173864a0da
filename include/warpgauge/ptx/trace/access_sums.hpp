// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_ACCESS_SUMS_HPP
#define WARPGAUGE_PTX_TRACE_ACCESS_SUMS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/trace/sector_counter.hpp>
#include <warpgauge/ptx/trace/step_values.hpp>

/// \file What the accesses of each step add up to, in each memory that they go to: generic addresses may lie in several.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::run::executed;

/// Of the accesses of one step to one memory, over all warps by their weight.
struct access_sums {
    double executions{}, lanes{}, transactions{}, min_transactions{}, max_transactions{},
        bytes_moved{}, uncoalesced{}, turns{};
    double pieces{};  ///< transactions of the execution under way
    unit_kind unit{};
    bool is_used{};
    bool unknown_address{};
    bool unknown_base{};

    /// Adds one access; `continues`: of the same execution in this memory as the one before.
    void add(const executed& e, double weight, bool continues) {
        if (!continues) add_executions(e, weight);
        transactions += weight * e.transactions;
        min_transactions += weight * e.min_transactions;
        pieces = (continues ? pieces : 0) + e.transactions;
        max_transactions = core::max(max_transactions, pieces);
        turns += weight * e.turns;
        bytes_moved += weight * e.bytes_moved;
        unknown_address = unknown_address || e.unknown_address;
        unknown_base = unknown_base || e.based != nullptr;
        if (!e.coalesced) uncoalesced += weight;
    }

    /// Adds those of several rounds.
    void add(const executed& e, const access_totals& all, double weight) {
        add_executions(e, weight * all.rounds);
        transactions += weight * all.transactions;
        min_transactions += weight * all.rounds * e.min_transactions;
        max_transactions = core::max(max_transactions, all.max_transactions);
        turns += weight * all.rounds * e.turns;
        bytes_moved += weight * all.bytes_moved;
        uncoalesced += weight * all.uncoalesced;
    }

private:
    void add_executions(const executed& e, double weight) {
        executions += weight;
        lanes += weight * static_cast<double>(std::popcount(e.active & ~e.elsewhere));
    }
};

template <class Used = core::when_used>
class access_sums_by_step {
public:
    explicit access_sums_by_step(std::size_t steps) : first_(steps) {}

    /// Those of a step in one memory.
    [[nodiscard]] access_sums& in(std::uint32_t step, unit_kind unit) {
        access_sums& first = first_.of(step);
        if (first.is_used && first.unit != unit) return elsewhere(step, unit);
        first.is_used = true;
        first.unit = unit;
        return first;
    }

    /// Calls `visit(sums, alone)` with those of a step in each memory; once if it accesses none. `alone`: it accesses no other.
    template <class Visitor>
    void for_each(std::uint32_t step, Visitor visit) const {
        bool alone = true;
        for (const of_step& s : elsewhere_) alone = alone && s.step != step;
        const access_sums* const first = first_.find(step);
        visit(first == nullptr ? access_sums{} : *first, alone);
        for (const of_step& s : elsewhere_) {
            if (s.step == step) visit(s.sums, false);
        }
    }

private:
    struct of_step {
        std::uint32_t step{};
        access_sums sums{};
    };

    access_sums& elsewhere(std::uint32_t step, unit_kind unit) {
        for (of_step& s : elsewhere_) {
            if (s.step == step && s.sums.unit == unit) return s.sums;
        }
        elsewhere_.push_back({.step = step, .sums = {}});
        access_sums& made = elsewhere_.back().sums;
        made.unit = unit;
        made.is_used = true;
        return made;
    }

    step_values<access_sums, Used> first_;              // in the memory that it accessed first
    core::late<Used, std::vector<of_step>> elsewhere_;  // in all others
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
