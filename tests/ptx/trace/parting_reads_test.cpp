// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/parting_reads.hpp>

#include "ptx/linked.hpp"

namespace parting_reads_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

// Loads of 128 B by the first of two warps in some block, and a store; the second warp's are beside them.
struct recorded_loads {
    void add(std::uint32_t step, std::uint64_t first, std::int64_t by_block) {
        record.distances.push_back({by_block, 64, 0, 4});
        record.runs.push_back({first, first + 128});
        record.accesses.push_back({.step = step,
                                   .active = all,
                                   .runs = 1,
                                   .place = static_cast<std::uint32_t>(record.runs.size() - 1),
                                   .by = static_cast<std::uint32_t>(record.distances.size() - 1)});
    }
    [[nodiscard]] double sectors(std::uint32_t blocks) const {
        parting_reads<> reads(k.program, {blocks - 1, 0, 0}, begins);
        reads.add(record);
        return reads.sectors();
    }

    static constexpr std::uint32_t all = 0xffff'ffff;
    linked_text k{
        kernel_of("ld.global.u32 %r3, [%d1];\nld.global.u32 %r4, [%d1];\n"
                  "st.global.u32 [%d1], %r4;\nret;")};
    warp_begins<> begins{{64}};
    warp_record<> record;
    std::uint32_t first_load = instructions_before_body;
};

}  // namespace

TEST_CASE("loads that move alike part nowhere, wherever they read") {
    recorded_loads loads;
    loads.add(loads.first_load, 4096, 256);
    loads.add(loads.first_load + 1, 4096, 256);
    loads.add(loads.first_load + 1, 8192, 256);
    CHECK(loads.sectors(100) == 0);
}

TEST_CASE("loads that move otherwise part where they meet in some block") {
    recorded_loads loads;
    loads.add(loads.first_load, 4096, 256);
    loads.add(loads.first_load + 1, 8192, 0);
    CHECK(loads.sectors(1) == 0);
    CHECK(loads.sectors(16) == 0);
    CHECK(loads.sectors(17) > 8);  // 256 B of two warps, and perhaps a part of one more
    CHECK(loads.sectors(17) < 9);
    // Of another block: block 7 reads there what block 0 does 7 * 256 B before.
    loads.record.of.block = {7, 0, 0};
    CHECK(loads.sectors(23) == 0);
    CHECK(loads.sectors(24) > 0);
}

TEST_CASE(
    "what lies between two loads that move alike is met by neither, and stores do not count") {
    recorded_loads loads;
    loads.add(loads.first_load, 4096, 1024);
    loads.add(loads.first_load + 1, 1U << 20, 1024);
    loads.add(loads.first_load, 1U << 16, 512);
    CHECK(loads.sectors(8) == 0);
    loads.add(loads.first_load + 2, 4096, 0);
    CHECK(loads.sectors(8) == 0);
}

TEST_CASE("lanes that make no runs are met where they read") {
    recorded_loads loads;
    loads.add(loads.first_load, 4096, 0);
    warp_access lanes;
    lanes.active = 3;
    lanes.addresses[0] = 9000;
    lanes.addresses[1] = 5000;
    loads.record.known.push_back(lanes);
    loads.record.distances.push_back({-256});
    loads.record.accesses.push_back({.step = loads.first_load + 1, .active = 3, .by = 1});
    CHECK(loads.sectors(3) == 0);
    CHECK(loads.sectors(4) > 0);
    // Of unknown addresses, nothing is known.
    loads.record.accesses.back().active = 0;
    CHECK(loads.sectors(4) == 0);
}

}  // namespace parting_reads_test
