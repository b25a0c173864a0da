// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_COALESCING_HPP
#define WARPGAUGE_SM_COALESCING_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/device/sm_limits.hpp>

/// \file The transactions of global memory and the passes of shared memory of one memory instruction of a warp.
///
/// Sources: NVIDIA, CUDA C Programming Guide 4.2, app. F: global memory of 1.0 to 2.x (F.3.2, F.4.2),
/// shared memory of 1.x and 2.x (F.3.3, F.4.3); CUDA C++ Programming Guide 10.2, app. H.3 to H.5: 3.x
/// and later. Addresses are in B; those of inactive lanes are ignored.

namespace WARPGAUGE_NAMESPACE {

/// The number of lanes of a warp.
inline constexpr std::size_t warp_lanes = 32;

/// One memory instruction of a warp.
struct warp_access {
    std::array<std::uint64_t, warp_lanes> addresses{};  ///< B, of each lane's first byte
    std::uint32_t active{0xffff'ffff};                  ///< a bit for each active lane
    std::uint32_t bytes{4};                             ///< B that a lane moves, 1 to 32
};

/// How global memory serves a warp.
enum class coalescing_rule : std::uint8_t {
    half_warps_in_order,  ///< 1.0, 1.1: lane k the k-th word of a segment, or each lane alone
    half_warp_segments,   ///< 1.2, 1.3: the fewest segments of 32, 64 or 128 B
    lines,                ///< 2.x: cache lines of 128 B
    sectors,              ///< 3.0 and later: sectors of 32 B
};

/// How the banks of shared memory serve a warp.
enum class bank_rule : std::uint8_t {
    half_warp_16,  ///< 1.x: 16 banks of 4 B, half a warp at a time
    banks_32,      ///< 2.x, 5.0 and later: 32 banks of 4 B
    wide_32,       ///< 3.x: 32 banks of 8 B, in their mode for words of 4 B
};

/// The rule of a compute capability.
[[nodiscard]] constexpr coalescing_rule coalescing_rule_of(compute_capability cc) noexcept {
    if (cc.major < 2) {
        return cc.minor < 2 ? coalescing_rule::half_warps_in_order
                            : coalescing_rule::half_warp_segments;
    }
    return cc.major == 2 ? coalescing_rule::lines : coalescing_rule::sectors;
}

/// The rule of a compute capability, for words of 4 B.
[[nodiscard]] constexpr bank_rule bank_rule_of(compute_capability cc) noexcept {
    if (cc.major < 2) return bank_rule::half_warp_16;
    return cc.major == 3 ? bank_rule::wide_32 : bank_rule::banks_32;
}

/// The transactions of global memory for one instruction of a warp.
struct global_transactions {
    std::uint32_t transactions{};  ///< segments, lines or sectors
    std::uint32_t least{};         ///< transactions if the same bytes were side by side and aligned
    std::uint32_t bytes_moved{};   ///< B of all transactions
    std::uint32_t parts{};         ///< groups of lanes that are served separately
    /// Of them, those whose pieces adjoin and are one more than needed.
    std::uint32_t off_boundary{};

    /// A part may begin off a boundary, which costs it one transaction more.
    [[nodiscard]] constexpr bool coalesced() const noexcept {
        return transactions <= least + off_boundary;
    }
    friend constexpr bool operator==(const global_transactions&,
                                     const global_transactions&) = default;
};

namespace detail::sm {

/// A small set of numbers. It is fast if they come in order, as those of a warp usually do.
struct distinct_numbers {
    std::uint64_t values[2 * warp_lanes];  // of which `count` are set
    std::uint32_t count = 0;

    constexpr distinct_numbers() {}  // NOLINT: sets what it uses

    constexpr void add(std::uint64_t value) {
        if (count > 0 && (!ascending || value <= values[count - 1])) {
            for (std::uint32_t i = count; i > 0; --i) {
                if (values[i - 1] == value) return;
                if (ascending && values[i - 1] < value) break;
            }
            ascending = false;
        }
        values[count++] = value;
    }

    /// Whether the numbers are consecutive.
    [[nodiscard]] constexpr bool adjoin() const {
        std::uint64_t least = ~std::uint64_t{0};
        std::uint64_t most = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            least = values[i] < least ? values[i] : least;
            most = values[i] > most ? values[i] : most;
        }
        return count > 0 && most - least == count - 1;
    }

private:
    bool ascending = true;
};

/// Bytes from `first` to before `end`; none if they are equal.
struct byte_run {
    std::uint64_t first, end;
};

/// The bytes of a warp whose active lanes are neighbours and touch consecutive bytes in order, or all the same bytes;
/// none for other warps.
constexpr byte_run run_of_bytes(const warp_access& a) {
    const auto first = static_cast<std::size_t>(std::countr_zero(a.active | 1U << 31));
    const std::uint32_t lanes = a.active >> first;
    if ((lanes & (lanes + 1)) != 0) return {};
    const auto count = static_cast<std::size_t>(std::countr_one(lanes));
    const std::uint64_t from = a.addresses[first];
    const std::uint64_t by = count > 1 ? a.addresses[first + 1] - from : 0;
    if (by != 0 && by != a.bytes) return {};
    std::uint64_t off = 0;
    for (std::size_t n = 0; n < count; ++n) off |= a.addresses[first + n] ^ (from + n * by);
    const std::uint64_t end = from + (count == 0 ? 0 : (count - 1) * by + a.bytes);
    const bool wraps = end + 64 < from;  // a sector behind the run would begin at 0
    return off != 0 || wraps ? byte_run{} : byte_run{from, end};
}

/// The bytes of a warp in runs, in ascending order, with two sectors or more between them.
struct byte_runs {
    static constexpr std::uint32_t max_count = 8;
    byte_run of[max_count];   // of which `count` are set
    std::uint32_t count = 0;  // 0: the bytes make no such runs

    constexpr byte_runs() {}  // NOLINT: sets what it uses

    /// How many aligned pieces of `size` B, a sector or more, have one of the bytes.
    [[nodiscard]] constexpr std::uint32_t pieces(std::uint64_t size) const {
        std::uint64_t n = 0;
        std::uint64_t behind = 0;  // the piece before
        for (std::uint32_t r = 0; r < count; ++r) {
            const std::uint64_t first = of[r].first / size;
            const std::uint64_t end = (of[r].end - 1) / size + 1;
            n += end - first - (r != 0 && first < behind ? 1 : 0);
            behind = end;
        }
        return static_cast<std::uint32_t>(n);
    }
    /// The runs `off` B further.
    [[nodiscard]] constexpr byte_runs moved(std::uint64_t off) const {
        byte_runs all;
        for (std::uint32_t r = 0; r < count; ++r) all.of[r] = {of[r].first + off, of[r].end + off};
        all.count = count;
        return all;
    }
};

/// Adds the run of some lanes to those of the lanes before; false if it is not `apart` B behind them, nor within the last.
constexpr bool add_to(byte_runs& runs, const byte_run& more) {
    constexpr std::uint64_t apart = 64;  // so that no sector adjoins one of another run
    if (more.end + 2 * apart < more.first) return false;  // it wraps around
    if (runs.count != 0) {
        const byte_run& last = runs.of[runs.count - 1];
        if (more.first >= last.first && more.end <= last.end) return true;
        if (more.first < last.end || more.first - last.end < apart) return false;
    }
    if (runs.count == byte_runs::max_count) return false;
    runs.of[runs.count++] = more;
    return true;
}

/// The runs of bytes that the active lanes touch, whose neighbours touch the same bytes or the next ones.
constexpr byte_runs runs_of_bytes(const warp_access& a) {
    byte_runs runs;
    if (a.active == 0) return runs;
    if (const byte_run one = run_of_bytes(a); one.end != one.first) {
        runs.of[runs.count++] = one;
        return runs;
    }
    std::uint32_t left = a.active;
    std::uint64_t first = a.addresses[static_cast<std::size_t>(std::countr_zero(left))];
    std::uint64_t last = first;
    for (left &= left - 1; left != 0; left &= left - 1) {
        const std::uint64_t at = a.addresses[static_cast<std::size_t>(std::countr_zero(left))];
        if (at != last && at != last + a.bytes) {
            if (!add_to(runs, {first, last + a.bytes})) return {};
            first = at;
        }
        last = at;
    }
    if (!add_to(runs, {first, last + a.bytes})) return {};
    return runs;
}

constexpr std::uint32_t pieces(std::uint64_t bytes, std::uint64_t piece) {
    return static_cast<std::uint32_t>((bytes + piece - 1) / piece);
}

/// Pieces of `size` B, aligned, that the lanes from `first` to before `last` touch.
constexpr distinct_numbers touched_pieces(const warp_access& a, std::size_t first, std::size_t last,
                                          std::uint64_t size) {
    distinct_numbers touched;
    const bool power = std::has_single_bit(size);  // a shift takes a tenth of a division
    const int shift = std::countr_zero(size);
    const auto piece = [&](std::uint64_t at) { return power ? at >> shift : at / size; };
    std::uint64_t before = 0;  // what the lane before has added
    for (std::size_t lane = first; lane < last; ++lane) {
        if ((a.active >> lane & 1U) == 0) continue;
        const std::uint64_t at = a.addresses[lane];
        if (touched.count != 0 && at == before) continue;
        before = at;
        const std::uint64_t from = piece(at);
        touched.add(from);
        const std::uint64_t to = piece(at + (a.bytes - 1));
        if (to != from) touched.add(to);
    }
    return touched;
}

}  // namespace detail::sm

/// How many aligned pieces of `size` B the lanes from `first` to before `last` touch.
[[nodiscard]] constexpr std::uint32_t count_pieces(const warp_access& a, std::size_t first,
                                                   std::size_t last, std::uint64_t size) {
    return detail::sm::touched_pieces(a, first, last, size).count;
}

namespace detail::sm {

constexpr std::uint32_t count_active(const warp_access& a, std::size_t first, std::size_t last) {
    const std::uint64_t lanes = (std::uint64_t{1} << last) - (std::uint64_t{1} << first);
    return static_cast<std::uint32_t>(std::popcount(a.active & lanes));
}

/// 1.0 and 1.1: in order within an aligned segment of 16 words, or 16 transactions of 32 B.
constexpr void add_in_order(const warp_access& a, std::size_t first, global_transactions& t) {
    const std::uint32_t active = count_active(a, first, first + 16);
    if (active == 0) return;
    const std::uint64_t segment = std::uint64_t{16} * a.bytes;
    bool in_order = a.bytes == 4 || a.bytes == 8 || a.bytes == 16;
    bool begun = false;
    std::uint64_t base = 0;
    for (std::size_t lane = 0; lane < 16 && in_order; ++lane) {
        if ((a.active >> (first + lane) & 1U) == 0) continue;
        const std::uint64_t start = a.addresses[first + lane] - lane * a.bytes;
        if (!begun) base = start;
        begun = true;
        in_order = start == base && base % segment == 0;
    }
    const std::uint32_t together = a.bytes == 16 ? 2 : 1;
    t.transactions += in_order ? together : 16;
    t.bytes_moved += in_order ? static_cast<std::uint32_t>(segment) : 32 * 16;
    t.least += together;
}

/// 1.2 and 1.3: the segment of the lowest remaining lane, halved while one half of it is enough.
constexpr void add_segments(const warp_access& a, std::size_t first, global_transactions& t) {
    const std::uint32_t active = count_active(a, first, first + 16);
    if (active == 0) return;
    const std::uint64_t segment = a.bytes == 1 ? 32 : a.bytes == 2 ? 64 : 128;
    std::uint32_t left = a.active & (0xffffU << first);
    const std::uint32_t before = t.transactions;
    while (left != 0) {
        std::uint64_t lowest = ~std::uint64_t{0};
        std::uint64_t highest = 0;
        std::uint64_t base = 0;
        bool begun = false;
        for (std::size_t lane = first; lane < first + 16; ++lane) {
            if ((left >> lane & 1U) == 0) continue;
            const std::uint64_t at = a.addresses[lane];
            if (!begun) base = at / segment;
            begun = true;
            if (at / segment != base) continue;
            left &= ~(1U << lane);
            lowest = at < lowest ? at : lowest;
            highest = at + a.bytes - 1 > highest ? at + a.bytes - 1 : highest;
        }
        std::uint64_t size = segment;
        while (size > 32 && lowest / (size / 2) == highest / (size / 2)) size /= 2;
        t.transactions += 1;
        t.bytes_moved += static_cast<std::uint32_t>(size);
    }
    const std::uint32_t least = pieces(std::uint64_t{active} * a.bytes, segment);
    t.least += least;
    const distinct_numbers touched = touched_pieces(a, first, first + 16, segment);
    if (t.transactions - before == least + 1 && touched.adjoin()) t.off_boundary += 1;
}

/// 2.x and later: lines or sectors that the lanes from `first` to before `last` touch.
constexpr void add_pieces(const warp_access& a, std::size_t first, std::size_t last,
                          std::uint32_t size, global_transactions& t) {
    const std::uint32_t active = count_active(a, first, last);
    if (active == 0) return;
    const std::uint32_t least = pieces(std::uint64_t{active} * a.bytes, size);
    if (const byte_run run = run_of_bytes(a); run.end != run.first && last - first == warp_lanes) {
        const auto count = static_cast<std::uint32_t>((run.end - 1) / size - run.first / size + 1);
        t.transactions += count;
        t.bytes_moved += count * size;
        t.least += least;
        if (count == least + 1) t.off_boundary += 1;
        return;
    }
    const distinct_numbers touched = touched_pieces(a, first, last, size);
    t.transactions += touched.count;
    t.bytes_moved += touched.count * size;
    t.least += least;
    if (touched.count == least + 1 && touched.adjoin()) t.off_boundary += 1;
}

}  // namespace detail::sm

/// The limit of the bytes that an instruction moves for a lane.
inline constexpr std::uint32_t max_bytes_per_lane = 32;

/// Counts the transactions of one instruction of a warp. Without active lanes, all counts are 0.
/// \errors outside_domain  `bytes`: 0, or more than `max_bytes_per_lane`
[[nodiscard]] constexpr result<global_transactions> coalesce(const warp_access& a,
                                                             coalescing_rule rule) {
    if (a.bytes == 0 || a.bytes > max_bytes_per_lane) {
        return model_error{errc::outside_domain, "bytes"};
    }
    global_transactions t;
    if (a.active == 0) return t;
    if (rule == coalescing_rule::half_warps_in_order ||
        rule == coalescing_rule::half_warp_segments) {
        for (std::size_t first = 0; first < warp_lanes; first += 16) {
            if (rule == coalescing_rule::half_warps_in_order) {
                detail::sm::add_in_order(a, first, t);
            } else {
                detail::sm::add_segments(a, first, t);
            }
        }
        t.parts = 2;
        return t;
    }
    // On 2.x a request of more than 4 B a lane is split, and each part has lines of its own.
    const bool lines = rule == coalescing_rule::lines;
    t.parts = !lines || a.bytes <= 4 ? 1 : a.bytes <= 8 ? 2 : 4;
    const std::size_t lanes = warp_lanes / t.parts;
    for (std::size_t first = 0; first < warp_lanes; first += lanes) {
        detail::sm::add_pieces(a, first, first + lanes, lines ? 128 : 32, t);
    }
    return t;
}

/// Whether lanes that read or write the same word are served together.
enum class same_word : std::uint8_t {
    together,  ///< loads and stores
    in_turn,   ///< atomics
};

namespace detail::sm {

/// Whether no bank serves two words, if each lane has one word.
constexpr bool without_conflict(const warp_access& a, std::size_t first, std::size_t last) {
    std::uint64_t word_of[32];  // NOLINT: `busy` says which are set
    std::uint32_t busy = 0;
    for (std::size_t lane = first; lane < last; ++lane) {
        if ((a.active >> lane & 1U) == 0) continue;
        const std::uint64_t word = a.addresses[lane] >> 2;
        const auto bank = static_cast<std::size_t>(word & 31);
        if ((busy >> bank & 1U) == 0) word_of[bank] = word;
        if (word_of[bank] != word) return false;
        busy |= 1U << bank;
    }
    return busy != 0;
}

/// How many words the busiest bank serves for the lanes from `first` to before `last`.
constexpr std::uint32_t busiest_bank(const warp_access& a, std::size_t first, std::size_t last,
                                     std::uint32_t words, bank_rule rule, same_word same) {
    const bool plain = rule == bank_rule::banks_32 && same == same_word::together;
    if (plain && words == 1 && without_conflict(a, first, last)) return 1;
    const std::uint32_t banks = rule == bank_rule::half_warp_16 ? 16 : 32;
    std::uint8_t waiting[32]{};
    distinct_numbers rows;
    std::uint32_t busiest = 0;
    for (std::size_t lane = first; lane < last; ++lane) {
        if ((a.active >> lane & 1U) == 0) continue;
        for (std::uint32_t w = 0; w < words; ++w) {
            const std::uint64_t word = a.addresses[lane] / 4 + w;
            const auto bank = static_cast<std::size_t>(word & (banks - 1));
            // What a bank serves at once: a word, or of wide banks two, 32 words apart.
            const std::uint64_t row = rule == bank_rule::wide_32 ? word / 64 * 32 + bank : word;
            const std::uint32_t before = rows.count;
            if (same == same_word::together) rows.add(row);
            if (same == same_word::in_turn || rows.count != before) {
                const std::uint32_t n = ++waiting[bank];
                busiest = n > busiest ? n : busiest;
            }
        }
    }
    return busiest;
}

/// 1.x: in each pass a bank serves one lane, except that all lanes with the word of the lowest remaining lane get it.
constexpr std::uint32_t passes_with_broadcast(const warp_access& a, std::size_t first) {
    std::uint32_t left = a.active & (0xffffU << first);
    std::uint32_t passes = 0;
    for (; left != 0; ++passes) {
        std::uint32_t busy = 0;  // a bit for each bank
        bool begun = false;
        std::uint64_t broadcast = 0;
        for (std::size_t lane = first; lane < first + 16; ++lane) {
            if ((left >> lane & 1U) == 0) continue;
            const std::uint64_t word = a.addresses[lane] / 4;
            if (!begun) broadcast = word;
            begun = true;
            const std::uint32_t bank = 1U << word % 16;
            if (word != broadcast && (busy & bank) != 0) continue;
            busy |= bank;
            left &= ~(1U << lane);
        }
    }
    return passes;
}

}  // namespace detail::sm

/// The passes of shared memory for one instruction of a warp: the number of words that the busiest
/// bank serves. 1 is no conflict. With 8 B a lane this is 2, with 16 B 4 and so on, since parts of the warp
/// go one after the other. On 1.x, half a warp without conflict counts as one half, rounded up, and
/// only one word at a time goes to several lanes.
/// \errors as `coalesce`
[[nodiscard]] constexpr result<std::uint32_t> bank_passes(const warp_access& a, bank_rule rule,
                                                          same_word same = same_word::together) {
    if (a.bytes == 0 || a.bytes > max_bytes_per_lane) {
        return model_error{errc::outside_domain, "bytes"};
    }
    const bool halves = rule == bank_rule::half_warp_16;
    if (rule == bank_rule::banks_32 && same == same_word::together && a.bytes <= 4) {
        const detail::sm::byte_run run = detail::sm::run_of_bytes(a);
        if (run.end != run.first) return 1;  // words side by side
    }
    const std::uint32_t words = detail::sm::pieces(a.bytes, 4);
    const std::size_t lanes_at_once = (halves ? 16 : warp_lanes) / (words <= 1   ? 1
                                                                    : words <= 2 ? 2
                                                                    : words <= 4 ? 4
                                                                                 : 8);
    std::uint32_t passes = 0;
    for (std::size_t first = 0; first < warp_lanes; first += lanes_at_once) {
        passes +=
            halves && words == 1 && same == same_word::together
                ? detail::sm::passes_with_broadcast(a, first)
                : detail::sm::busiest_bank(a, first, first + lanes_at_once, words, rule, same);
    }
    return halves ? (passes + 1) / 2 : passes;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
