// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every parameter of every GPU beside what somebody else gives, as the tables of docs/devices.md:
//   second_sources              how many have a second source
//   second_sources stated       what data sheets, guides and databases say, by source
//   second_sources measured     what was measured, by GPU
//   second_sources differences  where a stated value differs from ours, and why
//   second_sources first_only   the parameters that have one source, by the reason
//   second_sources reasons      how many have one source for each reason
// It fails where two sources differ for no reason that is written, where a reason is not needed, and where a parameter
// has no second source and is not listed as such.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/report/digits.hpp>
#include <warpgauge/report/table.hpp>

#include "first_only.hpp"
#include "values.hpp"

namespace {

namespace report = warpgauge::report;
using namespace second_sources;

struct parameter_of_gpu {
    warpgauge::parameter_info info;
    double value;
    bool seconded = false;
};

struct gpu {
    std::string name, capability;
    std::vector<parameter_of_gpu> parameters;
};

std::vector<gpu> all_gpus() {
    std::vector<gpu> gpus;
    warpgauge::devices::for_each([&](const auto& d) {
        gpu& g = gpus.emplace_back();
        g.name = d.name;
        if constexpr (requires { d.capability; }) {
            g.capability =
                std::to_string(d.capability.major) + "." + std::to_string(d.capability.minor);
        }
        warpgauge::for_each_parameter(d, [&](warpgauge::device_parameter p, const auto& value) {
            g.parameters.push_back({info(p), static_cast<double>(value)});
        });
    });
    return gpus;
}

/// The names of a list that "; " separates.
std::vector<std::string_view> split(std::string_view list) {
    std::vector<std::string_view> names;
    for (;;) {
        const auto end = list.find("; ");
        names.push_back(list.substr(0, end));
        if (end == std::string_view::npos) return names;
        list.remove_prefix(end + 2);
    }
}

bool is_in(const gpu& g, std::string_view list) {
    const auto names = split(list);
    return std::any_of(names.begin(), names.end(), [&](std::string_view n) {
        return n == g.name || (!g.capability.empty() && n == g.capability);
    });
}

parameter_of_gpu* find(gpu& g, std::string_view parameter) {
    const auto at = std::find_if(g.parameters.begin(), g.parameters.end(),
                                 [&](const auto& p) { return p.info.name == parameter; });
    return at == g.parameters.end() ? nullptr : &*at;
}

double factor(double a, double b) {
    if (a == b) return 1;
    return std::min(a, b) > 0 ? std::max(a, b) / std::min(a, b) : HUGE_VAL;
}

/// Whole numbers have to be the same. A clock, a bandwidth, or lanes from a rounded rate may differ by 3%, what was
/// measured by a quarter.
double permitted_factor(const parameter_of_gpu& p, double theirs, bool measured) {
    if (measured) return 1.25;
    if (p.info.range == warpgauge::parameter_range::whole && theirs == std::floor(theirs)) return 1;
    return p.info.unit == "W" || p.info.unit == "B" ? 1 : 1.03;
}

struct comparison {
    const gpu* device;
    const parameter_of_gpu* parameter;
    const source* from;
    const stated* other;
    double by;         ///< how far ours and theirs are apart
    double permitted;  ///< how far they may be without a reason
};

/// Every name of a list is that of a GPU, or a compute capability.
void check_names(std::string_view list, const std::vector<gpu>& gpus, bool& right) {
    for (const std::string_view name : split(list)) {
        if (std::any_of(gpus.begin(), gpus.end(), [&](const gpu& g) { return is_in(g, name); })) {
            continue;
        }
        std::cerr << "no GPU is " << name << '\n';
        right = false;
    }
}

/// Compares, marks what has a second source, and says what is wrong.
std::vector<comparison> compare(std::vector<gpu>& gpus, const std::vector<source>& sources,
                                bool measured, bool& right) {
    std::vector<comparison> all;
    for (const source& s : sources) {
        check_names(s.gpus, gpus, right);
        for (const stated& other : s.values) {
            bool found = false;
            for (gpu& g : gpus) {
                parameter_of_gpu* const ours =
                    is_in(g, s.gpus) ? find(g, other.parameter) : nullptr;
                if (ours == nullptr) continue;
                found = true;
                const double by = factor(ours->value, other.value);
                const double permitted = permitted_factor(*ours, other.value, measured);
                if (by > permitted && other.why.empty()) {
                    std::cerr << g.name << ", " << other.parameter << ": " << ours->value << " and "
                              << other.value << " of " << s.name << '\n';
                    right = false;
                }
                ours->seconded = true;
                all.push_back({&g, ours, &s, &other, by, permitted});
            }
            // A reason for one GPU of a list is a reason for all.
            const bool needed = std::any_of(all.begin(), all.end(), [&](const comparison& c) {
                return c.other == &other && c.by > c.permitted;
            });
            if (!found || (!other.why.empty() && !needed)) {
                std::cerr << s.gpus << ", " << other.parameter << " of " << s.name
                          << (found ? ": the reason is not needed\n" : ": no GPU has it\n");
                right = false;
            }
        }
    }
    return all;
}

const derived_parameter* derivation(const gpu& g, std::string_view parameter) {
    const auto at =
        std::find_if(std::begin(derived), std::end(derived), [&](const derived_parameter& d) {
            return d.parameter == parameter && (d.gpus.empty() || is_in(g, d.gpus));
        });
    return at == std::end(derived) ? nullptr : &*at;
}

/// What follows from another parameter equals it.
void check_derived(std::vector<gpu>& gpus, bool& right) {
    for (const derived_parameter& d : derived) {
        if (!d.gpus.empty()) check_names(d.gpus, gpus, right);
    }
    for (gpu& g : gpus) {
        for (const parameter_of_gpu& p : g.parameters) {
            const derived_parameter* const d = derivation(g, p.info.name);
            if (d == nullptr || d->equals.empty()) continue;
            const parameter_of_gpu* const other = find(g, d->equals);
            if (other == nullptr || other->value != p.value) {
                std::cerr << g.name << ", " << p.info.name << ": is not its " << d->equals << '\n';
                right = false;
            }
        }
    }
}

int listed_times(const std::vector<reason>& reasons, const gpu& g, std::string_view parameter) {
    int times = 0;
    for (const reason& r : reasons) {
        for (const one_source& o : r.parameters) {
            times += o.parameter == parameter && is_in(g, o.gpus);
        }
    }
    return times;
}

/// Every parameter without a second source is in the list once, and what is in the list has none.
void check_first_only(const std::vector<gpu>& gpus, const std::vector<reason>& reasons,
                      bool& right) {
    for (const reason& r : reasons) {
        for (const one_source& o : r.parameters) check_names(o.gpus, gpus, right);
    }
    for (const gpu& g : gpus) {
        for (const parameter_of_gpu& p : g.parameters) {
            const int listed = listed_times(reasons, g, p.info.name);
            const bool needed = !p.seconded && derivation(g, p.info.name) == nullptr;
            if (listed == needed) continue;
            std::cerr << g.name << ", " << p.info.name
                      << (listed == 0 ? ": no second source, and not listed in first_only.hpp\n"
                          : needed    ? ": is listed for two reasons\n"
                                      : ": has a second source, or follows from others; it is "
                                        "listed as having one\n");
            right = false;
        }
    }
}

std::string text_of(double value) {
    const bool count = value == std::floor(value) && value < 1e9;
    return count ? report::fixed(value, 0) : report::detail::general_digits(value, 4);
}

/// One row for all GPUs of a source that have the same value of ours.
void print_measured(const std::vector<comparison>& all) {
    report::table t({"GPU or compute capability", "parameter", "second source", "why they differ",
                     "ours", "theirs", "factor"},
                    4);
    for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
        bool same = true;
        for (end = i; end < all.size() && all[end].other == all[i].other; ++end) {
            same = same && all[end].parameter->value == all[i].parameter->value;
        }
        for (std::size_t k = i; k < (same ? i + 1 : end); ++k) {
            const comparison& c = all[k];
            t.add({same ? c.from->gpus : c.device->name, c.parameter->info.name, c.from->name,
                   c.other->why, text_of(c.parameter->value), text_of(c.other->value),
                   report::fixed(c.by, 2)});
        }
    }
    std::cout << report::markdown(t);
}

void print_differences(const std::vector<comparison>& all) {
    report::table t({"GPU or compute capability", "parameter", "second source", "why they differ",
                     "ours", "theirs"},
                    4);
    const stated* last = nullptr;
    for (const comparison& c : all) {
        if (c.other->why.empty() || c.other == last) continue;
        last = c.other;
        t.add({c.from->gpus, c.parameter->info.name, c.from->name, c.other->why,
               text_of(c.parameter->value), text_of(c.other->value)});
    }
    std::cout << report::markdown(t);
}

void print_stated(const std::vector<source>& of_capabilities, const std::vector<source>& boards) {
    report::table t({"GPU or compute capability", "second source", "parameters"}, 3);
    for (const auto* sources : {&of_capabilities, &boards}) {
        for (const source& s : *sources) {
            std::string names;
            for (const stated& v : s.values) {
                names += (names.empty() ? "" : ", ") + std::string(v.parameter);
            }
            t.add({s.gpus, s.name, names});
        }
    }
    std::cout << report::markdown(t);
}

/// One row for all parameters of the same GPUs.
void print_first_only(const std::vector<reason>& reasons) {
    report::table t({"why", "GPUs or compute capabilities", "parameters"}, 3);
    for (const reason& r : reasons) {
        std::vector<std::pair<std::string_view, std::string>> rows;
        for (const one_source& o : r.parameters) {
            const auto same = std::find_if(rows.begin(), rows.end(),
                                           [&](const auto& row) { return row.first == o.gpus; });
            if (same == rows.end()) {
                rows.emplace_back(o.gpus, o.parameter);
            } else {
                same->second += ", " + std::string(o.parameter);
            }
        }
        for (const auto& [gpus, parameters] : rows) t.add({r.why, gpus, parameters});
    }
    std::cout << report::markdown(t);
}

void print_reasons(const std::vector<gpu>& gpus, const std::vector<reason>& reasons) {
    report::table t({"why there is one source", "parameters"});
    for (const reason& r : reasons) {
        int n = 0;
        for (const gpu& g : gpus) {
            for (const parameter_of_gpu& p : g.parameters) n += listed_times({r}, g, p.info.name);
        }
        t.add({r.why, std::to_string(n)});
    }
    std::cout << report::markdown(t);
}

void print_summary(const std::vector<gpu>& gpus, const std::vector<comparison>& from_sheets,
                   const std::vector<comparison>& measured) {
    int parameters = 0, seconded = 0, follow = 0;
    for (const gpu& g : gpus) {
        for (const parameter_of_gpu& p : g.parameters) {
            ++parameters;
            seconded += p.seconded;
            follow += !p.seconded && derivation(g, p.info.name) != nullptr;
        }
    }
    const auto further_apart = [](const std::vector<comparison>& all) {
        return std::count_if(all.begin(), all.end(),
                             [&](const comparison& c) { return c.by > c.permitted; });
    };
    report::table t({"", "parameters"});
    const auto row = [&](std::string_view what, auto n) { t.add({what, std::to_string(n)}); };
    row("of all GPUs", parameters);
    row("with a second source", seconded);
    row("that follow from others of the GPU", follow);
    row("with one source", parameters - seconded - follow);
    row("comparisons with what is stated", from_sheets.size());
    row("further apart than permitted, with the reason", further_apart(from_sheets));
    row("comparisons with what was measured", measured.size());
    row("further apart than permitted, with the reason or \"not known\"", further_apart(measured));
    std::cout << report::markdown(t);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<gpu> gpus = all_gpus();
    const std::vector<source> capabilities = of_capabilities(), boards = of_boards(),
                              measurements = of_measurements();
    bool right = true;
    std::cerr.precision(10);
    std::vector<comparison> from_sheets = compare(gpus, capabilities, false, right);
    const auto of_each_board = compare(gpus, boards, false, right);
    from_sheets.insert(from_sheets.end(), of_each_board.begin(), of_each_board.end());
    const std::vector<comparison> measured = compare(gpus, measurements, true, right);
    const std::vector<reason> reasons = first_only();
    check_derived(gpus, right);
    check_first_only(gpus, reasons, right);

    const std::string_view table = argc > 1 ? argv[1] : "";
    if (table.empty()) print_summary(gpus, from_sheets, measured);
    if (table == "stated") print_stated(capabilities, boards);
    if (table == "measured") print_measured(measured);
    if (table == "differences") print_differences(from_sheets);
    if (table == "first_only") print_first_only(reasons);
    if (table == "reasons") print_reasons(gpus, reasons);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
