// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_VALUE_TYPE_HPP
#define WARPGAUGE_PTX_TEXT_VALUE_TYPE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/abi.hpp>

/// \file Types of PTX, such as `s32`, as far as following integers needs them.

namespace WARPGAUGE_NAMESPACE::ptx::text {

/// A type as the values of a register have it.
struct value_type {
    std::uint8_t bits = 32;  ///< 1 of a predicate
    bool is_signed{};        ///< a signed integer
    bool followed{};  ///< an integer, a predicate or plain bits: not a float, nor several in one
    bool is_real{};   ///< `f32` or `f64`
};

/// Reads a type such as `s32`; false if the part of an opcode is no type.
constexpr bool read_type(std::string_view part, value_type& type) {
    if (part == "pred") {
        type = {.bits = 1, .followed = true};
        return true;
    }
    std::size_t digits = 0;
    while (digits < part.size() && (part[digits] < '0' || part[digits] > '9')) ++digits;
    if (digits == 0 || digits == part.size()) return false;
    const std::string_view kind = part.substr(0, digits);
    const char letter = digits == 1 ? kind[0] : ' ';
    const bool is_whole = letter == 'u' || letter == 's' || letter == 'b';
    if (!is_whole && letter != 'f' && letter != 'e' && kind != "bf" && kind != "tf") return false;
    unsigned bits = 0;
    std::size_t at = digits;
    for (; at < part.size() && part[at] >= '0' && part[at] <= '9' && bits < 1000; ++at) {
        bits = 10 * bits + static_cast<unsigned>(part[at] - '0');
    }
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128) {
        type = {};
        return letter != 'e';
    }
    const bool alone = at == part.size() && bits <= 64;  // `f16x2` is two
    type = {.bits = static_cast<std::uint8_t>(bits == 128 ? 64 : bits),
            .is_signed = letter == 's',
            .followed = alone && is_whole,
            .is_real = alone && letter == 'f' && (bits == 32 || bits == 64)};
    return true;
}

/// Bytes of a value in memory; a predicate takes one.
constexpr std::uint32_t bytes_of(const value_type& type) {
    return type.bits < 8 ? 1 : type.bits / 8U;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::text

#endif
