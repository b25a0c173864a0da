// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop nests, as nvcc makes them, followed: what their warps access is what the same loops access on the host, and, where
// the measurements are, what a profiler counted and what another program found in the addresses of the launches.
//
//   loop_nests_traced loop_nests.ptx [DIR]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <warpgauge/ptx/text/parse.hpp>

#include "../examples/measured_kernels.hpp"
#include "ptx/loop_nests.hpp"
#include "ptx/loop_nests_on_host.hpp"

namespace {

namespace ptx = warpgauge::ptx;
using warpgauge::memory_accesses;

/// Compares numbers of one launch, and names those that differ.
class comparison {
public:
    void begin(std::string launch) {
        launch_ = std::move(launch);
        ++launches_;
    }
    /// `slack`: of `should`, what `is` may be off.
    void near(const char* what, double is, double should, double slack = 1e-9) {
        between(what, is, should - slack * std::abs(should) - 1e-9,
                should + slack * std::abs(should) + 1e-9);
    }
    void between(const char* what, double is, double low, double high) {
        ++numbers_;
        if (is >= low && is <= high) return;
        ++failures_;
        std::cerr << launch_ << ": " << what << " " << is << " instead of " << low << " to " << high
                  << '\n';
    }
    void fail(const char* why) { between(why, 0, 1, 1); }

    [[nodiscard]] int launches() const { return launches_; }
    [[nodiscard]] int numbers() const { return numbers_; }
    [[nodiscard]] int failures() const { return failures_; }

private:
    std::string launch_;
    int launches_ = 0, numbers_ = 0, failures_ = 0;
};

loop_nests::counts counts_of(const ptx::traced_kernel& t) {
    loop_nests::counts c{.touched = t.touched};
    for (const ptx::memory_access& a : t.accesses) {
        if (a.unit != warpgauge::unit_kind::global_memory) continue;
        (a.stores ? c.stores : c.loads) += a.executions;
    }
    return c;
}

std::string title(const loop_nests::kernel& k, const ptx::launch& l, std::uint32_t n) {
    return std::string(k.name) + " of " + std::to_string(n) + " in blocks of " +
           std::to_string(l.block.x) + " x " + std::to_string(l.block.y);
}

/// Every block of a launch against the host.
void compare_with_host(const ptx::module& m, const loop_nests::kernel& k, const ptx::launch& l,
                       std::uint32_t n, comparison& c) {
    c.begin(title(k, l, n));
    const auto t = loop_nests::trace(m, k, l, n, ptx::sampling::all);
    if (!t) return c.fail(message(t.error()).c_str());
    const loop_nests::counts is = counts_of(*t);
    const loop_nests::counts should = loop_nests::on_host(k.name, k.plane, l, n);
    c.near("loads", is.loads, should.loads);
    c.near("stores", is.stores, should.stores);
    const memory_accesses<>& a = is.touched;
    const memory_accesses<>& b = should.touched;
    c.near("sectors of loads", a.load_sectors, b.load_sectors);
    c.near("whole sectors of stores", a.full_store_sectors, b.full_store_sectors);
    c.near("parts of sectors", a.partial_store_sectors, b.partial_store_sectors);
    c.near("lines", a.lines, b.lines);
    c.near("loads of one sector", a.broadcast_loads, b.broadcast_loads);
}

/// Small launches, with rests at the edges.
void compare_with_host(const ptx::module& m, comparison& c) {
    constexpr std::uint32_t shapes[][2]{{32, 1}, {1, 32}, {2, 32}, {4, 16},
                                        {8, 8},  {16, 6}, {64, 2}};
    const auto compare = [&](const loop_nests::kernel& k) {
        for (const auto& [bx, by] : shapes) {
            // Whole rounds of loops that nvcc unrolls: before a rest it loads sums again.
            for (const std::uint32_t n : {24U, 72U}) {
                compare_with_host(m, k, loop_nests::launch_of(k, n, bx, by), n, c);
            }
        }
    };
    for (const loop_nests::kernel& k : loop_nests::kernels) compare(k);
    compare(loop_nests::two_rows_at_once);
}

/// Accesses outside the loop, which the file leaves out.
struct outside {
    double loads, stores;
};

outside outside_loop(std::string_view name) {
    if (name == "product" || name == "rank_update") return {1, 1};
    if (name == "two_rows_times") return {2, 1};
    if (name == "column_means" || name == "column_deviations") return {0, 2};
    if (name == "plane_filter") return {0, 0};
    return {1, 0};
}

/// A launch whose blocks do alike: all columns agree, but for what is named here.
void compare_alike(const loop_nests::kernel& k, const ptx::traced_kernel& t,
                   const measured_table& file, const measured_table::row& r, comparison& c) {
    const auto at = [&](const char* column) { return file.number(r, column); };
    const loop_nests::counts is = counts_of(t);
    // Accesses outside the loop are of the element that the loop stores.
    const outside o = outside_loop(k.name);
    const auto of_store = [&](const char* column) { return at(column) / at("stores"); };
    const double whole = of_store("full_store_sectors");
    const double part = of_store("partial_store_sectors");
    c.near("loads", is.loads, at("loads") + o.loads);
    c.near("stores", is.stores, at("stores") + o.stores);
    c.near("sectors of loads", is.touched.load_sectors,
           at("load_sectors") + o.loads * (whole + part), 1e-5);
    c.near("whole sectors of stores", is.touched.full_store_sectors,
           at("full_store_sectors") + o.stores * whole, 1e-5);
    c.near("parts of sectors", is.touched.partial_store_sectors,
           at("partial_store_sectors") + o.stores * part, 1e-5);
    c.near("lines", is.touched.lines,
           at("load_lines") + at("store_lines") + (o.loads + o.stores) * of_store("store_lines"),
           1e-5);
    c.near("loads of one sector", is.touched.broadcast_loads, at("broadcast_loads"));
    // A round of the loop over two rows has a store between its loads, so that ours waits twice.
    const double waits = k.name == "two_rows_times" ? 2 : 1;
    c.between("waits", t.waits.steps, waits * at("steps"), waits * at("steps") + 1);
    c.between("longest waits", t.waits.longest_steps, waits * at("longest_steps"),
              waits * at("longest_steps") + 1);
    // A walk along a row comes to a new sector in every eighth round; in the file to none.
    const double reused = at("reused_sectors") / at("step_sectors");
    c.between("reused", t.waits.reused_fraction, 0.870 * reused, 1.001 * reused);
}

/// Launches whose warps differ: the file has means of three blocks, ours of all.
void compare_roughly(const ptx::traced_kernel& t, const measured_table& file,
                     const measured_table::row& r, comparison& c) {
    const auto at = [&](const char* column) { return file.number(r, column); };
    const loop_nests::counts is = counts_of(t);
    c.near("loads", is.loads, at("loads"), 0.01);
    c.near("stores", is.stores, at("stores"), 0.01);
    c.near("sectors of loads", is.touched.load_sectors, at("load_sectors"), 0.2);
    c.near("sectors of stores", is.touched.full_store_sectors + is.touched.partial_store_sectors,
           at("full_store_sectors") + at("partial_store_sectors"), 0.2);
    c.near("lines", is.touched.lines, at("load_lines") + at("store_lines"), 0.2);
    c.near("waits", t.waits.steps, at("steps"), 0.01);
    c.near("longest waits", t.waits.longest_steps, at("longest_steps"), 0.01);
}

/// What a profiler counted in one warp, in whole numbers: of transactions, the sum of loads and stores.
void compare_with_profiler(const ptx::traced_kernel& t, const measured_table& counted,
                           const measured_table::row& r, comparison& c) {
    constexpr double rounding = 1;
    const loop_nests::counts is = counts_of(t);
    const auto near = [&](const char* what, double number, double should) {
        c.between(what, number, should - rounding, should + rounding);
    };
    const double instructions = counted.number(r, "mem_insts_per_warp");
    near("instructions of a profiler", is.loads + is.stores, instructions);
    near("transactions of a profiler", is.touched.sectors() / (is.loads + is.stores) * instructions,
         counted.number(r, "tx_per_warp"));
}

bool blocks_are_alike(std::string_view name) {
    return name != "plane_filter" && !name.starts_with("column_");
}

std::string launch_name(const measured_table& t, const measured_table::row& r) {
    std::string name;
    for (const char* column : {"app", "kernel", "N", "bx", "by"}) name += t.text(r, column) + " ";
    return name;
}

/// Blocks of a warp or two, at each size of the file. `correlate` is left out, whose warps execute ten million instructions. Of
/// `normalise` the file has two of five accesses less, in blocks of another shape than the profiler.
void compare_with_files(const ptx::module& m, const std::string& folder, comparison& c) {
    const measured_table file(folder + "/polybench_traced.csv");
    const measured_table counted(folder + "/polybench_rtx2070super.csv");
    std::map<std::string, const measured_table::row*> counts;
    for (const auto& r : counted.rows()) {
        if (counted.text(r, "feature_ok") == "1") counts[launch_name(counted, r)] = &r;
    }
    for (const auto& r : file.rows()) {
        const auto number = [&](const char* column) {
            return static_cast<std::uint32_t>(file.number(r, column));
        };
        const auto* k = loop_nests::find(file.text(r, "app"), file.text(r, "kernel"));
        const std::uint32_t n = number("N"), bx = number("bx"), by = number("by");
        if (k == nullptr || k->name == "correlate") continue;
        if (bx < 4 || bx * by > (n == 512 ? 64 : 32) || (n == 2048 && by > 1)) continue;
        const ptx::launch l = loop_nests::measured_launch_of(*k, n, bx, by);
        c.begin(title(*k, l, n));
        const auto t = loop_nests::trace(m, *k, l, n);
        if (!t) {
            c.fail(message(t.error()).c_str());
            continue;
        }
        if (k->name == "normalise") {
            // Counted alone.
        } else if (blocks_are_alike(k->name)) {
            compare_alike(*k, *t, file, r, c);
        } else {
            compare_roughly(*t, file, r, c);
        }
        const auto of_profiler = counts.find(launch_name(file, r));
        if (of_profiler != counts.end()) {
            compare_with_profiler(*t, counted, *of_profiler->second, c);
        }
    }
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 2 || argc > 3) return 2;
    std::ifstream file(argv[1]);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto m = ptx::parse(text);
    if (!m) throw std::runtime_error(message(m.error()).c_str());
    comparison host, measured;
    compare_with_host(*m, host);
    if (argc == 3) compare_with_files(*m, argv[2], measured);
    std::printf("%d launches as on the host, %d as measured: %d numbers, %d differ\n",
                host.launches(), measured.launches(), host.numbers() + measured.numbers(),
                host.failures() + measured.failures());
    return host.failures() + measured.failures() == 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
