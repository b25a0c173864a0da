// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/device_engines.hpp>

namespace device_engines_test {

using namespace warpgauge;

TEST_CASE("those who came first start first, and hold up those behind them at the same engine") {
    constexpr std::array devices{linked_device{.bytes_per_s = 1, .latency_s = 1}};
    const std::array tasks{host_task::copy_to(0, 2),      host_task::copy_to(0, 3),
                           host_task::copy_from(0, 0),    host_task::launch(0, 1, 0.5),
                           host_task::launch(0, 1, 0.75), host_task::launch(0, 1, 0.5)};
    detail::simulate::device_engines<> engines(tasks, devices, {});
    std::vector<std::size_t> seen;
    const auto see = [&](std::size_t task) { seen.push_back(task); };
    engines.get_in_line(1, 0);
    for (const std::size_t t : {0U, 2U, 3U, 4U, 5U}) engines.get_in_line(t, 0);
    engines.start_waiting(0, see);
    CHECK(seen == std::vector<std::size_t>{0, 2, 3});  // equally early: in the order of the program

    std::vector<double> changes;
    engines.for_each_change([&](double at) { changes.push_back(at); });
    CHECK(changes == std::vector<double>{1, 1, 1});  // two latencies and a kernel
    seen.clear();
    engines.end_running(1, see);
    CHECK(seen == std::vector<std::size_t>{3});
    CHECK(engines.kernels_s(0) == 1);
    seen.clear();
    engines.end_running(1, see);
    CHECK(seen == std::vector<std::size_t>{2});  // no bytes, no time
    seen.clear();
    engines.start_waiting(1, see);
    CHECK(seen == std::vector<std::size_t>{4});
    seen.clear();
    engines.end_running(3, see);
    CHECK(seen == std::vector<std::size_t>{0, 4});
}

}  // namespace device_engines_test
