// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_TEXT_HPP
#define WARPGAUGE_PROGRAM_TEXT_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file Numbers and names of a command line.

namespace program {

/// A decimal or, with 0x, hexadecimal integer, with or without a sign.
[[nodiscard]] std::optional<std::int64_t> integer_in(std::string_view text);

/// A finite number in full.
[[nodiscard]] std::optional<double> number_in(const std::string& text);

/// A whole number without digits after the point, another below 100 with two, else with none.
[[nodiscard]] std::string short_number(double x);

/// The shortest text that reads as the same number.
[[nodiscard]] std::string exact_number(double x);

/// "a, b, c".
[[nodiscard]] std::string joined(const std::vector<std::string>& names);

/// "; perhaps NAME", with the name that takes the fewest changes; empty where none is near.
[[nodiscard]] std::string perhaps(std::string_view name, const std::vector<std::string>& known);

/// The text of a file; none if it cannot be read.
[[nodiscard]] std::optional<std::string> text_of_file(const std::string& path);

/// Writes a file. It fails by `failure`.
void write_file(const std::string& path, const std::string& text);

}  // namespace program

#endif
