// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_PARAMETERS_HPP
#define WARPGAUGE_SIMULATE_SM_PARAMETERS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/entry_levels.hpp>
#include <warpgauge/simulate/instruction_rates.hpp>

/// \file The input of the simulation of one SM: the SM, and the blocks on it.

namespace WARPGAUGE_NAMESPACE {

/// The units of an SM that can be busy.
enum class sm_unit : std::uint8_t {
    integer,
    single_precision,
    double_precision,
    special_function,
    load_store,
    tensor,
};
/// The number of enumerators of `sm_unit`.
inline constexpr std::size_t sm_unit_count = 6;

/// The parameters of one SM.
struct sm_parameters {
    double warp_size{};             ///< threads
    double warp_schedulers{};       ///< per SM
    double issues_per_scheduler{};  ///< instructions per cycle, of the same warp
    /// Equal parts of the SM, 1 or 4. Each has its schedulers, its lanes of every unit whose lanes can be divided
    /// evenly, and every fourth warp of the SM. They share load/store units, caches and memory.
    double sub_cores = 1;
    /// By `sm_unit`; for `tensor`, multiply-adds a cycle. If integers have no lanes, the single-precision lanes execute
    /// them. 0 for another unit: not known, and no stream may use the unit.
    std::array<double, sm_unit_count> lanes{};
    instruction_rates rates{};                 ///< results a cycle, of classes of instructions
    double integer_latency_cycles{};           ///< cycles until the result is available
    double single_precision_latency_cycles{};  ///< cycles
    // 0: not known, and no stream may need it.
    double double_precision_latency_cycles{};  ///< cycles
    double special_function_latency_cycles{};  ///< cycles
    double tensor_latency_cycles{};            ///< cycles
    double shared_latency_cycles{};            ///< cycles
    double l1_latency_cycles{};                ///< cycles
    double l2_latency_cycles{};                ///< cycles
    double dram_latency_cycles{};              ///< cycles, with nothing before it in the queue
    double dram_bytes_per_cycle{};             ///< B/cycle, this SM's part of the bandwidth
    double dram_transaction_bytes{};           ///< B; 0: not known
    /// B/cycle, this SM's part after the bytes of all but its last block have been requested: other SMs, which have
    /// one block less, then use no bandwidth. 0: the same as before.
    double last_dram_bytes_per_cycle{};
    // Ports, by bytes. 0: not known, and an access takes the load/store lanes alone.
    double shared_bytes_per_cycle{};  ///< B/cycle, of shared memory to its SM
    double l1_bytes_per_cycle{};  ///< B/cycle, of L1 to its SM; data from L2 and DRAM pass it too
    double l2_bytes_per_cycle{};  ///< B/cycle, this SM's part of L2; data from DRAM pass it too
    // Of the bytes of accesses to global memory, 0 to 1.
    double beyond_l1_fraction = 1;  ///< fraction of the bytes that miss L1
    double from_dram_fraction = 1;  ///< fraction of the bytes that miss L2 too
    /// Where accesses differ: of each entry of the stream, with those fractions as means.
    stream_levels levels{};
    /// A barrier also waits for all results of its warp, as in the authors' program; on hardware it only waits for the
    /// other warps. It waits for the stores for which a warp's end would wait too.
    bool barriers_wait_for_results{};
    /// A warp's end also waits for its stores, as in the authors' program: for accesses whose result nobody reads.
    bool ends_wait_for_stores{};
    /// Cycles from a block's end until the next one in its place begins.
    double turnaround_cycles{};
    /// The SM has asynchronous copies from global to shared memory (`async_step`).
    bool async_copies{};
    bool bulk_copies{};  ///< the SM has bulk copies, by one thread
};

/// The blocks on the SM.
struct sm_residency {
    std::uint64_t blocks{};           ///< resident at a time
    std::uint64_t warps_per_block{};  ///< warps of each block
    std::uint64_t start_cycle{};      ///< the first cycle with a warp
    /// The total of blocks that the SM executes: a block that ends is replaced until all have begun. With a number up
    /// to `blocks`, the SM executes only those that are resident at a time.
    std::uint64_t total_blocks{};
};

namespace detail::simulate {

constexpr std::size_t index_of(sm_unit unit) {
    return static_cast<std::size_t>(unit);
}

/// The names of a device's parameters for lanes, by `sm_unit`.
inline constexpr std::string_view lane_fields[sm_unit_count]{
    "integer_units",          "cuda_cores",       "double_precision_units",
    "special_function_units", "load_store_units", "tensor_fma_per_cycle"};

/// Whether each sub-core has its own part of a number of lanes of a unit.
constexpr bool is_split(std::size_t unit, double lanes, double sub_cores) {
    return unit != index_of(sm_unit::load_store) && sub_cores > 1 && lanes > 0 &&
           core::floor(lanes / sub_cores) * sub_cores == lanes;
}

/// The unit that executes a kind of instruction, as an index; `sm_unit_count`: none.
constexpr std::size_t unit_of(unit_kind kind, const sm_parameters& p) {
    switch (kind) {
        case unit_kind::integer:
        case unit_kind::branch:
            return index_of(p.lanes[index_of(sm_unit::integer)] > 0 ? sm_unit::integer
                                                                    : sm_unit::single_precision);
        case unit_kind::single_precision: return index_of(sm_unit::single_precision);
        case unit_kind::tensor: return index_of(sm_unit::tensor);
        case unit_kind::double_precision: return index_of(sm_unit::double_precision);
        case unit_kind::special_function: return index_of(sm_unit::special_function);
        case unit_kind::shared_memory:
        case unit_kind::l1_cache:
        case unit_kind::l2_cache:
        case unit_kind::global_memory: return index_of(sm_unit::load_store);
        case unit_kind::barrier:
        case unit_kind::loop: break;
    }
    return sm_unit_count;
}

/// Cycles until the result of a kind of instruction is available; 1 for a barrier.
constexpr double latency_of(unit_kind kind, const sm_parameters& p) {
    switch (kind) {
        case unit_kind::integer:
        case unit_kind::branch: return p.integer_latency_cycles;
        case unit_kind::single_precision: return p.single_precision_latency_cycles;
        case unit_kind::tensor: return p.tensor_latency_cycles;
        case unit_kind::double_precision: return p.double_precision_latency_cycles;
        case unit_kind::special_function: return p.special_function_latency_cycles;
        case unit_kind::shared_memory: return p.shared_latency_cycles;
        case unit_kind::l1_cache: return p.l1_latency_cycles;
        case unit_kind::l2_cache: return p.l2_latency_cycles;
        case unit_kind::global_memory: return p.dram_latency_cycles;
        case unit_kind::barrier:
        case unit_kind::loop: break;
    }
    return 1;
}

/// Whether lanes of a unit, with a known latency, can have a class's results in a cycle.
constexpr bool can_execute(unit_kind kind, double rate, const sm_parameters& p) {
    return p.lanes[unit_of(kind, p)] >= rate && latency_of(kind, p) > 0;
}

/// What an instruction counts as. A class with a rate of its own may be that of another unit: bit counts and
/// conversions that of special functions, those of 64 bits that of double precision if it has fewer lanes, and
/// comparisons of single precision that of integers. This is so where machine code tells units apart (from 7.5 on,
/// `sass/opcode_table.hpp`), and on others if their lanes allow it.
constexpr unit_kind executed_as(const instruction& i, const sm_parameters& p) {
    const double rate = rate_of(i, p.rates);
    if (!(rate > 0)) return i.unit;
    constexpr auto special = unit_kind::special_function, twofold = unit_kind::double_precision;
    if (i.unit == unit_kind::single_precision && compares(i.op)) {
        const bool own_lanes = p.lanes[index_of(sm_unit::integer)] >= rate;
        return own_lanes ? unit_kind::integer : i.unit;
    }
    const bool wide = i.op == operation::convert_wide;
    if (!wide && i.op != operation::convert && i.op != operation::count_bits) return i.unit;
    const bool by_special = can_execute(special, rate, p);
    const bool fewer =
        p.lanes[index_of(sm_unit::double_precision)] < p.lanes[index_of(sm_unit::special_function)];
    if (wide && can_execute(twofold, rate, p) && (fewer || !by_special)) return twofold;
    return by_special ? special : i.unit;
}

/// The unit that executes an instruction, as an index; `sm_unit_count`: none.
constexpr std::size_t unit_of(const instruction& i, const sm_parameters& p) {
    return unit_of(executed_as(i, p), p);
}

/// Bytes that an access of a warp to L1, L2 or global memory moves. For accesses to caches, a transaction may have no
/// size.
constexpr double bytes_of(const instruction& i, const sm_parameters& p) {
    const bool in_transactions =
        i.transactions > 1 && (is_memory(i) || p.dram_transaction_bytes > 0);
    return in_transactions ? p.dram_transaction_bytes * i.transactions : p.warp_size * i.bytes;
}

/// The bytes that a port moves at a time: a row of all banks of shared memory, a line of L1.
inline constexpr double row_bytes = 128;

/// Bytes of shared memory for whose time an access of a warp counts: each pass reads a row of all banks.
constexpr double shared_bytes_of(const instruction& i, const sm_parameters& p) {
    return core::max(p.warp_size * i.bytes, i.transactions > 1 ? i.transactions * row_bytes : 0);
}

/// What serves the access of the entry at `at`, if it is one to global memory: its own levels, or those of the launch.
constexpr entry_level level_of(std::size_t at, const sm_parameters& p) {
    if (p.levels.of_entries.empty()) {
        return {p.beyond_l1_fraction, p.from_dram_fraction, p.dram_latency_cycles};
    }
    return p.levels.at(at, p.l1_latency_cycles, p.l2_latency_cycles);
}

/// Bytes that an access takes from this SM's part of L2; 0 if that is not known.
constexpr double l2_bytes_of(const instruction& i, const sm_parameters& p, const entry_level& l) {
    if (!(p.l2_bytes_per_cycle > 0)) return 0;
    if (is_memory(i)) return l.beyond_l1 * bytes_of(i, p);
    return i.unit == unit_kind::l2_cache ? bytes_of(i, p) : 0;
}

/// Bytes that an access takes from this SM's part of DRAM.
constexpr double dram_bytes_of(const instruction& i, const sm_parameters& p, const entry_level& l) {
    return is_memory(i) ? l.from_dram * bytes_of(i, p) : 0;
}

/// Cycles until the result of an entry is available.
constexpr double latency_of(const instruction& i, const sm_parameters& p, const entry_level& l) {
    return is_memory(i) ? l.latency_cycles : latency_of(executed_as(i, p), p);
}

/// The number of whole parts of a thread in which the work of units is counted.
inline constexpr std::uint64_t parts_of_thread = 64;

/// The demand of an access on the port of its memory, and how often it takes the load/store lanes for its warp.
struct port_work {
    double often =
        1;  ///< as it has transactions or conflicts, unless the port is known and has the time of its rows
    double bytes{};
    double bytes_per_cycle{};  ///< 0: not known
};

/// Bytes of L1 for whose time an access of a warp counts: each line that it looks up takes a row.
constexpr double l1_bytes_of(const instruction& i, const sm_parameters& p) {
    return core::max(bytes_of(i, p), i.lines * row_bytes);
}

constexpr port_work port_work_of(const instruction& i, const sm_parameters& p) {
    const bool shared = i.unit == unit_kind::shared_memory;
    const double rate = shared ? p.shared_bytes_per_cycle : p.l1_bytes_per_cycle;
    const bool by_rows = rate > 0 && (shared || i.lines > 0);
    return {.often = i.transactions > 1 && !by_rows ? i.transactions : 1.0,
            .bytes = shared ? shared_bytes_of(i, p) : l1_bytes_of(i, p),
            .bytes_per_cycle = rate};
}

/// Parts of threads for whose time a warp of arithmetic keeps the lanes of its unit, to the nearest: more than its own if
/// its class has fewer results a cycle than the unit has lanes.
constexpr double arithmetic_work(const instruction& i, std::size_t unit, const sm_parameters& p) {
    const double warp = p.warp_size * static_cast<double>(parts_of_thread);
    const double rate = rate_of(i, p.rates);
    const bool slower = rate > 0 && rate < p.lanes[unit];
    return slower ? core::floor(warp * p.lanes[unit] / rate + 0.5) : warp;
}

/// What an instruction on `unit` keeps it busy with, in parts of threads: its warp, as often as an access takes the
/// lanes, or one thread of it for a copy in bulk, and as long as the port of its memory takes for the bytes. Of a
/// matrix product, in parts of multiply-adds.
constexpr double unit_work(const instruction& i, std::size_t unit, const sm_parameters& p) {
    constexpr auto parts = static_cast<double>(parts_of_thread);
    if (i.unit == unit_kind::tensor) return i.tensor_fmas * parts;
    if (!uses_load_store_units(i.unit)) return arithmetic_work(i, unit, p);
    const double warp = p.warp_size * parts;
    const port_work w = port_work_of(i, p);
    const double of_lanes = i.async == async_step::bulk ? parts : w.often * warp;
    if (!(w.bytes_per_cycle > 0)) return of_lanes;
    return core::max(of_lanes, core::ceil(w.bytes * p.lanes[unit] * parts / w.bytes_per_cycle));
}

/// Cycles between the first and the last part of an access.
constexpr double later_cycles(const instruction& i, std::size_t unit, const sm_parameters& p) {
    if (!uses_load_store_units(i.unit)) return 0;
    const port_work w = port_work_of(i, p);
    const bool in_bulk = i.async == async_step::bulk;
    const double of_lanes = in_bulk ? 0 : (w.often - 1) * p.warp_size / p.lanes[unit];
    if (!(w.bytes_per_cycle > 0)) return of_lanes;
    return core::max(of_lanes, (w.bytes - row_bytes) / w.bytes_per_cycle);
}

/// Cycles until a product of a block is done, on tensor cores that are idle: those of its latency, or of the multiply-adds
/// of all warps that share it.
constexpr double block_product_cycles(const instruction& i, const sm_parameters& p) {
    const double warps = i.sharing_warps > 1 ? i.sharing_warps : 1;
    const double fmas = warps * i.tensor_fmas;
    return core::max(p.tensor_latency_cycles, fmas / p.lanes[index_of(sm_unit::tensor)]);
}

template <class = core::when_used>
constexpr model_error check_sm(const sm_parameters& p) {
    constexpr double wait = 65'536;
    constexpr double rate = 1e12;  // of memory that is as good as infinitely fast
    for (std::size_t u = 0; u < sm_unit_count; ++u) {
        const double most = u == index_of(sm_unit::tensor) ? 65'536 : 4096;
        const auto bad = core::check_bounded({p.lanes[u], lane_fields[u], true, 0, most});
        if (bad) return bad;
    }
    for (const core::bounded_parameter& f : std::initializer_list<core::bounded_parameter>{
             {p.warp_size, "warp_size", true, 1, 1024},
             {p.warp_schedulers, "warp_schedulers", true, 1, 1024},
             {p.issues_per_scheduler, "issues_per_scheduler", true, 1, 1024},
             {p.integer_latency_cycles, "integer_latency_cycles", false, 1, wait},
             {p.single_precision_latency_cycles, "single_precision_latency_cycles", false, 1, wait},
             {p.dram_transaction_bytes, "dram_transaction_bytes", false, 0, wait},
             {p.turnaround_cycles, "turnaround_cycles", true, 0, wait}}) {
        if (const auto bad = core::check_bounded(f)) return bad;
    }
    if (p.sub_cores != 1 && p.sub_cores != 4) return {errc::outside_domain, "sub_cores"};
    if (p.warp_schedulers < p.sub_cores) return {errc::outside_domain, "warp_schedulers"};
    for (const core::bounded_parameter& known : std::initializer_list<core::bounded_parameter>{
             {p.double_precision_latency_cycles, "double_precision_latency_cycles", false, 1, wait},
             {p.special_function_latency_cycles, "special_function_latency_cycles", false, 1, wait},
             {p.tensor_latency_cycles, "tensor_latency_cycles", false, 1, wait},
             {p.shared_latency_cycles, "shared_latency_cycles", false, 1, wait},
             {p.l1_latency_cycles, "l1_latency_cycles", false, 1, wait},
             {p.l2_latency_cycles, "l2_latency_cycles", false, 1, wait},
             {p.dram_latency_cycles, "dram_latency_cycles", false, 1, wait},
             {p.shared_bytes_per_cycle, "shared_bytes_per_cycle", false, 1, rate},
             {p.l1_bytes_per_cycle, "l1_bytes_per_cycle", false, 1, rate},
             {p.l2_bytes_per_cycle, "l2_bytes_per_cycle", false, 1, rate}}) {
        const auto bad = core::check_bounded(known);
        if (bad && known.value != 0) return bad;
    }
    for (const core::bounded_parameter& part : std::initializer_list<core::bounded_parameter>{
             {p.beyond_l1_fraction, "beyond_l1_fraction", false, 0, 1},
             {p.from_dram_fraction, "from_dram_fraction", false, 0, 1}}) {
        if (const auto bad = core::check_bounded(part)) return bad;
    }
    if (const auto bad = check_rates(p.rates)) return bad;
    if (const auto bad = core::check_input(p.last_dram_bytes_per_cycle, "last_dram_bytes_per_cycle",
                                           core::zero::allowed)) {
        return bad;
    }
    return core::check_input(p.dram_bytes_per_cycle, "dram_bytes_per_cycle");
}

constexpr model_error check_residency(const sm_residency& r) {
    if (r.blocks == 0) return {errc::not_positive, "blocks"};
    if (r.warps_per_block == 0) return {errc::not_positive, "warps_per_block"};
    if (r.start_cycle > max_simulated_cycles) return {errc::overflow, "start_cycle"};
    if (r.warps_per_block > max_sm_warps) return {errc::limit_reached, "warps_per_block"};
    if (r.blocks > max_sm_warps / r.warps_per_block) return {errc::limit_reached, "blocks"};
    if (r.total_blocks > max_sm_blocks) return {errc::overflow, "total_blocks"};
    return {};
}

/// The name of a device's parameter for the latency of an instruction.
constexpr std::string_view latency_field(unit_kind kind) {
    switch (kind) {
        case unit_kind::integer:
        case unit_kind::branch: return "integer_latency_cycles";
        case unit_kind::single_precision: return "single_precision_latency_cycles";
        case unit_kind::tensor: return "tensor_latency_cycles";
        case unit_kind::double_precision: return "double_precision_latency_cycles";
        case unit_kind::special_function: return "special_function_latency_cycles";
        case unit_kind::shared_memory: return "shared_latency_cycles";
        case unit_kind::l1_cache: return "l1_latency_cycles";
        case unit_kind::l2_cache: return "l2_latency_cycles";
        case unit_kind::global_memory: return "dram_latency_cycles";
        case unit_kind::barrier:
        case unit_kind::loop: break;
    }
    return {};
}

/// The parameter that an instruction needs and the SM does not know, or of a product how many multiply-adds it has;
/// empty if there is none. An access to global memory
/// waits for each level that has some of its bytes, and for L2 where L2 has a queue.
constexpr std::string_view unknown_parameter(const instruction& i, const sm_parameters& p,
                                             const entry_level& l) {
    const unit_kind kind = executed_as(i, p);
    const std::size_t unit = unit_of(kind, p);
    if (unit == sm_unit_count) return {};
    if (i.unit == unit_kind::tensor && i.tensor_fmas == 0) return "tensor_fmas";
    if (!(p.lanes[unit] > 0)) return lane_fields[unit];
    if (i.async == async_step::bulk) {
        if (!p.bulk_copies) return "bulk_copies";
    } else if (i.async != async_step::none && !concerns_products(i) && !p.async_copies) {
        return "async_copies";
    }
    if (!is_memory(i)) return latency_of(kind, p) > 0 ? "" : latency_field(kind);
    const bool from_l2 = l.beyond_l1 > l.from_dram || l2_bytes_of(i, p, l) > 0;
    if (i.transactions > 1 && !(p.dram_transaction_bytes > 0)) return "dram_transaction_bytes";
    if (l.beyond_l1 < 1 && !(p.l1_latency_cycles > 0)) return "l1_latency_cycles";
    if (from_l2 && !(p.l2_latency_cycles > 0)) return "l2_latency_cycles";
    return l.latency_cycles > 0 ? "" : "dram_latency_cycles";
}

/// The error of a checked stream with an instruction that could never be issued, or whose time is not known.
constexpr model_error check_units(std::span<const instruction> stream, const sm_parameters& p) {
    if (const auto bad = check_levels(p.levels.of_entries, stream.size())) return bad;
    for (std::size_t at = 0; at < stream.size(); ++at) {
        const instruction& i = stream[at];
        if (const auto unknown = unknown_parameter(i, p, level_of(at, p)); !unknown.empty()) {
            return {errc::missing, unknown, static_cast<std::uint32_t>(at + 1)};
        }
        if (is_memory(i) && i.transactions <= 1 && i.bytes == 0) {
            return stream_error(errc::malformed, at);
        }
    }
    return {};
}

}  // namespace detail::simulate

}  // namespace WARPGAUGE_NAMESPACE

#endif
