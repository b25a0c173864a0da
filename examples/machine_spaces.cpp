// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How well configurations of tunable kernels are ordered from their PTX, and from the machine code that ptxas makes of
// it, where the times of the same configurations are public.
//
//     machine_spaces DIR [CACHE [ROWS]]
//
// DIR as for tuning_spaces: of each recorded configuration the parameters and the time are read, nothing else. Compiled
// is examples/tunable, written for the same task and set up as the recorded counts say of the programs that were
// measured. CACHE: a folder for what nvcc and ptxas write, about 1.5 s a configuration. ROWS: the first so many of each
// space.
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <warpgauge/devices/a100_pcie_40gb.hpp>
#include <warpgauge/devices/geforce_rtx_2080_ti.hpp>
#include <warpgauge/devices/geforce_rtx_3090.hpp>
#include <warpgauge/devices/rtx_a4000.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/ptx/trace/record_requests.hpp>
#include <warpgauge/sass/cubin.hpp>
#include <warpgauge/sass/join.hpp>
#include <warpgauge/sass/lower.hpp>
#include <warpgauge/sass/machine_stream.hpp>
#include <warpgauge/sm/cache_replay.hpp>
#include <warpgauge/sm/replayed_profile.hpp>
#include <warpgauge/tune/machine_variant.hpp>
#include <warpgauge/tune/rank_from_source.hpp>
#include <warpgauge/tune/score.hpp>

#include "csv.hpp"
#include "kernel_space.hpp"
#include "nvcc.hpp"

namespace {

namespace wg = warpgauge;
namespace ptx = warpgauge::ptx;

// Columns of a recorded configuration, and the macros that they are; the last two are not columns of all spaces.
constexpr std::size_t parameter_count = 8;
struct tunable {
    std::string_view kernel;
    csv::column_names<parameter_count + 1> columns;  // and the time
    std::size_t needed;                              // of them
    std::array<std::string_view, parameter_count> macros;
    std::vector<std::string> others;  // NAME=VALUE
};

const tunable hotspot{
    "hotspot",
    {"ms", "block_size_x", "block_size_y", "tile_size_x", "tile_size_y", "temporal_tiling_factor",
     "loop_unroll_factor_t", "sh_power", "blocks_per_sm"},
    9,
    {"BLOCK_X", "BLOCK_Y", "TILE_X", "TILE_Y", "STEPS", "UNROLL", "POWER_IN_SHARED", "MIN_BLOCKS"},
    {"IN_DOUBLE=1"}};
const tunable convolution{
    "convolution",
    {"ms", "BLOCK_SIZE_X", "BLOCK_SIZE_Y", "TILE_SIZE_X", "TILE_SIZE_Y", "PADDING", "READ_ONLY"},
    7,
    {"BLOCK_X", "BLOCK_Y", "TILE_X", "TILE_Y", "PADDING", "READ_ONLY"},
    {"USE_SHARED=1", "BOUNDED=0"}};

// nvcc had unrolled the filter whole below 5400 multiply-adds, and by four rows from there on: the recorded loads of
// shared memory.
std::string unrolled(double tile) {
    return tile < 24 ? "UNROLL=15" : "UNROLL=4";
}

struct configuration {
    compiled_text text;
    kernel_space::start start;
    double seconds = 0;  // measured, for a unit of work
};

void expect(bool good, const std::string& error) {
    if (!good) throw std::runtime_error(error);
}

configuration compile(const tunable& t, const std::array<double, parameter_count + 1>& row,
                      const nvcc& compiler, const std::string& architecture) {
    const std::string source = std::string(TUNABLE) + "/" + std::string(t.kernel) + ".cu";
    std::string error;
    kernel_space space;
    expect(space.read(file_text(source), "//@", error), error);
    for (std::size_t m = 0; m + 1 < t.needed; ++m) {
        const std::string set = std::string(t.macros[m]) + "=" + kernel_space::whole(row[m + 1]);
        expect(space.set(set, error), error);
    }
    std::vector<std::string> others = t.others;
    if (t.kernel == convolution.kernel) others.push_back(unrolled(row[3] * row[4]));
    for (const std::string& set : others) expect(space.set(set, error), error);
    expect(space.finish(error), error);
    const std::vector<double> point{space.axes()[0].values[0]};
    const auto start = space.launch(point);
    expect(start.has_value(), "no launch");
    configuration c{compiler.compile(source, architecture, space.macros(point), true), *start,
                    row[0] * 1e-3 / start->work};
    expect(c.text.error.empty(), c.text.error);
    return c;
}

std::vector<configuration> read(const std::string& file, const tunable& t, const nvcc& compiler,
                                const std::string& architecture, std::size_t rows) {
    std::ifstream in(file);
    expect(static_cast<bool>(in), file + ": cannot be read");
    std::vector<configuration> all;
    const auto add = [&](const auto& row) -> wg::model_error {
        if (all.size() == rows) return {};
        std::array<double, parameter_count + 1> numbers{};
        for (std::size_t c = 0; c < t.needed; ++c) {
            if (const auto bad = row.number(c, 0, false, numbers[c])) return bad;
        }
        all.push_back(compile(t, numbers, compiler, architecture));
        return {};
    };
    const auto bad = csv::read_rows(in, t.columns, t.needed, add);
    expect(!bad, file + ": " + message(bad).c_str());
    return all;
}

// What is left out, of what the machine code says; `cubin`: all but what the lowering of PTX estimates of it.
enum class without : std::uint8_t { nothing, code, cubin, capacity, spills, stalls };

// A configuration as `rank_from_source` takes it, with its machine code.
struct variant : wg::machine_variant {
    without left_out = without::nothing;

    [[nodiscard]] wg::model_error refine(const ptx::module& text, const ptx::traced_kernel& trace,
                                         wg::traced_variant& to) const {
        if (left_out == without::cubin) {
            const auto code = wg::sass::lower(*ptx::find_kernel(text, trace.name), trace);
            if (!code) return code.error();
            const double spilled = to.counts.traffic.local_bytes / 4;
            const wg::kernel_profile<> k = code->profile(trace);
            to.counts.comp_insts = k.comp_insts + spilled;
            to.counts.sync_insts = k.sync_insts;
            to.counts.shared_insts = k.shared_insts;
            to.counts.branches = k.branches;
            to.counts.ops = k.ops;
            return {};
        }
        if (left_out == without::stalls) return refine_without_stalls(text, trace, to);
        if (const auto bad = wg::machine_variant::refine(text, trace, to)) return bad;
        if (left_out == without::capacity) {
            to.counts.traffic.local_footprint_bytes = 1;  // L1 holds all of it
        }
        if (left_out == without::spills) to.counts.traffic.local_bytes = 0;
        return {};
    }

    [[nodiscard]] wg::model_error refine_without_stalls(const ptx::module& text,
                                                        const ptx::traced_kernel& trace,
                                                        wg::traced_variant& to) const {
        auto code = wg::sass::read_cubin(cubin, trace.name);
        if (!code) return code.error();
        for (auto& i : code->instructions) i.control.stall_cycles = 0;
        const auto executed = wg::sass::join(text, trace, *code);
        if (!executed) return executed.error();
        auto stream = wg::sass::stream_of(*executed, trace);
        if (!stream) return stream.error();
        to.counts = executed->profile(trace);
        to.instructions = std::move(stream->instructions);
        return {};
    }
};

std::vector<wg::traced_variant> trace(const std::vector<configuration>& all, const tunable& t,
                                      without left_out) {
    const auto at = [&](std::size_t n) -> wg::result<variant> {
        const configuration& c = all[n];
        variant v;
        v.ptx = c.text.ptx;
        v.kernel = t.kernel;
        v.launch = c.start.launch;
        v.arguments = c.start.arguments;
        const auto compiled = ptx::read_resources(c.text.ptxas, t.kernel);
        if (compiled) v.compiled = *compiled;
        v.work = c.start.work;
        v.loaded_bytes = c.start.loaded_bytes;
        v.stored_bytes = c.start.stored_bytes;
        if (left_out != without::code && left_out != without::cubin)
            v.cubin = std::as_bytes(std::span(c.text.cubin));
        v.left_out = left_out;
        return v;
    };
    return wg::trace_variants(all.size(), at, {.blocks = ptx::sampling::middle_block});
}

template <class Model>
void print(const char* name, const char* how, const Model& model,
           const std::vector<wg::traced_variant>& traced, const std::vector<double>& measured) {
    const auto ranked = wg::rank_traced(model, traced);
    expect(static_cast<bool>(ranked), "cannot be ranked");
    std::printf("%-23s %-33s", name, how);
    if (ranked->ranking.predicted() < measured.size()) {
        std::size_t n = 0;
        while (!ranked->variants[n].failure) ++n;
        std::printf("  %s\n", ranked->variants[n].failure.message.view().data());
        return;
    }
    const auto& p = ranked->ranking.seconds;
    std::printf("   %.3f   %.3f     %.3f     %5.1f%%\n", *wg::spearman(p, measured),
                *wg::top_pick(p, measured), *wg::top_fraction(p, measured, 0.1),
                100 * *wg::fraction_to_measure(p, measured, 1.05));
}

// What each configuration finds in L1: its middle block, replayed in the part of L1 that is a resident block's.
template <class Device>
std::vector<wg::traced_variant> with_hits(const std::vector<configuration>& all, const tunable& t,
                                          std::vector<wg::traced_variant> traced,
                                          const Device& gpu) {
    for (std::size_t n = 0; n < all.size(); ++n) {
        const configuration& c = all[n];
        const auto& grid = c.start.launch.grid;
        const auto text = ptx::parse(c.text.ptx);
        expect(static_cast<bool>(text), "not PTX");
        const auto kernel = ptx::find_kernel(*text, t.kernel);
        expect(static_cast<bool>(kernel), "no such kernel");
        const auto recorded =
            ptx::record_requests(*kernel, c.start.launch, c.start.arguments,
                                 {.first_block = std::uint64_t{grid.y} / 2 * grid.x + grid.x / 2});
        auto caches = wg::replay_on(traced[n].counts, gpu);
        expect(recorded && caches, "cannot be replayed");
        caches->l1.bytes /= caches->resident_blocks;
        caches->resident_blocks = 1;
        const auto counts = wg::replay_caches(recorded->requests, *caches);
        expect(static_cast<bool>(counts), "cannot be replayed");
        const auto hits = wg::with_l1_hits(traced[n].counts, *counts);
        expect(static_cast<bool>(hits), "nothing to replay");
        traced[n].counts = *hits;
    }
    return traced;
}

struct request {
    std::string folder, cache;
    std::size_t rows = std::numeric_limits<std::size_t>::max();
};

// Milliseconds of the processor that `work` takes for each of `count` configurations.
template <class Work>
double milliseconds(std::size_t count, const Work& work) {
    const std::clock_t start = std::clock();
    work();
    return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC /
           static_cast<double>(count);
}

template <class Device>
void space(const request& r, const nvcc& compiler, const char* file, const char* name,
           const tunable& t, const Device& gpu) {
    const auto cc = Device::capability;
    const std::string architecture = std::to_string(cc.major) + std::to_string(cc.minor);
    const auto all = read(r.folder + "/" + file, t, compiler, architecture, r.rows);
    std::vector<double> measured;
    for (const configuration& c : all) measured.push_back(c.seconds);
    const auto text = trace(all, t, without::code);
    std::vector<wg::traced_variant> code;
    const wg::saturation_model closed{gpu};
    const wg::hybrid_model simulated{gpu};
    constexpr wg::simulation_caps few{.max_simulated = std::uint64_t{1} << 16};
    const wg::hybrid_model shortly{gpu, {.caps = few}};
    const double joining =
        milliseconds(all.size(), [&] { code = trace(all, t, without::nothing); });
    const auto ranking = [&](const auto& model) {
        return milliseconds(all.size(), [&] {
            expect(static_cast<bool>(wg::rank_traced(model, code)), "cannot be ranked");
        });
    };
    std::fprintf(stderr,
                 "%s: %.1f ms a configuration from PTX and cubin to its counts, %.3f more to its "
                 "place by saturation, %.1f by simulation, %.1f by a short one\n",
                 name, joining, ranking(closed), ranking(simulated), ranking(shortly));
    print(name, "saturation, PTX", closed, text, measured);
    print(name, "saturation, PTX lowered", closed, trace(all, t, without::cubin), measured);
    print(name, "saturation, machine code", closed, code, measured);
    print(name, "  with hits in L1", closed, with_hits(all, t, code, gpu), measured);
    print(name, "  without capacity for spills", closed, trace(all, t, without::capacity),
          measured);
    print(name, "  without spills", closed, trace(all, t, without::spills), measured);
    print(name, "simulation, PTX", simulated, text, measured);
    print(name, "simulation, machine code", simulated, code, measured);
    print(name, "  of 65,536 instructions", shortly, code, measured);
    print(name, "  without stalls", simulated, trace(all, t, without::stalls), measured);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 2 || argc > 4) {
        std::cerr << "usage: machine_spaces DIR [CACHE [ROWS]]\n";
        return 2;
    }
    request r{argv[1], argc > 2 ? argv[2] : ""};
    if (argc == 4) {
        const std::string_view rows = argv[3];
        const auto [stop, failed] = std::from_chars(rows.begin(), rows.end(), r.rows);
        expect(failed == std::errc{} && stop == rows.end() && r.rows > 0, "ROWS: not a number");
    }
    std::string error;
    const nvcc compiler("nvcc", r.cache, error);
    expect(error.empty(), error);
    expect(compiler.has_ptxas(), "ptxas not found");
    std::puts(
        "                                                                  of the best          to "
        "measure");
    std::puts(
        "space                   order by                            Spearman  first  first tenth  "
        "for 5%");
    namespace devices = wg::devices;
    space(r, compiler, "hotspot_a100.csv", "hotspot, A100 PCIe", hotspot,
          devices::a100_pcie_40gb{});
    space(r, compiler, "hotspot_a4000.csv", "hotspot, RTX A4000", hotspot, devices::rtx_a4000{});
    space(r, compiler, "convolution_rtx2080ti.csv", "convolution, 2080 Ti", convolution,
          devices::geforce_rtx_2080_ti{});
    space(r, compiler, "convolution_rtx3090.csv", "convolution, 3090", convolution,
          devices::geforce_rtx_3090{});
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
