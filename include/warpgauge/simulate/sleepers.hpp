// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SLEEPERS_HPP
#define WARPGAUGE_SIMULATE_SLEEPERS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/warp_set.hpp>

/// \file Warps that sleep until a cycle. Both simulations of an SM use it.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// A wheel of buckets, one a cycle, about as many as the longest common wait has cycles. A warp that sleeps
/// for longer stays in its bucket while the wheel passes it. Warps sleep for one of a few reasons.
template <class = core::when_used>
class sleepers {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    static constexpr std::size_t reasons = 3;

    void reset(std::size_t warps) {
        for (std::uint64_t& count : counts_) count = 0;
        words_ = words_of(warps);
        warps_ = warps;
        sets_.assign(places * words_ + warps, 0);
        for (std::size_t warp = 0; warp < warps; ++warp) wakes_at(warp) = never;
        for (bool& any : occupied_) any = false;
    }

    // `Words` is how many words the set of all warps has, if that is known where this is compiled; 0: it is not.

    // `now` is the present cycle, the last one that woke warps if any did.

    /// `warp` sleeps from `now` on until a later cycle. Most sleep for the first reason.
    template <std::size_t Words = 0>
    void sleep(warp_bit warp, std::uint64_t now, std::uint64_t until, std::size_t reason = 0) {
        sleep_shortly<Words>(warp, until);
        const std::size_t words = Words > 0 ? Words : words_;
        std::uint64_t* const sets = &sets_[Words == 1 ? 0 : warp.index / 64];
        if (reason > 0) {
            sets[special * words] |= warp.bit;
            sets[(special + reason) * words] |= warp.bit;
            ++counts_[reason];
        }
        if (until - now > wheel) [[unlikely]] {
            sets[special * words] |= warp.bit;
            sets[for_long * words] |= warp.bit;
        }
    }

    /// The same for no more than a thousand cycles, for the first reason.
    template <std::size_t Words = 0>
    [[gnu::always_inline]] inline void sleep_shortly(warp_bit warp, std::uint64_t until) {
        const std::size_t words = Words > 0 ? Words : words_;
        const std::uint64_t b = until % wheel;
        std::uint64_t* const sets = sets_.data();
        sets[places * words + warp.index] = until;
        sets[(first_bucket + b) * words + (Words == 1 ? 0 : warp.index / 64)] |= warp.bit;
        occupied_[b / group] = true;
    }

    /// The first cycle in which a warp is due, but at most `limit`, which is after `now`.
    template <std::size_t Words = 0>
    [[nodiscard]] std::uint64_t next(std::uint64_t now, std::uint64_t limit = never) {
        const std::uint64_t end = limit - now <= wheel ? limit : now + wheel + 1;
        for (std::uint64_t cycle = now + 1; cycle < end; ++cycle) {
            if (cycle % group == 0 && !is_occupied(cycle % wheel / group)) {
                cycle += group - 1;
            } else if (is_due<Words>(cycle)) {
                return cycle;
            }
        }
        if (end == limit) return limit;
        // All sleep for longer than the wheel.
        std::uint64_t first = limit;
        for (std::size_t warp = 0; warp < warps_; ++warp) {
            if (is_asleep(warp) && wakes_at(warp) < first) first = wakes_at(warp);
        }
        return first;
    }

    /// Calls `woken(word, bits)` for each word of the set of warps that are due at `now`. None was due before.
    template <std::size_t Words = 0, class Woken>
    void wake(std::uint64_t now, Woken woken) {
        const std::size_t words = Words > 0 ? Words : words_;
        for (std::size_t word = 0; word < words; ++word) {
            std::uint64_t* const sets = &sets_[word];
            std::uint64_t& bucket = sets[(first_bucket + now % wheel) * words];
            if (bucket == 0) continue;
            std::uint64_t due = bucket;
            if ((due & sets[special * words]) != 0) due = wake_special<Words>(now, due, word);
            bucket ^= due;
            woken(word, due);
        }
    }

    /// Why a warp sleeps; `reasons` if it does not.
    [[nodiscard]] std::size_t reason_of(std::size_t warp) const {
        if (!is_asleep(warp)) return reasons;
        if (is_in(special + 1, warp)) return 1;
        return is_in(special + 2, warp) ? 2 : 0;
    }
    [[nodiscard]] bool is_asleep(std::size_t warp) const {
        return is_in(first_bucket + static_cast<std::size_t>(wakes_at(warp) % wheel), warp);
    }
    /// How many warps sleep for a reason that is not the first.
    [[nodiscard]] std::uint64_t count(std::size_t reason) const { return counts_[reason]; }

    /// Calls `visit(word)` for the cycles from `now` on that each warp sleeps, and why.
    template <class Visitor>
    void for_each_word(std::uint64_t now, Visitor& visit) const {
        for (std::size_t warp = 0; warp < warps_; ++warp) {
            const std::size_t reason = reason_of(warp);
            visit(reason < reasons ? (wakes_at(warp) - now) << 2 | reason : never);
        }
    }
    /// As the words were, `next()` after `next()`, but from cycle `now` on.
    template <class Reader>
    void read_words(std::uint64_t now, Reader& next) {
        reset(warps_);
        for (std::size_t warp = 0; warp < warps_; ++warp) {
            const std::uint64_t left = next();
            if (left == never) continue;
            sleep(warp, now, now + (left >> 2), static_cast<std::size_t>(left & 3));
        }
    }

private:
    static constexpr std::uint64_t wheel = 1024;
    static constexpr std::uint64_t group = 16;  // buckets

    // Places of sets: those for which more is to be done when they wake, which sleep for another reason than
    // the first, one set for each, or longer than the wheel; and the buckets.
    static constexpr std::size_t special = 0;
    static constexpr std::size_t for_long = special + reasons;
    static constexpr std::size_t first_bucket = for_long + 1;
    static constexpr std::size_t places = first_bucket + wheel;

    // When a warp wakes, or last did.
    [[nodiscard]] std::uint64_t& wakes_at(std::size_t warp) {
        return sets_[places * words_ + warp];
    }
    [[nodiscard]] std::uint64_t wakes_at(std::size_t warp) const {
        return sets_[places * words_ + warp];
    }

    [[nodiscard]] bool is_in(std::size_t place, std::size_t warp) const {
        return (sets_[place * words_ + warp / 64] & bit_of(warp)) != 0;
    }

    // Whether any bucket of a group may have a warp. What `sleep` noted is forgotten here, since warps wake more often.
    [[nodiscard]] bool is_occupied(std::size_t g) {
        if (!occupied_[g]) return false;
        const std::uint64_t* const buckets = &sets_[(first_bucket + g * group) * words_];
        std::uint64_t any = 0;
        for (std::size_t i = 0; i < group * words_; ++i) any |= buckets[i];
        occupied_[g] = any != 0;
        return any != 0;
    }
    // Whether any warp of a bucket sleeps until `cycle`, and not for a turn of the wheel more.
    template <std::size_t Words>
    [[nodiscard]] bool is_due(std::uint64_t cycle) const {
        const std::size_t words = Words > 0 ? Words : words_;
        const std::uint64_t* const bucket = &sets_[(first_bucket + cycle % wheel) * words];
        for (std::size_t word = 0; word < words; ++word) {
            for (std::uint64_t rest = bucket[word]; rest != 0; rest &= rest - 1) {
                if (wakes_at(first_warp(word, rest)) == cycle) return true;
            }
        }
        return false;
    }
    // Those of a bucket's word that are due now, some of which slept for more than one turn of the wheel or another reason.
    template <std::size_t Words>
    [[nodiscard]] std::uint64_t wake_special(std::uint64_t now, std::uint64_t bucket,
                                             std::size_t word) {
        const std::size_t words = Words > 0 ? Words : words_;
        std::uint64_t due = bucket;
        for (std::uint64_t rest = bucket & sets_[for_long * words + word]; rest != 0;
             rest &= rest - 1) {
            if (wakes_at(first_warp(word, rest)) != now) due ^= rest & -rest;
        }
        for (std::size_t reason = 1; reason < reasons; ++reason) {
            std::uint64_t& sleeping = sets_[(special + reason) * words + word];
            const std::uint64_t woken = sleeping & due;
            if (woken == 0) continue;
            counts_[reason] -= count_of(woken);
            sleeping ^= woken;
        }
        sets_[special * words + word] &= ~due;
        sets_[for_long * words + word] &= ~due;
        return due;
    }

    std::size_t warps_ = 0;
    std::size_t words_ = 0;
    std::uint64_t counts_[reasons]{};  // of those that sleep for each but the first
    bool occupied_[wheel / group]{};   // groups of buckets with any warp
    // Behind the sets, when each warp wakes, so that one pointer leads to both.
    warp_words sets_;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
