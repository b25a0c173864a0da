// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_KNOWN_PATHS_HPP
#define WARPGAUGE_PTX_TRACE_KNOWN_PATHS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/trace/block_map.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>

/// \file The paths of warps that were asked for, so that none is looked for twice.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// The number for the path of a warp, and that of the record that it has from.
struct known_path {
    std::uint64_t path{};  ///< 0: it is not known yet
    std::uint32_t record = ptx::link::nowhere;
};

template <class Used = core::when_used>
class known_paths {
public:
    /// Of blocks of so many warps.
    explicit known_paths(std::uint32_t warps) : warps_(warps) {}

    /// Where those of a block's warps are kept, one behind the other. They are valid until another block is asked for.
    [[nodiscard]] known_path* of(const block_index& block) {
        if (blocks_.empty() || !is_same(blocks_[now_], block)) now_ = place_of(block);
        return &paths_[now_ * warps_];
    }

    /// The same of one warp; null if its block was not asked for.
    [[nodiscard]] const known_path* find(const block_index& block, std::uint32_t warp) {
        const std::uint32_t place = places_[number_of(block)];
        const bool is_there = place != 0 && is_same(blocks_[place - 1], block);
        return is_there ? &paths_[(place - 1) * warps_ + warp] : nullptr;
    }

private:
    static constexpr std::size_t max_blocks = 256;

    static std::size_t number_of(const block_index& block) {
        return static_cast<std::size_t>(hash_of(block) % max_blocks);
    }

    // A block gives way to another one of its number.
    std::size_t place_of(const block_index& block) {
        std::uint32_t& place = places_[number_of(block)];
        if (place == 0) {
            blocks_.push_back(block);
            paths_.resize(blocks_.size() * warps_);
            place = static_cast<std::uint32_t>(blocks_.size());
        }
        const std::size_t at = place - 1;
        if (is_same(blocks_[at], block)) return at;
        blocks_[at] = block;
        for (std::uint32_t n = 0; n < warps_; ++n) paths_[at * warps_ + n] = {};
        return at;
    }

    std::uint32_t warps_;
    std::size_t now_ = 0;                 // the place of the block asked for last
    std::uint32_t places_[max_blocks]{};  // of blocks by number, plus 1; 0: there is none
    core::late<Used, std::vector<block_index>> blocks_;
    core::late<Used, std::vector<known_path>> paths_;  // of their warps, one block after the other
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
