// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BY_NAME_FIND_DEVICE_HPP
#define WARPGAUGE_BY_NAME_FIND_DEVICE_HPP

#include <cstddef>
#include <string_view>

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/core/name_characters.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/devices/all.hpp>

/// \file The devices of the library by name: `find_device`, `device_names`, `for_each_device_like`.
///
/// A device is found by its own name, by the name that CUDA reports, by a short name ("a100"), or by whole words that
/// only one device has in its names ("2070 super"). Case, spaces, `_`, `-` and `,` are ignored. So the name that CUDA reports of a GPU
/// that is not here finds none: neither "NVIDIA H20" the H200, nor "GeForce RTX 2080" the RTX 2080 Ti.

namespace WARPGAUGE_NAMESPACE {

namespace detail::by_name {

/// The letters and digits of a name, one by one, in lower case; 0 at the end.
constexpr char next_letter(std::string_view& text) {
    while (!text.empty() && core::is_separator(text.front())) text.remove_prefix(1);
    if (text.empty()) return 0;
    const char c = core::lower(text.front());
    text.remove_prefix(1);
    return c;
}

/// Whether `name` begins with a word, or with several, whose letters are those of `word`.
constexpr bool begins_with(std::string_view name, std::string_view word) {
    while (true) {
        const char wanted = next_letter(word);
        if (wanted == 0) return name.empty() || core::is_separator(name.front());
        if (next_letter(name) != wanted) return false;
    }
}

/// Removes the first word of `text` and returns it.
constexpr std::string_view take_word(std::string_view& text) {
    while (!text.empty() && core::is_separator(text.front())) text.remove_prefix(1);
    std::size_t length = 0;
    while (length < text.size() && !core::is_separator(text[length])) ++length;
    const std::string_view word = text.substr(0, length);
    text.remove_prefix(length);
    return word;
}

/// Whether `word` is a word of `name`, or several that follow each other: "rtx2070" of "GeForce RTX 2070 SUPER".
constexpr bool has_word(std::string_view name, std::string_view word) {
    while (!name.empty()) {
        if (begins_with(name, word)) return true;
        take_word(name);
    }
    return false;
}

constexpr bool is_maker(std::string_view word) {
    return devices::same_name(word, "nvidia") || devices::same_name(word, "amd");
}

/// `text` without a maker's name in front.
constexpr std::string_view without_maker(std::string_view text) {
    std::string_view rest = text;
    return is_maker(take_word(rest)) ? rest : text;
}

/// Whether every word of `text` is in `name`; makers' names do not count, and there has to be another word.
constexpr bool has_all_words(std::string_view name, std::string_view text) {
    bool any = false;
    while (true) {
        const std::string_view word = take_word(text);
        if (word.empty()) return any;
        if (is_maker(word)) continue;
        if (!has_word(name, word)) return false;
        any = true;
    }
}

/// Whether a word of `text` ends so: "2070super".
constexpr bool has_ending(std::string_view text, std::string_view end) {
    while (true) {
        const std::string_view word = take_word(text);
        if (word.empty()) return false;
        if (word.size() < end.size()) continue;
        if (devices::same_name(word.substr(word.size() - end.size()), end)) return true;
    }
}

/// A GPU with one of these words has another's number: whether `text` says so where `name` does.
constexpr bool names_variant(std::string_view name, std::string_view text) {
    for (const std::string_view variant : {"Ti", "SUPER"}) {
        if (has_word(name, variant) && !has_ending(text, variant)) return false;
    }
    return true;
}

/// Calls `visit(name)` for every name of a device, its own first.
template <class D, class Visitor>
constexpr void for_each_name(const D& d, Visitor&& visit) {
    visit(std::string_view(d.name));
    if constexpr (requires { d.aliases; }) {
        for (const std::string_view alias : d.aliases) visit(alias);
    }
}

template <class D>
constexpr bool is_like(const D& d, std::string_view text) {
    bool found = false;
    for_each_name(d, [&](std::string_view own) {
        found = found || (has_all_words(own, text) && names_variant(own, text));
    });
    return found;
}

/// The names of all devices, from one walk over them.
class name_list {
public:
    constexpr name_list() {
        devices::for_each([this](const auto& d) { names_[size_++] = d.name; });
    }
    [[nodiscard]] constexpr const std::string_view* begin() const { return names_; }
    [[nodiscard]] constexpr const std::string_view* end() const { return names_ + size_; }
    [[nodiscard]] constexpr std::size_t size() const { return size_; }

private:
    std::string_view names_[64]{};  // a longer list does not compile
    std::size_t size_ = 0;
};

}  // namespace detail::by_name

/// The name of every device of the library, oldest first.
inline constexpr detail::by_name::name_list device_names;

/// Calls `visit(name)` with each of `device_names`.
template <class Visitor>
constexpr void for_each_device_name(Visitor&& visit) {
    for (const std::string_view name : device_names) visit(name);
}

/// Calls `visit(name)` with the name of every device that has all words of `text` in one of its names. A
/// program can show these if `find_device` finds none or several.
template <class Visitor>
constexpr void for_each_device_like(std::string_view text, Visitor&& visit) {
    devices::for_each([&](const auto& d) {
        if (detail::by_name::is_like(d, text)) visit(std::string_view(d.name));
    });
}

/// The device of that name.
/// \errors unknown_name    no device has this name; the error's field views `name`; `message(error, device_names)` is a
///                         sentence with the name that was perhaps meant
///         ambiguous_name  several have all its words; `for_each_device_like` lists them
template <class = core::when_used>
[[nodiscard]] constexpr result<any_device> find_device(std::string_view name) {
    result<any_device> exact = model_error{errc::unknown_name, name};
    result<any_device> like = exact;
    std::size_t count = 0;
    const std::string_view short_name = detail::by_name::without_maker(name);
    devices::for_each([&](const auto& d) {
        const bool is_called = devices::is_called(d, name) || devices::is_called(d, short_name);
        if (!exact && is_called) exact = any_device(d);
        if (detail::by_name::is_like(d, name)) {
            ++count;
            like = any_device(d);
        }
    });
    if (exact) return exact;
    if (count > 1) return model_error{errc::ambiguous_name, name};
    return like;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
