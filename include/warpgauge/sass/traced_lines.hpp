// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_TRACED_LINES_HPP
#define WARPGAUGE_SASS_TRACED_LINES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sass/opcode_table.hpp>

/// \file The lines of a text of PTX as a trace executed them, and what they become in machine code.

namespace WARPGAUGE_NAMESPACE::sass::detail {

constexpr bool begins(std::string_view text, std::string_view with) noexcept {
    return text.substr(0, with.size()) == with;
}

/// The pipe of the machine instruction that an instruction of PTX becomes, one for one, and how sure that is; `unknown`
/// where it may be none or several.
struct counterpart {
    sass::pipe pipe = pipe::unknown;
    double weight{};
};
constexpr counterpart counterpart_of(std::string_view opcode) noexcept {
    constexpr struct {
        std::string_view begin;
        counterpart becomes;
    } rows[]{{"st.global", {pipe::global_store, 4}},
             {"st.shared", {pipe::shared_store, 4}},
             {"st.local", {pipe::local_store, 4}},
             {"atom.global", {pipe::global_atomic, 4}},
             {"red.global", {pipe::global_atomic, 4}},
             {"atom.shared", {pipe::shared_atomic, 4}},
             {"red.shared", {pipe::shared_atomic, 4}},
             {"bar.sync", {pipe::barrier, 4}},
             {"barrier.sync", {pipe::barrier, 4}},
             {"mbarrier.init", {pipe::shared_atomic, 2}},
             {"mbarrier.arrive", {pipe::shared_atomic, 2}},
             {"cp.async.bulk.commit_group", {pipe::other, 2}},
             {"wgmma.wait_group", {pipe::other, 4}},
             {"cp.async.ca", {pipe::global_load, 4}},
             {"cp.async.cg", {pipe::global_load, 4}},
             {"stmatrix", {pipe::shared_store, 4}},
             {"ldmatrix", {pipe::shared_load, 2}},
             {"ld.global", {pipe::global_load, 2}},
             {"ld.shared", {pipe::shared_load, 2}},
             {"ld.local", {pipe::local_load, 2}},
             {"fma.rn.f32", {pipe::fp32, 1}},
             {"mul.f32", {pipe::fp32, 1}},
             {"add.f32", {pipe::fp32, 1}},
             {"sub.f32", {pipe::fp32, 1}},
             {"fma.rn.f64", {pipe::fp64, 1}},
             {"mul.f64", {pipe::fp64, 1}},
             {"add.f64", {pipe::fp64, 1}},
             {"shfl.sync", {pipe::exchange, 1}}};
    for (const auto& row : rows) {
        if (begins(opcode, row.begin)) return row.becomes;
    }
    return {};
}

/// Whether an instruction of PTX, of integers of 32 bits or a comparison, becomes one machine instruction in most cases.
constexpr bool is_one_integer(std::string_view opcode) noexcept {
    constexpr std::string_view begin[]{
        "add.",  "sub.",  "mul.lo.", "mad.lo.", "and.", "or.",   "xor.", "not.",  "shl.",  "shr.",
        "setp.", "selp.", "min.",    "max.",    "neg.", "lop3.", "shf.", "prmt.", "popc.", "bfi."};
    constexpr std::string_view end[]{".b32", ".u32", ".s32"};
    for (const std::string_view b : begin) {
        if (!begins(opcode, b)) continue;
        for (const std::string_view e : end) {
            if (opcode.size() > e.size() && opcode.substr(opcode.size() - e.size()) == e)
                return true;
        }
    }
    return false;
}

/// No line, no loop.
inline constexpr std::uint32_t no_line = 0xffff'ffff;

/// A line of the text.
struct traced_line {
    std::uint32_t line{};
    double executions{};
    counterpart becomes{};
    bool is_one_integer{};
    bool calls{};
    std::uint32_t loop = no_line;  // of PTX, the innermost
    std::uint32_t test{};          // line of the branch before it that may go around it; 0: none
};

/// Ways through a loop with the same number of rounds.
struct traced_way {
    double rounds{}, ways{};
    std::uint8_t leave_after{};  ///< as `executed_loop::leave_after`
};

/// A loop of the text, by its lines.
struct traced_loop {
    std::uint32_t first{}, last{};
    double rounds{};  // of a warp, all ways together
    /// Ways that begin below the top of the loop, where a block before it executes what comes first.
    double begun_below{};
    std::vector<traced_way> all{};
};

/// The lines of a text, in order, and the loops that the trace has gone through.
template <class Used = core::when_used>
class traced_lines {
public:
    core::late<Used, std::vector<traced_line>> lines;
    core::late<Used, std::vector<traced_loop>> loops;

    traced_lines(const ptx::module& text, const ptx::traced_kernel& trace) {
        read_lines(text, trace);
        read_loops(trace);
    }

    /// The index of a line; `no_line` where no instruction begins.
    [[nodiscard]] std::uint32_t find(std::uint32_t line) const {
        const auto before = [](const traced_line& a, std::uint32_t b) { return a.line < b; };
        const auto at = std::lower_bound(lines.begin(), lines.end(), line, before);
        if (at == lines.end() || at->line != line) return no_line;
        return static_cast<std::uint32_t>(at - lines.begin());
    }

private:
    // Lines that are never issued count too: their blocks are not executed.
    void read_lines(const ptx::module& text, const ptx::traced_kernel& trace) {
        std::uint32_t test = 0;
        for (const ptx::instruction& i : text.instructions) {
            traced_line l;
            l.line = i.at.line;
            l.test = test;
            if (!i.predicate.empty() && begins(i.opcode, "bra")) test = i.at.line;
            l.becomes = counterpart_of(i.opcode);
            l.is_one_integer = detail::is_one_integer(i.opcode);
            l.calls = begins(i.opcode, "call");
            lines.push_back(l);
        }
        std::sort(lines.begin(), lines.end(), [](const traced_line& a, const traced_line& b) {
            return a.line != b.line ? a.line < b.line : a.becomes.weight > b.becomes.weight;
        });
        std::size_t kept = 0;
        for (std::size_t n = 0; n < lines.size(); ++n) {
            if (kept > 0 && lines[kept - 1].line == lines[n].line) {
                lines[kept - 1].calls = lines[kept - 1].calls || lines[n].calls;
            } else {
                lines[kept++] = lines[n];
            }
        }
        lines.resize(kept);
        for (const ptx::executed_line& e : trace.lines) {
            const std::uint32_t n = find(e.line);
            if (n == no_line) continue;
            traced_line& l = lines[n];
            if (e.executions > l.executions) l.executions = e.executions;
        }
    }

    void read_loops(const ptx::traced_kernel& trace) {
        for (const ptx::executed_loop& l : trace.loops) {
            traced_loop* to = nullptr;
            for (traced_loop& known : loops) {
                if (known.first == l.first_line && known.last == l.last_line) to = &known;
            }
            if (to == nullptr) {
                traced_loop made;
                made.first = l.first_line;
                made.last = l.last_line;
                loops.push_back(made);
                to = &loops.back();
            }
            to->rounds += l.rounds * l.ways;
            to->all.push_back({l.rounds, l.ways, l.leave_after});
        }
        for (traced_line& i : lines) {
            for (std::uint32_t n = 0; n < loops.size(); ++n) {
                const traced_loop& l = loops[n];
                if (i.line < l.first || i.line > l.last) continue;
                if (i.loop == no_line ||
                    l.last - l.first < loops[i.loop].last - loops[i.loop].first) {
                    i.loop = n;
                }
            }
        }
    }
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
