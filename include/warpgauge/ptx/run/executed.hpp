// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_EXECUTED_HPP
#define WARPGAUGE_PTX_RUN_EXECUTED_HPP

#include <cstdint>

#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file One instruction that a warp has executed, as those who watch the warp see it.

namespace WARPGAUGE_NAMESPACE::ptx::run {

/// One instruction that a warp has executed.
struct executed {
    std::uint32_t step{};              ///< of the program
    std::uint32_t active{};            ///< lanes that take part; 0: its predicate is false in all
    std::uint32_t jumping{};           ///< of a branch: lanes that jump
    std::uint32_t base{};              ///< where the rows of the call begin
    std::uint32_t depth{};             ///< of the call; 0: the kernel itself
    unit_kind unit{};                  ///< what executed it, once the address is known
    std::uint32_t transactions{};      ///< of a memory access
    std::uint32_t min_transactions{};  ///< the same, had the lanes' data been side by side
    std::uint32_t bytes_moved{};       ///< B of global memory
    std::uint32_t alignment{};         ///< B past a boundary of 128, of its first lane's address
    std::uint32_t callee_base{};       ///< of a call: where its rows will begin
    std::uint32_t callee = link::nowhere;  ///< of a call through a pointer: of `program::callees`
    std::uint32_t idle{};  ///< lanes of a copy that read nothing; in bulk, whose size is known
    /// Lanes of a generic access whose addresses lie in another memory: a further access comes for them.
    std::uint32_t elsewhere{};
    /// The pointer is not known: the first function that may be called is taken.
    bool unknown_callee{};
    const warp_access*
        access{};  ///< of global memory: the lanes of known address; while it is observed
    const warpgauge::detail::sm::byte_runs*
        runs{};  ///< the same: the bytes of all lanes, if they make runs and all addresses are known
    const warp_access*
        based{};  ///< the same: lanes whose address is an unknown base and an offset that others share,
                  ///< as if the base were a multiple of 128 B; null if there are none
    /// Of its first lane, what the step's `size_source` says; 0 if not known.
    std::uint64_t size{};
    /// Of a copy in bulk, or of a wait for some: its address; 0 if not known.
    std::uint64_t barrier{};
    /// Of an atomic of global memory: the most lanes that access one address.
    std::uint32_t turns{};
    /// Of a copy to shared memory: the passes that write it.
    std::uint32_t written_passes{};
    /// Of an access that moves blocks: sectors of unknown address.
    std::uint32_t unknown_sectors{};
    bool continues{};          ///< a further access of the instruction before: it executes no more
    bool coalesced{};          ///< it counts as coalesced
    bool unknown_address{};    ///< of some lane, and it shares its base with none
    bool unknown_written{};    ///< the same of the shared memory that a copy writes
    bool based_written{};      ///< some lanes write it at an unknown base and known offsets
    bool unknown_size{};       ///< of what some lane copies
    bool unknown_predicate{};  ///< of some lane: a decision was taken
    bool decided_together{};   ///< lanes of one base went the same way
    std::uint64_t rounds = 1;  ///< of a loop that it stands for: it executes as often
    std::uint64_t round_by{};  ///< of several: addresses move by so many B a round; 1: not known
    bool lists{};              ///< what its access costs changes from round to round

    /// The lanes whose addresses an access has, known or not.
    [[nodiscard]] constexpr std::uint32_t accessing() const { return active & ~idle & ~elsewhere; }

    friend bool operator==(const executed&, const executed&) = default;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::run

#endif
