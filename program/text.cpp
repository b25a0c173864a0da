// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <locale>
#include <sstream>

#include <warpgauge/core/nearest_name.hpp>
#include <warpgauge/report/digits.hpp>
#include <warpgauge/report/table.hpp>

#include "failure.hpp"

namespace program {

std::optional<std::int64_t> integer_in(std::string_view text) {
    const bool negative = text.substr(0, 1) == "-";
    if (negative) text.remove_prefix(1);
    const bool hexadecimal = text.substr(0, 2) == "0x";
    if (hexadecimal) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, bad] =
        std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    if (bad != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return static_cast<std::int64_t>(negative ? 0 - value : value);
}

std::optional<double> number_in(const std::string& text) {
    // A stream, since libc++ has no std::from_chars of doubles; it would take spaces and a plus sign as well.
    if (text.empty() || std::string_view("-.0123456789").find(text[0]) == std::string_view::npos) {
        return std::nullopt;
    }
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    if (!(in >> value) || in.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string short_number(double x) {
    if (x != 0 && std::fabs(x) < 0.005) {  // 0.00 would say that it is nothing
        return warpgauge::report::detail::general_digits(x, 3);
    }
    return warpgauge::report::fixed(x, x < 100 && x != std::floor(x) ? 2 : 0);
}

std::string exact_number(double x) {
    return warpgauge::report::detail::shortest_digits(x);
}

std::string joined(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

std::string perhaps(std::string_view name, const std::vector<std::string>& known) {
    warpgauge::nearest_name nearest(name);
    for (const std::string& candidate : known) nearest.add(candidate);
    return nearest.view().empty() ? "" : "; perhaps " + std::string(nearest.view());
}

std::optional<std::string> text_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file || file.peek() == std::ifstream::traits_type::eof()) {
        if (!file.is_open() || !file.eof()) return std::nullopt;
    }
    return std::string(std::istreambuf_iterator<char>(file), {});
}

void write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) fail_usage(path + ": cannot be written");
}

}  // namespace program
