// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LISTING_HPP
#define WARPGAUGE_SASS_LISTING_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/ptx/text/resources.hpp>
#include <warpgauge/sass/cubin.hpp>
#include <warpgauge/sass/instruction.hpp>

/// \file The machine code of one kernel, from the text that `cuobjdump -sass` or `nvdisasm -hex` prints.
///
/// Both print an instruction with its address and its word, in two halves:
///
///     /*0010*/   S2R R0, SR_CTAID.X ;   /* 0x0000000000007919 */
///                                       /* 0x000e220000002500 */
///
/// The words are decoded, so that the result is that of `read_cubin`; the operation's own text is not read. A kernel begins
/// at `Function : NAME` (cuobjdump) or `.text.NAME:` (nvdisasm). With `-gp`, nvdisasm writes the line of PTX above an
/// instruction: `//## File ".nv_debug_ptx_txt", line 19`. cuobjdump writes no lines.
///
/// Source: NVIDIA, CUDA Binary Utilities, "cuobjdump" and "nvdisasm", of which `-gp` annotates with "source line
/// information obtained from .nv_debug_line_sass"; listings for 7.0 and 7.5 as published with CuAssembler.

namespace WARPGAUGE_NAMESPACE::sass {

/// The machine code of a kernel from a listing; for an empty name, that of the first one. Of several listings of the same
/// kernel, for several GPUs, the first one counts.
/// \param compiled registers, shared memory and stack as `ptx::read_resources` has them, since the listing does not
/// \errors, with the line of the text:
///         unknown_name  `kernel`: no code has this name
///         missing       `words`: an instruction is printed without its words, as nvdisasm does without `-hex`;
///                       `capability`: neither `EF_CUDA_SM75` nor `code for sm_75` stands before the code
///         malformed     `words`: a word has no second half; `address`: it is not that of the next instruction
///         unknown_compute_capability  `capability`: before 7.5
template <class = core::when_used>
[[nodiscard]] result<machine_code> read_listing(std::string_view text, std::string_view kernel,
                                                const ptx::kernel_resources& compiled = {});

namespace detail {

/// The text after `prefix`; empty if it does not begin with that.
constexpr std::string_view after(std::string_view text, std::string_view prefix) noexcept {
    return text.substr(0, prefix.size()) == prefix ? text.substr(prefix.size())
                                                   : std::string_view{};
}

constexpr std::string_view trimmed(std::string_view line) noexcept {
    const std::size_t from = line.find_first_not_of(" \t\r");
    if (from == std::string_view::npos) return {};
    return line.substr(from, line.find_last_not_of(" \t\r") - from + 1);
}

/// Reads hexadecimal digits up to the end of the text; false if there are none, more than 16, or others.
constexpr bool hexadecimal(std::string_view digits, std::uint64_t& value) noexcept {
    if (digits.empty() || digits.size() > 16) return false;
    value = 0;
    for (const char c : digits) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) return false;
        const int digit = is_digit ? c - '0' : (c | 0x20) - 'a' + 10;
        value = value << 4 | static_cast<std::uint64_t>(digit);
    }
    return true;
}

/// Half a word, in the last comment of a line: `/* 0x000e220000002500 */`.
constexpr bool half_of(std::string_view line, std::uint64_t& half) noexcept {
    constexpr std::string_view end = " */";
    const std::size_t from = line.rfind("/* 0x");
    if (from == std::string_view::npos) return false;
    const std::string_view comment = line.substr(from + 5);
    if (comment.size() != 16 + end.size() || comment.substr(16) != end) return false;
    return hexadecimal(comment.substr(0, 16), half);
}

/// The address at the beginning of an instruction's line: `/*0010*/`.
constexpr bool address_of(std::string_view line, std::uint64_t& address) noexcept {
    const std::string_view rest = after(line, "/*");
    const std::size_t end = rest.find("*/");
    return end != std::string_view::npos && hexadecimal(rest.substr(0, end), address);
}

/// The number 75 of `EF_CUDA_SM75` or of `code for sm_75`; 0 if the line has neither.
constexpr std::uint64_t capability_in(std::string_view line) noexcept {
    std::uint64_t number = 0;
    for (const std::string_view key :
         {std::string_view("EF_CUDA_SM"), std::string_view("code for sm_")}) {
        if (ptx::detail::text::number_after(line, key, number)) return number;
    }
    return 0;
}

template <class Used = core::when_used>
class listing_reader {
public:
    listing_reader(std::string_view text, std::string_view kernel)
        : lines_(text), kernel_(kernel) {}

    result<machine_code> read() {
        for (std::string_view line; lines_.next(line);) {
            line = trimmed(line);
            if (const std::string_view name = name_in(line); !name.empty()) {
                if (inside_ && !found_.instructions.empty()) break;
                inside_ = kernel_.empty() || name == kernel_;
                if (inside_) found_.kernel = name;
                line_ = 0;
            } else if (const std::uint64_t number = capability_in(line); number > 0) {
                capability_ = number;
            } else if (inside_) {
                if (const auto bad = read_line(line)) return bad;
            }
        }
        if (found_.instructions.empty()) return model_error{errc::unknown_name, "kernel"};
        return found_;
    }

private:
    static std::string_view name_in(std::string_view line) {
        if (const auto name = after(line, "Function : "); !name.empty()) return name;
        const auto label = after(line, ".text.");
        const bool is_label = label.size() > 1 && label.back() == ':';
        return is_label ? label.substr(0, label.size() - 1) : std::string_view{};
    }

    [[nodiscard]] model_error error(errc code, std::string_view what) const {
        return {code, what, lines_.number(), 1};
    }

    model_error read_line(std::string_view line) {
        if (const auto file = after(line, "//## File \".nv_debug_ptx_txt\""); !file.empty()) {
            std::uint64_t number = 0;
            ptx::detail::text::number_after(file, ", line ", number);
            line_ = static_cast<std::uint32_t>(number < 0xffff'ffff ? number : 0);
            found_.has_lines = true;
            return {};
        }
        std::uint64_t address = 0;
        return address_of(line, address) ? read_instruction(line, address) : model_error{};
    }

    model_error read_instruction(std::string_view line, std::uint64_t address) {
        if (found_.instructions.empty()) {
            if (capability_ == 0) return error(errc::missing, "capability");
            if (capability_ < 75 || capability_ > 129) {
                return error(errc::unknown_compute_capability, "capability");
            }
            found_.capability = {static_cast<int>(capability_ / 10),
                                 static_cast<int>(capability_ % 10)};
        }
        const std::size_t offset = found_.instructions.size() * instruction_bytes;
        if (address != offset || offset > 0x7fff'ffff) return error(errc::malformed, "address");
        machine_word word;
        if (!half_of(line, word.low)) return error(errc::missing, "words");
        if (!lines_.next(line)) line = {};
        line = trimmed(line);
        if (after(line, "/* 0x").empty() || !half_of(line, word.high)) {
            return error(errc::malformed, "words");
        }
        found_.instructions.push_back(
            decode(word, found_.capability_number(), static_cast<std::uint32_t>(offset)));
        found_.instructions.back().line = line_;
        return {};
    }

    ptx::detail::text::line_reader lines_;
    std::string_view kernel_;
    core::late<Used, machine_code> found_;
    std::uint64_t capability_ = 0;
    std::uint32_t line_ = 0;
    bool inside_ = false;
};

}  // namespace detail

template <class Used>
result<machine_code> read_listing(std::string_view text, std::string_view kernel,
                                  const ptx::kernel_resources& compiled) {
    auto code = detail::listing_reader<Used>(text, kernel).read();
    if (!code) return code;
    code->registers_per_thread = static_cast<std::uint32_t>(compiled.registers_per_thread);
    code->frame_bytes_per_thread = static_cast<std::uint32_t>(compiled.stack_bytes);
    code->shared_bytes_per_block = compiled.shared_bytes_per_block;
    return code;
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
