// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library knows of devices, as Markdown.
//
//   devices parameters   each parameter: name, group, unit, range, meaning
//   devices values       each device's parameters; "-" where no source gives one
//   devices models       each device: its names, and which models take it
//   devices NAME         one device's parameters
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <warpgauge/models/ppt_compat.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace report = warpgauge::report;
using warpgauge::device_parameter;

std::string_view name(warpgauge::parameter_range range) {
    using enum warpgauge::parameter_range;
    switch (range) {
        case positive: return "> 0";
        case non_negative: return ">= 0";
        case whole: return "1, 2, ...";
        case fraction: return "0 to 1";
    }
    return "unknown";
}

// Four significant digits, six of rates; numbers of bytes and the like with all digits. "1.5e9", not "1.5e+09".
std::string number(double value) {
    const bool round = value >= 1e8 && std::fmod(value, 1e4) == 0;
    if (value < 1e9 && !round && std::floor(value) == value) return report::fixed(value, 0);
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   std::chars_format::general, value < 1e9 ? 4 : 6);
    std::string out(text.data(), end.ptr);
    for (const std::string_view padding : {"+0", "+", "0"}) {
        const auto exponent = out.find('e');
        if (exponent == std::string::npos) break;
        const auto at = out.find(padding, exponent);
        if (at != std::string::npos && at - exponent <= 2) {
            out.erase(at, padding.size());
            break;
        }
    }
    return out;
}

void print_parameters() {
    report::table t({"parameter", "group", "unit", "range", "meaning"}, 5);
    for (const warpgauge::parameter_info& row : warpgauge::device_parameters) {
        t.add({row.name, row.group, row.unit, name(row.range), row.meaning});
    }
    std::cout << report::markdown(t);
}

// Groups that are shown in one table.
struct chapter {
    std::string_view heading;
    std::vector<std::string_view> groups;

    [[nodiscard]] bool holds(std::string_view group) const {
        return std::find(groups.begin(), groups.end(), group) != groups.end();
    }
};

// The chapters, and a last one with the groups that no other has.
std::vector<chapter> chapters() {
    std::vector<chapter> all{
        {"Chip and execution units of an SM",
         {"chip", "cores", "integers", "double_precision", "special_functions", "load_store",
          "tensor", "schedulers", "partitions"}},
        {"Results of an SM in a cycle, by class of instruction",
         {"integer_add_rates", "integer_rates", "comparison_rate", "conversion_rate",
          "wide_conversion_rate"}},
        {"Latencies",
         {"arithmetic_latency", "double_precision_latency", "special_function_latency",
          "tensor_latency", "shared_latency", "l1_latency", "l2_latency", "dram_latency"}},
        {"Caches, shared memory, DRAM",
         {"l1_cache", "l2_cache", "shared_bandwidth", "l1_bandwidth", "l2_bandwidth", "dram_read",
          "dram_write", "dram_mixed"}},
        {"Board", {"sustained_clock", "board_power", "launch_overhead"}},
        {"What an SM holds", {"warp", "residency"}},
        {"Parameters of MWP/CWP", {"issue", "departures", "transaction_size"}},
        {"Parameters of MPD/CPD and of the trapezoid", {"computation_costs", "stencil_timing"}}};
    chapter rest{"Others", {}};
    for (const warpgauge::parameter_info& row : warpgauge::device_parameters) {
        const bool shown = std::any_of(all.begin(), all.end(),
                                       [&](const chapter& c) { return c.holds(row.group); });
        if (!shown && !rest.holds(row.group)) rest.groups.push_back(row.group);
    }
    if (!rest.groups.empty()) all.push_back(rest);
    return all;
}

void print_values(const chapter& shown) {
    std::vector<std::string> heading{"device"};
    for (const warpgauge::parameter_info& row : warpgauge::device_parameters) {
        if (shown.holds(row.group)) heading.emplace_back(row.name);
    }
    report::table t(heading);
    warpgauge::devices::for_each([&](const auto& device) {
        std::vector<std::string> cells{std::string(device.name)};
        cells.resize(heading.size(), "-");
        bool any = false;
        warpgauge::for_each_parameter(device, [&](device_parameter p, const auto& value) {
            const auto column =
                std::find(heading.begin() + 1, heading.end(), info(p).name) - heading.begin();
            if (column == std::ssize(heading)) return;
            cells[static_cast<std::size_t>(column)] = number(static_cast<double>(value));
            any = true;
        });
        if (any) t.add_row(cells);
    });
    std::cout << "### " << shown.heading << "\n\n" << report::markdown(t) << '\n';
}

// Whether the hybrid simulation gives a time of each kind of instruction, and of which it gives none.
template <class Device>
std::string simulated(const Device& device) {
    if constexpr (!warpgauge::hybrid_device<Device>) {
        return "-";
    } else {
        using enum warpgauge::unit_kind;
        std::string without;
        for (const auto unit : {integer, single_precision, double_precision, special_function,
                                shared_memory, l1_cache, l2_cache, global_memory, tensor}) {
            if (unit == tensor && !warpgauge::has_tensor<Device>) continue;
            const warpgauge::instruction one[]{
                {.unit = unit, .tensor_fmas = unit == tensor ? 4096U : 0U}};
            const warpgauge::kernel_profile<> k{
                .blocks = 1, .threads_per_block = 32, .instructions = one};
            if (warpgauge::hybrid_model{device}.predict(k)) continue;
            without += without.empty() ? " but for " : ", ";
            without += name(unit);
        }
        return "yes" + without;
    }
}

template <class Device>
std::vector<std::string> models_of(const Device& device) {
    std::string capability = "-";
    if constexpr (warpgauge::has_architecture<Device>) {
        const auto& [major, minor] = device.capability;
        capability = std::to_string(major) + '.' + std::to_string(minor);
    }
    std::string names;
    for (const std::string_view alias : device.aliases) {
        if (!names.empty()) names += ", ";
        names += alias;
    }
    const auto yes = [](bool takes) { return std::string(takes ? "yes" : "-"); };
    return {std::string(device.name),
            names,
            capability,
            yes(warpgauge::occupancy_device<Device>),
            yes(warpgauge::roofline_device<Device>),
            yes(warpgauge::mwp_cwp_device<Device>),
            yes(warpgauge::mpd_cpd_device<Device>),
            yes(warpgauge::trapezoid_device<Device>),
            yes(warpgauge::makespan_device<Device>),
            simulated(device),
            yes(warpgauge::ppt_compat_device<Device>),
            yes(warpgauge::saturation_device<Device>)};
}

void print_models() {
    report::table t({"device", "also known as", "capability", "occupancy", "roofline", "MWP/CWP",
                     "MPD/CPD", "trapezoid", "makespan", "hybrid", "PPT", "saturation"},
                    12);
    warpgauge::devices::for_each([&](const auto& device) { t.add_row(models_of(device)); });
    std::cout << report::markdown(t);
}

// region: visit
// The parameters of the device of that name; false if no device has it.
bool print_device(std::string_view name) {
    return warpgauge::devices::visit(name, [](const auto& device) {
        report::table t({device.name, "", "unit"}, 1);
        warpgauge::for_each_parameter(device, [&](device_parameter p, const auto& value) {
            t.add({info(p).name, number(static_cast<double>(value)), info(p).unit});
        });
        std::cout << t;
    });
}
// endregion

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc == 2 ? argv[1] : "";
    if (what == "parameters") {
        print_parameters();
    } else if (what == "values") {
        for (const chapter& c : chapters()) print_values(c);
    } else if (what == "models") {
        print_models();
    } else if (!print_device(what)) {
        std::cerr << "usage: devices parameters|values|models|NAME\n";
        return 1;
    }
}
