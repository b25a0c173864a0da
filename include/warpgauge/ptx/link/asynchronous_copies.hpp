// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_ASYNCHRONOUS_COPIES_HPP
#define WARPGAUGE_PTX_LINK_ASYNCHRONOUS_COPIES_HPP

#include <cstddef>
#include <span>
#include <string_view>

#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file What opcodes do with asynchronous copies, and where the operands of copies in bulk and of their barriers are.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, sec. 9.7.9.25 (`cp.async`, `cp.async.bulk`, `cp.reduce.async.bulk`,
/// `cp.async.bulk.tensor`), 9.7.9.19 (`st.bulk`), 9.7.13.15 (`mbarrier`).

namespace WARPGAUGE_NAMESPACE::ptx {

namespace link {

/// What an opcode does with groups of copies of a few bytes a lane; `none` of copies in bulk, which have groups of their own,
/// and of what tells a barrier about copies.
constexpr async_step async_step_of(std::string_view opcode) {
    using ptx::text::has_part;
    const bool concerns = opcode.substr(0, 9) == "cp.async." && !has_part(opcode, "bulk") &&
                          !has_part(opcode, "mbarrier");
    if (!concerns) return async_step::none;
    if (has_part(opcode, "commit_group")) return async_step::commit;
    if (has_part(opcode, "wait_group")) return async_step::wait;
    return has_part(opcode, "wait_all") ? async_step::wait_all : async_step::copy;
}

/// What an opcode does with asynchronous products, of a warpgroup (`wgmma`) or of one thread for its block (`tcgen05`).
/// Source: the same, sec. 9.7.15.7 (`wgmma.commit_group`, `wgmma.wait_group`), 9.7.16.12 (`tcgen05.commit`).
constexpr async_step product_step_of(std::string_view opcode) {
    using ptx::text::has_part;
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    if (root == "tcgen05") {
        if (has_part(opcode, "mma")) return async_step::block_product;
        return has_part(opcode, "commit") ? async_step::commit_products : async_step::none;
    }
    if (root != "wgmma") return async_step::none;
    if (has_part(opcode, "mma_async")) return async_step::product;
    if (has_part(opcode, "commit_group")) return async_step::commit_products;
    return has_part(opcode, "wait_group") ? async_step::wait_products : async_step::none;
}

/// The number of `cp.async.wait_group` or `wgmma.wait_group`: how many of the newest groups may be under way; 0 where it is none.
inline std::size_t groups_left(std::span<const operand> all) {
    if (all.empty() || all[0].kind != operand_kind::integer || all[0].value <= 0) return 0;
    return static_cast<std::size_t>(all[0].value);
}

}  // namespace link

namespace detail::link {

/// No operand.
inline constexpr std::size_t no_operand = ~std::size_t{0};

/// Operands of a copy in bulk, as positions in the instruction's list.
struct bulk_operands {
    std::size_t address = no_operand;  ///< of global memory; of shared memory where that is all
    std::size_t size = no_operand;
    std::size_t barrier = no_operand;
    bool of_tensor{};  ///< its address and size are in a map of a tensor, which is not in the text
    bool stores{};     ///< to where `address` is
};

/// Copies of many bytes by one lane; not `cp.async` of a few bytes a lane, nor what waits for copies.
constexpr bool is_bulk_copy(std::string_view opcode) {
    using ptx::text::has_part;
    return has_part(opcode, "bulk") && !has_part(opcode, "commit_group") &&
           !has_part(opcode, "wait_group");
}

/// Does an opcode ask an `mbarrier` whether it is passed?
constexpr bool asks_barrier(std::string_view opcode) {
    return opcode.substr(0, 9) == "mbarrier." &&
           (ptx::text::has_part(opcode, "test_wait") || ptx::text::has_part(opcode, "try_wait"));
}

/// Does it announce bytes to an `mbarrier`?
constexpr bool expects_bytes(std::string_view opcode) {
    return opcode.substr(0, 9) == "mbarrier." && ptx::text::has_part(opcode, "expect_tx");
}

/// The operand behind another; `no_operand` if that is the last.
inline std::size_t operand_after(std::span<const operand> all, std::size_t at) {
    const std::size_t next = at + all[at].parts + 1U;
    return next < all.size() ? next : no_operand;
}

inline bulk_operands bulk_operands_of(std::string_view opcode, std::span<const operand> all) {
    using ptx::text::has_part;
    bulk_operands found{.of_tensor = has_part(opcode, "tensor")};
    std::size_t addresses[3]{no_operand, no_operand, no_operand};
    std::size_t count = 0;
    for (std::size_t o = 0; o != no_operand && o < all.size(); o = operand_after(all, o)) {
        if (all[o].kind == operand_kind::address && count < 3) addresses[count++] = o;
    }
    if (count == 0) return found;
    // `.dst.src`: the memory that is named first is written.
    const std::size_t global = opcode.find(".global");
    const std::size_t shared = opcode.find(".shared");
    const bool fetches = has_part(opcode, "prefetch");
    const bool initialises = opcode.substr(0, 3) == "st.";
    found.stores =
        initialises || (!fetches && (global == std::string_view::npos || global < shared));
    const bool first = found.stores || fetches || count == 1;
    found.address = addresses[first ? 0 : 1];
    const std::size_t last = addresses[initialises || fetches || count == 1 ? 0 : 1];
    if (!found.of_tensor) found.size = operand_after(all, last);
    if (count == 3) found.barrier = addresses[2];
    return found;
}

}  // namespace detail::link

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
