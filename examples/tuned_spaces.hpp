// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_TUNED_SPACES_HPP
#define WARPGAUGE_EXAMPLES_TUNED_SPACES_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/devices/a100_pcie_40gb.hpp>
#include <warpgauge/devices/geforce_rtx_2080_ti.hpp>
#include <warpgauge/devices/geforce_rtx_3090.hpp>
#include <warpgauge/devices/rtx_a4000.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/saturation.hpp>

#include "csv.hpp"

// Random configurations of tunable kernels whose times are public, predicted from counts of one warp of each.

namespace wg = warpgauge;

namespace tuned_spaces {

/// What the columns do not say of a tunable kernel.
struct tunable {
    std::string_view threads_x, threads_y;  // columns
    std::string_view steps;                // column of the steps that a launch computes; empty: one
    double read_bytes{}, written_bytes{};  // of its arrays, each byte once
};

// A step of heat on 4096 x 4096 floats: temperatures and power in, temperatures out.
inline constexpr double grid_bytes = 4.0 * 4096 * 4096;
inline constexpr tunable hotspot{"block_size_x", "block_size_y", "temporal_tiling_factor",
                                 2 * grid_bytes, grid_bytes};
// A filter of 15 x 15 over 4096 x 4096 floats.
inline constexpr tunable convolution{"BLOCK_SIZE_X", "BLOCK_SIZE_Y", "", 4.0 * 4110 * 4110,
                                     grid_bytes};

enum column : std::size_t {
    threads_x,
    threads_y,
    registers,
    shared_bytes,
    spill_bytes,
    insts,
    integer,
    single,
    wide,  // double precision
    special,
    shared,
    global,
    barriers,
    branches,
    coalesced,
    uncoalesced,
    transactions,
    load_passes,
    store_passes,
    warps,
    loads,
    load_sectors,
    load_lines,
    missing_sectors,  // of loads, in L1
    store_sectors,
    ms,
    steps,
    column_count
};

using names = csv::column_names<column_count>;
constexpr names columns_of(const tunable& t) {
    return {t.threads_x,
            t.threads_y,
            "registers_per_thread",
            "shared_bytes_per_block",
            "spill_bytes",
            "instructions",
            "integer",
            "single",
            "double",
            "special",
            "shared",
            "global",
            "barriers",
            "branches",
            "coalesced",
            "uncoalesced",
            "transactions",
            "shared_load_passes",
            "shared_store_passes",
            "warps",
            "trace_l1_reqs",
            "trace_l1_sectors",
            "trace_l1_lines",
            "trace_l1_miss",
            "trace_st_sectors",
            "ms",
            t.steps};
}

using numbers = std::array<double, column_count>;

/// A configuration as the models read it.
inline wg::kernel_profile<> profile_of(const numbers& n, const tunable& t) {
    const double threads = n[threads_x] * n[threads_y];
    // ptxas says how many bytes of a thread the text spills and reloads: each once, 4 B an instruction.
    wg::kernel_profile<> k{
        .blocks = n[warps] / std::ceil(threads / 32),
        .threads_per_block = threads,
        .registers_per_thread = n[registers],
        .shared_bytes_per_block = n[shared_bytes],
        .comp_insts = n[insts] - n[barriers] - n[global] + n[spill_bytes] / 4,
        .coalesced_mem_insts = n[coalesced],
        .uncoalesced_mem_insts = n[uncoalesced],
        .sync_insts = n[barriers],
        .ops = {32 * n[single], 32 * n[wide], 32 * n[integer], 32 * n[special]},
        .shared_passes = n[load_passes] + n[store_passes],
        .shared_insts = n[shared],
        .branches = n[branches],
        .accesses = {.load_sectors = n[load_sectors],
                     .full_store_sectors = n[store_sectors],
                     .lines = n[load_lines]},
        .traffic = {.l2_bytes_per_warp = 32 * (n[missing_sectors] + n[store_sectors]),
                    .dram_read_bytes = t.read_bytes,
                    .dram_write_bytes = t.written_bytes,
                    .local_bytes = n[spill_bytes]}};
    if (n[uncoalesced] > 0) k.transactions_per_uncoalesced = n[transactions] / n[uncoalesced];
    // Each load waits, since its data goes to shared memory before the next is issued: for DRAM where it is the first
    // to touch a sector of the arrays, for L1 where a replay finds it there, else for L2.
    const double sectors = n[warps] * (n[load_sectors] + n[store_sectors]);
    const double first = std::min(1.0, (t.read_bytes + t.written_bytes) / 32 / sectors);
    const double in_l1 = std::min(1 - n[missing_sectors] / n[load_sectors], 1 - first);
    k.waits = {.counted = true,
               .dram_waits = n[loads] * first,
               .l2_waits = n[loads] * (1 - first - in_l1),
               .l1_waits = n[loads] * in_l1};
    return k;
}

inline constexpr std::array<const char*, 3> model_names{"saturation", "roofline", "MWP/CWP"};

/// Seconds of a step, predicted by each model and measured.
struct space {
    std::string name{};
    std::string file{};
    std::array<std::vector<double>, 3> predicted{};
    std::vector<double> measured{};
};

/// Seconds by each model. MWP/CWP reads of a device what no source gives.
template <class Device>
std::array<double, 3> predict(const wg::kernel_profile<>& k, const Device& gpu) {
    const auto issuing =
        wg::with<wg::parameters::issue>(gpu, {.issue_cycles = 1 / gpu.warp_schedulers});
    const auto departing = wg::with<wg::parameters::departures>(
        issuing, {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 2});
    const auto s = wg::saturation_model{gpu}.predict(k);
    const auto r = wg::roofline_model{issuing}.predict(k);
    const auto m = wg::mwp_cwp_model{departing}.predict(k);
    if (!s) throw std::runtime_error(message(s.error()).c_str());
    if (!r) throw std::runtime_error(message(r.error()).c_str());
    if (!m) throw std::runtime_error(message(m.error()).c_str());
    return {s->seconds, r->seconds, m->seconds};
}

template <class Device>
space read_space(const std::string& file, const std::string& name, const tunable& t,
                 const Device& gpu) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + ": cannot be read");
    space of{.name = name, .file = file};
    const names columns = columns_of(t);
    const std::size_t needed = column_count - (t.steps.empty() ? 1 : 0);
    const auto read = [&](const auto& row) -> wg::model_error {
        numbers n{};
        n[steps] = 1;
        for (std::size_t c = 0; c < needed; ++c) {
            if (const auto bad = row.number(c, 0, false, n[c])) return bad;
        }
        const auto seconds = predict(profile_of(n, t), gpu);
        for (std::size_t m = 0; m < seconds.size(); ++m) {
            of.predicted[m].push_back(seconds[m] / n[steps]);
        }
        of.measured.push_back(n[ms] * 1e-3 / n[steps]);
        return {};
    };
    const auto bad = csv::read_rows(in, columns, needed, read);
    if (bad) throw std::runtime_error(file + ": " + message(bad).c_str());
    return of;
}

/// The four spaces in a folder.
inline std::vector<space> read_spaces(const std::string& folder) {
    namespace devices = wg::devices;
    return {read_space(folder + "/hotspot_a100.csv", "hotspot, A100 PCIe", hotspot,
                       devices::a100_pcie_40gb{}),
            read_space(folder + "/hotspot_a4000.csv", "hotspot, RTX A4000", hotspot,
                       devices::rtx_a4000{}),
            read_space(folder + "/convolution_rtx2080ti.csv", "convolution, 2080 Ti", convolution,
                       devices::geforce_rtx_2080_ti{}),
            read_space(folder + "/convolution_rtx3090.csv", "convolution, 3090", convolution,
                       devices::geforce_rtx_3090{})};
}

}  // namespace tuned_spaces

#endif
