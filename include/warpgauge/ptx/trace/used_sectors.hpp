// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_USED_SECTORS_HPP
#define WARPGAUGE_PTX_TRACE_USED_SECTORS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>

/// \file Which sectors of global memory one warp has used, so that each counts once: the fields of a structure share
/// sectors, and so do the rounds of a loop that reads one field after the other.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// What an access does to its sectors, a bit each; an atomic does both.
enum sector_use : std::uint32_t { loads_sector = 1, stores_sector = 2, uses_sector = 3 };

/// The rounds of a loop for which an access stands.
struct sector_rounds {
    std::uint64_t times = 1;
    std::uint64_t by = 0;          ///< its sectors move by, a round; modulo 2^64
    bool moves_by_sectors = true;  ///< else it is not known where they are
};

/// Numbers of sectors: that any access touches, that loads touch, and that stores touch; atomics do both.
template <class Number>
struct sectors_by_use {
    Number all{}, loaded{}, stored{};
};

/// So many sectors that an access uses.
template <class Number>
constexpr sectors_by_use<Number> used_by(sector_use uses, Number sectors) {
    return {sectors, (uses & loads_sector) != 0 ? sectors : 0,
            (uses & stores_sector) != 0 ? sectors : 0};
}

/// What a sector that moves from round to round has been used for before.
struct earlier_uses {
    std::uint32_t first{}, last{};  ///< in the first of the rounds, and in the last
    std::uint32_t here{};           ///< in each round
    std::uint32_t
        one_before{};           ///< in each but the last: one that moves alike began a round before
    std::uint32_t one_after{};  ///< in each but the first

    /// In how many of the rounds, two at least, it is new to `uses`.
    [[nodiscard]] constexpr std::uint64_t count_new(std::uint32_t uses,
                                                    std::uint64_t rounds) const {
        const std::uint64_t first_is_new = (first & uses) == 0 ? 1 : 0;
        const std::uint64_t last_is_new = (last & uses) == 0 ? 1 : 0;
        if ((here & uses) != 0) return 0;
        if ((one_before & uses) != 0) return last_is_new;
        if ((one_after & uses) != 0) return first_is_new;
        return rounds - 2 + first_is_new + last_is_new;
    }
};

/// The sectors that a warp has used. Of one that moves from round to round, those of few rounds are kept, or of the first and
/// the last, and where it began: another that moves alike shares with it what lies between. So a loop of any number of rounds
/// takes no more time than the rounds that are followed.
template <class Used = core::when_used>
class used_sectors {
public:
    using new_sectors = sectors_by_use<std::uint64_t>;

    /// Nothing has been used.
    void clear() {
        forget();
        motions_ = 0;
        first_.clear();
    }

    /// Adds the sectors of an access in each of its rounds. How many of them are new.
    template <class Touched>
    new_sectors add(const Touched& touched, sector_use uses, const sector_rounds& rounds) {
        const std::uint32_t motion = motion_of(rounds);
        if (motion == 0 && is_unused()) return keep_first(touched, uses);
        add_first();
        new_sectors n;
        for_each_group(touched, [&](std::uint64_t at, std::uint64_t bits) {
            if (motion == 0) {
                count_new(bits, mark(key_of(at, 0), bits, uses), uses, n);
            } else {
                add_moving(at, bits, uses, rounds, motion, n);
            }
        });
        return n;
    }

private:
    // Sectors side by side that move alike, a bit each.
    struct sector_bits {
        std::uint64_t loaded{}, stored{};
    };
    struct group {
        std::uint64_t key{};
        std::uint64_t stamp{};  // another one: it is free
        sector_bits used{};
    };
    struct moving {
        std::uint64_t by{}, times{};  // rounds, of each sector at least
        std::uint32_t number{};
    };
    static constexpr std::uint64_t group_sectors = 64;
    static constexpr std::size_t max_groups = 4096;
    static constexpr std::size_t max_kept = 8;
    static constexpr std::uint64_t few_rounds = 8;
    // A key has the number of a motion above that of a group: sectors of 32 B of 2^64 have 59 bits.
    static constexpr int group_bits = 53;
    static constexpr std::size_t max_motions = 2000;

    static constexpr std::uint64_t key_of(std::uint64_t sector, std::uint32_t motion) {
        constexpr std::uint64_t mask = (std::uint64_t{1} << group_bits) - 1;
        return (sector / group_sectors & mask) | std::uint64_t{motion} << group_bits;
    }
    static constexpr std::uint64_t bit_of(std::uint64_t sector) {
        return std::uint64_t{1} << sector % group_sectors;
    }

    [[nodiscard]] bool is_unused() const { return filled_ == 0 && first_.empty(); }

    // Most warps have one access with gaps, or none: the sectors of the first wait for the second.
    template <class Touched>
    new_sectors keep_first(const Touched& touched, sector_use uses) {
        touched.each([&](std::uint64_t sector) { first_.push_back(sector); });
        first_uses_ = uses;
        return used_by(uses, std::uint64_t{touched.count});
    }
    void add_first() {
        for (const std::uint64_t s : first_) mark(key_of(s, 0), bit_of(s), first_uses_);
        first_.clear();
    }

    // The number of a motion; 0: the sectors are the same in each round.
    std::uint32_t motion_of(const sector_rounds& r) {
        if (r.times == 1 || r.by == 0) return 0;
        const std::size_t kept = motions_ < max_kept ? motions_ : max_kept;
        for (std::size_t n = 0; n < kept; ++n) {
            moving& m = kept_[n];
            if (m.by != r.by || m.times < r.times) continue;
            m.times = r.times;
            return m.number;
        }
        if (motions_ == max_motions) clear();
        moving& made = kept_[motions_++ % max_kept];
        made = {r.by, r.times, static_cast<std::uint32_t>(motions_)};
        return made.number;
    }

    // Calls `see(sector, bits)` with a sector of each group and the bits of all of it.
    template <class Touched, class See>
    static void for_each_group(const Touched& touched, const See& see) {
        std::uint64_t at = touched.first();
        std::uint64_t bits = 0;
        touched.each([&](std::uint64_t sector) {
            if (sector / group_sectors != at / group_sectors) {
                see(at, bits);
                bits = 0;
            }
            at = sector;
            bits |= bit_of(sector);
        });
        see(at, bits);
    }

    static void count_new(std::uint64_t bits, const sector_bits& before, sector_use uses,
                          new_sectors& n) {
        n.all += count_of(bits & ~(before.loaded | before.stored));
        if ((uses & loads_sector) != 0) n.loaded += count_of(bits & ~before.loaded);
        if ((uses & stores_sector) != 0) n.stored += count_of(bits & ~before.stored);
    }
    static std::uint64_t count_of(std::uint64_t bits) {
        return bits == 0 ? 0 : static_cast<std::uint64_t>(std::popcount(bits));
    }

    // Those that were here before are new in no round; the others come one by one, since one may be a round before the next.
    void add_moving(std::uint64_t at, std::uint64_t bits, sector_use uses,
                    const sector_rounds& rounds, std::uint32_t motion, new_sectors& n) {
        const sector_bits here = find(key_of(at, motion));
        if ((uses & loads_sector) == 0 || (bits & ~here.loaded) == 0) {
            if ((uses & stores_sector) == 0 || (bits & ~here.stored) == 0) return;
        }
        for (; bits != 0; bits &= bits - 1) {
            const std::uint64_t sector =
                at - at % group_sectors + static_cast<std::uint64_t>(std::countr_zero(bits));
            add_moving(sector, uses, rounds, motion, n);
        }
    }
    void add_moving(std::uint64_t sector, sector_use uses, const sector_rounds& rounds,
                    std::uint32_t motion, new_sectors& n) {
        earlier_uses before{.here = mark_one(sector, motion, uses),
                            .one_before = find_one(sector - rounds.by, motion),
                            .one_after = find_one(sector + rounds.by, motion)};
        const bool is_alone = (before.here | before.one_before | before.one_after) == 0;
        if (is_alone && rounds.times <= few_rounds) return add_each(sector, uses, rounds, n);
        before.first = mark_one(sector, 0, uses);
        before.last = mark_one(sector + (rounds.times - 1) * rounds.by, 0, uses);
        n.all += before.count_new(uses_sector, rounds.times);
        if ((uses & loads_sector) != 0) n.loaded += before.count_new(loads_sector, rounds.times);
        if ((uses & stores_sector) != 0) n.stored += before.count_new(stores_sector, rounds.times);
    }
    // Few rounds, one by one: those of a short loop that are followed alone may lie between.
    void add_each(std::uint64_t sector, sector_use uses, const sector_rounds& rounds,
                  new_sectors& n) {
        for (std::uint64_t t = 0; t < rounds.times; ++t, sector += rounds.by) {
            count_new(bit_of(sector), mark(key_of(sector, 0), bit_of(sector), uses), uses, n);
        }
    }

    static std::uint32_t uses_of(const sector_bits& used, std::uint64_t sector) {
        return ((used.loaded & bit_of(sector)) != 0 ? loads_sector : 0U) |
               ((used.stored & bit_of(sector)) != 0 ? stores_sector : 0U);
    }
    std::uint32_t mark_one(std::uint64_t sector, std::uint32_t motion, sector_use uses) {
        return uses_of(mark(key_of(sector, motion), bit_of(sector), uses), sector);
    }
    [[nodiscard]] std::uint32_t find_one(std::uint64_t sector, std::uint32_t motion) const {
        return uses_of(find(key_of(sector, motion)), sector);
    }

    // What the group has been used for so far.
    sector_bits mark(std::uint64_t key, std::uint64_t bits, sector_use uses) {
        if (2 * filled_ >= groups_.size()) make_room();
        group& g = groups_[place_of(key)];
        if (g.stamp != stamp_) {
            g = {.key = key, .stamp = stamp_};
            ++filled_;
        }
        const sector_bits before = g.used;
        if ((uses & loads_sector) != 0) g.used.loaded |= bits;
        if ((uses & stores_sector) != 0) g.used.stored |= bits;
        return before;
    }
    [[nodiscard]] sector_bits find(std::uint64_t key) const {
        if (groups_.empty()) return {};
        const group& g = groups_[place_of(key)];
        return g.stamp == stamp_ ? g.used : sector_bits{};
    }
    // The place of a group, or the free one that it may get.
    [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
        auto at = static_cast<std::size_t>(key * 0x9e37'79b9'7f4a'7c15U >> 32);
        for (;; ++at) {
            const group& g = groups_[at &= groups_.size() - 1];
            if (g.stamp != stamp_ || g.key == key) return at;
        }
    }

    // What takes too much room is forgotten, and counts again.
    void make_room() {
        if (groups_.size() >= max_groups) return forget();
        core::late<Used, std::vector<group>> before(groups_.empty() ? 64 : 4 * groups_.size());
        before.swap(groups_);
        for (const group& g : before) {
            if (g.stamp == stamp_) groups_[place_of(g.key)] = g;
        }
    }
    void forget() {
        ++stamp_;
        filled_ = 0;
    }

    core::late<Used, std::vector<group>> groups_;  // a power of two of them
    std::uint64_t stamp_ = 1;                      // of the groups that are not free
    std::size_t filled_ = 0;
    std::array<moving, max_kept> kept_{};  // the last motions
    std::size_t motions_ = 0;
    core::late<Used, std::vector<std::uint64_t>> first_;  // sectors that are in no group yet
    sector_use first_uses_{};
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
