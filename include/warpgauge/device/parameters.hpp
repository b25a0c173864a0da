// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICE_PARAMETERS_HPP
#define WARPGAUGE_DEVICE_PARAMETERS_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/device/instruction_costs.hpp>
#include <warpgauge/device/ppt_parameters.hpp>

/// \file The parameters of a device, as one table from which all declarations about them follow.
///
/// Parameters that are known or unknown together form a group. For each group `g` there are
/// - the concept `has_g`: a device that has every parameter of the group, as a data member or as a
///   `static constexpr` member;
/// - the struct `parameters::g<Real>`: the group as data members, an aggregate;
/// - the struct `constants::g<Source>`: the group as `static constexpr` members, a base of device traits.
///
/// For each parameter the table gives name, unit, valid range and meaning: `device_parameters`.
/// To add a parameter is to add a row. To add a group is to add its rows and its name to the list of groups.

namespace WARPGAUGE_NAMESPACE {

/// The values that a parameter may have. Every value is finite.
enum class parameter_range : std::uint8_t {
    positive,      ///< above 0
    non_negative,  ///< 0 or above
    whole,  ///< a whole number, 1 or above, in a device as shipped. Closed forms take fractions too, for questions such
    ///< as how many SMs are needed; models that count SMs and warps one by one have the error `not_whole`
    fraction,  ///< 0 to 1
};

// Rows of a group. P: a number. V: a value of another type, which tools do not vary.
//   P(group, name, unit, range, meaning)    V(type, name, meaning)
// clang-format off

/// The chip as a whole. Every device has these.
#define WARPGAUGE_ROWS_chip(P, V) \
    P(chip, sm_count, "SM", whole, "streaming multiprocessors") \
    P(chip, clock_hz, "cycle/s", positive, "clock of an SM") \
    P(chip, dram_bytes_per_s, "B/s", positive, "peak bandwidth of DRAM")

/// The group of threads that executes in lock step.
#define WARPGAUGE_ROWS_warp(P, V) \
    P(warp, warp_size, "thread", whole, "threads of a warp")

/// The instruction set that the device runs.
#define WARPGAUGE_ROWS_architecture(P, V) \
    V(compute_capability, capability, "compute capability")

/// What one SM holds: the limits of its compute capability.
#define WARPGAUGE_ROWS_residency(P, V) \
    V(register_rule, registers_go, "how registers are allocated") \
    P(residency, max_threads_per_block, "thread", whole, "threads of a block") \
    P(residency, max_warps_per_sm, "warp", whole, "warps that are resident on an SM") \
    P(residency, max_blocks_per_sm, "block", whole, "blocks that are resident on an SM") \
    P(residency, registers_per_sm, "register", whole, "32-bit registers of an SM") \
    P(residency, max_registers_per_block, "register", whole, "32-bit registers of a block") \
    P(residency, max_registers_per_thread, "register", whole, "32-bit registers of a thread") \
    P(residency, register_unit, "register", whole, "allocations of registers are multiples of it") \
    P(residency, register_partitions, "1", whole, "equal parts of the register file of an SM") \
    P(residency, register_check_partitions, "1", whole, "parts that the check at launch rounds warps up to") \
    P(residency, shared_bytes_per_sm, "B", whole, "shared memory of an SM, in its largest configuration") \
    P(residency, max_shared_bytes_per_block, "B", whole, "shared memory of a block, after opting in where that is needed") \
    P(residency, shared_unit_bytes, "B", whole, "allocations of shared memory are multiples of it") \
    P(residency, reserved_shared_bytes_per_block, "B", non_negative, "shared memory of a block that the system takes")

/// How long one access to DRAM takes, with nothing else under way.
#define WARPGAUGE_ROWS_dram_latency(P, V) \
    P(dram_latency, dram_latency_cycles, "cycle", positive, "round trip of one transaction; Mem_LD of Hong & Kim 2009, tbl. 1")

/// How fast transactions leave an SM (Hong & Kim 2009, tbl. 1, 6).
#define WARPGAUGE_ROWS_departures(P, V) \
    P(departures, coalesced_departure_cycles, "cycle", positive, "between two coalesced transactions; Departure_del_coal") \
    P(departures, uncoalesced_departure_cycles, "cycle", positive, "between two uncoalesced transactions; Departure_del_uncoal")

/// How many bytes one uncoalesced transaction moves.
#define WARPGAUGE_ROWS_transaction_size(P, V) \
    P(transaction_size, dram_transaction_bytes, "B", whole, "bytes of one transaction")

/// How often an SM issues (Hong & Kim 2009, tbl. 1).
#define WARPGAUGE_ROWS_issue(P, V) \
    P(issue, issue_cycles, "cycle", positive, "cycles that an SM takes to issue one instruction of a warp; #Issue_cycles")

/// The execution units of one SM (Chapuis et al. 2016, tbl. 1; load/store: Berezovskyi et al. 2012, sec. 3).
#define WARPGAUGE_ROWS_cores(P, V) \
    P(cores, cuda_cores, "lane", whole, "single-precision lanes of an SM")
#define WARPGAUGE_ROWS_load_store(P, V) \
    P(load_store, load_store_units, "lane", whole, "load/store lanes of an SM")
#define WARPGAUGE_ROWS_double_precision(P, V) \
    P(double_precision, double_precision_units, "lane", whole, "double-precision lanes of an SM")
#define WARPGAUGE_ROWS_special_functions(P, V) \
    P(special_functions, special_function_units, "lane", whole, "special-function lanes of an SM")
#define WARPGAUGE_ROWS_schedulers(P, V) \
    P(schedulers, warp_schedulers, "1", whole, "warp schedulers of an SM") \
    P(schedulers, issues_per_scheduler, "instruction/cycle", whole, "instructions that a scheduler issues a cycle; 2: dual issue")

/// How an SM is built.
#define WARPGAUGE_ROWS_partitions(P, V) \
    P(partitions, sub_cores, "1", whole, "equal parts of an SM, each with its own warps, schedulers and lanes")

/// What an instruction of a warp costs an SM, whatever its lanes are. The lanes of each unit are groups of
/// their own: cores, integers (also for multiply-adds), double_precision, special_functions, load_store.
#define WARPGAUGE_ROWS_pipes(P, V) \
    P(pipes, memory_instruction_cycles, "cycle", positive, "of the load/store lanes, for one memory instruction of a warp, at least") \
    P(pipes, shared_pass_cycles, "cycle", positive, "of shared memory, for one pass: what the lanes ask of its banks at a time") \
    P(pipes, branch_cycles, "cycle", positive, "from a comparison until the instruction behind the branch that waits for it")

/// Integer units beside the CUDA cores. Where a device has none, the CUDA cores do their work.
#define WARPGAUGE_ROWS_integers(P, V) \
    P(integers, integer_units, "lane", whole, "integer lanes of an SM")

/// Results of an SM in a cycle, by class of instruction (NVIDIA, CUDA C++ Programming Guide, tbl. "Throughput of Native
/// Arithmetic Instructions"), where its unit has lanes for more. A class without a rate has that of its unit.
#define WARPGAUGE_ROWS_integer_add_rates(P, V) \
    P(integer_add_rates, integer_adds_per_cycle, "1/cycle", positive, "additions and subtractions of integers") \
    P(integer_add_rates, integer_logic_per_cycle, "1/cycle", positive, "AND, OR, XOR and the like")
#define WARPGAUGE_ROWS_integer_rates(P, V) \
    P(integer_rates, integer_products_per_cycle, "1/cycle", positive, "products and multiply-adds of integers") \
    P(integer_rates, shifts_per_cycle, "1/cycle", positive, "shifts, and fields of bits") \
    P(integer_rates, bit_counts_per_cycle, "1/cycle", positive, "population counts, leading zeros and bit reversals")
#define WARPGAUGE_ROWS_comparison_rate(P, V) \
    P(comparison_rate, comparisons_per_cycle, "1/cycle", positive, "comparisons, minima and maxima of integers and of single precision")
#define WARPGAUGE_ROWS_conversion_rate(P, V) \
    P(conversion_rate, conversions_per_cycle, "1/cycle", positive, "conversions to or from a float, of up to 32 bits")
#define WARPGAUGE_ROWS_wide_conversion_rate(P, V) \
    P(wide_conversion_rate, wide_conversions_per_cycle, "1/cycle", positive, "conversions to or from a float, if either type has 64 bits")

/// Cycles from the issue of an instruction until another can use its result (Chapuis et al. 2016, sec. 4.2).
#define WARPGAUGE_ROWS_arithmetic_latency(P, V) \
    P(arithmetic_latency, integer_latency_cycles, "cycle", positive, "integer arithmetic") \
    P(arithmetic_latency, single_precision_latency_cycles, "cycle", positive, "single-precision arithmetic")
#define WARPGAUGE_ROWS_double_precision_latency(P, V) \
    P(double_precision_latency, double_precision_latency_cycles, "cycle", positive, "double-precision arithmetic")
#define WARPGAUGE_ROWS_special_function_latency(P, V) \
    P(special_function_latency, special_function_latency_cycles, "cycle", positive, "special functions")
#define WARPGAUGE_ROWS_tensor_latency(P, V) \
    P(tensor_latency, tensor_latency_cycles, "cycle", positive, "matrix product of one warp; a larger one takes the time of its multiply-adds")

/// Cycles from the issue of a load until another instruction can use its result, where the load does not reach DRAM.
#define WARPGAUGE_ROWS_shared_latency(P, V) \
    P(shared_latency, shared_latency_cycles, "cycle", positive, "load from shared memory")
#define WARPGAUGE_ROWS_l1_latency(P, V) \
    P(l1_latency, l1_latency_cycles, "cycle", positive, "load that hits the SM's own cache")
#define WARPGAUGE_ROWS_l2_latency(P, V) \
    P(l2_latency, l2_latency_cycles, "cycle", positive, "load that hits the cache of all SMs")

/// The caches: how much they hold, and how much an SM gets from them in a cycle.
#define WARPGAUGE_ROWS_l1_cache(P, V) \
    P(l1_cache, l1_bytes_per_sm, "B", whole, "memory of an SM that L1 and shared memory divide between them")
#define WARPGAUGE_ROWS_l2_cache(P, V) \
    P(l2_cache, l2_bytes, "B", whole, "L2 of the chip")
#define WARPGAUGE_ROWS_shared_bandwidth(P, V) \
    P(shared_bandwidth, shared_bytes_per_cycle, "B/cycle", positive, "shared memory to an SM")
#define WARPGAUGE_ROWS_l1_bandwidth(P, V) \
    P(l1_bandwidth, l1_bytes_per_cycle, "B/cycle", positive, "L1 to its SM, measured")
#define WARPGAUGE_ROWS_l2_bandwidth(P, V) \
    P(l2_bandwidth, l2_bytes_per_cycle, "B/cycle", positive, "L2 to an SM while all SMs read, measured")

/// Which fraction of `dram_bytes_per_s` a long stream reaches.
#define WARPGAUGE_ROWS_dram_read(P, V) \
    P(dram_read, dram_read_fraction, "1", fraction, "loads alone, measured")
#define WARPGAUGE_ROWS_dram_write(P, V) \
    P(dram_write, dram_write_fraction, "1", fraction, "stores alone, measured")
#define WARPGAUGE_ROWS_dram_mixed(P, V) \
    P(dram_mixed, dram_mixed_fraction, "1", fraction, "loads and stores together, measured")

/// What a board allows.
#define WARPGAUGE_ROWS_sustained_clock(P, V) \
    P(sustained_clock, sustained_clock_hz, "cycle/s", positive, "clock of an SM under a long matrix product, measured")
#define WARPGAUGE_ROWS_board_power(P, V) \
    P(board_power, board_power_w, "W", positive, "power limit of the board")
#define WARPGAUGE_ROWS_operation_energy(P, V) \
    P(operation_energy, fp32_op_pj, "pJ", positive, "a single-precision lane operation, a multiply-add") \
    P(operation_energy, l2_byte_pj, "pJ", positive, "a byte that moves between L2 and an SM")
#define WARPGAUGE_ROWS_launch_overhead(P, V) \
    P(launch_overhead, launch_overhead_s, "s", positive, "from one small kernel to the next in a stream, measured")

/// Matrix units.
#define WARPGAUGE_ROWS_tensor(P, V) \
    P(tensor, tensor_fma_per_cycle, "1/cycle", whole, "multiply-adds of half precision, dense, of an SM in a cycle")

/// What the computation of concurrent warps costs (Cheng & Suda 2011, sec. 3.4, tbl. 1).
#define WARPGAUGE_ROWS_computation_costs(P, V) \
    P(computation_costs, cpd_a, "warp", positive, "empirical; a of (3), (4)") \
    P(computation_costs, cpd_b, "warp", positive, "empirical; b of (3)") \
    P(computation_costs, cpd_c, "1", fraction, "fraction of computation, empirical; c of (3), (5)") \
    P(computation_costs, cpd_d, "warp", positive, "empirical; d of (5)") \
    V(instruction_costs, costs, "cycles of each operation")

/// The costs of an iterative stencil (Meng & Skadron 2009, tbl. 1, sec. 4).
#define WARPGAUGE_ROWS_stencil_timing(P, V) \
    P(stencil_timing, uncontended_latency_cycles, "cycle", non_negative, "one request, no others; UncontendedLat") \
    P(stencil_timing, coalesce_width, "thread", positive, "threads that share one request; CoalesceDegree") \
    P(stencil_timing, dram_pipeline_depth, "request", positive, "requests at a time; PipelineDepth") \
    P(stencil_timing, global_sync_cycles, "cycle", non_negative, "to end and restart a kernel; GlbSync, (15)") \
    P(stencil_timing, average_cpi, "cycle", positive, "per instruction of a warp; CPI") \
    P(stencil_timing, tiles_stay_local, "1", fraction, "fraction of tiles that stay between stages, so that only their ghost zone travels; 0 on a GPU; sec. 4.5") \
    P(stencil_timing, traffic_overlap, "1", fraction, "fraction of the shorter of memory and computation that the longer hides; 0 on a GPU; sec. 4.5")

/// The device as described for the program of Chapuis et al. 2016.
#define WARPGAUGE_ROWS_ppt_description(P, V) \
    V(ppt_parameters, ppt, "the program's own parameters")

/// Every group, in the order of the structs that hold them.
#define WARPGAUGE_GROUPS(G) \
    G(chip) G(warp) G(architecture) G(residency) G(dram_latency) G(departures) G(transaction_size) G(issue) \
    G(cores) G(load_store) G(double_precision) G(special_functions) G(schedulers) G(partitions) G(pipes) G(integers) \
    G(integer_add_rates) G(integer_rates) G(comparison_rate) G(conversion_rate) G(wide_conversion_rate) \
    G(arithmetic_latency) G(double_precision_latency) G(special_function_latency) G(tensor_latency) \
    G(shared_latency) G(l1_latency) G(l2_latency) G(l1_cache) G(l2_cache) G(shared_bandwidth) \
    G(l1_bandwidth) G(l2_bandwidth) G(dram_read) G(dram_write) G(dram_mixed) G(sustained_clock) G(board_power) G(operation_energy) \
    G(launch_overhead) G(tensor) G(computation_costs) G(stencil_timing) G(ppt_description)

// clang-format on

/// A row of the table.
struct parameter_info {
    std::string_view name{};     ///< the member of a device
    std::string_view group{};    ///< its group, whose parameters are known or unknown together
    std::string_view unit{};     ///< "1" for a pure number
    parameter_range range{};     ///< the values that it may have
    std::string_view meaning{};  ///< what it is, in a few words
};

// NOLINTBEGIN(bugprone-macro-parentheses): names and types cannot stand in parentheses
// clang-format off
#define WARPGAUGE_EACH_GROUP(group) WARPGAUGE_ROWS_##group(WARPGAUGE_P, WARPGAUGE_V)
#define WARPGAUGE_V(type, name, meaning)

/// Every parameter, in the order of the table.
#define WARPGAUGE_P(group, name, unit, range, meaning) name,
enum class device_parameter : std::uint8_t { WARPGAUGE_GROUPS(WARPGAUGE_EACH_GROUP) };
#undef WARPGAUGE_P

/// The table, one row a parameter.
#define WARPGAUGE_P(group, name, unit, range, meaning) \
    {#name, #group, unit, parameter_range::range, meaning},
inline constexpr parameter_info device_parameters[] = {WARPGAUGE_GROUPS(WARPGAUGE_EACH_GROUP)};
#undef WARPGAUGE_P
#undef WARPGAUGE_V
#undef WARPGAUGE_EACH_GROUP

/// The number of parameters in the table.
inline constexpr std::size_t device_parameter_count =
    sizeof(device_parameters) / sizeof(device_parameters[0]);

/// Every group, in the order of the table.
#define WARPGAUGE_GROUP_ID(group) group,
enum class device_group : std::uint8_t { WARPGAUGE_GROUPS(WARPGAUGE_GROUP_ID) };
#undef WARPGAUGE_GROUP_ID
#define WARPGAUGE_GROUP_NAME(group) #group,
/// The name of each group, indexed by `device_group`.
inline constexpr std::string_view device_group_names[] = {WARPGAUGE_GROUPS(WARPGAUGE_GROUP_NAME)};
#undef WARPGAUGE_GROUP_NAME

/// The name of a group, as in `parameters::`; "unknown" for a value that is no enumerator.
[[nodiscard]] constexpr std::string_view name(device_group g) noexcept {
    const auto at = static_cast<std::size_t>(g);
    return at < sizeof(device_group_names) / sizeof(device_group_names[0]) ? device_group_names[at] : "unknown";
}

/// Some of the groups, as a set.
class group_set {
public:
    constexpr void add(device_group g) noexcept { bits_ |= bit(g); }  ///< Adds `g`.
    constexpr void remove(device_group g) noexcept { bits_ &= ~bit(g); }  ///< Takes `g` out.
    /// Whether `g` is in the set.
    [[nodiscard]] constexpr bool contains(device_group g) const noexcept { return (bits_ & bit(g)) != 0; }

private:
    static constexpr std::uint64_t bit(device_group g) { return std::uint64_t{1} << static_cast<unsigned>(g); }
    std::uint64_t bits_{};
};

/// The row of a parameter. An enumerator of the enumeration.
[[nodiscard]] constexpr const parameter_info& info(device_parameter p) noexcept {
    return device_parameters[static_cast<std::size_t>(p)];
}

// The concept of each group.
#define WARPGAUGE_P(group, name, unit, range, meaning) { d.name } -> number;
#define WARPGAUGE_V(type, name, meaning) { d.name } -> std::convertible_to<type>;
#define WARPGAUGE_CONCEPT(group) \
    template <class D>           \
    concept has_##group = requires(const D& d) { WARPGAUGE_ROWS_##group(WARPGAUGE_P, WARPGAUGE_V) };
WARPGAUGE_GROUPS(WARPGAUGE_CONCEPT)
#undef WARPGAUGE_CONCEPT
#undef WARPGAUGE_V
#undef WARPGAUGE_P

// The struct of each group, with what tools need of it: whether a device has the group, a copy of it, and a walk
// over its numbers, `visit(device_parameter, member)`.
#define WARPGAUGE_MEMBER(group, name, unit, range, meaning) Real name{};
#define WARPGAUGE_MEMBER_V(type, name, meaning) type name{};
#define WARPGAUGE_COPY(group, name, unit, range, meaning) to.name = static_cast<Real>(from.name);
#define WARPGAUGE_COPY_V(type, name, meaning) to.name = from.name;
#define WARPGAUGE_VISIT(group, name, unit, range, meaning) visit(device_parameter::name, of.name);
#define WARPGAUGE_VISIT_V(type, name, meaning)
#define WARPGAUGE_SAME(group, name, unit, range, meaning) && a.name == b.name
#define WARPGAUGE_SAME_V(type, name, meaning) && a.name == b.name
#define WARPGAUGE_COUNT(group, name, unit, range, meaning)
#define WARPGAUGE_COUNT_V(type, name, meaning) +1
#define WARPGAUGE_STRUCT(group)                                                \
    template <class Real = double>                                             \
    struct group {                                                             \
        WARPGAUGE_ROWS_##group(WARPGAUGE_MEMBER, WARPGAUGE_MEMBER_V)           \
                                                                               \
        [[nodiscard]] static constexpr bool same(const group& a, const group& b) { \
            return true WARPGAUGE_ROWS_##group(WARPGAUGE_SAME, WARPGAUGE_SAME_V);  \
        }                                                                          \
                                                                               \
        static constexpr device_group which = device_group::group;             \
        /* Whether it has rows V. */                                           \
        static constexpr bool has_values =                                     \
            (0 WARPGAUGE_ROWS_##group(WARPGAUGE_COUNT, WARPGAUGE_COUNT_V)) > 0; \
                                                                               \
        template <class D>                                                     \
        static constexpr bool known_of = has_##group<D>;                       \
                                                                               \
        template <class D>                                                     \
        [[nodiscard]] static constexpr group copy_of(const D& from) {          \
            group to;                                                          \
            WARPGAUGE_ROWS_##group(WARPGAUGE_COPY, WARPGAUGE_COPY_V)           \
            return to;                                                         \
        }                                                                      \
                                                                               \
        template <class Device, class Visitor>                                 \
        static constexpr void for_each([[maybe_unused]] Device& of,            \
                                       [[maybe_unused]] Visitor& visit) {      \
            WARPGAUGE_ROWS_##group(WARPGAUGE_VISIT, WARPGAUGE_VISIT_V)         \
        }                                                                      \
    };
namespace parameters {
WARPGAUGE_GROUPS(WARPGAUGE_STRUCT)
}  // namespace parameters
#undef WARPGAUGE_STRUCT

// The same as members that the compiler knows, of a constant `Source::values`: a base of device traits.
#define WARPGAUGE_CONSTANT(group, name, unit, range, meaning) static constexpr double name = Source::values.name;
#define WARPGAUGE_CONSTANT_V(type, name, meaning) static constexpr type name = Source::values.name;
#define WARPGAUGE_CONSTANTS(group)                                             \
    template <class Source>                                                    \
    struct group {                                                             \
        WARPGAUGE_ROWS_##group(WARPGAUGE_CONSTANT, WARPGAUGE_CONSTANT_V)       \
    };
namespace constants {
WARPGAUGE_GROUPS(WARPGAUGE_CONSTANTS)
}  // namespace constants
#undef WARPGAUGE_CONSTANTS
#undef WARPGAUGE_CONSTANT_V
#undef WARPGAUGE_CONSTANT
#undef WARPGAUGE_SAME_V
#undef WARPGAUGE_SAME
#undef WARPGAUGE_COUNT_V
#undef WARPGAUGE_COUNT
#undef WARPGAUGE_VISIT_V
#undef WARPGAUGE_VISIT
#undef WARPGAUGE_COPY_V
#undef WARPGAUGE_COPY
#undef WARPGAUGE_MEMBER_V
#undef WARPGAUGE_MEMBER

/// A list of groups, as a type.
template <template <class> class... Groups>
struct group_list {};

/// The groups of both lists, in order.
template <template <class> class... First, template <class> class... Second>
[[nodiscard]] constexpr auto operator+(group_list<First...>, group_list<Second...>) {
    return group_list<First..., Second...>{};
}

namespace detail::device {
template <bool Known, template <class> class Group>
struct group_if {
    using type = group_list<Group>;
};
template <template <class> class Group>
struct group_if<false, Group> {
    using type = group_list<>;
};

/// The groups of all lists, in order: eight lists a step, since the name of each step's type is as long as its result.
template <class First, class... Rest>
struct joined {
    using type = First;
};
template <template <class> class... A, template <class> class... B, class... Rest>
struct joined<group_list<A...>, group_list<B...>, Rest...>
    : joined<group_list<A..., B...>, Rest...> {};
template <template <class> class... A, template <class> class... B, template <class> class... C,
          template <class> class... D, template <class> class... E, template <class> class... F,
          template <class> class... G, template <class> class... H, class... Rest>
struct joined<group_list<A...>, group_list<B...>, group_list<C...>, group_list<D...>,
              group_list<E...>, group_list<F...>, group_list<G...>, group_list<H...>, Rest...>
    : joined<group_list<A..., B..., C..., D..., E..., F..., G..., H...>, Rest...> {};
}  // namespace detail::device

/// Every group.
#define WARPGAUGE_LIST(group) , group_list<parameters::group>
using all_groups = detail::device::joined<group_list<> WARPGAUGE_GROUPS(WARPGAUGE_LIST)>::type;
#undef WARPGAUGE_LIST
/// The groups that the type of a device has in full.
#define WARPGAUGE_KNOWN(group) \
    , typename detail::device::group_if<has_##group<D>, parameters::group>::type
template <class D>
using groups_of = typename detail::device::joined<group_list<> WARPGAUGE_GROUPS(WARPGAUGE_KNOWN)>::type;
#undef WARPGAUGE_KNOWN

#undef WARPGAUGE_GROUPS
#undef WARPGAUGE_ROWS_chip
#undef WARPGAUGE_ROWS_warp
#undef WARPGAUGE_ROWS_architecture
#undef WARPGAUGE_ROWS_residency
#undef WARPGAUGE_ROWS_dram_latency
#undef WARPGAUGE_ROWS_departures
#undef WARPGAUGE_ROWS_transaction_size
#undef WARPGAUGE_ROWS_issue
#undef WARPGAUGE_ROWS_cores
#undef WARPGAUGE_ROWS_load_store
#undef WARPGAUGE_ROWS_double_precision
#undef WARPGAUGE_ROWS_special_functions
#undef WARPGAUGE_ROWS_schedulers
#undef WARPGAUGE_ROWS_partitions
#undef WARPGAUGE_ROWS_pipes
#undef WARPGAUGE_ROWS_integers
#undef WARPGAUGE_ROWS_integer_add_rates
#undef WARPGAUGE_ROWS_integer_rates
#undef WARPGAUGE_ROWS_comparison_rate
#undef WARPGAUGE_ROWS_conversion_rate
#undef WARPGAUGE_ROWS_wide_conversion_rate
#undef WARPGAUGE_ROWS_arithmetic_latency
#undef WARPGAUGE_ROWS_double_precision_latency
#undef WARPGAUGE_ROWS_special_function_latency
#undef WARPGAUGE_ROWS_tensor_latency
#undef WARPGAUGE_ROWS_shared_latency
#undef WARPGAUGE_ROWS_l1_latency
#undef WARPGAUGE_ROWS_l2_latency
#undef WARPGAUGE_ROWS_l1_cache
#undef WARPGAUGE_ROWS_l2_cache
#undef WARPGAUGE_ROWS_shared_bandwidth
#undef WARPGAUGE_ROWS_l1_bandwidth
#undef WARPGAUGE_ROWS_l2_bandwidth
#undef WARPGAUGE_ROWS_dram_read
#undef WARPGAUGE_ROWS_dram_write
#undef WARPGAUGE_ROWS_dram_mixed
#undef WARPGAUGE_ROWS_sustained_clock
#undef WARPGAUGE_ROWS_board_power
#undef WARPGAUGE_ROWS_operation_energy
#undef WARPGAUGE_ROWS_launch_overhead
#undef WARPGAUGE_ROWS_tensor
#undef WARPGAUGE_ROWS_computation_costs
#undef WARPGAUGE_ROWS_stencil_timing
#undef WARPGAUGE_ROWS_ppt_description
// clang-format on
// NOLINTEND(bugprone-macro-parentheses)

/// A device that says at run time which groups it knows, of those that its type has.
template <class D>
concept partly_known = requires(const D& d, device_group g) {
    { d.knows(g) } -> std::same_as<bool>;
};

/// Whether a device has a group: its type has it, and for a partly known device, its value says that it is known.
template <template <class> class Group, class D>
[[nodiscard]] constexpr bool knows([[maybe_unused]] const D& d) {
    if constexpr (!Group<double>::template known_of<D>) {
        return false;
    } else if constexpr (partly_known<D>) {
        return d.knows(Group<double>::which);
    } else {
        return true;
    }
}

namespace detail::device {

/// Calls `visit` for the known parameters of `Groups`, all of which the type of a device has. It instantiates few
/// functions for each device and group, since programs have many of both.
template <template <class> class... Groups, class Device, class Visitor>
constexpr void visit_groups(group_list<Groups...>, Device& d, Visitor& visit) {
    if constexpr (partly_known<Device>) {
        ((d.knows(Groups<double>::which) ? Groups<double>::for_each(d, visit) : void()), ...);
    } else {
        (Groups<double>::for_each(d, visit), ...);
    }
}

/// Those of `Groups` that the type of a device has.
template <class D, template <class> class... Groups>
constexpr auto groups_among(group_list<Groups...>) ->
    typename joined<group_list<>,
                    typename group_if<Groups<double>::template known_of<D>, Groups>::type...>::type;

}  // namespace detail::device

/// Calls `visit(device_parameter, value)` for every parameter that a device has, in the order of the table; with a
/// reference to the value, so that a runtime device can be changed.
template <class Device, class Visitor>
requires has_chip<std::remove_const_t<Device>>
constexpr void for_each_parameter(Device& d, Visitor&& visit) {
    detail::device::visit_groups(groups_of<std::remove_const_t<Device>>{}, d, visit);
}

/// The parameter of a runtime device of that name, or null.
template <has_chip Device>
[[nodiscard]] constexpr auto* find_parameter(Device& d, std::string_view name) {
    using real = std::remove_reference_t<decltype((d.sm_count))>;
    real* found = nullptr;
    for_each_parameter(d, [&](device_parameter p, real& value) {
        if (info(p).name == name) found = &value;
    });
    return found;
}

namespace detail::device {

/// Finds the first parameter that is out of its range. It is not a lambda, which would be compiled for each device.
template <scalar Real>
struct range_check {
    model_error bad{};

    template <class Value>
    constexpr void operator()(device_parameter p, const Value& value) {
        if (bad) return;
        const parameter_info& row = info(p);
        const Real x = Real(value);
        const bool zero =
            row.range == parameter_range::non_negative || row.range == parameter_range::fraction;
        bad = core::check_input(x, row.name, zero ? core::zero::allowed : core::zero::forbidden);
        if (!bad && row.range == parameter_range::fraction &&
            !scalar_traits<Real>::all(x <= Real(1.0))) {
            bad = {errc::outside_domain, row.name};
        }
    }
};

}  // namespace detail::device

/// The error of the parameters of `Groups` in a device, converted to the type `Real`.
/// \errors not_positive, negative, overflow  as `core::check_input`; outside_domain  a fraction above 1
template <scalar Real, template <class> class... Groups, class Device>
[[nodiscard]] constexpr model_error check_parameters(const Device& d) {
    detail::device::range_check<Real> check;
    (Groups<double>::for_each(d, check), ...);
    return check.bad;
}

/// Calls `visit(device_parameter, value)` for the parameters of those `Groups` that a device has.
template <template <class> class... Groups, class Device, class Visitor>
[[gnu::always_inline]] constexpr void for_each_known(group_list<Groups...>, Device& d,
                                                     Visitor&& visit) {
    using known = decltype(detail::device::groups_among<std::remove_const_t<Device>>(
        group_list<Groups...>{}));
    detail::device::visit_groups(known{}, d, visit);
}

/// As `check_parameters`, for those `Groups` that a device has.
template <scalar Real, template <class> class... Groups, class Device>
[[nodiscard]] constexpr model_error check_known_parameters(group_list<Groups...>, const Device& d) {
    detail::device::range_check<Real> check;
    for_each_known(group_list<Groups...>{}, d, check);
    return check.bad;
}

/// Some of the parameters, as a set.
class parameter_set {
public:
    constexpr void add(device_parameter p) noexcept { words_[word(p)] |= bit(p); }  ///< Adds `p`.
    /// Whether `p` is in the set.
    [[nodiscard]] constexpr bool contains(device_parameter p) const noexcept {
        return (words_[word(p)] & bit(p)) != 0;
    }
    /// Whether the set has no parameter.
    [[nodiscard]] constexpr bool empty() const noexcept { return *this == parameter_set{}; }
    friend constexpr bool operator==(const parameter_set&, const parameter_set&) = default;

private:
    static constexpr std::size_t word(device_parameter p) {
        return static_cast<std::size_t>(p) / 64;
    }
    static constexpr std::uint64_t bit(device_parameter p) {
        return std::uint64_t{1} << (static_cast<std::size_t>(p) % 64);
    }
    std::uint64_t words_[(device_parameter_count + 63) / 64]{};
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
