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

/// The warps that wait for nothing but a resource, and the choice among them.
template <class = core::when_used>
class warp_chooser {
public:
    void reset(std::size_t warps, warp_policy policy) {
        warps_ = warps;
        words_ = words_of(warps);
        policy_ = policy;
        next_.fill(0);
        counts_.fill(0);
        waiting_.assign(resource_count * words_, 0);
        all_waiting_.assign(words_, 0);
        eligible_.assign(words_, 0);
        greedy_.assign(words_, 0);
        issued_.assign(words_, 0);
    }

    // `Words` is how many words the sets have, if that is known where this is compiled; 0: it is not. `SubCores` is how
    // many the SM has.

    /// From now on, `warp` waits for `resource` alone.
    template <std::size_t Words = 0>
    void add(std::size_t warp, std::size_t resource) {
        const std::size_t words = Words > 0 ? Words : words_;
        const std::size_t i = Words == 1 ? 0 : warp / 64;
        waiting_[resource * words + i] |= bit_of(warp);
        all_waiting_[i] |= bit_of(warp);
        ++counts_[resource];
    }
    template <std::size_t Words = 0>
    void remove(std::size_t warp, std::size_t resource) {
        const std::size_t words = Words > 0 ? Words : words_;
        const std::size_t i = Words == 1 ? 0 : warp / 64;
        waiting_[resource * words + i] &= ~bit_of(warp);
        all_waiting_[i] &= ~bit_of(warp);
        --counts_[resource];
    }
    /// Whether any warp waits for a resource alone.
    [[nodiscard]] bool any() const {
        std::uint64_t found = 0;
        for (const std::uint64_t word : all_waiting_) found |= word;
        return found != 0;
    }
    /// How many warps wait for `resource` alone.
    [[nodiscard]] std::uint64_t count(std::size_t resource) const { return counts_[resource]; }

    /// Whether any warp, of those in each word of `among`, waits for `resource` alone.
    [[nodiscard]] bool any(std::size_t resource, std::uint64_t among) const {
        const std::uint64_t* const set = &waiting_[resource * words_];
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < words_; ++i) found |= set[i] & among;
        return found != 0;
    }

    // Each sub-core takes its turn in a cycle: `begin_turn`, `choose`, `end_turn`.

    /// Begins a cycle: warps that wait for a resource alone are eligible until they are dropped.
    template <std::size_t Words = 0>
    void begin_cycle() {
        const std::size_t words = Words > 0 ? Words : words_;
        for (std::size_t i = 0; i < words; ++i) eligible_[i] = all_waiting_[i];
    }
    /// The sub-cores of which a warp is eligible, a bit each.
    template <std::size_t Words = 0, std::size_t SubCores = 1>
    [[nodiscard]] std::uint64_t eligible() const {
        const std::size_t words = Words > 0 ? Words : words_;
        std::uint64_t any = 0;
        for (std::size_t i = 0; i < words; ++i) any |= eligible_[i];
        if (SubCores == 1 || any == 0) return any != 0 ? 1 : 0;
        for (std::size_t half = 32; half >= SubCores; half /= 2) any |= any >> half;
        return any & (bit_of(SubCores) - 1);
    }
    void begin_turn() { any_issued_ = false; }

    /// Warps that wait for `resource`, of those in each word of `among`, are not eligible any more in this cycle.
    template <std::size_t Words = 0>
    void drop(std::size_t resource, std::uint64_t among = ~std::uint64_t{0}) {
        const std::size_t words = Words > 0 ? Words : words_;
        for (std::size_t i = 0; i < words; ++i) {
            eligible_[i] &= ~(waiting_[resource * words + i] & among);
        }
    }
    /// Chooses an eligible warp of a sub-core, which then is not any more; false if there is none.
    template <std::size_t Words = 0, std::size_t SubCores = 1>
    bool choose(std::size_t& warp, std::size_t sub_core = 0) {
        const std::uint64_t mine = warps_of<SubCores>(sub_core);
        if (policy_ == warp_policy::lowest_index) [[likely]] {
            return first_from<Words>(0, mine, nullptr, warp);
        }
        if (!find<Words>(warp, mine, next_[sub_core])) return false;
        if (policy_ == warp_policy::greedy_then_oldest) {
            if (!any_issued_) {
                for (std::uint64_t& word : issued_) word = 0;
                any_issued_ = true;
            }
            issued_[warp / 64] |= bit_of(warp);
        }
        next_[sub_core] = warp + 1 == warps_ ? 0 : warp + 1;
        return true;
    }

    /// Ends the turn of a sub-core: warps chosen in it, if any, are those of it that issued last.
    template <std::size_t SubCores = 1>
    void end_turn(std::size_t sub_core = 0) {
        if (!any_issued_) return;
        if constexpr (SubCores == 1) return std::swap(greedy_, issued_);
        const std::uint64_t mine = warps_of<SubCores>(sub_core);
        for (std::size_t i = 0; i < words_; ++i) {
            greedy_[i] = (greedy_[i] & ~mine) | issued_[i];
        }
    }

    /// Calls `visit(word)` for all that decides whom the next cycles choose.
    template <class Visitor>
    void for_each_word(Visitor& visit) const {
        for (const std::size_t next : next_) {
            visit(policy_ == warp_policy::loose_round_robin ? next : 0);
        }
        for (const std::uint64_t word : waiting_) visit(word);
        if (policy_ != warp_policy::greedy_then_oldest) return;
        for (const std::uint64_t word : greedy_) visit(word);
    }
    /// As the words were, `next()` after `next()`.
    template <class Reader>
    void read_words(Reader& next) {
        reset(warps_, policy_);
        for (std::size_t& n : next_) n = static_cast<std::size_t>(next());
        for (std::size_t at = 0; at < waiting_.size(); ++at) {
            waiting_[at] = next();
            all_waiting_[at % words_] |= waiting_[at];
            counts_[at / words_] += static_cast<std::uint64_t>(std::popcount(waiting_[at]));
        }
        if (policy_ != warp_policy::greedy_then_oldest) return;
        for (std::uint64_t& word : greedy_) word = next();
    }

private:
    template <std::size_t Words>
    bool find(std::size_t& warp, std::uint64_t mine, std::size_t next) {
        if (policy_ == warp_policy::loose_round_robin &&
            first_from<Words>(next, mine, nullptr, warp)) {
            return true;
        }
        if (policy_ == warp_policy::greedy_then_oldest &&
            first_from<Words>(0, mine, &greedy_, warp)) {
            return true;
        }
        return first_from<Words>(0, mine, nullptr, warp);
    }

    // The first eligible warp from `first` on, of those in each word of `mine`, that is also in `among` if given. It is not
    // eligible any more.
    template <std::size_t Words>
    bool first_from(std::size_t first, std::uint64_t mine, const warp_words* among,
                    std::size_t& warp) {
        const std::size_t words = Words > 0 ? Words : words_;
        for (std::size_t i = first / 64; i < words; ++i) {
            std::uint64_t word = eligible_[i] & mine;
            if (among != nullptr) word &= (*among)[i];
            if (i == first / 64) word &= ~std::uint64_t{0} << (first % 64);
            if (word != 0) {
                warp = first_warp(i, word);
                eligible_[i] &= ~(word & -word);
                return true;
            }
        }
        return false;
    }

    std::size_t warps_ = 0;
    std::size_t words_ = 0;
    std::array<std::size_t, 4> next_{};  // by sub-core, the warp after the last that issued
    warp_policy policy_{};
    bool any_issued_ = false;
    std::array<std::uint64_t, resource_count> counts_{};  // of waiting warps, by resource
    warp_words waiting_;                                  // by resource
    warp_words all_waiting_;                              // for any
    warp_words eligible_;
    warp_words greedy_;
    warp_words issued_;
};

}  // namespace detail::simulate

}  // namespace WARPGAUGE_NAMESPACE

#endif
