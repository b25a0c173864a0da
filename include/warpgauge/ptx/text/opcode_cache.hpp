// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_OPCODE_CACHE_HPP
#define WARPGAUGE_PTX_TEXT_OPCODE_CACHE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <warpgauge/ptx/text/opcode.hpp>
#include <warpgauge/ptx/text/piece.hpp>

/// \file Remembers how opcodes are classified: a text has few, and each many times.

namespace WARPGAUGE_NAMESPACE::ptx::detail::text {

class opcode_cache {
public:
    /// The same as `ptx::classify`. What it has seen must outlive the cache.
    opcode_class classify(std::string_view opcode) {
        const word begin = begin_of(opcode);
        const word end = end_of(opcode);
        entry& e = entries_[place_of(begin, end, opcode.size())];
        const bool same = e.begin == begin && e.end == end && e.opcode.size() == opcode.size() &&
                          (opcode.size() <= 2 * sizeof(word) || e.opcode == opcode);
        if (!same) e = {begin, end, piece(opcode), ptx::classify(opcode)};
        return e.what;
    }

private:
    using word = std::uint64_t;
    struct entry {
        word begin{};
        word end{};
        piece opcode{};
        opcode_class what{};
    };
    static constexpr std::size_t count = 128;

    template <class Word>
    static word at(const char* from) {
        Word read;
        std::memcpy(&read, from, sizeof read);
        return read;
    }
    // The first characters and the last ones, which may be the same: together, all of a short opcode.
    static word begin_of(std::string_view opcode) {
        if (opcode.size() >= 8) return at<std::uint64_t>(opcode.data());
        if (opcode.size() >= 4) return at<std::uint32_t>(opcode.data());
        return static_cast<unsigned char>(opcode.front());
    }
    static word end_of(std::string_view opcode) {
        const char* const end = opcode.data() + opcode.size();
        if (opcode.size() >= 8) return at<std::uint64_t>(end - 8);
        if (opcode.size() >= 4) return at<std::uint32_t>(end - 4);
        if (opcode.size() >= 2) return at<std::uint16_t>(end - 2);
        return 0;
    }
    // By the middle bits of a product, on which all of the characters have an effect.
    static std::size_t place_of(word begin, word end, std::size_t size) {
        const word mixed = (begin ^ (end << 1) ^ size) * 0x9e37'79b9'7f4a'7c15U;
        return (mixed ^ mixed >> 32) >> 24 & (count - 1);
    }

    std::array<entry, count> entries_{};
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::text

#endif
