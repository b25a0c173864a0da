// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/sm/occupancy.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "gpus.hpp"
#include "text.hpp"

namespace program {

namespace {

using warpgauge::parameters::residency;
using warpgauge::parameters::warp;
using profile = warpgauge::kernel_profile<>;

double whole_number(const std::string& option, const std::string& text) {
    const auto n = integer_in(text.empty() ? "0" : text);
    if (!n || *n < 0) fail_usage(option + " " + text + ": takes a whole number");
    return static_cast<double>(*n);
}

// A block by its numbers alone.
profile block_of(const request& r) {
    if (r.launch.block.empty())
        fail_usage("--block is needed: threads of a block, as 256 or 16,16");
    const auto block = extent_of("--block", r.launch.block);
    return {.blocks = 1,
            .threads_per_block = static_cast<double>(block.count()),
            .registers_per_thread = whole_number("--registers", r.registers),
            .shared_bytes_per_block = whole_number("--shared", r.launch.shared)};
}

// "registers to 40, shared memory to 8192 B": what makes room for one block more.
template <class Device>
std::string next_step(const profile& k, const Device& d, answer& to, std::vector<cell>& row) {
    const auto step = next_occupancy_step(k, d);
    if (!step) {
        row.insert(row.end(), 3, cell{});
        if (step.error().code == warpgauge::errc::already_full) return "full";
        to.note(std::string(d.name) + ": " + words_of(step.error()));
        return "none";
    }
    std::string text;
    if (step->registers_per_thread < k.registers_per_thread) {
        text = short_number(step->registers_per_thread) + " registers";
    }
    if (step->shared_bytes_per_block < k.shared_bytes_per_block) {
        text +=
            (text.empty() ? "" : ", ") + short_number(step->shared_bytes_per_block) + " B shared";
    }
    row.push_back({"", step->active_blocks_per_sm});
    row.push_back({"", step->registers_per_thread});
    row.push_back({"", step->shared_bytes_per_block});
    return text;
}

void add_row(const warpgauge::any_device& gpu, const profile& k, answer& to) {
    std::vector<cell> row{text_cell(gpu.name())};
    const auto missing = gpu.missing_of<warp, residency>();
    const auto d = gpu.as<warp, residency>();
    const auto o = missing ? missing : warpgauge::occupancy(k, d);
    if (!o) {
        row.push_back({"none", {}});
        row.resize(to.columns.size());
        to.note(std::string(gpu.name()) + ": " + words_of(o.error()));
    } else {
        to.nothing_predicted = false;
        row.push_back(number_cell(o->active_blocks_per_sm));
        row.push_back(number_cell(o->active_warps_per_sm));
        row.push_back(percent_cell(o->occupancy));
        row.push_back(text_cell(name(o->limiter)));
        const std::string step = next_step(k, d, to, row);
        row.push_back(text_cell(step));
    }
    to.rows.push_back(row);
}

}  // namespace

answer occupancy(const request& r) {
    const auto gpus = gpus_called(r.devices);
    answer a{.rows_key = "occupancy",
             .columns = {{"GPU", "gpu"},
                         {"blocks/SM", "blocks_per_sm"},
                         {"warps/SM", "warps_per_sm"},
                         {"occupancy", "occupancy"},
                         {"limited by", "limited_by"},
                         {"", "next_blocks_per_sm"},
                         {"", "next_registers_per_thread"},
                         {"", "next_shared_bytes_per_block"},
                         {"one block more with", "next_step"}},
             .nothing_predicted = true};
    if (r.launch.file.empty()) {
        const profile k = block_of(r);
        a.facts.emplace_back("threads_per_block", k.threads_per_block);
        a.facts.emplace_back("registers_per_thread", k.registers_per_thread);
        a.facts.emplace_back("shared_bytes_per_block", k.shared_bytes_per_block);
        for (const auto& gpu : gpus) add_row(gpu, k, a);
        return a;
    }
    const loaded_kernel kernel(r.launch);
    for (const auto& gpu : gpus) {
        const auto f = kernel.on(gpu);
        introduce(kernel, *f, a, gpus.size() == 1);
        add_row(gpu, f->profile, a);
    }
    return a;
}

}  // namespace program
