// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <warpgauge/ptx.hpp>
#include <warpgauge/ptx/trace/needed_arguments.hpp>

#include "failure.hpp"
#include "parameter_names.hpp"
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

// Binds the arguments of one launch.
class binder {
public:
    binder(const launch_request& r, const ptx::kernel& k, std::string_view source,
           bound_arguments& to)
        : r_(r), all_(k.text->parameters(k.text->functions[k.function])), to_(to) {
        to_.given.resize(all_.size());
        if (r_.arguments.empty()) return;
        needed_ = needed_values(k);
        names_ = parameter_names(k, source);
        is_named_ = std::any_of(names_.begin(), names_.end(),
                                [](const std::string& name) { return !name.empty(); });
    }

    // Those whose parameter is certain go first, so that the others are left the rest.
    void bind_all() {
        if (r_.arguments.empty()) return;
        std::vector<std::string> rest;
        for (const std::string& text : r_.arguments) {
            const auto place = certain_place(text);
            place ? bind_value_of(text, *place) : rest.push_back(text);
        }
        const std::size_t open = open_parameters();
        for (const std::string& text : rest) {
            const std::string name = name_of(text);
            if (!name.empty() && open > 1) check_order(open);
            const auto place = next_place(name);
            if (!place) refuse(text);
            bind_value_of(text, *place);
        }
        if (open > 1 && !by_order_.empty()) to_.note = note_of_order();
    }

private:
    // "n" of "n=4" and of "n+16:4=4"; empty of a value without a name.
    static std::string name_of(const std::string& text) {
        const std::size_t sign = text.find('=');
        if (sign == std::string::npos) return "";
        const std::string name = text.substr(0, sign);
        return name.substr(0, name.find('+'));
    }

    // The parameter whose name or index is given.
    [[nodiscard]] std::optional<std::size_t> certain_place(const std::string& text) const {
        const std::string name = name_of(text);
        if (name.empty()) return std::nullopt;
        for (std::size_t p = 0; p < all_.size(); ++p) {
            if (all_[p].name == name || names_[p] == name) return p;
        }
        const auto place = integer_in(name);
        const bool exists = place && *place >= 0 && static_cast<std::size_t>(*place) < all_.size();
        if ((place && !exists) || (!place && is_named_)) refuse(text);
        return exists ? std::optional(static_cast<std::size_t>(*place)) : std::nullopt;
    }

    [[nodiscard]] bool is_open(std::size_t p) const {
        return needed_[p] && to_.given[p].what() == ptx::argument::kind::not_given;
    }

    [[nodiscard]] std::size_t open_parameters() const {
        std::size_t open = 0;
        for (std::size_t p = 0; p < all_.size(); ++p) open += is_open(p) ? 1U : 0U;
        return open;
    }

    // The one that has this name already, or the first that needs a value and has none.
    std::optional<std::size_t> next_place(const std::string& name) {
        for (const auto& [known, place] : by_order_) {
            if (known == name) return place;
        }
        for (std::size_t p = 0; p < all_.size(); ++p) {
            if (!is_open(p)) continue;
            if (!name.empty()) by_order_.emplace_back(name, p);
            return p;
        }
        return std::nullopt;
    }

    void bind_value_of(const std::string& text, std::size_t place) {
        const std::size_t sign = text.find('=');
        const bool named = sign != std::string::npos;
        const std::string bad =
            bind_value(named ? text.substr(0, sign) : "", named ? text.substr(sign + 1) : text,
                       place, all_[place], to_);
        if (!bad.empty()) fail_usage("--arg " + text + ": " + bad);
    }

    // The members of an object have no order.
    void check_order(std::size_t open) const {
        if (!r_.unordered_arguments) return;
        fail_usage(r_.file +
                   ": arguments: neither PTX nor source has the names of parameters, and " +
                   std::to_string(open) +
                   " of them need a value: give an array of the values in order, or indices in "
                   "place of names; " +
                   list_of_parameters());
    }

    [[noreturn]] void refuse(const std::string& text) const {
        const std::string near = is_named_ ? perhaps(name_of(text), names_) : "";
        fail_usage("--arg " + text + ": no such parameter" +
                   (near.empty() ? "; " + list_of_parameters() : near));
    }

    // "0 (u32 n)".
    [[nodiscard]] std::string parameter(std::size_t p) const {
        const std::string name = names_[p].empty() ? std::string(all_[p].name) : names_[p];
        return std::to_string(p) + " (" + std::string(all_[p].type) + " " + name + ")";
    }

    [[nodiscard]] std::string list_of_parameters() const {
        std::vector<std::string> list;
        for (std::size_t p = 0; p < all_.size(); ++p) list.push_back(parameter(p));
        return list.empty() ? "the kernel has no parameters" : "the kernel has " + joined(list);
    }

    [[nodiscard]] std::string note_of_order() const {
        std::vector<std::string> list;
        for (const auto& [name, place] : by_order_) {
            list.push_back(name + " is taken for " + parameter(place));
        }
        return "neither PTX nor source has the names of parameters; by their order, " +
               joined(list);
    }

    const launch_request& r_;
    parameters all_;
    bound_arguments& to_;
    std::vector<bool> needed_{};
    std::vector<std::string> names_{};
    bool is_named_ = false;
    std::vector<std::pair<std::string, std::size_t>> by_order_{};  // names that no text has
};

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

void bind(const launch_request& r, const ptx::kernel& k, std::string_view source,
          bound_arguments& to) {
    binder(r, k, source, to).bind_all();
}

}  // namespace program
