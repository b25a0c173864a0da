// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the GPU of this machine and writes what comes out to DIR/measurements.csv; see
// docs/measuring.md.
//
//   measure_gpu [--dry-run] [--only EXPERIMENT] [--out DIR]
//
// --dry-run needs no GPU: prints what would be launched on two GPUs of different ages, and checks it.
#include <array>
#include <charconv>
#include <cstddef>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "cycles.cuh"
#include "statistics.hpp"

namespace {

struct experiment {
    std::string_view name;
    plan (*make)(const gpu&);
};
constexpr experiment experiments[]{{"latency", latency_plan},     {"departure", departure_plan},
                                   {"bandwidth", bandwidth_plan}, {"throughput", throughput_plan},
                                   {"sync", sync_plan},           {"mixture", mixture_plan},
                                   {"kernels", kernels_plan}};

struct options {
    bool dry_run{};
    std::string only;
    std::string out = ".";
};

constexpr const char* usage = "usage: measure_gpu [--dry-run] [--only EXPERIMENT] [--out DIR]\n";

// False, with a message, if they make no sense.
bool read_options(const std::vector<std::string>& words, options& to) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--dry-run") {
            to.dry_run = true;
        } else if (words[i] == "--only" || words[i] == "--out") {
            if (i + 1 == words.size()) {
                std::cerr << words[i] << " needs a value\n" << usage;
                return false;
            }
            (words[i] == "--only" ? to.only : to.out) = words[i + 1];
            ++i;
        } else {
            std::cerr << words[i] << ": no such option\n" << usage;
            return false;
        }
    }
    bool known = to.only.empty();
    for (const experiment& e : experiments) known = known || e.name == to.only;
    if (known) return true;
    std::cerr << to.only << ": no such experiment; there are";
    for (const experiment& e : experiments) std::cerr << ' ' << e.name;
    std::cerr << '\n';
    return false;
}

plan make_plan(const gpu& g, const std::string& only) {
    plan all;
    for (const experiment& e : experiments) {
        if (!only.empty() && e.name != only) continue;
        for (task& t : e.make(g)) all.push_back(std::move(t));
    }
    return all;
}

// --- The rows.

using row = std::array<std::string, columns::count>;

std::string text(double x) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr;
    return {digits.data(), end};
}

void write(std::ostream& to, const auto& fields) {
    const char* separator = "";
    for (const auto& field : fields) {
        to << separator << field;
        separator = ",";
    }
    to << std::endl;  // what has been measured stays, whatever comes
}

// The columns that are the same for all rows.
row session_row(const gpu& g, const std::string& driver, const std::string& runtime,
                const std::string& date) {
    row r;
    r[columns::gpu] = g.name;
    for (char& c : r[columns::gpu]) {
        if (c == ',') c = ' ';  // fields are not quoted
    }
    r[columns::compute_capability] = std::to_string(g.major) + '.' + std::to_string(g.minor);
    r[columns::driver] = driver;
    r[columns::runtime] = runtime;
    r[columns::date] = date;
    return r;
}

void fill(row& r, const task& t) {
    r[columns::experiment] = t.experiment;
    r[columns::name] = t.name;
    r[columns::size] = text(t.size);
    for (std::size_t d = 0; d < 3; ++d) {
        r[columns::grid_x + d] = std::to_string(t.launch.grid[d]);
        r[columns::block_x + d] = std::to_string(t.launch.block[d]);
    }
    r[columns::shared_bytes] = std::to_string(t.launch.shared_bytes);
    r[columns::unit] = t.unit;
    r[columns::bytes] = text(t.bytes);
    r[columns::warp_instructions] = text(t.warp_instructions);
}

void fill(row& r, const summary& s) {
    r[columns::median] = text(s.median);
    r[columns::first_quartile] = text(s.first_quartile);
    r[columns::third_quartile] = text(s.third_quartile);
    r[columns::lowest] = text(s.lowest);
    r[columns::highest] = text(s.highest);
    r[columns::repeats] = std::to_string(s.repeats);
}

// What the runtime says of the GPU, and not a measurement.
row figure_row(row r, const char* name, double value, const char* unit) {
    task t;
    t.experiment = "device";
    t.name = name;
    t.unit = unit;
    fill(r, t);
    r[columns::median] = text(value);
    return r;
}

// --- With a GPU.

double attribute(cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

gpu find_gpu() {
    int count = 0;
    check(cudaGetDeviceCount(&count));
    if (count == 0) throw std::runtime_error("there is no GPU");
    check(cudaSetDevice(0));
    cudaDeviceProp p;
    check(cudaGetDeviceProperties(&p, 0));
    return {.name = p.name,
            .major = p.major,
            .minor = p.minor,
            .sm_count = p.multiProcessorCount,
            .max_threads_per_block = p.maxThreadsPerBlock,
            .max_warps_per_sm = p.maxThreadsPerMultiProcessor / p.warpSize,
            .max_blocks_per_sm = p.maxBlocksPerMultiProcessor,
            .max_shared_bytes_per_block = p.sharedMemPerBlockOptin,
            .shared_bytes_per_sm = p.sharedMemPerMultiprocessor,
            .l2_bytes = static_cast<std::size_t>(p.l2CacheSize),
            .memory_bytes = p.totalGlobalMem};
}

std::string version(cudaError_t (*get)(int*)) {
    int v = 0;
    check(get(&v));
    return std::to_string(v / 1000) + '.' + std::to_string(v % 1000 / 10);
}

std::string now() {
    const std::time_t t = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&t, &utc);
    std::array<char, 32> to;
    const std::size_t length = std::strftime(to.data(), to.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return {to.data(), length};
}

void write_figures(std::ostream& to, const gpu& g, const row& session) {
    const auto add = [&](const char* name, double value, const char* unit) {
        write(to, figure_row(session, name, value, unit));
    };
    add("sm_count", g.sm_count, "SMs");
    add("max_warps_per_sm", g.max_warps_per_sm, "warps");
    add("l2_bytes", static_cast<double>(g.l2_bytes), "B");
    add("memory_bytes", static_cast<double>(g.memory_bytes), "B");
    add("highest_clock_hz", 1e3 * attribute(cudaDevAttrClockRate), "cycles/s");
    add("memory_clock_hz", 1e3 * attribute(cudaDevAttrMemoryClockRate), "cycles/s");
    add("memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth), "bits");
    add("sm_clock_hz", sm_clock_hz(), "cycles/s");
}

row measured_row(row r, const task& t) {
    fill(r, t);
    const double before = sm_clock_hz();
    const std::vector<double> samples = t.measure(t);
    const double after = sm_clock_hz();
    fill(r, summarise(samples));
    cudaFuncAttributes a{};
    check(cudaFuncGetAttributes(&a, t.kernel));
    r[columns::registers] = std::to_string(a.numRegs);
    r[columns::shared_bytes] = std::to_string(a.sharedSizeBytes + t.launch.shared_bytes);
    r[columns::sm_clock_hz] = text((before + after) / 2);
    r[columns::clock_drift] = text(after / before - 1);
    return r;
}

// How many tasks failed. An error of CUDA ends it, since nothing works after it.
int measure_all(const options& o) {
    const gpu g = find_gpu();
    const std::string path = o.out + "/measurements.csv";
    std::ofstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be written");
    const row session =
        session_row(g, version(cudaDriverGetVersion), version(cudaRuntimeGetVersion), now());
    warm_up();
    write(file, columns::names);
    write_figures(file, g, session);
    int failures = 0;
    for (const task& t : make_plan(g, o.only)) {
        std::cerr << t.experiment << ' ' << t.name << ' ' << t.size << '\n';
        try {
            if (const std::string bad = fault(t, g); !bad.empty()) throw std::runtime_error(bad);
            write(file, measured_row(session, t));
        } catch (const cuda_error&) {
            throw;
        } catch (const std::exception& e) {
            std::cerr << "left out: " << e.what() << '\n';
            ++failures;
        }
        if (!file) throw std::runtime_error(path + ": cannot be written");
    }
    std::cerr << path << " is written, " << failures << " rows are left out\n";
    return failures;
}

// --- Without one.

void print(const extent& e) {
    std::cout << e[0] << 'x' << e[1] << 'x' << e[2];
}

int plan_for(const gpu& g, const options& o) {
    std::cout << "# " << g.name
              << ": experiment name size, grid, block, B of dynamic shared memory, B "
              << "to move, instructions of a warp under test, samples\n";
    int failures = 0;
    std::size_t rows = 0;
    for (const task& t : make_plan(g, o.only)) {
        std::cout << t.experiment << ' ' << t.name << ' ' << t.size << ", ";
        print(t.launch.grid);
        std::cout << ", ";
        print(t.launch.block);
        std::cout << ", " << t.launch.shared_bytes << ", " << text(t.bytes) << ", "
                  << text(t.warp_instructions) << ", " << t.samples << '\n';
        ++rows;
        const std::string bad = fault(t, g);
        if (bad.empty()) continue;
        std::cerr << g.name << ": " << t.experiment << ' ' << t.name << ' ' << t.size << ": " << bad
                  << '\n';
        ++failures;
    }
    std::cout << "# " << rows << " rows of " << columns::names.size() << " columns, " << failures
              << " faults\n";
    return failures;
}

int dry_run(const options& o) {
    int failures = 0;
    const auto expect_none = [&](const std::string& bad) {
        if (bad.empty()) return;
        std::cerr << bad << '\n';
        ++failures;
    };
    expect_none(lanes_fault());
    for (const std::size_t window : {1024, 4096, 65'536}) expect_none(chain_fault(65'536, window));
    for (const gpu& g : planned_gpus()) failures += plan_for(g, o);
    return failures;
}

}  // namespace

int main(int argc, char** argv) {
    options o;
    if (!read_options({argv + 1, argv + argc}, o)) return 2;
    try {
        return (o.dry_run ? dry_run(o) : measure_all(o)) == 0 ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
