// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LINE_COPIES_HPP
#define WARPGAUGE_SASS_LINE_COPIES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/sass/blocks.hpp>
#include <warpgauge/sass/instruction.hpp>
#include <warpgauge/sass/traced_lines.hpp>

/// \file Where the lines of PTX stand in machine code, and how many times.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// A line that stands in a block `times`.
struct line_copy {
    std::uint32_t block{};
    std::uint32_t line{};  // index
    std::uint32_t times{};
    bool guarded{};   // by a predicate
    double weight{};  // how sure it is that an instruction is one execution of the line
    bool is_rest{};   // of a loop inside of the block's, which has the line too
};

// Whether a loop of the code lies within another.
inline bool is_inside(const block_graph& graph, std::uint32_t inner, std::uint32_t outer) {
    if (outer == no_block || inner == outer) return false;
    const block_loop& a = graph.loops[inner];
    const block_loop& b = graph.loops[outer];
    return a.head >= b.head && a.last <= b.last;
}

/// The machine instructions that stand for one of PTX; of loops without any, all their instructions.
template <class Used = core::when_used>
class line_copies {
public:
    core::late<Used, std::vector<line_copy>> all;
    core::late<Used, std::vector<line_copy>> never;  // the same of lines that are not executed

    // Those that a predicate guards may have been moved to where more is executed, so they count only where nothing
    // else stands for their line.
    line_copies(std::span<const machine_instruction> code, const block_graph& graph,
                const traced_lines<Used>& read)
        : code_(code), graph_(graph), read_(read) {
        find(no_line);
        find_rests();
    }

    /// Adds all instructions of loops of which none stands for one of PTX, by a smaller weight.
    void add_loops(const core::late<Used, std::vector<std::uint32_t>>& loops) {
        for (const std::uint32_t l : loops) find(l);
        find_rests();
    }

    /// Leaves those of a loop out again that come after the first `kept`.
    void leave_out(std::uint32_t loop, std::size_t kept) {
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(kept);
        const auto is_of_it = [&](const line_copy& c) { return read_.lines[c.line].loop == loop; };
        all.erase(std::remove_if(from, all.end(), is_of_it), all.end());
    }

private:
    void find(std::uint32_t loop) {
        core::late<Used, std::vector<bool>> has_open(read_.lines.size(), false);
        for (const bool guarded : {false, true}) {
            for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
                if (graph_.blocks[b].reachable) find(b, loop, guarded, has_open);
            }
        }
    }

    void find(std::uint32_t b, std::uint32_t loop, bool guarded,
              core::late<Used, std::vector<bool>>& has_open) {
        const basic_block& block = graph_.blocks[b];
        const std::size_t first = all.size();
        for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
            const machine_instruction& i = code_[n];
            const std::uint32_t line = i.conditional == guarded ? read_.find(i.line) : no_line;
            const double weight = line == no_line ? 0 : weight_of(i, read_.lines[line], loop);
            if (weight <= 0 || (guarded && has_open[line])) continue;
            if (!guarded) has_open[line] = true;
            if (read_.lines[line].executions <= 0) {  // whose loops the trace has not seen either
                if (!guarded) never.push_back({b, line, 1, false, weight});
                continue;
            }
            std::size_t at = first;
            while (at < all.size() && all[at].line != line) ++at;
            if (at == all.size()) all.push_back({b, line, 0, guarded, weight});
            all[at].times += 1;
        }
    }

    // Of an instruction on a line; without a loop, of those that stand for one of PTX.
    [[nodiscard]] static double weight_of(const machine_instruction& i, const traced_line& line,
                                          std::uint32_t loop) {
        constexpr double of_integers = 0.25;
        constexpr double of_others = 0.05;
        const bool is_it = line.becomes.weight > 0 && line.becomes.pipe == i.pipe;
        if (loop == no_line) return is_it ? line.becomes.weight : 0;
        if (is_it || line.loop != loop || line.executions <= 0 || i.flow != flow::next) return 0;
        return line.is_one_integer ? of_integers : of_others;
    }

    void find_rests() {
        struct place {
            std::uint32_t line{}, loop{};
        };
        core::late<Used, std::vector<place>> in_loops;
        for (const line_copy& c : all) {
            const std::uint32_t loop = graph_.blocks[c.block].loop;
            if (loop != no_block) in_loops.push_back({c.line, loop});
        }
        std::sort(in_loops.begin(), in_loops.end(), [](const place& a, const place& b) {
            return a.line != b.line ? a.line < b.line : a.loop < b.loop;
        });
        std::size_t kept = 0;
        for (const place& p : in_loops) {
            const bool again =
                kept > 0 && in_loops[kept - 1].line == p.line && in_loops[kept - 1].loop == p.loop;
            if (!again) in_loops[kept++] = p;
        }
        in_loops.resize(kept);
        for (line_copy& c : all) {
            auto p =
                std::lower_bound(in_loops.begin(), in_loops.end(), c.line,
                                 [](const place& a, std::uint32_t line) { return a.line < line; });
            for (; p != in_loops.end() && p->line == c.line; ++p) {
                c.is_rest = c.is_rest || is_inside(graph_, p->loop, graph_.blocks[c.block].loop);
            }
        }
    }

    std::span<const machine_instruction> code_;
    const block_graph& graph_;
    const traced_lines<Used>& read_;
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
