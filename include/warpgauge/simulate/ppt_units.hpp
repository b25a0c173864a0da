// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_UNITS_HPP
#define WARPGAUGE_SIMULATE_PPT_UNITS_HPP

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/ppt_parameters.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/simulate/ppt_values.hpp>

/// \file The units and the memory queue of the authors' program (P1, P2, P6 and P10 of docs/hybrid.md).

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// Cycles of an access to DRAM with a number of accesses before it in the queue.
constexpr double ppt_dram_latency(double queued, const ppt_parameters& gpu) {
    const double beyond = core::max(queued - gpu.queue_free, 0.0);
    return gpu.idle_dram_latency_cycles +
           beyond / gpu.queue_capacity *
               (gpu.loaded_dram_latency_cycles - gpu.idle_dram_latency_cycles);
}

/// The units of an SM and its memory queue, as earlier calls left them.
template <class = core::when_used>
class ppt_units {
public:
    ppt_units(const ppt_parameters& gpu, ppt_state& state)
        : gpu_(gpu), busy_until_(state.units_busy_until), queue_(state.memory_queue) {
        for (const auto& slots : busy_until_) {
            for (const double until : slots) left_until_ = core::max(left_until_, until);
        }
    }

    void begin_cycle() { refused_.clear(); }

    /// Starts an instruction, and gives the time of its result; false if no unit or no place in the queue
    /// is free.
    bool start(unit_kind unit, double now, double& completion) {
        switch (unit) {
            case unit_kind::integer:
            case unit_kind::branch: return take(sp, gpu_.integer_latency_cycles, now, completion);
            case unit_kind::single_precision:
            case unit_kind::tensor: return take(sp, gpu_.float_latency_cycles, now, completion);
            case unit_kind::double_precision:
                return take(dp, gpu_.float_latency_cycles, now, completion);
            case unit_kind::special_function:
                return take(sf, gpu_.special_latency_cycles, now, completion);
            case unit_kind::shared_memory:
            case unit_kind::l1_cache: completion = now + gpu_.l1_latency_cycles; return true;
            case unit_kind::l2_cache: completion = now + gpu_.l2_latency_cycles; return true;
            case unit_kind::global_memory: return request(now, completion);
            case unit_kind::barrier: completion = 0; return true;
            case unit_kind::loop: break;
        }
        return false;
    }

    /// After a cycle without effect: when a unit or the queue is free again; infinite if none is waited for.
    double next_change(double now) {
        constexpr double never = std::numeric_limits<double>::infinity();
        double next = refused_.empty() ? never : queue_.front();
        occupy_refused(now);
        if (now < left_until_) {
            for (const auto& slots : busy_until_) {
                for (const double until : slots) {
                    if (until > now) next = core::min(next, until);
                }
            }
        }
        return next;
    }

    /// Requests that the queue refused take the same load/store slots in every cycle: until `time`.
    void occupy_refused(double time) {
        for (const std::size_t slot : refused_) busy_until_[ls][slot] = time;
    }

private:
    // Its classes of units: single and double precision, special functions, load/store.
    enum pool : std::size_t { sp, dp, sf, ls };

    bool take(pool p, double latency, double now, double& completion) {
        for (double& until : busy_until_[p]) {
            if (until <= now) {
                until = now + 1;
                completion = now + latency;
                return true;
            }
        }
        return false;
    }

    bool request(double now, double& completion) {
        auto& slots = busy_until_[ls];
        std::size_t slot = 0;
        while (slot < slots.size() && slots[slot] > now) ++slot;
        if (slot == slots.size()) return false;
        slots[slot] = now + 1;  // kept even when the queue refuses
        if (!queue_.empty() && queue_.front() <= now) queue_.clear();
        const auto length = static_cast<double>(queue_.size());
        if (length >= gpu_.queue_capacity) {
            refused_.push_back(slot);
            return false;
        }
        completion = now + ppt_dram_latency(length, gpu_);
        queue_.push_back(completion);
        return true;
    }

    const ppt_parameters& gpu_;
    std::array<std::vector<double>, 4>& busy_until_;
    std::vector<double>& queue_;
    std::vector<std::size_t> refused_;  // load/store slots of requests that the queue refused
    double left_until_ = 0;             // units that earlier calls left busy are free from here on
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
