// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_cost.hpp"

#include <algorithm>

#include <warpgauge/by_name.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/sm/occupancy.hpp>

namespace cost_pass {

namespace {

namespace ptx = warpgauge::ptx;
using warpgauge::any_device;
using warpgauge::report::fixed;
using profile = warpgauge::kernel_profile<>;
using remark_list = std::vector<remark>;

std::string words(const warpgauge::model_error& e) {
    return std::string(message(e).view());
}

remark no_time(std::string_view why) {
    return {"NoTime", std::string(why)};
}

// region: predict
remark time_of(const any_device& gpu, const profile& k) {
    const auto p = warpgauge::predict(warpgauge::default_model_name(gpu), gpu, k);
    if (!p) return no_time(words(p.error()));
    return {"Time", warpgauge::report::duration(p->seconds) + " on " + std::string(gpu.name()) +
                        ", limited by " + std::string(p->limited_by)};
}

void add_occupancy(const any_device& gpu, const profile& k, remark_list& to) {
    using namespace warpgauge::parameters;
    if (gpu.missing_of<warp, residency>()) return;
    const auto sm = gpu.as<warp, residency>();
    const auto now = warpgauge::occupancy(k, sm);
    const auto next = warpgauge::next_occupancy_step(k, sm);
    if (!now || !next) return;  // no further block fits
    std::string text = fixed(100 * now->occupancy, 0) + "% of the warps of an SM, limited by " +
                       std::string(name(now->limiter)) + "; one block more with";
    if (next->registers_per_thread < k.registers_per_thread) {
        text += " " + fixed(next->registers_per_thread, 0) + " registers";
    }
    if (next->shared_bytes_per_block < k.shared_bytes_per_block) {
        text += " " + fixed(next->shared_bytes_per_block, 0) + " B of shared memory";
    }
    to.push_back({"Occupancy", text});
}

void add_accesses(const ptx::traced_kernel& t, remark_list& to) {
    for (const ptx::memory_access& a : t.accesses) {
        if (a.transactions <= a.min_transactions) continue;
        const bool shared = a.unit == warpgauge::unit_kind::shared_memory;
        to.push_back({shared ? "BankConflicts" : "Uncoalesced",
                      fixed(a.transactions, 1) +
                          (shared ? " passes of shared memory, " : " transactions of a warp, ") +
                          fixed(a.min_transactions, 1) + " if its lanes were side by side",
                      a.source_line});
    }
}

remark_list remarks_of_launch(const any_device& gpu, const ptx::kernel& kernel,
                              const kernel_launch& l) {
    const auto extent = [](const auto& sides) { return ptx::extent{sides[0], sides[1], sides[2]}; };
    std::vector<ptx::argument> arguments;
    for (const auto& a : l.arguments) {
        arguments.push_back(a ? ptx::argument(*a) : ptx::argument());
    }
    const ptx::launch launch{extent(l.grid), extent(l.block), l.shared_bytes};
    const auto trace = ptx::trace(kernel, launch, arguments, {.capability = gpu.capability()});
    if (!trace) return {no_time(message(trace.error(), kernel, launch).view())};
    remark_list all{time_of(gpu, trace->profile())};
    add_occupancy(gpu, trace->profile(), all);
    add_accesses(*trace, all);
    return all;
}
// endregion

}  // namespace

std::vector<kernel_remarks> remarks_of(std::string_view text, std::string_view gpu,
                                       const launch_list& launches) {
    const auto parsed = ptx::parse(text);
    if (!parsed) return {{"", {no_time(words(parsed.error()))}}};
    const auto device = warpgauge::find_device(gpu);
    std::vector<kernel_remarks> all;
    for (const ptx::function& f : parsed->functions) {
        const auto kernel = ptx::find_kernel(*parsed, f.name);
        if (!f.has_body || !kernel) continue;  // a device function
        const kernel_launch* launch = launches.of(f.name);
        kernel_remarks of{std::string(f.name), {}};
        if (!device) {
            of.remarks = {no_time("WARPGAUGE_DEVICE: " + words(device.error()))};
        } else if (!launches.error.empty()) {
            of.remarks = {no_time("WARPGAUGE_LAUNCH: " + launches.error)};
        } else if (launch == nullptr) {
            of.remarks = {no_time("WARPGAUGE_LAUNCH has no launch of it")};
        } else {
            of.remarks = remarks_of_launch(*device, *kernel, *launch);
        }
        all.push_back(std::move(of));
    }
    return all;
}

}  // namespace cost_pass
