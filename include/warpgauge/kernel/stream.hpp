// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_STREAM_HPP
#define WARPGAUGE_KERNEL_STREAM_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file Checks of an instruction stream, walks over its entries and executions, and its instruction mix
/// (Hong & Kim 2009, tbl. 1): `instruction_mix`, `mix_of`, `with_mix`.
///
/// `periods.hpp`, `instruction_string.hpp` and `task_list.hpp` read streams for the models that need their order.
/// Work is in proportion to the entries of a stream, not to their executions, except if the
/// result itself is as long as the execution; then `max_executed` bounds it.
/// \errors for all of them, with `field` "instructions" and, in `line`, the entry, from 1:
///         missing         the stream is empty
///         malformed       a loop of no length or no rounds, one that reaches past the end of the
///                         stream or of the loop around it, or a need that is not in the stream, or
///                         is the head of a loop, an asynchronous copy or such a product; a step of these on a unit
///                         that does not do it, a wait with more than one need besides, `groups_left` of another step or
///                         above `max_groups_left`; `lines` of another unit than L1, L2 or global memory;
///                         `sharing_warps` of another step than `block_product`
///         limit_reached   loops nested more than `max_nested_loops` deep, or more than `max_executed`
///                         entries in the answer

namespace WARPGAUGE_NAMESPACE {

/// Loops may be nested this deep.
inline constexpr int max_nested_loops = 16;

/// The longest result of the functions that write out every execution.
inline constexpr std::size_t max_executed = std::size_t{1} << 26;

/// Whether an entry accesses global memory, so that DRAM may have to serve it.
[[nodiscard]] constexpr bool is_memory(const instruction& i) noexcept {
    return i.unit == unit_kind::global_memory;
}

/// Whether an entry loads from or stores to any memory.
[[nodiscard]] constexpr bool uses_load_store_units(unit_kind unit) noexcept {
    return unit == unit_kind::shared_memory || unit == unit_kind::l1_cache ||
           unit == unit_kind::l2_cache || unit == unit_kind::global_memory;
}

/// Whether an entry begins an asynchronous copy.
[[nodiscard]] constexpr bool is_async_copy(const instruction& i) noexcept {
    return i.async == async_step::copy || i.async == async_step::bulk;
}

/// Whether an entry waits for asynchronous copies.
[[nodiscard]] constexpr bool waits_for_copies(const instruction& i) noexcept {
    return i.async == async_step::wait || i.async == async_step::wait_all;
}

/// Whether an entry closes the open group of asynchronous copies, or of products.
[[nodiscard]] constexpr bool closes_group(const instruction& i) noexcept {
    return i.async == async_step::commit || i.async == async_step::bulk ||
           i.async == async_step::commit_products;
}

/// Whether an entry begins an asynchronous product.
[[nodiscard]] constexpr bool is_async_product(const instruction& i) noexcept {
    return i.async == async_step::product || i.async == async_step::block_product;
}

/// Whether an entry waits for groups of copies or of products.
[[nodiscard]] constexpr bool waits_for_groups(const instruction& i) noexcept {
    return waits_for_copies(i) || i.async == async_step::wait_products;
}

/// Whether the step of an entry concerns products, not copies.
[[nodiscard]] constexpr bool concerns_products(const instruction& i) noexcept {
    return i.async >= async_step::product;
}

/// The error of a whole stream, or of the entry at `position`.
constexpr model_error stream_error(errc code) {
    return {code, "instructions"};
}
/// The error of the entry at `position`, from 0; `line` counts from 1.
constexpr model_error stream_error(errc code, std::size_t position) {
    return {code, "instructions", static_cast<std::uint32_t>(position + 1)};
}

/// The entry that a need of the entry at `at` names, in the stream or not.
constexpr std::int64_t needed_entry(std::size_t at, std::int32_t need) {
    const auto here = static_cast<std::int64_t>(at);
    return need == own_result ? here : here - need;
}

namespace detail::kernel {

constexpr model_error check_enumerators(const instruction& i) {
    if (const auto bad = core::check_enumerator(i.unit, unit_kind::loop, "unit")) return bad;
    if (const auto bad = core::check_enumerator(i.op, operation::other, "op")) return bad;
    if (const auto bad = core::check_enumerator(i.async, async_step::wait_products, "async")) {
        return bad;
    }
    return core::check_enumerator(i.second, operand::constant, "second");
}

/// Whether the unit of an entry can do the entry's step of asynchronous copies or products.
constexpr bool has_lawful_step(const instruction& i) {
    const bool leaves = i.async == async_step::wait || i.async == async_step::wait_products;
    if (i.groups_left > (leaves ? max_groups_left : 0)) return false;
    if (i.sharing_warps > 0 && i.async != async_step::block_product) return false;
    if (i.async == async_step::none) return true;
    if (is_async_copy(i))
        return uses_load_store_units(i.unit) && i.unit != unit_kind::shared_memory;
    if (is_async_product(i)) return i.unit == unit_kind::tensor;
    if (!waits_for_groups(i)) return i.unit == unit_kind::integer;
    return (i.unit == unit_kind::integer || i.unit == unit_kind::shared_memory) &&
           i.needs[1] == 0 && i.needs[2] == 0;
}

/// Whether an entry has a result that others may need.
constexpr bool has_result(const instruction& i) {
    return i.unit != unit_kind::loop && !is_async_copy(i) && !is_async_product(i);
}

/// Checks the entries from `first` to before `last`, which are in `depth` nested loops.
constexpr model_error check_entries(std::span<const instruction> stream, std::size_t first,
                                    std::size_t last, int depth) {
    if (depth > max_nested_loops) return stream_error(errc::limit_reached);
    for (std::size_t at = first; at < last; ++at) {
        const instruction& i = stream[at];
        if (auto bad = check_enumerators(i)) {
            bad.line = static_cast<std::uint32_t>(at + 1);
            return bad;
        }
        for (const std::int32_t need : i.needs) {
            const std::int64_t target = needed_entry(at, need);
            if (target < 0 || target >= static_cast<std::int64_t>(stream.size()) ||
                (need != 0 && !has_result(stream[static_cast<std::size_t>(target)]))) {
                return stream_error(errc::malformed, at);
            }
        }
        const bool has_lines = uses_load_store_units(i.unit) && i.unit != unit_kind::shared_memory;
        if (i.lines > 0 && !has_lines) return stream_error(errc::malformed, at);
        if (!has_lawful_step(i)) return stream_error(errc::malformed, at);
        if (i.unit != unit_kind::loop) continue;
        if (i.loop_length == 0 || i.loop_count == 0 || i.loop_length > last - at - 1) {
            return stream_error(errc::malformed, at);
        }
        const std::size_t end = at + 1 + i.loop_length;
        if (const auto bad = check_entries(stream, at + 1, end, depth + 1)) {
            return bad;
        }
        at = end - 1;
    }
    return {};
}

}  // namespace detail::kernel

/// The error of a stream, if it has one.
[[nodiscard]] constexpr model_error check_stream(std::span<const instruction> stream) {
    if (stream.empty()) return stream_error(errc::missing);
    return detail::kernel::check_entries(stream, 0, stream.size(), 0);
}

/// Calls `visit(entry, position, times)` once for every entry that is not a loop, with its number of
/// executions. The stream has to be checked before.
template <class Visitor>
constexpr void for_each_entry(std::span<const instruction> stream, std::size_t first,
                              std::size_t last, double times, Visitor& visit) {
    for (std::size_t at = first; at < last; ++at) {
        const instruction& i = stream[at];
        if (i.unit == unit_kind::loop) {
            const std::size_t end = at + 1 + i.loop_length;
            for_each_entry(stream, at + 1, end, times * static_cast<double>(i.loop_count), visit);
            at = end - 1;
        } else {
            visit(i, at, times);
        }
    }
}

/// Calls `visit(entry, position)` for every execution, in order, until it returns false.
template <class Visitor>
constexpr bool for_each_execution(std::span<const instruction> stream, std::size_t first,
                                  std::size_t last, Visitor& visit) {
    for (std::size_t at = first; at < last; ++at) {
        const instruction& i = stream[at];
        if (i.unit == unit_kind::loop) {
            const std::size_t end = at + 1 + i.loop_length;
            for (std::uint32_t round = 0; round < i.loop_count; ++round) {
                if (!for_each_execution(stream, at + 1, end, visit)) return false;
            }
            at = end - 1;
        } else if (!visit(i, at)) {
            return false;
        }
    }
    return true;
}

/// The number of instructions of each kind that a thread executes.
struct instruction_mix {
    double comp_insts{};                     ///< all that do not access global memory, no barriers
    double coalesced_mem_insts{};            ///< global memory, one transaction per warp
    double uncoalesced_mem_insts{};          ///< global memory, several
    double sync_insts{};                     ///< barriers
    double transactions_per_uncoalesced{1};  ///< mean per warp; 1 where there are none
    double bytes_per_access{4};              ///< B per thread, mean; 4 where there are none

    /// All that a thread executes.
    [[nodiscard]] constexpr double executed() const noexcept {
        return comp_insts + coalesced_mem_insts + uncoalesced_mem_insts + sync_insts;
    }
};

/// Counts a stream. A barrier counts as `sync_insts` and not as a computation instruction.
[[nodiscard]] constexpr result<instruction_mix> mix_of(std::span<const instruction> stream) {
    if (const auto bad = check_stream(stream)) return bad;
    instruction_mix mix;
    double transactions = 0;
    double bytes = 0;
    auto count = [&](const instruction& i, std::size_t, double times) {
        if (i.unit == unit_kind::barrier) {
            mix.sync_insts += times;
        } else if (!is_memory(i)) {
            mix.comp_insts += times;
        } else {
            bytes += times * i.bytes;
            if (i.transactions <= 1) {
                mix.coalesced_mem_insts += times;
            } else {
                mix.uncoalesced_mem_insts += times;
                transactions += times * i.transactions;
            }
        }
    };
    for_each_entry(stream, 0, stream.size(), 1, count);
    const double mem_insts = mix.coalesced_mem_insts + mix.uncoalesced_mem_insts;
    if (mem_insts > 0) mix.bytes_per_access = bytes / mem_insts;
    if (mix.uncoalesced_mem_insts > 0) {
        mix.transactions_per_uncoalesced = transactions / mix.uncoalesced_mem_insts;
    }
    return mix;
}

/// The profile with its counts taken from its instruction stream.
template <scalar Real>
[[nodiscard]] constexpr result<kernel_profile<Real>> with_mix(const kernel_profile<Real>& k) {
    const auto mix = mix_of(k.instructions);
    if (!mix) return mix.error();
    kernel_profile<Real> counted = k;
    counted.comp_insts = Real(mix->comp_insts);
    counted.coalesced_mem_insts = Real(mix->coalesced_mem_insts);
    counted.uncoalesced_mem_insts = Real(mix->uncoalesced_mem_insts);
    counted.sync_insts = Real(mix->sync_insts);
    counted.transactions_per_uncoalesced = Real(mix->transactions_per_uncoalesced);
    counted.bytes_per_access = Real(mix->bytes_per_access);
    return counted;
}

/// As `for_each_execution` of the whole checked stream; it returns false at once if more than `max_executed`
/// entries would be executed.
template <class Visitor>
constexpr bool for_each_bounded_execution(std::span<const instruction> stream, Visitor& visit) {
    const auto mix = mix_of(stream);
    if (!mix || mix->executed() > static_cast<double>(max_executed)) return false;
    return for_each_execution(stream, 0, stream.size(), visit);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
