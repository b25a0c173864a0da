// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_CUBIN_HPP
#define WARPGAUGE_SASS_CUBIN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/sass/byte_cursor.hpp>
#include <warpgauge/sass/elf.hpp>
#include <warpgauge/sass/instruction.hpp>
#include <warpgauge/sass/line_table.hpp>

/// \file The machine code of one kernel, from a cubin.
///
/// Source for `.nv.info`: the output of ptxas 13.0, compared with that of its `-v`. An attribute is a byte for
/// its form, one for its kind, and two for value or length. Kind 0x2f: registers of a function; 0x11: B of its frame in
/// local memory; each a symbol's index and a number. (CuAssembler, CuNVInfo.py, calls them EIATTR_REGCOUNT and
/// EIATTR_FRAME_SIZE.)

namespace WARPGAUGE_NAMESPACE::sass {

/// A compiled kernel. Names are views into the file.
struct machine_code {
    std::string_view kernel{};             ///< its name in the file
    compute_capability capability{};       ///< that it was compiled for
    std::uint32_t registers_per_thread{};  ///< 0: the file does not say
    /// B of local memory: spilled registers and local arrays.
    std::uint32_t frame_bytes_per_thread{};
    std::uint64_t shared_bytes_per_block{};           ///< B, static
    bool has_lines{};                                 ///< instructions have their line of PTX
    std::vector<machine_instruction> instructions{};  ///< in the order of their addresses

    /// The compute capability as `opcode_row` has it: 75 for 7.5.
    [[nodiscard]] std::uint16_t capability_number() const noexcept {
        return static_cast<std::uint16_t>(capability.major * 10 + capability.minor);
    }
};

/// The compute capability that a cubin is for: 7.5 and later.
/// \errors unknown_compute_capability  `capability`: an older one, or flags of an unknown kind
[[nodiscard]] constexpr result<compute_capability> target_of(const elf_file& file) noexcept;

/// The machine code of a kernel; for an empty name, that of the first one.
/// \errors, with `line` as the byte of the file, from 1, if a byte is wrong: those of `read_elf`, `target_of`,
///         `read_lines`, and
///         unknown_name  `kernel`: no code has this name
///         malformed     `code`: no whole number of instructions
template <class = core::when_used>
[[nodiscard]] result<machine_code> read_cubin(byte_view file, std::string_view kernel);

/// The names of the kernels and functions in a cubin, in its order.
/// \errors those of `read_elf`
template <class = core::when_used>
[[nodiscard]] result<std::vector<std::string_view>> list_code(byte_view file);

namespace detail {

inline constexpr std::string_view code_prefix = ".text.";

/// Values of `.nv.info` that belong to one function.
struct function_info {
    std::uint32_t registers{}, frame_bytes{};
};

inline function_info info_of(const elf_file& file, std::string_view function) {
    function_info found;
    const section info = file.find(".nv.info");
    for (byte_cursor in(info.content, 0); in.left() >= 4;) {
        const std::uint8_t form = in.byte();
        const std::uint8_t kind = in.byte();
        const std::uint64_t value = in.number(2);
        if (form != 4) continue;
        if ((kind == 0x2f || kind == 0x11) && value == 8) {
            const std::uint64_t index = in.number(4);
            const auto number = static_cast<std::uint32_t>(in.number(4));
            if (index >= file.symbol_count()) continue;
            if (file.symbol_at(static_cast<std::size_t>(index)).name != function) continue;
            (kind == 0x2f ? found.registers : found.frame_bytes) = number;
        } else {
            in.skip(value);
        }
    }
    return found;
}

// From 9.0 on the section has 1 KiB besides that the system reserves and `ptxas -v` does not count.
inline std::uint64_t shared_bytes_of(const elf_file& file, std::string_view kernel,
                                     compute_capability cc) {
    constexpr std::uint64_t reserved = 1024;
    const std::uint64_t size = file.find(".nv.shared.", kernel).size;
    if (cc.major < 9) return size;
    return size > reserved ? size - reserved : 0;
}

inline section code_of(const elf_file& file, std::string_view kernel) {
    if (!kernel.empty()) return file.find(code_prefix, kernel);
    for (std::size_t n = 0; n < file.section_count(); ++n) {
        const section s = file.section_at(n);
        if (s.name.substr(0, code_prefix.size()) == code_prefix) return s;
    }
    return {};
}

template <class Used = core::when_used>
model_error decode_all(const elf_file& file, const section& code, machine_code& to) {
    if (code.content.size() % instruction_bytes != 0 || code.content.size() > 0x7fff'ffff) {
        return error_at(code.offset, errc::malformed, "code");
    }
    const auto lines = read_lines<Used>(file, code, ptx_lines);
    if (!lines) return lines.error();
    to.has_lines = !lines->empty();
    to.instructions.resize(code.content.size() / instruction_bytes);
    for (std::size_t n = 0; n < to.instructions.size(); ++n) {
        const std::size_t at = n * instruction_bytes;
        const machine_word word{number_at(code.content, at, 8), number_at(code.content, at + 8, 8)};
        to.instructions[n] = decode(word, to.capability_number(), static_cast<std::uint32_t>(at));
        if (to.has_lines) to.instructions[n].line = (*lines)[n];
    }
    return {};
}

}  // namespace detail

constexpr result<compute_capability> target_of(const elf_file& file) noexcept {
    // Bits 8 to 15 as CUDA 13 writes them, bits 0 to 7 before.
    const std::uint32_t number =
        file.abi_version() >= 8 ? file.flags() >> 8 & 0xff : file.flags() & 0xff;
    if (number < 75 || number > 129) {
        return detail::error_at(48, errc::unknown_compute_capability, "capability");
    }
    return compute_capability{static_cast<int>(number / 10), static_cast<int>(number % 10)};
}

template <class Used>
result<machine_code> read_cubin(byte_view file, std::string_view kernel) {
    const auto elf = read_elf(file);
    if (!elf) return elf.error();
    const auto target = target_of(*elf);
    if (!target) return target.error();
    const section code = detail::code_of(*elf, kernel);
    if (code.name.empty()) return model_error{errc::unknown_name, "kernel"};
    core::late<Used, machine_code> found;
    found.kernel = code.name.substr(detail::code_prefix.size());
    found.capability = *target;
    const detail::function_info info = detail::info_of(*elf, found.kernel);
    found.registers_per_thread = info.registers;
    found.frame_bytes_per_thread = info.frame_bytes;
    found.shared_bytes_per_block = detail::shared_bytes_of(*elf, found.kernel, *target);
    if (auto bad = detail::decode_all<Used>(*elf, code, found)) return bad;
    return found;
}

template <class Used>
result<std::vector<std::string_view>> list_code(byte_view file) {
    const auto elf = read_elf(file);
    if (!elf) return elf.error();
    core::late<Used, std::vector<std::string_view>> names;
    for (std::size_t n = 0; n < elf->section_count(); ++n) {
        const section s = elf->section_at(n);
        if (s.name.substr(0, detail::code_prefix.size()) != detail::code_prefix) continue;
        names.push_back(s.name.substr(detail::code_prefix.size()));
    }
    return names;
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
