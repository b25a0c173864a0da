// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_ACCESS_COST_HPP
#define WARPGAUGE_PTX_RUN_ACCESS_COST_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/access_unit.hpp>
#include <warpgauge/ptx/run/block_pieces.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/unknown_base.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file What a memory access of a warp costs, and the unit that serves it.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::address_space, ptx::link::step;
using ptx::run::executed;
using warpgauge::detail::sm::byte_runs;

/// B that a lane of a copy reads of its source, of which the row `part` says how much: all if that is not known.
[[nodiscard]] inline std::uint32_t bytes_read(const step& s, const row_values& part,
                                              std::size_t lane) {
    if (!has_lane(part.known, lane)) return s.lane_bytes;
    const std::uint64_t says = part.lanes[lane];
    if (s.from.bits == 1) return ((says ^ s.negated_sources) & 1U) != 0 ? 0 : s.lane_bytes;
    const auto bytes = static_cast<std::uint32_t>(says);
    return bytes < s.lane_bytes ? bytes : s.lane_bytes;
}

/// Counts a copy of many bytes of global memory as a few runs of them, since it would be any number of accesses of lanes;
/// `e.runs` views `runs`. The accesses made.
template <class Observe>
std::uint64_t count_large(std::uint64_t from, std::uint64_t bytes, warp_access& a, executed& e,
                          byte_runs& runs, const Observe& observe) {
    std::uint64_t made = 0;
    const std::uint64_t end = from + bytes;
    a.active = 0;
    a.bytes = 32;
    runs.count = 1;
    for (; from < end; ++made) {
        const std::uint64_t next = (from / large_piece_bytes + 1) * large_piece_bytes;
        runs.of[0] = {from, next < end ? next : end};
        e.transactions = e.min_transactions = runs.pieces(32);
        e.bytes_moved = e.transactions * 32;
        e.coalesced = true;
        e.unknown_sectors = e.unknown_address ? e.transactions : 0;
        e.runs = e.unknown_address ? nullptr : &runs;
        observe();
        from = runs.of[0].end;
    }
    e.runs = nullptr;
    e.unknown_sectors = 0;
    return made;
}

template <class Used = core::when_used>
class access_cost {
public:
    access_cost(std::uint32_t address_bits, compute_capability cc)
        : unit_(address_bits), coalescing_(coalescing_rule_of(cc)), banks_(bank_rule_of(cc)) {}

    /// What serves accesses through generic addresses.
    [[nodiscard]] const access_unit& units() const { return unit_; }

    /// Counts the access of a step by its active lanes, at the addresses that its base gives; of generic ones, those of lanes
    /// in one memory. `e.access` views `a`, `e.based` and `e.runs` this object.
    void count(const step& s, const row_values& base, std::uint32_t active, warp_access& a,
               executed& e) {
        based_.active = 0;
        if (s.address_lanes < warp_lanes) active &= (1U << s.address_lanes) - 1;
        if (s.in_rows) return count_rows(s, base, active, a, e);
        if (s.space == address_space::shared && (active & ~base.known) == 0 && active != 0 &&
            e.unit == unit_kind::shared_memory && !s.hides_addresses) {
            return count_known_shared(s, base, active, a, e);
        }
        const std::uint32_t in_text = s.hides_addresses ? 0 : base.known;
        a.active = active & in_text;
        place_lanes(s, base, a);
        std::uint32_t unknown = active & ~in_text;
        if (unknown != 0) unknown = place_based(s, base, unknown, e);
        e.unknown_address = unknown != 0;
        const warp_access& first = a.active != 0 ? a : based_;
        if (first.active != 0) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(first.active));
            e.alignment = static_cast<std::uint32_t>(first.addresses[lane] % 128);
        }
        if (s.space == address_space::generic && active != 0) {
            e.unit = unit_.of_lane(s, base, static_cast<std::size_t>(std::countr_zero(active)));
        }
        if (e.unit == unit_kind::global_memory) {
            e.access = &a;
            if (s.is_atomic && a.active != 0) e.turns = lanes_on_one_address(a);
            if (unknown == 0 && based_.active == 0 && count_runs(a, e)) return;
            count_global(a, unknown, e);
            if (s.hides_addresses) take_side_by_side(e);
            return;
        }
        if (e.unit == unit_kind::shared_memory) return count_shared(s, a, e);
        count_cached(s, a, e);
    }

    /// The lanes of a copy, of which the row `part` says how much it reads, that read nothing.
    static std::uint32_t idle_lanes(const step& s, const row_values& part, std::uint32_t active) {
        std::uint32_t idle = 0;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if (has_lane(active, l) && bytes_read(s, part, l) == 0) idle |= 1U << l;
        }
        return idle;
    }

    /// Counts the access of such a copy, of which `e.idle` is known. The lanes that read are taken to read as much as the one
    /// that reads most: the sectors are the same, since a copy begins at a multiple of its size.
    void count_part(const step& s, const row_values& base, const row_values& part,
                    std::uint32_t active, warp_access& a, executed& e) {
        e.unknown_size = (active & ~part.known) != 0;
        if (e.idle == active) return;
        step read = s;
        read.lane_bytes = 1;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            const std::uint32_t bytes = has_lane(active, l) ? bytes_read(s, part, l) : 0;
            if (bytes > read.lane_bytes) read.lane_bytes = static_cast<std::uint8_t>(bytes);
        }
        count(read, base, active & ~e.idle, a, e);
    }

    /// Counts an access of global memory of lanes whose addresses are known.
    static void count_known(const warp_access& a, coalescing_rule rule, executed& e) {
        const auto t = coalesce(a, rule);
        if (!t) return;
        e.transactions = t->transactions;
        e.bytes_moved = t->bytes_moved;
        e.coalesced = t->coalesced();
        e.min_transactions = t->least;
    }

    /// The same of sectors that runs of bytes touch. Those of one run may begin off a boundary.
    static void count_sectors(const byte_runs& runs, executed& e) {
        e.transactions = runs.pieces(32);
        e.bytes_moved = e.transactions * 32;
        e.coalesced = e.transactions <= e.min_transactions + (runs.count == 1 ? 1 : 0);
    }

    /// Counts the copies of the lanes whose sizes are known. The accesses made.
    template <class Observe>
    std::uint64_t count_copies(const step& s, const row_values& from, const row_values& size,
                               std::uint32_t active, warp_access& a, executed& e,
                               const Observe& observe) {
        std::uint64_t accesses = 0;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if (!has_lane(active & size.known, l)) continue;
            accesses += count_copy(s, from.lanes[l], has_lane(from.known, l),
                                   size.lanes[l] & 0xffff'ffff, a, e, observe);
        }
        return accesses;
    }

    /// Counts the copy of `bytes` from or to an address, in accesses that `observe()` sees one after the other. The
    /// accesses made.
    template <class Observe>
    std::uint64_t count_copy(const step& s, std::uint64_t address, bool known, std::uint64_t bytes,
                             warp_access& a, executed& e, Observe observe) {
        based_.active = 0;
        address = unit_.address(s, address);
        if (e.unit != unit_kind::global_memory) {
            e.transactions = static_cast<std::uint32_t>((bytes + 127) / 128);
            e.min_transactions = e.transactions;
            e.coalesced = true;
            if (bytes != 0) observe();
            return bytes != 0 ? 1 : 0;
        }
        e.access = &a;
        e.unknown_address = !known;
        e.alignment = known ? static_cast<std::uint32_t>(address % 128) : 0;
        if (bytes > max_copy_bytes)
            return count_large(known ? address : 0, bytes, a, e, runs_, observe);
        return for_each_piece(known ? address : 0, bytes, a, [&] {
            count_global(a, 0, e);
            e.coalesced = true;
            if (!known) {
                a.active = 0;
                e.unknown_sectors = e.transactions;
            }
            observe();
        });
    }

private:
    // All lanes have the address of the first row; `e.size` is the stride in elements, of `mode` bits.
    void count_rows(const step& s, const row_values& base, std::uint32_t active, warp_access& a,
                    executed& e) const {
        const auto lane = static_cast<std::size_t>(std::countr_zero(active) & 31);
        const bool told = s.size_source == 0 || e.size != 0;
        const bool known = (base.known >> lane & 1U) != 0 && active != 0 && told;
        const std::uint64_t length =
            std::uint64_t{s.lane_bytes} * (s.row_count == 0 ? 1U : s.address_lanes / s.row_count);
        const std::uint64_t stride = s.size_source == 0 || !known ? length : e.size * s.mode / 8;
        place_rows(s, known ? unit_.address(s, base.lanes[lane]) : 0, stride, a);
        e.unknown_address = !known;
        e.alignment = known ? static_cast<std::uint32_t>(a.addresses[0] % 128) : 0;
        if (s.space == address_space::generic && active != 0) e.unit = unit_.of_lane(s, base, lane);
        if (e.unit != unit_kind::global_memory) return count_shared(s, a, e);
        e.access = &a;
        count_global(a, 0, e);
        if (known) return;
        a.active = 0;
        e.unknown_sectors = e.transactions;
    }

    // False if the lanes' bytes make no runs, or are not moved in sectors.
    bool count_runs(const warp_access& a, executed& e) {
        if (coalescing_ != coalescing_rule::sectors || a.bytes == 0 || a.bytes > max_bytes_per_lane)
            return false;
        runs_ = warpgauge::detail::sm::runs_of_bytes(a);
        if (runs_.count == 0) return false;
        e.min_transactions = sectors_side_by_side(a.active, a.bytes);
        e.runs = &runs_;
        count_sectors(runs_, e);
        return true;
    }

    // Texels of neighbouring lanes are taken to be neighbours.
    static void take_side_by_side(executed& e) {
        e.transactions = e.min_transactions;
        e.bytes_moved = e.transactions * 32;
        e.unknown_sectors = e.transactions;
        e.coalesced = true;
    }

    // Gives those of some lanes of unknown address that share a base addresses, far from those of another base; the
    // others are left.
    std::uint32_t place_based(const step& s, const row_values& base, std::uint32_t lanes,
                              executed& e) {
        const std::uint32_t breaks = s.hides_addresses ? ~0U : base.base.breaks;
        std::uint32_t alone = 0;
        based_.bytes = s.lane_bytes;
        for (std::uint32_t left = lanes; left != 0;) {
            const lane_run run = first_run(left, breaks);
            left &= ~run.lanes;
            if (run.lanes == 1U << run.first && (breaks & ~1U) != 0) {
                alone |= run.lanes;
                continue;
            }
            based_.active |= run.lanes;
            const std::uint64_t first = unit_.address(s, base.lanes[run.first]);
            const std::uint64_t place = ((std::uint64_t{run.first} + 1) << 40) - first / 128 * 128;
            for (std::uint32_t l = run.first; l < warp_lanes; ++l) {
                based_.addresses[l] = (run.lanes >> l & 1U) != 0
                                          ? unit_.address(s, base.lanes[l]) + place
                                          : based_.addresses[l];
            }
        }
        if (based_.active != 0) e.based = &based_;
        return alone;
    }

    // The access of all lanes whose address is known, or an offset from a base.
    [[nodiscard]] const warp_access& placed(const warp_access& a, warp_access& both) const {
        if (based_.active == 0) return a;
        both = a;
        both.active = a.active | based_.active;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if ((based_.active >> l & 1U) != 0) both.addresses[l] = based_.addresses[l];
        }
        return both;
    }

    // A lane of unknown address that shares its base with none is taken to need a transaction of its own.
    void count_global(const warp_access& known, std::uint32_t unknown, executed& e) const {
        warp_access both;
        const warp_access& a = placed(known, both);
        count_known(a, coalescing_, e);
        const auto apart = static_cast<std::uint32_t>(std::popcount(unknown));
        if (apart == 0) return;
        e.transactions += apart;
        e.bytes_moved += apart * (coalescing_ == coalescing_rule::lines ? 128 : 32);
        e.coalesced = false;
        e.min_transactions = least_of(a.active | unknown, a.bytes);
    }

    // The transactions of some lanes whose data are side by side.
    [[nodiscard]] std::uint32_t least_of(std::uint32_t lanes, std::uint32_t bytes) const {
        if (coalescing_ == coalescing_rule::sectors && bytes <= max_bytes_per_lane) {
            return sectors_side_by_side(lanes, bytes);
        }
        warp_access a{.active = lanes, .bytes = bytes};
        for (std::size_t l = 0; l < warp_lanes; ++l) a.addresses[l] = l * bytes;
        const auto least = coalesce(a, coalescing_);
        return least ? least->least : 0;
    }
    static std::uint32_t sectors_side_by_side(std::uint32_t lanes, std::uint32_t bytes) {
        return (static_cast<std::uint32_t>(std::popcount(lanes)) * bytes + 31) / 32;
    }

    // Lanes of different bases are taken to have no conflicts with each other.
    void count_shared(const step& s, const warp_access& a, executed& e) const {
        const same_word same = s.is_atomic ? same_word::in_turn : same_word::together;
        const auto passes = bank_passes(a, banks_, same);
        e.transactions = passes && *passes > 0 ? *passes : 1;
        for (std::uint32_t left = based_.active; left != 0;) {
            warp_access run = based_;
            run.active = 0;
            const auto first = static_cast<std::size_t>(std::countr_zero(left));
            for (std::size_t l = first; l < warp_lanes; ++l) {
                const bool same_base = based_.addresses[l] >> 40 == based_.addresses[first] >> 40;
                if ((left >> l & 1U) != 0 && same_base) run.active |= 1U << l;
            }
            left &= ~run.active;
            const auto own = bank_passes(run, banks_, same);
            if (own && *own > e.transactions) e.transactions = *own;
        }
        e.min_transactions = s.lane_bytes <= 4 ? 1 : s.lane_bytes <= 8 ? 2 : 4;
        if (s.address_lanes < warp_lanes) {  // as many bytes as a pass moves at once
            e.min_transactions = (s.address_lanes * std::uint32_t{s.lane_bytes} + 127) / 128;
        }
        if (e.min_transactions > e.transactions) e.min_transactions = e.transactions;
        e.coalesced = e.transactions <= e.min_transactions;
    }

    // Accesses of shared memory by addresses that are a constant apart, as those of a stencil or of an unrolled loop, come
    // close after each other. Where the banks begin anew after that constant, they take the same passes.
    void count_known_shared(const step& s, const row_values& base, std::uint32_t active,
                            warp_access& a, executed& e) {
        const auto first = static_cast<std::size_t>(std::countr_zero(active));
        const std::uint64_t address = unit_.address(s, base.lanes[first]);
        e.alignment = static_cast<std::uint32_t>(address % 128);
        for (const shared_passes& p : passes_) {
            if (p.active != active || !is_alike(p.by, s) || !same_lanes(p.lanes, base.lanes))
                continue;
            e.transactions = p.transactions;
            e.min_transactions = p.min_transactions;
            e.coalesced = p.transactions <= p.min_transactions;
            return;
        }
        place_lanes(s, base, a);
        a.active = active;
        count_shared(s, a, e);
        passes_[next_passes_] = {base.lanes, s, active, e.transactions, e.min_transactions};
        next_passes_ = (next_passes_ + 1) % remembered;
    }

    [[nodiscard]] bool is_alike(const step& p, const step& s) const {
        const std::uint64_t turn = banks_ == bank_rule::wide_32 ? 256 : 4;
        const auto apart =
            static_cast<std::uint64_t>(p.offset) - static_cast<std::uint64_t>(s.offset);
        return p.lane_bytes == s.lane_bytes && p.is_atomic == s.is_atomic &&
               p.address_lanes == s.address_lanes && apart % turn == 0;
    }

    static bool same_lanes(const lane_values& a, const lane_values& b) {
        if (a[0] != b[0] || a[warp_lanes - 1] != b[warp_lanes - 1]) return false;
        std::uint64_t off = 0;
        for (std::size_t l = 0; l < warp_lanes; ++l) off |= a[l] ^ b[l];
        return off == 0;
    }

    void place_lanes(const step& s, const row_values& base, warp_access& a) const {
        a.bytes = s.lane_bytes;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            a.addresses[l] = unit_.address(s, base.lanes[l]);
        }
    }

    // Constants are read word by word; local memory is laid out lane by lane.
    void count_cached(const step& s, const warp_access& known, executed& e) const {
        warp_access both;
        const warp_access& a = placed(known, both);
        const bool words = s.space == address_space::constant && a.active != 0;
        e.transactions = words ? count_pieces(a, 0, warp_lanes, s.lane_bytes) : 1;
        e.min_transactions = 1;
        e.coalesced = e.transactions == 1;
    }

    // What an access of shared memory took.
    struct shared_passes {
        lane_values lanes{};  // of its base
        step by{};
        std::uint32_t active{};  // 0: there was none
        std::uint32_t transactions{}, min_transactions{};
    };
    static constexpr std::uint32_t remembered = 4;

    access_unit unit_;
    coalescing_rule coalescing_;
    bank_rule banks_;
    shared_passes passes_[remembered];
    std::uint32_t next_passes_ = 0;  // that are replaced
    byte_runs runs_;                 // of the last access
    warp_access based_;              // lanes that share an unknown base, of the last access
};

/// Counts the passes in which a copy writes shared memory, at the addresses that `to` gives. A lane that reads less than all
/// of its bytes writes zeros in place of the others. To be called before the copy's access is counted by `cost`.
template <class Used>
void count_written(access_cost<Used>& cost, const step& s, const row_values& to,
                   std::uint32_t active, warp_access& a, executed& e) {
    const step write{.unit = unit_kind::shared_memory,
                     .stores = true,
                     .space = address_space::shared,
                     .lane_bytes = s.lane_bytes,
                     .offset = s.written_offset};
    executed written{.unit = write.unit};
    cost.count(write, to, active, a, written);
    e.written_passes = written.transactions;
    e.unknown_written = written.unknown_address;
    e.based_written = written.based != nullptr;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
