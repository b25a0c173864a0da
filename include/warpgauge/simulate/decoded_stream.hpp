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

/// The results that an instruction waits for.
enum class awaited : std::uint8_t { none, needed, all_of_warp };

/// One entry of a stream, for one SM. Heads of loops have none of it.
struct decoded_entry {
    std::uint64_t work{};  ///< of its unit, in parts of threads
    double l2_bytes{};     ///< B that go through the queue to L2
    double dram_bytes{};   ///< B that go through the queue to DRAM
    /// Twice the cycles from its issue until its result, on an idle unit; 1 more if that comes from L2 or DRAM.
    std::uint64_t latency{};
    std::uint64_t latent_work{};           ///< parts of threads that its unit works off until then
    std::uint32_t result{};                ///< the slot that it writes
    std::array<std::uint32_t, 3> needs{};  ///< the slots that it reads
    float own_latency_cycles{};  ///< of its request, where it is not that of its queue; else 0
    std::uint8_t resource{};
    bool is_barrier{};
    awaited waits_for{};
    bool is_left_behind{};  ///< a store, for which its warp's end does not wait
    bool is_async{};        ///< an asynchronous copy or product, or what closes a group of them
    bool closes_group{};    ///< of asynchronous copies or products
    bool of_products{};     ///< not of copies
    bool
        is_spread{};  ///< a product, of which all tensor cores of the SM make a part; no resource holds it up
    bool is_plain{};  ///< straight, takes a unit alone, and is no store and no asynchronous copy
    /// No barrier, and the next entry is what follows in the stream, whatever loops are around.
    bool is_straight{};

    [[nodiscard]] constexpr std::uint64_t wait_cycles() const { return latency >> 1; }
    [[nodiscard]] constexpr bool is_far() const { return (latency & 1) != 0; }
};

/// What a warp does from its first instruction to its last.
struct warp_work {
    double instructions{};
    double l2_bytes{};
    double dram_bytes{};
    std::array<double, sm_unit_count> work{};  ///< by unit, in parts of threads
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
        for (std::size_t at = 0; at < stream.size(); ++at) {
            if (stream[at].unit == unit_kind::loop) continue;
            decoded_entry& e = entries_[at];
            e = decoded(stream[at], p, level_of(at, p));
            e.result = slots.entries()[at].result;
            e.needs = slots.entries()[at].needs;
            for (const std::uint32_t slot : e.needs) {
                if (slot != result_slots<Used>::always_there) e.waits_for = awaited::needed;
            }
            if (e.is_barrier && p.barriers_wait_for_results) e.waits_for = awaited::all_of_warp;
            e.is_left_behind = uses_load_store_units(stream[at].unit) && !p.ends_wait_for_stores &&
                               e.result == result_slots<Used>::unread;
            for (const double bytes : {e.l2_bytes, e.dram_bytes}) {
                if (bytes > 0) min_request_bytes_ = core::min(min_request_bytes_, bytes);
                whole_bytes_ = whole_bytes_ && core::floor(bytes) == bytes;
            }
        }
        find_straight(stream);
        per_warp_ = {};
        const auto count = [&](const instruction&, std::size_t at, double times) {
            const decoded_entry& e = entries_[at];
            per_warp_.instructions += times;
            per_warp_.l2_bytes += times * e.l2_bytes;
            per_warp_.dram_bytes += times * e.dram_bytes;
            if (e.resource == no_resource && !e.is_spread) return;
            const std::size_t unit =
                e.is_spread ? index_of(sm_unit::tensor) : unit_of_resource(e.resource);
            per_warp_.work[unit] += times * static_cast<double>(e.work);
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
    // All entries but barriers, the last one, and those before a loop and at the end of one.
    void find_straight(std::span<const instruction> stream) {
        for (decoded_entry& e : entries_) e.is_straight = !e.is_barrier;
        if (!entries_.empty()) entries_.back().is_straight = false;
        for (std::size_t at = 0; at < stream.size(); ++at) {
            if (stream[at].unit != unit_kind::loop) continue;
            if (at > 0) entries_[at - 1].is_straight = false;
            entries_[at + stream[at].loop_length].is_straight = false;
        }
        for (decoded_entry& e : entries_) {
            e.is_plain =
                e.is_straight && e.resource < sm_unit_count && !e.is_async && !e.is_left_behind;
        }
    }

    static decoded_entry decoded(const instruction& i, const sm_parameters& p,
                                 const entry_level& level) {
        decoded_entry e;
        e.is_barrier = i.unit == unit_kind::barrier;
        e.is_async = is_async_copy(i) || is_async_product(i) || closes_group(i);
        e.closes_group = closes_group(i);
        e.of_products = concerns_products(i);
        const bool far = i.unit == unit_kind::l2_cache || (is_memory(i) && level.beyond_l1 > 0);
        const std::size_t unit = unit_of(i, p);
        e.resource = static_cast<std::uint8_t>(unit == sm_unit_count ? no_resource : unit);
        e.latency = 2 | static_cast<std::uint64_t>(far);
        if (unit == sm_unit_count) return e;
        e.work = static_cast<std::uint64_t>(unit_work(i, unit, p));
        if (i.async == async_step::block_product) return spread(i, p, e);
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
            e.latent_work =
                wait * parts_per_cycle(unit, p.lanes[unit], static_cast<std::size_t>(p.sub_cores));
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
    double min_request_bytes_ = 0;
    bool whole_bytes_ = true;
    warp_work per_warp_{};
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
