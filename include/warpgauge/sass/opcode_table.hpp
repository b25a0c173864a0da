// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_OPCODE_TABLE_HPP
#define WARPGAUGE_SASS_OPCODE_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/abi.hpp>

/// \file The names of machine instructions, and the part of an SM that executes each.
///
/// The lowest nine bits of a word are the operation; three more say where its operands come from. A row names an
/// operation on compute capabilities from `first` to `last`: a few codes mean something else on other GPUs.
///
/// Sources. What ptxas 13.0 makes of our own kernels, on lines of PTX whose instruction agrees with the name
/// (`fma.rn.f32` gives 0x023); names as in NVIDIA, "CUDA Binary Utilities", instruction set reference, and with their
/// codes in Mesa, src/nouveau/compiler/nak/sm70_encode.rs, and in CuAssembler, DefaultInsAsmRepos. A few rows are
/// only in Mesa: FSET, BMSK, USEL, UPRMT, UBMSK, UBREV, BREAK, BMOV of 0x156, R2UR of 0x1c2, and TEX, TLD4 and TLD of
/// registers; P2R and R2P are in published listings of cuobjdump. The table has no operation that none of these
/// names. `mbarrier`, `cp.async.bulk` with all its forms, `elect` and `fence.proxy.async` give SYNCS, UBLKCP to UBLKPF, UTMALDG to
/// UTMAPF, ELECT and FENCE on 9.0 and 10.0. `wgmma` gives WARPGROUP and HGMMA to QGMMA on 9.0; `tcgen05` gives UTCATOMSWS to LDTM, and
/// UVIRTCOUNT where it gives up its permit, on 10.0; `mma` of bytes and of 4 bits gives QMMA and OMMA on 12.0.
///
/// Conversions from and to types of 64 bits: NVIDIA, CUDA C++ Programming Guide, "Arithmetic Instructions", has 16 a
/// cycle for 8.0, 9.0 and 10.0, as many as special functions, and 2 for 7.5, 8.6, 8.9 and 12.0, as many as double
/// precision. They count as operations of the unit with the same rate.

namespace WARPGAUGE_NAMESPACE::sass {

/// The part of an SM that executes a machine instruction.
enum class pipe : std::uint8_t {
    fp32,         ///< 32-bit floating point: add, multiply, fused
    fp64,         ///< 64-bit floating point; conversions of 64 bits where both have two lanes
    half,         ///< packed 16-bit floating point
    integer_fma,  ///< integer multiply-add, and the moves made of it
    alu,          ///< integer add, logic, shifts, comparisons, selections, moves
    special,  ///< MUFU, and conversions between types of numbers, of 64 bits where they are as fast
    tensor,   ///< matrix products
    uniform,  ///< once for the warp, in uniform registers
    global_load,    ///< also generic loads, of any memory
    global_store,   ///< also generic stores
    global_atomic,  ///< also generic atomics; with or without a result
    shared_load,    ///< of shared memory
    shared_store,   ///< of shared memory
    shared_atomic,  ///< of shared memory
    local_load,     ///< of spilled registers and of local arrays
    local_store,    ///< of spilled registers and of local arrays
    constant_load,  ///< of constants, by an instruction of its own
    texture,        ///< of textures and surfaces
    exchange,       ///< between the lanes of a warp: SHFL, VOTE, MATCH, REDUX
    branch,         ///< also instructions for diverging and meeting lanes
    barrier,        ///< of the block
    other,          ///< special registers, fences, NOP
    unknown,        ///< no row has the code
};
/// The number of enumerators of `pipe`.
inline constexpr std::uint32_t pipe_count = 23;

/// The pipe in words: "integer multiply-add".
[[nodiscard]] constexpr std::string_view name(pipe p) noexcept;

/// A row in the table.
struct opcode_row {
    std::uint16_t code{};                   ///< the lowest nine bits
    std::uint16_t first{};                  ///< compute capability, 75 for 7.5
    std::uint16_t last{};                   ///< likewise
    std::string_view name{};                ///< the opcode, as disassemblers write it
    sass::pipe pipe = sass::pipe::unknown;  ///< what executes it
};

/// The row of a code; its name is empty if there is none.
/// \param capability 75 for 7.5
[[nodiscard]] constexpr opcode_row find_opcode(std::uint16_t code,
                                               std::uint16_t capability) noexcept;

constexpr std::string_view name(pipe p) noexcept {
    switch (p) {
        case pipe::fp32: return "fp32";
        case pipe::fp64: return "fp64";
        case pipe::half: return "half";
        case pipe::integer_fma: return "integer multiply-add";
        case pipe::alu: return "ALU";
        case pipe::special: return "special function";
        case pipe::tensor: return "tensor";
        case pipe::uniform: return "uniform";
        case pipe::global_load: return "global load";
        case pipe::global_store: return "global store";
        case pipe::global_atomic: return "global atomic";
        case pipe::shared_load: return "shared load";
        case pipe::shared_store: return "shared store";
        case pipe::shared_atomic: return "shared atomic";
        case pipe::local_load: return "local load";
        case pipe::local_store: return "local store";
        case pipe::constant_load: return "constant load";
        case pipe::texture: return "texture";
        case pipe::exchange: return "exchange";
        case pipe::branch: return "branch";
        case pipe::barrier: return "barrier";
        case pipe::other: return "other";
        case pipe::unknown: break;
    }
    return "unknown";
}

namespace detail {

/// Sorted by code.
inline constexpr opcode_row opcodes[]{
    {0x002, 75, 129, "MOV", pipe::alu},
    {0x003, 75, 129, "P2R", pipe::alu},
    {0x004, 75, 129, "R2P", pipe::alu},
    {0x005, 75, 129, "CS2R", pipe::other},
    {0x006, 75, 129, "VOTE", pipe::exchange},
    {0x007, 75, 129, "SEL", pipe::alu},
    {0x008, 75, 129, "FSEL", pipe::alu},
    {0x009, 75, 129, "FMNMX", pipe::alu},
    {0x00a, 75, 129, "FSET", pipe::alu},
    {0x00b, 75, 129, "FSETP", pipe::alu},
    {0x00c, 75, 129, "ISETP", pipe::alu},
    {0x00f, 90, 129, "VIMNMX3", pipe::alu},
    {0x010, 75, 129, "IADD3", pipe::alu},
    {0x011, 75, 129, "LEA", pipe::alu},
    {0x012, 75, 129, "LOP3", pipe::alu},
    {0x013, 75, 129, "IABS", pipe::alu},
    {0x014, 75, 129, "VABSDIFF", pipe::alu},
    {0x016, 75, 129, "PRMT", pipe::alu},
    {0x017, 75, 89, "IMNMX", pipe::alu},
    {0x019, 75, 129, "SHF", pipe::alu},
    {0x01b, 75, 129, "BMSK", pipe::alu},
    {0x01c, 75, 129, "PLOP3", pipe::alu},
    {0x020, 75, 129, "FMUL", pipe::fp32},
    {0x021, 75, 129, "FADD", pipe::fp32},
    {0x023, 75, 129, "FFMA", pipe::fp32},
    {0x024, 75, 129, "IMAD", pipe::integer_fma},
    {0x025, 75, 129, "IMAD.WIDE", pipe::integer_fma},
    {0x026, 75, 129, "IDP", pipe::integer_fma},
    {0x027, 75, 129, "IMAD.HI", pipe::integer_fma},
    {0x028, 75, 129, "DMUL", pipe::fp64},
    {0x029, 75, 129, "DADD", pipe::fp64},
    {0x02a, 75, 129, "DSETP", pipe::fp64},
    {0x02b, 75, 129, "DFMA", pipe::fp64},
    {0x02d, 90, 129, "PREEXIT", pipe::other},
    {0x02e, 90, 129, "ACQBULK", pipe::other},
    {0x02f, 90, 129, "ELECT", pipe::other},
    {0x030, 75, 129, "HADD2", pipe::half},
    {0x031, 75, 129, "HFMA2", pipe::half},
    {0x032, 75, 129, "HMUL2", pipe::half},
    {0x033, 75, 129, "HSET2", pipe::half},
    {0x034, 75, 129, "HSETP2", pipe::half},
    {0x035, 80, 99, "HFMA2.MMA", pipe::half},
    {0x035, 120, 129, "IADD.64", pipe::alu},
    {0x036, 90, 129, "VIADD", pipe::alu},
    {0x037, 75, 129, "IMMA", pipe::tensor},
    {0x03b, 75, 129, "LDSM", pipe::shared_load},
    {0x03c, 75, 129, "HMMA", pipe::tensor},
    {0x03d, 75, 99, "BMMA", pipe::tensor},
    {0x03e, 80, 129, "F2FP", pipe::special},
    {0x03f, 80, 129, "DMMA", pipe::tensor},
    {0x040, 80, 129, "HMNMX2", pipe::half},
    {0x044, 90, 129, "STSM", pipe::shared_store},
    {0x045, 86, 129, "I2FP", pipe::alu},
    {0x046, 90, 129, "VIADDMNMX", pipe::alu},
    {0x048, 90, 129, "VIMNMX", pipe::alu},
    {0x049, 100, 119, "FFMA2", pipe::fp32},
    {0x04a, 100, 119, "FMUL2", pipe::fp32},
    {0x04b, 100, 119, "FADD2", pipe::fp32},
    {0x04c, 100, 119, "UVIRTCOUNT", pipe::other},
    {0x055, 120, 129, "UFFMA", pipe::uniform},
    {0x056, 120, 129, "UFMUL", pipe::uniform},
    {0x07a, 89, 89, "QMMA", pipe::tensor},
    {0x07a, 120, 129, "QMMA", pipe::tensor},
    {0x07f, 120, 129, "OMMA", pipe::tensor},
    {0x082, 75, 129, "UMOV", pipe::uniform},
    {0x086, 75, 129, "VOTEU", pipe::uniform},
    {0x087, 75, 129, "USEL", pipe::uniform},
    {0x08c, 75, 129, "UISETP", pipe::uniform},
    {0x090, 75, 129, "UIADD3", pipe::uniform},
    {0x091, 75, 129, "ULEA", pipe::uniform},
    {0x092, 75, 129, "ULOP3", pipe::uniform},
    {0x096, 75, 129, "UPRMT", pipe::uniform},
    {0x097, 90, 129, "UIADD3.64", pipe::uniform},
    {0x099, 75, 129, "USHF", pipe::uniform},
    {0x09b, 75, 129, "UBMSK", pipe::uniform},
    {0x09c, 75, 129, "UPLOP3", pipe::uniform},
    {0x0a4, 75, 129, "UIMAD", pipe::uniform},
    {0x0a5, 75, 129, "UIMAD.WIDE", pipe::uniform},
    {0x0b9, 75, 99, "ULDC", pipe::constant_load},
    {0x0bb, 75, 99, "ULDC", pipe::constant_load},  // at an address in a uniform register
    {0x0bd, 75, 129, "UFLO", pipe::uniform},
    {0x0be, 75, 129, "UBREV", pipe::uniform},
    {0x0bf, 75, 129, "UPOPC", pipe::uniform},
    {0x0ca, 90, 129, "R2UR", pipe::other},
    {0x0cb, 120, 129, "CS2UR", pipe::other},
    {0x0cc, 100, 129, "CREDUX", pipe::exchange},
    {0x100, 75, 129, "FLO", pipe::special},
    {0x101, 75, 129, "BREV", pipe::special},
    {0x102, 75, 129, "FCHK", pipe::special},
    {0x104, 75, 129, "F2F", pipe::special},
    {0x105, 75, 129, "F2I", pipe::special},
    {0x106, 75, 129, "I2F", pipe::special},
    {0x107, 75, 129, "FRND", pipe::special},
    {0x108, 75, 129, "MUFU", pipe::special},
    {0x109, 75, 129, "POPC", pipe::special},
    {0x110, 75, 75, "F2F.64", pipe::fp64},
    {0x110, 80, 80, "F2F.64", pipe::special},
    {0x110, 86, 89, "F2F.64", pipe::fp64},
    {0x110, 90, 119, "F2F.64", pipe::special},
    {0x110, 120, 129, "F2F.64", pipe::fp64},
    {0x111, 75, 75, "F2I.64", pipe::fp64},
    {0x111, 80, 80, "F2I.64", pipe::special},
    {0x111, 86, 89, "F2I.64", pipe::fp64},
    {0x111, 90, 119, "F2I.64", pipe::special},
    {0x111, 120, 129, "F2I.64", pipe::fp64},
    {0x112, 75, 75, "I2F.64", pipe::fp64},
    {0x112, 80, 80, "I2F.64", pipe::special},
    {0x112, 86, 89, "I2F.64", pipe::fp64},
    {0x112, 90, 119, "I2F.64", pipe::special},
    {0x112, 120, 129, "I2F.64", pipe::fp64},
    {0x113, 75, 75, "FRND.64", pipe::fp64},
    {0x113, 80, 80, "FRND.64", pipe::special},
    {0x113, 86, 89, "FRND.64", pipe::fp64},
    {0x113, 90, 119, "FRND.64", pipe::special},
    {0x113, 120, 129, "FRND.64", pipe::fp64},
    {0x118, 75, 129, "NOP", pipe::other},
    {0x119, 75, 129, "S2R", pipe::other},
    {0x11a, 75, 129, "DEPBAR", pipe::other},
    {0x11c, 75, 129, "B2R", pipe::other},
    {0x11d, 75, 129, "BAR", pipe::barrier},
    {0x141, 75, 129, "BSYNC", pipe::branch},
    {0x142, 75, 129, "BREAK", pipe::branch},
    {0x144, 75, 129, "CALL.REL", pipe::branch},
    {0x145, 75, 129, "BSSY", pipe::branch},
    {0x146, 75, 129, "YIELD", pipe::branch},
    {0x147, 75, 129, "BRA", pipe::branch},
    {0x148, 75, 129, "WARPSYNC", pipe::branch},
    {0x149, 75, 129, "BRX", pipe::branch},
    {0x14d, 75, 129, "EXIT", pipe::branch},
    {0x150, 75, 129, "RET.REL", pipe::branch},
    {0x155, 75, 129, "BMOV", pipe::branch},
    {0x156, 75, 129, "BMOV", pipe::branch},
    {0x158, 75, 129, "BRXU", pipe::branch},
    {0x15c, 75, 129, "BPT", pipe::other},
    {0x15d, 75, 129, "NANOSLEEP", pipe::other},
    {0x160, 75, 129, "TEX", pipe::texture},
    {0x161, 75, 129, "TEX", pipe::texture},
    {0x163, 75, 129, "TLD4", pipe::texture},
    {0x164, 75, 129, "TLD4", pipe::texture},
    {0x166, 75, 129, "TLD", pipe::texture},
    {0x167, 75, 129, "TLD", pipe::texture},
    {0x180, 75, 129, "LD", pipe::global_load},
    {0x181, 75, 129, "LDG", pipe::global_load},
    {0x182, 75, 129, "LDC", pipe::constant_load},
    {0x183, 75, 129, "LDL", pipe::local_load},
    {0x184, 75, 129, "LDS", pipe::shared_load},
    {0x185, 75, 129, "ST", pipe::global_store},
    {0x186, 75, 129, "STG", pipe::global_store},
    {0x187, 75, 129, "STL", pipe::local_store},
    {0x188, 75, 129, "STS", pipe::shared_store},
    {0x189, 75, 129, "SHFL", pipe::exchange},
    {0x18c, 75, 129, "ATOMS", pipe::shared_atomic},
    {0x18d, 75, 129, "ATOMS.CAS", pipe::shared_atomic},
    {0x18e, 75, 129, "RED", pipe::global_atomic},
    {0x18f, 75, 129, "CCTL", pipe::other},
    {0x192, 75, 129, "MEMBAR", pipe::other},
    {0x1a1, 75, 129, "MATCH", pipe::exchange},
    {0x1a3, 90, 129, "ATOMG", pipe::global_atomic},
    {0x1a5, 90, 129, "LDGMC", pipe::global_load},
    {0x1a6, 90, 129, "RED", pipe::global_atomic},
    {0x1a7, 90, 129, "SYNCS", pipe::shared_atomic},  // ARRIVE and PHASECHK
    {0x1a8, 75, 129, "ATOMG", pipe::global_atomic},
    {0x1a9, 75, 129, "ATOMG.CAS", pipe::global_atomic},
    {0x1ab, 75, 129, "ERRBAR", pipe::other},
    {0x1ac, 100, 129, "LDCU", pipe::constant_load},
    {0x1ae, 80, 129, "LDGSTS", pipe::global_load},
    {0x1af, 80, 129, "LDGDEPBAR", pipe::other},
    {0x1b0, 80, 129, "ARRIVES", pipe::other},
    {0x1b2, 90, 129, "SYNCS", pipe::shared_atomic},  // EXCH
    {0x1b4, 90, 129, "UTMALDG", pipe::global_load},
    {0x1b5, 90, 129, "UTMASTG", pipe::global_store},
    {0x1b6, 90, 129, "UTMAREDG", pipe::global_atomic},
    {0x1b7, 90, 129, "UTMACMDFLUSH", pipe::other},
    {0x1b8, 90, 129, "UTMAPF", pipe::global_load},
    {0x1b9, 90, 129, "UTMACCTL", pipe::other},
    {0x1ba, 90, 129, "UBLKCP", pipe::global_load},  // also from shared to global memory
    {0x1bb, 90, 129, "UBLKRED", pipe::global_atomic},
    {0x1bc, 90, 129, "UBLKPF", pipe::global_load},
    {0x1bd, 90, 129, "STAS", pipe::shared_store},
    {0x1be, 90, 129, "REDAS", pipe::shared_atomic},
    {0x1c2, 75, 99, "R2UR", pipe::other},
    {0x1c3, 75, 129, "S2UR", pipe::other},
    {0x1c4, 80, 129, "REDUX", pipe::exchange},
    {0x1c5, 90, 99, "WARPGROUP", pipe::other},
    {0x1c6, 90, 129, "FENCE", pipe::other},
    {0x1c7, 90, 129, "UCGABAR", pipe::barrier},  // ARV and WAIT
    {0x1c8, 90, 129, "USETMAXREG", pipe::other},
    {0x1ca, 100, 129, "UGETNEXTWORKID", pipe::other},
    {0x1cb, 100, 129, "UMEMSETS", pipe::shared_store},
    {0x1e3, 100, 119, "UTCATOMSWS", pipe::other},
    {0x1e6, 100, 119, "UTCSHIFT", pipe::other},
    {0x1e7, 100, 119, "UTCCP", pipe::other},
    {0x1e9, 100, 119, "UTCBAR", pipe::other},
    {0x1ea, 100, 119, "UTCHMMA", pipe::tensor},  // also UTCIMMA, UTCQMMA and UTCOMMA
    {0x1ed, 100, 119, "STTM", pipe::other},
    {0x1ee, 100, 119, "LDTM", pipe::other},
    {0x1f0, 90, 99, "HGMMA", pipe::tensor},
    {0x1f1, 90, 99, "IGMMA", pipe::tensor},
    {0x1f2, 90, 99, "BGMMA", pipe::tensor},
    {0x1f3, 90, 99, "QGMMA", pipe::tensor},
};

}  // namespace detail

constexpr opcode_row find_opcode(std::uint16_t code, std::uint16_t capability) noexcept {
    std::size_t low = 0;
    std::size_t high = sizeof(detail::opcodes) / sizeof(opcode_row);
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (detail::opcodes[middle].code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < sizeof(detail::opcodes) / sizeof(opcode_row); ++low) {
        const opcode_row& row = detail::opcodes[low];
        if (row.code != code) break;
        if (capability >= row.first && capability <= row.last) return row;
    }
    return {code, capability, capability, {}, pipe::unknown};
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
