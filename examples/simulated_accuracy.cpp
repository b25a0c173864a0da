// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far the hybrid simulation is from public measurements, beside the saturation model on the same launches.
//
//     simulated_accuracy DIR
//
// DIR has modern/stream.csv, modern/elementwise.csv and modern/gemm.csv, of which every 70th launch is simulated. GPUs are the library's own; nothing is fitted.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <warpgauge/by_name/find_device.hpp>
#include <warpgauge/by_name/predict.hpp>
#include <warpgauge/tune/score.hpp>

#include "measured_kernels.hpp"

namespace wg = warpgauge;

namespace {

/// Arrays that a kernel reads from DRAM or writes, one element or vector of each a thread.
double arrays_of(const wg::kernel_profile<>& p) {
    return p.traffic.l2_bytes_per_warp / (32 * p.bytes_per_access);
}

/// Blocks for all of the traffic: where a library launches a kernel several times, the file has one of its grids.
double blocks_of(const wg::kernel_profile<>& p) {
    const double of_block = arrays_of(p) * p.bytes_per_access * p.threads_per_block;
    const double bytes = p.traffic.dram_read_bytes + p.traffic.dram_write_bytes;
    return std::max(p.blocks, std::ceil(bytes / of_block));
}

/// What a thread does that loads from arrays, computes, and stores, in the order in which a compiler puts it: the place of
/// its element, all loads, arithmetic on each of them, all stores.
std::vector<wg::instruction> stream_of(const measured_kernel& k) {
    const wg::kernel_profile<>& p = k.profile;
    const bool of_doubles = k.kind == "stream";
    const auto bytes = static_cast<std::uint8_t>(p.bytes_per_access);
    const double read = p.traffic.dram_read_bytes;
    const long loads = std::lround(arrays_of(p) * read / (read + p.traffic.dram_write_bytes));
    const long stores = std::lround(arrays_of(p)) - loads;
    const long hits = std::lround(p.coalesced_mem_insts) - loads - stores;
    const auto unit =
        of_doubles ? wg::unit_kind::double_precision : wg::unit_kind::single_precision;
    const long operations =
        of_doubles ? loads + hits : std::max(std::lround(p.comp_insts) - 8, loads);
    const long places = std::lround(p.comp_insts) - operations;

    std::vector<wg::instruction> s;
    for (long n = 0; n < places; ++n) {
        s.push_back({.unit = wg::unit_kind::integer, .needs = {n > 0 ? 1 : 0}});
    }
    const auto access = [&](wg::unit_kind where, long need) {
        s.push_back({.unit = where, .bytes = bytes, .needs = {static_cast<int>(need)}});
    };
    for (long n = 0; n < loads; ++n) access(wg::unit_kind::global_memory, n + 1);
    for (long n = 0; n < hits; ++n) access(wg::unit_kind::l1_cache, loads + n + 1);
    // Four elements of a thread side by side: each operation needs the one four before it, the first ones a load.
    const long side_by_side = of_doubles ? 1 : 4;
    for (long n = 0; n < operations; ++n) {
        const long load = loads + hits > 0 ? n + 1 + (loads + hits - 1) - n % (loads + hits) : 0;
        wg::instruction i{.unit = unit, .needs = {static_cast<int>(load)}};
        if (n >= side_by_side) i.needs[1] = static_cast<int>(side_by_side);
        s.push_back(i);
    }
    for (long n = 0; n < stores; ++n)
        access(wg::unit_kind::global_memory, operations > 0 ? n + 1 : 0);
    return s;
}

/// A tiled product: each round fetches tiles of depth 8 into registers while it multiplies, reads factors from shared memory
/// one step ahead, and keeps the fetched tiles there before its barrier. Outputs of a thread, depth and passes of shared
/// memory are those of the profile.
std::vector<wg::instruction> product_stream_of(const wg::kernel_profile<>& p) {
    const double fetches = p.coalesced_mem_insts;
    const double reads = p.shared_insts - fetches;
    const double products = p.ops.fp32_ops / 32;
    const long outputs =
        std::max(std::lround((p.registers_per_thread - 24) / (1 + 8 * reads / products)), 1L);
    const double depth = products / static_cast<double>(outputs);
    const auto rounds = static_cast<std::uint32_t>(std::max(std::lround(depth / 8), 1L));
    const auto each = [](double of_all, double times) {
        return std::max(std::lround(of_all / times), 1L);
    };
    const long fetched = each(fetches, rounds);
    const long read = each(reads, depth);
    const wg::instruction fetch{.unit = wg::unit_kind::global_memory, .bytes = 16};
    const auto passes = static_cast<std::uint8_t>(4 * p.shared_passes / p.shared_insts);
    const auto in_shared = [&](long need) {
        return wg::instruction{.unit = wg::unit_kind::shared_memory,
                               .bytes = passes,
                               .needs = {static_cast<int>(need)}};
    };
    const wg::instruction barrier{.unit = wg::unit_kind::barrier};

    std::vector<wg::instruction> s(static_cast<std::size_t>(fetched), fetch);
    for (long n = 0; n < fetched; ++n) s.push_back(in_shared(fetched));
    s.push_back(barrier);
    const auto step = static_cast<std::uint32_t>(outputs + read);
    s.push_back(wg::loop(static_cast<std::uint32_t>(2 * fetched + 2) + step, rounds));
    for (long n = 0; n < fetched; ++n) s.push_back(fetch);
    s.push_back(wg::loop(step, 8));
    for (long n = 0; n < outputs; ++n) {
        const long factor = outputs - n + n % read;  // read in the step before
        s.push_back({.unit = wg::unit_kind::single_precision,
                     .needs = {-static_cast<int>(factor), wg::own_result}});
    }
    for (long n = 0; n < read; ++n) s.push_back(in_shared(0));
    for (long n = 0; n < fetched; ++n) {
        s.push_back(in_shared(fetched + 1 + static_cast<long>(step)));
    }
    s.push_back(barrier);
    for (long n = 0; n < std::max(outputs / 4, 1L); ++n) {
        s.push_back({.unit = wg::unit_kind::global_memory, .bytes = 16});
    }
    return s;
}

bool is_product(const measured_kernel& k) {
    return k.kind.starts_with("bmm") || k.kind.starts_with("linear");
}

struct times {
    std::vector<double> simulated{}, saturation{}, measured{};
    double host_seconds{};
};

void add(const measured_kernel& k, times& to) {
    const auto device = wg::find_device(k.gpu.name);
    const std::vector<wg::instruction> stream =
        is_product(k) ? product_stream_of(k.profile) : stream_of(k);
    wg::kernel_profile<> streamed = k.profile;
    streamed.instructions = stream;
    if (!is_product(k)) streamed.blocks = blocks_of(k.profile);
    const auto begin = std::chrono::steady_clock::now();
    const auto simulated = wg::predict("hybrid", *device, streamed);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const auto saturation = wg::saturation_model{k.gpu}.predict(k.profile);
    if (!simulated || !saturation) {
        throw std::runtime_error(
            k.group + " on " + std::string(k.gpu.name) + ": " +
            message((simulated ? saturation.error() : simulated.error())).c_str());
    }
    to.simulated.push_back(simulated->seconds + k.gpu.launch_overhead_s);
    to.saturation.push_back(saturation->seconds);
    to.measured.push_back(k.seconds);
    to.host_seconds += took.count();
}

/// Whether the library knows all of a GPU that the simulation reads, but for matrix products.
bool can_simulate(const measured_kernel& k) {
    using namespace wg::parameters;
    using read_by_streams = wg::group_list<double_precision, special_functions, load_store,
                                           double_precision_latency, special_function_latency,
                                           shared_latency, l1_latency, l2_latency, dram_latency>;
    const auto device = wg::find_device(k.gpu.name);
    return device &&
           !wg::detail::by_name::missing_among(*device, wg::simulated_groups{} + read_by_streams{});
}

void print(const std::string& kind, const std::string& gpu, const times& t) {
    const auto column = [&](const std::vector<double>& predicted) {
        std::printf("  %5.3f (%.2f)    %.3f", *wg::mean_error_factor(predicted, t.measured),
                    1 / *wg::mean_scale(predicted, t.measured),
                    *wg::spearman(predicted, t.measured));
    };
    std::printf("%-14s %-24s %5zu", kind.c_str(), gpu.c_str(), t.measured.size());
    column(t.simulated);
    column(t.saturation);
    std::printf("  %8.2f\n", 1e3 * t.host_seconds / static_cast<double>(t.measured.size()));
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::cerr << "usage: simulated_accuracy DIR\n";
        return 2;
    }
    measured_kernels all;
    read_streams(argv[1], all);
    read_element_wise(argv[1], all);
    measured_kernels products;
    read_products(argv[1], products);
    for (std::size_t n = 0; n < products.size(); n += 70) all.push_back(products[n]);
    std::map<std::pair<std::string, std::string>, times> by_gpu;
    for (const measured_kernel& k : all) {
        if (k.kind != "stream" && k.kind != "element-wise" && !is_product(k)) continue;
        const std::string kind = is_product(k) ? "product" : k.kind;
        if (can_simulate(k)) add(k, by_gpu[{kind, std::string(k.gpu.name)}]);
    }
    std::puts(
        "                                               hybrid                 saturation          "
        " host ms");
    std::puts(
        "kind           GPU                   launches  error (bias)  Spearman  error (bias)  "
        "Spearman  a launch");
    for (const auto& [name, t] : by_gpu) print(name.first, name.second, t);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
