// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_CACHE_REPLAY_HPP
#define WARPGAUGE_SM_CACHE_REPLAY_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/access_level.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/sm/line_set.hpp>
#include <warpgauge/sm/memory_request.hpp>
#include <warpgauge/sm/sector_cache.hpp>

/// \file A replay of the accesses of blocks through the L1 of their SMs and an L2, which counts the hits of each cache.
///
/// Blocks go to SMs in turn and start in rounds: each SM starts as many as are resident, and the next ones when all
/// of these are done. Within a round SMs take turns, and on each SM the resident warps take turns, a memory
/// instruction each. `assumed` of the result lists these assumptions. If the order of accesses is known, use
/// `sector_cache`.

namespace WARPGAUGE_NAMESPACE {

/// The SMs and caches in which a launch's accesses are replayed.
struct replay_options {
    cache_shape l1{};  ///< of an SM, beside shared memory; `l1_beside` computes it
    cache_shape l2{.stores = store_rule::back};  ///< for these SMs together
    std::uint32_t sms = 1;                       ///< SMs that the blocks go to, >= 1
    std::uint32_t resident_blocks = 1;           ///< of an SM, >= 1
    std::uint64_t blocks = 0;           ///< blocks of the accesses; 0: only those with an access
    std::uint32_t warps_per_block = 0;  ///< 0: only those with an access
    bool part_of_gpu = true;            ///< the GPU has more SMs, and `l2` is the part of these SMs
    bool part_of_grid = true;  ///< the grid has more blocks, which the given ones represent
    std::uint64_t max_memory_bytes = std::uint64_t{1} << 28;  ///< B, of the replay
};

/// Counts of sectors of 32 B unless named otherwise, of all blocks together.
struct cache_replay : assumed_values<double> {
    std::uint64_t blocks{};  ///< blocks replayed
    std::uint64_t warps{};   ///< warps of these blocks

    // What the instructions ask for.
    std::uint64_t load_insts{};             ///< instructions of warps
    std::uint64_t store_insts{};            ///< instructions of warps
    std::uint64_t atomic_insts{};           ///< instructions of warps
    std::uint64_t load_sectors{};           ///< sectors that loads request
    std::uint64_t full_store_sectors{};     ///< sectors that stores write as a whole
    std::uint64_t partial_store_sectors{};  ///< sectors that stores write in part
    std::uint64_t atomic_sectors{};         ///< sectors that atomics access
    std::uint64_t lines{};                  ///< lines of 128 B that L1 looks up

    // L1.
    std::uint64_t l1_load_hits{};  ///< of `load_sectors`, found in L1

    // L2: loads are what L1 misses, with what comes along; atomics come here at once.
    std::uint64_t l2_loads{};       ///< requests to L2 of loads and atomics
    std::uint64_t l2_load_hits{};   ///< of `l2_loads`, found in L2
    std::uint64_t l2_stores{};      ///< sectors that stores write to L2
    std::uint64_t l2_store_hits{};  ///< of `l2_stores`, found in L2

    // DRAM.
    std::uint64_t dram_reads{};   ///< sectors read from DRAM
    std::uint64_t dram_writes{};  ///< sectors written to DRAM: evicted, or left in L2 at the end

    // Instructions of loads and atomics by the farthest level that they wait for.
    std::uint64_t l1_insts{};    ///< instructions that L1 serves
    std::uint64_t l2_insts{};    ///< instructions that L2 serves
    std::uint64_t dram_insts{};  ///< instructions that DRAM serves

    // What blocks share.
    std::uint64_t footprint{};      ///< sectors that any block accesses, each once
    std::uint64_t block_sectors{};  ///< sectors of each block, each once, summed over blocks

    /// The fraction of the loaded sectors that hit L1; 0 if nothing is loaded.
    [[nodiscard]] constexpr double l1_hit_fraction() const noexcept {
        return part(l1_load_hits, load_sectors);
    }
    /// The fraction of the requests to L2 (loads, atomics and stores) that hit.
    [[nodiscard]] constexpr double l2_hit_fraction() const noexcept {
        return part(l2_load_hits + l2_store_hits, l2_loads + l2_stores);
    }
    /// The mean number of blocks that access the same sector; 1: no sector is shared.
    [[nodiscard]] constexpr double blocks_per_sector() const noexcept {
        return part(block_sectors, footprint);
    }

private:
    static constexpr double part(std::uint64_t some, std::uint64_t all) {
        return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
    }
};

/// The sectors that the requests of one source ask for, and those that they move at each level. The sums over all sources
/// are the counts of the replay.
struct source_sectors {
    std::uint64_t requested{};  ///< sectors of loads, stores and atomics
    std::uint64_t
        beyond_l1{};  ///< requests to L2: what L1 misses with what comes along, stores and atomics
    std::uint64_t from_dram{};  ///< sectors read from DRAM, and sectors that it writes in the end
};

/// The fractions of the sectors that a source asks for. A sector that DRAM reads and writes, or that comes along with
/// another, counts once at most. A source that asks for nothing has none of its bytes beyond L1.
[[nodiscard]] constexpr access_level level_of(const source_sectors& s) noexcept {
    if (s.requested == 0) return {0, 0};
    const auto all = static_cast<double>(s.requested);
    const double beyond_l1 = core::min(static_cast<double>(s.beyond_l1) / all, 1.0);
    return {beyond_l1, core::min(static_cast<double>(s.from_dram) / all, beyond_l1)};
}

/// A replay of requests from several sources.
struct replayed_sources {
    cache_replay all{};                        ///< counts of all requests
    std::vector<source_sectors> of_sources{};  ///< by source, up to the largest
};

/// Replays `requests`, which are in ascending order of blocks, then of warps, then as each warp issues them.
/// \errors outside_domain  `line_bytes`, `fill_bytes`, `ways` of a cache; `sms`, `resident_blocks`: 0;
///                         `requests`: not in order, of no bytes, of more than 4096, or continued from another warp or
///                         kind; `line` is the entry
///         limit_reached   `max_memory_bytes`
template <class Used = core::when_used>
[[nodiscard]] result<cache_replay> replay_caches(std::span<const memory_request> requests,
                                                 const replay_options& options);

/// The same, with the counts of each source: `sources` has a small number for each request, for example of the instruction
/// that makes it.
/// \errors as `replay_caches`; malformed  `sources`: not one for each request; limit_reached  `sources`: above 2^24
template <class Used = core::when_used>
[[nodiscard]] result<replayed_sources> replay_sources(std::span<const memory_request> requests,
                                                      std::span<const std::uint32_t> sources,
                                                      const replay_options& options);

// --- How

namespace detail::sm {

/// Calls `visit(line, sectors)` for the lines of `line_bytes` B that have some of 32 sectors from `first` on.
template <class Visitor>
constexpr void by_lines(std::uint64_t first, sector_mask sectors, std::uint32_t line_bytes,
                        const Visitor& visit) {
    const std::uint64_t sectors_of_line = line_bytes / 32;
    while (sectors != 0) {
        const auto skipped = static_cast<std::uint32_t>(std::countr_zero(sectors));
        const std::uint64_t at = first + skipped;
        const std::uint64_t offset = at % sectors_of_line;
        const sector_mask here = sectors >> skipped & first_bits(sectors_of_line - offset);
        visit(at / sectors_of_line, here << offset);
        sectors &= ~(here << skipped);
    }
}

/// Sectors of a request in one line of 128 B, and which of them are accessed entirely.
struct line_part {
    std::uint64_t line{};
    sector_mask sectors{};
    sector_mask whole{};
};

template <class Visitor>
constexpr void for_each_line(const memory_request& r, const Visitor& visit) {
    const std::uint64_t end = r.address + r.bytes;
    for (std::uint64_t line = r.address / 128; line * 128 < end; ++line) {
        const std::uint64_t from = r.address > line * 128 ? r.address - line * 128 : 0;
        const std::uint64_t to = end < line * 128 + 128 ? end - line * 128 : 128;
        const sector_mask touched = first_bits((to + 31) / 32) & ~first_bits(from / 32);
        const sector_mask inner = first_bits(to / 32) & ~first_bits((from + 31) / 32);
        visit(line_part{line, touched, r.gaps ? 0 : inner});
    }
}

constexpr std::uint64_t count_sectors(sector_mask m) {
    return static_cast<std::uint64_t>(std::popcount(m));
}

template <class Used = core::when_used>
class cache_replayer {
public:
    cache_replayer(std::span<const memory_request> requests, const replay_options& options)
        : requests_(requests), options_(options), l2_(options.l2) {
        for (std::uint32_t i = 0; i < options.sms; ++i) l1_.emplace_back(options.l1);
    }

    /// Counts by source from now on; `of_sources` has a place for each.
    void count_sources(std::span<const std::uint32_t> sources,
                       std::vector<source_sectors>& of_sources) {
        sources_ = sources;
        of_sources_ = &of_sources;
    }

    result<cache_replay> replay() {
        now_ = &any_;
        if (auto bad = find_warps()) return bad;
        if (auto bad = count_shared_sectors()) return bad;
        for (std::size_t first = 0; first < warps_.size();) first = replay_round(first);
        counts_.dram_writes += l2_.write_back();
        note_assumptions();
        return counts_;
    }

private:
    struct warp {
        std::size_t next{};  // request
        std::size_t end{};
        std::uint32_t block{};  // counted from 0, whatever its number
    };
    enum class level : std::uint8_t { l1, l2, dram };

    static model_error out_of_order(std::size_t entry) {
        return {errc::outside_domain, "requests", static_cast<std::uint32_t>(entry + 1)};
    }

    // Each warp's part of the requests.
    model_error find_warps() {
        const memory_request* before = nullptr;
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            const memory_request& r = requests_[i];
            const bool same_block = before != nullptr && before->block == r.block;
            const bool same_warp = same_block && before->warp == r.warp;
            if (before != nullptr &&
                (r.block < before->block || (same_block && r.warp < before->warp))) {
                return out_of_order(i);
            }
            if (r.bytes == 0 || r.bytes > 4096) return out_of_order(i);
            unknown_addresses_ = unknown_addresses_ || r.address >= first_unknown_address;
            if (r.continued && (!same_warp || r.kind != before->kind)) return out_of_order(i);
            if (!same_block) ++counts_.blocks;
            if (!same_warp) {
                if ((warps_.size() + 1) * 2 * sizeof(warp) > options_.max_memory_bytes) {
                    return {errc::limit_reached, "max_memory_bytes"};
                }
                warps_.push_back({i, i, static_cast<std::uint32_t>(counts_.blocks - 1)});
            }
            warps_.back().end = i + 1;
            before = &r;
        }
        counts_.warps = warps_.size();
        counts_.blocks = options_.blocks > counts_.blocks ? options_.blocks : counts_.blocks;
        const std::uint64_t all = counts_.blocks * options_.warps_per_block;
        counts_.warps = all > counts_.warps ? all : counts_.warps;
        return {};
    }

    model_error count_shared_sectors() {
        line_set<Used> touched(options_.max_memory_bytes);
        for (const memory_request& r : requests_) {
            bool fits = true;
            for_each_line(r, [&](const line_part& p) {
                fits = fits && touched.add(p.line, p.sectors, r.block);
            });
            if (!fits) return {errc::limit_reached, "max_memory_bytes"};
        }
        counts_.footprint = touched.sectors();
        counts_.block_sectors = touched.sectors_by_block();
        return {};
    }

    // Replays the round of blocks that begins with a warp; gives the first warp of the next one.
    std::size_t replay_round(std::size_t first) {
        const std::uint64_t end_block = std::uint64_t{warps_[first].block} +
                                        std::uint64_t{options_.sms} * options_.resident_blocks;
        active_.clear();
        std::size_t end = first;
        for (; end < warps_.size() && warps_[end].block < end_block; ++end) {
            active_.push_back(static_cast<std::uint32_t>(end));
        }
        while (!active_.empty()) {
            std::size_t left = 0;
            for (const std::uint32_t w : active_) {
                issue(warps_[w]);
                if (warps_[w].next < warps_[w].end) active_[left++] = w;
            }
            active_.resize(left);
        }
        return end;
    }

    void issue(warp& w) {
        const memory_request& first = requests_[w.next];
        sector_cache<Used>& l1 = l1_[w.block % options_.sms];
        auto farthest = level::l1;
        std::uint64_t last_line = ~std::uint64_t{0};
        do {
            if (of_sources_ != nullptr) now_ = &(*of_sources_)[sources_[w.next]];
            for_each_line(requests_[w.next], [&](const line_part& p) {
                now_->requested += count_sectors(p.sectors);
                if (p.line != last_line) ++counts_.lines;
                last_line = p.line;
                const level to = access(first.kind, p, l1);
                farthest = to > farthest ? to : farthest;
            });
            ++w.next;
        } while (w.next < w.end && requests_[w.next].continued);
        if (first.kind == request_kind::store) {
            ++counts_.store_insts;
            return;
        }
        ++(first.kind == request_kind::load ? counts_.load_insts : counts_.atomic_insts);
        ++(farthest == level::l1   ? counts_.l1_insts
           : farthest == level::l2 ? counts_.l2_insts
                                   : counts_.dram_insts);
    }

    level access(request_kind kind, const line_part& p, sector_cache<Used>& l1) {
        switch (kind) {
            case request_kind::load: return load(p, l1);
            case request_kind::store: store(p, l1); return level::l1;
            case request_kind::atomic: break;
        }
        counts_.atomic_sectors += count_sectors(p.sectors);
        const level from = load_l2(p.line * 4, p.sectors);
        store_l2(p.line * 4, p.sectors, ~0U);  // what it read there
        return from;
    }

    level load(const line_part& p, sector_cache<Used>& l1) {
        counts_.load_sectors += count_sectors(p.sectors);
        auto farthest = level::l1;
        const std::uint32_t line_bytes = options_.l1.line_bytes;
        by_lines(p.line * 4, p.sectors, line_bytes, [&](std::uint64_t line, sector_mask s) {
            const cache_answer a = l1.load(line, s);
            counts_.l1_load_hits += count_sectors(a.held);
            if (a.brought == 0) return;
            const level to = load_l2(line * (line_bytes / 32), a.brought);
            farthest = to > farthest ? to : farthest;
        });
        return farthest;
    }

    level load_l2(std::uint64_t first, sector_mask sectors) {
        auto farthest = level::l2;
        by_lines(first, sectors, options_.l2.line_bytes, [&](std::uint64_t line, sector_mask s) {
            const cache_answer a = l2_.load(line, s);
            counts_.l2_loads += count_sectors(s);
            now_->beyond_l1 += count_sectors(s);
            counts_.l2_load_hits += count_sectors(a.held);
            write_out(a);
            if (a.brought != 0) farthest = level::dram;
        });
        return farthest;
    }

    void store(const line_part& p, sector_cache<Used>& l1) {
        counts_.full_store_sectors += count_sectors(p.whole);
        counts_.partial_store_sectors += count_sectors(p.sectors & ~p.whole);
        by_lines(p.line * 4, p.whole, options_.l1.line_bytes,
                 [&](std::uint64_t line, sector_mask s) { l1.store(line, s, s); });
        by_lines(p.line * 4, p.sectors & ~p.whole, options_.l1.line_bytes,
                 [&](std::uint64_t line, sector_mask s) { l1.store(line, s, 0); });
        counts_.l2_stores += count_sectors(p.sectors);
        now_->beyond_l1 += count_sectors(p.sectors);
        counts_.l2_store_hits += store_l2(p.line * 4, p.whole, ~0U);
        counts_.l2_store_hits += store_l2(p.line * 4, p.sectors & ~p.whole, 0);
    }

    // Gives how many of the sectors were there.
    std::uint64_t store_l2(std::uint64_t first, sector_mask sectors, sector_mask whole) {
        const bool keeps = options_.l2.stores == store_rule::back && options_.l2.lines() > 0;
        if (!keeps) {
            counts_.dram_writes += count_sectors(sectors);
            now_->from_dram += count_sectors(sectors);
        }
        std::uint64_t held = 0;
        by_lines(first, sectors, options_.l2.line_bytes, [&](std::uint64_t line, sector_mask s) {
            const cache_answer a = l2_.store(line, s, s & whole);
            held += count_sectors(a.held);
            write_out(a);
        });
        return held;
    }

    void write_out(const cache_answer& a) {
        counts_.dram_reads += count_sectors(a.brought);
        counts_.dram_writes += a.written_back;
        now_->from_dram += count_sectors(a.brought) + count_sectors(a.dirtied);
    }

    void note_assumptions() {
        assumptions<>& a = counts_.assumed;
        a.add(assumption::lru_caches);
        a.add(assumption::warps_in_turn, counts_.warps > 1);
        a.add(assumption::part_of_l2, options_.part_of_gpu);
        a.add(assumption::sampled_blocks, options_.part_of_grid);
        a.add(assumption::unknown_addresses, unknown_addresses_);
    }

    std::span<const memory_request> requests_;
    const replay_options& options_;
    core::late<Used, std::vector<sector_cache<Used>>> l1_;
    sector_cache<Used> l2_;
    core::late<Used, std::vector<warp>> warps_;
    core::late<Used, std::vector<std::uint32_t>> active_;  // warps of the round that have not ended
    bool unknown_addresses_ = false;                       // among the requests
    cache_replay counts_;
    std::span<const std::uint32_t> sources_;  // of the requests, or none
    std::vector<source_sectors>* of_sources_ = nullptr;
    source_sectors any_{};           // of requests without a source
    source_sectors* now_ = nullptr;  // of the request under way
};

template <class Used = core::when_used>
model_error check_replay(const replay_options& o) {
    for (const cache_shape* s : {&o.l1, &o.l2}) {
        if (auto bad = check_shape(*s)) return bad;
    }
    if (o.sms == 0) return {errc::outside_domain, "sms"};
    if (o.resident_blocks == 0) return {errc::outside_domain, "resident_blocks"};
    // Products of these may not overflow: each is first below the limit on its own.
    const std::uint64_t most =
        o.max_memory_bytes < (std::uint64_t{1} << 40) ? o.max_memory_bytes : std::uint64_t{1} << 40;
    if (o.l1.lines() > most || o.l2.lines() > most || o.l2.lines() >= (1U << 31)) {
        return {errc::limit_reached, "max_memory_bytes"};
    }
    const std::uint64_t l1 = sector_cache<Used>::memory_bytes(o.l1) + sizeof(sector_cache<Used>);
    const std::uint64_t l2 = sector_cache<Used>::memory_bytes(o.l2);
    if (l2 > most || l1 > (most - l2) / o.sms) {
        return {errc::limit_reached, "max_memory_bytes"};
    }
    return {};
}

}  // namespace detail::sm

template <class Used>
result<cache_replay> replay_caches(std::span<const memory_request> requests,
                                   const replay_options& o) {
    if (const auto bad = detail::sm::check_replay<Used>(o)) return bad;
    return detail::sm::cache_replayer<Used>(requests, o).replay();
}

template <class Used>
result<replayed_sources> replay_sources(std::span<const memory_request> requests,
                                        std::span<const std::uint32_t> sources,
                                        const replay_options& o) {
    constexpr std::uint32_t most = 1U << 24;
    if (const auto bad = detail::sm::check_replay<Used>(o)) return bad;
    if (sources.size() != requests.size()) return model_error{errc::malformed, "sources"};
    std::uint32_t count = 0;
    for (const std::uint32_t s : sources) {
        if (s > most) return model_error{errc::limit_reached, "sources"};
        count = s >= count ? s + 1 : count;
    }
    core::late<Used, replayed_sources> r;
    r.of_sources.resize(count);
    detail::sm::cache_replayer<Used> replayer(requests, o);
    replayer.count_sources(sources, r.of_sources);
    const auto all = replayer.replay();
    if (!all) return all.error();
    r.all = *all;
    return r;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
