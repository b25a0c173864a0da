// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_LOAD_ORDER_HPP
#define WARPGAUGE_PTX_TRACE_LOAD_ORDER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>

/// \file The order in which the compiler issues the instructions of a stream: loads of global memory as early as it can.
/// PTX often uses a load's result before it begins the next load, and a warp issues in order.
///
/// The rule is that of `wait_counter.hpp`: loads of one basic block go before the first use of their results, unless a
/// store to the same memory stands between. Loads of shared memory stay where they are in the text: they are short, and
/// an unrolled loop has more of them than registers for their results.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// An entry of a stream, as far as its order depends on it.
struct ordered_entry {
    /// Of no entry in `needs`.
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::array<std::uint32_t, 3> needs{none, none,
                                       none};  ///< entries; later ones are of the round before
    unit_kind unit{};                          ///< the memory, of an access
    bool loads{};                              ///< reads memory
    /// Of a load: its block does not use its result before other such loads are issued.
    bool goes_early{};
    bool stores{};        ///< writes memory
    bool is_read_only{};  ///< of a load: of memory that no store changes
    bool ends_block{};    ///< nothing goes past it
    bool begins_block{};  ///< nothing goes before it
};

/// Finds for each entry how many loads of its basic block it waits for, one after the other, and sorts by that.
template <class Used = core::when_used>
class load_order {
public:
    /// The entries in the order in which they are issued.
    const auto& find(const core::late<Used, std::vector<ordered_entry>>& entries) {
        find_blocks(entries);
        waits_.assign(entries.size(), 0);
        order_.resize(entries.size());
        std::size_t first = 0;
        for (std::size_t at = 0; at < entries.size(); ++at) {
            if (block_[at] != block_[first]) first = sorted(first, at);
            wait(entries, at);
        }
        sorted(first, entries.size());
        return order_;
    }

private:
    static constexpr std::size_t kinds = static_cast<std::size_t>(unit_kind::loop) + 1;

    void find_blocks(const core::late<Used, std::vector<ordered_entry>>& entries) {
        block_.resize(entries.size());
        std::uint32_t block = 0;
        bool ended = false;
        for (std::size_t at = 0; at < entries.size(); ++at) {
            if (ended || entries[at].begins_block || entries[at].ends_block) ++block;
            ended = entries[at].ends_block;
            block_[at] = block;
        }
    }

    // The next entry of a block.
    void wait(const core::late<Used, std::vector<ordered_entry>>& entries, std::size_t at) {
        const ordered_entry& e = entries[at];
        std::uint32_t& waits = waits_[at];  // at least those of who reads what it overwrites
        const auto in_block = [&](std::uint32_t by) {
            return by < entries.size() && block_[by] == block_[at];
        };
        for (const std::uint32_t by : e.needs) {
            if (!in_block(by) || by >= at) continue;
            waits = core::max(waits, waits_[by] + (entries[by].goes_early ? 1U : 0U));
        }
        const auto memory = static_cast<std::size_t>(e.unit);
        const bool may_change = e.stores || (e.loads && !e.is_read_only);
        if (e.stores) waits = core::max(waits, accessed_[memory]);
        if (may_change) waits = core::max(waits, stored_[memory]);
        if (e.stores) stored_[memory] = waits;
        if (may_change) accessed_[memory] = core::max(accessed_[memory], waits);
        for (const std::uint32_t by : e.needs) {
            if (in_block(by) && by > at) waits_[by] = core::max(waits_[by], waits);
        }
    }

    // Sorts a block, up to before `end`, and is ready for the next one. Gives `end`.
    std::size_t sorted(std::size_t first, std::size_t end) {
        next_.clear();  // for each number of waits: where the next entry with it goes
        for (std::size_t at = first; at < end; ++at) {
            if (next_.size() < waits_[at] + std::size_t{2})
                next_.resize(waits_[at] + std::size_t{2});
            ++next_[waits_[at] + std::size_t{1}];
        }
        for (std::size_t n = 1; n < next_.size(); ++n) next_[n] += next_[n - 1];
        for (std::size_t at = first; at < end; ++at) {
            order_[first + next_[waits_[at]]++] = static_cast<std::uint32_t>(at);
        }
        stored_ = accessed_ = {};
        return end;
    }

    core::late<Used, std::vector<std::uint32_t>> block_;  // by entry
    core::late<Used, std::vector<std::uint32_t>> waits_;  // by entry, in its block
    core::late<Used, std::vector<std::uint32_t>> next_;
    core::late<Used, std::vector<std::uint32_t>> order_;
    // By memory, of what was accessed in the block so far: waits of the last store; the most of any access.
    std::array<std::uint32_t, kinds> stored_{}, accessed_{};
};

/// Puts the entries of a stream in that order. They have `needs`, and a `length` if they are heads of loops;
/// `describe(entry, ordered)` sets the rest.
template <class Used = core::when_used, class Entries, class Describe>
void issue_loads_early(Entries& entries, const Describe& describe) {
    core::late<Used, std::vector<ordered_entry>> ordered(entries.size());
    for (std::size_t n = 0; n < entries.size(); ++n) {
        ordered[n].needs = entries[n].needs;
        describe(entries[n], ordered[n]);
        const std::size_t after = n + 1 + entries[n].length;
        if (entries[n].length > 0 && after < entries.size()) ordered[after].begins_block = true;
    }
    load_order<Used> early;
    const auto& order = early.find(ordered);
    core::late<Used, std::vector<std::uint32_t>> place(order.size());
    for (std::uint32_t n = 0; n < order.size(); ++n) place[order[n]] = n;
    Entries in_order;
    in_order.reserve(order.size());
    for (const std::uint32_t from : order) {
        in_order.push_back(entries[from]);
        for (std::uint32_t& by : in_order.back().needs) {
            if (by < place.size()) by = place[by];
        }
    }
    entries.swap(in_order);
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
