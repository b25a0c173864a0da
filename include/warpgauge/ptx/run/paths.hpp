// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_PATHS_HPP
#define WARPGAUGE_PTX_RUN_PATHS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file The paths that a warp's lanes are on: those on top go on, those below wait for them.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::nowhere;

/// Lanes that go the same way.
struct path {
    std::uint32_t next{};   ///< step
    std::uint32_t until{};  ///< step where it meets the others
    std::uint32_t active{};
};

template <class Used = core::when_used>
class paths {
public:
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(stack_.size()); }
    [[nodiscard]] path& top() { return stack_.back(); }
    void clear() { stack_.clear(); }
    void push(const path& p) { stack_.push_back(p); }
    void pop() { stack_.pop_back(); }

    /// The lanes of the path on top, which has gone on to the next step, go to `target` or stay. They meet
    /// at `meet`, or where the path ends.
    void branch(std::uint32_t target, std::uint32_t meet, std::uint32_t taken) {
        path& now = top();
        if (taken == 0) return;
        if (taken == now.active) {
            now.next = target;
            return;
        }
        const path before = now;
        wait_at(meet);
        const std::uint32_t end = meet == nowhere ? before.until : meet;
        if (target != end) push({target, end, taken});
        if (before.next != end) push({before.next, end, before.active & ~taken});
    }

    /// Each lane goes to `target_of(lane)`. False if that is `nowhere`.
    template <class TargetOf>
    bool branch_by_table(std::uint32_t meet, std::uint32_t taken, TargetOf target_of) {
        if (taken == 0) return true;
        const path before = top();
        const std::uint32_t end = meet == nowhere ? before.until : meet;
        wait_at(end);
        if (taken != before.active) push({before.next, end, before.active & ~taken});
        for (std::uint32_t left = taken; left != 0;) {
            const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
            const std::uint32_t target = target_of(first);
            if (target == nowhere) return false;
            std::uint32_t together = 0;
            for (std::uint32_t l = first; l < warp_lanes; ++l) {
                if ((left >> l & 1U) != 0 && target_of(l) == target) together |= 1U << l;
            }
            left &= ~together;
            if (target != end) push({target, end, together});
        }
        return true;
    }

    /// Lanes take part no more, in the paths from `first` on.
    void end_lanes(std::uint32_t lanes, std::uint32_t first) {
        for (std::size_t n = first; n < stack_.size(); ++n) stack_[n].active &= ~lanes;
    }

private:
    // The path on top waits where others will come, unless it would have ended there anyway.
    void wait_at(std::uint32_t meet) {
        if (meet == nowhere || meet == top().until) {
            pop();
        } else {
            top().next = meet;
        }
    }

    core::late<Used, std::vector<path>> stack_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
