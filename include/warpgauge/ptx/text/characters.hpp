// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_CHARACTERS_HPP
#define WARPGAUGE_PTX_TEXT_CHARACTERS_HPP

#include <array>
#include <cstdint>

#include <warpgauge/core/abi.hpp>

/// \file What a character of a PTX text can be part of.

namespace WARPGAUGE_NAMESPACE::ptx::detail::text {

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

/// What a character can be part of; a table, since most of reading is to ask that.
enum char_class : std::uint8_t {
    of_letters = 1,
    of_directive = 2,  ///< `maxntid`, `shared::cta`
    of_opcode = 4,     ///< of `ld.global.f32`; a colon besides
    of_name = 8,       ///< `%tid.x`
    of_space = 16,     ///< within a line
    ends_skipping = 32,
};

inline constexpr std::array<std::uint8_t, 256> char_classes = [] {
    std::array<std::uint8_t, 256> all{};
    for (unsigned n = 0; n < 256; ++n) {
        const char c = static_cast<char>(n);
        unsigned classes = 0;
        if (is_letter(c)) classes |= of_letters;
        if (is_letter(c) || is_digit(c)) classes |= of_directive | of_opcode | of_name;
        if (c == ':') classes |= of_directive;
        if (c == '.') classes |= of_opcode | of_name;
        if (c == '@') classes |= of_name;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') classes |= of_space;
        if (c == '{' || c == '}' || c == '"' || c == '\n' || c == '/') classes |= ends_skipping;
        all[n] = static_cast<std::uint8_t>(classes);
    }
    return all;
}();

constexpr bool belongs(char c, char_class to) noexcept {
    return (char_classes[static_cast<unsigned char>(c)] & to) != 0;
}

/// Where the characters of a class end; one that is not of it has to be ahead, so the end of the text is not asked for.
inline const char* behind(char_class wanted, const char* at) noexcept {
    for (;; at += 4) {
        if (!belongs(at[0], wanted)) return at;
        if (!belongs(at[1], wanted)) return at + 1;
        if (!belongs(at[2], wanted)) return at + 2;
        if (!belongs(at[3], wanted)) return at + 3;
    }
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::text

#endif
