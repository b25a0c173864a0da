// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_JOIN_HPP
#define WARPGAUGE_SASS_JOIN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sass/blocks.hpp>
#include <warpgauge/sass/cubin.hpp>
#include <warpgauge/sass/flow_fit.hpp>
#include <warpgauge/sass/instruction.hpp>
#include <warpgauge/sass/line_estimates.hpp>
#include <warpgauge/sass/lost_executions.hpp>
#include <warpgauge/sass/profile_pipes.hpp>
#include <warpgauge/sass/traced_lines.hpp>

/// \file What a warp executes of machine code: the code from a cubin, weighted by a trace of its PTX.
///
/// All counts are means of one warp over the grid, as in the trace.

namespace WARPGAUGE_NAMESPACE::sass {

/// Executions of one operation.
struct opcode_count {
    std::string_view name{};                ///< empty: not known; then `code` tells which
    std::uint16_t code{};                   ///< the lowest nine bits
    sass::pipe pipe = sass::pipe::unknown;  ///< what executes it
    std::uint32_t instructions{};           ///< in the code, executed or not
    double executions{};                    ///< of a warp
    double predicated{};                    ///< of those, with a predicate that may hold in no lane
    double carried_out{};  ///< of a warp, with a lane that takes part as far as PTX tells
};

/// Why a branch of the machine code goes the way it does.
enum class branch_basis : std::uint8_t {
    compiler,  ///< PTX has no branch on its line: taken as the counts around it say
    data,      ///< PTX has one, whose way the trace assumed
};

/// A branch whose way the launch does not decide.
struct doubtful_branch {
    std::uint32_t offset{};  ///< B
    std::uint32_t line{};    ///< of the PTX
    branch_basis basis{};    ///< why it goes the way it does
    double executions{};     ///< of a warp
};

/// What a warp executes.
struct executed_code {
    machine_code code{};                                ///< the code itself
    block_graph graph{};                                ///< its control flow
    std::vector<double> block_executions{};             ///< of each block of the graph
    std::vector<opcode_count> opcodes{};                ///< the most frequent first
    std::array<double, pipe_count> pipe_insts{};        ///< issued
    std::array<double, pipe_count> pipe_carried_out{};  ///< with a lane that takes part
    std::array<double, pipe_count> lane_bytes{};        ///< B that a lane moves, carried out
    double warp_insts{};                                ///< instructions issued
    double predicated_insts{};      ///< of those, with a predicate that may hold in no lane
    double conditional_branches{};  ///< branches, jumps and exits that a predicate decides
    double paired_insts{};  ///< of those, on two numbers of single precision a lane, as `FFMA2`
    /// Fraction of executions in blocks where lines and control flow differ by over 1%; what the trace executes and no
    /// block does is included.
    double disagreement{};
    std::vector<doubtful_branch> doubtful{};  ///< branches whose way the launch does not decide

    /// Instructions of a warp that `p` executes.
    [[nodiscard]] double insts_of(pipe p) const noexcept {
        return pipe_insts[static_cast<std::size_t>(p)];
    }
    /// B that a lane moves; of `local_load` and `local_store`: spilled registers and local arrays.
    [[nodiscard]] double bytes_of(pipe p) const noexcept {
        return lane_bytes[static_cast<std::size_t>(p)];
    }

    /// A profile of the trace with what the code says instead: registers and shared memory, instructions issued,
    /// operations by pipe, and bytes of local memory as often as they are moved.
    [[nodiscard]] kernel_profile<> profile(const ptx::traced_kernel& trace) const {
        kernel_profile<> k = trace.profile();
        k.registers_per_thread = static_cast<double>(code.registers_per_thread);
        k.shared_bytes_per_block =
            static_cast<double>(code.shared_bytes_per_block + trace.launch.dynamic_shared_bytes);
        detail::profile_pipes(pipe_insts, warp_insts, conditional_branches, k);
        k.ops.fp32_ops += 32 * paired_insts;
        k.traffic.local_bytes = bytes_of(pipe::local_load) + bytes_of(pipe::local_store);
        k.traffic.local_footprint_bytes = static_cast<double>(code.frame_bytes_per_thread);
        return k;
    }
};

/// Joins a trace with the machine code of the same kernel.
/// \param text the PTX that was traced and that ptxas compiled, line for line
/// \errors missing        `lines`: the code was compiled without `-lineinfo`
///         unknown_name   `kernel`: the trace is of another kernel
///         limit_reached  `blocks`: the code's control flow takes too much work
template <class = core::when_used>
[[nodiscard]] result<executed_code> join(const ptx::module& text, const ptx::traced_kernel& trace,
                                         const machine_code& code);

namespace detail {

template <class Used = core::when_used>
class code_counter {
public:
    code_counter(const ptx::module& text, const ptx::traced_kernel& trace, executed_code& to)
        : text_(text), trace_(trace), to_(to) {}

    void count(std::span<const block_estimate> estimates) {
        double doubted = 0;
        find_predicated();
        for (std::uint32_t b = 0; b < to_.graph.blocks.size(); ++b) {
            const basic_block& block = to_.graph.blocks[b];
            if (!block.reachable) continue;
            const double executions = to_.block_executions[b];
            for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
                count(to_.code.instructions[n], executions);
            }
            const block_estimate& e = estimates[b];
            const double off = executions - e.executions;
            const bool sure = e.weight >= 1;
            if (sure && (off > 0.01 * e.executions || -off > 0.01 * e.executions)) {
                doubted += executions * block.count;
            }
            find_doubt(to_.code.instructions[block.first + block.count - 1], executions);
        }
        const double lost =
            lost_executions<Used>(traced_lines<Used>(text_, trace_), to_.code.instructions,
                                  to_.graph, to_.block_executions);
        if (to_.warp_insts > 0) to_.disagreement = (doubted + lost) / (to_.warp_insts + lost);
        std::sort(to_.opcodes.begin(), to_.opcodes.end(),
                  [](const opcode_count& a, const opcode_count& b) {
                      return a.executions != b.executions ? a.executions > b.executions
                                                          : a.code < b.code;
                  });
    }

private:
    void count(const machine_instruction& i, double executions) {
        opcode_count& o = find(i);
        o.instructions += 1;
        o.executions += executions;
        to_.warp_insts += executions;
        to_.pipe_insts[static_cast<std::size_t>(i.pipe)] += executions;
        const bool is_paired = i.name == "FFMA2" || i.name == "FMUL2" || i.name == "FADD2";
        if (is_paired) to_.paired_insts += executions;
        if (i.conditional && i.flow == flow::next) {
            o.predicated += executions;
            to_.predicated_insts += executions;
        } else if (i.conditional) {
            to_.conditional_branches += executions;
        }
        const double active = executions * fraction_of(i);
        o.carried_out += active;
        to_.pipe_carried_out[static_cast<std::size_t>(i.pipe)] += active;
        to_.lane_bytes[static_cast<std::size_t>(i.pipe)] += i.lane_bytes * active;
    }

    // Instructions with a predicate that stand for one of PTX, which a branch goes around there: so many of their
    // executions are carried out as that line has.
    struct predicated_line {
        std::uint32_t line{};
        sass::pipe pipe{};
        double issued{};
        double of_line{};
    };

    void find_predicated() {
        for (std::uint32_t b = 0; b < to_.graph.blocks.size(); ++b) {
            const basic_block& block = to_.graph.blocks[b];
            for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
                const machine_instruction& i = to_.code.instructions[n];
                if (!i.conditional || i.flow != flow::next || i.line == 0) continue;
                add_predicated(i, to_.block_executions[b]);
            }
        }
        for (const ptx::instruction& p : text_.instructions) {
            for (predicated_line& l : predicated_) {
                if (l.line == p.at.line && counterpart_of(p.opcode).pipe == l.pipe) l.of_line = 0;
            }
        }
        for (const ptx::executed_line& e : trace_.lines) {
            for (predicated_line& l : predicated_) {
                if (l.line == e.line && l.of_line >= 0) l.of_line += e.executions;
            }
        }
    }

    void add_predicated(const machine_instruction& i, double executions) {
        for (predicated_line& l : predicated_) {
            if (l.line != i.line || l.pipe != i.pipe) continue;
            l.issued += executions;
            return;
        }
        predicated_.push_back({i.line, i.pipe, executions, -1});
    }

    [[nodiscard]] double fraction_of(const machine_instruction& i) const {
        if (!i.conditional || i.flow != flow::next) return 1;
        if (i.predicate == 7 && i.negated)
            return 0;  // never, as loads that ptxas puts before LDGSTS
        for (const predicated_line& l : predicated_) {
            if (l.line != i.line || l.pipe != i.pipe || l.of_line < 0) continue;
            return l.of_line < l.issued ? l.of_line / l.issued : 1;
        }
        return 1;
    }

    opcode_count& find(const machine_instruction& i) {
        const auto code = static_cast<std::uint16_t>(i.code & 0x1ffU);
        for (opcode_count& o : to_.opcodes) {
            if (o.code == code) return o;
        }
        opcode_count made;
        made.name = i.name;
        made.code = code;
        made.pipe = i.pipe;
        to_.opcodes.push_back(made);
        return to_.opcodes.back();
    }

    void find_doubt(const machine_instruction& i, double executions) {
        const bool decides = i.flow == flow::jump || i.flow == flow::exit;
        if (!decides || !i.conditional || executions <= 0) return;
        for (const ptx::assumption& a : trace_.assumptions) {
            if (a.at.line != i.line || i.line == 0) continue;
            to_.doubtful.push_back({i.offset, i.line, branch_basis::data, executions});
            return;
        }
        for (const ptx::instruction& p : text_.instructions) {
            if (p.at.line == i.line && is_decision(p.opcode)) return;
        }
        to_.doubtful.push_back({i.offset, i.line, branch_basis::compiler, executions});
    }

    // Of PTX, that a predicate decides.
    [[nodiscard]] static bool is_decision(std::string_view opcode) {
        return begins(opcode, "bra") || begins(opcode, "ret") || begins(opcode, "exit");
    }

    const ptx::module& text_;
    const ptx::traced_kernel& trace_;
    core::late<Used, executed_code>& to_;
    core::late<Used, std::vector<predicated_line>> predicated_;
};

}  // namespace detail

template <class Used>
result<executed_code> join(const ptx::module& text, const ptx::traced_kernel& trace,
                           const machine_code& code) {
    if (trace.name != code.kernel) return model_error{errc::unknown_name, "kernel"};
    if (!code.has_lines) return model_error{errc::missing, "lines"};
    core::late<Used, executed_code> made{.code = code};
    made.graph = find_blocks<Used>(code.instructions);
    const auto estimates = estimate_blocks<Used>(text, trace, code.instructions, made.graph);
    auto executions = fit_flow<Used>(made.graph, estimates);
    if (!executions) return executions.error();
    made.block_executions = std::move(*executions);
    detail::code_counter<Used>(text, trace, made).count(estimates.blocks);
    return made;
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
