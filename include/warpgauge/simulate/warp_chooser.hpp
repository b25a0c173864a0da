// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_WARP_CHOOSER_HPP
#define WARPGAUGE_SIMULATE_WARP_CHOOSER_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/decoded_stream.hpp>
#include <warpgauge/simulate/warp_set.hpp>

/// \file Which warp a scheduler chooses, among those that have all results they need.

namespace WARPGAUGE_NAMESPACE {

/// Which warp is asked first.
enum class warp_policy : std::uint8_t {
    lowest_index,        ///< in order of index, every time; what the authors' program does
    loose_round_robin,   ///< the one after the last that issued
    greedy_then_oldest,  ///< those that issued last, then in order of index: all are of one age
};

/// The policy in words: "loose round robin".
[[nodiscard]] constexpr std::string_view name(warp_policy policy) noexcept {
    switch (policy) {
        case warp_policy::lowest_index: return "lowest index first";
        case warp_policy::loose_round_robin: return "loose round robin";
        case warp_policy::greedy_then_oldest: return "greedy then oldest";
    }
    return "unknown";
}

namespace detail::simulate {

/// For each resource, the first cycle in which an instruction can have it.
using resource_times = std::array<std::uint64_t, resource_count>;

/// The warps that wait for nothing but a resource, and the choice among them.
template <class = core::when_used>
class warp_chooser {
public:
    void reset(std::size_t warps, warp_policy policy) {
        warps_ = warps;
        words_ = words_of(warps);
        policy_ = policy;
        next_ = 0;
        waiting_.assign(resource_count * words_, 0);
        eligible_.assign(words_, 0);
        greedy_.assign(words_, 0);
        issued_.assign(words_, 0);
    }

    /// From now on, `warp` waits for `resource` alone.
    void add(std::size_t warp, std::size_t resource) {
        waiting(resource)[warp / 64] |= bit_of(warp);
    }
    void remove(std::size_t warp, std::size_t resource) {
        waiting(resource)[warp / 64] &= ~bit_of(warp);
    }
    /// How many warps wait for `resource` alone.
    [[nodiscard]] std::uint64_t count(std::size_t resource) const {
        const std::uint64_t* const set = &waiting_[resource * words_];
        std::uint64_t warps = 0;
        for (std::size_t i = 0; i < words_; ++i) {
            warps += static_cast<std::uint64_t>(std::popcount(set[i]));
        }
        return warps;
    }

    // `Words` is how many words the sets have, if that is known where this is compiled; 0: it is not.

    /// Begins cycle `now`: warps whose resource is ready are eligible.
    template <std::size_t Words = 0>
    void begin_cycle(const resource_times& ready, std::uint64_t now) {
        const std::size_t words = Words > 0 ? Words : words_;
        std::uint64_t* const eligible = eligible_.data();
        const std::uint64_t* const all = waiting_.data();
        for (std::size_t i = 0; i < words; ++i) {
            std::uint64_t word = 0;
            for (std::size_t r = 0; r < resource_count; ++r) {
                word |= ready[r] <= now ? all[r * words + i] : 0;
            }
            eligible[i] = word;
        }
        any_issued_ = false;
    }

    /// Warps that wait for `resource` are not eligible any more in this cycle.
    template <std::size_t Words = 0>
    void drop(std::size_t resource) {
        const std::size_t words = Words > 0 ? Words : words_;
        for (std::size_t i = 0; i < words; ++i) {
            eligible_[i] &= ~waiting_[resource * words + i];
        }
    }

    /// Chooses an eligible warp, which then is not any more; false if there is none.
    template <std::size_t Words = 0>
    bool choose(std::size_t& warp) {
        const std::size_t words = Words > 0 ? Words : words_;
        if (!find<Words>(warp)) return false;
        if (!any_issued_) {
            for (std::size_t i = 0; i < words; ++i) issued_[i] = 0;
            any_issued_ = true;
        }
        issued_[warp / 64] |= bit_of(warp);
        eligible_[warp / 64] &= ~bit_of(warp);
        next_ = warp + 1 == warps_ ? 0 : warp + 1;
        return true;
    }

    /// Ends the cycle: warps chosen in it, if any, are those that issued last.
    void end_cycle() {
        if (any_issued_) std::swap(greedy_, issued_);
    }

    /// Calls `visit(word)` for all that decides whom the next cycles choose.
    template <class Visitor>
    void for_each_word(Visitor& visit) const {
        visit(policy_ == warp_policy::loose_round_robin ? next_ : 0);
        for (const std::uint64_t word : waiting_) visit(word);
        if (policy_ != warp_policy::greedy_then_oldest) return;
        for (const std::uint64_t word : greedy_) visit(word);
    }

private:
    std::uint64_t* waiting(std::size_t resource) { return &waiting_[resource * words_]; }

    template <std::size_t Words>
    bool find(std::size_t& warp) const {
        switch (policy_) {
            case warp_policy::loose_round_robin:
                if (first_from<Words>(next_, nullptr, warp)) return true;
                break;
            case warp_policy::greedy_then_oldest:
                if (first_from<Words>(0, &greedy_, warp)) return true;
                break;
            case warp_policy::lowest_index: break;
        }
        return first_from<Words>(0, nullptr, warp);
    }

    // The first eligible warp from `first` on, that is also in `among` if given.
    template <std::size_t Words>
    bool first_from(std::size_t first, const warp_words* among, std::size_t& warp) const {
        const std::size_t words = Words > 0 ? Words : words_;
        for (std::size_t i = first / 64; i < words; ++i) {
            std::uint64_t word = eligible_[i];
            if (among != nullptr) word &= (*among)[i];
            if (i == first / 64) word &= ~std::uint64_t{0} << (first % 64);
            if (word != 0) {
                warp = first_warp(i, word);
                return true;
            }
        }
        return false;
    }

    std::size_t warps_ = 0;
    std::size_t words_ = 0;
    std::size_t next_ = 0;  // the warp after the last that issued
    warp_policy policy_{};
    bool any_issued_ = false;
    warp_words waiting_;  // by resource
    warp_words eligible_;
    warp_words greedy_;
    warp_words issued_;
};

}  // namespace detail::simulate

}  // namespace WARPGAUGE_NAMESPACE

#endif
