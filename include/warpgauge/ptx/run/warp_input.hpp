// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_WARP_INPUT_HPP
#define WARPGAUGE_PTX_RUN_WARP_INPUT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <warpgauge/ptx/link/program.hpp>

/// \file What a warp is given: its place in the launch, arguments, decisions and limits.

namespace WARPGAUGE_NAMESPACE::ptx::run {

/// A warp's place in the launch.
struct warp_place {
    std::array<std::uint32_t, 3> grid{},   ///< blocks
        block{},                           ///< threads
        block_index{};                     ///< place of the block in the grid
    std::uint32_t warp{};                  ///< number of the warp in its block
    std::uint64_t dynamic_shared_bytes{};  ///< B, of the launch
    std::array<std::uint32_t, 3>
        cluster{};            ///< blocks; 0: as the kernel's text says, else blocks are alone
    std::uint32_t ordinal{};  ///< spreads decisions on unknown data over warps
};

/// Some bytes of a structure.
struct known_field {
    std::uint32_t offset{};  ///< B, from the structure's begin
    std::uint32_t bytes{};   ///< 1 to 8
    std::uint64_t value{};   ///< the bytes as a number, the first one lowest
};

/// A kernel's argument as bytes.
struct argument_bytes {
    std::array<unsigned char, 8> small{};    ///< an argument of up to 8 B, the first byte first
    std::span<const unsigned char> bytes{};  ///< where it is longer; else `small` has it
    std::span<const known_field> fields{};   ///< what is known of it if `known` is not set
    bool known{};                            ///< all bytes are

    /// Reads some bytes; false if they are not known.
    constexpr bool read(std::uint64_t offset, std::uint32_t count, std::uint64_t& value) const {
        if (!known) return read_field(offset, count, value);
        const unsigned char* const all = bytes.empty() ? small.data() : bytes.data();
        const std::size_t size = bytes.empty() ? small.size() : bytes.size();
        if (count > 8 || offset > size || count > size - offset) return false;
        value = 0;
        for (std::uint32_t b = 0; b < count; ++b) {
            value |= std::uint64_t{all[offset + b]} << 8 * b;
        }
        return true;
    }

    /// Reads some bytes of one of `fields`; false if none has them all.
    [[nodiscard]] constexpr bool read_field(std::uint64_t offset, std::uint32_t count,
                                            std::uint64_t& value) const {
        for (const known_field& f : fields) {
            if (offset < f.offset || offset - f.offset > f.bytes) continue;
            const std::uint64_t within = offset - f.offset;
            if (count > f.bytes - within) continue;
            value = f.value >> 8 * within;
            if (count < 8) value &= (std::uint64_t{1} << 8 * count) - 1;
            return true;
        }
        return false;
    }
};

/// What an instruction that depends on unknown data does.
struct decision {
    double probability = 0.5;            ///< that a lane's condition holds
    double rounds = 0;                   ///< of a loop: how often it runs; 0: by `probability`
    bool leaves{};                       ///< the condition ends the loop, else it goes on
    bool hinted{};                       ///< `probability` is given or certain, not a default
    std::uint32_t loop = link::nowhere;  ///< the step that jumps back
};

/// Passing a limit is an error.
struct machine_limits {
    std::uint64_t steps{};         ///< instructions followed, of all warps
    std::uint64_t memory_bytes{};  ///< B, registers and local memory
    std::uint32_t calls{};         ///< within each other
    bool every_round{};            ///< rounds of loops are followed one by one, however alike
    bool equal_costs{};  ///< so are those in which accesses of global memory cost differently
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::run

#endif
