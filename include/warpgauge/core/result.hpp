// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_RESULT_HPP
#define WARPGAUGE_CORE_RESULT_HPP

#include <warpgauge/core/abi.hpp>
#include <warpgauge/core/platform.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

/// \file A value or an error.
///
/// Functions return `result<T>` and never throw: bad input gives an error. The types are the same
/// with and without exceptions and RTTI.

namespace WARPGAUGE_NAMESPACE {

/// The kind of an error.
enum class errc : std::uint8_t {
    none,            ///< no error
    not_positive,    ///< must be a finite number above zero
    negative,        ///< must be a finite number, zero or above
    missing,         ///< it is needed, and neither profile nor device nor caller gives it
    exceeds_device,  ///< more than a launch or a block may have, or than an SM holds
    unknown_compute_capability,  ///< no limits are known for it
    unknown_parameter,           ///< neither the device nor the kernel has it
    outside_domain,              ///< its value is not allowed here
    overflow,                    ///< too large or too small to compute with
    limit_reached,               ///< a limit on work or memory was reached
    malformed,                   ///< the text does not have the expected form
    expected,                    ///< the text has something else where this is expected
    unknown_name,                ///< nothing has this name
    ambiguous_name,              ///< several names are equal to it, or begin with it
    broken_constraint,           ///< the constraint of this name does not hold
    not_an_enumerator,           ///< none of the values of its type
    already_full,                ///< another one does not fit, whatever is reduced
    exceeds_memory,              ///< more than the free memory of the device
    not_whole,                   ///< must be a whole number
};

/// The reason in words, such as "must be a finite number above zero".
[[nodiscard]] constexpr std::string_view reason(errc code) noexcept {
    switch (code) {
        case errc::none: return "is in order";
        case errc::not_positive: return "must be a finite number above zero";
        case errc::negative: return "must be a finite number, zero or above";
        case errc::missing: return "is needed and not given";
        case errc::exceeds_device: return "is more than the device allows";
        case errc::unknown_compute_capability: return "is not a known compute capability";
        case errc::unknown_parameter: return "is not a parameter of this device or kernel";
        case errc::outside_domain: return "has a value that is not allowed here";
        case errc::overflow: return "is too large or too small to compute with";
        case errc::limit_reached: return "would pass a limit on work or memory";
        case errc::malformed: return "does not have the expected form";
        case errc::expected: return "is expected here";
        case errc::unknown_name: return "is not a known name";
        case errc::ambiguous_name: return "is a name of several";
        case errc::broken_constraint: return "is a constraint that does not hold";
        case errc::not_an_enumerator: return "is none of the values of its type";
        case errc::already_full: return "is as high as it can be already";
        case errc::exceeds_memory: return "is more than the device's memory has left";
        case errc::not_whole: return "must be a whole number";
    }
    return "has an unknown error";
}

/// An error: its kind, and the input that has it. It converts to true if there is an error.
struct model_error {
    errc code = errc::none;  ///< the kind of error; `errc::none` if there is none
    std::string_view
        field{};           ///< name of the offending member; static, or a view of the caller's text
    std::uint32_t line{};  ///< line of a text, or entry of a list, from 1; 0: neither
    std::uint32_t column{};  ///< column in that line, from 1; 0: not a text

    /// Whether there is an error.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return code != errc::none; }
    friend constexpr bool operator==(const model_error&, const model_error&) = default;
};

/// A short text that owns its characters, without allocation. Text beyond its capacity is cut off.
class error_text {
public:
    static constexpr std::size_t capacity = 159;  ///< characters that fit

    /// Appends `text`, as far as it fits.
    constexpr void append(std::string_view text) noexcept {
        for (const char c : text) {
            if (size_ < capacity) data_[size_++] = c;
        }
    }
    /// Appends `number` in decimal, as far as it fits.
    constexpr void append(std::uint64_t number) noexcept {
        if (number >= 10) append(number / 10);
        const char digit = static_cast<char>('0' + number % 10);
        append(std::string_view(&digit, 1));
    }
    /// The text, with a 0 at its end.
    [[nodiscard]] constexpr const char* c_str() const noexcept { return data_; }
    /// The text; it lives as long as this object.
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {data_, size_}; }
    /// As `view`.
    [[nodiscard]] constexpr operator std::string_view() const& noexcept { return view(); }
    operator std::string_view() const&& = delete;  // the text would be gone

private:
    char data_[capacity + 1]{};
    std::size_t size_{};
};

/// Appends "line 4, column 7: "; of an entry of a list, without a column, "entry 4: ".
constexpr void append_place(error_text& text, std::uint32_t line, std::uint32_t column) noexcept {
    text.append(column != 0 ? "line " : "entry ");
    text.append(line);
    if (column != 0) {
        text.append(", column ");
        text.append(column);
    }
    text.append(": ");
}

/// The error as a sentence: "threads_per_block must be a finite number above zero".
[[nodiscard]] constexpr error_text message(const model_error& error) noexcept {
    error_text text;
    if (error.line != 0) append_place(text, error.line, error.column);
    text.append(error.field);
    text.append(" ");
    text.append(reason(error.code));
    return text;
}

/// A `T`, or a `model_error`. Test it before reading it: reading the side that it does not have aborts
/// the program, in every build, and is not a constant expression.
///
/// Value and error are two members, not a union, so that the compiler can keep the value of
/// an inlined call in registers and remove members that are not read.
template <class T>
requires requires {
    T{};
}  // as std::default_initializable, in less to compile
class [[nodiscard]] result {
public:
    using value_type = T;  ///< The type of the value.

    constexpr result(const T& value) : value_(value) {}                 ///< Holds `value`.
    constexpr result(T&& value) noexcept : value_(std::move(value)) {}  ///< Holds `value`, moved.
    /// The value, made in place from its parts.
    template <class... Parts>
    [[gnu::always_inline]] constexpr explicit result(std::in_place_t, const Parts&... parts)
        : value_{parts...} {}
    /// Holds an error.
    constexpr result(const model_error& error) noexcept : error_(error), has_value_(false) {}

    /// Whether there is a value.
    [[nodiscard]] constexpr bool has_value() const noexcept { return has_value_; }
    /// Whether there is a value.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return has_value_; }

    /// The value. Without one the program ends.
    [[nodiscard]] constexpr const T& operator*() const& noexcept { return require(true), value_; }
    /// The value. Without one the program ends.
    [[nodiscard]] constexpr T& operator*() & noexcept { return require(true), value_; }
    /// Returned by value, so that a reference bound to `*model.predict(k)` stays valid.
    [[nodiscard]] constexpr T operator*() && noexcept { return require(true), std::move(value_); }
    /// The value's members. Without a value the program ends.
    [[nodiscard]] constexpr const T* operator->() const noexcept { return require(true), &value_; }
    /// The value's members. Without a value the program ends.
    [[nodiscard]] constexpr T* operator->() noexcept { return require(true), &value_; }

    /// The error. With a value the program ends.
    [[nodiscard]] constexpr const model_error& error() const noexcept {
        return require(false), error_;
    }

private:
    constexpr void require(bool value) const noexcept {
        if (has_value_ != value) __builtin_abort();
    }

    T value_{};
    model_error error_{};
    bool has_value_ = true;
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
