// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_SHARED_VALUES_HPP
#define WARPGAUGE_PTX_RUN_SHARED_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>

/// \file What the warps of a block store to shared memory, byte by byte, where they all store the same.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

template <class Used = core::when_used>
class shared_values {
public:
    /// Forgets all; `bytes`: of the block's shared memory.
    void clear(std::size_t bytes) {
        bytes_.assign(bytes, byte{});
        any_ = false;
        lost_ = false;
    }

    /// Some byte is known.
    [[nodiscard]] bool any() const { return any_ && !lost_; }

    /// Reads some bytes; false if one is not known.
    [[nodiscard]] bool read(std::uint64_t at, std::uint32_t count, std::uint64_t& value) const {
        if (lost_ || count > 8 || at > bytes_.size() || count > bytes_.size() - at) return false;
        value = 0;
        for (std::uint32_t b = 0; b < count; ++b) {
            const byte here = bytes_[static_cast<std::size_t>(at) + b];
            if ((here & open) != 0 || (here & stored) == 0) return false;
            value |= std::uint64_t{here & 0xffU} << 8 * b;
        }
        return true;
    }

    /// A store of some bytes. What is beyond the end is nobody's.
    void store(std::uint64_t at, std::uint32_t count, std::uint64_t value) {
        for (std::uint32_t b = 0; b < count && at < bytes_.size() && b < bytes_.size() - at; ++b) {
            byte& here = bytes_[static_cast<std::size_t>(at) + b];
            const auto with = static_cast<byte>(stored | (b < 8 ? value >> 8 * b & 0xff : 0));
            if (here == 0) here = with;
            if (here != with) here |= open;
        }
        any_ = true;
    }
    /// The same of bytes that are not known.
    void lose(std::uint64_t at, std::uint32_t count) {
        for (std::uint32_t b = 0; b < count && at < bytes_.size() && b < bytes_.size() - at; ++b) {
            bytes_[static_cast<std::size_t>(at) + b] |= open;
        }
    }
    /// A store to who knows where.
    void lose_all() { lost_ = true; }

    /// Keeps what `found` has stored too, and takes what it has stored anew; what it has stored otherwise, or not, is
    /// lost for good.
    /// True if nothing changes.
    bool follow(const shared_values& found) {
        if (found.lost_) {
            const bool same = lost_;
            lost_ = true;
            return same;
        }
        bool same = true;
        for (std::size_t n = 0; n < bytes_.size() && n < found.bytes_.size(); ++n) {
            const byte before = bytes_[n];
            if ((before & open) != 0) continue;
            if (before != 0 && found.bytes_[n] != before) bytes_[n] |= open;
            if (before == 0 && (found.bytes_[n] & open) == 0) bytes_[n] = found.bytes_[n];
            same = same && bytes_[n] == before;
        }
        any_ = any_ || found.any_;
        return same;
    }

private:
    using byte = std::uint16_t;
    static constexpr byte stored = 0x100;
    static constexpr byte open = 0x200;  // nobody knows

    core::late<Used, std::vector<byte>> bytes_;
    bool any_ = false;
    bool lost_ = false;  // all of it
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
