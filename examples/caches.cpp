// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a kernel's text to what hits where: some blocks' addresses through the caches of an RTX 2070 SUPER.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <warpgauge/devices/geforce_rtx_2070_super.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/ptx/trace/record_requests.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/sm/replayed_profile.hpp>

namespace {

namespace wg = warpgauge;
namespace ptx = warpgauge::ptx;
namespace report = warpgauge::report;

struct launched {
    const char* file;
    const char* kernel;
    ptx::launch launch;
    std::uint32_t n;
};

struct answer {
    wg::cache_replay counts;
    wg::saturation_estimate<> estimate;
};

// region: replay
wg::result<answer> replay(const ptx::kernel& kernel, const launched& l) {
    const wg::devices::geforce_rtx_2070_super gpu;
    const auto traced = ptx::trace(kernel, l.launch, {l.n});
    if (!traced) return traced.error();
    const auto caches = replay_on(traced->profile(), gpu, 4);  // four of its SMs
    if (!caches) return caches.error();
    // Three rounds of blocks, from the middle of the grid.
    const std::uint64_t blocks = 3ULL * caches->sms * caches->resident_blocks;
    const auto recorded = ptx::record_requests(
        kernel, l.launch, {l.n}, {.first_block = l.launch.grid.count() / 2, .blocks = blocks});
    if (!recorded) return recorded.error();
    const auto counts = wg::replay_caches(recorded->requests, *caches);
    if (!counts) return counts.error();
    const auto k = with_replay(traced->profile(), *counts);
    if (!k) return k.error();
    const auto estimate = wg::saturation_model{gpu}.predict(k->profile);
    if (!estimate) return estimate.error();
    return answer{*counts, *estimate};
}
// endregion

std::string text_of(const std::string& file) {
    std::ifstream in(std::string(KERNELS) + "/" + file + ".sm_75.ptx");
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string percent(double fraction) {
    return report::fixed(100 * fraction, 1) + "%";
}

}  // namespace

int main() {
    report::table t({"kernel", "sectors a warp", "hit L1", "then hit L2", "DRAM, B a sector",
                     "blocks a sector", "us", "limited by"});
    for (const launched& l : {launched{"saxpy", "saxpy", {{4096}, {256}}, 1 << 20},
                              launched{"transpose", "transpose_naive", {{64, 64}, {32, 32}}, 2048},
                              launched{"transpose", "transpose_padded", {{64, 64}, {32, 32}}, 2048},
                              launched{"jacobi", "jacobi_naive", {{4, 254, 254}, {64}}, 256},
                              launched{"matmul", "matmul_naive", {{16, 16}, {16, 16}}, 256},
                              launched{"matmul", "matmul_tiled", {{16, 16}, {16, 16}}, 256}}) {
        const std::string text = text_of(l.file);
        const auto m = ptx::parse(text);
        if (!m) return 1;
        const auto kernel = ptx::find_kernel(*m, l.kernel);
        if (!kernel) return 1;
        const auto a = replay(*kernel, l);
        if (!a) {
            std::cerr << l.kernel << ": " << message(a.error()).view() << '\n';
            return 1;
        }
        const wg::cache_replay& c = a->counts;
        const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
        const double sectors = number(c.load_sectors + c.l2_stores);
        t.add({l.kernel, report::fixed(sectors / number(c.warps), 0), percent(c.l1_hit_fraction()),
               percent(c.l2_hit_fraction()),
               report::fixed(32 * number(c.dram_reads + c.dram_writes) / sectors, 1),
               report::fixed(c.blocks_per_sector(), 1), report::fixed(1e6 * a->estimate.seconds, 0),
               name(a->estimate.which)});
    }
    std::cout << t;
}
