// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_MODELS_SATURATION_PROPERTIES_HPP
#define WARPGAUGE_TESTS_MODELS_SATURATION_PROPERTIES_HPP

#include <cmath>
#include <cstdint>
#include <random>
#include <string_view>

#include <rapidcheck.h>

#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/models/saturation.hpp>

#include "round_hierarchy.hpp"

// What holds for every input of the saturation model. Each success of RapidCheck is ten random cases.

namespace saturation_checks {

using namespace warpgauge;

struct gpu : round_hierarchy {
    static constexpr double sm_count = 100, clock_hz = 1e9, dram_bytes_per_s = 1e12;
    static constexpr double warp_size = 32, dram_latency_cycles = 400;
    static constexpr double warp_schedulers = 4, issues_per_scheduler = 1;
};

/// Numbers over many powers of ten, from one seed that RapidCheck draws.
class random_input {
public:
    explicit random_input(std::uint32_t seed) : engine_(seed) {}

    double between(double low, double high) {
        return std::uniform_real_distribution<>(low, high)(engine_);
    }
    double spread(double low, double high) {
        return std::exp(between(std::log(low), std::log(high)));
    }
    double maybe(double x) { return between(0, 1) < 0.5 ? 0 : x; }

    auto device() {
        auto d = edit(gpu{});
        d.sm_count = std::floor(between(1, 200));
        d.clock_hz = spread(5e8, 3e9);
        d.sustained_clock_hz = d.clock_hz * between(0.4, 1);
        d.dram_bytes_per_s = spread(1e10, 1e13);
        d.warp_schedulers = std::floor(between(1, 5));
        d.dram_latency_cycles = spread(100, 1000);
        d.l2_latency_cycles = d.dram_latency_cycles * between(0.2, 1);
        d.l1_latency_cycles = d.l2_latency_cycles * between(0.1, 1);
        d.cuda_cores = spread(8, 256);
        d.l2_bytes = spread(1e5, 1e8);
        d.l2_bytes_per_cycle = spread(4, 64);
        d.l1_bytes_per_cycle = spread(32, 256);
        return d;
    }
    kernel_profile<> profile() {
        kernel_profile<> k{.blocks = std::floor(spread(1, 1e6)),
                           .threads_per_block = 32 * std::floor(between(1, 33)),
                           .active_blocks_per_sm = std::floor(between(1, 33)),
                           .comp_insts = spread(1, 1e5),
                           .coalesced_mem_insts = maybe(spread(1, 1e4)),
                           .uncoalesced_mem_insts = maybe(spread(1, 1e3))};
        if (between(0, 1) < 0.3) return k;
        k.ops = {.fp32_ops = maybe(spread(1, 1e6)), .special_ops = maybe(spread(1, 1e5))};
        k.shared_passes = maybe(spread(1, 1e4));
        k.shared_insts = maybe(k.shared_passes / between(1, 4));
        k.branches = maybe(spread(1, 1e3));
        k.sync_insts = maybe(spread(1, 40));
        k.accesses = {spread(1, 1e5), maybe(spread(1, 1e4)), maybe(spread(1, 1e4)),
                      maybe(spread(1, 1e5)), maybe(spread(1, 1e3))};
        k.waits = {.counted = true,
                   .dram_waits = maybe(between(0, 40)),
                   .l2_waits = maybe(between(0, 40)),
                   .l1_waits = maybe(between(0, 40)),
                   .store_waits = maybe(1),
                   .steps = maybe(spread(1, 1e3)),
                   .reused_fraction = maybe(between(0, 1))};
        k.waits.longest_steps = maybe(k.waits.steps * between(1, 3));
        k.traffic = {.l2_bytes_per_warp = maybe(spread(32, 1e6)),
                     .dram_read_bytes = maybe(spread(1e3, 1e10)),
                     .dram_write_bytes = maybe(spread(1e3, 1e10)),
                     .footprint_bytes = maybe(spread(1e3, 1e10)),
                     .in_l2_fraction = maybe(between(0, 1)),
                     .local_bytes = maybe(spread(4, 1e4))};
        return k;
    }
    bool decide() { return between(0, 1) < 0.5; }

private:
    std::mt19937 engine_;
};

constexpr double rounding = 1 + 1e-12;

/// Calls `check(input)` ten times.
template <class Check>
void ten_times(Check check) {
    random_input input(*rc::gen::inRange<std::uint32_t>(0, 0x7fff'ffff));
    for (int n = 0; n < 10; ++n) check(input);
}

/// `hold(what, property)` checks each property.
template <class Hold>
void properties(Hold hold) {
    hold("saturation: a time, above each of its bounds", [] {
        ten_times([](random_input& input) {
            const auto d = input.device();
            const auto k = input.profile();
            const auto e = saturation_model{d}.predict(k);
            RC_ASSERT(e.has_value());
            const double t = e->seconds * rounding;
            const double blocks_per_sm = k.blocks / d.sm_count;
            RC_ASSERT(core::positive(e->seconds) && core::positive(e->cycles));
            RC_ASSERT(t >= blocks_per_sm * e->issue_cycles / d.clock_hz);
            RC_ASSERT(t >= blocks_per_sm * e->lane_cycles / d.clock_hz);
            RC_ASSERT(t >= blocks_per_sm * e->l1_cycles / d.clock_hz);
            RC_ASSERT(t >= blocks_per_sm * e->l2_cycles / d.clock_hz);
            RC_ASSERT(t >= e->alone_cycles / d.clock_hz);
            RC_ASSERT(t >= e->floor_seconds && e->floor_seconds >= e->dram_seconds);
            RC_ASSERT(e->dram_bytes <= e->dram_seconds * d.dram_bytes_per_s * rounding);
        });
    });
    hold("saturation: no better parameter takes longer", [] {
        ten_times([](random_input& input) {
            const auto d = input.device();
            const auto k = input.profile();
            const double before = saturation_model{d}.predict(k)->seconds * rounding;
            const double by = 1 + input.spread(1e-3, 3);
            for_each_parameter(d, [&](device_parameter p, const double& value) {
                const parameter_info& row = info(p);
                if (row.group == "warp" || row.range == parameter_range::fraction) return;
                // More SMs at work have more local memory in L2.
                if (row.name == "sm_count" && k.traffic.local_bytes > 0) return;
                auto better = d;
                const bool less = row.unit == "cycle" || row.unit == "s" || row.unit == "pJ";
                double& x = *find_parameter(better, row.name);
                x = less                     ? value / by
                    : row.name == "sm_count" ? value + std::floor(10 * by)
                                             : value * by;
                if (row.name == "clock_hz") better.sustained_clock_hz *= by;
                RC_ASSERT(saturation_model{better}.predict(k)->seconds <= before);
            });
        });
    });
    hold("saturation: no less work takes longer", [] {
        ten_times([](random_input& input) {
            const auto d = input.device();
            const auto k = input.profile();
            const double before = saturation_model{d}.predict(k)->seconds * rounding;
            const double by = 1 + input.spread(1e-3, 3);
            auto copy = k;
            for_each_parameter(copy, [&](std::string_view name, double& value) {
                // Of a fraction, more may be better; more threads or resident blocks are another launch.
                if (name == "blocks" || name == "threads_per_block" || name == "longest_steps" ||
                    name == "active_blocks_per_sm" || name.ends_with("fraction")) {
                    return;
                }
                const double was = value;
                value /= by;
                if (name == "steps") copy.waits.longest_steps = k.waits.longest_steps / by;
                const double after = saturation_model{d}.predict(copy)->seconds;
                value = was;
                copy.waits.longest_steps = k.waits.longest_steps;
                RC_ASSERT(after <= before);
            });
            copy.blocks = std::fmax(1, std::floor(k.blocks / by));
            RC_ASSERT(saturation_model{d}.predict(copy)->seconds <= before);
        });
    });
    hold("the soft maximum: above the maximum, below the sum, symmetric, homogeneous, monotone",
         [] {
             ten_times([](random_input& input) {
                 const double a = input.spread(1e-6, 1e6);
                 const double b = input.spread(1e-6, 1e6);
                 const double k = input.between(0, 1);
                 const double by = 1 + input.spread(1e-3, 3);
                 const double s = core::soft_maximum(a, b, k);
                 RC_ASSERT(s * rounding >= std::fmax(a, b) && s <= (a + b) * rounding);
                 RC_ASSERT(s == core::soft_maximum(b, a, k));
                 RC_ASSERT(std::fabs(core::soft_maximum(by * a, by * b, k) - by * s) <=
                           1e-11 * by * s);
                 RC_ASSERT(core::soft_maximum(a * by, b, k) * rounding >= s);
                 RC_ASSERT(core::soft_maximum(a, b, std::fmin(1, k * by)) * rounding >= s);
             });
         });
}

}  // namespace saturation_checks

#endif
