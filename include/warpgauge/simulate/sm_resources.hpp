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
        if (memory_.update(now)) update_memory<Words>(now);
        if constexpr (SubCores > 1) {
            return chooser_.template begin_cycle<Words>(ready_, divided_, now);
        }
        chooser_.template begin_cycle<Words>(ready_[0], now);
        return 1;
    }

    /// Starts an instruction of a sub-core on its resource. Returns the cycle in which its result is there. Inlined: a call
    /// costs the simulation a tenth of its host instructions.
    template <std::size_t Words>
    [[gnu::always_inline]] inline std::uint64_t execute(const decoded_entry& e,
                                                        std::size_t sub_core, std::uint64_t now,
                                                        model_error& failure) {
        if (has_queue(e.resource)) {
            const std::uint64_t answered = memory_.request(e, now, failure);
            const std::uint64_t completes = occupy<Words>(index_of(sm_unit::load_store), e.work,
                                                          now, answered, sub_core, failure);
            if (memory_.dram_ready() != 0) update_memory<Words>(now);
            return completes;
        }
        if (e.resource == no_resource) return now + 1;
        return occupy<Words>(e.resource, e.work, now, now + e.wait_cycles, sub_core, failure);
    }

    /// Whether a sub-core can have the resource in cycle `now`.
    [[nodiscard]] bool is_ready(std::size_t resource, std::size_t sub_core,
                                std::uint64_t now) const {
        return ready_[is_divided(resource) ? sub_core : 0][resource] <= now;
    }

    /// When the first sub-core of which a warp waits for the resource can have it.
    [[nodiscard]] std::uint64_t next_ready(std::size_t resource) const {
        if (!is_divided(resource)) return ready_[0][resource];
        std::uint64_t next = ~std::uint64_t{0};
        for (std::size_t s = 0; s < SubCores; ++s) {
            if (!chooser_.any(resource, warps_of<SubCores>(s))) continue;
            next = core::min(next, ready_[s][resource]);
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
                visit(ready_[s][r] > now ? ready_[s][r] - now : 0);
            }
        }
    }
    /// As the words were, `next()` after `next()`, but from cycle `now` on.
    template <class Reader>
    void read_words(std::uint64_t now, Reader& next) {
        units_.read_words(now, next);
        first_sub_core_ = static_cast<std::size_t>(next());
        for (std::size_t s = 0; s < SubCores; ++s) {
            for (std::size_t r = 0; r < resource_count; ++r) {
                if (s == 0 || is_divided(r)) ready_[s][r] = now + next();
            }
        }
    }

private:
    [[nodiscard]] bool is_divided(std::size_t resource) const {
        return SubCores > 1 && (divided_ & bit_of(resource)) != 0;
    }

    // Warps that need a unit that is busy from now on cannot issue any more in this cycle.
    template <std::size_t Words>
    [[gnu::always_inline]] inline std::uint64_t occupy(std::size_t unit, std::uint64_t work,
                                                       std::uint64_t now, std::uint64_t completes,
                                                       std::size_t sub_core, model_error& failure) {
        if (SubCores > 1 && unit == index_of(sm_unit::load_store)) {
            first_sub_core_ = (sub_core + 1) % SubCores;
        }
        const std::uint64_t finished = units_.occupy(unit, work, now, completes, sub_core);
        if (finished > max_simulated_cycles) failure = {errc::limit_reached, "cycles"};
        if (const std::uint64_t ready = units_.ready(unit, sub_core); ready > now) {
            if (is_divided(unit)) {
                ready_[sub_core][unit] = ready;
                chooser_.template drop<Words>(unit, warps_of<SubCores>(sub_core));
                return finished;
            }
            close<Words>(unit, ready);
            if (unit == index_of(sm_unit::load_store)) update_memory<Words>(now);
        }
        return finished;
    }

    // L2 and global memory take a load/store unit and a place in their queues.
    template <std::size_t Words>
    void update_memory(std::uint64_t now) {
        const std::uint64_t unit = ready_[0][index_of(sm_unit::load_store)];
        const std::uint64_t l2 = core::max(unit, memory_.l2_ready());
        const std::uint64_t dram = core::max(unit, memory_.dram_ready());
        ready_[0][l2_resource] = l2;
        ready_[0][memory_resource] = dram;
        if (l2 > now) chooser_.template drop<Words>(l2_resource);
        if (dram > now) chooser_.template drop<Words>(memory_resource);
    }

    // Nobody can have a resource before cycle `ready`, which is to come.
    template <std::size_t Words>
    void close(std::size_t resource, std::uint64_t ready) {
        ready_[0][resource] = ready;
        chooser_.template drop<Words>(resource);
    }

    std::array<std::uint64_t, SubCores> schedulers_{};
    execution_units<SubCores> units_;
    std::array<resource_times, SubCores> ready_{};  // of those that are not divided, the first's
    std::uint64_t divided_ = 0;                     // resources, a bit each
    std::size_t first_sub_core_ = 0;
    Memory& memory_;
    Chooser& chooser_;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
