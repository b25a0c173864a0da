// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_EXPLAIN_HPP
#define WARPGAUGE_ANALYSE_EXPLAIN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file What limits a kernel, what would limit it next, and how much there is to gain from each.
///
/// The potential benefit of removing a bottleneck is the predicted time less that without it (after
/// J. Sim, A. Dasgupta, H. Kim, R. Vuduc, "A Performance Analysis Framework for Identifying Potential
/// Benefits in GPGPU Applications", PPoPP 2012). To remove one is to change a copy of the device or the
/// kernel, so it works through any model:
///
///     const auto why = explain(mwp_cwp_model{gpu}, kernel);
///
/// It is as good as the model: what the model does not read has no benefit.

namespace warpgauge {

/// What may stand in a kernel's way, and what its removal is. In brackets what it takes: where device or
/// kernel do not have that, there is nothing to remove.
enum class bottleneck : std::uint8_t {
    memory_bandwidth,    ///< DRAM moves any number of bytes in no time
    memory_departures,   ///< transactions leave an SM without delay [departure delays]
    uncoalesced_access,  ///< all accesses to global memory are coalesced [one that is not]
    memory_latency,      ///< DRAM and L2 answer at once [their latencies]
    issue,               ///< instructions issue and execute in no time [issue times or units]
    dependences,         ///< units, L1 and shared memory have results after a cycle [latencies]
    synchronisation,     ///< no barriers, or of a stencil no restarts [one of them]
    too_few_warps,       ///< registers, shared memory and block slots cost nothing, so that SMs are
                         ///< full of warps [limits of an SM, one that is not full]
    tail_wave,           ///< time per block as in whole rounds: no SM idles or is half empty in the
                         ///< last one [resident blocks, a partial round]
};
inline constexpr std::size_t bottlenecks = 9;

/// The bottleneck in words: "memory bandwidth".
[[nodiscard]] constexpr std::string_view name(bottleneck what) noexcept {
    switch (what) {
        case bottleneck::memory_bandwidth: return "memory bandwidth";
        case bottleneck::memory_departures: return "memory departures";
        case bottleneck::uncoalesced_access: return "uncoalesced access";
        case bottleneck::memory_latency: return "memory latency";
        case bottleneck::issue: return "issue";
        case bottleneck::dependences: return "dependences";
        case bottleneck::synchronisation: return "synchronisation";
        case bottleneck::too_few_warps: return "too few warps";
        case bottleneck::tail_wave: return "tail wave";
    }
    return "unknown";
}

/// By what factor each bottleneck is eased, by `bottleneck`: bandwidth and units grow by it; latencies,
/// delays, and the numbers of barriers and of uncoalesced accesses shrink by it. 1 or above.
using easing = std::array<double, bottlenecks>;

inline constexpr easing as_it_is{1, 1, 1, 1, 1, 1, 1, 1, 1};

/// A factor that leaves nothing of a bottleneck.
inline constexpr double gone = 1 << 20;

/// `others`, and besides `b` eased by `factor`.
[[nodiscard]] constexpr easing ease(bottleneck b, double factor = gone, easing others = as_it_is) {
    others[static_cast<std::size_t>(b)] = factor;
    return others;
}

/// The time with bottlenecks eased, s. `predict(device, profile)` gives a `result` of an estimate with
/// `seconds`. Resident blocks, units and a stream's transactions are whole numbers, so that factors act in
/// steps; a tail wave and the barriers of a stream are there or `gone`.
///
/// A latency is never below one cycle, nor below what bandwidth and departures leave between two accesses
/// of an SM: with less, models take memory for faster than it can be.
/// \errors those of `predict`; besides
///         outside_domain  `factor`: below 1
///         not_positive    `seconds`: what is predicted is no time
template <placeable_model Model>
[[nodiscard]] result<double> eased_seconds(const Model& model, const kernel_profile<>& k,
                                           const easing& by);

/// What there is to gain from one bottleneck.
struct removal {
    bottleneck what{};
    double seconds{};          ///< s, without it
    double benefit_seconds{};  ///< s, what is gained; below 0 where the model predicts more time
    model_error error{};       ///< why there is no prediction without it; or an empty field
};

/// Why a kernel takes as long as it does.
struct explanation {
    double seconds{};                 ///< s, as it is
    std::vector<removal> removals{};  ///< most benefit first; those in error last. None for what
                                      ///< device and kernel do not have
    std::optional<bottleneck> limiting{};  ///< the first; none if nothing has a benefit
    std::vector<removal> then{};           ///< the same for the rest, once `limiting` is gone
    std::optional<bottleneck> next{};      ///< the first of `then`
    /// Easing `limiting` by this factor leaves less to gain from it than from `next`; to a thousandth.
    /// None beyond 1000, for what does not shrink by degrees, or where `predict` fails on the way.
    std::optional<double> next_after_factor{};
};

/// Explains the time that `predict` gives for `k` on `device`. Up to 32 predictions; allocates.
/// \errors those of `predict` for the kernel as it is
template <placeable_model Model>
[[nodiscard]] result<explanation> explain(const Model& model, const kernel_profile<>& k);

// --- How

namespace detail::analyse {

/// A checked stream without its barriers. Entries keep what they need, at other distances.
[[nodiscard]] inline std::vector<instruction> without_barriers(
    std::span<const instruction> stream) {
    const auto body_end = [&](std::size_t at) { return at + 1 + stream[at].loop_length; };
    const std::size_t size = stream.size();
    std::vector<bool> kept(size);
    for (std::size_t at = size; at-- > 0;) {
        kept[at] = stream[at].unit != unit_kind::barrier;
        if (stream[at].unit != unit_kind::loop) continue;
        kept[at] = false;  // a loop of nothing but barriers goes too
        for (std::size_t in = at + 1; in < body_end(at); ++in) kept[at] = kept[at] || kept[in];
    }
    std::vector<std::size_t> place(size + 1);  // of each entry among those kept
    for (std::size_t at = 0; at < size; ++at) place[at + 1] = place[at] + (kept[at] ? 1 : 0);

    std::vector<instruction> rest;
    rest.reserve(place[size]);
    for (std::size_t at = 0; at < size; ++at) {
        if (!kept[at]) continue;
        instruction i = stream[at];
        if (i.unit == unit_kind::loop) {
            i.loop_length = static_cast<std::uint32_t>(place[body_end(at)] - place[at + 1]);
        }
        for (std::int32_t& need : i.needs) {
            if (need == 0 || need == own_result) continue;
            const auto other = static_cast<std::size_t>(needed_entry(at, need));
            const auto distance =
                static_cast<std::int64_t>(place[at]) - static_cast<std::int64_t>(place[other]);
            need = kept[other] ? static_cast<std::int32_t>(distance) : 0;
        }
        rest.push_back(i);
    }
    return rest;
}

/// A device and a kernel that are made better, one bottleneck after another.
template <class Device>
class eased_input {
public:
    eased_input(const Device& device, const kernel_profile<>& k) : d_(device), k_(k) {}

    eased_input(const eased_input&) = delete;  // the profile may look into the stream
    eased_input& operator=(const eased_input&) = delete;

    /// False if there is nothing to ease. In the order of `bottleneck`.
    bool ease(bottleneck b, double factor) {
        switch (b) {
            case bottleneck::memory_bandwidth: return ease_bandwidth(factor);
            case bottleneck::memory_departures: return ease_departures(factor);
            case bottleneck::uncoalesced_access: return ease_uncoalesced(factor);
            case bottleneck::memory_latency: return ease_latency(factor);
            case bottleneck::issue: return ease_issue(factor);
            case bottleneck::dependences: return ease_dependences(factor);
            case bottleneck::synchronisation: return ease_synchronisation(factor);
            case bottleneck::too_few_warps: return ease_too_few_warps(factor);
            case bottleneck::tail_wave: return ease_tail_wave(factor);
        }
        return false;
    }

    template <class Model>
    result<double> seconds(const Model& model) const {
        const auto t = seconds_of(model.on(d_).predict(k_));
        if (!t) return t.error();
        const double seconds = *t * share_;
        if (!core::positive(seconds)) return model_error{errc::not_positive, "seconds"};
        return seconds;
    }

private:
    bool ease_bandwidth(double factor) {
        d_.dram_bytes_per_s *= factor;
        return true;
    }

    bool ease_departures(double factor) {
        if constexpr (has_dram_latency<Device> && has_departures<Device>) {
            d_.coalesced_departure_cycles /= factor;
            d_.uncoalesced_departure_cycles /= factor;
            return true;
        }
        return false;
    }

    bool ease_uncoalesced(double factor) {
        const double coalesced = k_.uncoalesced_mem_insts * (1 - 1 / factor);
        k_.coalesced_mem_insts += coalesced;
        k_.uncoalesced_mem_insts -= coalesced;
        const auto uncoalesced = [](const instruction& i) {
            return i.unit == unit_kind::global_memory && i.transactions > 1;
        };
        if (!in_stream(uncoalesced)) return coalesced > 0;
        std::vector<instruction> stream(k_.instructions.begin(), k_.instructions.end());
        for (instruction& i : stream) {
            if (!uncoalesced(i)) continue;
            i.transactions = static_cast<std::uint16_t>(1 + (i.transactions - 1) / factor);
        }
        view(std::move(stream));
        return true;
    }

    bool ease_latency(double factor) {
        bool any = false;
        if constexpr (has_dram_latency<Device>) {
            any = shrink(d_.dram_latency_cycles, factor, least_latency_cycles());
        }
        if constexpr (has_arithmetic_latency<Device> && has_cache_latency<Device>)
            any = shrink(d_.l2_latency_cycles, factor, 1);
        if constexpr (has_computation_costs<Device>) {
            any = shrink(d_.costs.load_store_cycles, factor, least_latency_cycles());
        }
        if constexpr (has_stencil_timing<Device>) {
            any = shrink(d_.uncontended_latency_cycles, factor, 0);
        }
        return any;
    }

    bool ease_issue(double factor) {
        bool any = false;
        if constexpr (has_issue<Device>) any = shrink(d_.issue_cycles, factor, 0);
        if constexpr (has_stencil_timing<Device>) any = shrink(d_.average_cpi, factor, 0);
        if constexpr (has_computation_costs<Device>) {
            for (operation_cycles& row : d_.costs.arithmetic) {
                for (double* const cycles : {&row.int_constant, &row.int_register,
                                             &row.float_constant, &row.float_register}) {
                    *cycles /= factor;
                }
            }
            any = shrink(d_.costs.other_cycles, factor, 0);
        }
        // As many as an SM of the simulation may have.
        if constexpr (has_cores<Device>) any = grow(d_.cuda_cores, factor, 4096);
        if constexpr (has_integers<Device>) any = grow(d_.integer_units, factor, 4096);
        if constexpr (has_double_precision<Device>) {
            any = grow(d_.double_precision_units, factor, 4096);
        }
        if constexpr (has_load_store<Device>) any = grow(d_.load_store_units, factor, 4096);
        if constexpr (has_special_functions<Device>) {
            any = grow(d_.special_function_units, factor, 4096);
        }
        if constexpr (has_schedulers<Device>) any = grow(d_.warp_schedulers, factor, 1024);
        return any;
    }

    bool ease_dependences(double factor) {
        if constexpr (has_arithmetic_latency<Device> && has_cache_latency<Device>) {
            for (double* const cycles :
                 {&d_.integer_latency_cycles, &d_.single_precision_latency_cycles,
                  &d_.double_precision_latency_cycles, &d_.special_function_latency_cycles,
                  &d_.shared_latency_cycles, &d_.l1_latency_cycles}) {
                shrink(*cycles, factor, 1);
            }
            return true;
        }
        return false;
    }

    bool ease_synchronisation(double factor) {
        bool any = k_.sync_insts > 0;
        k_.sync_insts /= factor;
        if constexpr (has_stencil_timing<Device>) {
            if (k_.stencil.dimensions > 0) any = shrink(d_.global_sync_cycles, factor, 0);
        }
        if (factor < gone) return any;
        if (!in_stream([](const instruction& i) { return i.unit == unit_kind::barrier; }))
            return any;
        view(without_barriers(k_.instructions));
        return true;
    }

    bool ease_too_few_warps(double factor) {
        if constexpr (occupancy_device<Device>) {
            const auto resident = resident_blocks(k_, d_);
            if (!resident) return false;
            const double full =
                core::floor(d_.max_warps_per_sm / core::ceil(k_.threads_per_block / d_.warp_size));
            if (!(*resident < full)) return false;
            k_.active_blocks_per_sm =
                core::max(*resident, core::floor(core::min(full, *resident * factor)));
            return true;
        }
        return false;
    }

    bool ease_tail_wave(double factor) {
        if (factor < gone) return false;
        const auto resident = resident_blocks(k_, d_);
        if (!resident) return false;
        const double round = *resident * d_.sm_count;
        const double whole = core::ceil(k_.blocks / round) * round;
        if (!(k_.blocks < whole)) return false;
        share_ = k_.blocks / whole;
        k_.blocks = whole;
        return true;
    }

    static bool shrink(double& figure, double factor, double least) {
        figure = core::min(figure, core::max(figure / factor, least));
        return true;
    }

    static bool grow(double& figure, double factor, double most) {
        figure = core::max(figure, core::min(core::floor(figure * factor), most));
        return true;
    }

    /// Whether there is such an entry. A model that takes a malformed stream does not read it.
    template <class Which>
    [[nodiscard]] bool in_stream(Which which) const {
        return !check_stream(k_.instructions) &&
               std::any_of(k_.instructions.begin(), k_.instructions.end(), which);
    }

    void view(std::vector<instruction> stream) {
        stream_ = std::move(stream);
        k_.instructions = stream_;
    }

    /// What bandwidth and departures leave between two accesses of an SM.
    [[nodiscard]] double least_latency_cycles() const {
        double least = 1;
        if constexpr (has_dram_latency<Device> && has_departures<Device>) {
            least = core::max(
                least, core::max(d_.coalesced_departure_cycles, d_.uncoalesced_departure_cycles));
        }
        if constexpr (has_warp<Device>) {
            const double mem_insts = k_.coalesced_mem_insts + k_.uncoalesced_mem_insts;
            const double uncoalesced = mem_insts > 0 ? k_.uncoalesced_mem_insts / mem_insts : 0;
            const double bytes =
                core::min(k_.blocks, d_.sm_count) * load_bytes_per_warp(k_, d_, uncoalesced);
            least = core::max(least, bytes * d_.clock_hz / d_.dram_bytes_per_s);
        }
        return least;
    }

    Device d_;
    kernel_profile<> k_;
    std::vector<instruction> stream_{};  // what `k_.instructions` views, once it is changed
    double share_ = 1;                   // of the time, that the kernel's own blocks have
};

/// `input` with the bottlenecks of `by` eased.
template <class Device>
void ease_all(eased_input<Device>& input, const easing& by) {
    for (std::size_t n = 0; n < bottlenecks; ++n) {
        if (by[n] > 1) input.ease(static_cast<bottleneck>(n), by[n]);
    }
}

/// Whether there is anything to ease once `by` is. A tail wave may appear only when more warps fit.
template <class Device>
[[nodiscard]] bool can_ease(const Device& device, const kernel_profile<>& k, const easing& by,
                            bottleneck b) {
    eased_input input(device, k);
    ease_all(input, by);
    return input.ease(b, gone);
}

/// Every bottleneck that `by` leaves, taken away from what `by` makes of the kernel in `seconds`.
template <placeable_model Model>
[[nodiscard]] std::vector<removal> remove_each(const Model& model, const kernel_profile<>& k,
                                               const easing& by, double seconds) {
    std::vector<removal> all;
    for (std::size_t n = 0; n < bottlenecks; ++n) {
        const auto b = static_cast<bottleneck>(n);
        if (by[n] > 1 || !can_ease(edit(model.device), k, by, b)) continue;
        const auto without = eased_seconds(model, k, warpgauge::ease(b, gone, by));
        if (without) {
            all.push_back({.what = b, .seconds = *without, .benefit_seconds = seconds - *without});
        } else {
            all.push_back({.what = b, .error = without.error()});
        }
    }
    std::sort(all.begin(), all.end(), [](const removal& x, const removal& y) {
        const bool x_known = !x.error;
        const bool y_known = !y.error;
        if (x_known != y_known) return x_known;
        return x.benefit_seconds != y.benefit_seconds ? x.benefit_seconds > y.benefit_seconds
                                                      : x.what < y.what;
    });
    return all;
}

/// Benefits below this share of the time are rounding.
inline constexpr double least_benefit = 1e-9;

/// The first of `removals`, if it is worth anything.
[[nodiscard]] inline std::optional<bottleneck> greatest(const std::vector<removal>& removals,
                                                        double seconds) {
    if (removals.empty() || !(removals[0].benefit_seconds > least_benefit * seconds)) return {};
    return removals[0].what;
}

/// The least factor by which to ease `first` such that removing `next` gains more than removing the rest of
/// `first`, which leaves `without_first`. By bisection.
template <placeable_model Model>
[[nodiscard]] std::optional<double> takes_over_after(const Model& model, const kernel_profile<>& k,
                                                     bottleneck first, bottleneck next,
                                                     double without_first) {
    const auto without_next = [&](double factor) {
        return eased_seconds(model, k, warpgauge::ease(next, gone, ease(first, factor)));
    };
    double low = 1;
    double high = 1000;
    const auto last = without_next(high);
    if (!last || *last > without_first) return {};
    while (high > low * 1.001) {
        const double middle = core::sqrt(low * high);
        const auto t = without_next(middle);
        if (!t) return {};
        (*t > without_first ? low : high) = middle;
    }
    return high;
}

}  // namespace detail::analyse

template <placeable_model Model>
result<double> eased_seconds(const Model& model, const kernel_profile<>& k, const easing& by) {
    for (const double factor : by) {
        if (!(factor >= 1)) return model_error{errc::outside_domain, "factor"};
    }
    detail::analyse::eased_input input(edit(model.device), k);
    detail::analyse::ease_all(input, by);
    return input.seconds(model);
}

template <placeable_model Model>
result<explanation> explain(const Model& model, const kernel_profile<>& k) {
    const auto seconds = eased_seconds(model, k, as_it_is);
    if (!seconds) return seconds.error();
    explanation e{.seconds = *seconds};
    e.removals = detail::analyse::remove_each(model, k, as_it_is, e.seconds);
    e.limiting = detail::analyse::greatest(e.removals, e.seconds);
    if (!e.limiting) return e;
    const double without = e.removals[0].seconds;
    e.then = detail::analyse::remove_each(model, k, ease(*e.limiting), without);
    e.next = detail::analyse::greatest(e.then, without);
    if (!e.next) return e;
    e.next_after_factor =
        detail::analyse::takes_over_after(model, k, *e.limiting, *e.next, without);
    return e;
}

}  // namespace warpgauge

#endif
