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
#include <warpgauge/simulate/result_slots.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>

/// \file A checked stream as one SM executes it: what an instruction occupies and waits for, worked out once
/// and not at every issue.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

// Resources that an instruction waits for: a unit, as `sm_unit`; a load/store unit and a place in the memory
// queue; none.
inline constexpr std::size_t memory_resource = sm_unit_count;
inline constexpr std::size_t no_resource = sm_unit_count + 1;
inline constexpr std::size_t resource_count = sm_unit_count + 2;

/// One entry of a stream, for one SM. Heads of loops have none of it.
struct decoded_entry {
    std::uint64_t work{};         ///< threads, times the passes of an access in several parts
    double dram_bytes{};          ///< B that go through the memory queue
    std::uint32_t wait_cycles{};  ///< from its issue until its result, on an idle unit
    std::uint32_t result{};       ///< the slot that it writes
    std::array<std::uint32_t, 3> needs{};  ///< the slots that it reads
    std::uint8_t resource{};
    bool is_barrier{};
    bool waits_for_all{};  ///< results of its warp
    bool is_far{};         ///< its result comes from DRAM or L2
};

/// What a warp does from its first instruction to its last.
struct warp_work {
    double instructions{};
    double dram_bytes{};
    std::array<double, sm_unit_count> work{};  ///< by unit, in threads
};

template <class Used = core::when_used>
class decoded_stream {
public:
    /// Anew for `stream` on an SM `p`.
    void assign(std::span<const instruction> stream, const result_slots<Used>& slots,
                const sm_parameters& p) {
        entries_.assign(stream.size(), {});
        min_request_bytes_ = 65'536;
        for (std::size_t at = 0; at < stream.size(); ++at) {
            if (stream[at].unit == unit_kind::loop) continue;
            decoded_entry& e = entries_[at];
            e = decoded(stream[at], p);
            e.result = slots.entries()[at].result;
            e.needs = slots.entries()[at].needs;
            if (e.resource == memory_resource) {
                min_request_bytes_ = core::min(min_request_bytes_, e.dram_bytes);
            }
        }
        per_warp_ = {};
        const auto count = [&](const instruction&, std::size_t at, double times) {
            const decoded_entry& e = entries_[at];
            per_warp_.instructions += times;
            per_warp_.dram_bytes += times * e.dram_bytes;
            if (e.resource == no_resource) return;
            const std::size_t unit =
                e.resource == memory_resource ? index_of(sm_unit::load_store) : e.resource;
            per_warp_.work[unit] += times * static_cast<double>(e.work);
        };
        for_each_entry(stream, 0, stream.size(), 1, count);
    }

    [[nodiscard]] std::span<const decoded_entry> entries() const { return entries_; }
    /// B of the smallest request to DRAM.
    [[nodiscard]] double min_request_bytes() const { return min_request_bytes_; }
    /// What one warp does.
    [[nodiscard]] const warp_work& per_warp() const { return per_warp_; }

private:
    static decoded_entry decoded(const instruction& i, const sm_parameters& p) {
        decoded_entry e;
        e.is_barrier = i.unit == unit_kind::barrier;
        e.waits_for_all = e.is_barrier && p.barriers_wait_for_results;
        e.is_far = i.unit == unit_kind::global_memory || i.unit == unit_kind::l2_cache;
        const std::size_t unit = unit_of(i.unit, p);
        e.resource = static_cast<std::uint8_t>(unit == sm_unit_count ? no_resource : unit);
        e.wait_cycles = 1;
        if (unit == sm_unit_count) return e;
        const double parts =
            uses_load_store_units(i.unit) && i.transactions > 1 ? i.transactions : 1;
        e.work = static_cast<std::uint64_t>(p.warp_size * parts);
        if (is_memory(i)) {
            e.resource = static_cast<std::uint8_t>(memory_resource);
            e.dram_bytes = bytes_of(i, p);
        } else {
            const double later = (parts - 1) * p.warp_size / p.lanes[unit];
            e.wait_cycles = static_cast<std::uint32_t>(core::ceil(latency_of(i.unit, p) + later));
        }
        return e;
    }

    std::vector<decoded_entry> entries_;
    double min_request_bytes_ = 0;
    warp_work per_warp_{};
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
