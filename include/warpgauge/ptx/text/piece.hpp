// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_PIECE_HPP
#define WARPGAUGE_PTX_TEXT_PIECE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <warpgauge/core/abi.hpp>
#include <warpgauge/ptx/text/characters.hpp>

/// \file A part of a text in 12 bytes, and a name in 8, where a `std::string_view` takes 16.

namespace WARPGAUGE_NAMESPACE::ptx {

/// A part of a text of at most 4 GiB, which must outlive it. It becomes a `std::string_view` wherever one is expected. The
/// memory that a module's lists take decides how fast a long text is read, so they hold their names as these.
class piece {
public:
    piece() = default;                              ///< empty
    explicit piece(std::string_view text) noexcept  ///< `text`, of less than 4 GiB
        : size_(static_cast<std::uint32_t>(text.size())) {
        const char* const from = text.data();
        std::memcpy(from_, &from, sizeof from);
    }
    piece& operator=(std::string_view text) noexcept {  ///< the same
        return *this = piece(text);
    }

    operator std::string_view() const noexcept {  ///< the part itself
        return {data(), size_};
    }
    /// Its first character; null if it is default.
    [[nodiscard]] const char* data() const noexcept {
        const char* from = nullptr;
        std::memcpy(&from, from_, sizeof from);
        return from;
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }  ///< characters
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }   ///< it has none
    [[nodiscard]] char operator[](std::size_t n) const noexcept {      ///< the n-th, from 0
        return data()[n];
    }
    /// As those of `std::string_view`.
    [[nodiscard]] std::string_view substr(std::size_t from,
                                          std::size_t count = std::string_view::npos) const {
        return std::string_view(*this).substr(from, count);
    }
    /// The same characters.
    friend bool operator==(const piece& a, std::string_view b) noexcept {
        return std::string_view(a) == b;
    }
    friend bool operator==(const piece& a, const piece& b) noexcept {  ///< the same characters
        return a == std::string_view(b);
    }

private:
    // Bytes, since a pointer would be aligned to eight.
    unsigned char from_[sizeof(const char*)]{};
    std::uint32_t size_ = 0;
};

/// A name in a text, which must outlive it: a register, for example. It becomes a `std::string_view` wherever one is expected.
/// A name ends where its characters do, so this has only the first one.
class name_piece {
public:
    name_piece() = default;  ///< empty
    /// `name`, behind which the text has a character that no name has; or nothing, if it is empty.
    explicit name_piece(std::string_view name) noexcept
        : from_(name.empty() ? nullptr : name.data()) {}

    operator std::string_view() const noexcept {  ///< the name itself
        if (empty()) return {};
        const char* const to = detail::text::behind(detail::text::of_name, from_);
        return {from_, static_cast<std::size_t>(to - from_)};
    }
    [[nodiscard]] bool empty() const noexcept { return from_ == nullptr; }  ///< there is none
    /// The same characters.
    friend bool operator==(const name_piece& a, std::string_view b) noexcept {
        return std::string_view(a) == b;
    }

private:
    const char* from_ = nullptr;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
