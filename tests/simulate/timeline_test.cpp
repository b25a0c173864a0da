// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/timeline.hpp>

namespace timeline_test {

using namespace warpgauge;

namespace {

using tasks = std::vector<host_task>;

// 10 GB/s, 10 us; 5 us until a kernel runs; 1 GB.
constexpr host_link link{
    .bytes_per_s = 10e9, .latency_s = 10e-6, .launch_overhead_s = 5e-6, .memory_bytes = 1e9};
constexpr std::array one{link};
constexpr std::array two{link, link};

model_error error(const tasks& t, std::span<const host_link> devices = one) {
    const auto e = timeline(t, devices);
    REQUIRE_FALSE(e);
    return e.error();
}

}  // namespace

TEST_CASE("to the device, a kernel, and back") {
    const auto e = timeline(
        tasks{host_task::allocate(0, 200e6), host_task::transfer(0, 100e6),
              host_task::launch(0, 2e-3), host_task::synchronise(0), host_task::transfer(0, 100e6)},
        one);
    REQUIRE(e);
    CHECK(e->seconds == doctest::Approx(2 * (10e-6 + 10e-3) + 5e-6 + 2e-3).epsilon(1e-12));
    CHECK(e->host_s == e->seconds);
    CHECK(e->kernels_s == std::vector<double>{2e-3});
    CHECK(e->spans.size() == 5);
    CHECK(e->spans[0].end_s == 0);
    CHECK(e->spans[2].start_s == doctest::Approx(10.015e-3).epsilon(1e-12));
}

TEST_CASE("the host goes on while kernels run, and kernels of a device follow each other") {
    const auto e = timeline(tasks{host_task::launch(0, 1e-3), host_task::launch(0, 1e-3),
                                  host_task::transfer(0, 10e6), host_task::synchronise(0)},
                            one);
    REQUIRE(e);
    CHECK(e->spans[0].start_s == 5e-6);
    CHECK(e->spans[1].start_s == e->spans[0].end_s);  // its overhead is hidden
    CHECK(e->spans[2].start_s == 0);                  // so is the transfer
    CHECK(e->seconds == doctest::Approx(2.005e-3).epsilon(1e-12));
    // Nobody waits: the program's time is that of its last kernel.
    const auto loose = timeline(tasks{host_task::launch(0, 1e-3)}, one);
    REQUIRE(loose);
    CHECK(loose->host_s == 0);
    CHECK(loose->seconds == doctest::Approx(1.005e-3).epsilon(1e-12));
}

TEST_CASE("two devices run side by side") {
    const auto e = timeline(tasks{host_task::transfer(0, 50e6), host_task::launch(0, 8e-3),
                                  host_task::transfer(1, 50e6), host_task::launch(1, 8e-3),
                                  host_task::synchronise(0), host_task::synchronise(1)},
                            two);
    REQUIRE(e);
    CHECK(e->seconds == doctest::Approx(2 * 5.01e-3 + 5e-6 + 8e-3).epsilon(1e-12));
    CHECK(e->kernels_s == std::vector<double>{8e-3, 8e-3});
}

TEST_CASE("a transfer costs what it moves, not ten microseconds at any size (P3)") {
    const auto e = timeline(tasks{host_task::transfer(0, 1e9)}, one);
    REQUIRE(e);
    CHECK(e->seconds == doctest::Approx(0.10001).epsilon(1e-12));
    const auto nothing = timeline(tasks{}, one);
    REQUIRE(nothing);
    CHECK(nothing->seconds == 0);
}

TEST_CASE("errors name the task") {
    CHECK(error({host_task::launch(0, 1), host_task::launch(1, 1)}) ==
          model_error{errc::outside_domain, "device", 2});
    CHECK(error({host_task::transfer(0, -1)}) == model_error{errc::negative, "bytes", 1});
    CHECK(error({host_task::launch(0, -1)}) == model_error{errc::negative, "seconds", 1});
    CHECK(error({host_task::launch(0, 1e21)}) == model_error{errc::overflow, "seconds", 1});
    CHECK(error({host_task::allocate(0, 6e8), host_task::allocate(0, 6e8)}) ==
          model_error{errc::exceeds_memory, "bytes", 2});
    host_link bad = link;
    bad.bytes_per_s = 0;
    CHECK(error({}, std::array{bad}) == model_error{errc::not_positive, "bytes_per_s", 1});
    bad = link;
    bad.launch_overhead_s = -1;
    CHECK(error({}, std::array{link, bad}) == model_error{errc::negative, "launch_overhead_s", 2});
}

}  // namespace timeline_test
