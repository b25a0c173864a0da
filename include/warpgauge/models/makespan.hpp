// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_MAKESPAN_HPP
#define WARPGAUGE_MODELS_MAKESPAN_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/instruction_string.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/bracket.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/makespan/search.hpp>
#include <warpgauge/makespan/state_search.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/simulate/sm_bound.hpp>
#include <warpgauge/simulate/sm_of_device.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file Makespan bounds: the maximum time of the resident warps of one SM.
///
/// Source: K. Berezovskyi, K. Bletsas, B. Andersson, "Makespan Computation for GPU Threads Running on a
/// Single Streaming Multiprocessor", 2012. Its problem has two types of units, and an instruction takes one cycle of
/// its unit. A device has more, so the default bound is another one. Here a bound is safe if it is never below
/// `simulate_sm` of the device. docs/makespan.md has the proofs.

namespace WARPGAUGE_NAMESPACE {

/// The parameters of a device that the model requires. It also reads those of `simulated_device` if a device has them.
template <class D>
concept makespan_device = has_chip<D> && has_cores<D> && has_load_store<D> && has_warp<D>;

/// The number of warps that an SM's load/store units, `L`, and CUDA cores, `C`, serve per cycle, eqs. (1), (2).
template <makespan_device D>
[[nodiscard]] constexpr std::array<unit_slots, 2> slots_of(const D& d) noexcept {
    return {{{'L', static_cast<double>(d.load_store_units) / static_cast<double>(d.warp_size)},
             {'C', static_cast<double>(d.cuda_cores) / static_cast<double>(d.warp_size)}}};
}

/// The distribution of blocks over SMs.
enum class block_distribution : std::uint8_t {
    even,         ///< numbers that differ by at most one
    round_robin,  ///< one after another; the most loaded SM has as many as with `even`
    adversarial,  ///< all blocks may land on one SM
};

/// The distribution in words: "round robin".
[[nodiscard]] constexpr std::string_view name(block_distribution distribution) noexcept {
    switch (distribution) {
        case block_distribution::even: return "even";
        case block_distribution::round_robin: return "round robin";
        case block_distribution::adversarial: return "adversarial";
    }
    return "unknown";
}

/// The largest part of a bound: a warp's own instructions, which no other warp delays, or the use of a resource by all
/// warps.
enum class makespan_limiter : std::uint8_t {
    own_instructions,        ///< a warp's own instructions
    load_store_units,        ///< load/store lanes of the SM
    cuda_cores,              ///< single-precision lanes of the SM
    integer_units,           ///< integer lanes of the SM
    double_precision_units,  ///< double-precision lanes of the SM
    special_function_units,  ///< special-function lanes of the SM
    issue_slots,             ///< issues of the schedulers
    memory_bandwidth,        ///< the SM's part of the bandwidth of DRAM
    l2_bandwidth,            ///< the SM's part of the bandwidth of L2
    tensor_units,            ///< multiply-adds of the SM's tensor cores
    l2_slice,                ///< the slice of L2 with a sector that all warps read
};

/// The limiter in words: "load/store units".
[[nodiscard]] constexpr std::string_view name(makespan_limiter limiter) noexcept {
    switch (limiter) {
        case makespan_limiter::own_instructions: return "own instructions";
        case makespan_limiter::load_store_units: return "load/store units";
        case makespan_limiter::cuda_cores: return "CUDA cores";
        case makespan_limiter::integer_units: return "integer units";
        case makespan_limiter::double_precision_units: return "double-precision units";
        case makespan_limiter::special_function_units: return "special-function units";
        case makespan_limiter::issue_slots: return "issue slots";
        case makespan_limiter::memory_bandwidth: return "memory bandwidth";
        case makespan_limiter::l2_bandwidth: return "L2 bandwidth";
        case makespan_limiter::tensor_units: return "tensor cores";
        case makespan_limiter::l2_slice: return "one slice of L2";
    }
    return "unknown";
}

/// The options of the model.
struct makespan_options {
    block_distribution distribution = block_distribution::even;  ///< the SMs that blocks land on
    /// `as_published`: V, on the two types of units. The model also uses V if the device lacks lanes or a latency
    /// that the simulation of the stream needs.
    equation_form form = equation_form::corrected;
    unit_sharing units = unit_sharing::any_scheduler;  ///< of the corrected form
};

/// The maximum time of the most loaded SM. Blocks run in rounds, or each begins when one has ended.
template <scalar Real = double>
struct makespan_estimate : assumed_values<Real> {
    Real resident_blocks_per_sm{};  ///< blocks that fit on an SM; from occupancy or the profile
    Real active_blocks_per_sm{};    ///< blocks of a round, no more than the SM gets
    Real active_warps_per_sm{};     ///< warps of a round, W
    Real rounds{};                  ///< with the last, that may be smaller
    makespan_bound round{};         ///< of one full round
    Real last_round_warps{};        ///< warps
    Real last_round_cycles{};       ///< bound of the last round
    Real start_cycles{};            ///< cycles until parameters are loaded; 0 as published
    makespan_limiter limited_by{};  ///< of all rounds; as published, of a full one
    Real cycles{};                  ///< cycles, of all rounds; a whole number
    Real clock_hz{};  ///< of all these cycles: of an SM under load; of two types, the device's
    Real seconds{};   ///< s
};

/// Bounds the makespan of kernels on `device` from their instruction stream.
///
/// `predict` and `upper_bound` count every unit, bank conflicts and transactions, issue slots, latencies, the SM's part
/// of DRAM, and barriers (`bound_sm`); `predict` also the slice of L2 with a sector that all warps read. They are safe:
/// never below `simulate_sm` of the SM, nor `predict` below `hybrid_model`, with any `warp_policy`. With
/// `unit_sharing::own_scheduler` they bound an SM whose schedulers have units of their own, and are safe only if the
/// device has as many sub-cores as schedulers. As published, they use the paper's two-type problem, as the other members always do: `L` is
/// an access to memory, `C` is everything else, and barriers are left out. A device takes longer than that, so no such
/// bound is called safe and no bracket is certified. For bounds of that problem itself, make a `makespan_problem` with
/// `slots_of(device)`.
/// \errors as `bound_sm`; as published and for the other members, as `stream.hpp` and `makespan_upper_bound`; also
///         missing         `instructions`: no stream, or, of two types, barriers alone
///         not_positive    `blocks`, `threads_per_block`, `resident_blocks`, `clock_hz`
///         not_whole       `blocks`, `active_blocks_per_sm`, `sm_count`
///         outside_domain  `slots`: of two types, units are neither a multiple nor a divisor of the warp size
///         overflow        `cycles`: past 2^53, what `cycles` counts exactly
template <makespan_device D>
struct makespan_model {
    [[no_unique_address]] D device{};  ///< the device that it bounds kernels on
    makespan_options options{};        ///< the variant that predicts

    /// The same model on another device.
    template <makespan_device Other>
    [[nodiscard]] constexpr makespan_model<Other> on(const Other& other) const {
        return {other, options};
    }

    /// The resident warps on one SM. O(executed instructions); does not allocate.
    [[nodiscard]] constexpr result<makespan_bound> upper_bound(const kernel_profile<>& k) const {
        if (const auto bad = check_makespan_options()) return bad;
        const auto rounds = count_rounds(k);
        if (!rounds) return rounds.error();
        if constexpr (simulated_device<D>) {
            if (options.form == equation_form::corrected) {
                const auto costs = count_costs(k);
                if (!needs_more(costs)) return full_round_on_sm(costs, *rounds);
            }
        }
        return bound_of_two_types(k, rounds->warps);
    }

    /// All blocks of the most loaded SM.
    [[nodiscard]] constexpr result<makespan_estimate<>> predict(const kernel_profile<>& k) const {
        if (const auto bad = check_makespan_options()) return bad;
        const auto rounds = count_rounds(k);
        if (!rounds) return rounds.error();
        auto e = predict_rounds(k, *rounds);
        if (!e) return e.error();
        if (!(e->cycles <= max_exact_integer)) return model_error{errc::overflow, "cycles"};
        if (!core::positive(static_cast<double>(device.clock_hz))) {
            return model_error{errc::not_positive, "clock_hz"};
        }
        if (!(e->clock_hz > 0)) e->clock_hz = static_cast<double>(device.clock_hz);
        e->seconds = e->cycles / e->clock_hz;
        if (!core::positive(e->seconds)) return model_error{errc::overflow, "clock_hz"};
        return e;
    }

    /// Eqs. (5)-(7) as printed, of two types.
    [[nodiscard]] constexpr result<makespan_bound> pessimistic(const kernel_profile<>& k) const {
        const auto rounds = count_rounds(k);
        if (!rounds) return rounds.error();
        const auto all = unit_types_of(slots_of(device));
        if (!all) return all.error();
        return not_of_device(pessimistic_makespan(source(k, *all), *all, rounds->warps));
    }

    /// Eqs. (42), (43) as printed, of two types, from up to `few` warps.
    [[nodiscard]] result<makespan_bound> estimate(const kernel_profile<>& k, std::uint64_t few,
                                                  const makespan_caps& caps = {}) const {
        return not_of_device(on_problem(
            k, [&](const makespan_problem& p) { return estimate_makespan(p, few, caps); }));
    }

    /// The worst case of the resident warps on two types of units, exactly.
    [[nodiscard]] result<std::uint64_t> exact_worst(const kernel_profile<>& k,
                                                    const makespan_caps& caps = {}) const {
        return on_problem(k, [&](const makespan_problem& p) -> result<std::uint64_t> {
            const auto range = exact_makespan(p, caps);
            if (!range) return range.error();
            return range->worst;
        });
    }

    /// The best case of the resident warps on two types of units, exactly.
    [[nodiscard]] result<std::uint64_t> exact_best(const kernel_profile<>& k,
                                                   const makespan_caps& caps = {}) const {
        return on_problem(k, [&](const makespan_problem& p) -> result<std::uint64_t> {
            const auto range = exact_makespan(p, caps);
            if (!range) return range.error();
            return range->best;
        });
    }

    /// The worst case of the resident warps on two types of units, between the length of a found schedule and V.
    [[nodiscard]] result<makespan_bracket> bracket(const kernel_profile<>& k,
                                                   const makespan_caps& caps = {}) const {
        auto b =
            on_problem(k, [&](const makespan_problem& p) { return bracket_makespan(p, caps); });
        if (b) {
            b->certified = false;
            b->doubt = makespan_doubt::two_unit_types;
        }
        return b;
    }

private:
    constexpr model_error check_makespan_options() const {
        if (const auto bad = check_options(options.form)) return bad;
        if (const auto bad = core::check_enumerator(
                options.distribution, block_distribution::adversarial, "distribution")) {
            return bad;
        }
        return core::check_enumerator(options.units, unit_sharing::own_scheduler, "units");
    }

    // How the blocks of the most loaded SM run.
    struct block_rounds {
        std::uint64_t resident_blocks{};
        std::uint64_t all_blocks{};
        std::uint64_t blocks{};  // of a full round
        std::uint64_t last_blocks{};
        std::uint64_t warps_per_block{};
        std::uint64_t warps{};
        std::uint64_t rounds{};
        std::uint64_t last_warps{};
    };

    static constexpr double number(std::uint64_t n) { return static_cast<double>(n); }

    // What holds of two types of units need not hold of the device.
    static constexpr result<makespan_bound> not_of_device(result<makespan_bound> b) {
        if (b) {
            b->safe = false;
            b->doubt = makespan_doubt::two_unit_types;
        }
        return b;
    }

    [[nodiscard]] constexpr result<block_rounds> count_rounds(const kernel_profile<>& k) const {
        const auto launch = count_launch(k, device);
        if (!launch) return launch.error();
        const std::uint64_t blocks = options.distribution == block_distribution::adversarial
                                         ? launch->blocks
                                         : launch->max_blocks_per_sm();
        block_rounds r;
        r.resident_blocks = launch->resident_blocks_per_sm;
        r.blocks = core::min(r.resident_blocks, blocks);
        r.rounds = (blocks - 1) / r.blocks + 1;
        r.all_blocks = blocks;
        r.last_blocks = blocks - (r.rounds - 1) * r.blocks;
        r.warps_per_block = launch->warps_per_block;
        if (launch->warps_per_block > ~std::uint64_t{0} / r.blocks) {
            return model_error{errc::overflow, "threads_per_block"};
        }
        r.warps = r.blocks * launch->warps_per_block;
        r.last_warps = r.last_blocks * launch->warps_per_block;
        return r;
    }

    static constexpr makespan_estimate<> as_estimate(const block_rounds& rounds,
                                                     const makespan_bound& full,
                                                     std::uint64_t last_cycles) {
        makespan_estimate<> e;
        e.resident_blocks_per_sm = number(rounds.resident_blocks);
        e.active_blocks_per_sm = number(rounds.blocks);
        e.active_warps_per_sm = number(rounds.warps);
        e.rounds = number(rounds.rounds);
        e.round = full;
        e.last_round_warps = number(rounds.last_warps);
        e.last_round_cycles = number(last_cycles);
        return e;
    }

    [[nodiscard]] constexpr result<makespan_estimate<>> predict_rounds(
        const kernel_profile<>& k, const block_rounds& rounds) const {
        if constexpr (simulated_device<D>) {
            if (options.form == equation_form::corrected) {
                const auto costs = count_costs(k);
                if (!needs_more(costs)) return behind_slice(predict_on_sm(costs, rounds), k);
            }
        }
        return predict_two_types(k, rounds);
    }

    // --- Every resource of the SM

    [[nodiscard]] constexpr result<sm_costs> count_costs(const kernel_profile<>& k) const {
        if (const auto bad = detail::simulate::check_simulated(device, k)) return bad;
        const auto launch = count_launch(k, device);
        if (!launch) return launch.error();
        const sm_parameters p = sm_parameters_of(device, k, *launch);
        const auto costs = count_sm_costs(k.instructions, p, options.units);
        if (!needs_more(costs)) return costs;
        for (std::size_t at = 0; at < k.instructions.size(); ++at) {
            const auto level = detail::simulate::level_of(at, p);
            const auto unknown = detail::simulate::unknown_parameter(k.instructions[at], p, level);
            if (!unknown.empty() && !is_of_unit(unknown)) {
                return model_error{errc::missing, unknown, static_cast<std::uint32_t>(at + 1)};
            }
        }
        return costs;
    }

    // Whether a parameter of the device is a number of lanes or a latency.
    static constexpr bool is_of_unit(std::string_view parameter) {
        for (const std::string_view lanes : detail::simulate::lane_fields) {
            if (parameter == lanes) return true;
        }
        return parameter.ends_with("_latency_cycles");
    }

    // Whether the stream needs lanes or a latency that the device does not know. What the stream itself lacks, as the
    // multiply-adds of a product, is an error.
    static constexpr bool needs_more(const result<sm_costs>& costs) {
        return !costs && costs.error().code == errc::missing && is_of_unit(costs.error().field);
    }

    // Schedulers with units of their own are the machine that is simulated only if each has a sub-core.
    [[nodiscard]] constexpr makespan_bound bound_of(const sm_bound& b) const {
        const bool pooled =
            options.units == unit_sharing::own_scheduler &&
            sm_parameters_of(device).sub_cores != static_cast<double>(device.warp_schedulers);
        const auto doubt = pooled ? makespan_doubt::pooled_units : makespan_doubt::none;
        return {b.cycles, makespan_rule::every_resource, !pooled, doubt};
    }

    [[nodiscard]] constexpr result<makespan_bound> full_round_on_sm(const result<sm_costs>& costs,
                                                                    const block_rounds& r) const {
        if (!costs) return costs.error();
        const auto b = bound_sm(*costs, {r.blocks, r.blocks, r.warps_per_block});
        if (!b) return b.error();
        return bound_of(*b);
    }

    // Blocks may begin when one has ended; rounds one after another take no longer.
    [[nodiscard]] constexpr result<makespan_estimate<>> predict_on_sm(const result<sm_costs>& costs,
                                                                      const block_rounds& r) const {
        if (!costs) return costs.error();
        const std::uint64_t start = parameter_cycles(device, sustained_pace<double>(device));
        const auto full = bound_sm(*costs, {r.blocks, r.blocks, r.warps_per_block});
        const auto last = bound_sm(*costs, {r.last_blocks, r.last_blocks, r.warps_per_block});
        const auto all = bound_sm(*costs, {r.all_blocks, r.blocks, r.warps_per_block, start});
        if (!all || !full || !last) return model_error{errc::overflow, "cycles"};
        makespan_estimate<> e = as_estimate(r, bound_of(*full), last->cycles);
        e.start_cycles = number(start);
        e.assumed.add(assumption::parameters_at_once, start == 0);
        e.cycles = number(all->cycles);
        e.clock_hz = sustained_clock_of<double>(device);
        e.limited_by = limiter_of(*all, e.rounds);
        return e;
    }

    // All SMs wait for the slice of L2 with a sector that all warps read.
    [[nodiscard]] constexpr result<makespan_estimate<>> behind_slice(
        result<makespan_estimate<>> e, const kernel_profile<>& k) const {
        const auto launch = count_launch(k, device);
        if (!e || !launch) return e;
        const double beyond_l1 = sm_parameters_of(device, k, *launch).beyond_l1_fraction;
        const double cycles =
            core::ceil(detail::simulate::l2_slice_cycles_of(device, k, *launch, beyond_l1));
        if (!(e->cycles < cycles)) return e;
        e->cycles = cycles;
        e->limited_by = makespan_limiter::l2_slice;
        return e;
    }

    // Of equal parts, the first in the order of `makespan_limiter`.
    static constexpr makespan_limiter limiter_of(const sm_bound& b, double rounds) {
        const auto unit = [&](sm_unit u) { return b.unit_cycles[static_cast<std::size_t>(u)]; };
        constexpr std::size_t count = 10;
        const double parts[count]{rounds * b.own_cycles,
                                  unit(sm_unit::load_store),
                                  unit(sm_unit::single_precision),
                                  unit(sm_unit::integer),
                                  unit(sm_unit::double_precision),
                                  unit(sm_unit::special_function),
                                  b.issue_cycles,
                                  b.dram_cycles,
                                  b.l2_cycles,
                                  unit(sm_unit::tensor)};
        std::size_t largest = 0;
        for (std::size_t i = 1; i < count; ++i) {
            if (parts[largest] < parts[i]) largest = i;
        }
        return static_cast<makespan_limiter>(largest);
    }

    // --- Two types of units

    [[nodiscard]] constexpr result<makespan_estimate<>> predict_two_types(
        const kernel_profile<>& k, const block_rounds& r) const {
        const auto full = bound_of_two_types(k, r.warps);
        if (!full) return full.error();
        const auto last = r.last_warps == r.warps ? full : bound_of_two_types(k, r.last_warps);
        if (!last) return last.error();
        makespan_estimate<> e = as_estimate(r, *full, last->cycles);
        e.cycles = number(r.rounds - 1) * number(full->cycles) + number(last->cycles);
        e.limited_by = limiter_of(k, *full);
        e.assumed.add(assumption::two_unit_types);
        return e;
    }

    // The executed instructions of the stream, for `makespan_upper_bound`.
    static constexpr auto source(const kernel_profile<>& k, const unit_types& all) {
        return [&k, &all](auto visit) -> model_error {
            if (const auto bad = check_stream(k.instructions)) return bad;
            std::size_t length = 0;
            const bool done = for_each_symbol(k.instructions, [&](char symbol) {
                const std::size_t type = symbol == 'L' ? 0 : 1;
                length += all.types[type].copies;
                if (length > max_string_length) return false;
                visit(type, all.types[type].copies);
                return true;
            });
            if (!done) return stream_error(errc::limit_reached);
            if (length == 0) return stream_error(errc::missing);
            return {};
        };
    }

    [[nodiscard]] constexpr result<makespan_bound> bound_of_two_types(const kernel_profile<>& k,
                                                                      std::uint64_t warps) const {
        const auto all = unit_types_of(slots_of(device));
        if (!all) return all.error();
        return not_of_device(makespan_upper_bound(source(k, *all), *all, warps));
    }

    // Of a stream that has a bound, from how often its entries execute.
    [[nodiscard]] constexpr makespan_limiter limiter_of(const kernel_profile<>& k,
                                                        const makespan_bound& b) const {
        double executed[2]{};
        auto count = [&](const instruction& i, std::size_t, double times) {
            if (i.unit == unit_kind::barrier) return;
            executed[uses_load_store_units(i.unit) ? 0 : 1] += times;
        };
        for_each_entry(k.instructions, 0, k.instructions.size(), 1, count);
        const auto slots = slots_of(device);
        const auto cycles_of = [&](std::size_t type) {
            return slots[type].slots < 1 ? executed[type] / slots[type].slots : executed[type];
        };
        const double own = cycles_of(0) + cycles_of(1);
        if (number(b.cycles) <= 2 * own) return makespan_limiter::own_instructions;
        return executed[0] / slots[0].slots < executed[1] / slots[1].slots
                   ? makespan_limiter::cuda_cores
                   : makespan_limiter::load_store_units;
    }

    template <class Used = core::when_used, class Use>
    auto on_problem(const kernel_profile<>& k, Use use) const
        -> decltype(use(std::declval<const makespan_problem&>())) {
        const auto rounds = count_rounds(k);
        if (!rounds) return rounds.error();
        const auto symbols = kernel_instruction_string<Used>(k.instructions);
        if (!symbols) return symbols.error();
        const auto slots = slots_of(device);
        return use({{symbols->data(), symbols->size()}, slots, rounds->warps});
    }
};

/// Deduces the type of the device.
template <class D>
makespan_model(D, makespan_options = {}) -> makespan_model<D>;

}  // namespace WARPGAUGE_NAMESPACE

#endif
