// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_AWAITED_RESULTS_HPP
#define WARPGAUGE_SIMULATE_AWAITED_RESULTS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/result_slots.hpp>

/// \file Which of the results that an entry needs its warp has to wait for.
///
/// A warp issues in order. So a result is there if an entry before has waited for it, and it comes no later than another one
/// that is needed too, was asked for later, and takes as long. A product of matrices waits for one result where it needs three.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// The results that an instruction waits for: none, one, up to three, all of its warp.
enum class awaited : std::uint8_t { none, one, needed, all_of_warp };

/// `Entry` is `decoded_entry`.
template <class Used = core::when_used>
class awaited_results {
public:
    /// Leaves in the needs of entries what they have to wait for, at first, and says how much in `waits_for`.
    template <class Entries>
    void find(const result_slots<Used>& slots, Entries& entries) {
        end_ = slots.copies().all;
        slots_.assign(end_, {});
        for (const auto& e : entries) {
            if (!is_one_result(e.result)) continue;
            std::uint64_t& latest = slots_[e.result].latest;
            latest = core::max(latest, e.is_prompt ? e.latency : unknown);
        }
        straight_from_ = 0;
        for (std::size_t at = 0; at < entries.size(); ++at) {
            if (!entries[at].is_head) pass(entries[at], at + 1);
            if (!entries[at].is_straight) straight_from_ = at + 1;
        }
    }

private:
    static constexpr std::uint64_t unknown = ~std::uint64_t{0};
    static constexpr std::uint32_t always_there = result_slots<Used>::always_there;

    // What is known where the entry after `straight_from_` others is at. Entries count from 1.
    struct slot {
        std::uint64_t
            latest{};           // of all entries that write it, the latency; 2 x cycles, + 1 if far
        std::size_t written{};  // by the last entry that did
        std::size_t awaited{};  // by the last entry that did
        std::uint64_t latency{};  // of the entry that wrote it, at least
    };

    // A slot of copies has many results.
    [[nodiscard]] bool is_one_result(std::uint32_t s) const {
        return s > result_slots<Used>::unread && s < end_;
    }

    template <class Entry>
    void pass(Entry& e, std::size_t at) {
        const std::array<std::uint32_t, 3> needs = e.needs;
        e.needs = {};
        std::size_t count = 0;
        for (std::size_t n = 0; n < needs.size(); ++n) {
            if (needs[n] != always_there && !is_there(needs, n)) e.needs[count++] = needs[n];
        }
        e.waits_for = count > 1 ? awaited::needed : count == 1 ? awaited::one : awaited::none;
        for (const std::uint32_t need : needs) {
            if (is_one_result(need)) slots_[need].awaited = at;
        }
        if (!is_one_result(e.result)) return;
        slots_[e.result].written = at;
        slots_[e.result].latency = e.latency;
    }

    // Whether a result is there whenever the others are.
    [[nodiscard]] bool is_there(const std::array<std::uint32_t, 3>& needs, std::size_t n) const {
        for (std::size_t i = 0; i < n; ++i) {
            if (needs[i] == needs[n]) return true;
        }
        if (!is_one_result(needs[n])) return false;
        const slot& s = slots_[needs[n]];
        if (s.awaited > core::max(straight_from_, s.written)) return true;
        for (const std::uint32_t other : needs) {
            if (is_one_result(other) && comes_before(s, slots_[other])) return true;
        }
        return false;
    }
    // Whether a result comes no later than another one, which was asked for after it.
    [[nodiscard]] bool comes_before(const slot& s, const slot& other) const {
        return other.written > core::max(straight_from_, s.written) && s.latest <= other.latency;
    }

    std::vector<slot> slots_;
    std::uint32_t end_ = 0;  // of slots with one result
    std::size_t straight_from_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
