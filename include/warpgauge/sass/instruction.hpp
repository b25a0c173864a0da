// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_INSTRUCTION_HPP
#define WARPGAUGE_SASS_INSTRUCTION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/sass/opcode_table.hpp>

/// \file One machine instruction: a word of 128 bits.
///
/// Sources of its fields, of which bit 0 is the lowest. Control bits 105 to 125: Z. Jia, M. Maggioni, B. Staiger, D.
/// P. Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", arXiv:1804.06826, section 2.1,
/// and the same authors' report on Turing, arXiv:1903.07486. Predicate, operation, widths and targets: Mesa,
/// src/nouveau/compiler/nak/sm70_encode.rs. A target's lowest eight bits are stored separately from 9.0 on, not only
/// from 10.0 on: otherwise the targets of branches of our own kernels would be between instructions. The waits of
/// `DEPBAR` come from `cp.async.wait_group` 0, 1, 5 and 40 as ptxas 13.0 compiles them for 8.0, 8.9, 9.0, 10.0 and
/// 12.0.

namespace WARPGAUGE_NAMESPACE::sass {

/// B of one machine instruction, from compute capability 7.0 on.
inline constexpr std::uint32_t instruction_bytes = 16;

/// A word as in the file.
struct machine_word {
    std::uint64_t low{};   ///< the first 8 B, lowest byte first
    std::uint64_t high{};  ///< the other 8 B
};

/// How a warp continues after an instruction.
enum class flow : std::uint8_t {
    next,      ///< with the next one
    jump,      ///< at `target`
    call,      ///< at `target`, then with the next one
    back,      ///< at its caller
    indirect,  ///< at the address in a register
    exit,      ///< it ends
};

/// When the next instruction issues, and the scoreboards (barriers) that this one waits for and sets.
struct control_bits {
    std::uint8_t stall_cycles{};     ///< 0 to 15, until the warp's next instruction may issue
    bool yield{};                    ///< the bit itself
    std::uint8_t write_barrier = 7;  ///< set until the result is available; 7: none
    std::uint8_t read_barrier = 7;   ///< set until the operands have been read; 7: none
    std::uint8_t wait_mask{};        ///< a bit for each barrier that it waits for
    std::uint8_t reuse{};            ///< a bit for each operand that stays in the reuse cache

    friend constexpr bool operator==(const control_bits&, const control_bits&) = default;
};

/// One machine instruction, decoded.
struct machine_instruction {
    std::uint16_t code{};                   ///< the lowest twelve bits
    std::string_view name{};                ///< empty: not known
    sass::pipe pipe = sass::pipe::unknown;  ///< what executes it
    sass::flow flow{};                      ///< where the warp goes on
    bool conditional{};                     ///< it may not be carried out, by a predicate
    std::uint8_t predicate = 7;             ///< 0 to 6; 7: always, or never if `negated`
    bool negated{};                         ///< it takes effect if the predicate is false
    /// B that a lane of a memory instruction moves; 0: none, or not known.
    std::uint8_t lane_bytes{};
    /// For `DEPBAR`: the barrier that it waits for; `product_groups` for `WARPGROUP.DEPBAR`; 7: none.
    std::uint8_t counted_barrier = 7;
    /// For them: the newest settings of it that may be under way, 0 to 63.
    std::uint8_t groups_left{};
    std::uint16_t columns{};   ///< of a product of a warpgroup, `HGMMA` to `QGMMA`: 8 to 256
    bool closes_group{};       ///< of such a product: the last one of its group, `gsb0`
    control_bits control{};    ///< when the next one issues, and scoreboards
    std::uint32_t offset{};    ///< B from the beginning of its function
    std::int64_t target = -1;  ///< B from there, of a jump or a call; -1: none or not known
    std::uint32_t line{};      ///< of the PTX; 0: none
};

/// The number that stands for the barrier of products of a warpgroup, `gsb0`.
inline constexpr std::uint8_t product_groups = 6;

/// Decodes a word.
/// \param capability 75 for 7.5
/// \param offset B from the beginning of the function
[[nodiscard]] constexpr machine_instruction decode(const machine_word& word,
                                                   std::uint16_t capability,
                                                   std::uint32_t offset) noexcept;

namespace detail {

/// Bits `first` up to `first + count`, of which none crosses the middle of the word.
constexpr std::uint32_t bits(const machine_word& w, unsigned first, unsigned count) noexcept {
    const std::uint64_t half = first < 64 ? w.low >> first : w.high >> (first - 64);
    return static_cast<std::uint32_t>(half & ((std::uint64_t{1} << count) - 1));
}

constexpr control_bits control_of(const machine_word& w) noexcept {
    control_bits c;
    c.stall_cycles = static_cast<std::uint8_t>(bits(w, 105, 4));
    c.yield = bits(w, 109, 1) != 0;
    c.write_barrier = static_cast<std::uint8_t>(bits(w, 110, 3));
    c.read_barrier = static_cast<std::uint8_t>(bits(w, 113, 3));
    c.wait_mask = static_cast<std::uint8_t>(bits(w, 116, 6));
    c.reuse = static_cast<std::uint8_t>(bits(w, 122, 4));
    return c;
}

// Bits 34 to 81, with bits 16 to 23 below them from 9.0 on; in words of four bytes after this instruction.
constexpr std::int64_t target_of(const machine_word& w, std::uint16_t capability,
                                 std::uint32_t offset) noexcept {
    std::uint64_t words = w.low >> 34 | (w.high & 0x3'ffff) << 30;  // 48 bits
    constexpr std::uint64_t sign = std::uint64_t{1} << 47;
    if ((words & sign) != 0) words |= ~(sign - 1);
    if (capability >= 90) words = words << 8 | bits(w, 16, 8);
    const auto here = static_cast<std::int64_t>(offset) + instruction_bytes;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(here) + words * 4);
}

constexpr flow flow_of(std::uint32_t operation) noexcept {
    switch (operation) {
        case 0x144: return flow::call;
        case 0x147: return flow::jump;
        case 0x149:
        case 0x158: return flow::indirect;
        case 0x14d: return flow::exit;
        case 0x150: return flow::back;
        default: return flow::next;
    }
}

constexpr bool moves_bytes(pipe p) noexcept {
    return p == pipe::global_load || p == pipe::global_store || p == pipe::shared_load ||
           p == pipe::shared_store || p == pipe::local_load || p == pipe::local_store ||
           p == pipe::constant_load;
}

// Copies of many bytes by one lane, which a register counts: UTMALDG to UBLKPF.
constexpr bool is_in_bulk(std::uint32_t operation) noexcept {
    return operation >= 0x1b4 && operation <= 0x1bc;
}

// Of a load or a store: 8, 8, 16, 16, 32, 64 or 128 bits. LDGSTS has its width a bit higher from 10.0 on: copies of 4, 8 and
// 16 B as ptxas 13.0 compiles them for 8.0, 9.0, 10.0 and 12.0.
constexpr std::uint8_t lane_bytes_of(const machine_word& w, std::uint16_t capability, pipe p,
                                     std::uint32_t operation) {
    constexpr std::uint8_t sizes[]{1, 1, 2, 2, 4, 8, 16, 0};
    const bool is_matrix =
        operation == 0x03b || operation == 0x044;  // LDSM, STSM: of eight by eight
    if (is_matrix || is_in_bulk(operation)) return 0;
    const unsigned first = operation == 0x1ae && capability >= 100 ? 74 : 73;
    return moves_bytes(p) ? sizes[bits(w, first, 3)] : std::uint8_t{0};
}

// What waits for groups, and what makes one. Where the bits are: ptxas 13.0, of products of 8 to 256 columns by `wgmma` with 0
// to 2 groups left.
constexpr void decode_groups(machine_instruction& i, const machine_word& w,
                             std::uint32_t operation) noexcept {
    const bool depends = operation == 0x11a;                           // DEPBAR
    const bool waits = operation == 0x1c5 && bits(w, 80, 1) != 0;      // WARPGROUP.DEPBAR
    const bool multiplies = operation >= 0x1f0 && operation <= 0x1f3;  // HGMMA to QGMMA
    if (depends) i.counted_barrier = static_cast<std::uint8_t>(bits(w, 44, 3));
    if (depends) i.groups_left = static_cast<std::uint8_t>(bits(w, 38, 6));
    if (waits) i.counted_barrier = product_groups;
    if (waits) i.groups_left = static_cast<std::uint8_t>(bits(w, 72, 3));
    if (multiplies) i.columns = static_cast<std::uint16_t>(8 * bits(w, 53, 5) + 8);
    if (multiplies) i.closes_group = bits(w, 84, 3) == 0;
}

}  // namespace detail

constexpr machine_instruction decode(const machine_word& word, std::uint16_t capability,
                                     std::uint32_t offset) noexcept {
    using detail::bits;
    const std::uint32_t operation = bits(word, 0, 9);
    const opcode_row row = find_opcode(static_cast<std::uint16_t>(operation), capability);
    machine_instruction i;
    i.code = static_cast<std::uint16_t>(bits(word, 0, 12));
    i.name = row.name;
    i.pipe = row.pipe;
    i.flow = detail::flow_of(operation);
    i.predicate = static_cast<std::uint8_t>(bits(word, 12, 3));
    i.negated = bits(word, 15, 1) != 0;
    i.conditional = i.predicate != 7 || i.negated;
    i.lane_bytes = detail::lane_bytes_of(word, capability, row.pipe, operation);
    detail::decode_groups(i, word, operation);
    i.control = detail::control_of(word);
    i.offset = offset;
    if (i.flow == flow::jump || i.flow == flow::call) {
        const bool by_register = i.flow == flow::call && i.code != 0x944;
        if (!by_register) i.target = detail::target_of(word, capability, offset);
    }
    if (i.flow == flow::jump) {
        // A second predicate; of the uniform form, a uniform one.
        const bool uniform = i.code == 0x547;
        if (bits(word, 87, 4) != 7) i.conditional = true;
        if (uniform && bits(word, 24, 4) != 7) i.conditional = true;
    }
    return i;
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
