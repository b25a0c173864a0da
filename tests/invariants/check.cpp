// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include <warpgauge/kernel/parameters.hpp>

namespace invariants {

namespace {

/// What a device has more of, or less, and gets no slower by.
struct better_device {
    invariant what;
    std::string_view parameter;
    bool more;
};
constexpr better_device better_devices[]{
    {invariant::more_bandwidth, "dram_bytes_per_s", true},
    {invariant::more_bandwidth, "l2_bytes_per_cycle", true},
    {invariant::more_bandwidth, "l1_bytes_per_cycle", true},
    {invariant::more_bandwidth, "shared_bytes_per_cycle", true},
    {invariant::more_bandwidth, "dram_read_fraction", true},
    {invariant::more_bandwidth, "dram_write_fraction", true},
    {invariant::more_bandwidth, "dram_mixed_fraction", true},
    {invariant::more_bandwidth, "l1_bytes_per_sm", true},
    {invariant::more_bandwidth, "l2_bytes", true},
    {invariant::more_bandwidth, "memory_instruction_cycles", false},
    {invariant::more_bandwidth, "shared_pass_cycles", false},
    {invariant::lower_latency, "branch_cycles", false},
    {invariant::faster_clock, "clock_hz", true},
    {invariant::faster_clock, "sustained_clock_hz", true},
    {invariant::lower_latency, "dram_latency_cycles", false},
    {invariant::lower_latency, "l2_latency_cycles", false},
    {invariant::lower_latency, "l1_latency_cycles", false},
    {invariant::lower_latency, "shared_latency_cycles", false},
    {invariant::lower_latency, "integer_latency_cycles", false},
    {invariant::lower_latency, "single_precision_latency_cycles", false},
    {invariant::lower_latency, "double_precision_latency_cycles", false},
    {invariant::lower_latency, "special_function_latency_cycles", false},
    {invariant::lower_latency, "tensor_latency_cycles", false},
    {invariant::lower_latency, "coalesced_departure_cycles", false},
    {invariant::lower_latency, "uncoalesced_departure_cycles", false},
    {invariant::lower_latency, "uncontended_latency_cycles", false},
    {invariant::lower_latency, "global_sync_cycles", false},
    {invariant::lower_latency, "launch_overhead_s", false},
    {invariant::more_issue_slots, "issue_cycles", false},
    {invariant::more_issue_slots, "average_cpi", false},
    {invariant::more_issue_slots, "warp_schedulers", true},
    {invariant::more_issue_slots, "issues_per_scheduler", true},
    {invariant::more_issue_slots, "cuda_cores", true},
    {invariant::more_issue_slots, "integer_units", true},
    {invariant::more_issue_slots, "double_precision_units", true},
    {invariant::more_issue_slots, "special_function_units", true},
    {invariant::more_issue_slots, "load_store_units", true},
    {invariant::more_issue_slots, "tensor_fma_per_cycle", true},
};

bool reads(const subject& s, std::string_view parameter) {
    for (std::size_t n = 0; n < device_parameter_count; ++n) {
        const auto p = static_cast<device_parameter>(n);
        if (info(p).name == parameter) return s.reads.contains(p);
    }
    return false;
}

bool is_whole(std::string_view parameter) {
    for (const parameter_info& row : device_parameters) {
        if (row.name == parameter) return row.range == parameter_range::whole;
    }
    return false;
}

std::optional<change> better_device_of(const subject& s, invariant i, const trial& t,
                                       random_numbers& r) {
    std::vector<const better_device*> possible;
    for (const better_device& b : better_devices) {
        if (b.what == i && t.device.get(b.parameter) && reads(s, b.parameter)) {
            possible.push_back(&b);
        }
    }
    if (possible.empty()) return {};
    const better_device& b = *possible[r.below(possible.size())];
    const bool whole = is_whole(b.parameter);
    const double times = whole ? 2 : 1 + r.spread(1e-3, 3);
    return change{.parameter = b.parameter,
                  .of_device = true,
                  .by = b.more ? times : 1 / times,
                  .whole = whole};
}

/// Numbers of a profile of which less is less work.
constexpr std::string_view counts[]{"comp_insts",
                                    "coalesced_mem_insts",
                                    "uncoalesced_mem_insts",
                                    "sync_insts",
                                    "fp32_ops",
                                    "fp64_ops",
                                    "integer_ops",
                                    "special_ops",
                                    "tensor_fmas",
                                    "shared_insts",
                                    "branches",
                                    "dram_waits",
                                    "l2_waits",
                                    "l1_waits",
                                    "store_waits",
                                    "arithmetic_wait_cycles",
                                    "steps"};
constexpr std::string_view transactions[]{"transactions_per_uncoalesced",
                                          "shared_passes",
                                          "load_sectors",
                                          "full_store_sectors",
                                          "partial_store_sectors",
                                          "lines",
                                          "broadcast_loads",
                                          "l2_bytes_per_warp",
                                          "local_bytes"};
constexpr std::string_view stencil_work[]{"misc_insts_per_sm", "iter_insts_per_sm"};

template <class Names>
std::optional<change> fewer_of(const Names& names, const trial& t, random_numbers& r) {
    std::vector<std::string_view> possible;
    kernel_profile<> k = t.kernel.numbers;
    for (const std::string_view n : names) {
        const double* const x = find_parameter(k, n);
        if (x != nullptr && *x > 0) possible.push_back(n);
    }
    if (possible.empty()) return {};
    const std::string_view n = possible[r.below(possible.size())];
    // Of sectors and bytes, 0 says that they are not known.
    const bool to_none = n.ends_with("insts") && r.with_probability(0.1);
    return change{.parameter = n, .by = to_none ? 0 : 1 / (1 + r.spread(1e-3, 3))};
}

/// Entries of a stream that can be fewer: loops of several rounds; the last entry stands for all behind the last loop.
std::optional<change> shorter_stream(const trial& t, random_numbers& r) {
    std::vector<std::size_t> possible;
    const auto& s = t.kernel.stream;
    for (std::size_t n = 0; n < s.size(); ++n) {
        if (s[n].unit == unit_kind::loop && s[n].loop_count > 1) possible.push_back(n);
    }
    if (s.size() > 1) possible.push_back(s.size());
    if (possible.empty()) return {};
    return change{.at = possible[r.below(possible.size())]};
}

std::optional<change> fewer_transactions_of(const trial& t, random_numbers& r) {
    std::vector<std::size_t> possible;
    for (std::size_t n = 0; n < t.kernel.stream.size(); ++n) {
        if (t.kernel.stream[n].transactions > 2) possible.push_back(n);
    }
    if (possible.empty()) return {};
    return change{.by = r.unit(), .at = possible[r.below(possible.size())]};
}

/// The stream without its last part: an instruction, or a loop as a whole.
std::vector<instruction> without_last(const std::vector<instruction>& s) {
    std::size_t at = 0;
    std::size_t last = 0;
    while (at < s.size()) {
        last = at;
        at += 1 + (s[at].unit == unit_kind::loop ? s[at].loop_length : 0);
    }
    return {s.begin(), s.begin() + static_cast<std::ptrdiff_t>(last)};
}

/// The same executions, with one loop as a loop of loops; a stream without loops as a loop of one round.
std::vector<instruction> with_nested_loop(std::vector<instruction> s) {
    for (std::size_t n = 0; n < s.size(); ++n) {
        if (s[n].unit != unit_kind::loop || s[n].loop_count % 2 != 0) continue;
        s[n].loop_count /= 2;
        const auto at = s.begin() + static_cast<std::ptrdiff_t>(n);
        s.insert(at, loop(s[n].loop_length + 1, 2));
        return s;
    }
    s.insert(s.begin(), loop(static_cast<std::uint32_t>(s.size()), 1));
    return s;
}

/// A GPU and a kernel of which coalesced and uncoalesced instructions are the same.
void make_accesses_alike(trial& t) {
    kernel_profile<>& k = t.kernel.numbers;
    k.transactions_per_uncoalesced = 1;
    const auto coalesced = t.device.get("coalesced_departure_cycles");
    if (coalesced) (void)t.device.set("uncoalesced_departure_cycles", *coalesced);
    const double bytes = k.bytes_per_access * *t.device.get("warp_size");
    if (t.device.get("dram_transaction_bytes")) {
        (void)t.device.set("dram_transaction_bytes", bytes);
    } else {
        k.bytes_per_access = 32 / *t.device.get("warp_size");  // one sector
    }
    k.coalesced_mem_insts += k.uncoalesced_mem_insts + 1;
    k.uncoalesced_mem_insts = 0;
}

void scale(any_device& d, std::string_view parameter, double by) {
    if (const auto x = d.get(parameter)) (void)d.set(parameter, *x * by);
}

void scale_time(any_device& d, double by) {
    for (const std::string_view rate :
         {"clock_hz", "sustained_clock_hz", "dram_bytes_per_s", "board_power_w"}) {
        scale(d, rate, by);
    }
    scale(d, "launch_overhead_s", 1 / by);
}

bool change_device(any_device& d, const change& c) {
    const double was = *d.get(c.parameter);
    double x = was * c.by;
    if (c.whole) x = std::ceil(x);
    if (c.parameter.ends_with("fraction")) x = std::min(1.0, x);
    if (c.parameter.ends_with("latency_cycles")) x = std::max(1.0, x);
    if (x == was || d.set(c.parameter, x)) return false;
    if (c.parameter == "clock_hz") scale(d, "sustained_clock_hz", c.by);
    return c.parameter != "sustained_clock_hz" || x <= *d.get("clock_hz");
}

bool change_kernel(launch_case& k, const change& c) {
    double* const x = find_parameter(k.numbers, c.parameter);
    if (x == nullptr) return false;
    const double was = *x;
    *x *= c.by;
    if (c.parameter == "transactions_per_uncoalesced") *x = std::max(1.0, *x);
    if (c.parameter == "blocks") *x = std::max(1.0, c.by < 0 ? was - 1 : std::floor(*x));
    if (c.parameter == "steps") k.numbers.waits.longest_steps *= c.by;
    return *x != was;
}

bool shorten(launch_case& k, const change& c) {
    if (c.at == k.stream.size()) {
        k.stream = without_last(k.stream);
        return !k.stream.empty();
    }
    instruction& i = k.stream[c.at];
    if (i.loop_count < 2) return false;
    --i.loop_count;
    return true;
}

bool coalesce(launch_case& k, const change& c) {
    instruction& i = k.stream[c.at];
    const auto fewer = static_cast<std::uint16_t>(2 + std::floor(c.by * (i.transactions - 2)));
    if (fewer >= i.transactions) return false;
    i.transactions = fewer;
    return true;
}

double floor_of(const hardware_floors& f, invariant i) {
    switch (i) {
        case invariant::issue_floor: return f.issue_seconds;
        case invariant::bytes_floor: return f.bytes_seconds;
        default: return f.latency_seconds;
    }
}

assumption floor_entry(invariant i) {
    switch (i) {
        case invariant::issue_floor: return assumption::issue_floor;
        case invariant::bytes_floor: return assumption::dram_floor;
        default: return assumption::block_floor;
    }
}

}  // namespace

trial any_trial(const subject& s, random_numbers& r) {
    trial t;
    t.model_at = r.below(s.devices.size());
    t.device = any_variant(r, s.devices[t.model_at].device);
    t.kernel = any_kernel(r, t.device, s.kind);
    return t;
}

std::optional<change> any_change(const subject& s, invariant i, trial& t, random_numbers& r) {
    const bool streamed = s.kind == kernel_kind::streamed;
    const bool stencil = s.kind == kernel_kind::stencil;
    switch (i) {
        case invariant::issue_floor:
        case invariant::bytes_floor:
        case invariant::latency_floor: return change{};
        case invariant::more_bandwidth:
        case invariant::faster_clock:
        case invariant::lower_latency:
        case invariant::more_issue_slots: return better_device_of(s, i, t, r);
        case invariant::fewer_instructions:
            if (streamed) return shorter_stream(t, r);
            return stencil ? fewer_of(stencil_work, t, r) : fewer_of(counts, t, r);
        case invariant::fewer_transactions:
            if (stencil) return {};
            return streamed ? fewer_transactions_of(t, r) : fewer_of(transactions, t, r);
        case invariant::fewer_blocks:
            if (stencil) {
                return change{.parameter = "data_length[0]", .by = 1 / (1 + r.spread(1e-3, 3))};
            }
            return change{.parameter = "blocks",
                          .by = r.with_probability(0.3) ? -1 : 1 / (1 + r.spread(1e-3, 3))};
        case invariant::split:
            if (stencil) return {};
            if (!streamed) make_accesses_alike(t);
            return change{.by = r.unit()};
        case invariant::rescaled: {
            const double by = std::exp2(r.whole(1, 4));
            return change{.by = by, .expected = 1 / by};
        }
    }
    return {};
}

std::optional<trial> changed(const trial& t, invariant i, const change& c) {
    trial after = t;
    bool is_other = true;
    if (i == invariant::rescaled) {
        scale_time(after.device, c.by);
    } else if (i == invariant::split) {
        kernel_profile<>& k = after.kernel.numbers;
        if (t.kernel.stream.empty()) {
            k.uncoalesced_mem_insts = k.coalesced_mem_insts * c.by;
            k.coalesced_mem_insts -= k.uncoalesced_mem_insts;
        } else {
            after.kernel.stream = with_nested_loop(t.kernel.stream);
        }
    } else if (c.of_device) {
        is_other = change_device(after.device, c);
    } else if (!c.parameter.empty()) {
        is_other = change_kernel(after.kernel, c);
    } else if (i == invariant::fewer_transactions) {
        is_other = coalesce(after.kernel, c);
    } else {
        is_other = shorten(after.kernel, c);
    }
    if (!is_other) return {};
    return after;
}

outcome measure(const subject& s, invariant i, equation_form form, const trial& t,
                const change& c) {
    const auto predict = s.devices[t.model_at].predict;
    const answer before = predict(t.device, t.kernel.profile(), form);
    if (before.error) return {};
    if (i <= invariant::latency_floor) {
        const double least = floor_of(s.floors(t.device, t.kernel), i);
        if (!(least > 0)) return {};
        const bool told = before.assumed.contains(floor_entry(i)) ||
                          before.assumed.contains(assumption::two_unit_types);
        return {true, least / before.seconds, told};
    }
    const auto after_change = changed(t, i, c);
    if (!after_change) return {};
    const answer after = predict(after_change->device, after_change->kernel.profile(), form);
    if (after.error) return {};
    const double ratio = after.seconds / (before.seconds * c.expected);
    if (i >= invariant::split) return {true, std::max(ratio, 1 / ratio)};
    return {true, ratio};
}

outcome measure(const subject& s, invariant i, equation_form form, std::uint64_t seed) {
    random_numbers r(seed);
    trial t = any_trial(s, r);
    const auto c = any_change(s, i, t, r);
    return c ? measure(s, i, form, t, *c) : outcome{};
}

tally tally_of(const subject& s, invariant i, equation_form form, std::uint64_t cases,
               std::uint64_t step) {
    tally t;
    for (std::uint64_t seed = 0; seed < cases; seed += step) {
        const outcome o = measure(s, i, form, seed);
        if (!o) continue;
        ++t.tried;
        if (!broken(o)) continue;
        ++t.broken;
        if (o.told) ++t.told;
        if (o.factor <= t.worst_factor) continue;
        t.worst_factor = o.factor;
        t.worst_seed = seed;
    }
    return t;
}

namespace {

std::string in_words(const launch_case& c) {
    std::ostringstream out;
    kernel_profile<> k = c.numbers;
    const kernel_profile<> plain{};
    const auto show = [&](std::string_view n, double x) {
        kernel_profile<> p = plain;
        const double* const usual = find_parameter(p, n);
        if (usual == nullptr || *usual != x) out << n << '=' << x << ' ';
    };
    for_each_parameter(k, show);
    for (const instruction& i : c.stream) {
        out << "| " << name(i.unit);
        if (i.unit == unit_kind::loop) out << ' ' << i.loop_length << " x" << i.loop_count;
        if (uses_load_store_units(i.unit)) out << ' ' << int{i.bytes} << "Bx" << i.transactions;
        for (const auto need : i.needs) {
            if (need == own_result) out << " needs itself";
            if (need != 0 && need != own_result) out << " needs -" << need;
        }
        out << ' ';
    }
    return out.str();
}

/// Tries simpler numbers one after another and keeps what leaves the invariant as broken as `enough`.
void simplify(const subject& s, invariant i, equation_form form, trial& t, const change& c,
              double enough) {
    const auto still = [&](const trial& simpler) {
        const outcome o = measure(s, i, form, simpler, c);
        return broken(o) && o.factor >= enough;
    };
    const any_device shipped = s.devices[t.model_at].device;
    shipped.for_each_known([&](device_parameter p, double value) {
        trial simpler = t;
        if (i == invariant::split || simpler.device.set(info(p).name, value)) return;
        if (still(simpler)) t = simpler;
    });
    kernel_profile<> names = t.kernel.numbers;
    for_each_parameter(names, [&](std::string_view n, double) {
        for (const double x : {0, 1, 2, 4, 10, 32, 64, 100, 128, 256, 1000, 10000}) {
            trial simpler = t;
            double& number = *find_parameter(simpler.kernel.numbers, n);
            if (number == x) break;
            number = x;
            if (!still(simpler)) continue;
            t = simpler;
            break;
        }
    });
    for (std::size_t n = 0; n < t.kernel.stream.size(); ++n) {
        for (auto& need : t.kernel.stream[n].needs) {
            const auto was = need;
            need = 0;
            if (!still(t)) need = was;
        }
    }
    while (c.at < t.kernel.stream.size()) {
        trial simpler = t;
        simpler.kernel.stream = without_last(t.kernel.stream);
        if (simpler.kernel.stream.empty() || c.at >= simpler.kernel.stream.size() ||
            !still(simpler)) {
            break;
        }
        t = simpler;
    }
}

}  // namespace

std::string disagreement_of_tools(const subject& s, std::uint64_t seed) {
    random_numbers r(seed);
    const any_device d = any_variant(r, s.tools_device);
    const launch_case k = any_kernel(r, d, s.kind);
    const std::string wrong = s.tools(d, k.profile());
    return wrong.empty() ? wrong : wrong + ", seed " + std::to_string(seed) + ": " + in_words(k);
}

std::string explain(const subject& s, invariant i, equation_form form, std::uint64_t seed) {
    random_numbers r(seed);
    trial t = any_trial(s, r);
    const auto c = any_change(s, i, t, r);
    if (!c) return "nothing to say";
    const double factor = measure(s, i, form, t, *c).factor;
    simplify(s, i, form, t, *c, 1 + (factor - 1) / 2);
    const auto predict = s.devices[t.model_at].predict;
    std::ostringstream out;
    out.precision(10);
    out << s.name << ": " << name(i) << ", by a factor of " << factor << ", simplified "
        << measure(s, i, form, t, *c).factor << "; seed " << seed << "\n    "
        << s.devices[t.model_at].device.name();
    const any_device& shipped = s.devices[t.model_at].device;
    t.device.for_each_known([&](device_parameter p, double x) {
        if (x != *shipped.get(info(p).name)) out << ", " << info(p).name << '=' << x;
    });
    out << "\n    " << in_words(t.kernel) << "\n    "
        << predict(t.device, t.kernel.profile(), form).seconds * 1e6 << " us";
    if (i <= invariant::latency_floor) {
        out << ", floor " << floor_of(s.floors(t.device, t.kernel), i) * 1e6 << " us";
    } else if (const auto after = changed(t, i, *c)) {
        out << ", then " << predict(after->device, after->kernel.profile(), form).seconds * 1e6
            << " us with " << (c->parameter.empty() ? "the other form" : c->parameter) << " x "
            << c->by << " at " << c->at;
    }
    return out.str();
}

}  // namespace invariants
