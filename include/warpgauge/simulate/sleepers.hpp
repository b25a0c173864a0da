// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SLEEPERS_HPP
#define WARPGAUGE_SIMULATE_SLEEPERS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

/// \file Warps that wait for a cycle, and sets of warps; what both simulations of an SM stand on.
///
/// Templates only so that a program that does not simulate does not compile them.

namespace warpgauge::detail::simulate {

/// A set of warps, as words of 64.
using warp_words = std::vector<std::uint64_t>;

constexpr std::uint64_t bit_of(std::size_t warp) {
    return std::uint64_t{1} << (warp % 64);
}

constexpr std::size_t words_of(std::size_t warps) {
    return (warps + 63) / 64;
}

/// Warps that sleep until a cycle: a wheel of as many buckets as most waits are long. A warp that
/// sleeps for longer stays in its bucket while the wheel passes it.
template <int Instance = 0>
class sleepers {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    void reset(std::size_t warps) {
        words_ = words_of(warps);
        until_.assign(warps, never);
        buckets_.assign(wheel * words_, 0);
    }

    /// From now on, and before `until` is passed to `wake`.
    void sleep(std::size_t warp, std::uint64_t until) {
        until_[warp] = until;
        buckets_[(until % wheel) * words_ + warp / 64] |= bit_of(warp);
    }

    /// The first cycle in which a warp is due; `never` if none sleeps.
    [[nodiscard]] std::uint64_t next() const {
        std::uint64_t first = never;
        for (const std::uint64_t t : until_) first = t < first ? t : first;
        return first;
    }

    /// Calls `woken(warp)` for every warp that is due at `now`. None was due before.
    template <class Woken>
    void wake(std::uint64_t now, Woken woken) {
        std::uint64_t* const bucket = &buckets_[(now % wheel) * words_];
        for (std::size_t word = 0; word < words_; ++word) {
            std::uint64_t left = 0;
            for (std::uint64_t rest = bucket[word]; rest != 0; rest &= rest - 1) {
                const std::size_t warp =
                    word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
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

private:
    static constexpr std::uint64_t wheel = 256;

    std::size_t words_ = 0;
    std::vector<std::uint64_t> until_;
    warp_words buckets_;
};

}  // namespace warpgauge::detail::simulate

#endif
