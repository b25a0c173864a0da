// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_LAUNCHES_HPP
#define WARPGAUGE_EXAMPLES_LAUNCHES_HPP

#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/profile.hpp>

#include "csv.hpp"

// Measured kernel launches, read from comma-separated text with a heading. The columns below are
// needed, except the last two, in any order; others are passed over. Fields are not quoted.

// Groups that count (kernel and problem size): large enough to matter, and enough to choose from.
inline constexpr double least_size = 512;
inline constexpr std::size_t least_launches = 20;

struct launch {
    std::string program;  // empty where the file does not say
    std::string kernel;
    std::string name;  // the kernel's; with the program's where several have a kernel of that name
    std::string size;  // the problem size, as written
    std::string block_shape;  // "32x8"
    double n{};
    double time_ms{};
    double launches = 1;  // that the time is the sum of
    bool counts_known{};  // the counts below belong to this launch
    double blocks{}, threads_per_block{}, shared_bytes{}, registers{};
    double comp_insts{}, mem_insts{}, transactions{};  // of one warp
};

namespace launch_csv {

enum column {
    kernel,
    n,
    bx,
    by,
    time,
    counts_known,
    blocks,
    threads,
    shared,
    registers,
    comp,
    mem,
    transactions,
    launch_count,
    program,
    column_count
};

inline constexpr csv::column_names<column_count> names{"kernel",
                                                       "N",
                                                       "bx",
                                                       "by",
                                                       "time_ms_median",
                                                       "feature_ok",
                                                       "blocks",
                                                       "threads_per_block",
                                                       "shared_bytes",
                                                       "regs_sm75",
                                                       "comp_insts_per_warp",
                                                       "mem_insts_per_warp",
                                                       "tx_per_warp",
                                                       "launches",
                                                       "app"};

inline constexpr std::size_t needed = launch_count;  // the columns before it

inline warpgauge::model_error read(const csv::row<column_count>& r, launch& to) {
    if (r.has(program)) to.program = r.at(program).text;
    to.kernel = r.at(kernel).text;
    to.size = r.at(n).text;
    to.block_shape = std::string(r.at(bx).text) + "x" + std::string(r.at(by).text);
    const std::string_view known = r.at(counts_known).text;
    to.counts_known = known == "1";
    if (!to.counts_known && known != "0" && !known.empty()) {
        return r.error(counts_known, warpgauge::errc::malformed);
    }
    warpgauge::model_error bad;
    const auto ok = [&](const warpgauge::model_error& e) { return !(bad = e); };
    if (!ok(r.positive(n, to.n)) || !ok(r.positive(time, to.time_ms))) return bad;
    if (r.has(launch_count) && !ok(r.positive(launch_count, to.launches))) return bad;
    if (!to.counts_known) return {};
    const bool read_all =
        ok(r.positive(blocks, to.blocks)) && ok(r.positive(threads, to.threads_per_block)) &&
        ok(r.number(shared, 0, true, to.shared_bytes)) &&
        ok(r.number(registers, 0, true, to.registers)) &&
        ok(r.number(comp, 0, false, to.comp_insts)) && ok(r.number(mem, 0, false, to.mem_insts)) &&
        ok(r.number(transactions, 0, false, to.transactions));
    if (!read_all) return bad;
    if (to.mem_insts > 0 && !(to.transactions > 0)) {
        return r.error(transactions, warpgauge::errc::not_positive);
    }
    return {};
}

}  // namespace launch_csv

// Tells kernels of one name in several programs apart.
inline void name_launches(std::vector<launch>& launches) {
    std::map<std::string_view, std::string_view> program_of;
    std::set<std::string_view> shared;
    for (const launch& l : launches) {
        const auto [found, first] = program_of.try_emplace(l.kernel, l.program);
        if (!first && found->second != l.program) shared.insert(l.kernel);
    }
    for (launch& l : launches) {
        l.name = shared.contains(l.kernel) ? l.program + "/" + l.kernel : l.kernel;
    }
}

// All launches in the text, in order.
// Errors, with line and column: missing (a column), malformed (a row is short or long, a field is no
// number, the file cannot be read), not_positive, negative, limit_reached (too many rows).
inline warpgauge::result<std::vector<launch>> read_launches(std::istream& in) {
    std::vector<launch> launches;
    const auto bad = csv::read_rows(
        in, launch_csv::names, launch_csv::needed,
        [&](const auto& row) { return launch_csv::read(row, launches.emplace_back()); });
    if (bad) return bad;
    name_launches(launches);
    return launches;
}

// The same from a file; says on `std::cerr` why it cannot be read.
inline std::optional<std::vector<launch>> read_launch_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        std::cerr << path << ": cannot be read\n";
        return {};
    }
    auto launches = read_launches(file);
    if (launches) return *std::move(launches);
    std::cerr << path << ": " << message(launches.error()).view() << '\n';
    return {};
}

// Gives every launch the grid, block and counts of the same program, kernel, size and block shape in `others`:
// they depend on the code, not on the GPU. Those that are not there are left without counts, and counted on
// `std::cerr`.
inline void take_counts(std::vector<launch>& launches, const std::vector<launch>& others) {
    std::map<std::array<std::string, 4>, const launch*> known;
    for (const launch& l : others) {
        if (l.counts_known) known[{l.program, l.kernel, l.size, l.block_shape}] = &l;
    }
    std::size_t without = 0;
    for (launch& l : launches) {
        const auto found = known.find({l.program, l.kernel, l.size, l.block_shape});
        const auto [time_ms, launches_timed] = std::pair(l.time_ms, l.launches);
        const std::string name = l.name;
        if (found != known.end()) l = *found->second;
        l.name = name;
        l.time_ms = time_ms;
        l.launches = launches_timed;
        l.counts_known = found != known.end();
        if (!l.counts_known) ++without;
    }
    if (without > 0) {
        std::cerr << without << " of " << launches.size()
                  << " launches: no counts of the same program, kernel, size and block\n";
    }
}

// The launch as a profile; its name refers to `l`. All memory instructions count as uncoalesced,
// with the measured mean of transactions per instruction.
inline warpgauge::kernel_profile<> profile_of(const launch& l) {
    return {.name = l.name,
            .blocks = l.blocks,
            .threads_per_block = l.threads_per_block,
            .registers_per_thread = l.registers,
            .shared_bytes_per_block = l.shared_bytes,
            .comp_insts = l.comp_insts,
            .uncoalesced_mem_insts = l.mem_insts,
            .transactions_per_uncoalesced = l.mem_insts > 0 ? l.transactions / l.mem_insts : 1.0};
}

#endif
