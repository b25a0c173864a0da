// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_DECODED_STREAM_HPP
#define WARPGAUGE_SIMULATE_DECODED_STREAM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/simulate/awaited_results.hpp>
#include <warpgauge/simulate/execution_units.hpp>
#include <warpgauge/simulate/result_slots.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>

/// \file A checked stream as one SM executes it: what an instruction occupies and waits for, worked out once
/// and not at every issue.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

// Resources that an instruction waits for: a unit, as `sm_unit`; a load/store unit and a place in the queue to L2, or
// in those to L2 and DRAM; none.
inline constexpr std::size_t l2_resource = sm_unit_count;
inline constexpr std::size_t memory_resource = sm_unit_count + 1;
inline constexpr std::size_t no_resource = sm_unit_count + 2;
inline constexpr std::size_t resource_count = sm_unit_count + 3;

/// Whether a resource has a queue to a memory that all SMs share.
constexpr bool has_queue(std::size_t resource) {
    return resource == l2_resource || resource == memory_resource;
}

/// The unit of a resource that is not `no_resource`.
constexpr std::size_t unit_of_resource(std::size_t resource) {
    return has_queue(resource) ? index_of(sm_unit::load_store) : resource;
}

/// One entry of a stream, for one SM. Heads of loops have none of it.
struct decoded_entry {
    double l2_bytes{};      ///< B that go through the queue to L2
    double dram_bytes{};    ///< B that go through the queue to DRAM
    std::uint64_t ticks{};  ///< of its unit, which it works for it
    /// Twice the cycles from its issue until its result, on an idle unit; 1 more if that comes from L2 or DRAM.
    std::uint64_t latency{};
    std::uint32_t result{};                ///< the slot that it writes
    std::array<std::uint32_t, 3> needs{};  ///< the slots that it waits for
    float own_latency_cycles{};  ///< of its request, where it is not that of its queue; else 0
    /// If a turn begins with this entry, the latency until the last result of those that issue in it, as `latency`.
    std::uint32_t turn_latency{};
    /// The cycles from its turn until the next, if this entry begins it and all of `issues` issue in it; 0: see what the next
    /// entry waits for.
    std::uint16_t rest{};
    /// If a turn begins with this entry, how many issue in it, 1 or 2: plain ones, the second of which only waits for its unit,
    /// and behind them one that cannot issue in the same turn. 0: to be found out one by one.
    std::uint8_t issues{};
    std::uint8_t resource{};
    awaited waits_for{};
    /// If a turn begins with this entry, the next one does with an entry that needs another resource.
    bool changes_need{};
    bool is_plain : 1 {};        ///< simple and straight
    bool is_head : 1 {};         ///< of a loop
    bool is_barrier : 1 {};      ///< its warp waits for others
    bool is_left_behind : 1 {};  ///< a store, for which its warp's end does not wait
    bool is_async : 1 {};      ///< an asynchronous copy or product, or what closes a group of them
    bool closes_group : 1 {};  ///< of asynchronous copies or products
    bool of_products : 1 {};   ///< not of copies
    /// A product, of which all tensor cores of the SM make a part; no resource holds it up.
    bool is_spread : 1 {};
    /// Its result is there after `latency` whatever its unit has started before, and before that no queue answers it.
    bool is_prompt : 1 {};
    /// Prompt, takes a unit alone whose ticks are common to all, and is no store and no asynchronous copy.
    bool is_simple : 1 {};
    bool is_long : 1 {};  ///< its unit works for it for more than a cycle
    /// Its unit works for it for a cycle, and is never left with a part of one.
    bool fills_cycle : 1 {};
    /// No barrier, and the next entry is what follows in the stream, whatever loops are around.
    bool is_straight : 1 {};

    [[nodiscard]] constexpr std::uint64_t wait_cycles() const { return latency >> 1; }
    [[nodiscard]] constexpr bool is_far() const { return (latency & 1) != 0; }
};

/// What a warp does from its first instruction to its last.
struct warp_work {
    double instructions{};
    double l2_bytes{};
    double dram_bytes{};
    work_by_unit work{};  ///< by unit, in parts of threads
};

template <class Used = core::when_used>
class decoded_stream {
public:
    /// Anew for `stream` on an SM `p`.
    void assign(std::span<const instruction> stream, const result_slots<Used>& slots,
                const sm_parameters& p) {
        entries_.assign(stream.size(), {});
        min_request_bytes_ = 65'536;
        whole_bytes_ = true;
        const unit_ticks ticks = ticks_of(p.lanes, static_cast<std::size_t>(p.sub_cores));
        for (std::size_t at = 0; at < stream.size(); ++at) {
            decoded_entry& e = entries_[at];
            e.is_head = stream[at].unit == unit_kind::loop;
            if (e.is_head) continue;
            e = decoded(stream[at], p, level_of(at, p), ticks);
            e.result = slots.entries()[at].result;
            e.needs = slots.entries()[at].needs;
            e.is_left_behind = uses_load_store_units(stream[at].unit) && !p.ends_wait_for_stores &&
                               e.result == result_slots<Used>::unread;
            for (const double bytes : {e.l2_bytes, e.dram_bytes}) {
                if (bytes > 0) min_request_bytes_ = core::min(min_request_bytes_, bytes);
                whole_bytes_ = whole_bytes_ && core::floor(bytes) == bytes;
            }
        }
        find_straight(stream);
        find_plain(ticks);
        awaited_.find(slots, entries_);
        for (decoded_entry& e : entries_) {
            if (e.is_barrier && p.barriers_wait_for_results) e.waits_for = awaited::all_of_warp;
        }
        find_turns(p.issues_per_scheduler);
        per_warp_ = {};
        const auto count = [&](const instruction&, std::size_t at, double times) {
            const decoded_entry& e = entries_[at];
            per_warp_.instructions += times;
            per_warp_.l2_bytes += times * e.l2_bytes;
            per_warp_.dram_bytes += times * e.dram_bytes;
            if (e.resource == no_resource && !e.is_spread) return;
            const std::size_t unit = unit_of(e);
            const std::uint64_t parts = e.ticks / ticks.of_part[unit];
            per_warp_.work[unit] += static_cast<std::uint64_t>(times) * parts;
        };
        for_each_entry(stream, 0, stream.size(), 1, count);
    }

    [[nodiscard]] std::span<const decoded_entry> entries() const { return entries_; }
    /// B of the smallest request to L2 or DRAM.
    [[nodiscard]] double min_request_bytes() const { return min_request_bytes_; }
    /// Whether all requests are of whole bytes, so that sums of them are exact.
    [[nodiscard]] bool whole_bytes() const { return whole_bytes_; }
    /// What one warp does.
    [[nodiscard]] const warp_work& per_warp() const { return per_warp_; }

private:
    static constexpr std::uint64_t max_rest = 1000;  // warps that sleep for long take more to wake

    static std::size_t unit_of(const decoded_entry& e) {
        return e.is_spread ? index_of(sm_unit::tensor) : unit_of_resource(e.resource);
    }

    // All entries but barriers, the last one, and those before a loop and at the end of one.
    void find_straight(std::span<const instruction> stream) {
        for (decoded_entry& e : entries_) e.is_straight = !e.is_barrier;
        if (!entries_.empty()) entries_.back().is_straight = false;
        for (std::size_t at = 0; at < stream.size(); ++at) {
            if (stream[at].unit != unit_kind::loop) continue;
            if (at > 0) entries_[at - 1].is_straight = false;
            entries_[at + stream[at].loop_length].is_straight = false;
        }
    }
    void find_plain(const unit_ticks& ticks) {
        bool in_parts[sm_unit_count]{};
        for (const decoded_entry& e : entries_) {
            if (e.is_head || (e.resource == no_resource && !e.is_spread)) continue;
            const std::size_t unit = unit_of(e);
            if (ticks.of_cycle[unit] == 0) continue;
            const bool is_whole = !e.is_spread && e.ticks % ticks.of_cycle[unit] == 0;
            in_parts[unit] = in_parts[unit] || !is_whole;
        }
        for (decoded_entry& e : entries_) {
            if (e.is_head || e.resource >= sm_unit_count) continue;
            e.fills_cycle = e.ticks == ticks.of_cycle[e.resource] && !in_parts[e.resource];
            e.is_simple = ticks.are_common && e.is_prompt && !e.is_async && !e.is_left_behind;
            e.is_plain = e.is_simple && e.is_straight;
        }
    }

    void find_turns(double issues_per_scheduler) {
        for (std::size_t at = 0; at < entries_.size(); ++at) {
            decoded_entry& e = entries_[at];
            if (!e.is_plain || issues_per_scheduler > 2) continue;  // a plain one is not the last
            const decoded_entry& second = entries_[at + 1];
            std::uint64_t latency = e.latency;
            if (issues_per_scheduler == 1 || needs_result_of(second, e)) {
                e.issues = 1;
                e.rest = rest_before(second, e, e);
            } else if (second.is_plain && second.waits_for == awaited::none) {
                e.issues = 2;
                e.rest = rest_before(entries_[at + 2], e, second);
                latency = core::max(latency, second.latency);
            }
            e.changes_need =
                entries_[at + core::max(e.issues, std::uint8_t{1})].resource != e.resource;
            e.turn_latency = static_cast<std::uint32_t>(latency);
            if (e.turn_latency != latency) e.issues = 0;
        }
    }
    static bool needs_result_of(const decoded_entry& next, const decoded_entry& e) {
        for (const std::uint32_t need : next.needs) {
            if (need == e.result) return true;
        }
        return false;
    }
    // The cycles from a turn of entries until the next one can issue, if it waits for nothing else.
    static std::uint16_t rest_before(const decoded_entry& next, const decoded_entry& first,
                                     const decoded_entry& last) {
        if (next.waits_for == awaited::none) return 1;
        if (next.waits_for != awaited::one) return 0;
        // The last that writes the slot.
        const decoded_entry& e = needs_result_of(next, last) ? last : first;
        const bool is_short = !e.is_far() && e.wait_cycles() <= max_rest;
        return needs_result_of(next, e) && is_short ? static_cast<std::uint16_t>(e.wait_cycles())
                                                    : std::uint16_t{0};
    }

    static decoded_entry decoded(const instruction& i, const sm_parameters& p,
                                 const entry_level& level, const unit_ticks& ticks) {
        decoded_entry e;
        e.is_barrier = i.unit == unit_kind::barrier;
        e.is_async = is_async_copy(i) || is_async_product(i) || closes_group(i);
        e.closes_group = closes_group(i);
        e.of_products = concerns_products(i);
        const bool far = i.unit == unit_kind::l2_cache || (is_memory(i) && level.beyond_l1 > 0);
        const std::size_t unit = simulate::unit_of(i, p);
        e.resource = static_cast<std::uint8_t>(unit == sm_unit_count ? no_resource : unit);
        e.latency = 2 | static_cast<std::uint64_t>(far);
        e.is_prompt = unit == sm_unit_count;
        if (unit == sm_unit_count) return e;
        e.ticks = static_cast<std::uint64_t>(unit_work(i, unit, p)) * ticks.of_part[unit];
        if (i.async == async_step::block_product) return spread(i, p, e);
        e.is_long = e.ticks > ticks.of_cycle[unit];
        e.l2_bytes = l2_bytes_of(i, p, level);
        e.dram_bytes = dram_bytes_of(i, p, level);
        if (e.dram_bytes > 0) {
            e.resource = static_cast<std::uint8_t>(memory_resource);
        } else if (e.l2_bytes > 0) {
            e.resource = static_cast<std::uint8_t>(l2_resource);
        } else {
            const auto wait = static_cast<std::uint64_t>(
                core::ceil(latency_of(i, p, level) + later_cycles(i, unit, p)));
            e.latency = 2 * wait + (e.latency & 1);
            // When it starts, its unit has less than a cycle's ticks to work.
            const std::uint64_t cycle = ticks.of_cycle[unit];
            e.is_prompt = cycle + e.ticks <= wait * cycle + 1;
        }
        const double own = is_memory(i) ? level.latency_cycles / p.dram_latency_cycles : 1;
        const bool alike = own > 1 - 1e-9 && own < 1 + 1e-9;
        if (has_queue(e.resource) && !alike) {
            e.own_latency_cycles = static_cast<float>(level.latency_cycles);
        }
        return e;
    }

    // As `e`, of a warp's part of a product of its block.
    static decoded_entry spread(const instruction& i, const sm_parameters& p, decoded_entry e) {
        e.is_spread = true;
        e.resource = static_cast<std::uint8_t>(no_resource);
        e.latency = 2 * static_cast<std::uint64_t>(core::ceil(block_product_cycles(i, p)));
        return e;
    }

    std::vector<decoded_entry> entries_;
    awaited_results<Used> awaited_;
    double min_request_bytes_ = 0;
    bool whole_bytes_ = true;
    warp_work per_warp_{};
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
