// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_LIVE_ROWS_HPP
#define WARPGAUGE_PTX_LINK_LIVE_ROWS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/flow_graph.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file How many registers hold values that are still needed, at most.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// The most 32-bit registers of a routine that hold values still needed, at any place.
/// \errors limit_reached  `registers`: too many rows and blocks; `max_steps`: more than `max_work`
template <class = core::when_used>
[[nodiscard]] result<std::uint32_t> max_live_registers(const program& p, const routine& r,
                                                       std::uint64_t max_work);

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::belongs_to_call, ptx::link::nowhere, ptx::link::of_call;

/// A set of a routine's rows, and how many registers they take.
template <class Used = core::when_used>
class row_set {
public:
    explicit row_set(const std::vector<std::uint8_t>& weights)
        : weights_(weights), words_((weights.size() + 63) / 64) {}

    /// A bit for each row; `weigh` after a change.
    [[nodiscard]] auto& words() { return words_; }

    /// Registers of all rows in the set.
    void weigh() {
        registers_ = 0;
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
                registers_ += weights_[64 * w + static_cast<std::size_t>(std::countr_zero(left))];
            }
        }
    }
    [[nodiscard]] std::uint32_t registers() const { return registers_; }

    /// Adds a row or takes it out; rows that are fixed, and `nowhere`, are not in the set.
    void set(std::uint32_t row, bool to) {
        if (!belongs_to_call(row)) return;
        row &= ~of_call;
        const std::uint64_t bit = std::uint64_t{1} << row % 64;
        if (((words_[row / 64] & bit) != 0) == to) return;
        words_[row / 64] ^= bit;
        registers_ = to ? registers_ + weights_[row] : registers_ - weights_[row];
    }

private:
    const std::vector<std::uint8_t>& weights_;
    core::late<Used, std::vector<std::uint64_t>> words_;
    std::uint32_t registers_ = 0;
};

/// Takes a set from behind a step to before it.
template <class Used>
void step_back(const ptx::link::program& p, const ptx::link::step& s, row_set<Used>& live) {
    if (s.what != ptx::text::action::call) {
        for (std::uint32_t k = 0; k < s.results; ++k) {
            if (s.predicate == nowhere) live.set(p.rows[s.first + k], false);
        }
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            live.set(p.rows[s.first + s.results + k], true);
        }
    } else {
        for (const auto& m : p.returned(p.passing_of(s))) live.set(m.to, false);
        p.for_each_passing(s, [&](const ptx::link::passing& call) {
            for (const auto& m : p.passed(call)) live.set(m.from, true);
        });
        live.set(s.through, true);
    }
    live.set(s.predicate, true);
}

inline constexpr std::size_t max_live_words = std::size_t{1} << 24;

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

namespace WARPGAUGE_NAMESPACE::ptx::link {

template <class Used>
result<std::uint32_t> max_live_registers(const program& p, const routine& r,
                                         std::uint64_t max_work) {
    const flow_graph<Used> graph(p, r);
    const std::size_t words = (r.rows + 63) / 64;
    if (words * (graph.exit() + 1) > detail::link::max_live_words) {
        return model_error{errc::limit_reached, "registers"};
    }
    core::late<Used, std::vector<std::uint64_t>> live_in(words *
                                                         (graph.exit() + 1));  // before each block
    detail::link::row_set<Used> live(r.weights);
    std::uint32_t most = 0;
    std::uint64_t work = 0;
    // When a block was looked at, and when what is live before it has changed, in passes over all.
    core::late<Used, std::vector<std::uint32_t>> looked(graph.exit() + 1),
        changed_in(graph.exit() + 1);
    std::uint32_t pass = 0;
    for (bool changed = true; changed;) {
        changed = false;
        ++pass;
        for (std::uint32_t b = graph.exit(); b-- > 0;) {
            bool is_new = pass == 1;
            live.words().assign(words, 0);
            graph.edges().for_each_successor(b, [&](std::uint32_t to) {
                const bool behind = to > b;  // in a pass, it is looked at before
                is_new = is_new || changed_in[to] + (behind ? 0U : 1U) > looked[b];
                for (std::size_t w = 0; w < words; ++w) live.words()[w] |= live_in[to * words + w];
            });
            work += words;
            if (work > max_work) return model_error{errc::limit_reached, "max_steps"};
            if (!is_new) continue;
            looked[b] = pass;
            live.weigh();
            most = live.registers() > most ? live.registers() : most;
            for (std::uint32_t i = graph.start(b + 1); i-- > graph.start(b);) {
                detail::link::step_back(p, graph.at(i), live);
                most = live.registers() > most ? live.registers() : most;
            }
            for (std::size_t w = 0; w < words; ++w) {
                if (live_in[b * words + w] == live.words()[w]) continue;
                live_in[b * words + w] = live.words()[w];
                changed_in[b] = pass;
                changed = true;
            }
            work += graph.size(b);
            if (work > max_work) return model_error{errc::limit_reached, "max_steps"};
        }
    }
    return most;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
