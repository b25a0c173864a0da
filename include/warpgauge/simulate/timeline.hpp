// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_TIMELINE_HPP
#define WARPGAUGE_SIMULATE_TIMELINE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file A whole program: transfers and kernels on one or several devices, as a host orders them.
///
/// After the host's task list of Chapuis et al. 2016, sec. 3. How long each kernel takes comes from
/// any model.

namespace WARPGAUGE_NAMESPACE {

/// What a host can ask of a device.
enum class host_action : std::uint8_t {
    allocate,     ///< takes memory, and no time
    transfer,     ///< to or from the device; the host waits for it, kernels do not
    launch,       ///< a kernel, after those launched before on this device; the host goes on
    synchronise,  ///< the host waits for all kernels of the device
};

/// One line of a host's program.
struct host_task {
    host_action action{};  ///< what the host asks for
    std::size_t device{};  ///< position in the list of devices
    double bytes{};        ///< B, of an allocation or a transfer, >= 0
    double seconds{};      ///< s, of a kernel, as a model predicts it, >= 0

    /// Takes `bytes` of memory on a device.
    [[nodiscard]] static constexpr host_task allocate(std::size_t device, double bytes) noexcept {
        return {host_action::allocate, device, bytes, 0};
    }
    /// Moves `bytes` to or from a device.
    [[nodiscard]] static constexpr host_task transfer(std::size_t device, double bytes) noexcept {
        return {host_action::transfer, device, bytes, 0};
    }
    /// Launches a kernel that takes `seconds` on a device.
    [[nodiscard]] static constexpr host_task launch(std::size_t device, double seconds) noexcept {
        return {host_action::launch, device, 0, seconds};
    }
    /// Waits for all kernels of a device.
    [[nodiscard]] static constexpr host_task synchronise(std::size_t device) noexcept {
        return {host_action::synchronise, device, 0, 0};
    }
};

/// The link between a device and its host.
struct host_link {
    double bytes_per_s{};        ///< B/s, > 0
    double latency_s{};          ///< s, of each transfer, >= 0
    double launch_overhead_s{};  ///< s, from the call until the kernel runs, >= 0
    double memory_bytes{};       ///< B that can be allocated; 0: not known, any amount
};

/// When one task runs: a launch, its kernel; a synchronisation, the host's wait.
struct host_span {
    double start_s{};  ///< s, from the program's start
    double end_s{};    ///< s, from the program's start

    friend constexpr bool operator==(const host_span&, const host_span&) = default;
};

/// How long a program takes, and when each task runs.
struct timeline_estimate {
    double seconds{};               ///< s until the host is done and all kernels are
    double host_s{};                ///< s until the host is done
    std::vector<host_span> spans;   ///< of each task, in order
    std::vector<double> kernels_s;  ///< s that each device runs kernels
};

/// Runs the host's tasks.
/// \errors with the task, from 1, as `line`:
///         outside_domain  `device`: there is no such one
///         negative        `bytes`, `seconds`
///         overflow        either is past 1e20
///         exceeds_memory  `bytes`: more is allocated than the device has
///         not_an_enumerator  `action`
///         and, with the device, from 1, as `line`: not_positive, negative or overflow, the member of
///         its link
template <class = core::when_used>
[[nodiscard]] result<timeline_estimate> timeline(std::span<const host_task> tasks,
                                                 std::span<const host_link> devices) {
    for (std::size_t d = 0; d < devices.size(); ++d) {
        const host_link& l = devices[d];
        for (auto bad :
             {core::check_input(l.bytes_per_s, "bytes_per_s"),
              core::check_input(l.latency_s, "latency_s", core::zero::allowed),
              core::check_input(l.launch_overhead_s, "launch_overhead_s", core::zero::allowed),
              core::check_input(l.memory_bytes, "memory_bytes", core::zero::allowed)}) {
            bad.line = static_cast<std::uint32_t>(d + 1);
            if (bad) return bad;
        }
    }
    timeline_estimate e;
    e.spans.reserve(tasks.size());
    e.kernels_s.assign(devices.size(), 0);
    std::vector<double> free_s(devices.size(), 0);
    std::vector<double> allocated(devices.size(), 0);
    double now = 0;
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        const host_task& t = tasks[at];
        const auto entry = static_cast<std::uint32_t>(at + 1);
        if (t.device >= devices.size()) return model_error{errc::outside_domain, "device", entry};
        for (auto bad : {core::check_input(t.bytes, "bytes", core::zero::allowed),
                         core::check_input(t.seconds, "seconds", core::zero::allowed)}) {
            bad.line = entry;
            if (bad) return bad;
        }
        if (auto bad = core::check_enumerator(t.action, host_action::synchronise, "action")) {
            bad.line = entry;
            return bad;
        }
        const host_link& link = devices[t.device];
        host_span s{now, now};
        switch (t.action) {
            case host_action::allocate:
                allocated[t.device] += t.bytes;
                if (link.memory_bytes > 0 && allocated[t.device] > link.memory_bytes) {
                    return model_error{errc::exceeds_memory, "bytes", entry};
                }
                break;
            case host_action::transfer:
                now += link.latency_s + t.bytes / link.bytes_per_s;
                s.end_s = now;
                break;
            case host_action::launch:
                s.start_s = core::max(free_s[t.device], now + link.launch_overhead_s);
                s.end_s = s.start_s + t.seconds;
                free_s[t.device] = s.end_s;
                e.kernels_s[t.device] += t.seconds;
                break;
            case host_action::synchronise:
                now = core::max(now, free_s[t.device]);
                s.end_s = now;
                break;
        }
        e.spans.push_back(s);
        e.seconds = core::max(e.seconds, s.end_s);
    }
    e.host_s = now;
    return e;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
