// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_TRAPEZOID_HPP
#define WARPGAUGE_MODELS_TRAPEZOID_HPP

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/sm/launch.hpp>
#include <warpgauge/sm/occupancy.hpp>

/// \file Cycles per loop of an iterative stencil with ghost zones, and the best trapezoid.
///
/// A block loads a tile with a ghost zone around it, computes `height` loops on it without talking
/// to its neighbours, and commits what is still valid: the top of a trapezoid.
///
/// Source: J. Meng, K. Skadron, "Performance Modeling and Automatic Ghost Zone Optimization for
/// Iterative Stencil Loops on GPUs", ICS 2009. Equation and table numbers are that paper's. M1 to M9
/// are explained in docs/trapezoid.md.

namespace WARPGAUGE_NAMESPACE {

/// What the model reads of a device. `max_blocks_per_sm` is its BlksPerSM, as in the paper. Besides, where a device
/// has them, `issue_cycles` or its schedulers.
template <class D>
concept trapezoid_device = has_chip<D> && has_stencil_timing<D> && requires(const D& d) {
    { d.warp_size } -> number;
    { d.max_blocks_per_sm } -> number;
};

/// The parts of the cycles per loop (sec. 6.1), for one trapezoid height.
template <scalar Real = double>
struct trapezoid_values {
    Real height{};                   ///< loops of one stage                               h
    Real trapezoids{};               ///< per stage                               T, eq. (3)
    Real memory_stages{};            ///< rounds of concurrent blocks            eq. (6), M9
    Real request_cycles{};           ///< cycles of one coalesced request            eq. (4)
    Real global_sync_cycles{};       ///< cycles per loop            GlbSync', (15), eq. (19)
    Real load_stencil_cycles{};      ///< cycles per loop           LoadSten', (8), eq. (20)
    Real commit_cycles{};            ///< cycles per loop             Commit', (9), eq. (21)
    Real misc_computation_cycles{};  ///< cycles per loop          MiscComp', (13), eq. (22)
    Real iter_computation_cycles{};  ///< cycles per loop          IterComp', (14), eq. (23)
    Real iter_memory_cycles{};       ///< cycles per loop           IterMem', (10), eq. (24)
    Real hidden_cycles{};            ///< cycles per loop of memory that computation hides
    Real issue_floor_cycles{};  ///< cycles per loop to issue the instructions; 0: not known     M8
    Real dram_floor_cycles{};   ///< cycles per loop that DRAM takes to move the bytes           M8
    Real cycles_per_loop{};     ///< cycles, not below the floors          CPL, eq. (18), M8, M9
    Real cost_effectiveness{};  ///< final tile / first computed tile, 0 to 1  eq. (16)
};

/// Cycles per loop, their parts, and the assumptions made.
template <scalar Real = double>
struct trapezoid_estimate : assumed_values<Real>, trapezoid_values<Real> {};

/// The total of all loops of a stencil.
template <scalar Real = double>
struct stencil_estimate : trapezoid_estimate<Real> {
    Real loops{};        ///< loops computed
    Real last_height{};  ///< loops of the last stage, left by the others                     M7
    Real cycles{};       ///< cycles of all loops
    Real seconds{};      ///< s
};

/// A block length with its best height.
template <scalar Real = double>
struct tile_estimate : trapezoid_estimate<Real> {
    Real block_length{};  ///< threads of a block along each dimension         blk_len
};

/// The options of the model.
struct trapezoid_options {
    double loops = 1;          ///< loops that `predict` computes
    double height = 0;         ///< trapezoid height of `predict`; 0: the best
    bool whole_warps = false;  ///< a warp with one active thread counts in full, M6; default: real
                               ///< numbers, as printed
    equation_form form = equation_form::corrected;  ///< which equations: corrected or as printed
};

/// Predicts iterative stencils on `device`.
/// \errors missing         `stencil`: no dimensions
///         not_positive    a length or a width, with its dimension (`halo_width[1]`), an instruction count,
///                         `loops`, or a parameter of the device
///         negative        `elements_per_op`, `misc_insts_per_sm`, `tile_length[0]` and so on, `height`, or a
///                         parameter of the device that may be 0
///         outside_domain  `dimensions` above 3; `height`, `block_length`: the tile vanishes, (17);
///                         `tiles_stay_local`, `traffic_overlap` above 1
///         exceeds_device  `block_length`: no block length fits (`optimal_tile`)
///         overflow        an input that is above 1e20, or not 0 and below 1e-10; `cycles`
template <trapezoid_device D>
struct trapezoid_model {
    [[no_unique_address]] D device{};  ///< the device that it predicts for
    trapezoid_options options{};       ///< the variant that predicts

    /// The same model on another device.
    template <trapezoid_device Other>
    [[nodiscard]] constexpr trapezoid_model<Other> on(const Other& other) const {
        return {other, options};
    }

    /// The cycles per loop at one height, a real number above 0, for any `Real`. It is not limited to the number of
    /// loops.
    template <scalar Real>
    [[nodiscard]] constexpr result<trapezoid_estimate<Real>> cycles_per_loop(
        const kernel_profile<Real>& k, const std::type_identity_t<Real>& height) const noexcept;

    /// The best whole height, at least 1, by search over the curve, which is convex until the
    /// tile vanishes (sec. 6.1).
    template <scalar Real>
    [[nodiscard]] constexpr result<trapezoid_estimate<Real>> optimal_height(
        const kernel_profile<Real>& k) const noexcept;

    /// The best block length with its best height, the same in all dimensions, among the lengths whose
    /// blocks the device can run. It does not read `stencil.block_length` and `tile_length`. A block uses the profile's
    /// own shared memory, and that for each element of each stencil array and of the result.
    template <scalar Real>
    requires occupancy_device<D>
    [[nodiscard]] constexpr result<tile_estimate<Real>> optimal_tile(
        const kernel_profile<Real>& k) const noexcept;

    /// All loops, in stages of `height` and a last stage with the remaining loops, or at the height with the minimum
    /// total, M7. As published: `loops` times the cycles per loop, even if a stage has fewer loops than its height.
    template <scalar Real = double>
    [[nodiscard]] constexpr result<stencil_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept;

private:
    template <scalar Real>
    constexpr result<stencil_estimate<Real>> total(const trapezoid_estimate<Real>& stage,
                                                   const trapezoid_estimate<Real>& last,
                                                   const Real& cycles) const noexcept;
};

/// Deduces the type of the device.
template <class D>
trapezoid_model(D, trapezoid_options = {}) -> trapezoid_model<D>;

/// The minimum height at which a tile has vanished, (17): the minimum of length / halo. M4.
/// \errors as `trapezoid_model`
template <scalar Real>
[[nodiscard]] constexpr result<Real> vanishing_height(const kernel_profile<Real>& k) noexcept;

namespace detail::models {

/// Threads of a block along a dimension.
template <scalar Real>
[[gnu::always_inline]] constexpr Real length_of(const basic_stencil_shape<Real>& s,
                                                std::size_t dimension) {
    const Real& own = s.tile_length[dimension];
    return core::select(Real(0.0) < own, own, s.block_length);
}

/// The error of the first input that is out of range, if there is one.
template <scalar Real>
constexpr model_error check_stencil(const kernel_profile<Real>& k) {
    namespace names = detail::kernel;
    const auto& s = k.stencil;
    if (s.dimensions == 0) return {errc::missing, "stencil"};
    if (s.dimensions < 0 || s.dimensions > 3) return {errc::outside_domain, "dimensions"};
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.dimensions); ++i) {
        const auto bad = core::check_inputs<Real>(
            {{s.data_length[i], names::data_lengths[i]},
             {s.halo_width[i], names::halo_widths[i]},
             {s.tile_length[i], names::tile_lengths[i], core::zero::allowed},
             {length_of(s, i), "block_length"}});
        if (bad) return bad;
    }
    return core::check_inputs<Real>(
        {{s.element_bytes, "element_bytes"},
         {s.stencil_arrays, "stencil_arrays"},
         {s.elements_per_op, "elements_per_op", core::zero::allowed},
         {s.profiled_elements, "profiled_elements"},
         {s.misc_insts_per_sm, "misc_insts_per_sm", core::zero::allowed},
         {s.iter_insts_per_sm, "iter_insts_per_sm"}});
}

/// The same with the parameters of the device and of the model.
template <scalar Real, trapezoid_device D>
[[gnu::noinline]] constexpr model_error diagnose_trapezoid(const kernel_profile<Real>& k,
                                                           const trapezoid_model<D>& m) {
    const D& d = m.device;
    if (const auto wrong = check_options(m.options.form)) return wrong;
    const auto bad =
        check_parameters<Real, parameters::chip, parameters::warp, parameters::stencil_timing>(d);
    if (bad) return bad;
    if (const auto wrong = check_issue<Real>(d)) return wrong;
    const Real blocks(d.max_blocks_per_sm);
    if (const auto none = core::check_input(blocks, "max_blocks_per_sm")) return none;
    return check_stencil(k);
}

/// True if all input is well within range. It takes few instructions, and none for the parameters of a static device.
/// Numbers that are not negative and have a small enough sum are small enough, and none is NaN.
template <scalar Real, trapezoid_device D>
[[gnu::always_inline]] constexpr bool trapezoid_in_range(const kernel_profile<Real>& k,
                                                         const Real& height,
                                                         const trapezoid_model<D>& m) {
    using core::min;
    const D& d = m.device;
    const auto& s = k.stencil;
    if (s.dimensions < 1 || s.dimensions > 3) return false;
    if (check_options(m.options.form)) return false;
    Real least = min(min(min(s.element_bytes, s.stencil_arrays), height),
                     min(s.profiled_elements, s.iter_insts_per_sm));
    Real sum = height + s.element_bytes + s.stencil_arrays + s.profiled_elements +
               s.iter_insts_per_sm + s.elements_per_op + s.misc_insts_per_sm;
    Real tile(0.0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.dimensions); ++i) {
        const Real length = length_of(s, i);
        least = min(least, min(min(s.data_length[i], s.halo_width[i]), length));
        sum = sum + s.data_length[i] + s.halo_width[i] + length + s.tile_length[i];
        tile = min(tile, s.tile_length[i]);
    }
    const Real latency = Real(d.uncontended_latency_cycles);
    const Real sync = Real(d.global_sync_cycles);
    const Real local = Real(d.tiles_stay_local);
    const Real overlap = Real(d.traffic_overlap);
    const Real not_below_zero = min(min(min(s.elements_per_op, s.misc_insts_per_sm), overlap),
                                    min(min(min(latency, sync), local), tile));
    const Real not_above_one = core::max(local, overlap);
    Real min_of_device = min(min(min(Real(d.sm_count), Real(d.clock_hz)),
                                 min(Real(d.dram_bytes_per_s), Real(d.warp_size))),
                             min(min(Real(d.max_blocks_per_sm), Real(d.coalesce_width)),
                                 min(Real(d.dram_pipeline_depth), Real(d.average_cpi))));
    Real device_sum = Real(d.sm_count) + Real(d.clock_hz) + Real(d.dram_bytes_per_s) +
                      Real(d.warp_size) + Real(d.max_blocks_per_sm) + Real(d.coalesce_width) +
                      Real(d.dram_pipeline_depth) + Real(d.average_cpi) + latency + sync;
    if (knows<parameters::issue>(d) || knows<parameters::schedulers>(d)) {
        const Real issue = issue_cycles_of<Real>(d);
        min_of_device = min(min_of_device, issue);
        device_sum = device_sum + issue;
    }
    const Real tiny = Real(core::min_input);
    const Real most = Real(core::max_input);
    return scalar_traits<Real>::all(tiny <= least && Real(0.0) <= not_below_zero &&
                                    not_above_one <= Real(1.0) && sum <= most &&
                                    tiny <= min_of_device && device_sum <= most);
}

template <scalar Real, trapezoid_device D>
[[gnu::always_inline]] constexpr model_error check_trapezoid(const kernel_profile<Real>& k,
                                                             const Real& height,
                                                             const trapezoid_model<D>& m) {
    if (!std::is_constant_evaluated() && trapezoid_in_range(k, height, m)) return {};
    if (const auto bad = diagnose_trapezoid(k, m)) return bad;
    return core::check_input(height, "height");
}

/// Products over the dimensions of a stencil.
template <scalar Real>
struct tile_sizes {
    Real data{1.0};      ///< elements of the whole grid
    Real first{1.0};     ///< of a tile as loaded: blk_len^D
    Real computed{1.0};  ///< of a tile after one loop: blk_len - HaloWidth each
    Real top{1.0};       ///< of a tile at the end: blk_len - HaloWidth h each
    Real narrowest{};    ///< elements across the narrowest of the last two; > 0 if a tile is left
    Real span{1.0};  ///< threads from the first that computes after one loop to the last, x fastest
};

template <scalar Real>
[[gnu::always_inline]] constexpr tile_sizes<Real> sizes_of(const basic_stencil_shape<Real>& s,
                                                           const Real& height) {
    tile_sizes<Real> t;
    t.narrowest = length_of(s, 0);
    for (std::size_t i = 0; i < 3 && i < static_cast<std::size_t>(s.dimensions); ++i) {  // M3
        const Real length = length_of(s, i);
        const Real computed = length - s.halo_width[i];
        const Real top = length - s.halo_width[i] * height;
        t.span = t.span + (computed - Real(1.0)) * t.first;
        t.data = t.data * s.data_length[i];
        t.first = t.first * length;
        t.computed = t.computed * computed;
        t.top = t.top * top;
        t.narrowest = core::min(t.narrowest, core::min(computed, top));  // (17)
    }
    return t;
}

/// Threads of a block that count as active: those of whole warps over `span`, from the first active thread to the last,
/// or the `active` ones alone. M6.
template <scalar Real, trapezoid_device D>
constexpr Real active_threads(const Real& active, const Real& span, const trapezoid_model<D>& m) {
    if (!m.options.whole_warps) return active;
    const Real warp = Real(m.device.warp_size);
    return core::ceil(Real(core::max(span, active) / warp)) * warp;
}

/// The minimum of length / halo: below that height a tile is left.
template <scalar Real>
constexpr Real vanishes_at(const basic_stencil_shape<Real>& s) {
    Real least = length_of(s, 0) / s.halo_width[0];
    for (std::size_t i = 1; i < static_cast<std::size_t>(s.dimensions); ++i) {
        least = core::min(least, Real(length_of(s, i) / s.halo_width[i]));
    }
    return least;
}

template <scalar Real>
constexpr bool tile_lasts(const tile_sizes<Real>& size) {
    return scalar_traits<Real>::all(Real(0.0) < size.narrowest);
}

/// Equations (1) to (24); all inputs have been checked.
template <scalar Real, trapezoid_device D>
[[gnu::always_inline]] constexpr trapezoid_estimate<Real> trapezoid(const kernel_profile<Real>& k,
                                                                    const Real& h,
                                                                    const tile_sizes<Real>& size,
                                                                    const trapezoid_model<D>& m) {
    const D& d = m.device;
    const auto& s = k.stencil;
    const bool printed = m.options.form == equation_form::as_published;
    const Real one(1.0);
    const Real sms = Real(d.sm_count);
    const Real coalesced = Real(d.coalesce_width);
    const Real sync = Real(d.global_sync_cycles);

    const Real T = size.data / size.top;                                          // (3)
    const Real part_of_stage = T / (Real(d.max_blocks_per_sm) * sms);             // (5), (6)
    const Real stages = printed ? part_of_stage : core::max(part_of_stage, one);  // M9
    const Real request =
        s.element_bytes * coalesced * Real(d.clock_hz) / Real(d.dram_bytes_per_s);  // (4), M2
    const Real alpha = Real(static_cast<double>(s.dimensions)) / Real(d.dram_pipeline_depth);
    const Real latency = stages * Real(d.uncontended_latency_cycles);
    const Real per_element = alpha * request / coalesced;
    const auto mem_cycles = [&](const Real& n) { return Real(latency + per_element * n); };  // (7)

    // Sec. 4.5: of the tiles that stay local, only the ghost zone is loaded and committed. For a GPU,
    // where none do and nothing is hidden, the compiler sees the selections and drops the rest.
    const Real stay = Real(d.tiles_stay_local);
    const mask_of<Real> all_travel = stay == Real(0.0);
    const Real loaded = core::select(all_travel, size.first, Real(size.first - stay * size.top));
    const Real stored = core::select(all_travel, size.top,
                                     Real(size.top + stay * (size.first - size.top - size.top)));
    const Real load = s.stencil_arrays * mem_cycles(Real(T * loaded));                  // (8)
    const Real commit = mem_cycles(Real(T * stored));                                   // (9)
    const Real iter_mem = s.elements_per_op * h * mem_cycles(Real(T * size.computed));  // (10)

    const Real insts_scale = sms / s.profiled_elements * Real(d.average_cpi);  // (11), (12)
    const Real misc =
        s.misc_insts_per_sm * insts_scale * active_threads(size.first, size.first, m);  // (13)
    const Real iter = h * s.iter_insts_per_sm * insts_scale *
                      active_threads(size.computed, size.span, m);  // (14)

    const Real quotient = T / (sms * h);                                          // M5
    const Real per_sm = printed ? quotient : core::max(quotient, Real(one / h));  // M9
    const Real traffic = load + commit + iter_mem;
    const Real computation = (misc + iter) * per_sm;
    const Real overlap = Real(d.traffic_overlap);
    const Real hidden = core::select(overlap == Real(0.0), Real(0.0),
                                     Real(overlap * core::min(Real(traffic / h), computation)));
    const Real sum = (sync + traffic) / h + computation - hidden;  // (18)
    const Real moved = s.stencil_arrays * loaded + stored + s.elements_per_op * h * size.computed;
    const Real dram_floor = T * moved * (request / coalesced) / h;  // M8
    const Real issue_floor = computation / Real(d.average_cpi) * issue_cycles_of<Real>(d);

    trapezoid_estimate<Real> e;
    e.assumed.add(assumption::issue_floor, sum < issue_floor);
    e.assumed.add(assumption::dram_floor, sum < dram_floor);
    e.assumed.add(assumption::block_floor, part_of_stage < one || T < sms);
    static_cast<trapezoid_values<Real>&>(e) = {
        .height = h,
        .trapezoids = T,
        .memory_stages = stages,
        .request_cycles = request,
        .global_sync_cycles = sync / h,            // (19)
        .load_stencil_cycles = load / h,           // (20)
        .commit_cycles = commit / h,               // (21)
        .misc_computation_cycles = misc * per_sm,  // (22)
        .iter_computation_cycles = iter * per_sm,  // (23)
        .iter_memory_cycles = iter_mem / h,        // (24)
        .hidden_cycles = hidden,
        .issue_floor_cycles = issue_floor,
        .dram_floor_cycles = dram_floor,
        .cycles_per_loop = printed ? sum : core::max(sum, core::max(issue_floor, dram_floor)),
        .cost_effectiveness = size.top / size.computed};  // (16), M3
    return e;
}

/// The maximum length of a tile that is tried.
inline constexpr double max_tile_lengths = 65536;

template <scalar Real, trapezoid_device D>
constexpr Real cycles_at(const kernel_profile<Real>& k, const Real& h,
                         const trapezoid_model<D>& m) {
    return trapezoid(k, h, sizes_of(k.stencil, h), m).cycles_per_loop;
}

/// The maximum whole height at which a tile is left; no search needs more than 2^53.
template <scalar Real>
constexpr Real last_height(const basic_stencil_shape<Real>& s) {
    return core::min(Real(core::ceil(vanishes_at(s)) - Real(1.0)), Real(9007199254740992.0));
}

/// The best whole height of a checked stencil. The slope between neighbours changes sign once.
template <scalar Real, trapezoid_device D>
constexpr Real best_height(const kernel_profile<Real>& k, const trapezoid_model<D>& m) {
    Real low(1.0);
    Real high = last_height(k.stencil);
    while (low < high) {
        const Real middle = low + core::floor(Real((high - low) / Real(2.0)));
        const Real next = middle + Real(1.0);
        if (cycles_at(k, next, m) < cycles_at(k, middle, m)) {
            low = next;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Loops of the last stage: those of `loops` that stages of `height` leave, or `height` if they leave none.
template <scalar Real>
constexpr Real last_stage(const Real& loops, const Real& height) {
    const Real left = loops - core::floor(Real(loops / height)) * height;
    return core::select(left <= height * Real(1e-9), height, left);  // less is rounding
}

/// Cycles of all loops by stages of `height`, no more than the loops. M7.
template <scalar Real, trapezoid_device D>
constexpr Real total_at(const kernel_profile<Real>& k, const Real& loops, const Real& height,
                        const trapezoid_model<D>& m) {
    const Real last = last_stage(loops, height);
    return (loops - last) * cycles_at(k, height, m) + last * cycles_at(k, last, m);
}

/// Heights that a search for the minimum total tries, on either side of the best height for many loops.
inline constexpr int max_tried_heights = 4096;

/// The whole height with the minimum total, or the number of loops if that is smaller. The cycles per loop grow with
/// the distance from their best height, and a last stage is not better, which ends the search on both sides.
template <scalar Real, trapezoid_device D>
constexpr Real best_height_of(const kernel_profile<Real>& k, const Real& loops,
                              const trapezoid_model<D>& m) {
    const Real one(1.0);
    const Real half(0.5);
    const Real start = core::min(best_height(k, m), loops);
    const Real best_cpl = cycles_at(k, start, m);
    Real best = start;
    Real least = total_at(k, loops, start, m);
    const auto try_height = [&](const Real& h) {
        const Real total = total_at(k, loops, h, m);
        if (!(total < least)) return;
        least = total;
        best = h;
    };
    const auto excess = [&](const Real& h) { return Real(cycles_at(k, h, m) - best_cpl); };
    int tried = 0;
    for (Real h = core::ceil(start) - one; one <= h && tried < max_tried_heights; h = h - one) {
        ++tried;
        if (least <= loops * best_cpl + (loops - h) * excess(h)) break;
        try_height(h);
    }
    tried = 0;
    const Real high = core::min(last_height(k.stencil), loops);
    for (Real h = core::floor(start) + one; h <= high && tried < max_tried_heights; h = h + one) {
        ++tried;
        if (least <= loops * (best_cpl + half * excess(h))) break;
        try_height(h);
    }
    return best;
}

}  // namespace detail::models

template <scalar Real>
constexpr result<Real> vanishing_height(const kernel_profile<Real>& k) noexcept {
    if (const auto bad = detail::models::check_stencil(k)) return bad;
    return detail::models::vanishes_at(k.stencil);
}

template <trapezoid_device D>
template <scalar Real>
[[gnu::always_inline]] constexpr result<trapezoid_estimate<Real>>
trapezoid_model<D>::cycles_per_loop(const kernel_profile<Real>& k,
                                    const std::type_identity_t<Real>& h) const noexcept {
    if (const auto bad = detail::models::check_trapezoid(k, Real(h), *this)) return bad;
    auto size = detail::models::sizes_of(k.stencil, Real(h));
    if (!detail::models::tile_lasts(size)) return model_error{errc::outside_domain, "height"};
    auto e = detail::models::trapezoid(k, Real(h), size, *this);
    if (!scalar_traits<Real>::all(e.cycles_per_loop < core::infinity<Real>())) {
        return model_error{errc::overflow, "cycles"};
    }
    return e;
}

template <trapezoid_device D>
template <scalar Real>
constexpr result<trapezoid_estimate<Real>> trapezoid_model<D>::optimal_height(
    const kernel_profile<Real>& k) const noexcept {
    const Real one(1.0);
    if (const auto bad = detail::models::check_trapezoid(k, one, *this)) return bad;
    if (!detail::models::tile_lasts(detail::models::sizes_of(k.stencil, one))) {
        return model_error{errc::outside_domain, "block_length"};
    }
    return cycles_per_loop(k, detail::models::best_height(k, *this));
}

template <trapezoid_device D>
template <scalar Real>
requires occupancy_device<D>
constexpr result<tile_estimate<Real>> trapezoid_model<D>::optimal_tile(
    const kernel_profile<Real>& k) const noexcept {
    kernel_profile<Real> tried = k;
    tried.stencil.block_length = Real(1.0);
    tried.stencil.tile_length = {Real(0.0), Real(0.0), Real(0.0)};
    const Real one(1.0);
    if (const auto bad = detail::models::check_trapezoid(tried, one, *this)) return bad;

    tile_estimate<Real> best;
    bool found = false;
    // A block has at most max_threads_per_block threads, which bounds its length.
    const Real most = Real(device.max_threads_per_block);
    if (!(most <= Real(detail::models::max_tile_lengths))) {
        return model_error{errc::limit_reached, "max_threads_per_block"};
    }
    for (Real length(2.0); length <= most; length = length + Real(1.0)) {
        tried.stencil.block_length = length;
        const auto size = detail::models::sizes_of(tried.stencil, one);
        if (!detail::models::tile_lasts(size)) continue;
        const Real& threads = size.first;
        if (most < threads) break;
        tried.threads_per_block = threads;
        tried.shared_bytes_per_block =
            k.shared_bytes_per_block +
            k.stencil.element_bytes * threads * (k.stencil.stencil_arrays + Real(1.0));
        if (!occupancy(tried, device)) continue;
        const auto e = optimal_height(tried);
        if (!e || (found && best.cycles_per_loop <= e->cycles_per_loop)) continue;
        best = tile_estimate<Real>{*e, length};
        found = true;
    }
    if (!found) return model_error{errc::exceeds_device, "block_length"};
    return best;
}

template <trapezoid_device D>
template <scalar Real>
constexpr result<stencil_estimate<Real>> trapezoid_model<D>::predict(
    const kernel_profile<Real>& k) const noexcept {
    if (!core::positive(options.loops)) return model_error{errc::not_positive, "loops"};
    if (!core::non_negative(options.height)) return model_error{errc::negative, "height"};
    const Real loops(options.loops);
    const bool given = options.height > 0;
    if (options.form == equation_form::as_published) {
        const auto e = given ? cycles_per_loop(k, Real(options.height)) : optimal_height(k);
        if (!e) return e.error();
        return total(*e, *e, Real(e->cycles_per_loop * loops));
    }
    Real height = core::min(Real(options.height), loops);
    if (!given) {
        if (const auto best = optimal_height(k); !best) return best.error();
        height = detail::models::best_height_of(k, loops, *this);
    }
    const auto e = cycles_per_loop(k, height);
    if (!e) return e.error();
    const auto last = cycles_per_loop(k, detail::models::last_stage(loops, height));
    if (!last) return last.error();
    return total(
        *e, *last,
        Real((loops - last->height) * e->cycles_per_loop + last->height * last->cycles_per_loop));
}

template <trapezoid_device D>
template <scalar Real>
constexpr result<stencil_estimate<Real>> trapezoid_model<D>::total(
    const trapezoid_estimate<Real>& stage, const trapezoid_estimate<Real>& last,
    const Real& cycles) const noexcept {
    if (!core::positive(cycles)) return model_error{errc::overflow, "cycles"};
    stencil_estimate<Real> e{stage, Real(options.loops), last.height, cycles,
                             Real(cycles / Real(device.clock_hz))};
    for (const auto a :
         {assumption::issue_floor, assumption::dram_floor, assumption::block_floor}) {
        e.assumed.add(a, last.assumed.contains(a));
    }
    return e;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
