// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SLEEPERS_HPP
#define WARPGAUGE_SIMULATE_SLEEPERS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/warp_set.hpp>

/// \file Warps that sleep until a cycle. Both simulations of an SM use it.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// A wheel of buckets, one a cycle, about as many as the longest common wait has cycles. A warp that sleeps
/// for longer stays in its bucket while the wheel passes it.
template <class = core::when_used>
class sleepers {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    void reset(std::size_t warps) {
        words_ = words_of(warps);
        now_ = 0;
        until_.assign(warps, never);
        buckets_.assign(wheel * words_, 0);
        occupied_ = {};
    }

    /// `warp` sleeps from now on. `until` must not have been passed to `wake` yet. `Words` is how many words
    /// the set of all warps has, if that is known where this is compiled; 0: it is not.
    template <std::size_t Words = 0>
    void sleep(std::size_t warp, std::uint64_t until) {
        const std::uint64_t b = until % wheel;
        until_[warp] = until;
        if constexpr (Words == 1) {
            buckets_[b] |= bit_of(warp);
        } else {
            buckets_[b * words_ + warp / 64] |= bit_of(warp);
        }
        occupied_[b / 64] |= bit_of(b);
    }

    /// The first cycle in which a warp is due, but at most `limit`, which is after the last cycle that woke warps.
    [[nodiscard]] std::uint64_t next(std::uint64_t limit = never) const {
        for (std::uint64_t passed = 1; passed <= wheel && passed < limit - now_;) {
            const std::uint64_t b = (now_ + passed) % wheel;
            const std::uint64_t rest = occupied_[b / 64] >> (b % 64);
            if (rest == 0) {
                passed += 64 - b % 64;
                continue;
            }
            passed += static_cast<std::uint64_t>(std::countr_zero(rest));
            if (passed <= wheel && is_due(now_ + passed)) {
                return now_ + passed < limit ? now_ + passed : limit;
            }
            ++passed;
        }
        if (limit - now_ <= wheel) return limit;
        // All sleep for longer than the wheel.
        std::uint64_t first = limit;
        for (const std::uint64_t until : until_) first = until < first ? until : first;
        return first;
    }

    /// Calls `woken(warp)` for every warp that is due at `now`. None was due before. `Words` as in `sleep`.
    template <std::size_t Words = 0, class Woken>
    void wake(std::uint64_t now, Woken woken) {
        now_ = now;
        const std::uint64_t b = now % wheel;
        const std::size_t words = Words > 0 ? Words : words_;
        std::uint64_t* const bucket = &buckets_[b * words];
        if (Words == 1 ? *bucket == 0 : (occupied_[b / 64] & bit_of(b)) == 0) return;
        std::uint64_t any_left = 0;
        for (std::size_t word = 0; word < words; ++word) {
            std::uint64_t left = 0;
            for (std::uint64_t rest = bucket[word]; rest != 0; rest &= rest - 1) {
                const std::size_t warp = first_warp(word, rest);
                if (until_[warp] == now) {
                    until_[warp] = never;
                    woken(warp);
                } else {
                    left |= bit_of(warp);
                }
            }
            bucket[word] = left;
            any_left |= left;
        }
        if (any_left == 0) occupied_[b / 64] &= ~bit_of(b);
    }

    /// Whether a warp sleeps.
    [[nodiscard]] bool is_asleep(std::size_t warp) const { return until_[warp] != never; }

    /// Calls `visit(word)` for the cycles from `now` on that each warp sleeps.
    template <class Visitor>
    void for_each_word(std::uint64_t now, Visitor& visit) const {
        for (const std::uint64_t until : until_) visit(until == never ? never : until - now);
    }
    /// As the words were, `next()` after `next()`, but from cycle `now` on.
    template <class Reader>
    void read_words(std::uint64_t now, Reader& next) {
        reset(until_.size());
        now_ = now;
        for (std::size_t warp = 0; warp < until_.size(); ++warp) {
            if (const std::uint64_t left = next(); left != never) sleep(warp, now + left);
        }
    }

private:
    static constexpr std::uint64_t wheel = 1024;

    // Whether any warp of a bucket sleeps until `cycle`, and not for a turn of the wheel more.
    [[nodiscard]] bool is_due(std::uint64_t cycle) const {
        const std::uint64_t* const bucket = &buckets_[(cycle % wheel) * words_];
        for (std::size_t word = 0; word < words_; ++word) {
            for (std::uint64_t rest = bucket[word]; rest != 0; rest &= rest - 1) {
                if (until_[first_warp(word, rest)] == cycle) return true;
            }
        }
        return false;
    }

    std::size_t words_ = 0;
    std::uint64_t now_ = 0;                             // the last cycle that woke warps
    std::array<std::uint64_t, wheel / 64> occupied_{};  // which buckets are not empty
    std::vector<std::uint64_t> until_;
    warp_words buckets_;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
