// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICE_DEVICE_HPP
#define WARPGAUGE_DEVICE_DEVICE_HPP

#include <string_view>
#include <type_traits>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/device/instruction_costs.hpp>
#include <warpgauge/device/ppt_parameters.hpp>

/// \file What the hardware offers.
///
/// A device is any type with the members that a model's concept asks for. `static constexpr`
/// members (a traits struct, folded by the compiler) and data members (a device known at run time)
/// work alike. What is not known about a device is not a member of it, so that asking a model about
/// it does not compile.
///
/// Each struct below is a group of figures that are known or unknown together, as data members; the
/// concept of the same name holds for every device that has them. `edit(device)` copies the groups
/// that a device has into a value of its own, to be changed at will.

namespace warpgauge {

/// The chip as a whole. Every device has these.
template <class D>
concept has_chip = requires(const D& d) {
    { d.sm_count } -> number;
    { d.clock_hz } -> number;
    { d.dram_bytes_per_s } -> number;
};

namespace parameters {
template <scalar Real = double>
struct chip {
    Real sm_count{};          ///< streaming multiprocessors
    Real clock_hz{};          ///< cycle/s of an SM
    Real dram_bytes_per_s{};  ///< B/s, peak

    constexpr chip() = default;
    template <has_chip D>
    constexpr explicit chip(const D& d)
        : sm_count(Real(d.sm_count)),
          clock_hz(Real(d.clock_hz)),
          dram_bytes_per_s(Real(d.dram_bytes_per_s)) {}
};
}  // namespace parameters

/// The group of threads that executes in lock step.
template <class D>
concept has_warp = requires(const D& d) {
    { d.warp_size } -> number;
};

namespace parameters {
template <scalar Real = double>
struct warp {
    Real warp_size{};  ///< threads

    constexpr warp() = default;
    template <has_warp D>
    constexpr explicit warp(const D& d) : warp_size(Real(d.warp_size)) {}
};
}  // namespace parameters

/// What one SM can hold: the limits of its compute capability.
template <class D>
concept occupancy_device = has_warp<D> && requires(const D& d) {
    { d.registers_go } -> std::convertible_to<register_rule>;
    { d.max_threads_per_block } -> number;
    { d.max_warps_per_sm } -> number;
    { d.max_blocks_per_sm } -> number;
    { d.registers_per_sm } -> number;
    { d.max_registers_per_block } -> number;
    { d.max_registers_per_thread } -> number;
    { d.register_unit } -> number;
    { d.register_partitions } -> number;
    { d.register_check_partitions } -> number;
    { d.shared_bytes_per_sm } -> number;
    { d.max_shared_bytes_per_block } -> number;
    { d.shared_unit_bytes } -> number;
    { d.reserved_shared_bytes_per_block } -> number;
};

namespace parameters {
/// As `sm_limits`, in any `Real`; `warp_size` stands above.
template <scalar Real = double>
struct residency {
    compute_capability capability{};
    register_rule registers_go{};
    Real max_threads_per_block{}, max_warps_per_sm{}, max_blocks_per_sm{};
    Real registers_per_sm{}, max_registers_per_block{}, max_registers_per_thread{};
    Real register_unit{}, register_partitions{}, register_check_partitions{};
    Real shared_bytes_per_sm{}, max_shared_bytes_per_block{};
    Real shared_unit_bytes{}, reserved_shared_bytes_per_block{};

    constexpr residency() = default;
    template <occupancy_device D>
    constexpr explicit residency(const D& d)
        : registers_go(d.registers_go),
          max_threads_per_block(Real(d.max_threads_per_block)),
          max_warps_per_sm(Real(d.max_warps_per_sm)),
          max_blocks_per_sm(Real(d.max_blocks_per_sm)),
          registers_per_sm(Real(d.registers_per_sm)),
          max_registers_per_block(Real(d.max_registers_per_block)),
          max_registers_per_thread(Real(d.max_registers_per_thread)),
          register_unit(Real(d.register_unit)),
          register_partitions(Real(d.register_partitions)),
          register_check_partitions(Real(d.register_check_partitions)),
          shared_bytes_per_sm(Real(d.shared_bytes_per_sm)),
          max_shared_bytes_per_block(Real(d.max_shared_bytes_per_block)),
          shared_unit_bytes(Real(d.shared_unit_bytes)),
          reserved_shared_bytes_per_block(Real(d.reserved_shared_bytes_per_block)) {
        if constexpr (requires { capability = d.capability; }) capability = d.capability;
    }
};
}  // namespace parameters

/// How long one access to DRAM takes, with nothing else under way.
template <class D>
concept has_dram_latency = requires(const D& d) {
    { d.dram_latency_cycles } -> number;
};

namespace parameters {
template <scalar Real = double>
struct dram_latency {
    Real dram_latency_cycles{};  ///< cycles, round trip of one transaction    [Mem_LD]

    constexpr dram_latency() = default;
    template <has_dram_latency D>
    constexpr explicit dram_latency(const D& d)
        : dram_latency_cycles(Real(d.dram_latency_cycles)) {}
};
}  // namespace parameters

/// How DRAM answers, seen from one SM (Hong & Kim 2009, tbl. 1, 6).
template <class D>
concept has_dram_timing = has_dram_latency<D> && requires(const D& d) {
    { d.coalesced_departure_cycles } -> number;
    { d.uncoalesced_departure_cycles } -> number;
};

namespace parameters {
template <scalar Real = double>
struct dram_timing {
    Real coalesced_departure_cycles{};    ///< cycles between two coalesced transactions
                                          ///<                          [Departure_del_coal]
    Real uncoalesced_departure_cycles{};  ///< cycles between two uncoalesced transactions
                                          ///<                        [Departure_del_uncoal]

    constexpr dram_timing() = default;
    template <has_dram_timing D>
    constexpr explicit dram_timing(const D& d)
        : coalesced_departure_cycles(Real(d.coalesced_departure_cycles)),
          uncoalesced_departure_cycles(Real(d.uncoalesced_departure_cycles)) {}
};
}  // namespace parameters

/// How many bytes one uncoalesced transaction moves.
template <class D>
concept has_transaction_size = requires(const D& d) {
    { d.dram_transaction_bytes } -> number;
};

namespace parameters {
template <scalar Real = double>
struct transaction_size {
    Real dram_transaction_bytes{};  ///< B

    constexpr transaction_size() = default;
    template <has_transaction_size D>
    constexpr explicit transaction_size(const D& d)
        : dram_transaction_bytes(Real(d.dram_transaction_bytes)) {}
};
}  // namespace parameters

/// How often an SM can issue.
template <class D>
concept has_issue = requires(const D& d) {
    { d.issue_cycles } -> number;
};

namespace parameters {
template <scalar Real = double>
struct issue {
    Real issue_cycles{};  ///< cycles to execute one instruction of a warp    [#Issue_cycles]

    constexpr issue() = default;
    template <has_issue D>
    constexpr explicit issue(const D& d) : issue_cycles(Real(d.issue_cycles)) {}
};
}  // namespace parameters

/// The execution units of one SM (Chapuis et al. 2016, tbl. 1).
template <class D>
concept has_cuda_cores = requires(const D& d) {
    { d.cuda_cores } -> number;
};

namespace parameters {
template <scalar Real = double>
struct cores {
    Real cuda_cores{};  ///< single-precision units per SM, lanes

    constexpr cores() = default;
    template <has_cuda_cores D>
    constexpr explicit cores(const D& d) : cuda_cores(Real(d.cuda_cores)) {}
};
}  // namespace parameters

/// The load/store units of one SM (Berezovskyi et al. 2012, sec. 3).
template <class D>
concept has_load_store = requires(const D& d) {
    { d.load_store_units } -> number;
};

namespace parameters {
template <scalar Real = double>
struct load_store {
    Real load_store_units{};  ///< per SM, lanes

    constexpr load_store() = default;
    template <has_load_store D>
    constexpr explicit load_store(const D& d) : load_store_units(Real(d.load_store_units)) {}
};
}  // namespace parameters

/// The double-precision units of one SM (Chapuis et al. 2016, tbl. 1).
template <class D>
concept has_double_precision = requires(const D& d) {
    { d.double_precision_units } -> number;
};

namespace parameters {
template <scalar Real = double>
struct double_precision {
    Real double_precision_units{};  ///< per SM, lanes

    constexpr double_precision() = default;
    template <has_double_precision D>
    constexpr explicit double_precision(const D& d)
        : double_precision_units(Real(d.double_precision_units)) {}
};
}  // namespace parameters

/// The special-function units and the schedulers of one SM (Chapuis et al. 2016, tbl. 1).
template <class D>
concept has_schedulers = requires(const D& d) {
    { d.special_function_units } -> number;
    { d.warp_schedulers } -> number;
    { d.issues_per_scheduler } -> number;
};

namespace parameters {
template <scalar Real = double>
struct schedulers {
    Real special_function_units{};  ///< per SM, lanes
    Real warp_schedulers{};         ///< per SM
    Real issues_per_scheduler{};    ///< instructions per cycle and scheduler; 2: dual issue

    constexpr schedulers() = default;
    template <has_schedulers D>
    constexpr explicit schedulers(const D& d)
        : special_function_units(Real(d.special_function_units)),
          warp_schedulers(Real(d.warp_schedulers)),
          issues_per_scheduler(Real(d.issues_per_scheduler)) {}
};
}  // namespace parameters

/// Integer units besides the CUDA cores. Where a device has none, the CUDA cores do their work.
template <class D>
concept has_integer_units = requires(const D& d) {
    { d.integer_units } -> number;
};

namespace parameters {
template <scalar Real = double>
struct integers {
    Real integer_units{};  ///< per SM, lanes

    constexpr integers() = default;
    template <has_integer_units D>
    constexpr explicit integers(const D& d) : integer_units(Real(d.integer_units)) {}
};
}  // namespace parameters

/// How long the results of one SM's units and of the caches take (Chapuis et al. 2016, sec. 4.2).
template <class D>
concept has_latencies = requires(const D& d) {
    { d.integer_latency_cycles } -> number;
    { d.single_precision_latency_cycles } -> number;
    { d.double_precision_latency_cycles } -> number;
    { d.special_function_latency_cycles } -> number;
    { d.shared_latency_cycles } -> number;
    { d.l1_latency_cycles } -> number;
    { d.l2_latency_cycles } -> number;
};

namespace parameters {
/// Cycles from issue until an instruction can use the result.
template <scalar Real = double>
struct latencies {
    Real integer_latency_cycles{};
    Real single_precision_latency_cycles{};
    Real double_precision_latency_cycles{};
    Real special_function_latency_cycles{};
    Real shared_latency_cycles{};  ///< load from shared memory
    Real l1_latency_cycles{};      ///< load that hits the SM's own cache
    Real l2_latency_cycles{};      ///< load that hits the cache of all SMs

    constexpr latencies() = default;
    template <has_latencies D>
    constexpr explicit latencies(const D& d)
        : integer_latency_cycles(Real(d.integer_latency_cycles)),
          single_precision_latency_cycles(Real(d.single_precision_latency_cycles)),
          double_precision_latency_cycles(Real(d.double_precision_latency_cycles)),
          special_function_latency_cycles(Real(d.special_function_latency_cycles)),
          shared_latency_cycles(Real(d.shared_latency_cycles)),
          l1_latency_cycles(Real(d.l1_latency_cycles)),
          l2_latency_cycles(Real(d.l2_latency_cycles)) {}
};
}  // namespace parameters

/// The description that the program of Chapuis et al. 2016 has of the device.
template <class D>
concept has_ppt = requires(const D& d) {
    { d.ppt } -> std::convertible_to<ppt_parameters>;
};

namespace parameters {
struct ppt_description {
    ppt_parameters ppt{};

    constexpr ppt_description() = default;
    template <has_ppt D>
    constexpr explicit ppt_description(const D& d) : ppt(d.ppt) {}
};
}  // namespace parameters

/// What the computation of warps side by side costs (Cheng & Suda 2011, sec. 3.4, tbl. 1).
template <class D>
concept has_computation_costs = requires(const D& d) {
    { d.cpd_a } -> number;
    { d.cpd_b } -> number;
    { d.cpd_c } -> number;
    { d.cpd_d } -> number;
    { d.costs } -> std::convertible_to<instruction_costs>;
};

namespace parameters {
template <scalar Real = double>
struct computation_costs {
    Real cpd_a{};  ///< warps, empirical                                   a of (3), (4)
    Real cpd_b{};  ///< warps, empirical                                   b of (3)
    Real cpd_c{};  ///< share of computation, 0 to 1, empirical            c of (3), (5)
    Real cpd_d{};  ///< warps, empirical                                   d of (5)
    instruction_costs costs{};  ///< cycles of each operation

    constexpr computation_costs() = default;
    template <has_computation_costs D>
    constexpr explicit computation_costs(const D& d)
        : cpd_a(Real(d.cpd_a)),
          cpd_b(Real(d.cpd_b)),
          cpd_c(Real(d.cpd_c)),
          cpd_d(Real(d.cpd_d)),
          costs(d.costs) {}
};
}  // namespace parameters

/// What an iterative stencil meets (Meng & Skadron 2009, tbl. 1, sec. 4).
template <class D>
concept has_stencil_timing = requires(const D& d) {
    { d.uncontended_latency_cycles } -> number;
    { d.coalesce_width } -> number;
    { d.dram_pipeline_depth } -> number;
    { d.global_sync_cycles } -> number;
    { d.average_cpi } -> number;
    { d.tiles_stay_local } -> number;
    { d.traffic_overlap } -> number;
};

namespace parameters {
template <scalar Real = double>
struct stencil_timing {
    Real uncontended_latency_cycles{};  ///< cycles, one request, no others      UncontendedLat
    Real coalesce_width{};              ///< threads that share one request      CoalesceDegree
    Real dram_pipeline_depth{};         ///< requests at a time                  PipelineDepth
    Real global_sync_cycles{};          ///< cycles to end and restart a kernel  GlbSync, (15)
    Real average_cpi{};                 ///< cycles per instruction of a warp    CPI
    // Sec. 4.5, on the Cell Broadband Engine; both 0 on a GPU.
    Real
        tiles_stay_local{};  ///< share of tiles that stay between stages, 0 to 1: of these only the
                             ///< ghost zone travels
    Real traffic_overlap{};  ///< share of the shorter of memory and computation that the longer
                             ///< hides, 0 to 1

    constexpr stencil_timing() = default;
    template <has_stencil_timing D>
    constexpr explicit stencil_timing(const D& d)
        : uncontended_latency_cycles(Real(d.uncontended_latency_cycles)),
          coalesce_width(Real(d.coalesce_width)),
          dram_pipeline_depth(Real(d.dram_pipeline_depth)),
          global_sync_cycles(Real(d.global_sync_cycles)),
          average_cpi(Real(d.average_cpi)),
          tiles_stay_local(Real(d.tiles_stay_local)),
          traffic_overlap(Real(d.traffic_overlap)) {}
};
}  // namespace parameters

namespace detail::device {

/// In the place of a group that a device does not have.
template <int Place>
struct unknown {
    constexpr unknown() = default;
    constexpr explicit unknown(const auto&) {}
};

template <bool Known, class Group, int Place>
using group_if = std::conditional_t<Known, Group, unknown<Place>>;

/// Which groups a device has: its runtime copy's type depends on nothing else, so that copies of
/// several devices fit one container.
struct known_groups {
    bool chip{}, warp{}, residency{}, dram_timing{}, transaction_size{}, issue{}, cores{},
        double_precision{}, schedulers{}, computation_costs{}, stencil_timing{}, load_store{},
        dram_latency{}, integers{}, latencies{}, ppt{};
};

template <class D>
inline constexpr known_groups groups_of{has_chip<D>,
                                        has_warp<D>,
                                        occupancy_device<D>,
                                        has_dram_timing<D>,
                                        has_transaction_size<D>,
                                        has_issue<D>,
                                        has_cuda_cores<D>,
                                        has_double_precision<D>,
                                        has_schedulers<D>,
                                        has_computation_costs<D>,
                                        has_stencil_timing<D>,
                                        has_load_store<D>,
                                        has_dram_latency<D>,
                                        has_integer_units<D>,
                                        has_latencies<D>,
                                        has_ppt<D>};

}  // namespace detail::device

/// A device whose figures can be changed: the groups of another device, as data members.
template <scalar Real, detail::device::known_groups G>
struct runtime_device
    : detail::device::group_if<G.chip, parameters::chip<Real>, 0>,
      detail::device::group_if<G.warp, parameters::warp<Real>, 1>,
      detail::device::group_if<G.residency, parameters::residency<Real>, 2>,
      detail::device::group_if<G.dram_timing, parameters::dram_timing<Real>, 3>,
      detail::device::group_if<G.transaction_size, parameters::transaction_size<Real>, 4>,
      detail::device::group_if<G.issue, parameters::issue<Real>, 5>,
      detail::device::group_if<G.cores, parameters::cores<Real>, 6>,
      detail::device::group_if<G.double_precision, parameters::double_precision<Real>, 7>,
      detail::device::group_if<G.schedulers, parameters::schedulers<Real>, 8>,
      detail::device::group_if<G.computation_costs, parameters::computation_costs<Real>, 9>,
      detail::device::group_if<G.stencil_timing, parameters::stencil_timing<Real>, 10>,
      detail::device::group_if<G.load_store, parameters::load_store<Real>, 11>,
      detail::device::group_if<G.dram_latency, parameters::dram_latency<Real>, 12>,
      detail::device::group_if<G.integers, parameters::integers<Real>, 13>,
      detail::device::group_if<G.latencies, parameters::latencies<Real>, 14>,
      detail::device::group_if<G.ppt, parameters::ppt_description, 15> {
    std::string_view name{};  ///< of the device it was copied from

    constexpr runtime_device() = default;  ///< all figures 0: no model takes it
    template <class D>
    constexpr explicit runtime_device(const D& d)
        : detail::device::group_if<G.chip, parameters::chip<Real>, 0>(d),
          detail::device::group_if<G.warp, parameters::warp<Real>, 1>(d),
          detail::device::group_if<G.residency, parameters::residency<Real>, 2>(d),
          detail::device::group_if<G.dram_timing, parameters::dram_timing<Real>, 3>(d),
          detail::device::group_if<G.transaction_size, parameters::transaction_size<Real>, 4>(d),
          detail::device::group_if<G.issue, parameters::issue<Real>, 5>(d),
          detail::device::group_if<G.cores, parameters::cores<Real>, 6>(d),
          detail::device::group_if<G.double_precision, parameters::double_precision<Real>, 7>(d),
          detail::device::group_if<G.schedulers, parameters::schedulers<Real>, 8>(d),
          detail::device::group_if<G.computation_costs, parameters::computation_costs<Real>, 9>(d),
          detail::device::group_if<G.stencil_timing, parameters::stencil_timing<Real>, 10>(d),
          detail::device::group_if<G.load_store, parameters::load_store<Real>, 11>(d),
          detail::device::group_if<G.dram_latency, parameters::dram_latency<Real>, 12>(d),
          detail::device::group_if<G.integers, parameters::integers<Real>, 13>(d),
          detail::device::group_if<G.latencies, parameters::latencies<Real>, 14>(d),
          detail::device::group_if<G.ppt, parameters::ppt_description, 15>(d) {
        // A name that owns its text is left behind: the copy may outlive it.
        if constexpr (requires {
                          requires std::same_as<decltype(name),
                                                std::remove_cvref_t<decltype(d.name)>>;
                      }) {
            name = d.name;
        }
    }
};

/// A copy of `device` whose figures can be changed. A group of which `device` lacks a figure, the
/// copy lacks as a whole.
template <class D>
[[nodiscard]] constexpr auto edit(const D& device) {
    return runtime_device<double, detail::device::groups_of<D>>(device);
}

/// The same with figures of type `Real`, such as a dual number.
template <scalar Real, class D>
[[nodiscard]] constexpr auto edit(const D& device) {
    return runtime_device<Real, detail::device::groups_of<D>>(device);
}

}  // namespace warpgauge

#endif
