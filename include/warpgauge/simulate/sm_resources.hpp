// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_RESOURCES_HPP
#define WARPGAUGE_SIMULATE_SM_RESOURCES_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/decoded_stream.hpp>
#include <warpgauge/simulate/execution_units.hpp>
#include <warpgauge/simulate/sm_estimate.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/simulate/warp_chooser.hpp>
#include <warpgauge/simulate/warp_set.hpp>

/// \file What the warps of an SM compete for: schedulers, units, and the ways to L2 and DRAM; and from when on each
/// sub-core can have it.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// Of an SM with so many sub-cores. `Memory` and `Chooser` are `memory_ports` and `warp_chooser`, which outlive it.
template <std::size_t SubCores, class Memory, class Chooser>
class sm_resources {
public:
    sm_resources(const sm_parameters& p, Memory& memory, Chooser& chooser)
        : units_(p.lanes), memory_(memory), chooser_(chooser) {
        // One more for the first sub-cores where they are no multiple.
        for (std::size_t s = 0; s < SubCores; ++s) {
            schedulers_[s] =
                (static_cast<std::uint64_t>(p.warp_schedulers) + SubCores - 1 - s) / SubCores;
        }
        for (std::size_t u = 0; u < sm_unit_count; ++u) {
            if (units_.is_divided(u)) divided_ |= bit_of(u);
        }
        for (std::size_t s = 0; s < SubCores; ++s) {
            for (std::size_t r = 0; r < resource_count; ++r) {
                users_[at(s, r)] = is_divided(r) ? warps_of<SubCores>(s) : ~std::uint64_t{0};
            }
        }
    }

    /// The schedulers of a sub-core.
    [[nodiscard]] std::uint64_t schedulers(std::size_t sub_core) const {
        return schedulers_[sub_core];
    }
    /// Whose turn it is. Sub-cores take turns with the load/store units: after one that used them, the next is the first.
    [[nodiscard]] std::size_t first_sub_core() const { return first_sub_core_; }
    /// The units of all sub-cores.
    [[nodiscard]] const execution_units<SubCores>& units() const { return units_; }

    /// Begins cycle `now` for the chooser. Returns the sub-cores of which a warp may be eligible, a bit each. `Words` as there.
    template <std::size_t Words>
    std::uint64_t begin_cycle(std::uint64_t now) {
        if (memory_.due() <= now) {
            memory_.update(now);
            for (const std::size_t r : {l2_resource, memory_resource}) {
                if (const std::uint64_t ready = memory_.ready(r); ready > now) close(r, ready);
            }
        }
        chooser_.template begin_cycle<Words>();
        if (last_ready_ > now) drop_closed<Words>(now);
        return chooser_.template eligible<Words, SubCores>();
    }

    /// Starts an instruction of a sub-core on its resource. Returns the cycle in which its result is there. Inlined: a call
    /// costs the simulation a tenth of its host instructions.
    template <std::size_t Words>
    [[gnu::always_inline]] inline std::uint64_t execute(const decoded_entry& e,
                                                        std::size_t sub_core, std::uint64_t now,
                                                        model_error& failure) {
        if (e.resource < sm_unit_count) [[likely]] {
            return occupy<Words>(e.resource, e.work, now, now + e.wait_cycles, sub_core);
        }
        if (e.resource == no_resource) return now + 1;
        return request<Words>(e, sub_core, now, failure);
    }

    /// Whether a sub-core can have the resource in cycle `now`.
    [[nodiscard]] bool is_ready(std::size_t resource, std::size_t sub_core,
                                std::uint64_t now) const {
        return ready(resource, sub_core) <= now;
    }

    /// When the first sub-core of which a warp waits for the resource can have it.
    [[nodiscard]] std::uint64_t next_ready(std::size_t resource) const {
        if (!is_divided(resource)) return ready(resource, 0);
        std::uint64_t next = ~std::uint64_t{0};
        for (std::size_t s = 0; s < SubCores; ++s) {
            if (!chooser_.any(resource, warps_of<SubCores>(s))) continue;
            next = core::min(next, ready_[at(s, resource)]);
        }
        return next;
    }

    /// When the first resource that a warp waits for can be had, if no warp is eligible in cycle `now`. Counts these warps.
    std::uint64_t wait(waiting_warps& waiting, std::uint64_t now) const {
        std::uint64_t next = ~std::uint64_t{0};
        if (!chooser_.any()) return next;
        for (std::size_t r = 0; r < no_resource; ++r) {
            const std::uint64_t warps = chooser_.count(r);
            if (warps == 0) continue;
            next = core::min(next, next_ready(r));
            if (const std::uint64_t queue = memory_.ready(r); queue > now) {
                waiting.memory_queue += warps;
                next = core::min(next, queue);  // from then on they wait for the unit alone
            } else {
                waiting.unit_busy += warps;
            }
        }
        return next;
    }

    /// Counts work `times` over.
    void count_again(const typename execution_units<SubCores>::work_by_unit& took,
                     std::uint64_t times) {
        units_.count_again(took, times);
    }

    /// Calls `visit(word)` for all that decides who can have what from cycle `now` on, times counted from it, but for the
    /// memory's and the chooser's own.
    template <class Visitor>
    void for_each_word(std::uint64_t now, Visitor& visit) const {
        units_.for_each_word(now, visit);
        visit(first_sub_core_);
        for (std::size_t s = 0; s < SubCores; ++s) {
            for (std::size_t r = 0; r < resource_count; ++r) {
                if (s > 0 && !is_divided(r)) continue;
                const std::uint64_t from = ready(r, s);
                visit(from > now ? from - now : 0);
            }
        }
    }
    /// As the words were, `next()` after `next()`, but from cycle `now` on.
    template <class Reader>
    void read_words(std::uint64_t now, Reader& next) {
        units_.read_words(now, next);
        first_sub_core_ = static_cast<std::size_t>(next());
        closed_ = last_ready_ = 0;
        for (std::size_t s = 0; s < SubCores; ++s) {
            for (std::size_t r = 0; r < resource_count; ++r) {
                if (s > 0 && !is_divided(r)) continue;
                ready_[at(s, r)] = 0;
                if (const std::uint64_t left = next(); left > 0) close(at(s, r), now + left);
            }
        }
    }

private:
    // Each sub-core has so many places for resources.
    static constexpr std::size_t places = 16;
    static_assert(resource_count <= places && places * SubCores <= 64);
    static constexpr std::size_t at(std::size_t sub_core, std::size_t resource) {
        return places * sub_core + resource;
    }

    [[nodiscard]] bool is_divided(std::size_t resource) const {
        return SubCores > 1 && (divided_ & bit_of(resource)) != 0;
    }

    // When a sub-core can have a resource. L2 and global memory take a load/store unit and a place in their queues.
    [[nodiscard]] std::uint64_t ready(std::size_t resource, std::size_t sub_core) const {
        if (has_queue(resource)) {
            return core::max(ready_[index_of(sm_unit::load_store)], memory_.ready(resource));
        }
        return ready_[at(is_divided(resource) ? sub_core : 0, resource)];
    }

    // As `execute`, of an instruction that sends a request.
    template <std::size_t Words>
    std::uint64_t request(const decoded_entry& e, std::size_t sub_core, std::uint64_t now,
                          model_error& failure) {
        const std::uint64_t answered = memory_.request(e, now, failure);
        const std::uint64_t completes =
            occupy<Words>(index_of(sm_unit::load_store), e.work, now, answered, sub_core);
        for (const std::size_t r : {l2_resource, memory_resource}) {
            const std::uint64_t ready = memory_.ready(r);
            if (ready <= now) continue;
            close(r, ready);
            chooser_.template drop<Words>(r);
        }
        return completes;
    }

    // Warps that need a unit that is busy from now on cannot issue any more in this cycle.
    template <std::size_t Words>
    [[gnu::always_inline]] inline std::uint64_t occupy(std::size_t unit, std::uint64_t work,
                                                       std::uint64_t now, std::uint64_t completes,
                                                       std::size_t sub_core) {
        if (SubCores > 1 && unit == index_of(sm_unit::load_store)) {
            first_sub_core_ = (sub_core + 1) % SubCores;
        }
        std::uint64_t ready = 0;
        const std::uint64_t finished = units_.occupy(unit, work, now, completes, sub_core, ready);
        if (ready > 0) {
            const std::size_t place = at(units_.owner_of(unit, sub_core), unit);
            close(place, ready);
            drop<Words>(place);
        }
        return finished;
    }

    // Nobody can have the resource at a place before cycle `ready`, which is to come.
    void close(std::size_t place, std::uint64_t ready) {
        ready_[place] = ready;
        last_ready_ = core::max(last_ready_, ready);
        closed_ |= bit_of(place);
    }
    // Warps that wait for the resource at a place cannot issue in this cycle.
    template <std::size_t Words>
    void drop(std::size_t place) {
        const std::size_t resource = place % places;
        chooser_.template drop<Words>(resource, users_[place]);
        if (resource == index_of(sm_unit::load_store)) {
            chooser_.template drop<Words>(l2_resource);
            chooser_.template drop<Words>(memory_resource);
        }
    }
    template <std::size_t Words>
    void drop_closed(std::uint64_t now) {
        for (std::uint64_t rest = closed_; rest != 0; rest &= rest - 1) {
            const std::size_t place = first_warp(0, rest);
            if (ready_[place] > now) {
                drop<Words>(place);
            } else {
                closed_ &= ~bit_of(place);
            }
        }
    }

    std::array<std::uint64_t, SubCores> schedulers_{};
    execution_units<SubCores> units_;
    // By place. Of resources that are not divided, the first sub-core's.
    std::uint64_t ready_[places * SubCores]{};
    std::uint64_t users_[places * SubCores]{};  // warps in each word of a set
    std::uint64_t closed_ = 0;                  // places that were not ready, a bit each
    std::uint64_t last_ready_ = 0;              // from then on all are
    std::uint64_t divided_ = 0;                 // resources, a bit each
    std::size_t first_sub_core_ = 0;
    Memory& memory_;
    Chooser& chooser_;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
