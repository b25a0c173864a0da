// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_RECORDED_WARP_HPP
#define WARPGAUGE_PTX_TRACE_RECORDED_WARP_HPP

#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>

/// \file Which warp a trace's stream is of: one that stands for the others of its block.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// What a warp begins for its block.
struct begun_work {
    bool copies{};  ///< in bulk
    bool products{};
};

/// A warp that was counted.
struct counted_warp {
    block_index block{};
    std::uint32_t warp{};     ///< of the block
    std::uint32_t ordinal{};  ///< of all warps that were counted
};

template <class Used = core::when_used>
class warp_to_record {
public:
    /// A warp of so many instructions; `typical`: of the typical block, in the order of its warps.
    void add(const counted_warp& w, double insts, begun_work begins, bool typical) {
        if (begins.products && !has_products_) {
            ordering_ = w;
            has_products_ = true;
        }
        if (typical) typical_.push_back({w, insts, begins});
    }

    /// The warp of the typical block that is nearest to the mean of the instructions. Rather one that orders products for its
    /// block, or else one that begins copies in bulk, which others wait for, unless it is of less than half of that length
    /// or of more than twice: such a warp does little else. Where no warp of the block orders products, as in one of two
    /// blocks that share them, the first that does.
    [[nodiscard]] counted_warp find(double mean_insts) const {
        const entry* found = nullptr;
        double nearest = 0;
        int rank = 0;
        for (const entry& e : typical_) {
            const int own = rank_of(e, mean_insts);
            const double distance =
                e.insts < mean_insts ? mean_insts - e.insts : e.insts - mean_insts;
            if (found != nullptr && (own < rank || (own == rank && distance >= nearest))) continue;
            found = &e;
            nearest = distance;
            rank = own;
        }
        return found == nullptr || (has_products_ && !found->begins.products) ? ordering_
                                                                              : found->warp;
    }

private:
    struct entry {
        counted_warp warp{};
        double insts{};
        begun_work begins{};
    };

    static int rank_of(const entry& e, double mean) {
        if (e.begins.products) return 2;
        return e.begins.copies && e.insts >= mean / 2 && e.insts <= 2 * mean ? 1 : 0;
    }

    core::late<Used, std::vector<entry>> typical_;
    counted_warp ordering_;  // the first that orders products
    bool has_products_ = false;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
