// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_DIGITS_HPP
#define WARPGAUGE_REPORT_DIGITS_HPP

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <warpgauge/core/abi.hpp>

/// \file Doubles as text, the same in every locale and with every standard library. libc++ before 14, which Debian's
/// Emscripten has, lacks `std::to_chars` of doubles; `std::snprintf` takes its place there.

namespace WARPGAUGE_NAMESPACE::report::detail {

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000

inline std::string printed(const char* format, int precision, double value) {
    std::array<char, 400> text{};
    std::snprintf(text.data(), text.size(), format, precision, value);
    std::string digits(text.data());
    for (char& c : digits) {
        if (c == ',') c = '.';  // the point of some locales
    }
    return digits;
}

inline std::string fixed_digits(double value, int after_point) {
    return printed("%.*f", after_point, value);
}

inline std::string general_digits(double value, int digits) {
    return printed("%.*g", digits, value);
}

inline std::string shortest_digits(double value) {
    int after_first = 0;
    std::string scientific = printed("%.*e", after_first, value);
    while (after_first < 16 && std::strtod(scientific.c_str(), nullptr) != value) {
        scientific = printed("%.*e", ++after_first, value);
    }
    const std::size_t e = scientific.find('e');
    if (e == std::string::npos) return scientific;  // infinity or NaN
    const int exponent = std::atoi(scientific.c_str() + e + 1);
    std::string plain = fixed_digits(value, exponent < after_first ? after_first - exponent : 0);
    return plain.size() <= scientific.size() ? plain : scientific;
}

#else

/// `value` with a given number of digits after the point, at most 60.
inline std::string fixed_digits(double value, int after_point) {
    std::array<char, 400> text{};  // the largest double has 309 digits before the point
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   std::chars_format::fixed, after_point);
    return {text.data(), end.ptr};
}

/// `value` with a given number of significant digits, at most 30.
inline std::string general_digits(double value, int digits) {
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   std::chars_format::general, digits);
    return {text.data(), end.ptr};
}

/// The shortest text that reads as the same number.
inline std::string shortest_digits(double value) {
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
}

#endif

}  // namespace WARPGAUGE_NAMESPACE::report::detail

#endif
