// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference results of the authors' program, where they are on the machine.
#ifndef WARPGAUGE_TESTS_HYBRID_GOLDEN_HPP
#define WARPGAUGE_TESTS_HYBRID_GOLDEN_HPP

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <warpgauge/simulate/ppt.hpp>

namespace golden {

using nlohmann::json;
using warpgauge::task;
using warpgauge::unit_kind;

inline json read(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    return json::parse(file);
}

inline warpgauge::ppt_parameters parameters(const json& g) {
    return {.sm_count = g.at("num_SM"),
            .clock_hz = g.at("clockspeed"),
            .clock_is_whole = g.at("clockspeed_is_int"),
            .max_blocks_per_sm = g.at("max_num_block_per_SM"),
            .max_threads_per_sm = g.at("max_num_threads_per_SM"),
            .registers_per_sm = g.at("num_registers"),
            .single_precision_units = g.at("num_SP_per_SM"),
            .double_precision_units = g.at("num_DP_per_SM"),
            .special_function_units = g.at("num_SF_per_SM"),
            .load_store_units = g.at("num_load_store_units"),
            .warp_schedulers = g.at("nb_warp_schedulers"),
            .issues_per_warp = g.at("nb_ins_per_warp"),
            .integer_latency_cycles = g.at("cycles_per_iALU"),
            .float_latency_cycles = g.at("cycles_per_fALU"),
            .special_latency_cycles = g.at("cycles_per_spec_inst"),
            .l1_latency_cycles = g.at("cache_cycles").at(0),
            .l2_latency_cycles = g.at("cache_cycles").at(1),
            .idle_dram_latency_cycles = g.at("ram_cycles").at(0),
            .loaded_dram_latency_cycles = g.at("ram_cycles").at(1),
            .queue_free = g.at("mem_capacity").at(0),
            .queue_capacity = g.at("mem_capacity").at(1),
            .launch_overhead_s = g.at("kernel_launch_overhead")};
}

inline std::vector<task> tasks(const json& list) {
    static const std::map<std::string, unit_kind> kinds{
        {"iALU", unit_kind::integer},           {"fALU", unit_kind::single_precision},
        {"diALU", unit_kind::double_precision}, {"dfALU", unit_kind::double_precision},
        {"SFU", unit_kind::special_function},   {"L1_ACCESS", unit_kind::l1_cache},
        {"L2_ACCESS", unit_kind::l2_cache},     {"GLOB_MEM_ACCESS", unit_kind::global_memory},
        {"THREAD_SYNC", unit_kind::barrier}};
    std::vector<task> all;
    for (const json& entry : list) {
        task t{.unit = kinds.at(entry.at(0))};
        for (std::size_t n = 1; n < entry.size(); ++n) {
            t.after.at(n - 1) = entry.at(n).get<std::uint32_t>();
        }
        all.push_back(t);
    }
    return all;
}

// The optimised stencil has 107 tasks before its loop and 134 in each of n - 1 rounds; what refers
// to a round before moves on with it.
inline std::vector<task> opt_stencil(const std::vector<task>& of_64, std::size_t n) {
    constexpr std::size_t before = 107;
    constexpr std::size_t round = 134;
    std::vector<task> all(of_64.begin(), of_64.begin() + before + 2 * round);
    while (all.size() < before + (n - 1) * round) {
        task next = all[all.size() - round];
        const task& last = all[all.size() - 2 * round];
        for (std::size_t i = 0; i < next.after.size(); ++i) {
            if (next.after[i] != last.after[i]) next.after[i] += static_cast<std::uint32_t>(round);
        }
        all.push_back(next);
    }
    return all;
}

struct call {
    json expected;
    warpgauge::ppt_launch launch;
};

struct row {
    std::string name;
    warpgauge::ppt_parameters gpu;
    const std::vector<task>* tasks;
    std::vector<call> calls;
};

struct book {
    std::map<std::string, warpgauge::ppt_parameters> gpus;
    std::map<std::string, std::vector<task>> lists;
    std::vector<row> rows;
};

inline book open(const std::string& folder) {
    const json hardware = read(folder + "/ppt_hardware.json").at("ppt_2017");
    const json results = read(folder + "/ppt_2017.json");
    book b;
    for (const auto& [name, gpu] : hardware.items()) b.gpus[name] = parameters(gpu);
    for (const auto& [name, list] : results.at("tasklists").items()) b.lists[name] = tasks(list);
    b.lists["opt_stencil_256"] = opt_stencil(b.lists.at("opt_stencil_64"), 256);
    b.lists["opt_stencil_512"] = opt_stencil(b.lists.at("opt_stencil_64"), 512);
    for (const json& r : results.at("rows")) {
        const std::string gpu = r.at("gpu");
        row it{.name = r.at("name").get<std::string>() + " " + gpu + " " + r.at("block").dump() +
                       " x " + r.at("grid").dump(),
               .gpu = b.gpus.at(gpu),
               .tasks = &b.lists.at(r.at("tasklist")),
               .calls = {}};
        if (it.tasks->size() != r.at("tasklist_len")) throw std::runtime_error(it.name);
        for (const json& c : r.at("calls")) {
            it.calls.push_back({c,
                                {.blocks = r.at("grid"),
                                 .threads_per_block = r.at("block"),
                                 .registers_per_thread = r.at("regs"),
                                 .start_s = c.value("start_s", 0.0)}});
        }
        b.rows.push_back(std::move(it));
    }
    return b;
}

}  // namespace golden

#endif
