// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds for every input, tried on random input. A failure prints the seed and the input that
// it was shrunk to; RC_PARAMS="seed=..." repeats it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include <warpgauge/models/ppt_compat.hpp>
#include <warpgauge/warpgauge.hpp>
#include <warpgauge/what_if.hpp>

#include "models/saturation_properties.hpp"
#include "simulate/naive_sm.hpp"

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
    hold("summed MWP/CWP: no better parameter, and no block less, takes longer", [] {
        const auto seconds = [](const auto& d, const kernel_profile<>& k) {
            const auto e = mwp_cwp_model{d, {.overlap = overlap_rule::summed}}.predict(k);
            return e ? e->seconds : 0;
        };
        auto d = any_device();
        kernel_profile<> k = any_kernel();
        const double before = seconds(d, k);
        RC_PRE(before > 0);
        const double by = times_at_least_one();
        switch (*rc::gen::inRange(0, 8)) {
            case 0: d.dram_bytes_per_s *= by; break;
            case 1: d.dram_latency_cycles /= by; break;
            case 2: d.issue_cycles /= by; break;
            case 3: d.coalesced_departure_cycles /= by; break;
            case 4: d.uncoalesced_departure_cycles /= by; break;
            case 5: k.comp_insts /= by; break;
            case 6: k.sync_insts /= by; break;
            default: k.blocks = std::max(1.0, std::floor(k.blocks / by));
        }
        const double after = seconds(d, k);
        RC_PRE(after > 0);
        RC_ASSERT(after <= before * rounding);
    });
    hold("what is predicted is a finite number above zero, or an error", [] {
        const auto d = any_device();
        const auto e = mwp_cwp_model{d}.predict(any_kernel());
        if (!e) RC_DISCARD("does not fit the device");
        RC_ASSERT(core::positive(e->cycles) && core::positive(e->seconds));
        RC_ASSERT(core::positive(e->mwp) && core::positive(e->cwp) && core::positive(e->cpi));
        RC_ASSERT(e->cycles >= e->cycles_without_barriers);
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
            RC_ASSERT(e->cycles * rounding >= e->comp_cycles * e->active_warps_per_sm * e->rounds);
        }
        RC_ASSERT(e->cycles * rounding >= e->comp_cycles * e->rounds);
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
        const auto whole = mwp_cwp_model{d, {.rounds = waves::whole}}.predict(k);
        RC_ASSERT(whole->cycles * rounding >= quotient->cycles);
        RC_ASSERT(whole->rounds < quotient->rounds + 1);
    });
    hold("more bandwidth is never slower", [] {
        auto d = any_device();
        const auto k = any_kernel();
        const auto before = mwp_cwp_model{d}.predict(k);
        if (!before) RC_DISCARD("does not fit the device");
        d.dram_bytes_per_s *= times_at_least_one();
        const auto after = mwp_cwp_model{d}.predict(k);
        RC_ASSERT(after->seconds <= before->seconds * rounding);
    });
    hold("less latency is never slower", [] {
        auto d = any_device();
        const auto k = any_kernel();
        const auto before = mwp_cwp_model{d}.predict(k);
        if (!before) RC_DISCARD("does not fit the device");
        d.dram_latency_cycles /= times_at_least_one();
        const auto after = mwp_cwp_model{d}.predict(k);
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
    hold("more computation instructions are never faster", [] {
        const auto d = any_device();
        auto k = any_kernel();
        const auto before = mwp_cwp_model{d}.predict(k);
        if (!before) RC_DISCARD("does not fit the device");
        k.comp_insts += between(1, 1000);
        const auto after = mwp_cwp_model{d}.predict(k);
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

void trapezoid_properties() {
    const auto any_stencil = [] {
        kernel_profile<> k;
        k.stencil = {.dimensions = *rc::gen::inRange(1, 4),
                     .data_length = {between(100, 5000), between(100, 5000), between(100, 5000)},
                     .halo_width = {between(1, 4), between(1, 4), between(1, 4)},
                     .block_length = between(5, 64),
                     .stencil_arrays = between(1, 3),
                     .elements_per_op = between(0, 2),
                     .profiled_elements = between(1000, 1'000'000),
                     .misc_insts_per_sm = between(0, 100'000),
                     .iter_insts_per_sm = between(1, 100'000)};
        return k;
    };
    const auto any_stencil_device = [] {
        auto d = edit(devices::geforce_gtx_280{});
        d.sm_count = between(1, 100);
        d.dram_bytes_per_s = between(10, 4000) * 1e9;
        d.global_sync_cycles = between(0, 100'000);
        d.uncontended_latency_cycles = between(0, 1000);
        return d;
    };
    hold("no whole height is better than the best", [=] {
        const auto k = any_stencil();
        const trapezoid_model m{any_stencil_device()};
        const auto best = m.optimal_height(k);
        RC_ASSERT(best.has_value());
        for (double h = 1; h < 70; ++h) {
            const auto e = m.cycles_per_loop(k, h);
            if (e) RC_ASSERT(best->cycles_per_loop <= e->cycles_per_loop * rounding);
        }
    });
    hold("the best trapezoid is never slower with more bandwidth or less latency", [=] {
        const auto k = any_stencil();
        auto d = any_stencil_device();
        const auto before = trapezoid_model{d}.optimal_height(k);
        d.dram_bytes_per_s *= times_at_least_one();
        d.uncontended_latency_cycles /= times_at_least_one();
        d.global_sync_cycles /= times_at_least_one();
        const auto after = trapezoid_model{d}.optimal_height(k);
        RC_ASSERT(after->cycles_per_loop <= before->cycles_per_loop * rounding);
    });
    hold("traffic that hides is never slower", [=] {
        const auto k = any_stencil();
        auto d = any_stencil_device();
        const double flushed = trapezoid_model{d}.optimal_height(k)->cycles_per_loop;
        d.traffic_overlap = between(0, 100) / 100;
        RC_ASSERT(trapezoid_model{d}.optimal_height(k)->cycles_per_loop <= flushed * rounding);
    });
}

void period_properties() {
    hold("MPD and CPD are between 1 and what there is, and time between its parts", [] {
        const auto entries = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 3));
        RC_PRE(!entries.empty());
        std::vector<instruction> stream;
        for (const int e : entries) {
            stream.push_back(e == 0 ? instruction{.unit = unit_kind::global_memory}
                                    : instruction{.unit = unit_kind::integer,
                                                  .op = e == 1 ? operation::add : operation::div});
        }
        const double warps = between(1, 16);
        const kernel_profile<> k{.blocks = between(1, 1000),
                                 .threads_per_block = 32 * warps,
                                 .active_blocks_per_sm = between(1, 2),
                                 .instructions = stream};
        const auto e = mpd_cpd_model<devices::geforce_gtx_260>{}.predict(k);
        RC_ASSERT(e.has_value());
        RC_ASSERT(e->mpd >= 1 && e->mpd <= e->active_warps_per_sm);
        RC_ASSERT(e->cpd >= 1 && core::finite(e->cpd));
        const double computation = e->active_warps_per_sm * e->comp_cycles / e->cpd;
        const double waiting = e->previous_cycles + e->current_cycles;
        RC_ASSERT(e->cycles_per_residency * rounding >= computation + waiting);
        RC_ASSERT(e->cycles_per_residency <= computation + waiting + e->periods);
        RC_ASSERT(core::positive(e->seconds));
    });
}

void makespan_properties() {
    hold("no bound is below the worst makespan, and schedules are what they claim to be", [] {
        const auto length = *rc::gen::inRange<std::size_t>(1, 8);
        std::string s(length, 'L');
        for (char& c : s) c = *rc::gen::element('L', 'C', 'S');
        std::array<unit_slots, 3> slots{{{'L', 1}, {'C', 1}, {'S', 1}}};
        const bool several = *rc::gen::arbitrary<bool>();
        for (auto& u : slots) {
            if (several) u.slots = *rc::gen::element(0.5, 1.0, 2.0, 3.0);
        }
        const makespan_problem p{s, slots, *rc::gen::inRange<std::uint64_t>(1, 6)};
        const auto range = exact_makespan(p);
        RC_ASSERT(bool(range));
        RC_ASSERT(range->best <= range->worst);
        RC_ASSERT(range->worst <= makespan_upper_bound(p)->cycles);
        RC_ASSERT(range->worst <= each_type_bound(p)->cycles);
        const auto pessimistic = pessimistic_makespan(p);
        RC_ASSERT(!pessimistic->safe || range->worst <= pessimistic->cycles);
        const auto estimate = estimate_makespan(p, 3);
        RC_ASSERT(!estimate->safe || range->worst <= estimate->cycles);
        const auto b = bracket_makespan(p);
        RC_ASSERT(b->certified && b->lower == range->worst);
        for (const bool worst : {true, false}) {
            const auto schedule = makespan_witness(p, worst);
            RC_ASSERT(bool(schedule));
            const auto checked = check_schedule(p, *schedule);
            RC_ASSERT(bool(checked));
            RC_ASSERT(*checked == (worst ? range->worst : range->best));
        }
    });
}

// Any units, loops and needs, some of them malformed.
std::vector<instruction> any_stream() {
    const int length = *rc::gen::inRange(1, 15);
    std::vector<instruction> s;
    for (int i = 0; i < length; ++i) {
        if (*rc::gen::inRange(0, 6) == 0) {
            s.push_back(loop(static_cast<std::uint32_t>(*rc::gen::inRange(1, length + 1)),
                             static_cast<std::uint32_t>(*rc::gen::inRange(1, 5))));
            continue;
        }
        instruction x{.unit = static_cast<unit_kind>(*rc::gen::inRange(0, 10))};
        x.bytes = static_cast<std::uint8_t>(*rc::gen::inRange(1, 17));
        if (*rc::gen::inRange(0, 4) == 0) {
            x.transactions = static_cast<std::uint16_t>(*rc::gen::inRange(0, 40));
        }
        for (auto& need : x.needs) {
            if (*rc::gen::inRange(0, 3) == 0) {
                const int back = *rc::gen::inRange(-length, length);
                need = back == 0 ? own_result : back;
            }
        }
        s.push_back(x);
    }
    return s;
}

sm_parameters any_sm() {
    const auto latency = [] { return between(1, 40) / between(1, 2) + 0.5; };
    return {.warp_size = 32,
            .warp_schedulers = between(1, 4),
            .issues_per_scheduler = between(1, 2),
            .lanes = {between(0, 1) * 32, between(1, 200), between(1, 64), between(1, 40),
                      between(1, 64)},
            .integer_latency_cycles = latency(),
            .single_precision_latency_cycles = latency(),
            .double_precision_latency_cycles = latency(),
            .special_function_latency_cycles = latency(),
            .shared_latency_cycles = latency(),
            .l1_latency_cycles = latency(),
            .l2_latency_cycles = latency(),
            .dram_latency_cycles = between(1, 500),
            .dram_bytes_per_cycle = between(1, 700) / 10,
            .dram_transaction_bytes = 32,
            .last_dram_bytes_per_cycle = between(0, 1) * between(1, 900) / 10,
            .barriers_wait_for_results = between(0, 1) == 1,
            .ends_wait_for_stores = between(0, 1) == 1};
}

void sm_properties() {
    hold("a simulated SM does what a walk over every cycle, warp and task does", [] {
        const auto s = any_stream();
        const auto p = any_sm();
        const sm_residency r{static_cast<std::uint64_t>(*rc::gen::inRange(1, 5)),
                             static_cast<std::uint64_t>(*rc::gen::inRange(1, 24)),
                             static_cast<std::uint64_t>(*rc::gen::inRange(0, 4)),
                             static_cast<std::uint64_t>(*rc::gen::inRange(0, 30))};
        const auto policy = static_cast<warp_policy>(*rc::gen::inRange(0, 3));
        sm_workspace space;
        const auto e = simulate_sm(s, p, r, policy, {}, space);
        RC_ASSERT(e.has_value() == mix_of(s).has_value());
        if (!e) return;
        RC_ASSERT(e->issue_cycles + e->stalls.total() == e->cycles);
        RC_ASSERT(e->dram_utilisation <= 1);
        if (e->warp_instructions > 1000) return;  // the walk would take too long
        const auto o = naive::run_sm(s, p, r, policy);
        RC_ASSERT(o.cycles == e->cycles);
        RC_ASSERT(o.issue_slots == e->issue_slots);
        RC_ASSERT(o.stalls == e->stalls);
        RC_ASSERT(o.warp_instructions == e->warp_instructions);
        RC_ASSERT(std::ranges::equal(o.block_ends, space.block_ends()));
    });
    hold("with latencies of 1, an SM takes between the best and the worst makespan", [] {
        sm_parameters p = any_sm();
        p.warp_schedulers = 64;
        p.issues_per_scheduler = 1;
        p.single_precision_latency_cycles = p.shared_latency_cycles = 1;
        const double loads = between(1, 3);
        const double computes = between(1, 3);
        p.lanes = {0, 32 * computes, 32, 32, 32 * loads};
        std::string string;
        std::vector<instruction> s;
        for (int i = *rc::gen::inRange(1, 9); i > 0; --i) {
            const bool load = *rc::gen::inRange(0, 2) == 1;
            string += load ? 'L' : 'C';
            s.push_back({.unit = load ? unit_kind::shared_memory : unit_kind::single_precision});
        }
        const auto warps = static_cast<std::uint64_t>(*rc::gen::inRange(1, 7));
        const std::array<unit_slots, 2> slots{{{'L', loads}, {'C', computes}}};
        const auto range = exact_makespan({string, slots, warps});
        RC_ASSERT(range.has_value());
        sm_workspace space;
        const auto policy = static_cast<warp_policy>(*rc::gen::inRange(0, 3));
        const auto e = simulate_sm(s, p, {1, warps}, policy, {}, space);
        RC_ASSERT(e.has_value());
        RC_ASSERT(range->best <= e->cycles);
        RC_ASSERT(e->cycles <= range->worst);
    });
    hold("the authors' program, restated, ends on any tasks or says why not", [] {
        const auto tasks = task_list(any_stream());
        if (!tasks) return;
        ppt_parameters gpu = devices::tesla_k40::ppt;
        gpu.queue_capacity = between(1, 20);
        gpu.queue_free = between(0, 4);
        gpu.issues_per_warp = between(1, 2);
        gpu.special_function_units = between(0, 2) * 32;
        ppt_state state;
        double start = 0;
        for (int call = 0; call < 3; ++call) {
            const auto e = ppt_call(*tasks,
                                    {static_cast<std::uint64_t>(between(1, 100)),
                                     static_cast<std::uint64_t>(between(1, 512)), 16, start},
                                    gpu, state);
            if (!e) {
                RC_ASSERT(e.error().field == "special_function_units");
                return;
            }
            RC_ASSERT(e->seconds > 0);
            RC_ASSERT(e->overlap_fraction >= 0 && e->overlap_fraction < 1);
            start += e->seconds;
        }
    });
}

void uncertainty_properties() {
    constexpr std::size_t samples = 300;
    const auto any_options = [] {
        return sampling_options{samples, *rc::gen::arbitrary<std::uint64_t>()};
    };
    // A few kernels, some of which do not fit, on a GPU of which little is known.
    const auto any_samples = [&] {
        const std::vector<kernel_profile<>> kernels{any_kernel(), any_kernel(), any_kernel(),
                                                    any_kernel()};
        const uncertain unknowns[]{about("dram_latency_cycles", between(0, 100) / 100),
                                   relative(warpgauge::between("dram_bytes_per_s", 0.5, 1)),
                                   independent(about("comp_insts", between(0, 50) / 100)),
                                   log_between("threads_per_block", 32, 32 * between(1, 40))};
        const auto times = sample(mwp_cwp_model{any_device()}, kernels, unknowns, any_options());
        RC_ASSERT(times.has_value());
        return *times;
    };
    hold("every sample has a time or counts as failed", [&] {
        for (const sampled_times& t : any_samples()) {
            RC_ASSERT(t.seconds.size() == samples);
            const auto zeros = std::count(t.seconds.begin(), t.seconds.end(), 0.0);
            RC_ASSERT(static_cast<std::size_t>(zeros) == t.failed);
            RC_ASSERT(!t.first_error == (t.failed == 0));
            for (const double s : t.seconds) RC_ASSERT(core::non_negative(s));
        }
    });
    hold("quantiles rise from the least to the most seen; the mean is between", [&] {
        for (const sampled_times& times : any_samples()) {
            const auto t = distribution_of(times);
            RC_ASSERT(t.has_value() == (times.failed < samples));
            if (!t) continue;
            RC_ASSERT(*t->quantile(0) == t->seconds.front());
            RC_ASSERT(*t->quantile(1) == t->seconds.back());
            double before = 0;
            for (int n = 0; n <= 50; ++n) {
                const double now = *t->quantile(n / 50.0);
                RC_ASSERT(now >= before);
                const auto range = t->quantile_bounds(n / 50.0);
                RC_ASSERT(range->min_seconds <= now && now <= range->max_seconds);
                before = now;
            }
            RC_ASSERT(t->seconds.front() <= t->mean_seconds * rounding);
            RC_ASSERT(t->mean_seconds <= t->seconds.back() * rounding);
        }
    });
    hold("one is faster, or the other, or they tie; the other way round the same", [&] {
        const auto times = any_samples();
        const auto ab = probability_faster(times[0], times[1]);
        const auto ba = probability_faster(times[1], times[0]);
        RC_ASSERT(ab.has_value() == ba.has_value());
        if (!ab) return;
        RC_ASSERT(std::abs(ab->first + ab->second + ab->tie - 1) < 1e-12);
        RC_ASSERT(ab->first == ba->second && ab->second == ba->first && ab->tie == ba->tie);
        RC_ASSERT(ab->failed == ba->failed);
        RC_ASSERT(probability_faster(times[0], times[0])->tie == 1);
    });
    hold("the probabilities of being among the k fastest sum to k, or to what could be predicted",
         [&] {
             const auto times = any_samples();
             for (std::size_t k = 1; k <= 5; ++k) {
                 const auto top = top_k_probabilities(times, k);
                 double places = 0;
                 for (std::size_t i = 0; i < samples; ++i) {
                     std::size_t predicted = 0;
                     for (const sampled_times& t : times) {
                         if (t.seconds[i] > 0) ++predicted;
                     }
                     places += static_cast<double>(std::min(k, predicted));
                 }
                 RC_ASSERT(top.has_value() == (places > 0));
                 if (!top) return;
                 double sum = 0;
                 for (const top_k_probability& p : *top) {
                     RC_ASSERT(p.probability >= 0 && p.probability <= 1);
                     sum += p.probability;
                 }
                 RC_ASSERT(std::abs(sum - places / samples) < 1e-9);
             }
         });
    hold("a range that widens to both sides of its middle never narrows what is seen", [&] {
        // The time rises with one parameter and falls with the other, all along.
        struct estimate {
            double cycles{};
            double seconds{};
        };
        const function_model rising{any_device(), [](const auto& d, const auto& k) {
                                        const double cycles = k.comp_insts * 1e3;
                                        return result<estimate>({cycles, cycles / d.clock_hz});
                                    }};
        auto k = any_kernel();
        k.comp_insts += 1;
        const double narrow = between(0, 50) / 100;
        const double wide = narrow + between(0, 40) / 100;
        const auto options = any_options();
        for (const char* parameter : {"comp_insts", "clock_hz"}) {
            const auto seen = [&](double fraction) {
                const uncertain u[]{
                    relative(warpgauge::between(parameter, 1 - fraction, 1 + fraction))};
                return *uncertain_time(rising, k, u, options);
            };
            const auto less = seen(narrow);
            const auto more = seen(wide);
            RC_ASSERT(more.seconds.front() <= less.seconds.front() * rounding);
            RC_ASSERT(more.seconds.back() * rounding >= less.seconds.back());
        }
    });
}

void explanation_properties() {
    constexpr mwp_cwp_options whole{.rounds = waves::whole};
    const auto in_order = [](const std::vector<removal>& removals, double seconds) {
        bool errors = false;
        double before = seconds;
        for (const removal& r : removals) {
            errors = errors || r.error;
            RC_ASSERT(errors == static_cast<bool>(r.error));
            if (errors) continue;
            RC_ASSERT(core::positive(r.seconds));
            RC_ASSERT(r.benefit_seconds == seconds - r.seconds && r.benefit_seconds <= before);
            before = r.benefit_seconds;
        }
    };
    hold("removals are sorted, and each is the prediction without it", [&] {
        const auto d = any_device();
        const auto k = any_kernel();
        const auto e = explain(mwp_cwp_model{d}, k);
        if (!e) RC_DISCARD("does not fit the device");
        RC_ASSERT(e->seconds == mwp_cwp_model{d}.predict(k)->seconds);
        in_order(e->removals, e->seconds);
        for (const removal& r : e->removals) {
            RC_ASSERT(*eased_seconds(mwp_cwp_model{d}, k, ease(r.what)) == r.seconds);
        }
        RC_ASSERT(e->limiting.has_value() == !e->then.empty());
        if (!e->limiting) return;
        RC_ASSERT(*e->limiting == e->removals[0].what);
        in_order(e->then, e->removals[0].seconds);
        for (const removal& r : e->then) RC_ASSERT(r.what != *e->limiting);
    });
    hold("with everything removed, no less is left than with any one removed", [&] {
        const auto d = any_device();
        const auto k = any_kernel();
        const auto e = explain(mwp_cwp_model{d, whole}, k);
        if (!e) RC_DISCARD("does not fit the device");
        easing all{};
        all.fill(removal_factor);
        const auto least = eased_seconds(mwp_cwp_model{d, whole}, k, all);
        RC_ASSERT(least.has_value());
        for (const removal& r : e->removals) RC_ASSERT(*least <= r.seconds * rounding);
    });
    // What is not here can be negative, as docs/explain.md says.
    hold("no barriers, and no tail after a full round, are never slower", [&] {
        const auto d = any_device();
        const auto k = any_kernel();
        const auto e = explain(mwp_cwp_model{d, whole}, k);
        if (!e) RC_DISCARD("does not fit the device");
        const bool full_round = k.blocks >= *resident_blocks(k, d) * d.sm_count;
        for (const removal& r : e->removals) {
            if (r.what == bottleneck::synchronisation ||
                (r.what == bottleneck::tail_wave && full_round)) {
                RC_ASSERT(r.seconds <= e->seconds * rounding);
            }
        }
    });
    hold("within a case, neither is less delay, latency or issue, nor more bandwidth", [&] {
        const auto d = any_device();
        auto k = any_kernel();
        k.coalesced_mem_insts += 2;
        const auto e = mwp_cwp_model{d}.predict(k);
        if (!e) RC_DISCARD("does not fit the device");
        mwp_cwp_case which{};
        const function_model remember{d, [&](const auto& device, const auto& kernel) {
                                          const auto now = mwp_cwp_model{device}.predict(kernel);
                                          if (now) which = now->which;
                                          return now;
                                      }};
        for (const bottleneck b : {bottleneck::memory_departures, bottleneck::memory_latency,
                                   bottleneck::issue, bottleneck::memory_bandwidth}) {
            // Barriers cost more where more warps access memory at a time.
            if (b == bottleneck::memory_bandwidth) k.sync_insts = 0;
            const double before = mwp_cwp_model{d}.predict(k)->seconds;
            const auto after = eased_seconds(remember, k, ease(b));
            if (which == e->which) RC_ASSERT(*after <= before * rounding);
        }
    });
    hold("from the factor on, the next bottleneck has more to gain", [&] {
        const auto d = any_device();
        const auto k = any_kernel();
        const auto e = explain(mwp_cwp_model{d}, k);
        if (!e) RC_DISCARD("does not fit the device");
        if (!e->next_after_factor) return;
        const double factor = *e->next_after_factor;
        RC_ASSERT(factor > 1 && factor <= 1000);
        const auto gain = [&](bottleneck b, double eased_by) {
            const easing first = ease(*e->limiting, eased_by);
            return *eased_seconds(mwp_cwp_model{d}, k, first) -
                   *eased_seconds(mwp_cwp_model{d}, k, ease(b, removal_factor, first));
        };
        const double slack = 1e-9 * e->seconds;
        RC_ASSERT(gain(*e->next, factor) + slack >= gain(*e->limiting, factor));
        const double nearer = factor / 1.001;
        if (nearer > 1) {
            RC_ASSERT(gain(*e->limiting, nearer) + slack >= gain(*e->next, nearer));
        }
    });
    hold("simulated streams of any kind are explained, or it is said why not", [&] {
        const auto s = any_stream();
        const kernel_profile<> k{.blocks = between(1, 2000),
                                 .threads_per_block = between(1, 256),
                                 .registers_per_thread = between(0, 64),
                                 .instructions = s};
        const hybrid_model simulation{devices::a100_sxm4_40gb{}};
        const auto e = explain(simulation, k);
        RC_ASSERT(e.has_value() == simulation.predict(k).has_value());
        if (!e) return;
        in_order(e->removals, e->seconds);
        for (const removal& r : e->removals) {
            // Nothing is left of a stream of barriers.
            RC_ASSERT(!r.error || r.what == bottleneck::synchronisation);
        }
    });
}

}  // namespace

int main() {
    explanation_properties();
    uncertainty_properties();
    sm_properties();
    makespan_properties();
    model_properties();
    saturation_checks::properties([](const char* what, auto property) { hold(what, property); });
    trapezoid_properties();
    period_properties();
    occupancy_properties();
    return all_hold ? EXIT_SUCCESS : EXIT_FAILURE;
}
