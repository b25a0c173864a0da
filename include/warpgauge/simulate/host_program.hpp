// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_HOST_PROGRAM_HPP
#define WARPGAUGE_SIMULATE_HOST_PROGRAM_HPP

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file The tasks of a host for its devices, in order: memory, copies, kernels, streams and events, as in CUDA.
///
/// After the host's task list of Chapuis et al. 2016, sec. 3. The order of streams is that of the CUDA Runtime API,
/// "Stream synchronization behavior", with the legacy default stream.

namespace WARPGAUGE_NAMESPACE {

/// The kinds of tasks.
enum class host_action : std::uint8_t {
    allocate,          ///< takes memory, and no time
    free,              ///< gives memory back, in no time
    copy_to_device,    ///< from the host
    copy_from_device,  ///< to the host
    copy_to_peer,      ///< from the device to another one, over the link between them
    launch,            ///< a kernel
    record,  ///< an event, which happens when all tasks before it in its stream have ended
    wait,    ///< later tasks in the stream wait for the event
    synchronise_stream,  ///< the host waits for all of a stream
    synchronise_event,   ///< the host waits for the event
    synchronise,         ///< the host waits for all streams of the device
};

/// One of a device's streams: its tasks follow each other. Those of the default stream wait for all earlier tasks
/// of the device's other streams, and these wait for it; non-blocking streams are excepted.
struct host_stream {
    std::uint32_t number{};  ///< 0: the default stream
    bool non_blocking{};  ///< as `cudaStreamNonBlocking`; a stream of its own, whatever its number

    /// Whether it is the default stream.
    [[nodiscard]] constexpr bool is_default() const noexcept {
        return number == 0 && !non_blocking;
    }

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a pointer in what it generates
    friend constexpr auto operator<=>(const host_stream&, const host_stream&) = default;
};

/// Events have numbers below this one.
inline constexpr std::uint32_t max_host_events = std::uint32_t{1} << 20;

/// The maximum number of streams of a program, over all devices.
inline constexpr std::size_t max_host_streams = 4096;

/// One task of a host's program. Without `in`, tasks are in the default stream, and the host waits for a copy to or
/// from a device; with it, the host continues.
struct host_task {
    host_action action{};   ///< what the host asks for
    std::size_t device{};   ///< position in the list of devices
    double bytes{};         ///< B, of memory or a copy, >= 0
    double seconds{};       ///< s, of a kernel, as a model predicts it, >= 0
    double fraction = 1;    ///< of the device that a kernel occupies, above 0 and at most 1
    std::size_t peer{};     ///< position of the device that a copy goes to
    std::uint32_t event{};  ///< its number, below `max_host_events`
    host_stream stream{};   ///< of the device
    bool host_waits{};      ///< until a copy has ended

    /// Takes `bytes` of memory on a device.
    [[nodiscard]] static constexpr host_task allocate(std::size_t device, double bytes) noexcept {
        return of(host_action::allocate, device, bytes);
    }
    /// Gives `bytes` of memory back.
    [[nodiscard]] static constexpr host_task free(std::size_t device, double bytes) noexcept {
        return of(host_action::free, device, bytes);
    }
    /// Copies `bytes` to a device.
    [[nodiscard]] static constexpr host_task copy_to(std::size_t device, double bytes) noexcept {
        return of(host_action::copy_to_device, device, bytes);
    }
    /// Copies `bytes` from a device.
    [[nodiscard]] static constexpr host_task copy_from(std::size_t device, double bytes) noexcept {
        return of(host_action::copy_from_device, device, bytes);
    }
    /// Copies `bytes` from one device to another, in a stream of the first; the host goes on.
    [[nodiscard]] static constexpr host_task copy_peer(std::size_t from, std::size_t to,
                                                       double bytes) noexcept {
        host_task t = of(host_action::copy_to_peer, from, bytes);
        t.peer = to;
        return t;
    }
    /// Launches a kernel that takes `seconds`, on a fraction of a device.
    [[nodiscard]] static constexpr host_task launch(std::size_t device, double seconds,
                                                    double fraction = 1) noexcept {
        host_task t = of(host_action::launch, device, 0);
        t.seconds = seconds;
        t.fraction = fraction;
        return t;
    }
    /// Records an event in a device's stream.
    [[nodiscard]] static constexpr host_task record(std::size_t device,
                                                    std::uint32_t event) noexcept {
        host_task t = of(host_action::record, device, 0);
        t.event = event;
        return t;
    }
    /// Lets a device's stream wait for the last earlier record of the event, on any device.
    [[nodiscard]] static constexpr host_task wait(std::size_t device,
                                                  std::uint32_t event) noexcept {
        host_task t = of(host_action::wait, device, 0);
        t.event = event;
        return t;
    }
    /// Lets the host wait for the last earlier record of the event.
    [[nodiscard]] static constexpr host_task synchronise_event(std::uint32_t event) noexcept {
        host_task t = of(host_action::synchronise_event, 0, 0);
        t.event = event;
        return t;
    }
    /// Lets the host wait for one stream of a device.
    [[nodiscard]] static constexpr host_task synchronise_stream(std::size_t device,
                                                                host_stream stream) noexcept {
        return of(host_action::synchronise_stream, device, 0).in(stream);
    }
    /// Lets the host wait for all streams of a device.
    [[nodiscard]] static constexpr host_task synchronise(std::size_t device) noexcept {
        return of(host_action::synchronise, device, 0);
    }

    /// The same in a stream, for which the host does not wait.
    [[nodiscard]] constexpr host_task in(host_stream s) const noexcept {
        host_task t = *this;
        t.stream = s;
        t.host_waits = false;
        return t;
    }
    /// The same in a blocking stream.
    [[nodiscard]] constexpr host_task in(std::uint32_t number) const noexcept {
        return in(host_stream{number, false});
    }

private:
    static constexpr host_task of(host_action action, std::size_t device, double bytes) noexcept {
        host_task t;
        t.action = action;
        t.device = device;
        t.bytes = bytes;
        t.host_waits =
            action == host_action::copy_to_device || action == host_action::copy_from_device;
        return t;
    }
};

/// A device as its host sees it.
struct linked_device {
    double bytes_per_s{};          ///< B/s of its link, each direction, > 0
    double latency_s{};            ///< s, of each copy before its bytes move, >= 0
    double launch_overhead_s{};    ///< s, from the call until the kernel can run, >= 0
    double memory_bytes{};         ///< B that can be allocated; 0: not known, any amount
    std::uint32_t to_engines = 1;  ///< copies to the device at a time, >= 1; they share the link
    /// Copies from the device at a time; 0: the engines of the other direction make them too.
    std::uint32_t from_engines = 1;
    /// Kernels at a time, >= 1, as far as their fractions allow. 128 is CUDA's maximum of resident grids for most
    /// compute capabilities (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
    std::uint32_t concurrent_kernels = 128;
};

/// The link from one device to another; the way back is another link. Several copies share it.
struct peer_link {
    std::size_t from{};    ///< position in the list of devices
    std::size_t to{};      ///< position in the list of devices
    double bytes_per_s{};  ///< B/s, > 0
    double latency_s{};    ///< s, of each copy before its bytes move, >= 0
};

namespace detail::simulate {

inline constexpr std::size_t no_position = ~std::size_t{0};

/// The link that a copy takes, or `no_position`.
constexpr std::size_t find_peer_link(std::span<const peer_link> links, std::size_t from,
                                     std::size_t to) {
    for (std::size_t i = 0; i < links.size(); ++i) {
        if (links[i].from == from && links[i].to == to) return i;
    }
    return no_position;
}

constexpr model_error check_linked_device(const linked_device& d) {
    const core::named_input<double> inputs[]{
        {d.bytes_per_s, "bytes_per_s"},
        {d.latency_s, "latency_s", core::zero::allowed},
        {d.launch_overhead_s, "launch_overhead_s", core::zero::allowed},
        {d.memory_bytes, "memory_bytes", core::zero::allowed}};
    if (const auto bad = core::check_inputs(inputs)) return bad;
    if (d.to_engines == 0) return {errc::not_positive, "to_engines"};
    if (d.concurrent_kernels == 0) return {errc::not_positive, "concurrent_kernels"};
    return {};
}

constexpr model_error check_peer_link(const peer_link& l, std::size_t devices) {
    if (l.from >= devices) return {errc::outside_domain, "from"};
    if (l.to >= devices || l.to == l.from) return {errc::outside_domain, "to"};
    if (const auto bad = core::check_input(l.bytes_per_s, "bytes_per_s")) return bad;
    return core::check_input(l.latency_s, "latency_s", core::zero::allowed);
}

/// Checks the tasks of a program one after another, with the state that earlier tasks left.
class program_checker {
public:
    program_checker(std::span<const linked_device> devices, std::span<const peer_link> links)
        : devices_(devices), links_(links), memory_(devices.size()) {}

    model_error check(const host_task& t) {
        if (t.device >= devices_.size()) return {errc::outside_domain, "device"};
        if (const auto bad = core::check_enumerator(t.action, host_action::synchronise, "action")) {
            return bad;
        }
        if (const auto bad = core::check_input(t.bytes, "bytes", core::zero::allowed)) return bad;
        if (const auto bad = core::check_input(t.seconds, "seconds", core::zero::allowed)) {
            return bad;
        }
        switch (t.action) {
            case host_action::allocate: return allocate(t);
            case host_action::free: return free(t);
            case host_action::copy_to_peer: return check_peer(t);
            case host_action::launch:
                if (!(t.fraction > 0 && t.fraction <= 1)) return {errc::outside_domain, "fraction"};
                return {};
            case host_action::record: return record(t);
            case host_action::wait:
            case host_action::synchronise_event: return check_recorded(t);
            default: return {};
        }
    }

private:
    // Of sums of bytes, which are not whole where a host divides its data by any number.
    static constexpr double rounded = 0x1p-30;

    struct device_memory {
        double allocated{};
        double peak{};
    };

    model_error allocate(const host_task& t) {
        const double most = devices_[t.device].memory_bytes;
        device_memory& m = memory_[t.device];
        m.allocated += t.bytes;
        m.peak = core::max(m.peak, m.allocated);
        if (most > 0 && m.allocated > most * (1 + rounded)) return {errc::exceeds_memory, "bytes"};
        return {};
    }
    model_error free(const host_task& t) {
        device_memory& m = memory_[t.device];
        if (t.bytes > m.allocated + m.peak * rounded) return {errc::outside_domain, "bytes"};
        m.allocated = core::max(m.allocated - t.bytes, 0.0);
        return {};
    }
    [[nodiscard]] model_error check_peer(const host_task& t) const {
        if (t.peer >= devices_.size()) return {errc::outside_domain, "peer"};
        if (find_peer_link(links_, t.device, t.peer) == no_position) return {errc::missing, "peer"};
        return {};
    }
    model_error record(const host_task& t) {
        if (t.event >= max_host_events) return {errc::outside_domain, "event"};
        if (t.event >= recorded_.size()) recorded_.resize(t.event + std::size_t{1});
        recorded_[t.event] = true;
        return {};
    }
    [[nodiscard]] model_error check_recorded(const host_task& t) const {
        if (t.event >= max_host_events) return {errc::outside_domain, "event"};
        if (t.event >= recorded_.size() || !recorded_[t.event]) return {errc::missing, "event"};
        return {};
    }

    std::span<const linked_device> devices_;
    std::span<const peer_link> links_;
    std::vector<device_memory> memory_;
    std::vector<bool> recorded_;
};

}  // namespace detail::simulate

/// Checks a program before it runs.
/// \errors with the task, from 1, as `line`:
///         outside_domain     `device`, `peer`: not in the list; `fraction`: not above 0 and at most 1; `event`: not below
///                            `max_host_events`; `bytes`: more is given back than was allocated, by more than a
///                            2^-30 of the most so far, which sums of fractions of bytes round
///         negative           `bytes`, `seconds`
///         overflow           either is past 1e20
///         exceeds_memory     `bytes`: more is allocated than the device has, by more than a 2^-30 of it
///         missing            `peer`: no link goes there; `event`: no task before has recorded it
///         not_an_enumerator  `action`
///         and, with the device or the link, from 1, as `line`: not_positive, negative, overflow or outside_domain, its member
template <class = core::when_used>
[[nodiscard]] model_error check_program(std::span<const host_task> tasks,
                                        std::span<const linked_device> devices,
                                        std::span<const peer_link> links) {
    const auto at_line = [](model_error e, std::size_t entry) {
        e.line = static_cast<std::uint32_t>(entry + 1);
        return e;
    };
    for (std::size_t d = 0; d < devices.size(); ++d) {
        const auto bad = detail::simulate::check_linked_device(devices[d]);
        if (bad) return at_line(bad, d);
    }
    for (std::size_t l = 0; l < links.size(); ++l) {
        const auto bad = detail::simulate::check_peer_link(links[l], devices.size());
        if (bad) return at_line(bad, l);
    }
    detail::simulate::program_checker checker(devices, links);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const auto bad = checker.check(tasks[t]);
        if (bad) return at_line(bad, t);
    }
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
