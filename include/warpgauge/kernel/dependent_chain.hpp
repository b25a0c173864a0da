// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_DEPENDENT_CHAIN_HPP
#define WARPGAUGE_KERNEL_DEPENDENT_CHAIN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

/// \file The longest chain of dependent instructions of a stream, and so its instruction-level parallelism:
/// `longest_chain`.
///
/// A chain follows the results that entries name in `needs`, through all rounds of all loops. The order of issue, barriers,
/// memory and asynchronous copies are no such dependences. Group headers do not include this header.
///
/// The longest chains at the end of a round are a linear map of those at its start, in the algebra whose sum is the maximum
/// and whose product is the sum (Baccelli, Cohen, Olsder and Quadrat 1992, Synchronization and Linearity, ch. 3). So the
/// map of all rounds is a power of that of one, which takes the logarithm of their number, and is exact for chains that
/// overtake each other after any number of rounds.

namespace WARPGAUGE_NAMESPACE {

/// The kinds of units that execute instructions: all before `unit_kind::loop`.
inline constexpr auto executing_units = static_cast<std::size_t>(unit_kind::loop);

/// The maximum work of `longest_chain`, in chains between two entries that it looks at. Each that it keeps takes about 100 B.
inline constexpr std::size_t max_chain_work = std::size_t{1} << 21;

/// The longest chain of dependent instructions of one warp, and all that the warp executes.
struct dependent_chain {
    double cycles{};  ///< cycles of the chain: the latencies of its instructions in sum
    /// Cycles of all executed instructions, as if each waited for the one before.
    double all_cycles{};
    double executed_insts{};  ///< all executed instructions
    /// The instructions of the chain, by `unit_kind`. Of chains with the same cycles it is the one that comes last if their
    /// lists are put in order.
    std::array<double, executing_units> insts{};

    /// Instructions of the chain on `unit`; 0 for loops.
    [[nodiscard]] constexpr double insts_of(unit_kind unit) const noexcept {
        const auto u = static_cast<std::size_t>(unit);
        return u < executing_units ? insts[u] : 0;
    }
    /// All instructions of the chain.
    [[nodiscard]] constexpr double length() const noexcept {
        double sum = 0;
        for (const double n : insts) sum += n;
        return sum;
    }
    /// Instructions under way at a time if nothing but the chain delays them: `all_cycles / cycles`, at least 1. With the
    /// same latency for all, it is executed instructions over the chain's length. 1 if no instruction takes time.
    [[nodiscard]] constexpr double parallelism() const noexcept {
        return cycles > 0 ? all_cycles / cycles : 1;
    }
};

namespace detail::kernel {

using unit_latencies = std::array<double, executing_units>;

/// How long a chain is.
struct chain_weight {
    double cycles{};
    std::array<double, executing_units> insts{};

    constexpr void add(const chain_weight& other) {
        cycles += other.cycles;
        for (std::size_t u = 0; u < executing_units; ++u) insts[u] += other.insts[u];
    }
    /// An order that adding the same to both sides keeps, so that the algebra stays one.
    [[nodiscard]] constexpr bool is_shorter_than(const chain_weight& other) const {
        return cycles != other.cycles ? cycles < other.cycles : insts < other.insts;
    }
};

/// A chain from the result that `source` had before.
struct chain_term {
    std::size_t source{};
    chain_weight weight{};
};

/// The chains that may be the longest to an entry: one from each source, sources in order.
using chain_row = std::vector<chain_term>;

/// What the execution of some entries does to the longest chains.
struct chain_map {
    std::size_t first{};            ///< the entry of the first row
    std::vector<chain_row> rows{};  ///< of each entry; empty: its result is as before
    chain_row longest{};            ///< of any entry; empty: as before

    [[nodiscard]] bool has(std::size_t entry) const {
        return entry >= first && entry - first < rows.size();
    }
    [[nodiscard]] const chain_row* row_of(std::size_t source) const;
};

/// Sources besides the entries: before the first instruction, and the longest chain to any entry.
inline constexpr std::size_t chain_start = ~std::size_t{0};
inline constexpr std::size_t longest_so_far = chain_start - 1;

inline const chain_row* chain_map::row_of(std::size_t source) const {
    const chain_row* row = source == longest_so_far ? &longest
                           : has(source)            ? &rows[source - first]
                                                    : nullptr;
    return row != nullptr && !row->empty() ? row : nullptr;
}

/// Finds the longest chain of a checked stream.
class chain_finder {
public:
    chain_finder(std::span<const instruction> stream, const unit_latencies& latencies)
        : stream_(stream), latencies_(latencies) {}

    /// The chain, or nothing if `went_too_far`.
    chain_weight find() {
        chain_map all = map_of(0, stream_.size());
        chain_weight best;
        // Before the first instruction all chains are empty.
        for (const chain_term& t : all.longest) {
            if (best.is_shorter_than(t.weight)) best = t.weight;
        }
        return best;
    }
    [[nodiscard]] bool went_too_far() const { return work_ > max_chain_work; }

private:
    void merge(chain_row& to, std::size_t source, const chain_weight& weight) {
        const auto by_source = [](const chain_term& t, std::size_t s) { return t.source < s; };
        const auto place = std::lower_bound(to.begin(), to.end(), source, by_source);
        work_ += 1;
        if (place != to.end() && place->source == source) {
            if (place->weight.is_shorter_than(weight)) place->weight = weight;
            return;
        }
        work_ += static_cast<std::size_t>(to.end() - place) / 8;
        to.insert(place, {source, weight});
    }

    // Adds the chains that are `weight` longer than those to `source` after `before`.
    void extend(chain_row& to, const chain_map& before, std::size_t source,
                const chain_weight& weight) {
        if (went_too_far()) return;
        const chain_row* row = before.row_of(source);
        if (row == nullptr) {
            merge(to, source, weight);
            return;
        }
        for (const chain_term& t : *row) {
            chain_weight sum = weight;
            sum.add(t.weight);
            merge(to, t.source, sum);
        }
    }

    [[nodiscard]] chain_row row_after(const chain_row& row, const chain_map& before) {
        chain_row to;
        for (const chain_term& t : row) extend(to, before, t.source, t.weight);
        return to;
    }

    // What `second` does after `first`, whose entries include those of `second`.
    void append(chain_map& first, const chain_map& second) {
        chain_map after{second.first, std::vector<chain_row>(second.rows.size()), {}};
        work_ += second.rows.size() / 8;
        for (std::size_t r = 0; r < second.rows.size() && !went_too_far(); ++r) {
            after.rows[r] = row_after(second.rows[r], first);
        }
        after.longest = row_after(second.longest, first);
        for (std::size_t r = 0; r < after.rows.size(); ++r) {
            if (after.rows[r].empty()) continue;
            first.rows[second.first - first.first + r] = std::move(after.rows[r]);
        }
        if (!after.longest.empty()) first.longest = std::move(after.longest);
    }

    void execute(chain_map& map, std::size_t at) {
        const instruction& i = stream_[at];
        chain_weight own;
        own.cycles = latencies_[static_cast<std::size_t>(i.unit)];
        own.insts[static_cast<std::size_t>(i.unit)] = 1;
        chain_row row;
        merge(row, chain_start, own);
        for (const std::int32_t need : i.needs) {
            if (need == 0) continue;
            extend(row, map, source_of(static_cast<std::size_t>(needed_entry(at, need)), map), own);
        }
        if (map.longest.empty()) merge(map.longest, longest_so_far, {});
        for (const chain_term& t : row) merge(map.longest, t.source, t.weight);
        map.rows[at - map.first] = std::move(row);
    }

    // Outside of all loops, an entry that has not been executed has no result yet.
    [[nodiscard]] std::size_t source_of(std::size_t entry, const chain_map& map) const {
        const bool is_whole = map.rows.size() == stream_.size();
        return is_whole && map.row_of(entry) == nullptr ? chain_start : entry;
    }

    [[nodiscard]] chain_map map_of(std::size_t first, std::size_t last) {
        chain_map map{first, std::vector<chain_row>(last - first), {}};
        for (std::size_t at = first; at < last && !went_too_far(); ++at) {
            const instruction& i = stream_[at];
            if (i.unit == unit_kind::loop) {
                append(map, all_rounds(map_of(at + 1, at + 1 + i.loop_length), i.loop_count));
                at += i.loop_length;
            } else {
                execute(map, at);
            }
        }
        return map;
    }

    // All rounds but the last need only the results that a round after them reads.
    [[nodiscard]] chain_map all_rounds(const chain_map& round, std::uint32_t count) {
        chain_map power = carried(round);
        chain_map all{round.first, std::vector<chain_row>(round.rows.size()), {}};
        for (std::uint32_t left = count - 1; left > 0 && !went_too_far();) {
            if (left % 2 == 1) append(all, power);
            left /= 2;
            if (left > 0) append(power, chain_map(power));
        }
        append(all, round);
        return all;
    }

    [[nodiscard]] static chain_map carried(const chain_map& round) {
        chain_map kept{round.first, std::vector<chain_row>(round.rows.size()), round.longest};
        const auto keep = [&](const chain_row& row) {
            for (const chain_term& t : row) {
                if (!round.has(t.source)) continue;
                chain_row& place = kept.rows[t.source - round.first];
                if (place.empty()) place = round.rows[t.source - round.first];
            }
        };
        for (const chain_row& row : round.rows) keep(row);
        keep(round.longest);
        return kept;
    }

    std::span<const instruction> stream_;
    const unit_latencies& latencies_;
    std::size_t work_ = 0;
};

}  // namespace detail::kernel

/// The longest chain of dependent instructions of a stream. `latency_of(unit_kind)` gives the cycles from the issue of an
/// instruction to its result, 0 for what is not to count. A store and an asynchronous copy end a chain, and count as
/// a load of their unit does. The counts are exact, and so are the cycles of latencies that are whole numbers.
/// \errors those of `check_stream`; `negative`, `overflow` of the field "latency" for a latency that is out of range;
///         limit_reached  more than 2^53 executed instructions, or more work than `max_chain_work`
template <class Latency>
[[nodiscard]] result<dependent_chain> longest_chain(std::span<const instruction> stream,
                                                    const Latency& latency_of) {
    const auto mix = mix_of(stream);
    if (!mix) return mix.error();
    if (mix->executed() > 0x1p53) return stream_error(errc::limit_reached);
    detail::kernel::unit_latencies latencies{};
    for (std::size_t u = 0; u < executing_units; ++u) {
        latencies[u] = latency_of(static_cast<unit_kind>(u));
        if (const auto bad = core::check_input(latencies[u], "latency", core::zero::allowed)) {
            return bad;
        }
    }
    detail::kernel::chain_finder finder(stream, latencies);
    const auto longest = finder.find();
    if (finder.went_too_far()) return stream_error(errc::limit_reached);
    dependent_chain chain{.cycles = longest.cycles, .insts = longest.insts};
    auto count = [&](const instruction& i, std::size_t, double times) {
        chain.executed_insts += times;
        chain.all_cycles += times * latencies[static_cast<std::size_t>(i.unit)];
    };
    for_each_entry(stream, 0, stream.size(), 1, count);
    return chain;
}

/// The chain with the maximum of instructions: each counts as a cycle.
[[nodiscard]] inline result<dependent_chain> longest_chain(std::span<const instruction> stream) {
    return longest_chain(stream, [](unit_kind) { return 1.0; });
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
