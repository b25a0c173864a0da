// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_MEASURED_KERNELS_HPP
#define WARPGAUGE_EXAMPLES_MEASURED_KERNELS_HPP

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <warpgauge/profiles/element_wise.hpp>
#include <warpgauge/profiles/row_reduction.hpp>
#include <warpgauge/profiles/stream.hpp>
#include <warpgauge/profiles/tiled_product.hpp>

#include "measured_gpus.hpp"

// Public measurements of kernels, each with its profile and its device.

/// One measured launch.
struct measured_kernel {
    std::string kind;   // "stream", "softmax", ...
    std::string group;  // launches of one group compete: kernel and problem size
    warpgauge::kernel_profile<> profile;
    measured_gpu gpu;
    double seconds{};
    std::string block{};  // its shape, where the kernel has launches of several: "32x4"
};

/// Comma-separated text with a heading; fields may be quoted.
class measured_table {
public:
    using row = std::vector<std::string>;

    explicit measured_table(const std::string& path) {
        std::ifstream in(path);
        if (!in) throw std::runtime_error(path + ": cannot be read");
        std::string line;
        while (std::getline(in, line)) {
            row fields = split(line);
            if (columns_.empty()) {
                for (std::size_t n = 0; n < fields.size(); ++n) columns_[fields[n]] = n;
            } else if (fields.size() == columns_.size()) {
                rows_.push_back(std::move(fields));
            } else {
                throw std::runtime_error(path + ": a row does not have the heading's fields");
            }
        }
    }
    [[nodiscard]] const std::vector<row>& rows() const { return rows_; }
    [[nodiscard]] const std::string& text(const row& r, const char* column) const {
        return r[columns_.at(column)];
    }
    /// 0 where the field is empty.
    [[nodiscard]] double number(const row& r, const char* column) const {
        const std::string& t = text(r, column);
        return t.empty() ? 0 : std::stod(t);
    }

private:
    static row split(const std::string& line) {
        row fields(1);
        bool quoted = false;
        for (const char c : line) {
            if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                fields.emplace_back();
            } else if (c != '\r') {
                fields.back() += c;
            }
        }
        return fields;
    }

    std::map<std::string, std::size_t> columns_;
    std::vector<row> rows_;
};

using measured_kernels = std::vector<measured_kernel>;

/// The GPUs of a file by name, each looked up once.
class measured_gpus {
public:
    /// Null for one that the library does not have.
    const measured_gpu* find(const std::string& name) {
        const auto [at, first] = by_name_.try_emplace(name);
        if (first) at->second.second = find_measured_gpu(name, at->second.first);
        return at->second.second ? &at->second.first : nullptr;
    }

private:
    std::map<std::string, std::pair<measured_gpu, bool>> by_name_;
};

// gpu-benches: 2^27 doubles.
inline void read_streams(const std::string& folder, measured_kernels& to) {
    struct form {
        double loads, stores, neighbours;
    };
    const std::map<std::string, form> forms{{"init", {0, 1, 0}},     {"read", {1, 0, 0}},
                                            {"scale", {1, 1, 0}},    {"triad", {2, 1, 0}},
                                            {"stencil3", {1, 1, 2}}, {"stencil5", {1, 1, 4}}};
    measured_gpus gpus;
    const measured_table t(folder + "/modern/stream.csv");
    constexpr double elements = 134217728;
    for (const auto& r : t.rows()) {
        const measured_gpu* const gpu = gpus.find(t.text(r, "gpu"));
        if (gpu == nullptr) continue;
        const form f = forms.at(t.text(r, "kernel"));
        const auto k =
            warpgauge::profiles::stream({.elements = elements,
                                         .threads_per_block = t.number(r, "threads_per_block"),
                                         .blocks_per_sm = t.number(r, "blocks_per_sm"),
                                         .loads = f.loads,
                                         .stores = f.stores,
                                         .neighbours = f.neighbours});
        const double bytes = 8 * (f.loads + f.stores) * elements;
        to.push_back(
            {"stream", t.text(r, "kernel"), k, *gpu, bytes / t.number(r, "GB_per_s") * 1e-9});
    }
}

// NeuSight: PyTorch between two events, which adds 16 us of host work.
inline void read_element_wise(const std::string& folder, measured_kernels& to) {
    namespace profiles = warpgauge::profiles;
    const std::map<std::string, double> insts{{"add", 1},   {"addu", 1},  {"mul", 1},  {"mulu", 1},
                                              {"relu", 2},  {"div", 10},  {"divu", 1}, {"tanh", 20},
                                              {"gelu", 25}, {"powu", 25}, {"pow", 60}};
    measured_gpus gpus;
    const measured_table t(folder + "/modern/elementwise.csv");
    for (const auto& r : t.rows()) {
        const measured_gpu* const found = gpus.find(t.text(r, "gpu"));
        if (found == nullptr) continue;
        measured_gpu gpu = *found;
        gpu.launch_overhead_s = 16e-6;
        const std::string op = t.text(r, "op");
        const double threads = t.number(r, "threads_per_block");
        const double blocks = t.number(r, "grid_x") * t.number(r, "grid_y") * t.number(r, "grid_z");
        const profiles::row_shape rows{t.number(r, "rows"), t.number(r, "columns"), threads};
        const bool two_inputs = op == "add" || op == "mul" || op == "div" || op == "pow";
        const bool in_registers = t.text(r, "kernel").find("warp") != std::string::npos;
        const bool reduces = op == "ln" || op == "softmax";
        const auto k =
            op == "ln"                        ? profiles::layer_norm(rows, gpu)
            : op == "softmax" && in_registers ? profiles::softmax_in_registers(rows, blocks)
            : op == "softmax"                 ? profiles::softmax(rows, gpu)
                              : profiles::element_wise({.elements = rows.rows * rows.columns,
                                                        .inputs = two_inputs ? 2.0 : 1.0,
                                                        .operation_insts = insts.at(op),
                                                        .threads_per_block = threads,
                                                        .blocks = blocks});
        to.push_back({op == "ln" ? "layer norm"
                      : reduces  ? op
                                 : "element-wise",
                      op, k, gpu, t.number(r, "ms") * 1e-3});
    }
}

// NeuSight too: cuBLAS, 22 us of host work. The sum runs over `n`.
inline void read_products(const std::string& folder, measured_kernels& to) {
    measured_gpus gpus;
    const measured_table t(folder + "/modern/gemm.csv");
    for (const auto& r : t.rows()) {
        const measured_gpu* const found = gpus.find(t.text(r, "gpu"));
        if (found == nullptr) continue;
        measured_gpu gpu = *found;
        gpu.launch_overhead_s = 22e-6;
        const std::string kernel = t.text(r, "kernel");
        const bool batched = t.text(r, "op") == "bmm";
        const std::size_t tile = kernel.find("gemm_") + 5;
        const double batch = t.number(r, "batch");
        warpgauge::profiles::product_shape p{
            .matrices = batched ? batch : 1,
            .rows = t.number(r, "m") * (batched ? 1 : batch),
            .columns = t.number(r, "k"),
            .depth = t.number(r, "n"),
            .tile_rows = std::stod(kernel.substr(kernel.find('x', tile) + 1)),
            .tile_columns = std::stod(kernel.substr(tile)),
            .threads_per_block = t.number(r, "threads_per_block"),
            .slices = kernel.find("sliced1x4") != std::string::npos ? 4.0 : 1.0};
        if (!batched) {
            const double tiles =
                std::ceil(p.columns / p.tile_columns) * std::ceil(p.rows / p.tile_rows);
            const double blocks =
                t.number(r, "grid_x") * t.number(r, "grid_y") * t.number(r, "grid_z");
            p.split = std::max(1.0, std::round(blocks / tiles));
        }
        to.push_back({t.text(r, "op") + (p.depth > 8192 ? ", K > 8192" : ""), kernel,
                      warpgauge::profiles::tiled_product(p, gpu), gpu, t.number(r, "ms") * 1e-3});
    }
}

// KLARAPTOR: PolyBench, with counts that belong to the RTX 2070 SUPER, and what tracing the addresses adds.
inline void read_loop_nests(const std::string& folder, measured_kernels& to) {
    const measured_table traced(folder + "/polybench_traced.csv");
    const measured_table super(folder + "/polybench_rtx2070super.csv");
    const measured_table ti(folder + "/polybench_gtx1080ti.csv");
    const auto key = [](const measured_table& t, const auto& r) {
        return t.text(r, "app") + " " + t.text(r, "kernel") + " " + t.text(r, "N") + " " +
               t.text(r, "bx") + "x" + t.text(r, "by");
    };
    std::map<std::string, const measured_table::row*> addresses;
    std::map<std::string, const measured_table::row*> counts;
    for (const auto& r : traced.rows()) addresses[key(traced, r)] = &r;
    for (const auto& r : super.rows()) {
        if (super.text(r, "feature_ok") == "1") counts[key(super, r)] = &r;
    }
    // Arrays of N x N floats that a launch reads and writes.
    const std::map<std::string, double> arrays{{"2DCONV", 2}, {"2MM", 3},  {"ATAX", 1},
                                               {"CORR", 1},   {"GEMM", 3}, {"GESUMMV", 2},
                                               {"SYR2K", 3}};
    const measured_gpu rtx_2070_super = measured_rtx_2070_super();
    const measured_gpu gtx_1080_ti = measured_gtx_1080_ti();
    for (const measured_table* const t : {&super, &ti}) {
        for (const auto& r : t->rows()) {
            const std::string k = key(*t, r);
            const std::string app = t->text(r, "app");
            const double n = t->number(r, "N");
            if (n < 512 || addresses.count(k) == 0 || counts.count(k) == 0 ||
                arrays.count(app) == 0) {
                continue;
            }
            const auto& c = *counts[k];
            const auto address = [&](const char* column) {
                return traced.number(*addresses[k], column);
            };
            warpgauge::kernel_profile<> p{
                .blocks = super.number(c, "blocks"),
                .threads_per_block = super.number(c, "threads_per_block"),
                .registers_per_thread = super.number(c, "regs_sm75"),
                .comp_insts = super.number(c, "comp_insts_per_warp"),
                .uncoalesced_mem_insts = super.number(c, "mem_insts_per_warp")};
            p.transactions_per_uncoalesced =
                p.uncoalesced_mem_insts > 0
                    ? super.number(c, "tx_per_warp") / p.uncoalesced_mem_insts
                    : 1;
            const std::string where = t == &super ? "loop nests" : "loop nests, other GPU's counts";
            const std::string group = app + " " + t->text(r, "kernel") + " " + t->text(r, "N");
            const measured_gpu& gpu = t == &super ? rtx_2070_super : gtx_1080_ti;
            const double seconds = t->number(r, "time_ms_median") * 1e-3;
            const std::string block = t->text(r, "bx") + "x" + t->text(r, "by");
            if (t == &super) {
                to.push_back({"loop nests, counts alone", group, p, gpu, seconds, block});
            }
            p.accesses = {address("load_sectors"), address("full_store_sectors"),
                          address("partial_store_sectors"),
                          address("load_lines") + address("store_lines"),
                          address("broadcast_loads")};
            p.waits.steps = address("steps");
            p.waits.longest_steps = address("longest_steps");
            p.waits.reused_fraction = address("step_sectors") > 0
                                          ? address("reused_sectors") / address("step_sectors")
                                          : 0;
            p.traffic.footprint_bytes =
                4 * n * n * (t->text(r, "kernel") == "corr_kernel" ? 2 : arrays.at(app));
            p.traffic.in_l2_fraction = 1;
            to.push_back({where, group, p, gpu, seconds, block});
        }
    }
}

// All of them.
inline measured_kernels read_measured_kernels(const std::string& folder) {
    measured_kernels all;
    read_streams(folder, all);
    read_element_wise(folder, all);
    read_products(folder, all);
    read_loop_nests(folder, all);
    return all;
}

#endif
