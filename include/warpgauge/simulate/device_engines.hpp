// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_DEVICE_ENGINES_HPP
#define WARPGAUGE_SIMULATE_DEVICE_ENGINES_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/host_program.hpp>

/// \file The order of copies and kernels that could run at the same time: engines, links, and the room on a device.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// The copies and kernels of a checked program that wait for an engine or for room, first come, first served, and those
/// that run. Times are of one clock that never goes back.
template <class Used = core::when_used>
class device_engines {
public:
    device_engines(std::span<const host_task> tasks, std::span<const linked_device> devices,
                   std::span<const peer_link> links)
        : tasks_(tasks),
          devices_(devices),
          links_(links),
          states_(devices.size()),
          movers_(2 * devices.size() + links.size(), 0) {}

    /// A task could begin now.
    void get_in_line(std::size_t at, double now_s) {
        const waiting_task w{now_s, at};
        waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), w), w);
    }

    /// Starts the tasks that fit, in the order in which they came: `started(task)`. If one does not fit, those behind
    /// it at the same engines wait too.
    template <class Started>
    void start_waiting(double now_s, const Started& started) {
        full_.assign(devices_.size() * pool_count, false);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const waiting_task w = waiting_[i];
            const host_task& t = tasks_[w.task];
            const std::size_t line = t.device * pool_count + static_cast<std::size_t>(pool_of(t));
            if (!full_[line] && has_room(t)) {
                start(w.task, now_s);
                started(w.task);
            } else {
                full_[line] = true;
                waiting_[kept++] = w;
            }
        }
        waiting_.resize(kept);
    }

    /// Calls `see(time)` with the time of the next change of each running task.
    template <class See>
    void for_each_change(const See& see) const {
        for (const running_task& r : running_) see(r.until_s);
    }

    /// Ends the tasks that are done by now, `ended(task)`, and divides the links again.
    template <class Ended>
    void end_running(double now_s, const Ended& ended) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < running_.size(); ++i) {
            running_task r = running_[i];
            if (r.until_s <= now_s && r.channel != no_position && !r.moves) {
                r.moves = true;
                ++movers_[r.channel];
                r.since_s = now_s;
            } else if (r.until_s <= now_s) {
                leave(r, now_s);
                ended(r.task);
                continue;
            }
            running_[kept++] = r;
        }
        running_.resize(kept);
        share_channels(now_s);
    }

    /// The time for which a device has run kernels that have ended.
    [[nodiscard]] double kernels_s(std::size_t device) const { return states_[device].kernels_s; }

private:
    enum class pool : std::uint8_t { to_engines, from_engines, kernels };
    static constexpr std::size_t pool_count = 3;

    struct device_state {
        std::array<std::uint32_t, pool_count> busy{};
        double occupied{};  // fraction that kernels occupy
        double kernels_since_s{};
        double kernels_s{};
    };
    struct waiting_task {
        double since_s{};
        std::size_t task{};
        friend auto operator<=>(const waiting_task&, const waiting_task&) = default;
    };
    struct running_task {
        std::size_t task{};
        std::size_t channel = no_position;  // what moves its bytes; a kernel has none
        bool moves{};                       // its latency has passed
        double since_s{};                   // when `left` and `rate` were
        double left{};                      // B
        double rate{};                      // B/s
        double until_s{};                   // end of the latency, of the bytes or of the kernel
    };

    [[nodiscard]] pool pool_of(const host_task& t) const {
        if (t.action == host_action::launch) return pool::kernels;
        const bool to = t.action == host_action::copy_to_device;
        return to || devices_[t.device].from_engines == 0 ? pool::to_engines : pool::from_engines;
    }
    [[nodiscard]] bool has_room(const host_task& t) const {
        const linked_device& limits = devices_[t.device];
        const device_state& d = states_[t.device];
        switch (pool_of(t)) {
            case pool::to_engines: return d.busy[0] < limits.to_engines;
            case pool::from_engines: return d.busy[1] < limits.from_engines;
            case pool::kernels: break;
        }
        // Fractions such as thirds are rounded.
        return d.busy[2] < limits.concurrent_kernels && d.occupied + t.fraction <= 1 + 0x1p-30;
    }

    void start(std::size_t at, double now_s) {
        const host_task& t = tasks_[at];
        device_state& d = states_[t.device];
        const pool p = pool_of(t);
        ++d.busy[static_cast<std::size_t>(p)];
        running_task r{.task = at};
        if (p == pool::kernels) {
            if (d.busy[2] == 1) d.kernels_since_s = now_s;
            d.occupied += t.fraction;
            r.until_s = now_s + t.seconds;
        } else {
            r.channel = channel_of(t);
            r.left = t.bytes;
            r.until_s = now_s + latency_of(t);
        }
        running_.push_back(r);
    }

    // Both directions of each device's link, then the links between devices.
    [[nodiscard]] std::size_t channel_of(const host_task& t) const {
        switch (t.action) {
            case host_action::copy_to_device: return 2 * t.device;
            case host_action::copy_from_device: return 2 * t.device + 1;
            default: return 2 * devices_.size() + find_peer_link(links_, t.device, t.peer);
        }
    }
    [[nodiscard]] double latency_of(const host_task& t) const {
        const std::size_t c = channel_of(t);
        const std::size_t own = 2 * devices_.size();
        return c < own ? devices_[t.device].latency_s : links_[c - own].latency_s;
    }
    [[nodiscard]] double rate_of(std::size_t channel) const {
        const std::size_t own = 2 * devices_.size();
        const double all =
            channel < own ? devices_[channel / 2].bytes_per_s : links_[channel - own].bytes_per_s;
        return all / static_cast<double>(movers_[channel]);
    }

    void leave(const running_task& r, double now_s) {
        const host_task& t = tasks_[r.task];
        device_state& d = states_[t.device];
        --d.busy[static_cast<std::size_t>(pool_of(t))];
        if (r.channel != no_position) {
            --movers_[r.channel];
        } else {
            d.occupied = d.busy[2] == 0 ? 0 : d.occupied - t.fraction;
            if (d.busy[2] == 0) d.kernels_s += now_s - d.kernels_since_s;
        }
    }

    // Copies over one link move at equal rates; a rate that stays leaves the end as it was, to the bit.
    void share_channels(double now_s) {
        for (running_task& r : running_) {
            if (!r.moves) continue;
            const double rate = rate_of(r.channel);
            if (rate == r.rate) continue;
            r.left = core::max(r.left - r.rate * (now_s - r.since_s), 0.0);
            r.since_s = now_s;
            r.rate = rate;
            r.until_s = now_s + r.left / rate;
        }
    }

    std::span<const host_task> tasks_;
    std::span<const linked_device> devices_;
    std::span<const peer_link> links_;
    std::vector<device_state> states_;
    std::vector<std::uint32_t> movers_;  // copies whose bytes move, of each channel
    std::vector<waiting_task> waiting_;
    std::vector<bool> full_;
    std::vector<running_task> running_;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
