// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_BYTE_CURSOR_HPP
#define WARPGAUGE_SASS_BYTE_CURSOR_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <warpgauge/core/result.hpp>

/// \file A place in a file's bytes, which little-endian numbers are read from.

namespace WARPGAUGE_NAMESPACE::sass {

/// A file, or a part of one.
using byte_view = std::span<const std::byte>;

namespace detail {

/// An error at a byte of the file: `line` is that byte, from 1.
constexpr model_error error_at(std::uint64_t offset, errc code, std::string_view what) noexcept {
    constexpr std::uint64_t last = 0xffff'fffe;
    return {code, what, static_cast<std::uint32_t>(offset < last ? offset : last) + 1};
}

/// A number of `size` bytes, which the caller knows to be there.
constexpr std::uint64_t number_at(byte_view bytes, std::size_t offset, std::size_t size) noexcept {
    std::uint64_t value = 0;
    for (std::size_t n = size; n-- > 0;) {
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[offset + n]);
    }
    return value;
}

/// Reads on and on; beyond the end, every number is 0 and `ok` is false.
class byte_cursor {
public:
    constexpr byte_cursor(byte_view bytes, std::size_t offset) noexcept
        : bytes_(bytes), offset_(offset), ok_(offset <= bytes.size()) {}

    [[nodiscard]] constexpr bool ok() const noexcept { return ok_; }
    [[nodiscard]] constexpr std::size_t offset() const noexcept { return offset_; }
    [[nodiscard]] constexpr std::size_t left() const noexcept {
        return ok_ ? bytes_.size() - offset_ : 0;
    }

    constexpr std::uint64_t number(std::size_t size) noexcept {
        if (left() < size) return end();
        const std::uint64_t value = number_at(bytes_, offset_, size);
        offset_ += size;
        return value;
    }
    constexpr std::uint8_t byte() noexcept { return static_cast<std::uint8_t>(number(1)); }

    constexpr void skip(std::uint64_t count) noexcept {
        if (left() < count) {
            end();
        } else {
            offset_ += static_cast<std::size_t>(count);
        }
    }

    /// A number of seven bits a byte, the lowest first; bits beyond 64 are dropped.
    constexpr std::uint64_t unsigned_leb() noexcept {
        std::uint64_t value = 0;
        unsigned shift = 0;
        leb(value, shift);
        return value;
    }
    constexpr std::int64_t signed_leb() noexcept {
        std::uint64_t value = 0;
        unsigned shift = 0;
        const std::uint8_t last = leb(value, shift);
        if ((last & 0x40U) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
        return static_cast<std::int64_t>(value);
    }

private:
    constexpr std::uint64_t end() noexcept {
        ok_ = false;
        return 0;
    }

    constexpr std::uint8_t leb(std::uint64_t& value, unsigned& shift) noexcept {
        while (true) {
            const std::uint8_t next = byte();
            if (shift < 64) value |= std::uint64_t{next & 0x7fU} << shift;
            shift += shift < 64 ? 7 : 0;
            if ((next & 0x80U) == 0) return next;  // so too at the end
        }
    }

    byte_view bytes_;
    std::size_t offset_;
    bool ok_;
};

}  // namespace detail
}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
