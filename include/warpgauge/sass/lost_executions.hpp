// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LOST_EXECUTIONS_HPP
#define WARPGAUGE_SASS_LOST_EXECUTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/sass/blocks.hpp>
#include <warpgauge/sass/instruction.hpp>
#include <warpgauge/sass/traced_lines.hpp>

/// \file What a trace executes and the counts of blocks leave out.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// Executions of the lines of blocks that are not executed, where the trace executes most of their lines and no other
/// block does. An instruction or two that were moved into a block, where they are not needed, do not count; nor does a
/// block without an integer or an instruction that stands for one of PTX, as of a wait that asks again.
/// \param executions of each block
template <class Used = core::when_used>
double lost_executions(const traced_lines<Used>& read, std::span<const machine_instruction> code,
                       const block_graph& graph,
                       const core::late<Used, std::vector<double>>& executions) {
    core::late<Used, std::vector<bool>> executed(read.lines.size(), false);
    const auto each_line = [&](std::uint32_t b, auto see) {
        const basic_block& block = graph.blocks[b];
        for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
            const std::uint32_t line = read.find(code[n].line);
            if (line != no_line) see(line);
        }
    };
    for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
        if (executions[b] > 0) each_line(b, [&](std::uint32_t line) { executed[line] = true; });
    }
    double lost = 0;
    for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
        if (executions[b] > 0 || !graph.blocks[b].reachable) continue;
        double of_block = 0;
        int lost_lines = 0;
        int lines = 0;
        bool works = false;
        each_line(b, [&](std::uint32_t line) {
            ++lines;
            const traced_line& l = read.lines[line];
            if (executed[line] || l.executions <= 0) return;
            ++lost_lines;
            of_block += l.executions;
            works = works || l.is_one_integer || l.becomes.weight > 0;
        });
        if (works && 2 * lost_lines > lines) lost += of_block;
    }
    return lost;
}

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
