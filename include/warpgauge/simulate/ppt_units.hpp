// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_UNITS_HPP
#define WARPGAUGE_SIMULATE_PPT_UNITS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/ppt_parameters.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/simulate/ppt_values.hpp>

/// \file The units and the memory queue of the authors' program (P1, P2, P6 and P10 of docs/hybrid.md).

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// Cycles of an access to DRAM with a number of accesses before it in the queue.
template <class = core::when_used>
constexpr double ppt_dram_latency(double queued, const ppt_parameters& gpu) {
    const double beyond = core::max(queued - gpu.queue_free, 0.0);
    return gpu.idle_dram_latency_cycles +
           beyond / gpu.queue_capacity *
               (gpu.loaded_dram_latency_cycles - gpu.idle_dram_latency_cycles);
}

/// What executes a task: a class of units, of which each slot takes one task a cycle; or none.
enum class ppt_pool : std::uint8_t {
    single_precision,
    double_precision,
    special_function,
    load_store,
    unlimited,  ///< shared memory and caches
    barrier,
    end  ///< no task: the warp retires
};

/// What executes a kind of task, and the cycles from its start to its result. Accesses to DRAM take `ppt_dram_latency`,
/// barriers have no result.
template <class = core::when_used>
constexpr ppt_pool ppt_pool_of(unit_kind unit, const ppt_parameters& gpu, double& latency) {
    switch (unit) {
        case unit_kind::integer:
        case unit_kind::branch:
            latency = gpu.integer_latency_cycles;
            return ppt_pool::single_precision;
        case unit_kind::single_precision:
        case unit_kind::tensor:
            latency = gpu.float_latency_cycles;
            return ppt_pool::single_precision;
        case unit_kind::double_precision:
            latency = gpu.float_latency_cycles;
            return ppt_pool::double_precision;
        case unit_kind::special_function:
            latency = gpu.special_latency_cycles;
            return ppt_pool::special_function;
        case unit_kind::shared_memory:
        case unit_kind::l1_cache: latency = gpu.l1_latency_cycles; return ppt_pool::unlimited;
        case unit_kind::l2_cache: latency = gpu.l2_latency_cycles; return ppt_pool::unlimited;
        case unit_kind::global_memory: return ppt_pool::load_store;
        case unit_kind::barrier: return ppt_pool::barrier;
        case unit_kind::loop: break;
    }
    return ppt_pool::end;
}

/// The units of an SM and its memory queue, as earlier calls left them.
///
/// A unit is busy for one cycle. So all units are free when a cycle begins, once those are that earlier calls left
/// busy, and the next free one is the number of those taken in this cycle.
template <class = core::when_used>
class ppt_units {
public:
    ppt_units(const ppt_parameters& gpu, ppt_state& state)
        : gpu_(gpu),
          busy_until_(state.units_busy_until),
          queue_(state.memory_queue),
          polled_until_(busy_until_[load_store].size() + 1, 0) {
        for (const auto& slots : busy_until_) {
            for (const double until : slots) left_until_ = core::max(left_until_, until);
        }
    }

    /// Before the first instruction of a cycle.
    void begin_cycle(double now) {
        now_ = now;
        some_left_ = now < left_until_;
        for (std::size_t& next : next_) next = 0;
        refused_.clear();
        polled_ = false;
    }

    /// Takes the first free slot of a class of units; false if all are busy.
    bool take(ppt_pool p) {
        const auto at = static_cast<std::size_t>(p);
        auto& slots = busy_until_[at];
        std::size_t slot = next_[at];
        while (some_left_ && slot < slots.size() && slots[slot] > now_) ++slot;
        if (slot == slots.size()) return false;
        slots[slot] = now_ + 1;
        next_[at] = slot + 1;
        return true;
    }

    /// A request of the load/store slot that was taken last, which it keeps even if the queue refuses it: the time of its
    /// result, or a negative number.
    double request() {
        if (!queue_.empty() && queue_.front() <= now_) queue_.clear();
        if (is_full()) {
            refused_.push_back(next_[load_store] - 1);
            return -1;
        }
        queue_.push_back(now_ + ppt_dram_latency(static_cast<double>(queue_.size()), gpu_));
        return queue_.back();
    }

    /// Whether the queue refuses every request of this cycle, and these do nothing but take load/store slots in turn: `poll`.
    [[nodiscard]] bool refuses_all() const {
        return !some_left_ && !queue_.empty() && queue_.front() > now_ && is_full();
    }
    /// So many requests, which the queue refuses all, in place of starting each.
    void poll(std::size_t requests) {
        const std::size_t slots = busy_until_[load_store].size();
        next_[load_store] = core::min(next_[load_store] + requests, slots);
        polled_ = true;
        polled_until_[next_[load_store]] = now_ + 1;
    }

    /// After a cycle without effect: when a unit or the queue is free again; infinite if none is waited for.
    double next_change() {
        constexpr double never = core::infinity<double>();
        double next = refused_.empty() && !polled_ ? never : queue_.front();
        occupy_refused(now_);
        if (some_left_) {
            for (const auto& slots : busy_until_) {
                for (const double until : slots) {
                    if (until > now_) next = core::min(next, until);
                }
            }
        }
        return next;
    }

    /// Requests that the queue refused take the same load/store slots in every cycle: until `time`.
    void occupy_refused(double time) {
        for (const std::size_t slot : refused_) busy_until_[load_store][slot] = time;
        if (polled_) polled_until_[next_[load_store]] = time;
    }

    /// After the last cycle: load/store slots that polled requests took are busy as long as these had them.
    void settle() {
        double until = 0;
        for (std::size_t slot = busy_until_[load_store].size(); slot-- > 0;) {
            until = core::max(until, polled_until_[slot + 1]);
            busy_until_[load_store][slot] = core::max(busy_until_[load_store][slot], until);
        }
    }

private:
    static constexpr auto load_store = static_cast<std::size_t>(ppt_pool::load_store);

    [[nodiscard]] bool is_full() const {
        return static_cast<double>(queue_.size()) >= gpu_.queue_capacity;
    }

    const ppt_parameters& gpu_;
    std::array<std::vector<double>, 4>& busy_until_;
    std::vector<double>& queue_;
    double now_ = 0;
    double left_until_ = 0;              // units that earlier calls left busy are free from here on
    bool some_left_ = false;             // it is not yet
    std::array<std::size_t, 4> next_{};  // slots before these are taken
    std::vector<std::size_t> refused_;   // load/store slots of requests that the queue refused
    bool polled_ = false;                // requests were refused by `poll`
    std::vector<double>
        polled_until_;  // by the number of load/store slots taken with polled ones: until when, at last
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
