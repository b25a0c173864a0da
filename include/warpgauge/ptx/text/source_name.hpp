// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_SOURCE_NAME_HPP
#define WARPGAUGE_PTX_TEXT_SOURCE_NAME_HPP

#include <cstddef>
#include <string_view>

#include <warpgauge/core/abi.hpp>

/// \file The name that a function has in its source: "saxpy" for the symbol `_Z5saxpyifPKfPf`.

namespace WARPGAUGE_NAMESPACE::ptx {

namespace detail::text {

/// Removes "5saxpy" from the begin of `text` and returns "saxpy"; empty if `text` begins with no such name.
constexpr std::string_view take_counted_name(std::string_view& text) noexcept {
    std::size_t length = 0;
    std::size_t digits = 0;
    while (digits < text.size() && digits < 5 && text[digits] >= '0' && text[digits] <= '9') {
        length = 10 * length + static_cast<std::size_t>(text[digits++] - '0');
    }
    if (length == 0 || length > text.size() - digits) return {};
    const std::string_view name = text.substr(digits, length);
    text.remove_prefix(digits + length);
    return name;
}

}  // namespace detail::text

/// The name of a function in its source, without namespaces, template arguments and parameters. A symbol that is not
/// mangled, as of `extern "C"`, is its own name.
/// Source: Itanium C++ ABI, 5.1, "External Names (a.k.a. Mangling)".
[[nodiscard]] constexpr std::string_view source_name(std::string_view symbol) noexcept {
    if (symbol.substr(0, 2) != "_Z") return symbol;
    std::string_view rest = symbol.substr(2);
    const bool is_nested = rest.substr(0, 1) == "N";
    if (is_nested) rest.remove_prefix(1);
    std::string_view name;
    do {
        if (rest.substr(0, 1) == "L") rest.remove_prefix(1);  // of internal linkage
        const std::string_view next = detail::text::take_counted_name(rest);
        if (next.empty()) break;
        name = next;
    } while (is_nested);
    return name.empty() ? symbol : name;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
