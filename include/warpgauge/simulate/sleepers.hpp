// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SLEEPERS_HPP
#define WARPGAUGE_SIMULATE_SLEEPERS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/warp_set.hpp>

/// \file Warps that sleep until a cycle. Both simulations of an SM use it.

namespace warpgauge::detail::simulate {

/// A wheel of buckets, one a cycle, about as many as the longest common wait has cycles. A warp that sleeps
/// for longer stays in its bucket while the wheel passes it.
template <class = core::when_used>
class sleepers {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    void reset(std::size_t warps) {
        words_ = words_of(warps);
        until_.assign(warps, never);
        buckets_.assign(wheel * words_, 0);
    }

    /// `warp` sleeps from now on. `until` must not have been passed to `wake` yet.
    void sleep(std::size_t warp, std::uint64_t until) {
        until_[warp] = until;
        buckets_[(until % wheel) * words_ + warp / 64] |= bit_of(warp);
    }

    /// The first cycle in which a warp is due; `never` if none sleeps.
    [[nodiscard]] std::uint64_t next() const {
        std::uint64_t first = never;
        for (const std::uint64_t until : until_) first = until < first ? until : first;
        return first;
    }

    /// Calls `woken(warp)` for every warp that is due at `now`. None was due before.
    template <class Woken>
    void wake(std::uint64_t now, Woken woken) {
        std::uint64_t* const bucket = &buckets_[(now % wheel) * words_];
        for (std::size_t word = 0; word < words_; ++word) {
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
        }
    }

    /// Calls `visit(word)` for the cycles from `now` on that each warp sleeps.
    template <class Visitor>
    void for_each_word(std::uint64_t now, Visitor& visit) const {
        for (const std::uint64_t until : until_) visit(until == never ? never : until - now);
    }

private:
    static constexpr std::uint64_t wheel = 256;

    std::size_t words_ = 0;
    std::vector<std::uint64_t> until_;
    warp_words buckets_;
};

}  // namespace warpgauge::detail::simulate

#endif
