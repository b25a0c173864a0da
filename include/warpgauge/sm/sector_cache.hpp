// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_SECTOR_CACHE_HPP
#define WARPGAUGE_SM_SECTOR_CACHE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file A cache of lines that hold some of their sectors, access by access. Each set evicts the line that was used
/// longest ago.
///
/// A real L1 or L2 sometimes evicts other lines, and it is not published which lines share a set. With one set for all
/// (`ways` 0) a larger cache holds everything that a smaller one does, so that more bytes never have fewer hits.

namespace WARPGAUGE_NAMESPACE {

/// What a cache does with stores.
enum class store_rule : std::uint8_t {
    through,  ///< to the next level, without a line (L1 of NVIDIA from Volta on, as assumed here)
    through_kept,  ///< to the next level; sectors written as a whole stay
    back,          ///< stays until its line is evicted; a sector written in part is read first (L2)
};

/// The size of a cache.
struct cache_shape {
    std::uint64_t bytes = 0;         ///< B that it holds; with less than a line there is no cache
    std::uint32_t line_bytes = 128;  ///< B, a power of two, 32 to 1024
    std::uint32_t fill_bytes = 32;   ///< B that a miss brings in, a power of two, 32 to a line
    std::uint32_t ways = 0;          ///< lines of a set; 0: all lines are one set
    store_rule stores = store_rule::through;  ///< what it does with stores

    /// The number of lines that it holds.
    [[nodiscard]] constexpr std::uint64_t lines() const noexcept { return bytes / line_bytes; }
    friend constexpr bool operator==(const cache_shape&, const cache_shape&) = default;
};

/// Sectors of one line, a bit each, from its first.
using sector_mask = std::uint32_t;

/// The result of an access to some sectors of one line.
struct cache_answer {
    sector_mask held{};     ///< the requested sectors that hit
    sector_mask brought{};  ///< sectors that are read from the next level
    sector_mask
        dirtied{};  ///< sectors that will be written to the next level once, and were not before
    std::uint32_t written_back{};   ///< sectors of an evicted line that go to the next level
    std::uint64_t evicted_line{};   ///< the evicted line, if `written_back` is not 0
    sector_mask evicted_sectors{};  ///< its sectors that are written back
};

/// \errors outside_domain  `line_bytes`, `fill_bytes`, `ways`: not of the range above; `field` with the name of one
[[nodiscard]] constexpr model_error check_shape(const cache_shape& s) noexcept {
    const auto power = [](std::uint32_t n) { return n >= 32 && std::has_single_bit(n); };
    if (!power(s.line_bytes) || s.line_bytes > 1024) return {errc::outside_domain, "line_bytes"};
    if (!power(s.fill_bytes) || s.fill_bytes > s.line_bytes) {
        return {errc::outside_domain, "fill_bytes"};
    }
    if (s.ways != 0 && s.lines() % s.ways != 0) return {errc::outside_domain, "ways"};
    return {};
}

/// One cache. `load` and `store` cost the same whatever its size.
template <class Used = core::when_used>
class sector_cache {
public:
    /// B of memory that a cache of such a shape takes.
    [[nodiscard]] static constexpr std::uint64_t memory_bytes(const cache_shape& s) noexcept {
        const std::uint64_t sets = s.ways == 0 ? 1 : s.lines() / s.ways;
        return s.lines() * (sizeof(entry) + 4 * sizeof(std::uint32_t)) + sets * sizeof(set);
    }

    /// A cache whose shape has been checked, of fewer than 2^31 lines.
    explicit sector_cache(const cache_shape& s)
        : shape_(s),
          sectors_of_fill_(s.fill_bytes / 32),
          ways_(s.ways == 0 ? static_cast<std::uint32_t>(s.lines()) : s.ways) {
        if (s.lines() == 0) return;
        entries_.resize(static_cast<std::size_t>(s.lines()));
        sets_.resize(static_cast<std::size_t>(s.lines() / ways_));
        slots_.resize(std::bit_ceil(static_cast<std::size_t>(2 * s.lines())), nobody);
    }

    /// The size that it was made with.
    [[nodiscard]] const cache_shape& shape() const { return shape_; }

    /// Loads sectors of a line; those that miss are brought in.
    cache_answer load(std::uint64_t line, sector_mask sectors) {
        if (entries_.empty()) return {.brought = sectors};
        cache_answer a;
        entry& e = entries_[brought_in(line, a)];
        a.held = e.held & sectors;
        a.brought = whole_fills(sectors & ~e.held);
        e.held |= a.brought;
        return a;
    }

    /// Stores to sectors of a line, of which `whole` are overwritten entirely.
    cache_answer store(std::uint64_t line, sector_mask sectors, sector_mask whole) {
        if (entries_.empty()) return {};
        cache_answer a;
        if (shape_.stores == store_rule::through) {
            const std::uint32_t at = find(line);
            if (at == nobody) return {};
            use(at, set_of(line));
            a.held = entries_[at].held & sectors;
            return a;
        }
        entry& e = entries_[brought_in(line, a)];
        a.held = e.held & sectors;
        if (shape_.stores == store_rule::back) {
            a.brought = whole_fills(sectors & ~whole & ~e.held);
            a.dirtied = sectors & ~e.dirty;
            e.dirty |= sectors;
        }
        e.held |= a.brought | (sectors & whole);
        return a;
    }

    /// Writes all remaining sectors to the next level and returns their number.
    std::uint64_t write_back() {
        std::uint64_t n = 0;
        for (entry& e : entries_) {
            n += static_cast<std::uint64_t>(std::popcount(e.dirty));
            e.dirty = 0;
        }
        return n;
    }

private:
    static constexpr std::uint32_t nobody = 0xffff'ffff;

    struct entry {
        std::uint64_t line{};
        std::uint32_t newer = nobody;
        std::uint32_t older = nobody;
        sector_mask held{};
        sector_mask dirty{};
    };
    struct set {
        std::uint32_t newest = nobody;
        std::uint32_t oldest = nobody;
        std::uint32_t used{};  // entries, from its first on
    };

    [[nodiscard]] sector_mask whole_fills(sector_mask missing) const {
        if (sectors_of_fill_ == 1 || missing == 0) return missing;
        const sector_mask fill = sectors_of_fill_ == 32 ? ~0U : (1U << sectors_of_fill_) - 1;
        sector_mask all = 0;
        for (std::uint32_t at = 0; at < shape_.line_bytes / 32; at += sectors_of_fill_) {
            if ((missing >> at & fill) != 0) all |= fill << at;
        }
        return all;
    }

    // --- Where lines are: slots by a hash, the next ones where that is taken.

    [[nodiscard]] std::size_t home(std::uint64_t line) const {
        const std::uint64_t mixed = line * 0x9e37'79b9'7f4a'7c15U;
        return static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
    }

    [[nodiscard]] std::size_t slot_of(std::uint64_t line) const {
        std::size_t at = home(line);
        while (slots_[at] != nobody && entries_[slots_[at]].line != line) {
            at = (at + 1) & (slots_.size() - 1);
        }
        return at;
    }

    [[nodiscard]] std::uint32_t find(std::uint64_t line) const { return slots_[slot_of(line)]; }

    // Moves those behind forward, so that no search ends before what it looks for.
    void forget(std::uint64_t line) {
        std::size_t hole = slot_of(line);
        for (std::size_t at = hole;;) {
            at = (at + 1) & (slots_.size() - 1);
            if (slots_[at] == nobody) break;
            const std::size_t from_home =
                (at - home(entries_[slots_[at]].line)) & (slots_.size() - 1);
            if (from_home < ((at - hole) & (slots_.size() - 1))) continue;
            slots_[hole] = slots_[at];
            hole = at;
        }
        slots_[hole] = nobody;
    }

    // --- In which order they were used.

    [[nodiscard]] std::uint64_t set_of(std::uint64_t line) const { return line % sets_.size(); }

    void unlink(std::uint32_t at, set& s) {
        const entry& e = entries_[at];
        (e.newer == nobody ? s.newest : entries_[e.newer].older) = e.older;
        (e.older == nobody ? s.oldest : entries_[e.older].newer) = e.newer;
    }

    void link_newest(std::uint32_t at, set& s) {
        entries_[at].newer = nobody;
        entries_[at].older = s.newest;
        (s.newest == nobody ? s.oldest : entries_[s.newest].newer) = at;
        s.newest = at;
    }

    void use(std::uint32_t at, std::uint64_t set_number) {
        set& s = sets_[static_cast<std::size_t>(set_number)];
        if (s.newest == at) return;
        unlink(at, s);
        link_newest(at, s);
    }

    // The entry of a line, which takes the place of the oldest if it is not there.
    std::uint32_t brought_in(std::uint64_t line, cache_answer& a) {
        const std::uint64_t set_number = set_of(line);
        const std::size_t slot = slot_of(line);
        if (slots_[slot] != nobody) {
            const std::uint32_t there = slots_[slot];
            use(there, set_number);
            return there;
        }
        set& s = sets_[static_cast<std::size_t>(set_number)];
        std::uint32_t at = 0;
        if (s.used < ways_) {
            at = static_cast<std::uint32_t>(set_number) * ways_ + s.used++;
            slots_[slot] = at;
        } else {
            at = s.oldest;
            const entry& gone = entries_[at];
            a.written_back = static_cast<std::uint32_t>(std::popcount(gone.dirty));
            a.evicted_line = gone.line;
            a.evicted_sectors = gone.dirty;
            unlink(at, s);
            forget(gone.line);
            slots_[slot_of(line)] = at;
        }
        entries_[at] = {.line = line};
        link_newest(at, s);
        return at;
    }

    cache_shape shape_;
    std::uint32_t sectors_of_fill_;
    std::uint32_t ways_;
    core::late<Used, std::vector<entry>> entries_;
    core::late<Used, std::vector<set>> sets_;
    core::late<Used, std::vector<std::uint32_t>> slots_;  // entries
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
