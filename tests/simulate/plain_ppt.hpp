// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One SM of the authors' program, cycle by cycle and warp by warp, as it is described in docs/hybrid.md.
#ifndef WARPGAUGE_TESTS_SIMULATE_PLAIN_PPT_HPP
#define WARPGAUGE_TESTS_SIMULATE_PLAIN_PPT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/simulate/ppt_machine.hpp>

namespace plain_ppt {

using namespace warpgauge;

struct warp {
    std::size_t next = 0;
    bool retired = false;
    bool at_barrier = false;
    double stalled_until = -1;
    std::vector<double> completions;
};

class sm {
public:
    sm(std::span<const task> tasks, const ppt_parameters& gpu, ppt_state& state)
        : tasks_(tasks), gpu_(gpu), state_(state) {}

    ppt_estimate run(const detail::simulate::ppt_residency& r) {
        blocks_.assign(r.blocks, std::vector<warp>(r.warps_per_block));
        live_.assign(r.blocks, true);
        ppt_estimate e;
        e.block_ends.assign(r.blocks, 0);
        for (now_ = r.start; any_live(e); now_ += 1) step(e);
        e.cycles = now_;
        for (const auto& block : blocks_) {
            double last = 0;
            for (const warp& w : block) last = std::max(last, w.completions.back());
            e.block_last_ends.push_back(last);
        }
        return e;
    }

private:
    bool live(std::size_t b, ppt_estimate& e) {
        const auto retired = [](const warp& w) { return w.retired; };
        if (live_[b] && std::all_of(blocks_[b].begin(), blocks_[b].end(), retired)) {
            live_[b] = false;
            e.block_ends[b] = now_;
        }
        return live_[b];
    }

    bool any_live(ppt_estimate& e) {
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            if (live(b, e)) return true;
        }
        return false;
    }

    void step(ppt_estimate& e) {
        double slots = 0;
        for (std::size_t b = 0; b < blocks_.size() && slots < gpu_.warp_schedulers; ++b) {
            if (!live(b, e)) continue;
            for (warp& w : blocks_[b]) {
                double issued = 0;
                while (issued < gpu_.issues_per_warp && issue(w)) ++issued;
                e.warp_instructions += static_cast<std::uint64_t>(issued);
                if (issued > 0) {
                    ++slots;
                    ++e.issue_slots_used;
                }
                if (slots == gpu_.warp_schedulers) break;
            }
            lift_barrier(blocks_[b]);
        }
    }

    static void lift_barrier(std::vector<warp>& block) {
        const auto waits = [](const warp& w) { return w.at_barrier; };
        if (!std::all_of(block.begin(), block.end(), waits)) return;
        for (warp& w : block) w.at_barrier = false;
    }

    bool issue(warp& w) {
        if (w.retired || w.at_barrier || w.stalled_until >= now_) return false;
        if (w.next == tasks_.size()) {
            w.retired = true;
            return false;
        }
        const task& t = tasks_[w.next];
        double ready = -1;
        if (t.unit == unit_kind::barrier) {
            for (const double c : w.completions) ready = std::max(ready, c);
        } else {
            for (const std::uint32_t i : t.after) {
                if (i != task::none) ready = std::max(ready, w.completions[i]);
            }
        }
        if (now_ < ready) {
            w.stalled_until = ready;
            return false;
        }
        double completion = 0;
        if (!start(t.unit, completion)) return false;
        w.completions.push_back(completion);
        w.at_barrier = t.unit == unit_kind::barrier;
        ++w.next;
        return true;
    }

    bool start(unit_kind unit, double& completion) {
        switch (unit) {
            case unit_kind::integer:
            case unit_kind::branch: return take(0, gpu_.integer_latency_cycles, completion);
            case unit_kind::single_precision:
            case unit_kind::tensor: return take(0, gpu_.float_latency_cycles, completion);
            case unit_kind::double_precision: return take(1, gpu_.float_latency_cycles, completion);
            case unit_kind::special_function:
                return take(2, gpu_.special_latency_cycles, completion);
            case unit_kind::shared_memory:
            case unit_kind::l1_cache: completion = now_ + gpu_.l1_latency_cycles; return true;
            case unit_kind::l2_cache: completion = now_ + gpu_.l2_latency_cycles; return true;
            case unit_kind::global_memory: return take(3, 0, completion) && request(completion);
            default: return true;
        }
    }

    bool take(std::size_t pool, double latency, double& completion) {
        for (double& until : state_.units_busy_until[pool]) {
            if (until > now_) continue;
            until = now_ + 1;
            completion = now_ + latency;
            return true;
        }
        return false;
    }

    bool request(double& completion) {
        auto& queue = state_.memory_queue;
        if (!queue.empty() && queue.front() <= now_) queue.clear();
        const auto length = static_cast<double>(queue.size());
        if (length >= gpu_.queue_capacity) return false;
        const double beyond = std::max(length - gpu_.queue_free, 0.0);
        completion = now_ + (gpu_.idle_dram_latency_cycles +
                             beyond / gpu_.queue_capacity *
                                 (gpu_.loaded_dram_latency_cycles - gpu_.idle_dram_latency_cycles));
        queue.push_back(completion);
        return true;
    }

    std::span<const task> tasks_;
    const ppt_parameters& gpu_;
    ppt_state& state_;
    std::vector<std::vector<warp>> blocks_;
    std::vector<bool> live_;
    double now_ = 0;
};

}  // namespace plain_ppt

#endif
