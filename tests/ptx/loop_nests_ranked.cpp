// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks of the launches of loop nests on a GPU, from their own PTX, beside those from the addresses that the measurements come with.
//
//   loop_nests_ranked loop_nests.ptx DIR [N [KERNEL [SECTORS]]]
//
// With SECTORS, the streams are simulated a second and a third time, with the levels of each access from a replay of about as many sectors
// of a launch, but of a round of blocks at least, without L1 and with it. N may be 0, for all, and KERNEL "".
//
// All launches of `N`, or of 512, 1024 and 2048, but those of `correlate`, whose warps execute ten million instructions each.
// The blocks of a loop nest do all alike but for their alignment, so that a few along each dimension of the grid stand for all: so
// many that they differ in what they read. Saturation and MWP/CWP read the counts of a trace, and the simulation its stream.
// "its sectors", "waits" and "reuse" are of the PTX, but for this one fact, which is of the file. "one wait" is of PTX alone, where
// two_rows_at_once stands for two_rows_times.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <warpgauge/devices/geforce_rtx_2070_super.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/record_requests.hpp>
#include <warpgauge/ptx/trace/stream_levels.hpp>
#include <warpgauge/sm/replayed_profile.hpp>
#include <warpgauge/tune/score.hpp>

#include "../examples/measured_kernels.hpp"
#include "ptx/loop_nests.hpp"

namespace wg = warpgauge;

namespace {

struct compared {
    std::vector<double> from_addresses{}, from_ptx{}, counted{}, simulated{}, measured{};
    std::vector<double> file_sectors{}, file_waits{}, file_reuse{};  // the PTX's but for one fact
    std::vector<double> one_wait{};
    std::vector<double> by_l2_levels{}, by_levels{};  // simulated
};

/// The profile of a measured launch with what its PTX tells in place of what was counted and traced.
wg::kernel_profile<> with_trace(const wg::kernel_profile<>& measured,
                                const wg::ptx::traced_kernel& t) {
    wg::kernel_profile<> p = measured;
    p.comp_insts = t.profile().comp_insts;
    p.uncoalesced_mem_insts = t.insts_of(wg::unit_kind::global_memory);
    p.transactions_per_uncoalesced = t.touched.sectors() / p.uncoalesced_mem_insts;
    p.accesses = t.touched;
    p.waits.steps = t.waits.steps;
    p.waits.longest_steps = t.waits.longest_steps;
    p.waits.reused_fraction = t.waits.reused_fraction;
    return p;
}

wg::ptx::launch sampled(const loop_nests::kernel& k, wg::ptx::launch l) {
    const std::uint32_t columns = k.plane ? 16 : 32;  // two sectors, or a line
    l.grid.x = std::min(l.grid.x, std::max(2U, columns / l.block.x));
    l.grid.y = std::min(l.grid.y, 2U);
    return l;
}

/// Seconds as MWP/CWP has them, with what no source gives as in examples/accuracy.cpp.
double counted_seconds(const wg::kernel_profile<>& p, const measured_gpu& gpu) {
    const auto issuing =
        wg::with<wg::parameters::issue>(gpu, {.issue_cycles = 1 / gpu.warp_schedulers});
    const auto departing = wg::with<wg::parameters::departures>(
        issuing, {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 2});
    const auto e = wg::mwp_cwp_model{departing}.predict(p);
    if (!e) throw std::runtime_error(message(e.error()).c_str());
    return e->seconds;
}

/// The library's GPU, with the memory that the saturation model has for these launches.
struct simulated_gpu : wg::devices::geforce_rtx_2070_super {
    double l2_latency_cycles{}, dram_latency_cycles{};
    double l1_bytes_per_cycle{}, l2_bytes_per_cycle{}, dram_mixed_fraction{};
};

/// Simulates the stream of a trace, and adds the time from kernel to kernel. What L2 and DRAM move is what the saturation
/// model has of the same launch: every sector passes L2, and DRAM has what L2 cannot hold.
double simulated_seconds(wg::kernel_profile<> p, const wg::ptx::traced_kernel& t,
                         const measured_gpu& gpu, double dram_bytes,
                         std::span<const wg::access_level> levels = {}) {
    p.instructions = t.stream;
    p.levels = levels;
    p.traffic.l2_bytes_per_warp = wg::sector_bytes * t.touched.sectors();
    // No byte would mean that nobody knows.
    p.traffic.dram_read_bytes = p.traffic.dram_write_bytes = std::max(1.0, dram_bytes / 2);
    simulated_gpu sm;
    sm.l2_latency_cycles = gpu.l2_latency_cycles;
    sm.dram_latency_cycles = gpu.dram_latency_cycles;
    sm.l1_bytes_per_cycle = gpu.l1_bytes_per_cycle;
    sm.l2_bytes_per_cycle = gpu.l2_bytes_per_cycle;
    sm.dram_mixed_fraction = gpu.dram_mixed_fraction;
    constexpr wg::simulation_caps few{.max_simulated = std::uint64_t{1} << 18};
    const auto e = wg::hybrid_model{sm, {.caps = few}}.predict(p);
    if (!e) throw std::runtime_error(std::string(t.name) + ": " + message(e.error()).c_str());
    return e->seconds + gpu.launch_overhead_s;
}

wg::saturation_estimate<> saturation(const wg::kernel_profile<>& p, const measured_gpu& gpu) {
    const auto e = wg::saturation_model{gpu}.predict(p);
    if (!e) throw std::runtime_error(message(e.error()).c_str());
    return *e;
}

template <class Result>
auto value_of(Result&& r) {
    if (!r) throw std::runtime_error(message(r.error()).c_str());
    return *std::forward<Result>(r);
}

/// The blocks of a launch that are replayed, and the caches.
struct replayed_part {
    wg::ptx::recorded_requests recorded{};
    wg::replay_options caches{};

    replayed_part(const wg::ptx::kernel& kernel, const wg::ptx::launch& l,
                  std::span<const wg::ptx::argument> arguments, const wg::kernel_profile<>& p,
                  double sectors_of_block, double sectors) {
        const wg::devices::geforce_rtx_2070_super gpu;
        const auto grid = static_cast<double>(l.grid.count());
        const double round = value_of(replay_on(p, gpu)).resident_blocks;
        double sms = std::clamp(std::floor(sectors / (sectors_of_block * round)), 1.0, 40.0);
        sms = std::min(sms, grid);
        const double blocks =
            std::min(grid, std::max(sms * round, std::floor(sectors / sectors_of_block)));
        caches = value_of(replay_on(p, gpu, static_cast<std::uint32_t>(sms)));
        caches.max_memory_bytes = std::uint64_t{1} << 33;
        if (blocks == grid) caches.l2.bytes = static_cast<std::uint64_t>(gpu.l2_bytes);
        const double first = std::min(std::floor(grid / 2), grid - blocks);
        recorded =
            value_of(wg::ptx::record_requests(kernel, l, arguments,
                                              {.first_block = static_cast<std::uint64_t>(first),
                                               .blocks = static_cast<std::uint64_t>(blocks),
                                               .max_requests = std::uint64_t{1} << 26,
                                               .trace = {.max_steps = 10'000'000'000}}));
    }

    [[nodiscard]] std::vector<wg::access_level> levels(const wg::ptx::traced_kernel& t,
                                                       bool with_l1) const {
        wg::replay_options o = caches;
        if (!with_l1) o.l1.bytes = 0;
        const auto counts = value_of(wg::replay_sources(recorded.requests, recorded.sources, o));
        return value_of(wg::ptx::stream_levels(t, counts));
    }
};

void add(const wg::ptx::module& m, const measured_kernel& k, int size, const std::string& only,
         double sectors_replayed, std::map<std::string, compared>& to) {
    const auto space = k.group.find(' ');
    const auto last = k.group.rfind(' ');
    const int n = std::atoi(k.group.c_str() + last);
    const auto* nest =
        loop_nests::find(k.group.substr(0, space), k.group.substr(space + 1, last - space - 1));
    if (nest == nullptr || nest->name == "correlate" || (size != 0 && n != size) ||
        (!only.empty() && only != nest->name)) {
        return;
    }
    const auto across = static_cast<std::uint32_t>(std::atoi(k.block.c_str()));
    const auto down =
        static_cast<std::uint32_t>(std::atoi(k.block.c_str() + k.block.find('x') + 1));
    const auto whole =
        loop_nests::measured_launch_of(*nest, static_cast<std::uint32_t>(n), across, down);
    const auto traced = [&](const loop_nests::kernel& which) {
        const bool edges = which.name == "plane_filter";
        return loop_nests::trace(
            m, which, edges ? whole : sampled(which, whole), static_cast<std::uint32_t>(n),
            edges ? wg::ptx::sampling::representative : wg::ptx::sampling::all);
    };
    const auto t = traced(*nest);
    if (!t) throw std::runtime_error(k.group + ": " + message(t.error()).c_str());
    compared& c = to[k.group];
    const wg::kernel_profile<> p = with_trace(k.profile, *t);
    const auto closed = saturation(p, k.gpu);
    auto sectors = p, waits = p, reuse = p;
    sectors.accesses = k.profile.accesses;
    waits.waits.steps = k.profile.waits.steps;
    waits.waits.longest_steps = k.profile.waits.longest_steps;
    reuse.waits.reused_fraction = k.profile.waits.reused_fraction;
    c.file_sectors.push_back(saturation(sectors, k.gpu).seconds);
    c.file_waits.push_back(saturation(waits, k.gpu).seconds);
    c.file_reuse.push_back(saturation(reuse, k.gpu).seconds);
    c.from_addresses.push_back(saturation(k.profile, k.gpu).seconds);
    c.from_ptx.push_back(closed.seconds);
    const bool has_two = nest->name == "two_rows_times";
    c.one_wait.push_back(
        has_two ? saturation(with_trace(k.profile, value_of(traced(loop_nests::two_rows_at_once))),
                             k.gpu)
                      .seconds
                : closed.seconds);
    c.counted.push_back(counted_seconds(p, k.gpu));
    c.simulated.push_back(simulated_seconds(p, *t, k.gpu, closed.dram_bytes));
    c.measured.push_back(k.seconds);
    if (!(sectors_replayed > 0)) return;
    const auto arguments = loop_nests::arguments_of(*nest, static_cast<std::uint32_t>(n));
    const double of_block =
        std::max(1.0, t->touched.sectors() * std::ceil(p.threads_per_block / 32));
    const replayed_part part(value_of(wg::ptx::find_kernel(m, nest->name)), whole, arguments, p,
                             of_block, sectors_replayed);
    const auto timed = [&](bool with_l1) {
        return simulated_seconds(p, *t, k.gpu, closed.dram_bytes, part.levels(*t, with_l1));
    };
    c.by_l2_levels.push_back(timed(false));
    c.by_levels.push_back(timed(true));
}

struct scores {
    double spearman{}, top_1{}, error{};
    double top_of_near{};  // where predictions up to 0.2% above the least are as good as it
};

double top_of_near(std::vector<double> predicted, const std::vector<double>& measured) {
    const double least = *std::min_element(predicted.begin(), predicted.end());
    for (double& p : predicted) p = p <= 1.002 * least ? least : p;
    return *wg::top_pick(predicted, measured);
}

/// The second least prediction over the least, less one.
double lead(std::vector<double> predicted) {
    std::nth_element(predicted.begin(), predicted.begin() + 1, predicted.end());
    return predicted[1] / *std::min_element(predicted.begin(), predicted.begin() + 1) - 1;
}

void print(const char* what, const std::map<std::string, compared>& groups,
           std::vector<double> compared::*predicted) {
    scores sum;
    int count = 0;
    for (const auto& [name, c] : groups) {
        if (c.measured.size() < 20) continue;
        ++count;
        const scores s{*wg::spearman(c.*predicted, c.measured),
                       *wg::top_pick(c.*predicted, c.measured),
                       *wg::mean_error_factor(c.*predicted, c.measured),
                       top_of_near(c.*predicted, c.measured)};
        std::printf("%-16s %-32s %.4f %.4f %.3f, the next %.3f%% longer\n", what, name.c_str(),
                    s.spearman, s.top_1, s.error, 100 * lead(c.*predicted));
        sum.spearman += s.spearman;
        sum.top_1 += std::log(s.top_1);
        sum.error += std::log(s.error);
        sum.top_of_near += std::log(s.top_of_near);
    }
    std::printf("%-16s %2d groups: Spearman %.4f, top-1 %.4f (%.4f within 0.2%%), error %.3f\n",
                what, count, sum.spearman / count, std::exp(sum.top_1 / count),
                std::exp(sum.top_of_near / count), std::exp(sum.error / count));
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 3) return 2;
    std::ifstream file(argv[1]);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto m = wg::ptx::parse(text);
    if (!m) throw std::runtime_error(message(m.error()).c_str());
    measured_kernels all;
    read_loop_nests(argv[2], all);
    std::map<std::string, compared> groups;
    for (const measured_kernel& k : all) {
        if (k.kind != "loop nests") continue;
        add(*m, k, argc > 3 ? std::atoi(argv[3]) : 0, argc > 4 ? argv[4] : "",
            argc > 5 ? std::atof(argv[5]) : 0, groups);
    }
    print("traced addresses", groups, &compared::from_addresses);
    print("PTX", groups, &compared::from_ptx);
    print("one wait", groups, &compared::one_wait);
    print("its sectors", groups, &compared::file_sectors);
    print("its waits", groups, &compared::file_waits);
    print("its reuse", groups, &compared::file_reuse);
    print("MWP/CWP", groups, &compared::counted);
    print("simulated", groups, &compared::simulated);
    if (argc < 6) return 0;
    print("levels, no L1", groups, &compared::by_l2_levels);
    print("levels", groups, &compared::by_levels);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
