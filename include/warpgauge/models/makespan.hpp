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
#include <warpgauge/kernel/instruction_string.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/bracket.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/makespan/search.hpp>
#include <warpgauge/makespan/state_search.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file Makespan bounds: how long the resident warps of one SM can take at worst.
///
/// Source: K. Berezovskyi, K. Bletsas, B. Andersson, "Makespan Computation for GPU Threads Running on a
/// Single Streaming Multiprocessor", 2012. What is safe, is safe under its assumptions: an instruction
/// takes one cycle of its unit, no access misses the cache, and no unit idles while a warp waits for it.
/// docs/makespan.md says which bounds are proved.

namespace warpgauge {

/// What the model reads of a device.
template <class D>
concept makespan_device = has_chip<D> && has_cores<D> && has_load_store<D> && has_warp<D>;

/// How many warps an SM's load/store units, `L`, and CUDA cores, `C`, serve per cycle, eqs. (1), (2).
template <makespan_device D>
[[nodiscard]] constexpr std::array<unit_slots, 2> slots_of(const D& d) noexcept {
    return {{{'L', static_cast<double>(d.load_store_units) / static_cast<double>(d.warp_size)},
             {'C', static_cast<double>(d.cuda_cores) / static_cast<double>(d.warp_size)}}};
}

/// Which SM gets which blocks.
enum class block_distribution : std::uint8_t {
    even,         ///< as equal numbers as can be
    round_robin,  ///< one after another; the most loaded SM has as many as with `even`
    adversarial,  ///< all blocks may land on one SM
};

[[nodiscard]] constexpr std::string_view name(block_distribution distribution) noexcept {
    switch (distribution) {
        case block_distribution::even: return "even";
        case block_distribution::round_robin: return "round robin";
        case block_distribution::adversarial: return "adversarial";
    }
    return "unknown";
}

/// What takes the larger part of a bound: a warp's own instructions, which no other warp delays, or waits
/// for the units that the warps need most.
enum class makespan_limiter : std::uint8_t {
    own_instructions,
    load_store_units,
    cuda_cores,
};

[[nodiscard]] constexpr std::string_view name(makespan_limiter limiter) noexcept {
    switch (limiter) {
        case makespan_limiter::own_instructions: return "own instructions";
        case makespan_limiter::load_store_units: return "load/store units";
        case makespan_limiter::cuda_cores: return "CUDA cores";
    }
    return "unknown";
}

/// Which of the model's variants predicts.
struct makespan_options {
    block_distribution distribution = block_distribution::even;
};

/// How long the most loaded SM takes at worst. Its blocks run in rounds, one after another; the last may
/// have fewer.
template <scalar Real = double>
struct makespan_estimate {
    Real resident_blocks_per_sm{};  ///< blocks that fit on an SM; from occupancy or the profile
    Real active_blocks_per_sm{};    ///< blocks of a round, no more than the SM gets
    Real active_warps_per_sm{};     ///< warps of a round, W
    Real rounds{};                  ///< with the last, that may be smaller
    makespan_bound round{};         ///< of one full round
    Real last_round_warps{};        ///< warps
    Real last_round_cycles{};       ///< bound of the last round
    makespan_limiter limited_by{};  ///< of one full round
    Real cycles{};                  ///< cycles, of all rounds; a whole number
    Real seconds{};                 ///< s
};

/// Bounds the makespan of kernels on `device` from their instruction stream: `L` is an access to memory,
/// `C` all else. Barriers are left out of the string, and as warps that wait at one
/// are outside the theory, no bound of a stream with barriers is called safe and no bracket certified.
/// For a string written by hand, make a `makespan_problem` with `slots_of(device)`.
/// \errors as `stream.hpp` for the stream, `resident_blocks`, and `makespan_upper_bound`; besides
///         missing         `instructions`: no stream, or barriers alone
///         not_positive    `blocks`, `threads_per_block`, `clock_hz`
///         outside_domain  `blocks`, `active_blocks_per_sm`, `sm_count`: not a whole number;
///                         `slots`: units are neither a multiple nor a divisor of the warp size
///         overflow        `cycles`: past 2^53, what `cycles` counts exactly
template <makespan_device D>
struct makespan_model {
    [[no_unique_address]] D device{};
    makespan_options options{};

    /// The same model of another device.
    template <makespan_device Other>
    [[nodiscard]] constexpr makespan_model<Other> on(const Other& other) const {
        return {other, options};
    }

    /// The resident warps on one SM: the safe bound in closed form. O(executed instructions); does not
    /// allocate.
    [[nodiscard]] constexpr result<makespan_bound> upper_bound(const kernel_profile<>& k) const {
        const auto rounds = count_rounds(k);
        if (!rounds) return rounds.error();
        return bound(k, rounds->warps);
    }

    /// All rounds of the most loaded SM, by the safe bound.
    [[nodiscard]] constexpr result<makespan_estimate<>> predict(const kernel_profile<>& k) const {
        const auto rounds = count_rounds(k);
        if (!rounds) return rounds.error();
        const auto full = bound(k, rounds->warps);
        if (!full) return full.error();
        const auto last = rounds->last_warps == rounds->warps ? full : bound(k, rounds->last_warps);
        if (!last) return last.error();
        makespan_estimate<> e = as_estimate(*rounds, *full, *last);
        if (!(e.cycles <= max_exact_integer)) return model_error{errc::overflow, "cycles"};
        if (!core::positive(static_cast<double>(device.clock_hz))) {
            return model_error{errc::not_positive, "clock_hz"};
        }
        e.seconds = e.cycles / static_cast<double>(device.clock_hz);
        if (!core::positive(e.seconds)) return model_error{errc::overflow, "clock_hz"};
        e.limited_by = limiter_of(k, *full);
        return e;
    }

    /// Eqs. (5)-(7) as printed; `safe` says whether it is.
    [[nodiscard]] constexpr result<makespan_bound> pessimistic(const kernel_profile<>& k) const {
        const auto rounds = count_rounds(k);
        if (!rounds) return rounds.error();
        const auto all = unit_types_of(slots_of(device));
        if (!all) return all.error();
        return safe_without_barriers(k, pessimistic_makespan(source(k, *all), *all, rounds->warps));
    }

    /// Eqs. (42), (43) as printed, from up to `few` warps; not safe.
    [[nodiscard]] result<makespan_bound> estimate(const kernel_profile<>& k, std::uint64_t few,
                                                  const makespan_caps& caps = {}) const {
        return safe_without_barriers(k, on_problem(k, [&](const makespan_problem& p) {
                                         return estimate_makespan(p, few, caps);
                                     }));
    }

    /// The worst case of the resident warps, exactly.
    [[nodiscard]] result<std::uint64_t> exact_worst(const kernel_profile<>& k,
                                                    const makespan_caps& caps = {}) const {
        return on_problem(k, [&](const makespan_problem& p) -> result<std::uint64_t> {
            const auto range = exact_makespan(p, caps);
            if (!range) return range.error();
            return range->worst;
        });
    }

    /// The best case of the resident warps, exactly.
    [[nodiscard]] result<std::uint64_t> exact_best(const kernel_profile<>& k,
                                                   const makespan_caps& caps = {}) const {
        return on_problem(k, [&](const makespan_problem& p) -> result<std::uint64_t> {
            const auto range = exact_makespan(p, caps);
            if (!range) return range.error();
            return range->best;
        });
    }

    /// The worst case of the resident warps, between a schedule found and the safe bound.
    [[nodiscard]] result<makespan_bracket> bracket(const kernel_profile<>& k,
                                                   const makespan_caps& caps = {}) const {
        auto b =
            on_problem(k, [&](const makespan_problem& p) { return bracket_makespan(p, caps); });
        if (b && has_barrier(k)) b->certified = false;
        return b;
    }

private:
    // How the blocks of the most loaded SM run.
    struct block_rounds {
        std::uint64_t resident_blocks{};
        std::uint64_t blocks{};  // of a full round
        std::uint64_t warps{};
        std::uint64_t rounds{};
        std::uint64_t last_warps{};
    };

    static constexpr double number(std::uint64_t n) { return static_cast<double>(n); }

    static constexpr bool has_barrier(const kernel_profile<>& k) {
        for (const instruction& i : k.instructions) {
            if (i.unit == unit_kind::barrier) return true;
        }
        return false;
    }

    // Warps that wait at barriers are outside the theory: no bound is safe.
    static constexpr result<makespan_bound> safe_without_barriers(const kernel_profile<>& k,
                                                                  result<makespan_bound> b) {
        if (b && has_barrier(k)) b->safe = false;
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
        const std::uint64_t last = blocks - (r.rounds - 1) * r.blocks;
        if (launch->warps_per_block > ~std::uint64_t{0} / r.blocks) {
            return model_error{errc::overflow, "threads_per_block"};
        }
        r.warps = r.blocks * launch->warps_per_block;
        r.last_warps = last * launch->warps_per_block;
        return r;
    }

    static constexpr makespan_estimate<> as_estimate(const block_rounds& rounds,
                                                     const makespan_bound& full,
                                                     const makespan_bound& last) {
        return {.resident_blocks_per_sm = number(rounds.resident_blocks),
                .active_blocks_per_sm = number(rounds.blocks),
                .active_warps_per_sm = number(rounds.warps),
                .rounds = number(rounds.rounds),
                .round = full,
                .last_round_warps = number(rounds.last_warps),
                .last_round_cycles = number(last.cycles),
                .limited_by = {},
                .cycles = number(rounds.rounds - 1) * number(full.cycles) + number(last.cycles),
                .seconds = 0};
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

    [[nodiscard]] constexpr result<makespan_bound> bound(const kernel_profile<>& k,
                                                         std::uint64_t warps) const {
        const auto all = unit_types_of(slots_of(device));
        if (!all) return all.error();
        return safe_without_barriers(k, makespan_upper_bound(source(k, *all), *all, warps));
    }

    // Of a stream that has a bound, from how often its entries execute.
    [[nodiscard]] constexpr makespan_limiter limiter_of(const kernel_profile<>& k,
                                                        const makespan_bound& b) const {
        std::array<double, 2> executed{};
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

template <class D>
makespan_model(D, makespan_options = {}) -> makespan_model<D>;

}  // namespace warpgauge

#endif
