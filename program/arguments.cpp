// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include <warpgauge/ptx.hpp>
#include <warpgauge/ptx/trace/needed_arguments.hpp>

#include "failure.hpp"
#include "text.hpp"

namespace program {

namespace {

namespace ptx = warpgauge::ptx;
using parameters = std::span<const ptx::declaration>;

bool is_integer(const ptx::declaration& p) {
    const bool integer = p.elements == 1 && !p.type.empty() &&
                         (p.type[0] == 's' || p.type[0] == 'u' || p.type[0] == 'b');
    const bool address = p.type == "u64" || p.type == "b64";
    return integer && !address;
}

// The first parameter that needs a value and has none.
std::optional<std::size_t> next_integer(const std::vector<bool>& needed, const bound_arguments& b) {
    for (std::size_t p = 0; p < needed.size(); ++p) {
        const bool open = b.given[p].what() == ptx::argument::kind::not_given;
        if (open && needed[p]) return p;
    }
    return std::nullopt;
}

std::optional<std::size_t> place_of(std::string_view name, parameters all,
                                    const std::vector<bool>& needed, const bound_arguments& b) {
    for (std::size_t p = 0; p < all.size(); ++p) {
        if (all[p].name == name) return p;
    }
    if (const auto place = integer_in(name)) {
        const bool exists = *place >= 0 && static_cast<std::size_t>(*place) < all.size();
        return exists ? std::optional(static_cast<std::size_t>(*place)) : std::nullopt;
    }
    return next_integer(needed, b);
}

// `x0001fe`: bytes in the order of their addresses.
std::optional<std::vector<unsigned char>> bytes_in(std::string_view text) {
    if (text.size() < 3 || text[0] != 'x' || text.size() % 2 == 0) return std::nullopt;
    std::vector<unsigned char> bytes;
    for (std::size_t at = 1; at < text.size(); at += 2) {
        const auto byte = integer_in("0x" + std::string(text.substr(at, 2)));
        if (!byte) return std::nullopt;
        bytes.push_back(static_cast<unsigned char>(*byte));
    }
    return bytes;
}

// `16:4`: where in a structure, and how many bytes.
std::optional<ptx::argument_field> field_in(std::string_view text, std::int64_t value) {
    const std::size_t colon = text.find(':');
    const auto offset = integer_in(text.substr(0, colon));
    const auto bytes = integer_in(colon == std::string_view::npos ? "4" : text.substr(colon + 1));
    if (!offset || !bytes || *offset < 0 || *offset > 4096 || *bytes < 1 || *bytes > 8) {
        return std::nullopt;
    }
    return ptx::argument_field{static_cast<std::uint32_t>(*offset),
                               static_cast<std::uint32_t>(*bytes),
                               static_cast<std::uint64_t>(value)};
}

// Why the value cannot be taken; empty if it is.
std::string bind_value(std::string_view name, const std::string& text, std::size_t place,
                       const ptx::declaration& parameter, bound_arguments& to) {
    const auto n = integer_in(text);
    // A trace needs no number of a float parameter.
    if (parameter.type.substr(0, 1) == "f" && number_in(text)) return "";
    const std::size_t plus = name.find('+');
    if (plus != std::string_view::npos) {
        const auto field = n ? field_in(name.substr(plus + 1), *n) : std::nullopt;
        if (!field) return "a field is written PLACE+OFFSET:BYTES=INTEGER";
        to.fields[place].push_back(*field);
        to.given[place] = ptx::argument(std::span<const ptx::argument_field>(to.fields[place]));
        return "";
    }
    if (const auto bytes = bytes_in(text)) {
        to.bytes[place] = *bytes;
        to.given[place] = ptx::argument(std::span<const unsigned char>(to.bytes[place]));
        return "";
    }
    if (!n && text != "?") return "the value is no integer";
    to.given[place] = n ? ptx::argument(*n) : ptx::argument::unknown();
    return "";
}

std::string list_of(parameters all) {
    std::string text;
    for (std::size_t p = 0; p < all.size(); ++p) {
        text += (p > 0 ? ", " : "") + std::to_string(p) + " (" + std::string(all[p].type) + " " +
                std::string(all[p].name) + ")";
    }
    return all.empty() ? "the kernel has no parameters" : "the kernel has " + text;
}

}  // namespace

std::vector<bool> needed_values(const ptx::kernel& k) {
    if (auto needed = ptx::needed_arguments(k)) return *std::move(needed);
    // A text that cannot be followed: its types say which parameters are no pointers.
    std::vector<bool> integers;
    for (const ptx::declaration& p : k.text->parameters(k.text->functions[k.function])) {
        integers.push_back(is_integer(p));
    }
    return integers;
}

void bind(const std::vector<std::string>& texts, const ptx::kernel& k, bound_arguments& to) {
    const parameters all = k.text->parameters(k.text->functions[k.function]);
    const std::vector<bool> needed =
        texts.empty() ? std::vector<bool>(all.size()) : needed_values(k);
    to.given.resize(all.size());
    for (const std::string& text : texts) {
        const std::size_t sign = text.find('=');
        const bool named = sign != std::string::npos;
        const std::string name = named ? text.substr(0, sign) : "";
        const std::size_t plus = name.find('+');
        const auto place =
            named ? place_of(name.substr(0, plus), all, needed, to) : next_integer(needed, to);
        if (!place) fail_usage("--arg " + text + ": no such parameter; " + list_of(all));
        const std::string bad =
            bind_value(name, named ? text.substr(sign + 1) : text, *place, all[*place], to);
        if (!bad.empty()) fail_usage("--arg " + text + ": " + bad);
    }
}

}  // namespace program
