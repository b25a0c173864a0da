// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string_view>

#include <warpgauge/warpgauge.hpp>

#include "core/pack.hpp"

namespace occupancy_test {

using namespace warpgauge;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

constexpr kernel_profile<> kernel(double threads, double registers, double shared = 0) {
    return {.threads_per_block = threads,
            .registers_per_thread = registers,
            .shared_bytes_per_block = shared};
}

struct published {
    compute_capability cc;
    double threads, registers, shared;
    double blocks, percent;  // as printed
};

// [bpg] NVIDIA, CUDA C Best Practices Guide, "Calculating Occupancy": of CUDA 3.2 for 1.x, of 10.2
//       and later for 7.0.
// [guide] NVIDIA, CUDA C Programming Guide 3.2, "Multiprocessor Level".
constexpr published rows[] = {
    {{1, 0}, 128, 12, 0, 5, 83},   // [bpg] "an occupancy of 83% with 5 active 128-thread blocks"
    {{1, 0}, 256, 12, 0, 2, 66},   // [bpg] "66%", "only two 256-thread thread blocks"
    {{1, 2}, 512, 16, 0, 2, 100},  // [guide] 2 x 512 x 16 registers are exactly those of an SM
    {{1, 2}, 512, 17, 0, 1, 50},   // [guide] one register more, and one block alone fits
    {{7, 0}, 128, 37, 0, 12, 75},  // [bpg] "75% with 12 active 128-thread blocks"
    {{7, 0}, 320, 37, 0, 4, 63},   // [bpg] "63% because only four 320-thread thread blocks"
};

}  // namespace

TEST_CASE("published examples") {
    for (const published& row : rows) {
        CAPTURE(row.cc.major);
        CAPTURE(row.registers);
        const auto o =
            occupancy(kernel(row.threads, row.registers, row.shared), *limits_of(row.cc));
        REQUIRE(o);
        CHECK(o->active_blocks_per_sm == row.blocks);
        CHECK(std::fabs(100 * o->occupancy - row.percent) < 1);
        if (row.percent < 100) CHECK(o->limiter == occupancy_limiter::registers);
    }
}

// Before 3.0 the vendor's calculator is a spreadsheet. Its table of physical limits, and registers
// by sec. 4.2 of the Programming Guide 4.2 in whole numbers, written here a second time.
TEST_CASE("1.x and 2.x agree with the formulas of the Programming Guide on every configuration") {
    const auto up = [](int x, int unit) { return (x + unit - 1) / unit * unit; };
    struct limits {
        compute_capability cc;
        int threads, warps, registers, max_registers, unit, shared, shared_unit;
    };
    for (const limits l : {limits{{1, 0}, 512, 24, 8192, 124, 256, 16384, 512},
                           limits{{1, 1}, 512, 24, 8192, 124, 256, 16384, 512},
                           limits{{1, 2}, 512, 32, 16384, 124, 512, 16384, 512},
                           limits{{1, 3}, 512, 32, 16384, 124, 512, 16384, 512},
                           limits{{2, 0}, 1024, 48, 32768, 63, 64, 49152, 128},
                           limits{{2, 1}, 1024, 48, 32768, 63, 64, 49152, 128}}) {
        const sm_limits device = *limits_of(l.cc);
        const bool per_block = l.cc.major == 1;
        int compared = 0;
        int different = 0;
        for (int threads = 16; threads <= l.threads; threads += 16) {
            for (int regs = 1; regs <= l.max_registers; ++regs) {
                for (int shared = 0; shared <= l.shared; shared += 1111) {
                    const int warps = up(threads, 32) / 32;
                    int by_registers = 0;
                    if (per_block) {
                        by_registers = l.registers / up(up(warps, 2) * regs * 32, l.unit);
                    } else {
                        const bool coarse = regs == 21 || regs == 22 || regs == 29 || regs == 30 ||
                                            regs == 37 || regs == 38 || regs == 45 || regs == 46;
                        const int warp = up(regs * 32, coarse ? 2 * l.unit : l.unit);
                        by_registers = l.registers / warp / 2 * 2 / warps;
                        if (warp * up(warps, 2) > l.registers) by_registers = 0;
                    }
                    int blocks = std::min({8, l.warps / warps, by_registers});
                    if (shared > 0) blocks = std::min(blocks, l.shared / up(shared, l.shared_unit));
                    const auto o = occupancy(kernel(threads, regs, shared), device);
                    ++compared;
                    different += (o ? static_cast<int>(o->active_blocks_per_sm) : 0) != blocks;
                }
            }
        }
        CHECK(compared > 40'000);
        CHECK(different == 0);
    }
}

TEST_CASE("the limiter, each in turn") {
    const sm_limits volta = *limits_of({7, 0});
    CHECK(occupancy(kernel(1024, 32), volta)->limiter == occupancy_limiter::warps);
    CHECK(occupancy(kernel(32, 16), volta)->limiter == occupancy_limiter::blocks);
    CHECK(occupancy(kernel(256, 64), volta)->limiter == occupancy_limiter::registers);
    CHECK(occupancy(kernel(64, 16, 40000), volta)->limiter == occupancy_limiter::shared_memory);
}

TEST_CASE("allocation units and reserved memory") {
    const auto o = occupancy(kernel(100, 33, 1000), *limits_of({8, 0}));
    REQUIRE(o);
    CHECK(o->warps_per_block == 4);
    CHECK(o->registers_per_block == 4 * 1280);  // 33 x 32 = 1056, in units of 256
    CHECK(o->shared_bytes_per_block == 2048);   // 1000 + 1024 reserved, in units of 128
    CHECK(o->blocks_by_shared_memory == 82);    // of 164 KiB
}

TEST_CASE("a kernel without registers or shared memory is limited by neither, on any device") {
    for (const sm_limits& device : known_sm_limits) {
        for (double threads = 1; threads <= device.max_threads_per_block; threads += 31) {
            const auto o = occupancy(kernel(threads, 0), device);
            REQUIRE(o);
            CHECK(o->limiter <= occupancy_limiter::blocks);
            CHECK(o->blocks_by_registers >= o->active_blocks_per_sm);
        }
    }
}

TEST_CASE("the next step adds a block, and a register or byte more does not") {
    std::mt19937 random(3);
    int steps = 0;
    for (const sm_limits& device : known_sm_limits) {
        for (int round = 0; round < 400; ++round) {
            const auto regs =
                1 +
                static_cast<int>(random() % static_cast<unsigned>(device.max_registers_per_thread));
            const double shared = static_cast<double>(random() % 3 ? random() % 16000 : 0);
            const kernel_profile<> k =
                kernel(32 + static_cast<double>(random() % 480), regs, shared);
            const auto now = occupancy(k, device);
            const auto step = next_occupancy_step(k, device);
            if (!now) {
                CHECK(step.error() == now.error());
                continue;
            }
            CAPTURE(device.capability.major);
            CAPTURE(device.capability.minor);
            CAPTURE(k.threads_per_block);
            CAPTURE(regs);
            CAPTURE(shared);
            if (!step) {
                const bool full = step.error().code == errc::already_full;
                CHECK((full || step.error().code == errc::exceeds_device));
                const bool by_slots = now->blocks_by_warps < now->active_blocks_per_sm + 1 ||
                                      now->blocks_by_blocks < now->active_blocks_per_sm + 1;
                CHECK(full == by_slots);
                if (full) continue;
                const auto least = occupancy(kernel(k.threads_per_block, 1), device);
                CHECK(least->active_blocks_per_sm == now->active_blocks_per_sm);
                continue;
            }
            ++steps;
            kernel_profile<> then = k;
            then.registers_per_thread = step->registers_per_thread;
            then.shared_bytes_per_block = step->shared_bytes_per_block;
            const auto after = occupancy(then, device);
            REQUIRE(after);
            CHECK(step->active_blocks_per_sm >= now->active_blocks_per_sm + 1);
            CHECK(after->active_blocks_per_sm == step->active_blocks_per_sm);
            CHECK((then.registers_per_thread < k.registers_per_thread ||
                   then.shared_bytes_per_block < k.shared_bytes_per_block));
            if (then.registers_per_thread < k.registers_per_thread) {
                kernel_profile<> more = then;
                more.registers_per_thread += 1;
                CHECK(occupancy(more, device)->active_blocks_per_sm == now->active_blocks_per_sm);
            }
            if (then.shared_bytes_per_block < k.shared_bytes_per_block) {
                kernel_profile<> more = then;
                more.shared_bytes_per_block += 1;
                CHECK(occupancy(more, device)->active_blocks_per_sm == now->active_blocks_per_sm);
            }
        }
    }
    CHECK(steps > 3000);
}

TEST_CASE(
    "the next step of 2.x takes into account that some counts of registers go in the double unit") {
    const sm_limits fermi = *limits_of({2, 0});
    for (int warps = 1; warps <= 16; ++warps) {
        for (int registers = 1; registers <= 63; ++registers) {
            const auto k = kernel(32 * warps, registers);
            const auto step = next_occupancy_step(k, fermi);
            if (!step) continue;
            CAPTURE(warps);
            CAPTURE(registers);
            const auto then = occupancy(kernel(32 * warps, step->registers_per_thread), fermi);
            CHECK(then->active_blocks_per_sm == step->active_blocks_per_sm);
        }
    }
}

TEST_CASE("of several reasons the right one is named") {
    const auto error_of = [](const kernel_profile<>& k, const sm_limits& d) {
        return occupancy(k, d).error();
    };
    const sm_limits first = *limits_of({1, 0});  // with parameters of 1
    CHECK(error_of(kernel(0, 8), first) == model_error{errc::not_positive, "threads_per_block"});
    CHECK(occupancy(kernel(512, 1), first)->registers_per_block == 512);
    // 3.2: a block may have half of the register file; 32 warps of 40 registers take 40 Ki of its 32.
    CHECK(error_of(kernel(1024, 40), *limits_of({3, 2})) ==
          model_error{errc::exceeds_device, "registers_per_thread"});
    // Its check counts the warps of a block in whole quarters of the file: 5 warps of 8192 registers as 8.
    CHECK(occupancy(kernel(128, 255), *limits_of({3, 2}))->active_blocks_per_sm == 2);
    CHECK(error_of(kernel(160, 255), *limits_of({3, 2})) ==
          model_error{errc::exceeds_device, "registers_per_thread"});
    sm_limits d = *limits_of({7, 0});
    d.shared_bytes_per_sm = 4096;
    CHECK(error_of(kernel(1024, 64, 40'000), d) ==
          model_error{errc::exceeds_device, "shared_bytes_per_block"});
    d = *limits_of({7, 0});
    d.reserved_shared_bytes_per_block = 7e7;
    CHECK(error_of(kernel(32, 8), d) ==
          model_error{errc::overflow, "reserved_shared_bytes_per_block"});
    d = *limits_of({7, 0});
    d.register_partitions = 0.5;
    CHECK(error_of(kernel(32, 8), d) == model_error{errc::outside_domain, "register_partitions"});
    d = *limits_of({7, 0});
    d.register_check_partitions = 0.5;
    CHECK(error_of(kernel(32, 8), d) ==
          model_error{errc::outside_domain, "register_check_partitions"});
}

TEST_CASE("where nothing that the kernel gives up adds a block") {
    const sm_limits volta = *limits_of({7, 0});
    CHECK(next_occupancy_step(kernel(1024, 32), volta).error() ==
          model_error{errc::already_full, "active_warps_per_sm"});
    CHECK(next_occupancy_step(kernel(32, 16), volta).error() ==
          model_error{errc::already_full, "active_blocks_per_sm"});
    CHECK(message({errc::already_full, "active_warps_per_sm"}).view() ==
          "active_warps_per_sm is as high as it can be already");
}

TEST_CASE("bad input") {
    const sm_limits volta = *limits_of({7, 0});
    const auto error = [&](double threads, double regs, double shared) {
        return occupancy(kernel(threads, regs, shared), volta).error();
    };
    CHECK(error(0, 0, 0) == model_error{errc::not_positive, "threads_per_block"});
    CHECK(error(not_a_number, 0, 0) == model_error{errc::not_positive, "threads_per_block"});
    CHECK(error(64, -1, 0) == model_error{errc::negative, "registers_per_thread"});
    CHECK(error(64, inf, 0) == model_error{errc::negative, "registers_per_thread"});
    CHECK(error(64, 0, not_a_number) == model_error{errc::negative, "shared_bytes_per_block"});
    CHECK(error(1025, 0, 0) == model_error{errc::exceeds_device, "threads_per_block"});
    CHECK(error(64, 257, 0) == model_error{errc::exceeds_device, "registers_per_thread"});
    CHECK(error(1024, 65, 0) == model_error{errc::exceeds_device, "registers_per_thread"});
    CHECK(error(64, 0, 96 * 1024 + 1) ==
          model_error{errc::exceeds_device, "shared_bytes_per_block"});
    CHECK(occupancy(kernel(64, 0, 96 * 1024), volta));
}

TEST_CASE("an edited device") {
    auto d = edit(devices::geforce_rtx_2070_super{});
    const auto before = occupancy(kernel(256, 64), d);
    d.registers_per_sm *= 2;
    const auto after = occupancy(kernel(256, 64), d);
    CHECK(before->active_blocks_per_sm == 4);
    CHECK(after->active_blocks_per_sm == 4);
    CHECK(after->limiter == occupancy_limiter::warps);
    d.max_warps_per_sm = 2;
    CHECK(occupancy(kernel(256, 64), d).error() ==
          model_error{errc::exceeds_device, "threads_per_block"});
    d = edit(devices::geforce_rtx_2070_super{});
    d.shared_bytes_per_sm /= 4;
    CHECK(occupancy(kernel(256, 64, 40'000), d).error() ==
          model_error{errc::exceeds_device, "shared_bytes_per_block"});
    d.max_blocks_per_sm = 2.5;
    CHECK(occupancy(kernel(64, 32), d)->active_blocks_per_sm == 2);
    CHECK(occupancy(kernel(64, 32), d)->limiter == occupancy_limiter::blocks);
}

TEST_CASE("a step that a coarse unit takes back is none") {
    sm_limits coarse = *limits_of({7, 0});
    coarse.shared_unit_bytes = 8192;
    CHECK(occupancy(kernel(32, 0), coarse)->limiter == occupancy_limiter::shared_memory);
    CHECK(next_occupancy_step(kernel(32, 0), coarse).error() ==
          model_error{errc::exceeds_device, "shared_bytes_per_block"});
}

TEST_CASE("a unit of registers so coarse that no fewer registers make room") {
    sm_limits coarse = *limits_of({7, 0});
    coarse.register_unit = 8192;  // two warps of each quarter of the file, whatever they use
    CHECK(occupancy(kernel(32, 5), coarse)->active_blocks_per_sm == 8);
    CHECK(next_occupancy_step(kernel(32, 5), coarse).error() ==
          model_error{errc::exceeds_device, "registers_per_thread"});
}

TEST_CASE("a block of next to no thread is too small to compute with") {
    const devices::geforce_rtx_2070_super gpu;
    for (const double threads : {5e-324, 1e-308, 9e-11}) {
        const auto o = occupancy(kernel_profile<>{.threads_per_block = threads}, gpu);
        REQUIRE(!o);
        CHECK(o.error() == model_error{errc::overflow, "threads_per_block"});
    }
    CHECK(occupancy(kernel_profile<>{.threads_per_block = 1}, gpu));
}

TEST_CASE("parameters at the edge of what is taken neither overflow nor lose a block") {
    sm_limits huge = *limits_of({1, 0});
    huge.warp_size = huge.max_registers_per_thread = 4e6;
    huge.register_unit = 1;
    CHECK_FALSE(occupancy(kernel(128, 4e6), huge));
}

TEST_CASE("bad figures of a device are named") {
    const auto error = [](auto change) {
        auto d = edit(devices::geforce_rtx_2070_super{});
        change(d);
        const auto o = occupancy(kernel(256, 64), d);
        REQUIRE_FALSE(o);
        return o.error();
    };
    CHECK(error([](auto& d) { d.warp_size = 0; }) == model_error{errc::not_positive, "warp_size"});
    CHECK(error([](auto& d) { d.register_unit = not_a_number; }) ==
          model_error{errc::not_positive, "register_unit"});
    CHECK(error([](auto& d) { d.reserved_shared_bytes_per_block = -1; }) ==
          model_error{errc::negative, "reserved_shared_bytes_per_block"});
    CHECK(error([](auto& d) { d.warp_size = 0.5; }) ==
          model_error{errc::outside_domain, "warp_size"});
    CHECK(error([](auto& d) { d.registers_per_sm = inf; }) ==
          model_error{errc::not_positive, "registers_per_sm"});
    CHECK(error([](auto& d) { d.shared_bytes_per_sm = 1e300; }) ==
          model_error{errc::overflow, "shared_bytes_per_sm"});
}

TEST_CASE("each limit has to be at least 1, and no more than 2^26, whichever it is") {
    struct limit {
        double sm_limits::*member;
        std::string_view field;
    };
    for (const limit& l : {limit{&sm_limits::warp_size, "warp_size"},
                           {&sm_limits::max_threads_per_block, "max_threads_per_block"},
                           {&sm_limits::max_warps_per_sm, "max_warps_per_sm"},
                           {&sm_limits::max_blocks_per_sm, "max_blocks_per_sm"},
                           {&sm_limits::registers_per_sm, "registers_per_sm"},
                           {&sm_limits::max_registers_per_block, "max_registers_per_block"},
                           {&sm_limits::max_registers_per_thread, "max_registers_per_thread"},
                           {&sm_limits::register_unit, "register_unit"},
                           {&sm_limits::register_partitions, "register_partitions"},
                           {&sm_limits::register_check_partitions, "register_check_partitions"},
                           {&sm_limits::shared_bytes_per_sm, "shared_bytes_per_sm"},
                           {&sm_limits::max_shared_bytes_per_block, "max_shared_bytes_per_block"},
                           {&sm_limits::shared_unit_bytes, "shared_unit_bytes"}}) {
        CAPTURE(l.field);
        const auto error = [&](double value) {
            sm_limits d = *limits_of({7, 0});
            d.*l.member = value;
            return occupancy(kernel(1, 1), d).error();
        };
        CHECK(error(0) == model_error{errc::not_positive, l.field});
        CHECK(error(0.75) == model_error{errc::outside_domain, l.field});
        CHECK(error(67'108'865) == model_error{errc::overflow, l.field});
    }
}

TEST_CASE("every lane of a pack has its own answer") {
    const pack threads([](auto i) { return 64.0 * (static_cast<double>(i) + 1); });
    kernel_profile<pack> k;
    k.threads_per_block = threads;
    k.registers_per_thread = 40.0;
    const auto all = occupancy(k, sm_limits_of<8, 6>{});
    REQUIRE(all);
    for (std::size_t i = 0; i < 4; ++i) {
        const auto one = occupancy(kernel(threads[i], 40), sm_limits_of<8, 6>{});
        CHECK(all->active_blocks_per_sm[i] == one->active_blocks_per_sm);
        CHECK(all->limiter[i] == static_cast<double>(one->limiter));
    }
}

TEST_CASE("each limit of occupancy has a name") {
    constexpr std::string_view words[] = {"warps", "blocks", "registers", "shared memory"};
    unsigned number = 0;
    for (const std::string_view expected : words) {
        CHECK(name(static_cast<occupancy_limiter>(number)) == expected);
        ++number;
    }
    CHECK(name(static_cast<occupancy_limiter>(number)) == "unknown");
}

namespace {

// Waves on a SIMD for so many vector registers.
struct wave_row {
    double registers;
    double gfx9, gfx950;      // waves of 64
    double gfx1030, gfx1100;  // waves of 32
    double gfx1030_64, gfx1100_64;
};

double waves_per_simd(const cu_limits& cu, double registers, double threads, double lds_bytes) {
    const auto o = occupancy(kernel(threads, registers, lds_bytes), cu);
    REQUIRE(o);
    return o->active_warps_per_sm / cu.register_partitions;
}

}  // namespace

TEST_CASE("waves by registers are those of LLVM's table") {
    // LLVM, test/CodeGen/AMDGPU/occupancy-levels.ll, "used_N_vgprs", by gfx900, gfx950, gfx1030 and gfx1100 in waves of
    // 32, then of 64. gfx908 has the vector registers of gfx900, gfx90a and gfx942 those of gfx950.
    constexpr wave_row levels[] = {
        {24, 10, 8, 16, 16, 16, 16}, {28, 9, 8, 16, 16, 16, 16}, {32, 8, 8, 16, 16, 16, 16},
        {36, 7, 8, 16, 16, 12, 16},  {40, 6, 8, 16, 16, 12, 16}, {44, 5, 8, 16, 16, 10, 16},
        {48, 5, 8, 16, 16, 10, 16},  {56, 4, 8, 16, 16, 9, 12},  {64, 4, 8, 16, 16, 8, 10},
        {72, 3, 7, 12, 16, 7, 10},   {80, 3, 6, 12, 16, 6, 9},   {84, 3, 5, 10, 16, 5, 9},
        {88, 2, 5, 10, 16, 5, 8},    {96, 2, 5, 10, 16, 5, 8},   {100, 2, 4, 9, 12, 4, 7},
        {112, 2, 4, 9, 12, 4, 6},    {128, 2, 4, 8, 10, 4, 5},   {144, 1, 3, 7, 10, 3, 5},
        {168, 1, 3, 5, 9, 3, 4},     {200, 1, 2, 4, 7, 2, 3},    {256, 1, 2, 4, 5, 2, 2}};
    using enum amd_processor;
    for (const wave_row& r : levels) {
        CAPTURE(r.registers);
        const auto waves = [&](amd_processor p, int size) {
            return waves_per_simd(*limits_of(p, size), r.registers, size, 0);
        };
        CHECK(waves(gfx908, 64) == r.gfx9);
        CHECK(waves(gfx90a, 64) == r.gfx950);
        CHECK(waves(gfx942, 64) == r.gfx950);
        CHECK(waves(gfx1030, 32) == r.gfx1030);
        CHECK(waves(gfx1100, 32) == r.gfx1100);
        CHECK(waves(gfx1030, 64) == r.gfx1030_64);
        CHECK(waves(gfx1100, 64) == r.gfx1100_64);
    }
    // The same file, agpr-register-count.ll: 44 and 56 registers with accumulation registers, gfx90a: 8.
    CHECK(waves_per_simd(*limits_of(gfx90a, 64), 56, 64, 0) == 8);
}

TEST_CASE("waves by LDS are those of LLVM's table") {
    // The same table, "used_lds_8252_max_group_size_N" of gfx900, in waves of a SIMD, rounded up: 7 groups.
    const cu_limits cu = *limits_of(amd_processor::gfx908, 64);
    CHECK(std::ceil(waves_per_simd(cu, 0, 64, 8252)) == 2);
    CHECK(std::ceil(waves_per_simd(cu, 0, 96, 8252)) == 4);
    CHECK(std::ceil(waves_per_simd(cu, 0, 128, 8252)) == 4);
    CHECK(occupancy(kernel(128, 0, 8252), cu)->limiter == occupancy_limiter::shared_memory);
    CHECK(occupancy(kernel(128, 0, 8252), cu)->shared_bytes_per_block == 17 * 512);
    // RDNA hands out 1 KiB: 7 groups of 9 KiB fill 63 KiB.
    const cu_limits rdna = *limits_of(amd_processor::gfx1030, 32);
    CHECK(occupancy(kernel(128, 0, 8252), rdna)->shared_bytes_per_block == 9 * 1024);
    CHECK(occupancy(kernel(128, 0, 8252), rdna)->active_blocks_per_sm == 7);
}

TEST_CASE("work-groups of several waves need one of 16 barriers, those of one wave none") {
    const devices::instinct_mi250x gpu;
    CHECK(occupancy(kernel(64, 32), gpu)->active_blocks_per_sm == 32);
    CHECK(occupancy(kernel(64, 32), gpu)->limiter == occupancy_limiter::warps);
    CHECK(occupancy(kernel(65, 32), gpu)->active_blocks_per_sm == 16);
    const devices::radeon_rx_6900_xt rdna;
    CHECK(occupancy(kernel(32, 32), rdna)->active_blocks_per_sm == 32);
    CHECK(occupancy(kernel(33, 32), rdna)->active_blocks_per_sm == 16);
    const devices::instinct_mi100 mi100;
    CHECK(occupancy(kernel(64, 24), mi100)->active_warps_per_sm == 40);
    CHECK(occupancy(kernel(128, 24), mi100)->active_blocks_per_sm == 16);
    CHECK(occupancy(kernel(128, 24), mi100)->limiter == occupancy_limiter::blocks);
    CHECK(occupancy(kernel(64, 257), mi100).error() ==
          model_error{errc::exceeds_device, "registers_per_thread"});
}

TEST_CASE("the step to another wave on a compute unit") {
    // 72 registers leave 7 waves on a SIMD of CDNA 2; 64 leave 8.
    const auto next = next_occupancy_step(kernel(64, 72), devices::instinct_mi210{});
    REQUIRE(next);
    CHECK(next->registers_per_thread == 64);
    CHECK(next->active_blocks_per_sm > 28);
}

TEST_CASE("the step to another block where registers or shared memory have no room for one more") {
    const devices::h100_sxm5 gpu;
    CHECK_FALSE(detail::sm::diagnose_occupancy(kernel(256, 24), gpu));
    // A block has 1 KiB of its own from 8.0 on: 16 blocks have all 16 KiB, and no step makes it less.
    auto small = edit(gpu);
    small.shared_bytes_per_sm = 16 * 1024;
    CHECK(occupancy(kernel(32, 16), small)->active_blocks_per_sm == 16);
    CHECK(next_occupancy_step(kernel(32, 16), small).error() ==
          model_error{errc::exceeds_device, "shared_bytes_per_block"});
    // A unit of registers for each part of the SM is that of a warp, and no fewer registers are less than a unit.
    auto few = edit(gpu);
    few.registers_per_sm = 4 * few.register_unit;
    CHECK(occupancy(kernel(32, 0), few)->active_blocks_per_sm == 4);
    CHECK(next_occupancy_step(kernel(32, 1), few).error() ==
          model_error{errc::exceeds_device, "registers_per_thread"});
    CHECK(next_occupancy_step(kernel(32, 0), few).error().code == errc::exceeds_device);
    const auto step = next_occupancy_step(kernel(32, 0, 60'000), few);
    REQUIRE(step);
    CHECK(step->active_blocks_per_sm == 4);
}

}  // namespace occupancy_test
