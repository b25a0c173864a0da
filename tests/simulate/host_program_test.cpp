// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/host_program.hpp>

namespace host_program_test {

using namespace warpgauge;

namespace {

using tasks = std::vector<host_task>;

constexpr linked_device device{.bytes_per_s = 10e9, .memory_bytes = 1e9};
constexpr std::array two{device, device};
constexpr std::array links{peer_link{.from = 0, .to = 1, .bytes_per_s = 1e9}};

model_error error(const tasks& t) {
    return check_program(t, two, links);
}

}  // namespace

TEST_CASE("tasks are of the default stream until they are put in another") {
    constexpr host_task copy = host_task::copy_to(1, 5);
    static_assert(copy.stream.is_default() && copy.host_waits && copy.device == 1);
    constexpr host_task other = copy.in(3);
    static_assert(other.stream == host_stream{3, false} && !other.host_waits && other.bytes == 5);
    static_assert(!host_stream{0, true}.is_default());
    static_assert(!host_task::copy_peer(0, 1, 5).host_waits);
    static_assert(host_task::launch(0, 2).fraction == 1);
    static_assert(host_task::synchronise_stream(1, {2, true}).stream == host_stream{2, true});
}

TEST_CASE("a task has what it was made of") {
    for (const std::size_t d : {0U, 1U}) {
        const double bytes = 5 + static_cast<double>(d);
        const host_task taken = host_task::allocate(d, bytes);
        CHECK(taken.action == host_action::allocate);
        CHECK(taken.device == d);
        CHECK(taken.bytes == bytes);
        const host_task given = host_task::free(d, bytes);
        CHECK(given.action == host_action::free);
        CHECK(given.bytes == bytes);
        const host_task event = host_task::synchronise_event(static_cast<std::uint32_t>(d));
        CHECK(event.action == host_action::synchronise_event);
        CHECK(event.event == d);
        const host_stream stream{static_cast<std::uint32_t>(d), true};
        const host_task whole = host_task::synchronise_stream(d, stream);
        CHECK(whole.action == host_action::synchronise_stream);
        CHECK(whole.stream == stream);
    }
}

TEST_CASE("errors name the task") {
    CHECK_FALSE(error({}));
    CHECK(error({host_task::launch(2, 1)}) == model_error{errc::outside_domain, "device", 1});
    CHECK(error({host_task::copy_to(0, -1)}) == model_error{errc::negative, "bytes", 1});
    CHECK(error({host_task::launch(0, -1)}) == model_error{errc::negative, "seconds", 1});
    CHECK(error({host_task::launch(0, 1e21)}) == model_error{errc::overflow, "seconds", 1});
    for (const double bad : {0.0, -1.0, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK(error({host_task::launch(0, 1, bad)}) ==
              model_error{errc::outside_domain, "fraction", 1});
    }
    CHECK(error({host_task::allocate(0, 6e8), host_task::allocate(1, 6e8),
                 host_task::allocate(0, 6e8)}) == model_error{errc::exceeds_memory, "bytes", 3});
    CHECK_FALSE(
        error({host_task::allocate(0, 6e8), host_task::free(0, 6e8), host_task::allocate(0, 6e8)}));
    CHECK(error({host_task::allocate(0, 1), host_task::free(0, 2)}) ==
          model_error{errc::outside_domain, "bytes", 2});
    CHECK(error({host_task::copy_peer(0, 2, 1)}) == model_error{errc::outside_domain, "peer", 1});
    CHECK(error({host_task::copy_peer(1, 0, 1)}) == model_error{errc::missing, "peer", 1});
    CHECK(error({host_task::wait(0, 3), host_task::record(0, 3)}) ==
          model_error{errc::missing, "event", 1});
    CHECK(error({host_task::synchronise_event(0)}) == model_error{errc::missing, "event", 1});
    CHECK(error({host_task::record(0, max_host_events)}) ==
          model_error{errc::outside_domain, "event", 1});
    CHECK(error({host_task::wait(0, max_host_events)}) ==
          model_error{errc::outside_domain, "event", 1});
    CHECK_FALSE(error({host_task::record(0, 3), host_task::wait(1, 3)}));
    host_task none = host_task::launch(0, 1);
    none.action = static_cast<host_action>(99);
    CHECK(error({none}) == model_error{errc::not_an_enumerator, "action", 1});
}

TEST_CASE("errors name the device or the link") {
    const auto of_device = [](linked_device bad) {
        return check_program({}, std::array{device, bad}, {});
    };
    linked_device bad = device;
    bad.bytes_per_s = 0;
    CHECK(of_device(bad) == model_error{errc::not_positive, "bytes_per_s", 2});
    bad = device;
    bad.launch_overhead_s = -1;
    CHECK(of_device(bad) == model_error{errc::negative, "launch_overhead_s", 2});
    bad = device;
    bad.to_engines = 0;
    CHECK(of_device(bad) == model_error{errc::not_positive, "to_engines", 2});
    bad = device;
    bad.concurrent_kernels = 0;
    CHECK(of_device(bad) == model_error{errc::not_positive, "concurrent_kernels", 2});
    const auto of_link = [](peer_link l) { return check_program({}, two, std::array{l}); };
    CHECK(of_link({2, 1, 1e9, 0}) == model_error{errc::outside_domain, "from", 1});
    CHECK(of_link({1, 2, 1e9, 0}) == model_error{errc::outside_domain, "to", 1});
    CHECK(of_link({1, 1, 1e9, 0}) == model_error{errc::outside_domain, "to", 1});
    CHECK(of_link({1, 0, 0, 0}) == model_error{errc::not_positive, "bytes_per_s", 1});
    CHECK(of_link({1, 0, 1e9, -1}) == model_error{errc::negative, "latency_s", 1});
}

TEST_CASE("parts of the memory that are no whole bytes sum to all of it") {
    for (std::size_t parts = 1; parts <= 64; ++parts) {
        CAPTURE(parts);
        for (const double all : {1e9, 1e9 / 3, 123456789.0}) {
            const double part = all / static_cast<double>(parts);
            tasks by_part(parts, host_task::allocate(0, part));
            tasks at_once = by_part;
            by_part.insert(by_part.end(), parts, host_task::free(0, part));
            CHECK_FALSE(error(by_part));
            at_once.push_back(host_task::free(0, all));
            at_once.push_back(host_task::allocate(0, 1e9));
            CHECK_FALSE(error(at_once));
        }
    }
    // But not a byte more than that.
    CHECK(error({host_task::allocate(0, 1e9 + 1)}).code == errc::exceeds_memory);
    CHECK(error({host_task::allocate(0, 1e9 / 3), host_task::free(0, 1e9 / 3 + 1)}) ==
          model_error{errc::outside_domain, "bytes", 2});
}

TEST_CASE("memory of no known size, links by both ends, and events that nobody has recorded") {
    std::array unlimited = two;
    unlimited[0].memory_bytes = 0;
    CHECK_FALSE(check_program(tasks{host_task::allocate(0, 1e18)}, unlimited, links));
    CHECK(error({host_task::allocate(0, 2e9)}).code == errc::exceeds_memory);
    constexpr std::array both{peer_link{.from = 0, .to = 2, .bytes_per_s = 1e9},
                              peer_link{.from = 0, .to = 1, .bytes_per_s = 1e9}};
    constexpr std::array three{device, device, device};
    CHECK_FALSE(check_program(tasks{host_task::copy_peer(0, 1, 5)}, three, both));
    CHECK(check_program(tasks{host_task::copy_peer(1, 0, 5)}, three, both) ==
          model_error{errc::missing, "peer", 1});
    CHECK(error({host_task::wait(0, 7)}) == model_error{errc::missing, "event", 1});
    CHECK(error({host_task::record(0, 3), host_task::wait(0, 1)}) ==
          model_error{errc::missing, "event", 2});
    CHECK_FALSE(error({host_task::record(0, 3), host_task::wait(0, 3)}));
}

}  // namespace host_program_test
