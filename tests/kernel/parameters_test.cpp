// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/lanes.hpp>
#include <warpgauge/kernel/parameters.hpp>

namespace parameters_test {

using namespace warpgauge;

namespace {

template <class Real>
std::vector<std::string> names_of(kernel_profile<Real>& k) {
    std::vector<std::string> names;
    for_each_parameter(k, [&](std::string_view name, Real&) { names.emplace_back(name); });
    return names;
}

// Every parameter has a number of its own.
kernel_profile<> numbered(int dimensions) {
    kernel_profile<> k{.name = "numbered", .stencil = {.dimensions = dimensions}};
    double next = 1;
    for_each_parameter(k, [&](std::string_view, double& value) { value = next++; });
    return k;
}

}  // namespace

TEST_CASE("a kernel that is no stencil has eleven parameters, a stencil thirteen more") {
    kernel_profile<> k;
    CHECK(names_of(k) ==
          std::vector<std::string>{"blocks", "threads_per_block", "registers_per_thread",
                                   "shared_bytes_per_block", "active_blocks_per_sm", "comp_insts",
                                   "coalesced_mem_insts", "uncoalesced_mem_insts", "sync_insts",
                                   "transactions_per_uncoalesced", "bytes_per_access"});
    k.stencil.dimensions = 2;
    const auto names = names_of(k);
    REQUIRE(names.size() == 24);
    CHECK(names[11] == "data_length[0]");
    CHECK(names[16] == "halo_width[2]");
    CHECK(names[22] == "iter_insts_per_sm");
    CHECK(names[23] == "element_bytes");
    k.stencil.tile_length[1] = 8;  // optional
    CHECK(names_of(k).size() == 25);
    CHECK(names_of(k)[24] == "tile_length[1]");
}

TEST_CASE("a parameter is visited where it is") {
    const kernel_profile<> k = numbered(3);
    CHECK(k.blocks == 1);
    CHECK(k.threads_per_block == 2);
    CHECK(k.sync_insts == 9);
    CHECK(k.bytes_per_access == 11);
    CHECK(k.stencil.data_length == std::array<double, 3>{12, 14, 16});
    CHECK(k.stencil.halo_width == std::array<double, 3>{13, 15, 17});
    CHECK(k.stencil.block_length == 18);
    CHECK(k.stencil.iter_insts_per_sm == 23);
}

TEST_CASE("a parameter is found by its name") {
    kernel_profile<> k;
    CHECK(find_parameter(k, "comp_insts") == &k.comp_insts);
    CHECK(find_parameter(k, "comp_inst") == nullptr);
    CHECK(find_parameter(k, "") == nullptr);
    CHECK(find_parameter(k, "halo_width[1]") == nullptr);  // no stencil yet
    k.stencil.dimensions = 1;
    CHECK(find_parameter(k, "halo_width[1]") == &k.stencil.halo_width[1]);
    CHECK(find_parameter(k, "tile_length[2]") == &k.stencil.tile_length[2]);  // 0 as yet
    constexpr double found = [] {
        kernel_profile<> p{.blocks = 80};
        return *find_parameter(p, "blocks");
    }();
    static_assert(found == 80);
}

TEST_CASE("a profile in another type of number has the same numbers") {
    for (const int dimensions : {0, 2}) {
        const kernel_profile<> k = numbered(dimensions);
        auto packed = profile_in<lanes<2>>(k);
        CHECK(packed.name == "numbered");
        CHECK(packed.stencil.dimensions == dimensions);
        CHECK(packed.instructions.data() == k.instructions.data());
        double next = 1;
        for_each_parameter(packed, [&](std::string_view name, lanes<2>& value) {
            CAPTURE(name);
            CHECK(double{value.values[0]} == next);
            CHECK(double{value.values[1]} == next);
            ++next;
        });
        CHECK(next == (dimensions == 0 ? 12 : 25));
    }
    // Of a kernel that is no stencil, the stencil's defaults are left.
    CHECK(profile_in<float>(numbered(0)).stencil.stencil_arrays == 1);
}

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

TEST_CASE("every parameter that a profile may have is visited, given or not") {
    kernel_profile<> k;
    std::vector<std::string> names;
    for_each_possible_parameter(k, [&](std::string_view name, double& value) {
        names.emplace_back(name);
        value = static_cast<double>(names.size());
    });
    CHECK(names.front() == "blocks");
    CHECK(names.back() == "local_footprint_bytes");
    CHECK(k.traffic.local_footprint_bytes == static_cast<double>(names.size()));
    CHECK(k.stencil.dimensions == 0);
    k.stencil.dimensions = 1;
    CHECK(names_of(k).size() == names.size());  // all are given now
}

TEST_CASE("a profile in another type of number keeps all") {
    kernel_profile<> k{.blocks = 7,
                       .stencil = {.dimensions = 2, .block_length = 9, .tile_length = {0, 5}}};
    k.waits = {.counted = true, .steps = 5};
    k.traffic.in_l2_fraction = 0.25;
    const auto g = profile_in<gradient<2>>(k);
    CHECK(g.blocks.value == 7);
    CHECK(g.stencil.block_length.value == 9);
    CHECK(g.stencil.tile_length[1].value == 5);
    CHECK(g.stencil.element_bytes.value == 4);
    CHECK(g.waits.counted);
    CHECK(g.waits.steps.value == 5);
    CHECK(g.traffic.in_l2_fraction.value == 0.25);
    CHECK(profile_in<float>(k).waits.steps == 5.0F);
    constexpr access_level levels[2]{};
    k.levels = levels;
    CHECK(profile_in<float>(k).levels.data() == levels);
}

}  // namespace parameters_test
