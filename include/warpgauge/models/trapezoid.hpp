// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_TRAPEZOID_HPP
#define WARPGAUGE_MODELS_TRAPEZOID_HPP

#include <cstddef>
#include <string_view>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device.hpp>
#include <warpgauge/model.hpp>
#include <warpgauge/occupancy.hpp>
#include <warpgauge/profile.hpp>

/// \file Cycles per loop of an iterative stencil with ghost zones, and the best trapezoid.
///
/// A block loads a tile with a ghost zone around it, computes `height` loops on it without talking
/// to its neighbours, and commits what is still valid: the top of a trapezoid.
///
/// Source: J. Meng, K. Skadron, "Performance Modeling and Automatic Ghost Zone Optimization for
/// Iterative Stencil Loops on GPUs", ICS 2009. Equation and table numbers are that paper's. M1 to M6
/// are explained in docs/trapezoid.md.

namespace warpgauge {

/// What the model reads of a device. `max_blocks_per_sm` is its BlksPerSM, as in the paper.
template <class D>
concept trapezoid_device = has_chip<D> && has_stencil_timing<D> && requires(const D& d) {
    { d.warp_size } -> number;
    { d.max_blocks_per_sm } -> number;
};

/// Cycles per loop and what they consist of (sec. 6.1), for one trapezoid height.
template <scalar Real = double>
struct trapezoid_estimate {
    Real height{};                   ///< loops of one stage                               h
    Real trapezoids{};               ///< per stage                               T, eq. (3)
    Real memory_stages{};            ///< rounds of concurrent blocks                eq. (6)
    Real request_cycles{};           ///< cycles of one coalesced request            eq. (4)
    Real global_sync_cycles{};       ///< cycles per loop            GlbSync', (15), eq. (19)
    Real load_stencil_cycles{};      ///< cycles per loop           LoadSten', (8), eq. (20)
    Real commit_cycles{};            ///< cycles per loop             Commit', (9), eq. (21)
    Real misc_computation_cycles{};  ///< cycles per loop          MiscComp', (13), eq. (22)
    Real iter_computation_cycles{};  ///< cycles per loop          IterComp', (14), eq. (23)
    Real iter_memory_cycles{};       ///< cycles per loop           IterMem', (10), eq. (24)
    Real hidden_cycles{};            ///< cycles per loop of memory that computation hides
    Real cycles_per_loop{};          ///< cycles                               CPL, eq. (18)
    Real cost_effectiveness{};       ///< final tile / first computed tile, 0 to 1  eq. (16)
};

/// The total of all loops of a stencil.
template <scalar Real = double>
struct stencil_estimate : trapezoid_estimate<Real> {
    Real loops{};    ///< loops computed
    Real cycles{};   ///< cycles of all loops
    Real seconds{};  ///< s
};

/// A block length with its best height.
template <scalar Real = double>
struct tile_estimate : trapezoid_estimate<Real> {
    Real block_length{};  ///< threads of a block along each dimension         blk_len
};

/// How a tile travels. The default is that of the paper: a tile goes to DRAM and back between
/// stages, and nobody computes meanwhile. The others follow its sec. 4.5 on the Cell Broadband
/// Engine, which gives no equations: a tile stays in its local store, so that only ghost zones
/// travel, and computation hides some of the traffic.
struct tile_transfer {
    bool stays_local = false;  ///< load and commit move the ghost zone alone
    double overlap = 0;        ///< share of the shorter of memory and computation hidden, 0 to 1
};

/// Predicts iterative stencils on `device`.
/// \errors missing         `stencil`: no dimensions
///         not_positive    a length, a width, an instruction count, `loops`, or a figure of the
///                         device
///         negative        `elements_per_op`, `misc_insts_per_sm`, `height`, `overlap`
///         outside_domain  `dimensions` above 3; `height`, `block_length`: the tile vanishes, (17);
///                         `overlap` above 1
///         exceeds_device  `block_length`: no block length fits (`optimal_tile`)
///         overflow        `cycles`
template <trapezoid_device D>
struct trapezoid_model {
    [[no_unique_address]] D device{};
    double loops = 1;          ///< loops that `predict` computes
    double height = 0;         ///< trapezoid height of `predict`; 0: the best
    bool whole_warps = false;  ///< rows round up to warps, M6; default: real numbers, as printed
    tile_transfer transfer{};

    /// One height, a real number above 0. Works on any `Real`; not capped at the number of loops.
    template <scalar Real>
    [[nodiscard]] constexpr result<trapezoid_estimate<Real>> cycles_per_loop(
        const kernel_profile<Real>& k, const std::type_identity_t<Real>& height) const noexcept;

    /// The best whole height, at least 1, by search over the curve, which is convex as far as the
    /// tile lasts (sec. 6.1).
    template <scalar Real>
    [[nodiscard]] constexpr result<trapezoid_estimate<Real>> optimal_height(
        const kernel_profile<Real>& k) const noexcept;

    /// The best block length with its best height, among the lengths whose blocks the device can
    /// run; `stencil.block_length` is not read. Shared memory of a block: the profile's own, and 4 B
    /// for each element of each stencil array and of the result.
    template <scalar Real>
    requires occupancy_device<D>
    [[nodiscard]] constexpr result<tile_estimate<Real>> optimal_tile(
        const kernel_profile<Real>& k) const noexcept;

    /// All loops, at `height`.
    template <scalar Real>
    [[nodiscard]] constexpr result<stencil_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept;
};

template <class D, class... Options>
trapezoid_model(D, Options...) -> trapezoid_model<D>;

/// The least height at which a tile has vanished, (17): block_length / widest halo. M4.
/// \errors as `trapezoid_model`
template <scalar Real>
[[nodiscard]] constexpr result<Real> vanishing_height(const kernel_profile<Real>& k) noexcept;

namespace detail {

/// Elements are floats; x of eqs. (4), (7). M2.
inline constexpr double element_bytes = 4;

/// The error of the first figure that is out of range; an empty field if there is none.
template <scalar Real>
constexpr model_error check_stencil(const kernel_profile<Real>& k) {
    const auto& s = k.stencil;
    if (s.dimensions == 0) return {errc::missing, "stencil"};
    if (s.dimensions < 0 || s.dimensions > 3) return {errc::outside_domain, "dimensions"};
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.dimensions); ++i) {
        if (!core::positive(s.data_length[i])) return {errc::not_positive, "data_length"};
        if (!core::positive(s.halo_width[i])) return {errc::not_positive, "halo_width"};
    }
    if (!core::positive(s.block_length)) return {errc::not_positive, "block_length"};
    if (!core::positive(s.stencil_arrays)) return {errc::not_positive, "stencil_arrays"};
    if (!core::non_negative(s.elements_per_op)) return {errc::negative, "elements_per_op"};
    if (!core::positive(s.profiled_elements)) return {errc::not_positive, "profiled_elements"};
    if (!core::non_negative(s.misc_insts_per_sm)) return {errc::negative, "misc_insts_per_sm"};
    if (!core::positive(s.iter_insts_per_sm)) return {errc::not_positive, "iter_insts_per_sm"};
    return {};
}

template <scalar Real, trapezoid_device D>
constexpr model_error check_trapezoid(const kernel_profile<Real>& k, const trapezoid_model<D>& m) {
    struct input {
        Real value;
        std::string_view field;
    };
    const D& d = m.device;
    for (const input& i : {input{Real(d.sm_count), "sm_count"},
                           {Real(d.clock_hz), "clock_hz"},
                           {Real(d.dram_bytes_per_s), "dram_bytes_per_s"},
                           {Real(d.warp_size), "warp_size"},
                           {Real(d.max_blocks_per_sm), "max_blocks_per_sm"},
                           {Real(d.coalesce_width), "coalesce_width"},
                           {Real(d.dram_pipeline_depth), "dram_pipeline_depth"},
                           {Real(d.average_cpi), "average_cpi"}}) {
        if (!core::positive(i.value)) return {errc::not_positive, i.field};
    }
    if (!core::non_negative(Real(d.uncontended_latency_cycles))) {
        return {errc::negative, "uncontended_latency_cycles"};
    }
    if (!core::non_negative(Real(d.global_sync_cycles))) {
        return {errc::negative, "global_sync_cycles"};
    }
    if (!core::non_negative(m.transfer.overlap)) return {errc::negative, "overlap"};
    if (m.transfer.overlap > 1) return {errc::outside_domain, "overlap"};
    return check_stencil(k);
}

/// Products over the dimensions of a stencil.
template <scalar Real>
struct tile_sizes {
    Real data{1.0};      ///< elements of the whole grid
    Real first{1.0};     ///< of a tile as loaded: blk_len^D
    Real computed{1.0};  ///< of a tile after one loop: blk_len - HaloWidth each
    Real top{1.0};       ///< of a tile at the end: blk_len - HaloWidth h each
};

template <scalar Real>
constexpr tile_sizes<Real> sizes_of(const basic_stencil_shape<Real>& s, const Real& height) {
    tile_sizes<Real> t;
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.dimensions); ++i) {  // M3: 0 to D - 1
        t.data = t.data * s.data_length[i];
        t.first = t.first * s.block_length;
        t.computed = t.computed * (s.block_length - s.halo_width[i]);
        t.top = t.top * (s.block_length - s.halo_width[i] * height);
    }
    return t;
}

/// Threads that a block's warps hold for a tile of `length` along the first dimension: all rows
/// rounded up to warps, or as they are. M6.
template <scalar Real, trapezoid_device D>
constexpr Real active_threads(const Real& elements, const Real& length,
                              const trapezoid_model<D>& m) {
    if (!m.whole_warps) return elements;
    const Real warp = Real(m.device.warp_size);
    return elements / length * (core::ceil(Real(length / warp)) * warp);
}

template <scalar Real>
constexpr Real widest_halo(const basic_stencil_shape<Real>& s) {
    Real widest = s.halo_width[0];
    for (std::size_t i = 1; i < static_cast<std::size_t>(s.dimensions); ++i) {
        widest = core::max(widest, s.halo_width[i]);
    }
    return widest;
}

template <scalar Real>
constexpr mask_of<Real> tile_lasts(const basic_stencil_shape<Real>& s, const Real& height) {
    mask_of<Real> lasts = Real(0.0) < s.block_length;
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.dimensions); ++i) {  // (17)
        lasts =
            lasts && s.halo_width[i] * height < s.block_length && s.halo_width[i] < s.block_length;
    }
    return lasts;
}

/// Equations (1) to (24); all inputs have been checked.
template <scalar Real, trapezoid_device D>
constexpr trapezoid_estimate<Real> trapezoid(const kernel_profile<Real>& k, const Real& h,
                                             const trapezoid_model<D>& m) {
    const D& d = m.device;
    const auto& s = k.stencil;
    const Real sms = Real(d.sm_count);
    const Real coalesced = Real(d.coalesce_width);
    auto size = sizes_of(s, h);

    const Real T = size.data / size.top;                        // (3)
    const Real stages = T / (Real(d.max_blocks_per_sm) * sms);  // (5), (6)
    const Real request =
        Real(element_bytes) * coalesced * Real(d.clock_hz) / Real(d.dram_bytes_per_s);  // (4)
    const Real alpha = Real(static_cast<double>(s.dimensions)) / Real(d.dram_pipeline_depth);
    const Real latency = stages * Real(d.uncontended_latency_cycles);
    const Real per_element = alpha * request / coalesced;
    const auto mem_cycles = [&](const Real& n) { return Real(latency + per_element * n); };  // (7)

    const Real ghosts = size.first - size.top;
    const Real loaded = m.transfer.stays_local ? ghosts : size.first;
    const Real stored = m.transfer.stays_local ? ghosts : size.top;
    const Real load = s.stencil_arrays * mem_cycles(Real(T * loaded));                  // (8)
    const Real commit = mem_cycles(Real(T * stored));                                   // (9)
    const Real iter_mem = s.elements_per_op * h * mem_cycles(Real(T * size.computed));  // (10)

    const Real halo = s.halo_width[0];
    const Real insts_scale = sms / s.profiled_elements * Real(d.average_cpi);  // (11), (12)
    const Real misc =
        s.misc_insts_per_sm * insts_scale * active_threads(size.first, s.block_length, m);  // (13)
    const Real iter = h * s.iter_insts_per_sm * insts_scale *
                      active_threads(size.computed, Real(s.block_length - halo), m);  // (14)

    const Real per_sm = T / sms / h;  // M5
    const Real memory = (load + commit + iter_mem) / h;
    const Real computation = (misc + iter) * per_sm;
    const Real hidden = Real(m.transfer.overlap) * core::min(memory, computation);
    return {
        .height = h,
        .trapezoids = T,
        .memory_stages = stages,
        .request_cycles = request,
        .global_sync_cycles = Real(d.global_sync_cycles) / h,  // (19)
        .load_stencil_cycles = load / h,                       // (20)
        .commit_cycles = commit / h,                           // (21)
        .misc_computation_cycles = misc * per_sm,              // (22)
        .iter_computation_cycles = iter * per_sm,              // (23)
        .iter_memory_cycles = iter_mem / h,                    // (24)
        .hidden_cycles = hidden,
        .cycles_per_loop = Real(d.global_sync_cycles) / h + memory + computation - hidden,  // (18)
        .cost_effectiveness = size.top / size.computed};  // (16), M3
}

template <scalar Real, trapezoid_device D>
constexpr Real cycles_at(const kernel_profile<Real>& k, const Real& h,
                         const trapezoid_model<D>& m) {
    return trapezoid(k, h, m).cycles_per_loop;
}

/// The best whole height of a checked stencil. The slope between neighbours changes sign once.
template <scalar Real, trapezoid_device D>
constexpr Real best_height(const kernel_profile<Real>& k, const trapezoid_model<D>& m) {
    // The last whole height at which the tile lasts; no search needs more than 2^53.
    Real low(1.0);
    Real high = core::min(
        Real(core::ceil(Real(k.stencil.block_length / detail::widest_halo(k.stencil))) - Real(1.0)),
        Real(9007199254740992.0));
    while (low < high) {
        const Real middle = core::floor(Real((low + high) / Real(2.0)));
        const Real next = middle + Real(1.0);
        if (cycles_at(k, next, m) < cycles_at(k, middle, m)) {
            low = next;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace detail

template <scalar Real>
constexpr result<Real> vanishing_height(const kernel_profile<Real>& k) noexcept {
    if (const auto bad = detail::check_stencil(k); !bad.field.empty()) return bad;
    return Real(k.stencil.block_length / detail::widest_halo(k.stencil));
}

template <trapezoid_device D>
template <scalar Real>
constexpr result<trapezoid_estimate<Real>> trapezoid_model<D>::cycles_per_loop(
    const kernel_profile<Real>& k, const std::type_identity_t<Real>& h) const noexcept {
    if (const auto bad = detail::check_trapezoid(k, *this); !bad.field.empty()) return bad;
    if (!core::positive(h)) return model_error{errc::not_positive, "height"};
    if (!scalar_traits<Real>::all(detail::tile_lasts(k.stencil, h))) {
        return model_error{errc::outside_domain, "height"};
    }
    auto e = detail::trapezoid(k, Real(h), *this);
    if (!core::finite(e.cycles_per_loop)) return model_error{errc::overflow, "cycles"};
    return e;
}

template <trapezoid_device D>
template <scalar Real>
constexpr result<trapezoid_estimate<Real>> trapezoid_model<D>::optimal_height(
    const kernel_profile<Real>& k) const noexcept {
    if (const auto bad = detail::check_trapezoid(k, *this); !bad.field.empty()) return bad;
    if (!scalar_traits<Real>::all(detail::tile_lasts(k.stencil, Real(1.0)))) {
        return model_error{errc::outside_domain, "block_length"};
    }
    return cycles_per_loop(k, detail::best_height(k, *this));
}

template <trapezoid_device D>
template <scalar Real>
requires occupancy_device<D>
constexpr result<tile_estimate<Real>> trapezoid_model<D>::optimal_tile(
    const kernel_profile<Real>& k) const noexcept {
    kernel_profile<Real> tried = k;
    tried.stencil.block_length = Real(1.0);
    if (const auto bad = detail::check_trapezoid(tried, *this); !bad.field.empty()) return bad;

    tile_estimate<Real> best;
    bool found = false;
    // A block has at most max_threads_per_block threads, which bounds its length.
    const Real most = Real(device.max_threads_per_block);
    for (Real length(2.0); length <= most; length = length + Real(1.0)) {
        tried.stencil.block_length = length;
        if (!detail::tile_lasts(tried.stencil, Real(1.0))) continue;
        const Real threads = detail::sizes_of(tried.stencil, Real(1.0)).first;
        if (most < threads) break;
        tried.threads_per_block = threads;
        tried.shared_bytes_per_block =
            k.shared_bytes_per_block +
            Real(detail::element_bytes) * threads * (k.stencil.stencil_arrays + Real(1.0));
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
    if (!core::positive(loops)) return model_error{errc::not_positive, "loops"};
    if (!core::non_negative(height)) return model_error{errc::negative, "height"};
    const auto e = height > 0 ? cycles_per_loop(k, Real(height)) : optimal_height(k);
    if (!e) return e.error();
    const Real cycles = e->cycles_per_loop * Real(loops);
    if (!core::positive(cycles)) return model_error{errc::overflow, "cycles"};
    return stencil_estimate<Real>{*e, Real(loops), cycles, Real(cycles / Real(device.clock_hz))};
}

}  // namespace warpgauge

#endif
