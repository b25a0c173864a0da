// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_LOOP_BODY_HPP
#define WARPGAUGE_PTX_LINK_LOOP_BODY_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/flow_graph.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file The steps of a loop, wherever in the text they are: those from which another round may follow.
///
/// A compiler may put a block that only leaves the loop between its other blocks, and a block that is rarely executed
/// behind all of them.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// How a branch of a loop decides about it: not at all, by jumping out, or by not jumping.
enum class way_out : std::uint8_t { none, jumps, falls };

/// Finds one loop of a routine after the other. Steps are numbers of the program.
template <class Used = core::when_used>
class loop_body {
public:
    /// Program and routine must outlive it.
    loop_body(const program& p, const routine& r)
        : program_(p),
          first_(r.first),
          graph_(p, r),
          from_(reversed<Used>(graph_.edges())),
          seen_in_(graph_.exit() + 1) {}

    /// Finds the loop that a jump back closes: all steps that come to a jump back to its target without passing that target.
    /// Where a way leads into the middle of the loop, those between target and jump that come to the jump. False, and no
    /// steps, if the target does not.
    bool find(std::uint32_t jump) {
        const std::uint32_t last = graph_.block_of(jump - first_);
        const std::uint32_t header = graph_.block_of(program_.steps[jump].target - first_);
        return collect(header) || collect_between(header, last);
    }

    /// Is a step in the loop that was found last?
    [[nodiscard]] bool has(std::uint32_t step) const {
        const std::uint32_t block = graph_.block_of(step - first_);
        return block != graph_.exit() && seen_in_[block] == loop_;
    }

    /// How a step decides whether that loop, which it is in, goes on.
    [[nodiscard]] way_out way_of(std::uint32_t step) const {
        const link::step& s = program_.steps[step];
        if (s.what != text::action::branch || s.predicate == nowhere) return way_out::none;
        const bool jumps = !has(s.target);
        const bool falls = !has(step + 1);
        return jumps == falls ? way_out::none : jumps ? way_out::jumps : way_out::falls;
    }

    /// Calls `visit(step)` with the last step of each block of the loop, which alone may branch.
    template <class Visitor>
    void for_each_end(Visitor visit) const {
        for (const std::uint32_t block : blocks_) visit(first_ + graph_.start(block + 1) - 1);
    }

    /// Ways between blocks that were looked at so far, for all loops.
    [[nodiscard]] std::uint64_t work() const { return work_; }

private:
    void begin() {
        ++loop_;
        blocks_.clear();
    }
    void add(std::uint32_t block) {
        if (seen_in_[block] == loop_) return;
        seen_in_[block] = loop_;
        blocks_.push_back(block);
    }

    // False if a way from the beginning of the routine comes in without passing the header.
    bool collect(std::uint32_t header) {
        begin();
        add(header);
        from_.for_each_successor(header, [&](std::uint32_t before) {
            if (before > header) add(before);
        });
        for (std::size_t n = 1; n < blocks_.size(); ++n) {
            if (blocks_[n] == 0) return false;
            from_.for_each_successor(blocks_[n], [&](std::uint32_t before) {
                ++work_;
                add(before);
            });
        }
        return true;
    }

    bool collect_between(std::uint32_t header, std::uint32_t last) {
        begin();
        add(last);
        for (std::size_t n = 0; n < blocks_.size(); ++n) {
            from_.for_each_successor(blocks_[n], [&](std::uint32_t before) {
                ++work_;
                if (before >= header && before <= last) add(before);
            });
        }
        if (seen_in_[header] == loop_) return true;
        begin();
        return false;
    }

    const program& program_;
    std::uint32_t first_;  // step of the routine
    flow_graph<Used> graph_;
    flow_edges from_;  // from each block to those before it
    core::late<Used, std::vector<std::uint32_t>>
        seen_in_;  // of each block, the last loop that has it
    core::late<Used, std::vector<std::uint32_t>> blocks_;
    std::uint32_t loop_ = 0;  // number of the loop that was found last
    std::uint64_t work_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
