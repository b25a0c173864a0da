// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/kernel/parameters.hpp>

using namespace warpgauge;

TEST_CASE("optional numbers are visited where they are given, and found always") {
    kernel_profile<> k{.blocks = 7};
    std::string names;
    const auto collect = [&](std::string_view name, double) { names += std::string(name) + " "; };
    for_each_parameter(k, collect);
    CHECK(names.find("fp32_ops") == std::string::npos);
    CHECK(names.find("bytes_per_access") != std::string::npos);

    k.ops.fp32_ops = 3;
    k.waits.l2_waits = 2;
    names.clear();
    for_each_parameter(k, collect);
    CHECK(names.find("fp32_ops l2_waits") != std::string::npos);
    CHECK(names.find("dram_waits") == std::string::npos);

    REQUIRE(find_parameter(k, "in_l2_fraction") != nullptr);
    *find_parameter(k, "in_l2_fraction") = 0.5;
    CHECK(k.traffic.in_l2_fraction == 0.5);
    CHECK(find_parameter(k, "block_length") == nullptr);  // no stencil
    CHECK(find_parameter(k, "nothing") == nullptr);
}

TEST_CASE("a profile in another type of number keeps all") {
    kernel_profile<> k{.blocks = 7, .stencil = {.dimensions = 2, .block_length = 9}};
    k.waits = {.counted = true, .steps = 5};
    k.traffic.in_l2_fraction = 0.25;
    const auto g = profile_in<gradient<2>>(k);
    CHECK(g.blocks.value == 7);
    CHECK(g.stencil.block_length.value == 9);
    CHECK(g.waits.counted);
    CHECK(g.waits.steps.value == 5);
    CHECK(g.traffic.in_l2_fraction.value == 0.25);
    CHECK(profile_in<float>(k).waits.steps == 5.0F);
}
