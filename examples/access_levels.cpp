// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The level of each access: from a kernel's text to a simulation in which every load waits for the cache that has its data.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <warpgauge/devices/tesla_t4.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/ptx/trace/record_requests.hpp>
#include <warpgauge/ptx/trace/stream_levels.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/sm/replayed_profile.hpp>

namespace {

namespace wg = warpgauge;
namespace ptx = warpgauge::ptx;
namespace report = warpgauge::report;

constexpr wg::devices::tesla_t4 gpu;

struct times {
    double by_means{};   // s
    double by_levels{};  // s
};

wg::result<times> predict(wg::kernel_profile<> k) {
    const wg::hybrid_model model{gpu};
    const auto by_levels = model.predict(k);
    k.levels = {};
    const auto by_means = model.predict(k);
    if (!by_levels || !by_means) return by_levels ? by_means.error() : by_levels.error();
    return times{by_means->seconds, by_levels->seconds};
}

// clang-format off
// region: by_hand
// A sum along a row, unrolled: the first of four loads comes from DRAM, and brings what the next three load.
constexpr wg::instruction load{.unit = wg::unit_kind::global_memory};
constexpr wg::instruction row[]{
    wg::loop(8, 1000),
        load, load, load, load,
        {.unit = wg::unit_kind::single_precision, .needs = {4, -3}},
        {.unit = wg::unit_kind::single_precision, .needs = {4, 1}},
        {.unit = wg::unit_kind::single_precision, .needs = {4, 1}},
        {.unit = wg::unit_kind::single_precision, .needs = {4, 1}}};
constexpr wg::access_level levels[9]{{}, {1, 1}, {0, 0}, {0, 0}, {0, 0}};

constexpr wg::kernel_profile<> by_hand{.blocks = 40,
                                       .threads_per_block = 64,
                                       .registers_per_thread = 32,
                                       .instructions = row,
                                       .levels = levels,
                                       .traffic = {.l2_bytes_per_warp = 1000 * 128,
                                                   .dram_read_bytes = 80 * 1000 * 128}};
// endregion
// clang-format on

struct launched {
    const char* file;
    const char* kernel;
    ptx::launch launch;
    std::uint32_t n;
};

// region: traced
wg::result<times> of_text(const ptx::kernel& kernel, const launched& l) {
    const auto traced = ptx::trace(kernel, l.launch, {l.n});
    if (!traced) return traced.error();
    const auto caches = replay_on(traced->profile(), gpu, 4);  // four of its SMs
    if (!caches) return caches.error();
    const std::uint64_t blocks = 3ULL * caches->sms * caches->resident_blocks;
    const auto recorded = ptx::record_requests(
        kernel, l.launch, {l.n}, {.first_block = l.launch.grid.count() / 2, .blocks = blocks});
    if (!recorded) return recorded.error();
    const auto counts = wg::replay_sources(recorded->requests, recorded->sources, *caches);
    if (!counts) return counts.error();
    auto k = with_replay(traced->profile(), counts->all);
    const auto levels_of_stream = ptx::stream_levels(*traced, *counts);
    if (!k || !levels_of_stream) return k ? levels_of_stream.error() : k.error();
    k->profile.levels = *levels_of_stream;
    return predict(k->profile);
}
// endregion

std::string text_of(const std::string& file) {
    std::ifstream in(std::string(KERNELS) + "/" + file + ".sm_75.ptx");
    return {std::istreambuf_iterator<char>(in), {}};
}

bool add(report::table& t, const char* name, const wg::result<times>& r) {
    if (!r) {
        std::cerr << name << ": " << message(r.error()).view() << '\n';
        return false;
    }
    t.add({name, report::duration(r->by_means), report::duration(r->by_levels),
           report::fixed(r->by_levels / r->by_means, 2)});
    return true;
}

}  // namespace

int main() {
    report::table t({"kernel", "by the means", "by levels", "ratio"});
    if (!add(t, "row, by hand", predict(by_hand))) return 1;
    for (const launched& l : {launched{"saxpy", "saxpy", {{4096}, {256}}, 1 << 20},
                              launched{"transpose", "transpose_naive", {{64, 64}, {32, 32}}, 2048},
                              launched{"jacobi", "jacobi_naive", {{4, 254, 254}, {64}}, 256},
                              launched{"matmul", "matmul_naive", {{16, 16}, {16, 16}}, 256},
                              launched{"matmul", "matmul_tiled", {{16, 16}, {16, 16}}, 256}}) {
        const std::string text = text_of(l.file);
        const auto m = ptx::parse(text);
        if (!m) return 1;
        const auto kernel = ptx::find_kernel(*m, l.kernel);
        if (!kernel || !add(t, l.kernel, of_text(*kernel, l))) return 1;
    }
    std::cout << t;
}
