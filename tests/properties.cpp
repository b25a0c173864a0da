// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds for every input, tried on random input. A failure prints the seed and the input that
// it was shrunk to; RC_PARAMS="seed=..." repeats it.
#include <cstdlib>
#include <iostream>

#include <rapidcheck.h>

#include <warpgauge/warpgauge.hpp>

using namespace warpgauge;

namespace {

double between(int low, int high) {
    return *rc::gen::inRange(low, high + 1);
}

kernel_profile<> any_kernel() {
    kernel_profile<> k{.blocks = between(1, 100'000),
                       .threads_per_block = between(1, 1024),
                       .registers_per_thread = between(0, 128),
                       .shared_bytes_per_block = between(0, 40'000),
                       .comp_insts = between(0, 20'000),
                       .coalesced_mem_insts = between(0, 500),
                       .uncoalesced_mem_insts = between(0, 500),
                       .sync_insts = between(0, 20),
                       .transactions_per_uncoalesced = between(1, 32),
                       .bytes_per_access = between(1, 16)};
    if (*rc::gen::inRange(0, 2) == 1) k.active_blocks_per_sm = between(1, 16);
    return k;
}

auto any_device() {
    auto d = edit(devices::geforce_rtx_2070_super{});
    d.sm_count = between(1, 200);
    d.clock_hz = between(500, 3000) * 1e6;
    d.dram_bytes_per_s = between(10, 4000) * 1e9;
    d.issue_cycles = between(1, 8);
    d.dram_latency_cycles = between(50, 1000);
    d.coalesced_departure_cycles = between(1, 20);
    d.uncoalesced_departure_cycles = between(1, 60);
    return d;
}

double times_at_least_one() {
    return 1 + between(0, 1000) / 100.0;
}

constexpr double rounding = 1 + 1e-12;

bool all_hold = true;

template <class Property>
void hold(const char* what, Property property) {
    all_hold = rc::check(what, property) && all_hold;
}

void model_properties() {
    hold("what is predicted is a finite number above zero, or an error", [] {
        const auto d = any_device();
        const auto e = mwp_cwp_model{d}.predict(any_kernel());
        if (!e) RC_DISCARD("does not fit the device");
        RC_ASSERT(core::positive(e->cycles) && core::positive(e->seconds_with_sync));
        RC_ASSERT(core::positive(e->mwp) && core::positive(e->cwp) && core::positive(e->cpi));
        RC_ASSERT(e->cycles_with_sync >= e->cycles);
    });
    hold("bounds are in order: MWP and CWP are at most N, MWP at most what bandwidth feeds", [] {
        const auto d = any_device();
        const auto e = mwp_cwp_model{d}.predict(any_kernel());
        if (!e) RC_DISCARD("does not fit the device");
        RC_ASSERT(e->mwp <= e->active_warps_per_sm && e->cwp <= e->active_warps_per_sm);
        RC_ASSERT(e->mwp <= e->mwp_peak_bw && e->mwp <= e->mwp_without_bw);
        RC_ASSERT(e->active_blocks_per_sm <= e->resident_blocks_per_sm);
    });
    hold("no kernel is faster than its instructions issue", [] {  // H1, H5
        const auto d = any_device();
        const auto e = mwp_cwp_model{d}.predict(any_kernel());
        if (!e) RC_DISCARD("does not fit the device");
        if (e->which == mwp_cwp_case::compute_bound) {
            RC_ASSERT(e->cycles * rounding >= e->comp_cycles * e->active_warps_per_sm * e->reps);
        }
        RC_ASSERT(e->cycles * rounding >= e->comp_cycles * e->reps);
    });
    hold("cycles stay when clock and bandwidth are rescaled together, and seconds shrink", [] {
        auto d = any_device();
        const auto k = any_kernel();
        const auto before = mwp_cwp_model{d}.predict(k);
        if (!before) RC_DISCARD("does not fit the device");
        const double times = times_at_least_one();
        d.clock_hz *= times;
        d.dram_bytes_per_s *= times;
        const auto after = mwp_cwp_model{d}.predict(k);
        RC_ASSERT(std::abs(after->cycles / before->cycles - 1) < 1e-9);
        RC_ASSERT(std::abs(after->seconds * times / before->seconds - 1) < 1e-9);
    });
    hold("time is proportional to the grid once every SM has its blocks", [] {
        const auto d = any_device();
        auto k = any_kernel();
        k.blocks = d.sm_count * between(64, 1000);
        const auto one = mwp_cwp_model{d}.predict(k);
        if (!one) RC_DISCARD("does not fit the device");
        k.blocks *= 3;
        const auto three = mwp_cwp_model{d}.predict(k);
        RC_ASSERT(std::abs(three->cycles / one->cycles - 3) < 1e-9);
    });
    hold("whole waves are never faster than their quotient, and less than one wave slower", [] {
        const auto d = any_device();
        const auto k = any_kernel();
        const auto quotient = mwp_cwp_model{d}.predict(k);
        if (!quotient) RC_DISCARD("does not fit the device");
        const auto whole = mwp_cwp_model{d, form::corrected, waves::whole}.predict(k);
        RC_ASSERT(whole->cycles * rounding >= quotient->cycles);
        RC_ASSERT(whole->reps < quotient->reps + 1);
    });
    // The cases do not join without a step (docs/mwp_cwp.md), so these hold within one case. With
    // two memory instructions or more, the memory-bound time falls with MWP; that of too few warps
    // does not depend on the bandwidth at all, nor does that of the compute-bound case.
    hold("within a case, more bandwidth is never slower", [] {
        auto d = any_device();
        const auto k = any_kernel();
        RC_PRE(k.coalesced_mem_insts + k.uncoalesced_mem_insts >= 2);
        const auto before = mwp_cwp_model{d}.predict(k);
        if (!before) RC_DISCARD("does not fit the device");
        d.dram_bytes_per_s *= times_at_least_one();
        const auto after = mwp_cwp_model{d}.predict(k);
        RC_PRE(before->which == after->which);
        RC_ASSERT(after->cycles <= before->cycles * rounding);
    });
    hold("within a case, less latency is never slower", [] {
        auto d = any_device();
        const auto k = any_kernel();
        const auto before = mwp_cwp_model{d}.predict(k);
        if (!before) RC_DISCARD("does not fit the device");
        d.dram_latency_cycles /= times_at_least_one();
        const auto after = mwp_cwp_model{d}.predict(k);
        RC_PRE(before->which == after->which);
        RC_ASSERT(after->cycles <= before->cycles * rounding);
    });
    hold("with bandwidth to spare and a grid that fills both, more SMs are never slower", [] {
        auto d = any_device();
        d.dram_bytes_per_s = 1e18;
        auto k = any_kernel();
        const double times = between(2, 4);
        k.blocks = d.sm_count * times * between(64, 1000);
        const auto before = mwp_cwp_model{d}.predict(k);
        if (!before) RC_DISCARD("does not fit the device");
        d.sm_count *= times;
        const auto after = mwp_cwp_model{d}.predict(k);
        RC_ASSERT(std::abs(after->cycles * times / before->cycles - 1) < 1e-9);
    });
    hold("more computation instructions are never faster within a case", [] {
        const auto d = any_device();
        auto k = any_kernel();
        const auto before = mwp_cwp_model{d}.predict(k);
        if (!before) RC_DISCARD("does not fit the device");
        k.comp_insts += between(1, 1000);
        const auto after = mwp_cwp_model{d}.predict(k);
        RC_PRE(before->which == after->which);
        RC_ASSERT(after->cycles * rounding >= before->cycles);
    });
}

void occupancy_properties() {
    const auto any_limits = [] {
        return known_sm_limits[*rc::gen::inRange<std::size_t>(0, std::size(known_sm_limits))];
    };
    hold("the blocks fit: all they take together is no more than an SM has", [&] {
        const sm_limits d = any_limits();
        const auto k = any_kernel();
        const auto o = occupancy(k, d);
        if (!o) RC_DISCARD("does not fit the device");
        const double b = o->active_blocks_per_sm;
        RC_ASSERT(b >= 1 && b == core::floor(b));
        RC_ASSERT(b <= d.max_blocks_per_sm && o->active_warps_per_sm <= d.max_warps_per_sm);
        RC_ASSERT(b * o->registers_per_block <= d.registers_per_sm);
        RC_ASSERT(b * o->shared_bytes_per_block <= d.shared_bytes_per_sm);
        RC_ASSERT(o->registers_per_block >= k.registers_per_thread * k.threads_per_block);
        RC_ASSERT(o->occupancy > 0 && o->occupancy <= 1);
    });
    hold("using less never holds fewer blocks", [&] {
        const sm_limits d = any_limits();
        const auto k = any_kernel();
        const auto o = occupancy(k, d);
        if (!o) RC_DISCARD("does not fit the device");
        auto less = k;
        less.registers_per_thread = between(0, static_cast<int>(k.registers_per_thread));
        less.shared_bytes_per_block = between(0, static_cast<int>(k.shared_bytes_per_block));
        RC_ASSERT(occupancy(less, d)->active_blocks_per_sm >= o->active_blocks_per_sm);
    });
}

}  // namespace

int main() {
    model_properties();
    occupancy_properties();
    return all_hold ? EXIT_SUCCESS : EXIT_FAILURE;
}
