// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_NEAREST_NAME_HPP
#define WARPGAUGE_CORE_NEAREST_NAME_HPP

#include <array>
#include <cstddef>
#include <string_view>

#include <warpgauge/core/name_characters.hpp>
#include <warpgauge/core/result.hpp>

/// \file The name that was perhaps meant by one that does not exist: `nearest_name`, `message(error, names)`.

namespace WARPGAUGE_NAMESPACE {

namespace core {

/// The number of characters of a name that are compared; longer names are compared by their beginning.
inline constexpr std::size_t max_compared_characters = 128;

/// Insertions, deletions and exchanges of characters that make one name of another (V. I. Levenshtein, "Binary Codes
/// Capable of Correcting Deletions, Insertions, and Reversals", Soviet Physics Doklady 10, 1966).
[[nodiscard]] constexpr std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
    a = a.substr(0, max_compared_characters);
    b = b.substr(0, max_compared_characters);
    std::array<std::size_t, max_compared_characters + 1> row{};
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            const std::size_t one_more = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = exchanged < one_more ? exchanged : one_more;
        }
    }
    return row[b.size()];
}

/// A name in lower case, without separators.
class folded_name {
public:
    /// Folds `name`, or its beginning.
    constexpr explicit folded_name(std::string_view name) noexcept {
        for (const char c : name) {
            if (is_separator(c) || size_ == data_.size()) continue;
            data_[size_++] = lower(c);
        }
    }
    /// The characters that are left.
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {data_.data(), size_}; }

private:
    std::array<char, max_compared_characters> data_{};
    std::size_t size_{};
};

namespace detail {

constexpr std::string_view name_of(std::string_view name) noexcept {
    return name;
}
template <class Row>
requires requires(const Row& r) {
    std::string_view(r.name);
}
constexpr std::string_view name_of(const Row& r) noexcept {
    return r.name;
}

}  // namespace detail

}  // namespace core

/// Of the names added to it, the one that takes the fewest changes to become `wanted`. Case and separators do not count.
class nearest_name {
public:
    /// Looks for `wanted`. A name that differs in more than half of its characters is another name.
    constexpr explicit nearest_name(std::string_view wanted) noexcept
        : wanted_(wanted), least_(wanted_.view().size() / 2 + 1) {}

    /// Compares `candidate`, which must outlive what `view` returns.
    constexpr void add(std::string_view candidate) noexcept {
        const std::size_t changes =
            core::edit_distance(wanted_.view(), core::folded_name(candidate).view());
        if (changes >= least_) return;
        least_ = changes;
        nearest_ = candidate;
    }

    /// The nearest name, the first of several; empty if none is near.
    [[nodiscard]] constexpr std::string_view view() const noexcept { return nearest_; }

private:
    core::folded_name wanted_;
    std::size_t least_;
    std::string_view nearest_{};
};

/// An error as a sentence, with the name that was perhaps meant, for what is called by one of `names`: `device_names`,
/// `model_names`, `device_parameters`, or any range of names or of rows with a `name`.
///
///     const auto gpu = find_device("H100 SXM6");
///     if (!gpu) std::puts(message(gpu.error(), device_names).c_str());  // ... is not a known name; perhaps H100 SXM5
template <class Names>
requires requires(const Names& names) {
    core::detail::name_of(*names.begin());
} || requires(const Names& names) {
    core::detail::name_of(names[0]);
}
[[nodiscard]] constexpr error_text message(const model_error& error, const Names& names) noexcept {
    error_text text = message(error);
    if (error.code != errc::unknown_name && error.code != errc::unknown_parameter) return text;
    nearest_name nearest(error.field);
    for (const auto& one : names) nearest.add(core::detail::name_of(one));
    if (nearest.view().empty()) return text;
    text.append("; perhaps ");
    text.append(nearest.view());
    return text;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
