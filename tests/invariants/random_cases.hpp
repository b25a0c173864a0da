// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_INVARIANTS_RANDOM_CASES_HPP
#define WARPGAUGE_TESTS_INVARIANTS_RANDOM_CASES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>

#include "simulate/random_copies.hpp"

// Random launches and GPUs. The same seed gives the same case with every compiler.

namespace invariants {

using namespace warpgauge;

/// Random numbers from one seed: splitmix64.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e37'79b9'7f4a'7c15);
        z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
        z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
        return z ^ (z >> 31);
    }
    double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  ///< 0 to below 1
    bool with_probability(double p) { return unit() < p; }
    double between(double low, double high) { return low + (high - low) * unit(); }
    /// As likely to be between 1 and 10 as between 10 and 100.
    double spread(double low, double high) { return low * std::exp(unit() * std::log(high / low)); }
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(bits() % count); }
    /// A whole number, both ends included.
    double whole(int low, int high) {
        return low + static_cast<double>(below(static_cast<std::size_t>(high - low + 1)));
    }
    double maybe(double x) { return with_probability(0.5) ? x : 0; }

private:
    std::uint64_t state_;
};

/// A launch that owns its stream.
struct launch_case {
    kernel_profile<> numbers{};
    std::vector<instruction> stream{};

    [[nodiscard]] kernel_profile<> profile() const {
        kernel_profile<> k = numbers;
        k.instructions = stream;
        return k;
    }
};

/// What a kernel is given as.
enum class kernel_kind : std::uint8_t {
    counted,    ///< by instruction counts
    hierarchy,  ///< the same, often with operations, sectors, waits and traffic
    streamed,   ///< by a stream of which many models read the order
    stencil,    ///< by the shape of a stencil
};

/// Blocks of a grid: any number, or one about a multiple of the SMs, where rounds end.
inline double any_blocks(random_numbers& r, double sms) {
    if (r.with_probability(0.5)) return std::floor(r.spread(1, 1e5));
    return std::max(1.0, sms * r.whole(1, 40) + r.whole(-1, 1));
}

inline kernel_profile<> any_launch(random_numbers& r, const any_device& d) {
    const double warps = r.whole(1, 32);
    const double spare = r.maybe(r.whole(1, 31));  // threads that the last warp lacks
    kernel_profile<> k{.blocks = any_blocks(r, *d.get("sm_count")),
                       .threads_per_block = 32 * warps - spare,
                       .registers_per_thread = r.maybe(r.whole(1, 63)),
                       .shared_bytes_per_block = r.maybe(std::floor(r.spread(16, 16384)))};
    // As many as any GPU holds, as if counted by a profiler.
    if (r.with_probability(0.4)) {
        k.active_blocks_per_sm = std::min(r.whole(1, 8), std::max(1.0, std::floor(24 / warps)));
    }
    return k;
}

inline kernel_profile<> any_counts(random_numbers& r, const any_device& d) {
    kernel_profile<> k = any_launch(r, d);
    const auto count = [&](double high) {
        const double x = r.spread(1, high);
        return r.with_probability(0.8) ? std::floor(x) : x;  // averages need not be whole
    };
    k.comp_insts = r.with_probability(0.9) ? count(2e4) : 0;
    k.coalesced_mem_insts = r.with_probability(0.7) ? count(1e3) : 0;
    k.uncoalesced_mem_insts = r.with_probability(0.5) ? count(300) : 0;
    k.sync_insts = r.with_probability(0.3) ? count(40) : 0;
    k.transactions_per_uncoalesced = r.with_probability(0.8) ? r.whole(1, 32) : r.between(1, 32);
    k.bytes_per_access = std::exp2(r.whole(0, 4));
    if (!(k.comp_insts + k.coalesced_mem_insts + k.uncoalesced_mem_insts > 0)) k.comp_insts = 1;
    return k;
}

/// The same with what a memory hierarchy makes of the instructions; sometimes nothing is known of that.
inline kernel_profile<> any_hierarchy(random_numbers& r, const any_device& d) {
    kernel_profile<> k = any_counts(r, d);
    if (r.with_probability(0.3)) return k;
    k.ops = {.fp32_ops = r.maybe(r.spread(1, 1e6)),
             .fp64_ops = r.maybe(r.maybe(r.spread(1, 1e5))),
             .integer_ops = r.maybe(r.spread(1, 1e6)),
             .special_ops = r.maybe(r.spread(1, 1e5)),
             .tensor_fmas = r.maybe(r.maybe(r.spread(1, 1e7)))};
    k.shared_passes = r.maybe(r.spread(1, 1e4));
    k.shared_insts = r.maybe(k.shared_passes / r.between(1, 4));
    k.branches = r.maybe(r.spread(1, 1e3));
    k.accesses = {r.spread(1, 1e5), r.maybe(r.spread(1, 1e4)), r.maybe(r.spread(1, 1e4)),
                  r.maybe(r.spread(1, 1e5)), r.maybe(r.spread(1, 1e3))};
    k.waits = {.counted = true,
               .dram_waits = r.maybe(r.between(0, 40)),
               .l2_waits = r.maybe(r.between(0, 40)),
               .l1_waits = r.maybe(r.between(0, 40)),
               .store_waits = r.maybe(1),
               .arithmetic_wait_cycles = r.maybe(r.spread(1, 1e4)),
               .steps = r.maybe(r.spread(1e-3, 1e3)),  // below 1, most warps return at once
               .reused_fraction = r.maybe(r.unit())};
    k.waits.longest_steps = r.maybe(std::max(k.waits.steps, 1.0) * r.between(1, 3));
    k.traffic = {.l2_bytes_per_warp = r.maybe(r.spread(32, 1e6)),
                 .dram_read_bytes = r.maybe(r.spread(1e3, 1e10)),
                 .dram_write_bytes = r.maybe(r.spread(1e3, 1e10)),
                 .footprint_bytes = r.maybe(r.spread(1e3, 1e10)),
                 .in_l2_fraction = r.maybe(r.unit()),
                 .local_bytes = r.maybe(r.spread(4, 1e4))};
    k.traffic.local_footprint_bytes = r.maybe(k.traffic.local_bytes * r.unit());
    return k;
}

/// One instruction at place `at` of a stream, which may need any before it.
inline instruction any_instruction(random_numbers& r, std::size_t at) {
    constexpr unit_kind arithmetic[]{unit_kind::integer,          unit_kind::single_precision,
                                     unit_kind::single_precision, unit_kind::double_precision,
                                     unit_kind::special_function, unit_kind::branch};
    constexpr unit_kind memory[]{unit_kind::global_memory, unit_kind::global_memory,
                                 unit_kind::shared_memory, unit_kind::l1_cache,
                                 unit_kind::l2_cache};
    instruction i;
    if (r.with_probability(0.65)) {
        i.unit = arithmetic[r.below(std::size(arithmetic))];
        i.op = static_cast<operation>(r.below(static_cast<std::size_t>(operation::other) + 1));
    } else {
        i.unit = memory[r.below(std::size(memory))];
        i.bytes = static_cast<std::uint8_t>(std::exp2(r.whole(0, 4)));
        if (r.with_probability(0.4)) i.transactions = static_cast<std::uint16_t>(r.whole(2, 32));
    }
    for (std::int32_t& need : i.needs) {
        if (at > 0 && r.with_probability(0.4)) {
            need = 1 + static_cast<std::int32_t>(r.below(std::min<std::size_t>(at, 4)));
        }
    }
    return i;
}

/// A stream of instructions and loops of up to `rounds` rounds, without barriers.
inline std::vector<instruction> any_stream(random_numbers& r, int parts, double rounds) {
    std::vector<instruction> s;
    std::size_t before_body = 0;  // heads of loops are no instructions, and nothing needs them
    const auto add = [&] { s.push_back(any_instruction(r, s.size() - before_body)); };
    for (int part = static_cast<int>(r.whole(1, parts)); part > 0; --part) {
        if (r.with_probability(0.5)) {
            add();
            continue;
        }
        const auto length = static_cast<std::uint32_t>(r.whole(1, 5));
        s.push_back(loop(length, static_cast<std::uint32_t>(r.spread(1, rounds))));
        before_body = s.size();
        for (std::uint32_t n = 0; n < length; ++n) {
            add();
            if (r.with_probability(0.1)) s.back().needs[0] = own_result;  // an accumulator
        }
    }
    return s;
}

inline stencil_shape any_stencil(random_numbers& r) {
    stencil_shape s{.dimensions = static_cast<int>(r.whole(1, 3)),
                    .block_length = r.whole(6, 64),
                    .stencil_arrays = r.whole(1, 3),
                    .elements_per_op = r.maybe(r.whole(1, 2)),
                    .misc_insts_per_sm = r.maybe(r.spread(1, 1e5)),
                    .iter_insts_per_sm = r.spread(10, 1e5)};
    s.profiled_elements = 1;
    for (std::size_t n = 0; n < static_cast<std::size_t>(s.dimensions); ++n) {
        s.data_length[n] = std::floor(r.spread(64, s.dimensions == 3 ? 512 : 5000));
        s.halo_width[n] = r.whole(1, 4);
        s.profiled_elements *= s.data_length[n];
    }
    return s;
}

inline launch_case any_kernel(random_numbers& r, const any_device& d, kernel_kind kind) {
    switch (kind) {
        case kernel_kind::counted: return {any_counts(r, d), {}};
        case kernel_kind::hierarchy: return {any_hierarchy(r, d), {}};
        case kernel_kind::streamed: {
            launch_case c{any_launch(r, d), any_stream(r, 6, 12)};
            // Where the GPU has asynchronous copies, some streams do.
            if (d.capability() >= compute_capability{8, 0} && r.with_probability(0.4)) {
                auto bits = [&] { return r.bits(); };
                const bool in_bulk = d.capability() >= compute_capability{9, 0};
                c.stream = random_streams::with_copies(c.stream, bits, in_bulk);
            }
            // Most are small: a simulation takes as long as its warps are many, and few show what goes wrong.
            if (r.with_probability(0.8)) {
                c.numbers.threads_per_block =
                    std::min(c.numbers.threads_per_block, 32 * r.whole(1, 4));
                c.numbers.blocks = std::min(c.numbers.blocks, *d.get("sm_count") * r.whole(1, 3));
            }
            return c;
        }
        case kernel_kind::stencil: {
            launch_case c{any_launch(r, d), {}};
            c.numbers.stencil = any_stencil(r);
            return c;
        }
    }
    return {};
}

/// A GPU as it is, or with some of its numbers times or divided by up to four.
inline any_device any_variant(random_numbers& r, any_device d) {
    if (r.with_probability(1.0 / 3)) return d;
    const any_device shipped = d;
    shipped.for_each_known([&](device_parameter p, double value) {
        const parameter_info& row = info(p);
        const bool fitted = row.name.starts_with("cpd_");  // to one GPU, all together
        const bool limit =
            row.group == "warp" || row.group == "residency" || row.group == "partitions";
        if (fitted || limit || r.with_probability(0.5)) return;
        double x = value * r.spread(0.25, 4);
        if (row.range == parameter_range::whole) x = std::max(1.0, std::floor(x));
        if (row.range == parameter_range::fraction) x = std::min(1.0, x);
        // Lanes by which a warp passes in whole cycles.
        if (row.unit == "lane") x = std::exp2(std::floor(std::log2(x)));
        if (row.name == "load_store_units" || row.name == "cuda_cores") x = std::min(x, 128.0);
        if (row.unit == "cycle" && row.name.ends_with("latency_cycles")) x = std::max(x, 1.0);
        (void)d.set(row.name, x);
    });
    // What is nearer takes no longer, and no long kernel runs faster than the clock.
    const auto at_most = [&](std::string_view less, std::string_view more) {
        const auto a = d.get(less);
        const auto b = d.get(more);
        if (a && b && *a > *b) (void)d.set(less, *b);
    };
    at_most("l2_latency_cycles", "dram_latency_cycles");
    at_most("l1_latency_cycles", "l2_latency_cycles");
    at_most("sustained_clock_hz", "clock_hz");
    const auto schedulers = d.get("warp_schedulers");
    const auto sub_cores = d.get("sub_cores");
    if (schedulers && sub_cores && *schedulers < *sub_cores) (void)d.set("sub_cores", 1);
    return d;
}

}  // namespace invariants

#endif
