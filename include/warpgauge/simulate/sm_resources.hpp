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

/// Of an SM with so many sub-cores. `Memory` is `memory_ports`, which outlives it.
template <std::size_t SubCores, class Memory>
class sm_resources {
public:
    sm_resources(const sm_parameters& p, Memory& memory) : units_(p.lanes), memory_(memory) {
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
    /// The choice among the warps that wait for them alone.
    [[nodiscard]] warp_chooser<>& chooser() { return chooser_; }
    [[nodiscard]] const warp_chooser<>& chooser() const { return chooser_; }
    /// The units of all sub-cores.
    [[nodiscard]] const execution_units<SubCores>& units() const { return units_; }

    /// Begins cycle `now` for the chooser: `eligible` are the warps that can have their resource. Returns the sub-cores that have
    /// one, a bit each. `Words` as there.
    template <std::size_t Words>
    [[gnu::always_inline]] inline std::uint64_t begin_cycle(eligible_warps<Words>& eligible,
                                                            std::uint64_t now) {
        chooser_.begin_cycle(eligible);
        if (now >= watched_from_) [[unlikely]] {
            if constexpr (Words == 1) {
                eligible = watch(eligible, now);
            } else {
                watch_closed(eligible, now);
            }
        }
        return chooser_.template sub_cores_of<SubCores>(eligible);
    }

    /// Starts an instruction of a sub-core on its resource. Returns how many cycles later its result is there.
    template <std::size_t Words>
    std::uint64_t execute(const decoded_entry& e, std::size_t sub_core,
                          eligible_warps<Words>& eligible, std::uint64_t now,
                          model_error& failure) {
        if (e.is_spread) return spread(e, eligible, now);
        if (e.resource == no_resource) return 1;
        if (has_queue(e.resource)) return request(e, sub_core, eligible, now, failure);
        const std::uint64_t left = occupy(e.resource, e.ticks, sub_core, eligible, now);
        return units_.at_least(e.wait_cycles(), e.resource, left);
    }

    /// A cycle, and the common ticks of units at which it begins and ends.
    struct cycle_ticks {
        std::uint64_t cycle{};
        std::uint64_t begin{};
        std::uint64_t end{};
    };
    [[nodiscard]] cycle_ticks ticks_of_cycle(std::uint64_t now) const {
        const std::uint64_t ticks = units_.common_ticks();
        return {now, now * ticks, now * ticks + ticks};
    }
    /// Starts a plain instruction, which `MayFill` its unit's cycle. Inlined: a call costs the simulation a tenth of its host
    /// instructions.
    template <bool MayFill, std::size_t Words>
    [[gnu::always_inline]] inline void take_unit(const decoded_entry& e, std::size_t sub_core,
                                                 eligible_warps<Words>& eligible,
                                                 const cycle_ticks& now) {
        if (SubCores > 1 && e.resource == index_of(sm_unit::load_store)) {
            first_sub_core_ = (sub_core + 1) % SubCores;
        }
        if (MayFill && e.fills_cycle) {
            units_.fill_cycle(e.resource, now.end, sub_core);
            drop(eligible, at(units_.owner_of(e.resource, sub_core), e.resource), e.resource);
            return;
        }
        const std::uint64_t until = units_.start(e.resource, e.ticks, now.begin, sub_core);
        if (until < now.end) return;
        const std::size_t place = at(units_.owner_of(e.resource, sub_core), e.resource);
        drop(eligible, place, e.resource);
        if (e.is_long)
            close_long(place, now.cycle, until);  // else less than a cycle's work was left
    }
    /// Whether a sub-core can have the unit of a plain instruction in a cycle.
    [[nodiscard]] [[gnu::always_inline]] inline bool is_unit_ready(const decoded_entry& e,
                                                                   std::size_t sub_core,
                                                                   const cycle_ticks& now) const {
        return units_.until(e.resource, sub_core) < now.end;
    }

    /// The same of the resource of any instruction.
    [[nodiscard]] bool is_ready(const decoded_entry& e, std::size_t sub_core,
                                const cycle_ticks& now) const {
        return e.is_simple ? is_unit_ready(e, sub_core, now)
                           : is_ready(e.resource, sub_core, now.cycle);
    }

    /// Whether a sub-core can have the resource in cycle `now`.
    [[nodiscard]] bool is_ready(std::size_t resource, std::size_t sub_core,
                                std::uint64_t now) const {
        if (resource == no_resource) return true;
        return units_.is_ready(unit_of_resource(resource), sub_core, now) &&
               memory_.ready(resource) <= now;
    }

    /// When the first resource that a warp waits for can be had, if no warp is eligible in cycle `now`. Counts these warps.
    template <std::size_t Words>
    std::uint64_t wait(waiting_warps& waiting, std::uint64_t now) const {
        std::uint64_t next = ~std::uint64_t{0};
        if (!chooser_.template any<Words>()) return next;
        for (const std::size_t r : {l2_resource, memory_resource}) {
            const std::uint64_t ready = memory_.ready(r);
            if (ready <= now) continue;  // if any warp waits for it, then for the unit
            const std::uint64_t warps = chooser_.template count<Words>(r);
            if (warps > 0) next = core::min(next, ready);
            waiting.memory_queue += warps;
        }
        for (std::uint64_t rest = closed_ & ~queues; rest != 0; rest &= rest - 1) {
            const std::size_t place = first_warp(0, rest);
            std::uint64_t warps = chooser_.template count<Words>(place % places, users_[place]);
            if (place == index_of(sm_unit::load_store)) warps -= waiting.memory_queue;
            if (warps > 0) next = core::min(next, ready_[place]);
            waiting.unit_busy += warps;
        }
        return next;
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
        closed_ = last_ready_ = due_ = watched_from_ = 0;
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
    static constexpr std::uint64_t queues = bit_of(l2_resource) | bit_of(memory_resource);
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
    std::uint64_t request(const decoded_entry& e, std::size_t sub_core,
                          eligible_warps<Words>& eligible, std::uint64_t now,
                          model_error& failure) {
        const std::uint64_t answered = memory_.request(e, now, failure);
        due_ = memory_.due();
        watched_from_ = core::min(watched_from_, due_);
        constexpr std::size_t unit = index_of(sm_unit::load_store);
        const std::uint64_t left = occupy(unit, e.ticks, sub_core, eligible, now);
        if (due_ != ~std::uint64_t{0}) close_queues(eligible, now);
        return units_.at_least(answered - now, unit, left);
    }

    // Nobody can have the place of a full queue.
    template <std::size_t Words>
    void close_queues(eligible_warps<Words>& eligible, std::uint64_t now) {
        for (const std::size_t r : {l2_resource, memory_resource}) {
            const std::uint64_t ready = memory_.ready(r);
            if (ready <= now) continue;
            close(r, ready);
            chooser_.drop(eligible, r);
        }
    }

    // As `execute`, of a product of which the tensor cores of each sub-core make an equal part, behind what they have to do.
    template <std::size_t Words>
    std::uint64_t spread(const decoded_entry& e, eligible_warps<Words>& eligible,
                         std::uint64_t now) {
        constexpr std::size_t unit = index_of(sm_unit::tensor);
        static_assert(parts_of_thread % SubCores == 0);
        const std::size_t parts = units_.is_divided(unit) ? SubCores : 1;
        std::uint64_t wait = e.wait_cycles();
        for (std::size_t s = 0; s < parts; ++s) {
            const std::uint64_t left = occupy(unit, e.ticks / parts, s, eligible, now);
            wait = units_.at_least(wait, unit, left);
        }
        return wait;
    }

    // Starts `work` ticks on a unit. If it is busy from now on, warps that need it cannot issue any more in this cycle. Returns how
    // many ticks it has to work.
    template <std::size_t Words>
    std::uint64_t occupy(std::size_t unit, std::uint64_t work, std::size_t sub_core,
                         eligible_warps<Words>& eligible, std::uint64_t now) {
        if (SubCores > 1 && unit == index_of(sm_unit::load_store)) {
            first_sub_core_ = (sub_core + 1) % SubCores;
        }
        const std::uint64_t from = now * units_.ticks_of_cycle(unit);
        const std::uint64_t left = units_.start(unit, work, from, sub_core) - from;
        if (const std::uint64_t busy = units_.busy_cycles(unit, left); busy > 0) {
            const std::size_t place = at(units_.owner_of(unit, sub_core), unit);
            if (busy > 1) close(place, now + busy);
            drop(eligible, place, unit);
        }
        return left;
    }

    // Nobody can have the resource at a place before cycle `ready`, which comes after the next one.
    void close(std::size_t place, std::uint64_t ready) {
        ready_[place] = ready;
        last_ready_ = core::max(last_ready_, ready);
        closed_ |= bit_of(place);
        watched_from_ = 0;
    }
    // The same if a unit works until a tick beyond the cycle after `now`. Not inlined: most instructions take no longer.
    [[gnu::noinline]] void close_long(std::size_t place, std::uint64_t now, std::uint64_t until) {
        const std::uint64_t ready = until / units_.common_ticks();
        if (ready > now + 1) close(place, ready);
    }
    // Warps that wait for the resource at a place cannot issue in this cycle.
    template <std::size_t Words>
    void drop(eligible_warps<Words>& eligible, std::size_t place, std::size_t resource) const {
        const std::uint64_t among = SubCores == 1 ? ~std::uint64_t{0} : users_[place];
        chooser_.drop(eligible, resource, among);
    }

    [[gnu::noinline]] eligible_warps<1> watch(eligible_warps<1> eligible, std::uint64_t now) {
        watch_closed(eligible, now);
        return eligible;
    }
    // Begins a cycle in which resources may be closed, or queues may take requests again.
    template <std::size_t Words>
    void watch_closed(eligible_warps<Words>& eligible, std::uint64_t now) {
        if (due_ <= now) {
            memory_.update(now);
            due_ = memory_.due();
            for (const std::size_t r : {l2_resource, memory_resource}) {
                if (const std::uint64_t ready = memory_.ready(r); ready > now) close(r, ready);
            }
        }
        if (last_ready_ <= now) closed_ = 0;
        watched_from_ = closed_ != 0 ? 0 : due_;
        for (std::uint64_t rest = closed_; rest != 0; rest &= rest - 1) {
            const std::size_t place = first_warp(0, rest);
            if (ready_[place] > now) {
                drop(eligible, place, place % places);
            } else {
                closed_ &= ~bit_of(place);
            }
        }
    }

    std::array<std::uint64_t, SubCores> schedulers_{};
    execution_units<SubCores> units_;
    // By place. Of resources that are not divided, the first sub-core's.
    std::uint64_t ready_[places * SubCores]{};  // of those that are closed, and earlier ones
    std::uint64_t users_[places * SubCores]{};  // warps in each word of a set
    std::uint64_t closed_ = 0;                  // places that were not ready, a bit each
    std::uint64_t last_ready_ = 0;              // from then on all are
    std::uint64_t divided_ = 0;                 // resources, a bit each
    std::size_t first_sub_core_ = 0;
    std::uint64_t due_ = 0;           // as the memory's
    std::uint64_t watched_from_ = 0;  // the cycle from which on to look at what is closed and due
    Memory& memory_;
    warp_chooser<> chooser_;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
