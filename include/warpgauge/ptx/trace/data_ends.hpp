// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_DATA_ENDS_HPP
#define WARPGAUGE_PTX_TRACE_DATA_ENDS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>

/// \file Which blocks, and which of their warps, touch the first and the last byte of the data of each access.
///
/// An address that moves evenly from block to block is least and greatest at corners of the blocks that touch it. Each
/// access has its own: a block at the border may store and load nothing.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// Sees what the blocks of a sample touch, access by access.
template <class Used = core::when_used>
class data_ends {
public:
    explicit data_ends(const ptx::link::program& p) : number_(p.steps.size()) {
        for (std::size_t n = 0; n < p.steps.size(); ++n) {
            if (!p.steps[n].accesses) continue;
            if (count_ < max_accesses) ++count_;
            number_[n] = count_ - 1;
        }
    }

    void begin_block() { touching_ = 0; }
    /// A step of `warp` touches sectors; in the `typical` block, the warps at the ends are looked for.
    template <class Touched>
    void see(std::uint32_t step, const Touched& touched, std::uint32_t warp, bool typical) {
        if (touched.count == 0) return;
        const std::uint32_t number = number_[step];
        touching_ |= std::uint64_t{1} << number;
        if (typical) ends_[number].add(touched.first(), touched.last(), warp);
    }
    /// The block under way stands for the blocks of `runs`.
    void end_block(const block_box& runs) {
        for (std::uint64_t left = touching_; left != 0; left &= left - 1) {
            blocks_[static_cast<std::size_t>(std::countr_zero(left))].add(runs);
        }
    }
    [[nodiscard]] bool touches() const { return touching_ != 0; }

    /// Is it a warp of the typical block that touches the first or the last byte of an access?
    [[nodiscard]] bool is_end(std::uint32_t warp) const {
        for (std::size_t n = 0; n < count_; ++n) {
            if (ends_[n].first_warp == warp || ends_[n].last_warp == warp) return true;
        }
        return false;
    }

    /// The blocks at `corners` of those that touch some access, each once; bit `c` of `corners` asks for corner `c`.
    [[nodiscard]] core::late<Used, std::vector<block_index>> blocks_at(
        std::uint32_t corners) const {
        core::late<Used, std::vector<block_index>> found;
        for (const block_box& box : blocks_) {
            if (box.is_empty()) continue;
            for (std::uint32_t c = 0; c < 8; ++c) {
                if ((corners >> c & 1U) != 0) add_new(box.corner(c), found);
            }
        }
        return found;
    }

private:
    static constexpr std::uint32_t max_accesses = 64;  // more count as the last one
    static constexpr std::size_t max_blocks = 64;

    static void add_new(const block_index& block, core::late<Used, std::vector<block_index>>& to) {
        for (const block_index& other : to) {
            if (other == block) return;
        }
        if (to.size() < max_blocks) to.push_back(block);
    }

    struct warp_ends {
        std::uint64_t first = ~std::uint64_t{0};
        std::uint64_t last = 0;
        std::uint32_t first_warp{}, last_warp{};

        // Of warps that touch the same, the first and the last, which are looked at anyway.
        void add(std::uint64_t from, std::uint64_t to, std::uint32_t warp) {
            if (from < first) {
                first = from;
                first_warp = warp;
            }
            if (to >= last) {
                last = to;
                last_warp = warp;
            }
        }
    };

    core::late<Used, std::vector<std::uint32_t>> number_;  // of an access, by step
    std::uint32_t count_ = 0;                              // of accesses
    std::uint64_t touching_ = 0;                           // those of the block under way
    std::array<block_box, max_accesses> blocks_{};
    std::array<warp_ends, max_accesses> ends_{};
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
