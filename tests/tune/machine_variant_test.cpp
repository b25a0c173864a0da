// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/tune/machine_variant.hpp>

#include "ptx/kernels.hpp"
#include "sass/cubins.hpp"

namespace machine_variant_test {

using namespace warpgauge;

TEST_CASE("machine code says what a variant executes") {
    const std::string text = kernel_text("saxpy", "sm_75");
    const std::vector<std::byte> cubin = cubin_bytes(saxpy_sm_75);
    const std::vector<std::byte> other = cubin_bytes(histogram_sm_90);
    const std::vector<ptx::argument> arguments{70'000};
    machine_variant plain;
    plain.ptx = text;
    plain.launch = {.grid = {300}, .block = {256}};
    plain.arguments = arguments;
    plain.loaded_bytes = 560'000;
    machine_variant with = plain;
    with.cubin = cubin;
    machine_variant broken = plain;
    broken.cubin = other;
    // Compiled without lines: no section has the name of the table.
    std::vector<std::byte> lineless = cubin;
    constexpr std::string_view table = ".nv_debug_line_sass";
    const auto is_byte = [](std::byte a, char b) { return a == static_cast<std::byte>(b); };
    for (auto at = lineless.begin();;) {
        at = std::search(at, lineless.end(), table.begin(), table.end(), is_byte);
        if (at == lineless.end()) break;
        at[1] = std::byte{'x'};
    }
    machine_variant without = plain;
    without.cubin = lineless;
    const auto no_lines =
        trace_variants(1, [&](std::size_t) { return result<machine_variant>(without); });
    CHECK(no_lines[0].failure.code == errc::missing);
    CHECK(no_lines[0].failure.stage == source_stage::machine);
    const std::vector variants{plain, with, broken};
    const auto at = [&](std::size_t n) { return result<machine_variant>(variants[n]); };
    const auto traced = trace_variants(variants.size(), at);
    REQUIRE(traced.size() == 3);

    // Without a cubin, what the PTX alone says.
    const auto by_text =
        trace_variants(1, [&](std::size_t) { return result<source_variant>(variants[0]); });
    CHECK(traced[0].counts.comp_insts == by_text[0].counts.comp_insts);
    CHECK(traced[0].instructions.size() == by_text[0].instructions.size());

    // 14 instructions of the code; the trace's bytes and the caller's stay.
    CHECK(traced[1].instructions.size() == 14);
    CHECK(traced[1].counts.registers_per_thread == 10);
    CHECK(traced[1].counts.comp_insts < traced[0].counts.comp_insts);
    CHECK(traced[1].counts.accesses.load_sectors == traced[0].counts.accesses.load_sectors);
    CHECK(traced[1].counts.traffic.dram_read_bytes == 560'000);

    // Of another kernel: named, with its stage.
    CHECK(traced[2].failure.code == errc::unknown_name);
    CHECK(traced[2].failure.stage == source_stage::machine);
    CHECK(name(traced[2].failure.stage) == "machine");

    const devices::a100_sxm4_40gb gpu;
    const auto ranked = rank_traced(hybrid_model{gpu}, traced);
    REQUIRE(ranked);
    CHECK(ranked->variants[1].seconds > 0);
    CHECK(ranked->variants[1].seconds < ranked->variants[0].seconds);
    CHECK(ranked->variants[2].failure);
    CHECK(ranked->ranking.order.back() == 2);
}

}  // namespace machine_variant_test
