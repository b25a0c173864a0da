// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_NAME_CHARACTERS_HPP
#define WARPGAUGE_CORE_NAME_CHARACTERS_HPP

#include <warpgauge/core/abi.hpp>

/// \file The characters that do not count where names are compared: separators and case.

namespace WARPGAUGE_NAMESPACE::core {

/// Is it a space, `_`, `-` or `,`?
[[nodiscard]] constexpr bool is_separator(char c) noexcept {
    return c == ' ' || c == '_' || c == '-' || c == ',';
}

/// A letter from A to Z in lower case; any other character as it is.
[[nodiscard]] constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace WARPGAUGE_NAMESPACE::core

#endif
