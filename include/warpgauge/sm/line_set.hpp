// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_LINE_SET_HPP
#define WARPGAUGE_SM_LINE_SET_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/when_used.hpp>

/// \file The sectors that any block accesses, and those that each block accesses.

namespace WARPGAUGE_NAMESPACE {

/// Lines of memory with some of their sectors. Blocks come one after the other.
template <class Used = core::when_used>
class line_set {
public:
    /// An empty set, which takes no more than `max_memory_bytes` B.
    explicit line_set(std::uint64_t max_memory_bytes) : max_memory_bytes_(max_memory_bytes) {
        entries_.resize(64);
    }

    /// Adds sectors of a line, a bit each, that a block accesses. False if there is no room.
    bool add(std::uint64_t line, std::uint32_t sectors, std::uint32_t block) {
        if (2 * used_ >= entries_.size() && !grow()) return false;
        entry& e = entries_[slot_of(line)];
        if (e.sectors == 0) {
            ++used_;
            e.line = line;
        }
        if (e.block != block) {
            e.block = block;
            e.of_block = 0;
        }
        sectors_ += static_cast<std::uint64_t>(std::popcount(sectors & ~e.sectors));
        by_block_ += static_cast<std::uint64_t>(std::popcount(sectors & ~e.of_block));
        e.sectors |= sectors;
        e.of_block |= sectors;
        return true;
    }

    /// Sectors that any block has accessed, each once.
    [[nodiscard]] std::uint64_t sectors() const { return sectors_; }
    /// Sectors of each block, summed over blocks.
    [[nodiscard]] std::uint64_t sectors_by_block() const { return by_block_; }

private:
    struct entry {
        std::uint64_t line{};
        std::uint32_t sectors{};  // 0: there is none
        std::uint32_t block{};    // the last one that came here
        std::uint32_t of_block{};
    };

    [[nodiscard]] std::size_t slot_of(std::uint64_t line) const {
        const std::size_t most = entries_.size() - 1;
        auto at = static_cast<std::size_t>(line * 0x9e37'79b9'7f4a'7c15U >> 32) & most;
        while (entries_[at].sectors != 0 && entries_[at].line != line) at = (at + 1) & most;
        return at;
    }

    bool grow() {
        if (entries_.size() * 3 * sizeof(entry) > max_memory_bytes_) return false;  // old and new
        core::late<Used, std::vector<entry>> before(2 * entries_.size());
        std::swap(before, entries_);
        for (const entry& e : before) {
            if (e.sectors != 0) entries_[slot_of(e.line)] = e;
        }
        return true;
    }

    std::uint64_t max_memory_bytes_;
    core::late<Used, std::vector<entry>> entries_;
    std::size_t used_ = 0;
    std::uint64_t sectors_ = 0;
    std::uint64_t by_block_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
