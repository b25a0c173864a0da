// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_STREAM_POSITION_HPP
#define WARPGAUGE_SIMULATE_STREAM_POSITION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

/// \file The next entry of a checked stream, and the loops around it.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

class stream_position {
public:
    /// The next entry, which is no loop; the size of the stream at its end.
    [[nodiscard]] constexpr std::uint32_t entry() const { return entry_; }

    constexpr void begin(std::span<const instruction> stream) {
        entry_ = depth_ = 0;
        enter_loops(stream);
    }

    /// To the entry that executes after this one. Returns whether it begins another round of a loop.
    constexpr bool advance(std::span<const instruction> stream) {
        ++entry_;
        const bool again = leave_loops();
        enter_loops(stream);
        return again;
    }

    /// The same where the next entry is neither a loop nor behind one.
    constexpr void go_on() { ++entry_; }
    /// To an entry in the same loops.
    constexpr void move_to(std::uint32_t entry) { entry_ = entry; }

    /// How many loops are around it.
    [[nodiscard]] constexpr std::uint32_t depth() const { return depth_; }

    /// Calls `visit(begin, left)` for each loop around it, the outermost first, with its first entry and the rounds that are
    /// left, this one too.
    template <class Visitor>
    constexpr void for_each_round(Visitor& visit) const {
        for (std::uint32_t i = 0; i < depth_; ++i) visit(loops_[i].begin, loops_[i].rounds_left);
    }

    /// Leaves out rounds of a loop in `outer` others, if it is in one.
    constexpr void skip_rounds(std::size_t outer, std::uint64_t rounds) {
        if (outer < depth_) loops_[outer].rounds_left -= static_cast<std::uint32_t>(rounds);
    }
    /// Goes to an entry in the same loops but for inner ones, in more than `kept`; `next()` tells the rounds left of these.
    template <class Next>
    constexpr void go_to(std::uint32_t entry, std::uint32_t kept,
                         std::span<const instruction> stream, Next& next) {
        depth_ = core::min(depth_, kept);
        std::uint32_t at = depth_ > 0 ? loops_[depth_ - 1].begin : 0;
        while (at < entry) {
            if (stream[at].unit != unit_kind::loop) {
                ++at;
                continue;
            }
            const std::uint32_t end = at + 1 + stream[at].loop_length;
            if (entry < end) loops_[depth_++] = {at + 1, end, static_cast<std::uint32_t>(next())};
            at = entry < end ? at + 1 : end;
        }
        entry_ = entry;
    }

private:
    struct loop_frame {
        std::uint32_t begin{};
        std::uint32_t end{};
        std::uint32_t rounds_left{};
    };

    // Begins another round of a loop whose end this is, or leaves it. Returns whether it begins one.
    constexpr bool leave_loops() {
        for (; depth_ > 0; --depth_) {
            loop_frame& innermost = loops_[depth_ - 1];
            if (entry_ != innermost.end) return false;
            if (--innermost.rounds_left == 0) continue;
            entry_ = innermost.begin;
            return true;
        }
        return false;
    }
    constexpr void enter_loops(std::span<const instruction> stream) {
        while (entry_ < stream.size() && stream[entry_].unit == unit_kind::loop) {
            const instruction& head = stream[entry_];
            loops_[depth_++] = {entry_ + 1, entry_ + 1 + head.loop_length, head.loop_count};
            ++entry_;
        }
    }

    std::uint32_t entry_ = 0;
    std::uint32_t depth_ = 0;
    std::array<loop_frame, max_nested_loops> loops_{};
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
