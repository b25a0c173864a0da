// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/timeline.hpp>

#include "random_numbers.hpp"

namespace timeline_test {

using namespace warpgauge;

namespace {

using tasks = std::vector<host_task>;

// 10 GB/s, 10 us; 5 us until a kernel runs; 1 GB.
constexpr linked_device link{
    .bytes_per_s = 10e9, .latency_s = 10e-6, .launch_overhead_s = 5e-6, .memory_bytes = 1e9};
constexpr std::array one{link};
constexpr std::array two{link, link};

// 10 MB take a millisecond, and nothing else takes any.
constexpr linked_device plain{.bytes_per_s = 10e9};
constexpr double megabytes = 1e6;
constexpr double ms = 1e-3;

timeline_estimate run(const tasks& t, std::span<const linked_device> devices,
                      std::span<const peer_link> links = {}) {
    const auto e = timeline(t, devices, links);
    REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
    return *e;
}

// The spans in milliseconds: begins and ends one after another.
std::vector<double> milliseconds(const timeline_estimate& e) {
    std::vector<double> all;
    for (const host_span& s : e.spans) {
        all.push_back(s.start_s / ms);
        all.push_back(s.end_s / ms);
    }
    return all;
}

void check_spans(const timeline_estimate& e, const std::vector<double>& wanted) {
    const auto all = milliseconds(e);
    REQUIRE(all.size() == wanted.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        CAPTURE(i / 2);
        CHECK(all[i] == doctest::Approx(wanted[i]).epsilon(1e-12));
    }
}

}  // namespace

TEST_CASE("to the device, a kernel, and back") {
    const auto e =
        run({host_task::allocate(0, 200e6), host_task::copy_to(0, 100e6),
             host_task::launch(0, 2e-3), host_task::synchronise(0), host_task::copy_from(0, 100e6)},
            one);
    CHECK(e.seconds == doctest::Approx(2 * (10e-6 + 10e-3) + 5e-6 + 2e-3).epsilon(1e-12));
    CHECK(e.host_s == e.seconds);
    CHECK(e.kernels_s[0] == doctest::Approx(2e-3).epsilon(1e-12));
    CHECK(e.spans.size() == 5);
    CHECK(e.spans[0].end_s == 0);
    CHECK(e.spans[2].start_s == doctest::Approx(10.015e-3).epsilon(1e-12));
    CHECK(e.spans[3].start_s == e.spans[1].end_s);  // the wait of the host
    CHECK(e.spans[3].end_s == e.spans[2].end_s);
}

TEST_CASE("the host goes on while kernels run, and kernels of a stream follow each other") {
    const auto e = run({host_task::launch(0, 1e-3), host_task::launch(0, 1e-3),
                        host_task::copy_to(0, 10e6), host_task::synchronise(0)},
                       one);
    CHECK(e.spans[0].start_s == 5e-6);
    CHECK(e.spans[1].start_s == e.spans[0].end_s);  // its overhead is hidden
    CHECK(e.spans[2].start_s == e.spans[1].end_s);  // of the same stream
    CHECK(e.seconds == doctest::Approx(2.005e-3 + 1.01e-3).epsilon(1e-12));
    // Nobody waits: the program's time is that of its last kernel.
    const auto loose = run({host_task::launch(0, 1e-3)}, one);
    CHECK(loose.host_s == 0);
    CHECK(loose.seconds == doctest::Approx(1.005e-3).epsilon(1e-12));
}

TEST_CASE("two devices run side by side") {
    const auto e =
        run({host_task::copy_to(0, 50e6), host_task::launch(0, 8e-3), host_task::copy_to(1, 50e6),
             host_task::launch(1, 8e-3), host_task::synchronise(0), host_task::synchronise(1)},
            two);
    CHECK(e.seconds == doctest::Approx(2 * 5.01e-3 + 5e-6 + 8e-3).epsilon(1e-12));
    for (const double s : e.kernels_s) CHECK(s == doctest::Approx(8e-3).epsilon(1e-12));
}

TEST_CASE("a copy costs what it moves, not ten microseconds at any size (P3)") {
    CHECK(run({host_task::copy_to(0, 1e9)}, one).seconds ==
          doctest::Approx(0.10001).epsilon(1e-12));
    CHECK(run({}, one).seconds == 0);
    CHECK(run({}, {}).spans.empty());
}

TEST_CASE("three streams overlap copies and kernels") {
    tasks t;
    for (std::uint32_t s = 1; s <= 3; ++s) {
        t.push_back(host_task::copy_to(0, 10 * megabytes).in(s));
        t.push_back(host_task::launch(0, ms).in(s));
        t.push_back(host_task::copy_from(0, 10 * megabytes).in(s));
    }
    const auto e = run(t, std::array{plain});
    check_spans(e, {0, 1, 1, 2, 2, 3, 1, 2, 2, 3, 3, 4, 2, 3, 3, 4, 4, 5});
    CHECK(e.host_s == 0);
    CHECK(e.kernels_s[0] == doctest::Approx(3 * ms).epsilon(1e-12));
    // One engine for both directions: a copy waits for those that were ready before.
    linked_device narrow = plain;
    narrow.from_engines = 0;
    check_spans(run(t, std::array{narrow}), {0, 1, 1, 2, 3, 4, 1, 2, 2, 3, 4, 5, 2, 3, 3, 4, 5, 6});
    // One stream: nothing overlaps.
    for (host_task& each : t) each.stream.number = 1;
    CHECK(run(t, std::array{plain}).seconds == doctest::Approx(9 * ms).epsilon(1e-12));
}

TEST_CASE("the default stream waits for blocking streams, and they for it") {
    const double part = 0.25;
    const host_stream apart{1, true};
    const auto e =
        run({host_task::launch(0, ms, part).in(1), host_task::launch(0, ms, part),
             host_task::launch(0, ms, part).in(2), host_task::launch(0, 1.5 * ms, part).in(apart),
             host_task::launch(0, ms, part).in(1)},
            std::array{plain});
    check_spans(e, {0, 1, 1, 2, 2, 3, 0, 1.5, 2, 3});
    // The default stream of one device is not that of another.
    const std::array both{plain, plain};
    check_spans(run({host_task::launch(0, ms).in(1), host_task::launch(1, ms)}, both),
                {0, 1, 0, 1});
    // Neither does it wait for a stream that does not block.
    check_spans(
        run({host_task::launch(0, ms, part).in(apart), host_task::launch(0, ms, part)}, both),
        {0, 1, 0, 1});
}

TEST_CASE("events order streams, of one device and of several") {
    const std::array both{plain, plain};
    const auto e = run({host_task::launch(0, 2 * ms).in(1), host_task::record(0, 7).in(1),
                        host_task::launch(0, ms).in(1), host_task::wait(1, 7).in(1),
                        host_task::launch(1, ms).in(1), host_task::synchronise_event(7),
                        host_task::launch(1, ms).in(2)},
                       both);
    // The second kernel of device 1 is asked for when the event has happened, after the first.
    check_spans(e, {0, 2, 2, 2, 2, 3, 2, 2, 2, 3, 0, 2, 3, 4});
    CHECK(e.host_s == doctest::Approx(2 * ms).epsilon(1e-12));
    // A wait is for the record before it, not for a later one of the same event.
    check_spans(run({host_task::record(0, 0).in(1), host_task::wait(0, 0).in(2),
                     host_task::launch(0, ms, 0.5).in(1), host_task::record(0, 0).in(1),
                     host_task::launch(0, ms, 0.5).in(2)},
                    both),
                {0, 0, 0, 0, 0, 1, 1, 1, 0, 1});
    // A record in the default stream waits for all streams.
    check_spans(run({host_task::launch(0, ms).in(1), host_task::record(0, 0),
                     host_task::synchronise_event(0)},
                    both),
                {0, 1, 1, 1, 0, 1});
}

TEST_CASE("the host waits for one stream, or for all of a device") {
    const std::array both{plain, plain};
    check_spans(run({host_task::launch(0, ms, 0.5).in(1), host_task::launch(0, 2 * ms, 0.5).in(2),
                     host_task::synchronise_stream(0, {1, false}), host_task::copy_to(1, 1e7),
                     host_task::synchronise(0), host_task::synchronise(1)},
                    both),
                {0, 1, 0, 2, 0, 1, 1, 2, 2, 2, 2, 2});
}

TEST_CASE("kernels run beside each other as far as the device and the limit allow") {
    const auto in_streams = [](std::initializer_list<double> fractions) {
        tasks t;
        for (const double f : fractions) {
            t.push_back(host_task::launch(0, ms, f).in(static_cast<std::uint32_t>(t.size() + 1)));
        }
        return t;
    };
    const double third = 1.0 / 3;
    const auto e = run(in_streams({third, third, third, third}), std::array{plain});
    check_spans(e, {0, 1, 0, 1, 0, 1, 1, 2});
    CHECK(e.kernels_s[0] == doctest::Approx(2 * ms).epsilon(1e-12));
    linked_device limited = plain;
    limited.concurrent_kernels = 2;
    check_spans(run(in_streams({third, third, third, third}), std::array{limited}),
                {0, 1, 0, 1, 1, 2, 1, 2});
    // A kernel that has no room holds up those behind it.
    check_spans(run(in_streams({0.5, 0.75, 0.25}), std::array{plain}), {0, 1, 1, 2, 1, 2});
}

TEST_CASE("copies over one link share it") {
    linked_device wide = plain;
    wide.to_engines = 2;
    const tasks t{host_task::copy_to(0, 10 * megabytes).in(1), host_task::launch(0, 0.5 * ms).in(2),
                  host_task::copy_to(0, 10 * megabytes).in(2)};
    check_spans(run(t, std::array{wide}), {0, 1.5, 0, 0.5, 0.5, 2});
    check_spans(run(t, std::array{plain}), {0, 1, 0, 0.5, 1, 2});
    // While one is under way without moving bytes, another has the link alone.
    wide.latency_s = 0.5 * ms;
    check_spans(run({host_task::copy_to(0, 10 * megabytes).in(1), host_task::copy_to(0, 0).in(2)},
                    std::array{wide}),
                {0, 1.5, 0, 0.5});
}

TEST_CASE("copies between devices take their link") {
    const std::array both{plain, plain};
    const std::array links{
        peer_link{.from = 0, .to = 1, .bytes_per_s = 100e9, .latency_s = 0.1 * ms},
        peer_link{.from = 1, .to = 0, .bytes_per_s = 50e9, .latency_s = 0}};
    check_spans(run({host_task::copy_peer(0, 1, 100e6), host_task::copy_peer(1, 0, 100e6),
                     host_task::copy_peer(1, 0, 50e6).in(1), host_task::synchronise(0)},
                    both, links),
                {0, 1.1, 0, 2, 2, 3, 0, 1.1});
    CHECK(timeline(tasks{host_task::copy_peer(0, 1, 1)}, both).error() ==
          model_error{errc::missing, "peer", 1});
}

TEST_CASE("memory in parts that are no whole bytes") {
    const double part = 1e9 / 3 / 9;
    std::vector<host_task> program(9, host_task::allocate(0, part));
    program.insert(program.end(), 9, host_task::free(0, part));
    CHECK(run(program, one).peak_bytes[0] == doctest::Approx(1e9 / 3));
}

TEST_CASE("the memory that is allocated at most") {
    const auto e = run({host_task::allocate(0, 6e8), host_task::free(0, 4e8),
                        host_task::allocate(0, 7e8), host_task::free(0, 9e8)},
                       one);
    CHECK(e.peak_bytes == std::vector<double>{9e8});
}

TEST_CASE("errors name the task") {
    const auto error = [](const tasks& t, std::span<const linked_device> devices) {
        const auto e = timeline(t, devices);
        REQUIRE_FALSE(e);
        return e.error();
    };
    CHECK(error({host_task::launch(0, 1), host_task::launch(1, 1)}, one) ==
          model_error{errc::outside_domain, "device", 2});
    CHECK(error({host_task::allocate(0, 6e8), host_task::allocate(0, 6e8)}, one) ==
          model_error{errc::exceeds_memory, "bytes", 2});
    tasks many;
    for (std::uint32_t s = 0; s <= max_host_streams; ++s) {
        many.push_back(host_task::launch(0, 1).in(s));
    }
    CHECK(error(many, one) == model_error{errc::limit_reached, "stream"});
    many.pop_back();
    CHECK(timeline(many, one));
}

// --- Random programs

namespace {

struct random_program {
    tasks program;
    std::vector<linked_device> devices;
    std::vector<peer_link> links;
};

host_task random_task(random_numbers& any, std::size_t device, std::uint32_t& recorded) {
    const double size = any.real(1e-3, 10);
    const int kind = any.whole(0, 9);
    const int stream = any.whole(0, 3);
    const bool apart = any.whole(0, 4) == 0;
    const host_stream in{static_cast<std::uint32_t>(stream), apart};
    if (kind <= 1) return host_task::copy_to(device, size * 1e7).in(in);
    if (kind <= 3) return host_task::copy_from(device, size * 1e7).in(in);
    if (kind == 4) return host_task::copy_peer(device, 1 - device, size * 1e7).in(in);
    if (kind == 5) return host_task::record(device, recorded++).in(in);
    if (kind == 6 && recorded > 0) {
        const int event = any.whole(0, static_cast<int>(recorded) - 1);
        return host_task::wait(device, static_cast<std::uint32_t>(event)).in(in);
    }
    if (kind == 7 && any.whole(0, 3) == 0) return host_task::synchronise(device);
    return host_task::launch(device, size * ms, any.real(0.05, 1)).in(in);
}

random_program random_tasks(unsigned seed) {
    random_numbers any(seed);
    random_program p;
    for (int d = 0; d < 2; ++d) {
        linked_device device{.bytes_per_s = 10e9};
        device.latency_s = any.whole(0, 1) * 1e-5;
        device.launch_overhead_s = any.whole(0, 1) * 5e-6;
        device.to_engines = static_cast<std::uint32_t>(any.whole(1, 2));
        device.from_engines = static_cast<std::uint32_t>(any.whole(0, 2));
        device.concurrent_kernels = static_cast<std::uint32_t>(any.whole(1, 4));
        p.devices.push_back(device);
    }
    p.links = {{0, 1, 20e9, 1e-5}, {1, 0, 5e9, 0}};
    std::uint32_t recorded = 0;
    for (int n = any.whole(1, 40); n > 0; --n) {
        const auto device = static_cast<std::size_t>(any.whole(0, 1));
        p.program.push_back(random_task(any, device, recorded));
    }
    return p;
}

bool overlap(const host_span& a, const host_span& b) {
    return a.start_s < b.end_s && b.start_s < a.end_s;
}

// What of the device runs at a time: with both directions of `t` on the same engines as one.
bool same_engines(const random_program& p, const host_task& a, const host_task& b) {
    const auto side = [&](const host_task& t) {
        if (t.action == host_action::copy_to_device) return 1;
        const bool from =
            t.action == host_action::copy_from_device || t.action == host_action::copy_to_peer;
        return !from ? 0 : p.devices[t.device].from_engines == 0 ? 1 : 2;
    };
    return a.device == b.device && side(a) != 0 && side(a) == side(b);
}

// Of `same` tasks of each, no more run at a time than `limit` says.
template <class Same, class Limit>
void check_at_a_time(const random_program& p, const timeline_estimate& e, Same same, Limit limit) {
    for (std::size_t a = 0; a < p.program.size(); ++a) {
        // Those that run when `a` begins.
        double beside = 0;
        for (std::size_t b = 0; b < p.program.size(); ++b) {
            if (!same(p.program[a], p.program[b])) continue;
            const bool runs =
                e.spans[b].start_s <= e.spans[a].start_s && e.spans[a].start_s < e.spans[b].end_s;
            beside += a == b || runs ? 1 : 0;
        }
        CHECK(beside <= limit(p.program[a]));
    }
}

bool is_launch(const host_task& t) {
    return t.action == host_action::launch;
}

}  // namespace

TEST_CASE("random programs: streams keep their order, engines and devices their limits") {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        const random_program p = random_tasks(seed);
        const auto e = run(p.program, p.devices, p.links);
        CHECK(run(p.program, p.devices, p.links).spans == e.spans);
        std::array<double, 2> moved{};
        std::array<double, 2> computed{};
        for (std::size_t b = 0; b < p.program.size(); ++b) {
            const host_task& t = p.program[b];
            if (t.action == host_action::synchronise) continue;
            CHECK(e.spans[b].start_s <= e.spans[b].end_s);
            CHECK(e.spans[b].end_s <= e.seconds);
            moved[t.device] += t.action == host_action::copy_to_device ? t.bytes : 0;
            computed[t.device] += is_launch(t) ? t.seconds * t.fraction : 0;
            for (std::size_t a = 0; a < b; ++a) {
                const host_task& u = p.program[a];
                if (u.action == host_action::synchronise || u.device != t.device) continue;
                const bool ordered =
                    u.stream == t.stream || (!u.stream.non_blocking && !t.stream.non_blocking &&
                                             (u.stream.is_default() || t.stream.is_default()));
                if (ordered) CHECK(e.spans[a].end_s <= e.spans[b].start_s);
            }
        }
        for (std::size_t d = 0; d < 2; ++d) {
            CHECK(e.seconds * (1 + 1e-9) >= moved[d] / p.devices[d].bytes_per_s);
            CHECK(e.seconds * (1 + 1e-6) >= computed[d]);
            CHECK(e.kernels_s[d] <= e.seconds * (1 + 1e-12));
        }
        check_at_a_time(
            p, e, [&](const host_task& a, const host_task& b) { return same_engines(p, a, b); },
            [&](const host_task& t) {
                const linked_device& d = p.devices[t.device];
                const bool to = t.action == host_action::copy_to_device || d.from_engines == 0;
                return to ? d.to_engines : d.from_engines;
            });
        check_at_a_time(
            p, e,
            [](const host_task& a, const host_task& b) {
                return a.device == b.device && is_launch(a) && is_launch(b);
            },
            [&](const host_task& t) { return p.devices[t.device].concurrent_kernels; });
    }
}

TEST_CASE("one engine: no copy of a direction overlaps another") {
    for (unsigned seed = 1; seed <= 100; ++seed) {
        CAPTURE(seed);
        random_program p = random_tasks(seed);
        for (linked_device& d : p.devices) d.to_engines = d.from_engines = 1;
        const auto e = run(p.program, p.devices, p.links);
        for (std::size_t a = 0; a < p.program.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                if (!same_engines(p, p.program[a], p.program[b])) continue;
                CHECK_FALSE(overlap(e.spans[a], e.spans[b]));
            }
        }
    }
}

TEST_CASE("more engines can end later") {
    // The kernel of the first stream waits for a copy; another copy beside it takes half of the link.
    const tasks t{host_task::copy_to(0, 10 * megabytes).in(1), host_task::launch(0, 5 * ms).in(1),
                  host_task::copy_to(0, 10 * megabytes).in(2)};
    linked_device wide = plain;
    wide.to_engines = 2;
    check_spans(run(t, std::array{plain}), {0, 1, 1, 6, 1, 2});
    check_spans(run(t, std::array{wide}), {0, 2, 2, 7, 0, 2});
    unsigned later = 0;
    unsigned tried = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        random_program p = random_tasks(seed);
        const double before = run(p.program, p.devices, p.links).seconds;
        for (linked_device& d : p.devices) {
            ++d.to_engines;
            ++d.from_engines;
        }
        ++tried;
        later += run(p.program, p.devices, p.links).seconds > before * (1 + 1e-9) ? 1U : 0U;
    }
    MESSAGE(later << " of " << tried << " random programs end later with another engine each way");
    CHECK(later > 0);
    CHECK(later < tried / 4);
}

TEST_CASE("spans differ in begin and end") {
    using warpgauge::host_span;
    CHECK(host_span{1, 2} == host_span{1, 2});
    CHECK_FALSE(host_span{1, 2} == host_span{0, 2});
    CHECK_FALSE(host_span{1, 2} == host_span{1, 3});
}

}  // namespace timeline_test
