// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/devices/geforce_rtx_2080_ti.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/saturation/local_memory.hpp>

namespace local_memory_test {

using namespace warpgauge;
namespace parts = warpgauge::detail::saturation;
using doctest::Approx;

namespace {

struct gpu {
    static constexpr double sm_count = 10, clock_hz = 1e9, dram_bytes_per_s = 100e9;
    static constexpr double warp_size = 32, dram_latency_cycles = 400;
    static constexpr double warp_schedulers = 4, issues_per_scheduler = 1;
};
struct cached_gpu : gpu {
    static constexpr double l1_bytes_per_sm = 100e3, l2_bytes = 1e6;
};

constexpr saturation_constants sharp{.l2_filling = {.knee = 1, .width = 1}};

/// 128 threads a block, two on an SM.
template <class Real, class D>
parts::local_traffic<Real> local(const kernel_profile<Real>& k, const D& d,
                                 const saturation_constants& constants = sharp) {
    saturation_launch<Real> l;
    l.active_blocks_per_sm = 2.0;
    return parts::local_memory(k, parts::costs_on<Real>(d, constants), constants, l);
}

constexpr kernel_profile<> spilling(double bytes, double footprint = 0, double shared = 0) {
    return {.threads_per_block = 128,
            .shared_bytes_per_block = shared,
            .traffic = {.local_bytes = bytes, .local_footprint_bytes = footprint}};
}

}  // namespace

TEST_CASE("local memory: a line for each word of a warp; what L1 holds stays there") {
    const auto t = local(spilling(400, 100), cached_gpu{});  // 256 threads of 100 B
    CHECK(t.lines == 100);
    CHECK(t.l2_bytes == 0);
    CHECK(t.dram_bytes == 0);
    CHECK(local(spilling(0), cached_gpu{}).lines == 0);
}

TEST_CASE("local memory: beyond L1, which shared memory leaves less of, then beyond L2") {
    // 256 threads of 500 B are 128 kB: 28% above L1. All SMs: 1.28 MB, as much above L2.
    const auto t = local(spilling(1000, 500), cached_gpu{});
    CHECK(t.l2_bytes == Approx(1000 * 32 * 0.28));
    CHECK(t.dram_bytes == Approx(t.l2_bytes * 0.28));
    CHECK(local(spilling(1000), cached_gpu{}).l2_bytes == t.l2_bytes);  // half of what moves
    // 10 kB a block of 100 leave 80.
    const auto crowded = local(spilling(1000, 500, 10e3), cached_gpu{});
    CHECK(crowded.l2_bytes == Approx(1000 * 32 * 0.6));
    const auto full = local(spilling(1000, 500, 60e3), cached_gpu{});
    CHECK(full.l2_bytes == 1000 * 32);
    CHECK(full.dram_bytes == Approx(full.l2_bytes * 0.28));
    // Ten times as much misses both, and no more than that.
    const auto most = local(spilling(1e4, 5000), cached_gpu{});
    CHECK(most.l2_bytes == 1e4 * 32);
    CHECK(most.dram_bytes == most.l2_bytes);
    // L2 that fills from three quarters on, over half of its size: 0.64 of it is too little, 1.024 misses as follows.
    constexpr saturation_constants slow{.l2_filling = {.knee = 0.75, .width = 0.5}};
    const auto under = local(spilling(500, 250, 60e3), cached_gpu{}, slow);
    CHECK(under.l2_bytes == 500 * 32);
    CHECK(under.dram_bytes == 0);
    const auto over = local(spilling(800, 400, 60e3), cached_gpu{}, slow);
    CHECK(over.dram_bytes == Approx(800 * 32 * (1.024 - 0.75) / 0.5));
}

TEST_CASE("local memory: caches of unknown size") {
    struct l2_alone : gpu {
        double l2_bytes = 1e6;
    };
    struct l1_alone : gpu {
        double l1_bytes_per_sm = 100e3;
    };
    CHECK(local(spilling(1000, 500), l2_alone{}).l2_bytes == 0);
    const auto t = local(spilling(1000, 500), l1_alone{});
    CHECK(t.dram_bytes == t.l2_bytes);
}

TEST_CASE("local memory: lanes take their own case") {
    using pack = lanes<2>;
    auto k = kernel_profile<pack>{};
    k.threads_per_block = 128.0;
    k.traffic.local_bytes.values[1] = 1000;
    k.traffic.local_footprint_bytes.values[1] = 500;
    const auto t = local(k, cached_gpu{});
    CHECK(t.lines.values[0] == 0);
    CHECK(t.dram_bytes.values[0] == 0);
    CHECK(t.l2_bytes.values[1] == Approx(1000 * 32 * 0.28));
}

TEST_CASE("spills take time: more, where fewer fit the caches") {
    // A convolution that spills 6,964 B took six times as long as its arithmetic (RTX 2080 Ti).
    kernel_profile<> k{.blocks = 5000,
                       .threads_per_block = 128,
                       .registers_per_thread = 255,
                       .comp_insts = 8000,
                       .coalesced_mem_insts = 100,
                       .waits = {.counted = true},
                       .traffic = {.dram_read_bytes = 67e6, .dram_write_bytes = 67e6}};
    const saturation_model model{devices::geforce_rtx_2080_ti{}};
    const double without = model.predict(k)->seconds;
    k.traffic.local_bytes = 700;
    k.traffic.local_footprint_bytes = 64;
    const auto few = *model.predict(k);
    CHECK(few.seconds >= without);
    CHECK(few.local_l2_bytes == 0);
    k.traffic.local_bytes = 7000;
    k.traffic.local_footprint_bytes = 2000;
    const auto many = *model.predict(k);
    CHECK(many.local_l2_bytes == 7000 * 32);
    CHECK(many.seconds > 4 * without);
    CHECK(many.dram_bytes > 134e6 + 5000.0 * 4 * 7000 * 32 * 0.99);
}

}  // namespace local_memory_test
