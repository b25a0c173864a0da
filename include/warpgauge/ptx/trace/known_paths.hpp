// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_KNOWN_PATHS_HPP
#define WARPGAUGE_PTX_TRACE_KNOWN_PATHS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
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

    /// Where that of a warp is kept. It is valid until another block is asked for.
    [[nodiscard]] known_path& of(const block_index& block, std::uint32_t warp) {
        if (blocks_.empty() || !is_same(blocks_[now_], block)) now_ = place_of(block);
        return paths_[now_ * warps_ + warp];
    }

private:
    static constexpr std::size_t max_blocks = 256;

    // The oldest gives way to more blocks than are kept.
    std::size_t place_of(const block_index& block) {
        for (std::size_t n = 0; n < blocks_.size(); ++n) {
            if (is_same(blocks_[n], block)) return n;
        }
        const std::size_t place = asked_++ % max_blocks;
        if (place == blocks_.size()) {
            blocks_.push_back(block);
            paths_.resize(blocks_.size() * warps_);
            return place;
        }
        blocks_[place] = block;
        for (std::uint32_t n = 0; n < warps_; ++n) paths_[place * warps_ + n] = {};
        return place;
    }

    std::uint32_t warps_;
    std::size_t now_ = 0;    // the place of the block asked for last
    std::size_t asked_ = 0;  // blocks
    core::late<Used, std::vector<block_index>> blocks_;
    core::late<Used, std::vector<known_path>> paths_;  // of their warps, one block after the other
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
