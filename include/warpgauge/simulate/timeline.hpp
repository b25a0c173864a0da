// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_TIMELINE_HPP
#define WARPGAUGE_SIMULATE_TIMELINE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/device_engines.hpp>
#include <warpgauge/simulate/host_program.hpp>

/// \file The timeline of a whole program: copies and kernels on one or several devices, as a host orders them.
///
/// The time of each kernel comes from any model. docs/timeline.md says which tasks overlap.

namespace WARPGAUGE_NAMESPACE {

/// The time of one task: of a copy or a kernel from its beginning; of a synchronisation, the host's wait.
struct host_span {
    double start_s{};  ///< s, from the program's start
    double end_s{};    ///< s, from the program's start

    friend constexpr bool operator==(const host_span&, const host_span&) = default;
};

/// The time of a program, and of each task.
struct timeline_estimate {
    double seconds{};                ///< s until the host and all devices are done
    double host_s{};                 ///< s until the host is done
    std::vector<host_span> spans;    ///< of each task, in order
    std::vector<double> kernels_s;   ///< s in which each device runs a kernel
    std::vector<double> peak_bytes;  ///< the maximum of B allocated on each device
};

namespace detail::simulate {

/// Runs a checked program. Every copy and kernel is in the queue of its stream, then in the line of the engines or of
/// the device, first come, first served; then it runs.
template <class Used = core::when_used>
class timeline_run {
public:
    timeline_run(std::span<const host_task> tasks, std::span<const linked_device> devices,
                 std::span<const peer_link> links)
        : tasks_(tasks),
          devices_(devices),
          engines_(tasks, devices, links),
          orders_(tasks.size()),
          done_(tasks.size(), false),
          states_(devices.size()) {
        estimate_.spans.resize(tasks.size());
        estimate_.peak_bytes.assign(devices.size(), 0);
    }

    result<timeline_estimate> run() {
        find_streams();
        if (streams_.size() > max_host_streams) return model_error{errc::limit_reached, "stream"};
        do {
            settle();
            engines_.start_waiting(now_s_,
                                   [&](std::size_t at) { estimate_.spans[at].start_s = now_s_; });
        } while (advance());
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            estimate_.kernels_s.push_back(engines_.kernels_s(d));
        }
        estimate_.host_s = host_s_;
        estimate_.seconds = core::max(estimate_.seconds, host_s_);
        return std::move(estimate_);
    }

private:
    // What a task in a stream waits for besides the tasks before it in the stream.
    struct order {
        double earliest_s{};                      // a launch is under way until then
        std::size_t after_default = no_position;  // a task of the default stream
        std::size_t after_event = no_position;    // a record
        std::size_t after_blocking{};  // of the default stream: so many tasks of blocking streams
        std::size_t stream = no_position;
    };
    struct stream_state {
        std::size_t device{};
        host_stream name{};
        std::vector<std::size_t> queue{};  // tasks
        std::size_t first{};               // of the queue that has not ended
        bool taken{};                      // the first one waits for an engine, or runs
    };
    struct device_state {
        double allocated{};
        std::size_t blocking_tasks{};  // that were asked for, of streams that block
        std::size_t blocking_done{};
        std::size_t unfinished{};
        std::size_t last_default = no_position;
    };
    const host_task& task(std::size_t at) const { return tasks_[at]; }
    stream_state& stream_of(std::size_t at) { return streams_[orders_[at].stream]; }

    static bool is_in_stream(host_action a) {
        return a != host_action::allocate && a != host_action::free &&
               a != host_action::synchronise && a != host_action::synchronise_event;
    }
    static bool takes_no_time(host_action a) {
        return a == host_action::record || a == host_action::wait;
    }

    void find_streams() {
        for (const host_task& t : tasks_) {
            if (is_in_stream(t.action)) streams_.push_back({t.device, t.stream});
        }
        const auto before = [](const stream_state& a, const stream_state& b) {
            return a.device != b.device ? a.device < b.device : a.name < b.name;
        };
        const auto same = [](const stream_state& a, const stream_state& b) {
            return a.device == b.device && a.name == b.name;
        };
        std::sort(streams_.begin(), streams_.end(), before);
        streams_.erase(std::unique(streams_.begin(), streams_.end(), same), streams_.end());
        for (std::size_t at = 0; at < tasks_.size(); ++at) {
            if (!is_in_stream(task(at).action)) continue;
            const stream_state wanted{task(at).device, task(at).stream};
            const auto place = std::lower_bound(streams_.begin(), streams_.end(), wanted, before);
            orders_[at].stream = static_cast<std::size_t>(place - streams_.begin());
        }
    }

    // --- The host

    // All that takes no time, until it does: the host goes on, events happen, tasks get in line.
    void settle() {
        do {
            run_host();
        } while (look_at_streams());
    }

    void run_host() {
        while (next_ < tasks_.size() && !host_waits()) {
            if (waits_) {
                end_wait();
                continue;
            }
            ask(next_);
            if (!waits_) ++next_;
        }
    }

    // The task that the host is at keeps it.
    [[nodiscard]] bool host_waits() const {
        if (!waits_) return false;
        const host_task& t = task(next_);
        switch (t.action) {
            case host_action::synchronise: return states_[t.device].unfinished > 0;
            case host_action::synchronise_stream: {
                const stream_state& s = streams_[orders_[next_].stream];
                return s.first < s.queue.size();
            }
            case host_action::synchronise_event: return !done_[orders_[next_].after_event];
            default: return !done_[next_];
        }
    }
    void end_wait() {
        if (!task(next_).host_waits) estimate_.spans[next_].end_s = now_s_;
        host_s_ = now_s_;
        waits_ = false;
        ++next_;
    }

    void ask(std::size_t at) {
        const host_task& t = task(at);
        device_state& d = states_[t.device];
        estimate_.spans[at] = {now_s_, now_s_};
        switch (t.action) {
            case host_action::allocate:
                d.allocated += t.bytes;
                estimate_.peak_bytes[t.device] =
                    core::max(estimate_.peak_bytes[t.device], d.allocated);
                break;
            case host_action::free: d.allocated = core::max(d.allocated - t.bytes, 0.0); break;
            case host_action::synchronise_event:
                orders_[at].after_event = records_[t.event];
                waits_ = true;
                break;
            case host_action::synchronise:
            case host_action::synchronise_stream: waits_ = true; break;
            default:
                enqueue(at);
                waits_ = t.host_waits;
                break;
        }
    }

    void enqueue(std::size_t at) {
        const host_task& t = task(at);
        device_state& d = states_[t.device];
        order& o = orders_[at];
        o.earliest_s = now_s_;
        if (t.action == host_action::launch) o.earliest_s += devices_[t.device].launch_overhead_s;
        if (t.action == host_action::record) {
            if (t.event >= records_.size()) records_.resize(t.event + std::size_t{1});
            records_[t.event] = at;
        }
        if (t.action == host_action::wait) o.after_event = records_[t.event];
        if (!t.stream.non_blocking) {
            o.after_blocking = d.blocking_tasks++;
            o.after_default = d.last_default;
            if (t.stream.is_default()) d.last_default = at;
        }
        ++d.unfinished;
        stream_of(at).queue.push_back(at);
    }

    // --- Streams

    [[nodiscard]] bool may_begin(std::size_t at) const {
        const order& o = orders_[at];
        if (o.after_event != no_position && !done_[o.after_event]) return false;
        if (task(at).stream.non_blocking) return true;
        if (task(at).stream.is_default()) {
            return states_[task(at).device].blocking_done == o.after_blocking;
        }
        return o.after_default == no_position || done_[o.after_default];
    }

    // Has what may begin get in line; true if something ended at once.
    bool look_at_streams() {
        bool ended = false;
        for (stream_state& s : streams_) {
            if (s.taken || s.first == s.queue.size()) continue;
            const std::size_t at = s.queue[s.first];
            if (orders_[at].earliest_s > now_s_ || !may_begin(at)) continue;
            if (takes_no_time(task(at).action)) {
                estimate_.spans[at].start_s = now_s_;
                end(at);
                ended = true;
                continue;
            }
            s.taken = true;
            engines_.get_in_line(at, now_s_);
        }
        return ended;
    }

    void end(std::size_t at) {
        const host_task& t = task(at);
        device_state& d = states_[t.device];
        stream_state& s = stream_of(at);
        estimate_.spans[at].end_s = now_s_;
        estimate_.seconds = core::max(estimate_.seconds, now_s_);
        done_[at] = true;
        s.taken = false;
        ++s.first;
        --d.unfinished;
        if (!t.stream.non_blocking) ++d.blocking_done;
    }

    // To the next time at which something changes or may begin; false if there is none.
    bool advance() {
        bool any = false;
        double next = 0;
        const auto see = [&](double at) {
            next = any ? core::min(next, at) : at;
            any = true;
        };
        engines_.for_each_change(see);
        for (const stream_state& s : streams_) {
            if (s.taken || s.first == s.queue.size()) continue;
            const double earliest = orders_[s.queue[s.first]].earliest_s;
            if (earliest > now_s_ && may_begin(s.queue[s.first])) see(earliest);
        }
        if (!any) return false;
        now_s_ = next;
        engines_.end_running(now_s_, [&](std::size_t at) { end(at); });
        return true;
    }

    std::span<const host_task> tasks_;
    std::span<const linked_device> devices_;
    device_engines<Used> engines_;
    std::vector<order> orders_;  // of each task
    std::vector<bool> done_;     // of each task
    std::vector<device_state> states_;
    std::vector<stream_state> streams_;
    std::vector<std::size_t> records_;  // the last record of each event
    timeline_estimate estimate_;
    double now_s_ = 0;
    double host_s_ = 0;
    std::size_t next_ = 0;  // task of the host
    bool waits_ = false;    // the host, at it
};

}  // namespace detail::simulate

/// Runs the host's tasks. Each takes time in proportion to the number of streams.
/// \errors as `check_program`; also limit_reached `stream`: more than `max_host_streams`
template <class Used = core::when_used>
[[nodiscard]] result<timeline_estimate> timeline(std::span<const host_task> tasks,
                                                 std::span<const linked_device> devices,
                                                 std::span<const peer_link> links = {}) {
    if (const auto bad = check_program(tasks, devices, links)) return bad;
    return detail::simulate::timeline_run<Used>(tasks, devices, links).run();
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
