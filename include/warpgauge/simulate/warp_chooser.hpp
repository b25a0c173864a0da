// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_WARP_CHOOSER_HPP
#define WARPGAUGE_SIMULATE_WARP_CHOOSER_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/caps.hpp>
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

/// The warps that can still be chosen in a cycle: of words of 64 each. A single word is not looked up, so that it may stay in
/// a register.
template <std::size_t Words>
struct eligible_warps {
    std::uint64_t word[Words > 0 ? Words : words_of(max_sm_warps)]{};
};

/// Which resource the next instruction of each warp needs, which warps wait for that alone, and the choice among these.
template <class = core::when_used>
class warp_chooser {
public:
    void reset(std::size_t warps, warp_policy policy) {
        warps_ = warps;
        words_ = words_of(warps);
        policy_ = policy;
        next_.fill(0);
        for (std::size_t i = 0; i < resource_count * words_; ++i) needing_[i] = 0;
        for (std::size_t i = 0; i < words_; ++i) {
            awake_[i] = greedy_[i] = issued_[i] = 0;
        }
    }

    // `Words` is how many words the sets have, if that is known where this is compiled; 0: it is not. `SubCores` is how
    // many the SM has.

    /// The next instruction of `warp` needs `resource`, and none that it needed before. Who needs a queue to a memory also
    /// needs the load/store units.
    template <std::size_t Words = 0>
    void need(warp_bit warp, std::size_t resource) {
        needing_[at<Words>(resource, warp)] |= warp.bit;
        if (has_queue(resource)) needing_[at<Words>(load_store, warp)] |= warp.bit;
    }
    /// The next instruction of `warp` needs `resource`, as `need` said, no more.
    template <std::size_t Words = 0>
    void need_no_more(warp_bit warp, std::size_t resource) {
        needing_[at<Words>(resource, warp)] ^= warp.bit;
        if (has_queue(resource)) needing_[at<Words>(load_store, warp)] ^= warp.bit;
    }
    /// The next instruction of `warp` needs `resource`, and no more `unit`, which has no queue.
    template <std::size_t Words = 0>
    void need_after_unit(warp_bit warp, std::size_t unit, std::size_t resource) {
        needing_[at<Words>(unit, warp)] ^= warp.bit;
        need<Words>(warp, resource);
    }
    /// From now on, `warp` waits for the resource that it needs alone.
    template <std::size_t Words = 0>
    void wake(warp_bit warp) {
        awake_[Words == 1 ? 0 : warp.index / 64] |= warp.bit;
    }
    /// The same of the warps of a word of a set.
    void wake_all(std::size_t word, std::uint64_t warps) { awake_[word] |= warps; }
    /// From now on, `warp`, which has waited for the resource alone, waits for something else.
    template <std::size_t Words = 0>
    void put_to_sleep(warp_bit warp) {
        awake_[Words == 1 ? 0 : warp.index / 64] ^= warp.bit;
    }
    /// Whether any warp waits for a resource alone.
    template <std::size_t Words = 0>
    [[nodiscard]] bool any() const {
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < (Words > 0 ? Words : words_); ++i) found |= awake_[i];
        return found != 0;
    }
    /// How many warps, of those in each word of `among`, wait for `resource` alone.
    template <std::size_t Words = 0>
    [[nodiscard]] std::uint64_t count(std::size_t resource,
                                      std::uint64_t among = ~std::uint64_t{0}) const {
        const std::size_t words = Words > 0 ? Words : words_;
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < words; ++i) {
            count += count_of(needing_[resource * words + i] & awake_[i] & among);
        }
        return count;
    }

    // Each sub-core takes its turn in a cycle: `choose`, `end_turn`.

    /// Begins a cycle: warps that wait for a resource alone are eligible until they are dropped.
    template <std::size_t Words = 0>
    void begin_cycle(eligible_warps<Words>& eligible) const {
        const std::size_t words = Words > 0 ? Words : words_;
        for (std::size_t i = 0; i < words; ++i) eligible.word[i] = awake_[i];
    }
    /// The sub-cores of which a warp is eligible, a bit each.
    template <std::size_t SubCores = 1, std::size_t Words = 0>
    [[nodiscard]] std::uint64_t sub_cores_of(const eligible_warps<Words>& eligible) const {
        const std::size_t words = Words > 0 ? Words : words_;
        std::uint64_t any = 0;
        for (std::size_t i = 0; i < words; ++i) any |= eligible.word[i];
        if (SubCores == 1 || any == 0) return any != 0 ? 1 : 0;
        for (std::size_t half = 32; half >= SubCores; half /= 2) any |= any >> half;
        return any & (bit_of(SubCores) - 1);
    }
    /// Warps that wait for `resource`, of those in each word of `among`, are not eligible any more in this cycle.
    template <std::size_t Words = 0>
    void drop(eligible_warps<Words>& eligible, std::size_t resource,
              std::uint64_t among = ~std::uint64_t{0}) const {
        const std::size_t words = Words > 0 ? Words : words_;
        for (std::size_t i = 0; i < words; ++i) {
            eligible.word[i] &= ~(needing_[resource * words + i] & among);
        }
    }
    /// Chooses the lowest eligible warp of a sub-core, which then is not eligible any more; false if there is none.
    template <std::size_t SubCores = 1, std::size_t Words = 0>
    [[gnu::always_inline]] inline bool choose_lowest(eligible_warps<Words>& eligible,
                                                     warp_bit& warp,
                                                     std::size_t sub_core = 0) const {
        return first_from(eligible, 0, warps_of<SubCores>(sub_core), nullptr, warp);
    }
    /// The same by the policy, whatever it is.
    template <std::size_t SubCores = 1, std::size_t Words = 0>
    bool choose(eligible_warps<Words>& eligible, warp_bit& warp, std::size_t sub_core = 0) {
        if (policy_ == warp_policy::lowest_index) {
            return choose_lowest<SubCores>(eligible, warp, sub_core);
        }
        if (!find(eligible, warp, warps_of<SubCores>(sub_core), next_[sub_core])) return false;
        if (policy_ == warp_policy::greedy_then_oldest) {
            if (!any_issued_) {
                for (std::size_t i = 0; i < words_; ++i) issued_[i] = 0;
                any_issued_ = true;
            }
            issued_[warp.index / 64] |= warp.bit;
        }
        next_[sub_core] = warp.index + 1 == warps_ ? 0 : warp.index + 1;
        return true;
    }

    /// Ends the turn of a sub-core: warps chosen in it, if any, are those of it that issued last.
    template <std::size_t SubCores = 1>
    void end_turn(std::size_t sub_core = 0) {
        if (!any_issued_) return;
        any_issued_ = false;
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
        for (std::size_t i = 0; i < resource_count * words_; ++i) {
            visit(needing_[i] & awake_[i % words_]);
        }
        if (policy_ != warp_policy::greedy_then_oldest) return;
        for (std::size_t i = 0; i < words_; ++i) visit(greedy_[i]);
    }
    /// As the words were, `next()` after `next()`. Of warps that do not wait for a resource alone, the resource is not known.
    template <class Reader>
    void read_words(Reader& next) {
        reset(warps_, policy_);
        for (std::size_t& n : next_) n = static_cast<std::size_t>(next());
        for (std::size_t i = 0; i < resource_count * words_; ++i) {
            needing_[i] = next();
            awake_[i % words_] |= needing_[i];
        }
        if (policy_ != warp_policy::greedy_then_oldest) return;
        for (std::size_t i = 0; i < words_; ++i) greedy_[i] = next();
    }

private:
    static constexpr std::size_t max_words = words_of(max_sm_warps);
    static constexpr std::size_t load_store = index_of(sm_unit::load_store);

    // The word of a warp in the set of those that need a resource.
    template <std::size_t Words>
    [[nodiscard]] std::size_t at(std::size_t resource, warp_bit warp) const {
        return Words == 1 ? resource : resource * words_ + warp.index / 64;
    }

    template <std::size_t Words>
    bool find(eligible_warps<Words>& eligible, warp_bit& warp, std::uint64_t mine,
              std::size_t next) const {
        if (policy_ == warp_policy::loose_round_robin &&
            first_from(eligible, next, mine, nullptr, warp)) {
            return true;
        }
        if (policy_ == warp_policy::greedy_then_oldest &&
            first_from(eligible, 0, mine, greedy_, warp)) {
            return true;
        }
        return first_from(eligible, 0, mine, nullptr, warp);
    }

    // The first eligible warp from `first` on, of those in each word of `mine`, that is also in `among` if given. It is not
    // eligible any more.
    template <std::size_t Words>
    [[gnu::always_inline]] inline bool first_from(eligible_warps<Words>& eligible,
                                                  std::size_t first, std::uint64_t mine,
                                                  const std::uint64_t* among,
                                                  warp_bit& warp) const {
        const std::size_t words = Words > 0 ? Words : words_;
        for (std::size_t i = first / 64; i < words; ++i) {
            std::uint64_t word = eligible.word[i] & mine;
            if (among != nullptr) word &= among[i];
            if (i == first / 64) word &= ~std::uint64_t{0} << (first % 64);
            if (word != 0) {
                warp = {first_warp(i, word), word & -word};
                eligible.word[i] ^= warp.bit;
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
    // Sets, of `words_` words.
    std::uint64_t needing_[resource_count * max_words]{};  // one by resource
    std::uint64_t awake_[max_words]{};                     // those that wait for it alone
    std::uint64_t greedy_[max_words]{};
    std::uint64_t issued_[max_words]{};
};

}  // namespace detail::simulate

}  // namespace WARPGAUGE_NAMESPACE

#endif
