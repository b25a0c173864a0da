// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models that read instruction streams.
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/makespan.hpp>
#include <warpgauge/models/mpd_cpd.hpp>

#include "floors.hpp"
#include "models.hpp"
#include "tools.hpp"

namespace invariants {

using namespace parameters;

namespace {

/// Cycles of the GeForce GTX 260, where a device has none of its own.
struct periods {
    static constexpr std::string_view name = "MPD/CPD";
    static constexpr std::string_view by_name = "mpd_cpd";
    static constexpr kernel_kind kind = kernel_kind::streamed;
    static constexpr bool has_published_form = true;
    using reads =
        group_list<chip, warp, residency, computation_costs, transaction_size, issue, schedulers>;
    template <class D>
    static constexpr bool takes = mpd_cpd_device<D>;

    template <class D>
    static auto complete(const D& d) {
        const devices::geforce_gtx_260 known;
        instruction_costs costs = known.costs;
        if (costs.other_cycles == 0) costs.other_cycles = costs.arithmetic[0].int_register;
        costs.double_precision_factor = 2;
        return with<computation_costs>(d, {.cpd_a = known.cpd_a,
                                           .cpd_b = known.cpd_b,
                                           .cpd_c = known.cpd_c,
                                           .cpd_d = known.cpd_d,
                                           .costs = costs});
    }
    template <class D>
    static auto model(const D& d, equation_form form) {
        return mpd_cpd_model{d, {.form = form}};
    }
    static hardware_floors floors(const any_device& d, const launch_case& c) {
        const auto table = d.as<computation_costs>();
        const double overlap = std::max(1.0, table.cpd_a);  // CPD of one warp, (4)
        return stream_floors(d, c, issue_cycles_of(d), [&](const instruction& i) {
            return table.costs.cycles(i) / (is_memory(i) ? 1 : overlap);
        });
    }
};

/// Of models that read every latency of a device.
hardware_floors simulated_floors(const any_device& d, const launch_case& c) {
    const auto latency = [&](const instruction& i) {
        switch (i.unit) {
            case unit_kind::integer:
            case unit_kind::branch: return *d.get("integer_latency_cycles");
            case unit_kind::single_precision: return *d.get("single_precision_latency_cycles");
            case unit_kind::double_precision: return *d.get("double_precision_latency_cycles");
            case unit_kind::special_function: return *d.get("special_function_latency_cycles");
            case unit_kind::tensor: return *d.get("tensor_latency_cycles");
            case unit_kind::shared_memory: return *d.get("shared_latency_cycles");
            case unit_kind::l1_cache: return *d.get("l1_latency_cycles");
            case unit_kind::l2_cache: return *d.get("l2_latency_cycles");
            case unit_kind::global_memory: return *d.get("dram_latency_cycles");
            default: return 0.0;
        }
    };
    const double slots = *d.get("warp_schedulers") * *d.get("issues_per_scheduler");
    return stream_floors(d, c, 1 / slots, latency);
}

// Random streams use all units and memories.
template <class D>
concept takes_every_stream = simulated_device<D> && has_double_precision<D> &&
    has_special_functions<D> && has_load_store<D> && has_double_precision_latency<D> &&
    has_special_function_latency<D> && has_cache_latency<D> && has_dram_latency<D>;

struct bounds {
    static constexpr std::string_view name = "makespan";
    static constexpr std::string_view by_name = "makespan";
    static constexpr kernel_kind kind = kernel_kind::streamed;
    static constexpr bool has_published_form = true;
    using reads = group_list<chip, warp, architecture, cores, double_precision, special_functions,
                             load_store, schedulers, arithmetic_latency, double_precision_latency,
                             special_function_latency, shared_latency, l1_latency, l2_latency,
                             dram_latency, integers, integer_add_rates, integer_rates,
                             comparison_rate, conversion_rate, wide_conversion_rate, partitions,
                             transaction_size, residency, l1_cache, shared_bandwidth, l1_bandwidth,
                             l2_bandwidth, dram_read, dram_write, dram_mixed, sustained_clock>;
    template <class D>
    static constexpr bool takes =
        takes_every_stream<D>;  // of others, its time is that of two units

    template <class D>
    static auto complete(const D& d) {
        return edit(d);
    }
    template <class D>
    static auto model(const D& d, equation_form form) {
        return makespan_model{d, {.form = form}};
    }
    static hardware_floors floors(const any_device& d, const launch_case& c) {
        return simulated_floors(d, c);
    }
};

struct simulation {
    static constexpr std::string_view name = "hybrid";
    static constexpr std::string_view by_name = "hybrid";
    static constexpr kernel_kind kind = kernel_kind::streamed;
    static constexpr bool has_published_form = true;
    static constexpr std::size_t cases_per_test = 10;
    using reads = group_list<chip, warp, architecture, cores, double_precision, special_functions,
                             load_store, schedulers, arithmetic_latency, double_precision_latency,
                             special_function_latency, shared_latency, l1_latency, l2_latency,
                             dram_latency, integers, integer_add_rates, integer_rates,
                             comparison_rate, conversion_rate, wide_conversion_rate, partitions,
                             transaction_size, residency, l1_cache, shared_bandwidth, l1_bandwidth,
                             l2_bandwidth, dram_read, dram_write, dram_mixed, sustained_clock>;
    template <class D>
    static constexpr bool takes = takes_every_stream<D>;

    template <class D>
    static auto complete(const D& d) {
        return edit(d);
    }
    template <class D>
    static auto model(const D& d, equation_form form) {
        return hybrid_model{d, {.form = form}};
    }
    static hardware_floors floors(const any_device& d, const launch_case& c) {
        return simulated_floors(d, c);
    }
};

}  // namespace

subject mpd_cpd() {
    return with_tools<periods>(make_subject<periods>());
}
subject makespan() {
    return with_tools<bounds>(make_subject<bounds>());
}
subject hybrid() {
    return with_tools<simulation>(make_subject<simulation>());
}

}  // namespace invariants
