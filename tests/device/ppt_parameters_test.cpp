// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/device/ppt_parameters.hpp>

namespace ppt_parameters_test {

using namespace warpgauge;

namespace {

struct description {
    static constexpr ppt_parameters ppt{.clock_hz = 650e6,
                                        .integer_latency_cycles = 18,
                                        .float_latency_cycles = 19,
                                        .special_latency_cycles = 36,
                                        .l1_latency_cycles = 25,
                                        .l2_latency_cycles = 175,
                                        .idle_dram_latency_cycles = 140,
                                        .loaded_dram_latency_cycles = 800};
};
using described = described_by_ppt<description>;

}  // namespace

TEST_CASE("a described device has the latencies of its description") {
    CHECK(described::integer_latency_cycles == 18);
    CHECK(described::single_precision_latency_cycles == 19);
    CHECK(described::double_precision_latency_cycles == 19);
    CHECK(described::special_function_latency_cycles == 36);
    CHECK(described::shared_latency_cycles == 25);  // of L1, as in the program
    CHECK(described::l1_latency_cycles == 25);
    CHECK(described::l2_latency_cycles == 175);
    CHECK(described::dram_latency_cycles == 140);  // of a queue that is short
    CHECK(described::ppt.clock_hz == 650e6);
}

TEST_CASE("descriptions are equal where every parameter is") {
    ppt_parameters other = description::ppt;
    CHECK(other == description::ppt);
    other.clock_is_whole = true;
    CHECK_FALSE(other == description::ppt);
    other = description::ppt;
    other.launch_overhead_s = 1e-6;
    CHECK_FALSE(other == description::ppt);
    CHECK(ppt_parameters{}.queue_capacity == 0);
}

}  // namespace ppt_parameters_test
