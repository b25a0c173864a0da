// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_OPCODE_CACHE_HPP
#define WARPGAUGE_PTX_TEXT_OPCODE_CACHE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/ptx/text/opcode.hpp>

/// \file Remembers how opcodes are classified: a text has few, and each many times.

namespace WARPGAUGE_NAMESPACE::ptx::detail::text {

class opcode_cache {
public:
    /// The same as `ptx::classify`. What it has seen must outlive the cache.
    opcode_class classify(std::string_view opcode) {
        entry& e = entries_[place_of(opcode)];
        if (e.opcode != opcode) e = {opcode, ptx::classify(opcode)};
        return e.what;
    }

private:
    struct entry {
        std::string_view opcode{};
        opcode_class what{};
    };
    static constexpr std::size_t count = 256;

    // Opcodes differ in how they begin, in their length and, by their types, in how they end.
    static std::size_t place_of(std::string_view opcode) {
        std::uint32_t mixed = static_cast<std::uint32_t>(opcode.size()) * 0x9e37'79b1U;
        const std::size_t last = opcode.size() - 1;
        for (std::size_t n = 0; n < 4 && n < opcode.size(); ++n) {
            mixed = mixed * 31 + static_cast<unsigned char>(opcode[n]);
            mixed = mixed * 31 + static_cast<unsigned char>(opcode[last - n]);
        }
        return (mixed ^ mixed >> 15) % count;
    }

    std::array<entry, count> entries_{};
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::text

#endif
