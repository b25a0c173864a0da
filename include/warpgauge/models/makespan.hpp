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
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/instruction_string.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/makespan/search.hpp>
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
enum class distribution : std::uint8_t {
    even,         ///< as equal numbers as can be
    round_robin,  ///< one after another; the most loaded SM has as many as with `even`
    adversarial,  ///< all blocks may land on one SM
};

/// How long the most loaded SM takes at worst. Its blocks run in residencies, one after another; the
/// last may have fewer.
struct makespan_estimate {
    std::uint64_t resident_blocks{};  ///< blocks that fit on an SM, or all it gets
    std::uint64_t resident_warps{};   ///< warps, W
    std::uint64_t residencies{};      ///< with the last, that may be smaller
    makespan_bound residency{};       ///< of the resident warps
    std::uint64_t last_warps{};       ///< warps of the last residency
    std::uint64_t last_cycles{};      ///< bound of the last residency
    double cycles{};                  ///< cycles, of all residencies; a whole number
    double seconds{};                 ///< s
};

/// Bounds the makespan of kernels on `device` from their instruction stream: `L` is an access to memory,
/// `C` all else. Barriers are left out of the string, and as warps that wait at one
/// are outside the theory, no bound of a stream with barriers is called safe and no bracket certified.
/// For a string written by hand, make a `makespan_problem` with `slots_of(device)`.
/// \errors as `instructions.hpp` for the stream, `resident_blocks`, and `makespan_upper_bound`; besides
///         missing         `instructions`: no stream, or barriers alone
///         not_positive    `blocks`, `threads_per_block`, `clock_hz`
///         outside_domain  `blocks`, `active_blocks_per_sm`, `sm_count`: not a whole number;
///                         `slots`: units are neither a multiple nor a divisor of the warp size
///         overflow        `cycles`: past 2^53, what `cycles` counts exactly
template <makespan_device D>
struct makespan_model {
    [[no_unique_address]] D device{};
    distribution blocks_to_sms = distribution::even;

    /// The resident warps on one SM: the safe bound in closed form. O(executed instructions); does not
    /// allocate.
    [[nodiscard]] constexpr result<makespan_bound> upper_bound(const kernel_profile<>& k) const {
        const auto e = residency(k);
        if (!e) return e.error();
        return bound(k, e->resident_warps);
    }

    /// All residencies of the most loaded SM, by the safe bound.
    [[nodiscard]] constexpr result<makespan_estimate> predict(const kernel_profile<>& k) const {
        auto e = residency(k);
        if (!e) return e.error();
        const auto full = bound(k, e->resident_warps);
        if (!full) return full.error();
        const auto last = e->last_warps == e->resident_warps ? full : bound(k, e->last_warps);
        if (!last) return last.error();
        e->residency = *full;
        e->last_cycles = last->cycles;
        e->cycles = static_cast<double>(e->residencies - 1) * static_cast<double>(full->cycles) +
                    static_cast<double>(last->cycles);
        if (!(e->cycles <= detail::sm::most_exact)) return model_error{errc::overflow, "cycles"};
        if (!core::positive(static_cast<double>(device.clock_hz))) {
            return model_error{errc::not_positive, "clock_hz"};
        }
        e->seconds = e->cycles / static_cast<double>(device.clock_hz);
        if (!core::positive(e->seconds)) return model_error{errc::overflow, "clock_hz"};
        return e;
    }

    /// Eqs. (5)-(7) as printed; `safe` says whether it is.
    [[nodiscard]] constexpr result<makespan_bound> pessimistic(const kernel_profile<>& k) const {
        const auto e = residency(k);
        if (!e) return e.error();
        const auto all = detail::makespan::types_of(slots_of(device));
        if (!all) return all.error();
        auto t = detail::makespan::pessimistic(source(k, *all), *all, e->resident_warps);
        if (t && has_barrier(k)) t->safe = false;
        return t;
    }

    /// Eqs. (42), (43) as printed, from up to `few` warps; not safe.
    [[nodiscard]] result<makespan_bound> estimate(const kernel_profile<>& k, std::uint64_t few,
                                                  const makespan_caps& caps = {}) const {
        auto t = on_problem(
            k, [&](const makespan_problem& p) { return estimate_makespan(p, few, caps); });
        if (t && has_barrier(k)) t->safe = false;
        return t;
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
    static constexpr bool has_barrier(const kernel_profile<>& k) {
        for (const instruction& i : k.instructions) {
            if (i.unit == unit_kind::barrier) return true;
        }
        return false;
    }

    // Everything of the estimate but cycles.
    constexpr result<makespan_estimate> residency(const kernel_profile<>& k) const {
        const auto launch = count_launch(k, device);
        if (!launch) return launch.error();
        const std::uint64_t most = blocks_to_sms == distribution::adversarial
                                       ? launch->blocks
                                       : (launch->blocks - 1) / launch->sm_count + 1;
        const std::uint64_t warps = launch->warps_per_block;
        makespan_estimate e;
        e.resident_blocks = launch->resident_blocks < most ? launch->resident_blocks : most;
        e.residencies = (most - 1) / e.resident_blocks + 1;
        const std::uint64_t last = most - (e.residencies - 1) * e.resident_blocks;
        if (warps > ~std::uint64_t{0} / e.resident_blocks) {
            return model_error{errc::overflow, "threads_per_block"};
        }
        e.resident_warps = e.resident_blocks * warps;
        e.last_warps = last * warps;
        return e;
    }

    // The executed instructions of the stream, for `detail::makespan::upper_bound`.
    static constexpr auto source(const kernel_profile<>& k,
                                 const detail::makespan::unit_types& all) {
        return [&k, &all](auto visit) -> model_error {
            if (const auto bad = check_stream(k.instructions)) return bad;
            std::size_t length = 0;
            const bool done = for_each_symbol(k.instructions, [&](char symbol) {
                const std::size_t type = symbol == 'L' ? 0 : 1;
                length += all.types[type].copies;
                if (length > most_instructions) return false;
                visit(type, all.types[type].copies);
                return true;
            });
            if (!done) return stream_error(errc::limit_reached);
            if (length == 0) return stream_error(errc::missing);
            return {};
        };
    }

    constexpr result<makespan_bound> bound(const kernel_profile<>& k, std::uint64_t warps) const {
        const auto all = detail::makespan::types_of(slots_of(device));
        if (!all) return all.error();
        auto v = detail::makespan::upper_bound(source(k, *all), *all, warps);
        if (v && has_barrier(k)) v->safe = false;
        return v;
    }

    template <class Use>
    auto on_problem(const kernel_profile<>& k, Use use) const
        -> decltype(use(std::declval<const makespan_problem&>())) {
        const auto e = residency(k);
        if (!e) return e.error();
        const auto symbols = kernel_instruction_string(k.instructions);
        if (!symbols) return symbols.error();
        const auto slots = slots_of(device);
        return use({{symbols->data(), symbols->size()}, slots, e->resident_warps});
    }
};

template <class D, class... Options>
makespan_model(D, Options...) -> makespan_model<D>;

}  // namespace warpgauge

#endif
