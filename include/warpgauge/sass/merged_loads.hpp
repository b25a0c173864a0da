// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_MERGED_LOADS_HPP
#define WARPGAUGE_SASS_MERGED_LOADS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/flow_graph.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/sass/row_facts.hpp>
#include <warpgauge/sass/step_folding.hpp>

/// \file The loads of shared memory that are part of a wider one: LDS.64 and LDS.128.
///
/// Loads of 4 B from neighbouring addresses are merged if they are in one basic block, no instruction between them
/// writes shared memory or waits, and their base is known to be a multiple of 8 or 16 B. NVIDIA, Parallel Thread
/// Execution ISA 9.0, sec. 9.7.9: a wider load needs such an address.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// Finds the loads of a routine that others include.
template <class Used = core::when_used>
class merged_loads {
public:
    merged_loads(const ptx::link::flow_graph<Used>& graph, const row_facts<Used>& facts,
                 const step_folding<Used>& folding)
        : facts_(facts), folding_(folding), included_(facts.step_count()) {
        for (std::uint32_t b = 0; b < graph.exit(); ++b) {
            for (std::uint32_t i = graph.start(b); i < graph.start(b + 1); ++i) look_at(i);
            close();
        }
    }

    /// By the step's number in the routine.
    [[nodiscard]] bool is_included(std::uint32_t index) const { return included_[index] != 0; }

private:
    using action = ptx::text::action;
    using step = ptx::link::step;

    static constexpr std::size_t max_open = 64;

    /// Loads of 16 B in a row, of which each may be there.
    struct group {
        std::uint32_t base{};
        std::int64_t place{};  // in units of 16 B
        std::uint32_t zeros{};
        std::uint32_t there{};  // a bit for each 4 B
        std::uint32_t steps[4]{};
    };

    void look_at(std::uint32_t index) {
        const step& s = facts_.at(index);
        const bool writes = s.stores || s.is_atomic || s.what == action::barrier ||
                            s.what == action::call || s.what == action::unknown;
        if (writes) return close();
        const bool plain = s.what == action::load && s.unit == unit_kind::shared_memory &&
                           s.lane_bytes == 4 && s.results == 1 && s.sources == 1 &&
                           s.predicate == ptx::link::nowhere && s.offset % 4 == 0;
        if (!plain || folding_.vanishes(index)) return;
        const std::uint32_t base = facts_.source(s, 0);
        const std::uint32_t part = static_cast<std::uint32_t>(s.offset >> 2) & 3U;
        group* const g = find(base, s.offset >> 4);
        if (g == nullptr || (g->there >> part & 1U) != 0) return;
        g->there |= 1U << part;
        g->steps[part] = index;
    }

    group* find(std::uint32_t base, std::int64_t place) {
        for (group& g : open_) {
            if (g.base == base && g.place == place) return &g;
        }
        if (open_.size() == max_open) return nullptr;
        group made;
        made.base = base;
        made.place = place;
        made.zeros = zeros_of(base, 0);
        if (made.zeros < 3) return nullptr;
        open_.push_back(made);
        return &open_.back();
    }

    void close() {
        for (const group& g : open_) {
            if (g.there == 15 && g.zeros >= 4) {
                for (int part = 1; part < 4; ++part) included_[g.steps[part]] = 1;
                continue;
            }
            if ((g.there & 3U) == 3) included_[g.steps[1]] = 1;
            if ((g.there & 12U) == 12) included_[g.steps[3]] = 1;
        }
        open_.clear();
    }

    // How many of its lowest bits are known to be 0; `depth` bounds what is looked at.
    [[nodiscard]] std::uint32_t zeros_of(std::uint32_t row, int depth) const {
        constexpr int max_depth = 6;
        constexpr std::uint32_t all = 32;
        row = facts_.source_of_move(row);
        if (facts_.is_constant(row)) {
            const std::uint64_t value = facts_.value_of(row);
            return value == 0 ? all : static_cast<std::uint32_t>(std::countr_zero(value));
        }
        const step* const s = facts_.definition_of_row(row);
        if (s == nullptr || depth == max_depth || s->sources < 2) return 0;
        const auto zeros = [&](std::uint32_t k) {
            return zeros_of(facts_.source(*s, k), depth + 1);
        };
        const auto min = [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; };
        switch (s->what) {
            case action::add:
            case action::subtract: return min(zeros(0), zeros(1));
            case action::multiply:
                return s->part == ptx::link::halves::high ? 0 : min(zeros(0) + zeros(1), all);
            case action::multiply_add:
                return s->part == ptx::link::halves::high
                           ? 0
                           : min(min(zeros(0) + zeros(1), all), zeros(2));
            case action::shift_left: {
                const std::uint32_t by = facts_.source_of_move(facts_.source(*s, 1));
                if (!facts_.is_constant(by) || facts_.value_of(by) > all) return 0;
                return min(zeros(0) + static_cast<std::uint32_t>(facts_.value_of(by)), all);
            }
            default: return 0;
        }
    }

    const row_facts<Used>& facts_;
    const step_folding<Used>& folding_;
    core::late<Used, std::vector<std::uint8_t>> included_;
    core::late<Used, std::vector<group>> open_;
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
