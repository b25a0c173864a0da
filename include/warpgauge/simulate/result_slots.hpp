// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_RESULT_SLOTS_HPP
#define WARPGAUGE_SIMULATE_RESULT_SLOTS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

/// \file The slots in which a warp keeps the times of its results.
///
/// A simulation that kept a time for every entry of a stream would need memory in proportion to the
/// stream, for every warp. So entries share slots, as variables share registers: an entry's slot is
/// its own from its position to the last use of its result. All asynchronous copies have one slot together, and each
/// of the newest groups of copies that some wait counts has another. The same holds for asynchronous products.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// Assigns slots to the entries of a checked stream.
template <class = core::when_used>
class result_slots {
public:
    /// The slots that one entry of a stream writes and reads.
    struct entry_slots {
        std::uint32_t result{};
        std::array<std::uint32_t, 3> needs{};
    };

    static constexpr std::uint32_t always_there = 0;  ///< read where nothing is needed
    static constexpr std::uint32_t unread = 1;        ///< written where nobody reads

    /// Assigns the slots again for `stream`. It takes time in proportion to the entries.
    void assign(std::span<const instruction> stream) {
        find_loops(stream);
        find_ranges(stream);
        share_slots(stream);
        add_groups(stream);
    }

    [[nodiscard]] std::span<const entry_slots> entries() const { return entries_; }
    /// The number of slots of a warp.
    [[nodiscard]] std::uint32_t count() const { return count_; }
    /// The slot of all asynchronous copies so far, behind which come those of groups and all before them: of the newest
    /// closed group, of the one before, and so on.
    struct group_slots {
        std::uint32_t all{};
        std::uint32_t groups{};  ///< the number of groups with a slot
    };
    [[nodiscard]] group_slots copies() const { return copies_; }
    /// The same of asynchronous products.
    [[nodiscard]] group_slots products() const { return products_; }

private:
    static constexpr std::uint32_t none = 0xffff'ffff;

    struct loop_range {
        std::uint32_t begin{};
        std::uint32_t end{};
        std::uint32_t outer{};
    };

    void find_loops(std::span<const instruction> stream) {
        loops_.clear();
        loop_of_.assign(stream.size(), none);
        std::uint32_t inner = none;
        for (std::uint32_t at = 0; at < stream.size(); ++at) {
            while (inner != none && loops_[inner].end == at) inner = loops_[inner].outer;
            loop_of_[at] = inner;
            if (stream[at].unit == unit_kind::loop) {
                loops_.push_back({at + 1, at + 1 + stream[at].loop_length, inner});
                inner = static_cast<std::uint32_t>(loops_.size() - 1);
            }
        }
    }

    [[nodiscard]] bool contains(const loop_range& l, std::uint32_t at) const {
        return l.begin <= at && at < l.end;
    }

    // last_use_[i]: the last entry before which the slot of i must not be reused; `none`: i is not
    // needed; the end of the stream: never.
    void find_ranges(std::span<const instruction> stream) {
        const auto size = static_cast<std::uint32_t>(stream.size());
        last_use_.assign(size, none);
        entries_.assign(size, {});
        for (std::uint32_t at = 0; at < size; ++at) {
            if (stream[at].unit == unit_kind::loop) continue;
            for (std::size_t n = 0; n < stream[at].needs.size(); ++n) {
                const std::int32_t need = stream[at].needs[n];
                entries_[at].needs[n] = none;
                if (need == 0) continue;
                const auto target = static_cast<std::uint32_t>(needed_entry(at, need));
                const std::uint32_t until = last_read(at, target, size);
                if (until == none) continue;
                entries_[at].needs[n] = target;  // its slot follows
                if (last_use_[target] == none || last_use_[target] < until) {
                    last_use_[target] = until;
                }
            }
        }
    }

    // Until where `target` is kept because `at` reads it; `none` if it never reads a result.
    [[nodiscard]] std::uint32_t last_read(std::uint32_t at, std::uint32_t target,
                                          std::uint32_t size) const {
        std::uint32_t l = loop_of_[at];
        if (target >= at) {  // of an earlier round, if both are in a loop
            while (l != none && !contains(loops_[l], target)) l = loops_[l].outer;
            return l == none ? none : size;
        }
        std::uint32_t until = at;
        while (l != none && !contains(loops_[l], target)) {  // every round reads it again
            until = loops_[l].end - 1;
            l = loops_[l].outer;
        }
        return until;
    }

    void share_slots(std::span<const instruction> stream) {
        const auto size = static_cast<std::uint32_t>(stream.size());
        ending_at_.assign(size, none);
        next_ending_.assign(size, none);
        free_.clear();
        count_ = 2;
        // Results of earlier rounds must not find what another entry left: slots of their own.
        for (std::uint32_t at = 0; at < size; ++at) {
            if (last_use_[at] == size) entries_[at].result = count_++;
        }
        for (std::uint32_t at = 0; at < size; ++at) {
            if (at > 0) {
                for (std::uint32_t e = ending_at_[at - 1]; e != none; e = next_ending_[e]) {
                    free_.push_back(entries_[e].result);
                }
            }
            if (last_use_[at] == none) {
                entries_[at].result = unread;
            } else if (last_use_[at] != size) {
                if (free_.empty()) {
                    entries_[at].result = count_++;
                } else {
                    entries_[at].result = free_.back();
                    free_.pop_back();
                }
                next_ending_[at] = ending_at_[last_use_[at]];
                ending_at_[last_use_[at]] = at;
            }
        }
        for (entry_slots& e : entries_) {
            for (std::uint32_t& need : e.needs) {
                need = need == none ? always_there : entries_[need].result;
            }
        }
    }

    void add_groups(std::span<const instruction> stream) {
        copies_ = slots_of_groups(stream, false);
        products_ = slots_of_groups(stream, true);
        for (std::size_t at = 0; at < stream.size(); ++at) {
            const instruction& i = stream[at];
            const group_slots& of = concerns_products(i) ? products_ : copies_;
            if (is_async_copy(i) || is_async_product(i)) entries_[at].result = of.all;
            if (!waits_for_groups(i)) continue;
            const bool of_all = i.async == async_step::wait_all;
            entries_[at].needs[2] = of_all ? of.all : of.all + 1 + i.groups_left;
        }
    }

    // New slots for the groups of copies, or of products, if the stream has any.
    group_slots slots_of_groups(std::span<const instruction> stream, bool of_products) {
        group_slots made{.all = count_};
        bool any = false;
        for (const instruction& i : stream) {
            if (i.async == async_step::none || concerns_products(i) != of_products) continue;
            any = true;
            const bool counts = waits_for_groups(i) && i.async != async_step::wait_all;
            if (counts) made.groups = core::max(made.groups, i.groups_left + 1U);
        }
        if (any) count_ += 1 + made.groups;
        return made;
    }

    std::vector<loop_range> loops_;
    std::vector<std::uint32_t> loop_of_;
    std::vector<std::uint32_t> last_use_;
    std::vector<std::uint32_t> ending_at_;
    std::vector<std::uint32_t> next_ending_;
    std::vector<std::uint32_t> free_;
    std::vector<entry_slots> entries_;
    std::uint32_t count_ = 2;
    group_slots copies_;
    group_slots products_;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
