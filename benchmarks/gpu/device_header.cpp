// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a device of what measure_gpu wrote: C++ text in which every number names the line it comes from.
//
//   device_header FILE.csv NAME > NAME.hpp
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cpd_fit.hpp"
#include "measurements.hpp"
#include "statistics.hpp"

namespace {

// A number of the device and the lines of the file that it comes from.
struct figure {
    double value{};
    std::vector<const measured*> from;
};
using maybe_figure = std::optional<figure>;

std::vector<const measured*> rows_of(const measurements& all, std::string_view experiment,
                                     std::string_view name) {
    std::vector<const measured*> found;
    for (const measured& m : all.rows) {
        if (m.experiment == experiment && m.name == name) found.push_back(&m);
    }
    return found;
}

double warps(const measured& m) {
    return std::ceil(m.threads / 32);
}

// Of all rows, the one for which `key` is largest.
template <class Key>
maybe_figure median_of_largest(const std::vector<const measured*>& rows, Key key) {
    const auto found =
        std::max_element(rows.begin(), rows.end(),
                         [&](const measured* a, const measured* b) { return key(*a) < key(*b); });
    if (found == rows.end()) return {};
    return figure{(*found)->median, {*found}};
}

maybe_figure only(const std::vector<const measured*>& rows) {
    return median_of_largest(rows, [](const measured&) { return 0; });
}

// --- From rows to figures; none where the rows are not there.

// One chain of one warp.
maybe_figure instruction_latency(const measurements& all, std::string_view name) {
    std::vector<const measured*> alone;
    for (const measured* m : rows_of(all, "throughput", name)) {
        if (m->size == 1 && warps(*m) == 1) alone.push_back(m);
    }
    return only(alone);
}

// Cycles of an SM for one instruction of a warp, at the best of all numbers of warps and chains.
maybe_figure issue_cycles(const measurements& all) {
    const auto each = [](const measured& m) { return m.median / (warps(m) * m.size); };
    maybe_figure f = median_of_largest(rows_of(all, "throughput", "fp32_fma"),
                                       [&](const measured& m) { return -each(m); });
    if (f) f->value = each(*f->from[0]);
    return f;
}

// A chain of a size that fits no L1 cache and every L2 cache.
maybe_figure l2_latency(const measurements& all) {
    constexpr double between_bytes = 512 * 1024;
    return median_of_largest(rows_of(all, "latency", "past_l1"), [](const measured& m) {
        return -std::abs(std::log2(m.size / between_bytes));
    });
}

maybe_figure l1_latency(const measurements& all) {
    return median_of_largest(rows_of(all, "latency", "through_l1"),
                             [](const measured& m) { return -m.size; });
}

maybe_figure dram_latency(const measurements& all) {
    return median_of_largest(rows_of(all, "latency", "past_l1_by_page"),
                             [](const measured& m) { return m.size; });
}

// Cycles for a transaction, from the slope over the number of warps that have one load each.
maybe_figure departure(const measurements& all, std::string_view name, double transactions,
                       double counted_as) {
    std::vector<double> x, y;
    figure f;
    for (const measured* m : rows_of(all, "departure", name)) {
        if (m->size != transactions) continue;
        x.push_back(warps(*m));
        y.push_back(m->median);
        f.from.push_back(m);
    }
    if (x.size() < 2) return {};
    f.value = slope(x, y) / counted_as;
    if (!(f.value > 0)) return {};  // lost in the noise
    return f;
}

// Restarting as many blocks of 256 threads as fit, in cycles.
maybe_figure global_sync(const measurements& all) {
    std::vector<const measured*> rows;
    for (const measured* m : rows_of(all, "sync", "restart")) {
        if (m->threads == 256 && m->sm_clock_hz > 0) rows.push_back(m);
    }
    maybe_figure f = only(rows);
    if (f) f->value *= 1e-9 * rows[0]->sm_clock_hz;
    return f;
}

maybe_figure bandwidth(const measurements& all) {
    return median_of_largest(rows_of(all, "bandwidth", "read"),
                             [](const measured& m) { return m.median; });
}

// a to d of CPD.
std::optional<std::array<figure, 4>> cpd(const measurements& all) {
    const maybe_figure fma = instruction_latency(all, "fp32_fma");
    const maybe_figure load = dram_latency(all);
    const maybe_figure most_warps = only(rows_of(all, "device", "max_warps_per_sm"));
    const auto rows = rows_of(all, "mixture", "fma_for_each_load");
    if (!fma || !load || !most_warps) return {};
    std::vector<cpd_sample> samples;
    for (const measured* m : rows) {
        const auto alone = std::find_if(rows.begin(), rows.end(), [&](const measured* one) {
            return one->size == m->size && warps(*one) == 1;
        });
        if (alone == rows.end()) continue;
        samples.push_back({.warps = warps(*m),
                           .comp_cycles = m->size * fma->value,
                           .mem_cycles = load->value,
                           .degree = warps(*m) * (*alone)->median / m->median});
    }
    if (samples.size() < 5) return {};
    const cpd_constants k = fit_cpd(samples, most_warps->value);
    std::array<figure, 4> figures;
    for (std::size_t i = 0; i < k.size(); ++i) figures[i] = {k[i], rows};
    return figures;
}

// --- From figures to text.

// "12", "12 and 15", "12 to 20".
std::string lines(const figure& f) {
    std::vector<std::uint32_t> at;
    for (const measured* m : f.from) at.push_back(m->line);
    std::sort(at.begin(), at.end());
    if (at.size() == 1) return "line " + std::to_string(at[0]);
    const bool in_a_row = at.back() - at.front() + 1 == at.size();
    std::string text = "lines " + std::to_string(at[0]);
    if (in_a_row) return text + " to " + std::to_string(at.back());
    for (std::size_t i = 1; i < at.size(); ++i) {
        text += i + 1 == at.size() ? " and " : ", ";
        text += std::to_string(at[i]);
    }
    return text;
}

void print(std::string_view name, const maybe_figure& f, std::string_view how) {
    if (!f) {
        std::cout << "    // not measured: " << name << '\n';
        return;
    }
    std::cout << "    static constexpr double " << name << " = " << f->value << ";  // "
              << lines(*f);
    if (!how.empty()) std::cout << ", " << how;
    std::cout << '\n';
}

void print_device(const measurements& all, const std::string& path, const std::string& name) {
    std::cout.precision(6);
    std::cout << "// Made by device_header of " << path << ", whose lines are named: " << all.gpu
              << ", " << all.date << ",\n// driver " << all.driver << ", runtime " << all.runtime
              << ".\n"
              << "#pragma once\n#include <string_view>\n\n#include "
                 "<warpgauge/device/sm_limits.hpp>\n\n"
              << "struct " << name << " : warpgauge::sm_limits_of<" << all.capability.major << ", "
              << all.capability.minor << "> {\n    static constexpr std::string_view name = \""
              << all.gpu << "\";\n\n";
    print("sm_count", only(rows_of(all, "device", "sm_count")), "as the runtime says");
    print("clock_hz", only(rows_of(all, "device", "sm_clock_hz")), "");
    print("dram_bytes_per_s", bandwidth(all), "reached by reading; the peak is higher");
    print("issue_cycles", issue_cycles(all), "of a fused multiplication and addition");
    print("integer_latency_cycles", instruction_latency(all, "int_add"), "");
    print("single_precision_latency_cycles", instruction_latency(all, "fp32_fma"), "");
    print("double_precision_latency_cycles", instruction_latency(all, "fp64_fma"), "");
    print("special_function_latency_cycles", instruction_latency(all, "ex2"), "");
    print("shared_latency_cycles", only(rows_of(all, "latency", "shared")), "");
    print("l1_latency_cycles", l1_latency(all), "");
    print("l2_latency_cycles", l2_latency(all), "");
    print("dram_latency_cycles", dram_latency(all), "");
    print("coalesced_departure_cycles", departure(all, "coalesced_loads_1", 4, 1), "slope");
    print("uncoalesced_departure_cycles", departure(all, "scattered_loads_1", 32, 32),
          "slope over 32 transactions");
    print("global_sync_cycles", global_sync(all), "times the clock");
    const auto constants = cpd(all);
    constexpr std::string_view names[]{"cpd_a", "cpd_b", "cpd_c", "cpd_d"};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        print(names[i], constants ? maybe_figure((*constants)[i]) : maybe_figure(), "fitted");
    }
    std::cout << "};\n";
}

bool is_identifier(const std::string& name) {
    const auto may_stand = [](char c) {
        return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    };
    return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
           std::all_of(name.begin(), name.end(), may_stand);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: device_header FILE.csv NAME\n";
        return 2;
    }
    const std::string path = argv[1];
    const std::string name = argv[2];
    if (!is_identifier(name)) {
        std::cerr << name << ": is no name of a struct\n";
        return 2;
    }
    std::ifstream file(path);
    if (!file) {
        std::cerr << path << ": cannot be read\n";
        return 1;
    }
    const auto all = read_measurements(file);
    if (!all) {
        std::cerr << path << ": " << message(all.error()).view() << '\n';
        return 1;
    }
    print_device(*all, path, name);
    return 0;
}
