// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_BLOCK_MAP_HPP
#define WARPGAUGE_PTX_TRACE_BLOCK_MAP_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>

/// \file Values of blocks, found by their indices.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// A number for a block; those of neighbours are far apart.
constexpr std::uint64_t hash_of(const block_index& block) {
    std::uint64_t number = block[0];
    for (const std::size_t d : {1U, 2U}) number = number * 0x9e37'79b9'7f4a'7c15U + block[d];
    return number ^ number >> 32;
}

template <class Value, class Used = core::when_used>
class block_map {
public:
    /// The value of a block; null if it has none. It is valid until another block gets one.
    [[nodiscard]] const Value* find(const block_index& block) const {
        if (slots_.empty()) return nullptr;
        const std::uint32_t slot = slots_[slot_of(block)];
        return slot == 0 ? nullptr : &entries_[slot - 1].value;
    }

    /// Gives one to a block that has none.
    void add(const block_index& block, const Value& value) {
        if (2 * entries_.size() >= slots_.size()) grow();
        entries_.push_back({block, value});
        slots_[slot_of(block)] = static_cast<std::uint32_t>(entries_.size());
    }

private:
    struct entry {
        block_index block{};
        Value value{};
    };

    // Its own, or the one that it may get.
    [[nodiscard]] std::size_t slot_of(const block_index& block) const {
        std::size_t at = hash_of(block) & (slots_.size() - 1);
        while (slots_[at] != 0 && !is_same(entries_[slots_[at] - 1].block, block)) {
            at = (at + 1) & (slots_.size() - 1);
        }
        return at;
    }

    void grow() {
        const std::size_t more = slots_.empty() ? 64 : 4 * slots_.size();
        slots_.assign(more, 0);
        for (std::size_t n = 0; n < entries_.size(); ++n) {
            slots_[slot_of(entries_[n].block)] = static_cast<std::uint32_t>(n + 1);
        }
    }

    core::late<Used, std::vector<entry>> entries_;
    // A power of two of them, at most half of them taken: one past the place in `entries_`, or 0.
    core::late<Used, std::vector<std::uint32_t>> slots_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
