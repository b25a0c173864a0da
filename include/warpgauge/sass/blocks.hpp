// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_BLOCKS_HPP
#define WARPGAUGE_SASS_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/sass/instruction.hpp>

/// \file The basic blocks of machine code, and the edges between them.

namespace WARPGAUGE_NAMESPACE::sass {

/// No block, no loop.
inline constexpr std::uint32_t no_block = 0xffff'ffff;

/// Instructions that are executed one after the other, or not at all.
struct basic_block {
    std::uint32_t first{};  ///< instruction
    std::uint32_t count{};  ///< number of instructions
    bool reachable{};       ///< from the kernel's beginning
    bool decides{};         ///< its last instruction jumps or not, or anywhere
    bool ends{};            ///< lanes may end here
    bool meets{};           ///< lanes that went different ways come together before it
    bool calls{};           ///< its last instruction is a call, from which something returns
    std::uint32_t loop = no_block;  ///< the innermost loop that it belongs to
};

/// A way from one block to another.
struct block_edge {
    std::uint32_t from{};  ///< block
    std::uint32_t to{};    ///< block
};

/// Blocks between a jump back and its target, which are the loop as far as compilers place loops together.
struct block_loop {
    std::uint32_t head{};  ///< block
    std::uint32_t last{};  ///< block that jumps back
};

/// The control flow of a kernel.
struct block_graph {
    std::vector<basic_block> blocks{};  ///< in order of their place
    std::vector<block_edge> edges{};    ///< each once
    std::vector<block_loop> loops{};    ///< an outer one may hold inner ones
};

/// Blocks, edges and loops. A call goes to its target, and a return to what follows the calls of its function; a jump
/// to a place that is not in the text goes to every block that nothing else leads to.
template <class = core::when_used>
[[nodiscard]] block_graph find_blocks(std::span<const machine_instruction> code);

namespace detail {

template <class Used = core::when_used>
class block_finder {
public:
    explicit block_finder(std::span<const machine_instruction> code) : code_(code) {}

    block_graph find() {
        if (code_.empty()) return graph_;
        find_leaders();
        cut();
        connect();
        index_edges();
        find_calls_that_jump();
        reach(0);
        connect_indirect();
        connect_returns();
        find_loops();
        return graph_;
    }

private:
    [[nodiscard]] std::uint32_t target(const machine_instruction& i) const {
        if (i.target < 0 || i.target % instruction_bytes != 0) return no_block;
        const std::int64_t n = i.target / instruction_bytes;
        return n < static_cast<std::int64_t>(code_.size()) ? static_cast<std::uint32_t>(n)
                                                           : no_block;
    }
    [[nodiscard]] static bool never(const machine_instruction& i) {
        return i.predicate == 7 && i.negated;
    }
    [[nodiscard]] const machine_instruction& last_of(const basic_block& b) const {
        return code_[b.first + b.count - 1];
    }

    void find_leaders() {
        leads_.assign(code_.size() + 1, false);
        leads_[0] = true;
        for (std::size_t n = 0; n < code_.size(); ++n) {
            const machine_instruction& i = code_[n];
            if (i.flow != flow::next) leads_[n + 1] = true;
            if ((i.code & 0x1ffU) == meeting) leads_[n + 1] = true;
            if (const std::uint32_t to = target(i); to != no_block) leads_[to] = true;
        }
    }

    void cut() {
        block_of_.assign(code_.size(), 0);
        for (std::uint32_t n = 0; n < code_.size(); ++n) {
            if (leads_[n]) {
                basic_block b;
                b.first = n;
                b.meets = n > 0 && (code_[n - 1].code & 0x1ffU) == meeting;
                graph_.blocks.push_back(b);
            }
            graph_.blocks.back().count += 1;
            block_of_[n] = static_cast<std::uint32_t>(graph_.blocks.size() - 1);
        }
    }

    void add(std::uint32_t from, std::uint32_t to) {
        if (to < graph_.blocks.size()) graph_.edges.push_back({from, to});
    }

    void connect() {
        for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
            basic_block& block = graph_.blocks[b];
            const machine_instruction& i = last_of(block);
            const std::uint32_t to = target(i);
            const std::uint32_t there = to == no_block ? no_block : block_of_[to];
            bool goes_on = true;
            switch (never(i) ? flow::next : i.flow) {
                case flow::next: break;
                case flow::jump:
                    add(b, there);
                    goes_on = i.conditional;
                    block.decides = i.conditional;
                    break;
                case flow::call:
                    block.calls = true;
                    add(b, there);
                    goes_on = there == no_block || i.conditional;
                    block.decides = i.conditional;
                    break;
                case flow::indirect:
                    block.decides = true;
                    goes_on = i.conditional;
                    break;
                case flow::back: goes_on = i.conditional; break;
                case flow::exit:
                    block.ends = true;
                    goes_on = i.conditional;
                    break;
            }
            if (goes_on) add(b, b + 1);
        }
    }

    // ptxas also jumps by CALL.REL, to where nothing returns.
    void find_calls_that_jump() {
        for (basic_block& b : graph_.blocks) {
            if (!b.calls) continue;
            const std::uint32_t to = target(last_of(b));
            if (to != no_block && returns_from(block_of_[to]).empty()) b.calls = false;
        }
    }

    void reach(std::uint32_t from) {
        std::vector<std::uint32_t> open{from};
        while (!open.empty()) {
            const std::uint32_t b = open.back();
            open.pop_back();
            if (graph_.blocks[b].reachable) continue;
            graph_.blocks[b].reachable = true;
            for (std::uint32_t n = out_[b]; n < out_[b + 1]; ++n) open.push_back(to_[n]);
            if (graph_.blocks[b].calls && b + 1 < graph_.blocks.size()) open.push_back(b + 1);
        }
    }

    // Edges by their block: those of `b` are `to_[out_[b]]` up to `to_[out_[b + 1]]`.
    void index_edges() {
        out_.assign(graph_.blocks.size() + 1, 0);
        for (const block_edge& e : graph_.edges) out_[e.from + 1] += 1;
        for (std::size_t b = 1; b < out_.size(); ++b) out_[b] += out_[b - 1];
        to_.assign(graph_.edges.size(), 0);
        std::vector<std::uint32_t> next(out_.begin(), out_.end() - 1);
        for (const block_edge& e : graph_.edges) to_[next[e.from]++] = e.to;
    }

    // Jumps by register lead to the blocks with real work that nothing else leads to.
    void connect_indirect() {
        std::vector<std::uint32_t> jumps;
        for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
            if (graph_.blocks[b].reachable && last_of(graph_.blocks[b]).flow == flow::indirect) {
                jumps.push_back(b);
            }
        }
        if (jumps.empty()) return;
        constexpr std::size_t most = 4096;
        std::size_t added = 0;
        for (std::uint32_t b = 1; b < graph_.blocks.size() && added < most; ++b) {
            if (graph_.blocks[b].reachable || is_padding(graph_.blocks[b])) continue;
            for (const std::uint32_t from : jumps) add(from, b);
            added += jumps.size();
            reach(b);
        }
    }

    [[nodiscard]] bool is_padding(const basic_block& b) const {
        const machine_instruction& i = code_[b.first];
        const bool stays = i.flow == flow::jump && i.target == static_cast<std::int64_t>(i.offset);
        return stays || i.name == "NOP";
    }

    void connect_returns() {
        const std::size_t count = graph_.blocks.size();
        constexpr std::size_t most = 65'536;
        for (std::uint32_t b = 0; b < count; ++b) {
            const basic_block& caller = graph_.blocks[b];
            if (!caller.reachable || !caller.calls) continue;
            const std::uint32_t to = target(last_of(caller));
            if (to == no_block || b + 1 >= count) continue;
            for (const std::uint32_t end : returns_from(block_of_[to])) {
                if (graph_.edges.size() > most) return;
                add(end, b + 1);
            }
        }
    }

    // Blocks that return and that a call of `entry` reaches, inner calls passed over.
    std::vector<std::uint32_t> returns_from(std::uint32_t entry) const {
        std::vector<std::uint32_t> open{entry};
        std::vector<std::uint32_t> found;
        std::vector<bool> seen(graph_.blocks.size(), false);
        while (!open.empty()) {
            const std::uint32_t b = open.back();
            open.pop_back();
            if (seen[b]) continue;
            seen[b] = true;
            const basic_block& block = graph_.blocks[b];
            if (last_of(block).flow == flow::back) found.push_back(b);
            if (block.calls) {
                if (b + 1 < graph_.blocks.size()) open.push_back(b + 1);
                continue;
            }
            for (std::uint32_t n = out_[b]; n < out_[b + 1]; ++n) open.push_back(to_[n]);
        }
        return found;
    }

    void find_loops() {
        for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
            const machine_instruction& i = last_of(graph_.blocks[b]);
            const std::uint32_t to = target(i);
            if (i.flow != flow::jump || to == no_block || !graph_.blocks[b].reachable) continue;
            const std::uint32_t head = block_of_[to];
            if (head > b) continue;
            bool known = false;
            for (block_loop& l : graph_.loops) {
                if (l.head != head) continue;
                known = true;
                l.last = b;
            }
            if (!known) graph_.loops.push_back({head, b});
        }
        for (std::uint32_t n = 0; n < graph_.loops.size(); ++n) {
            const block_loop& l = graph_.loops[n];
            for (std::uint32_t b = l.head; b <= l.last; ++b) {
                std::uint32_t& inner = graph_.blocks[b].loop;
                if (inner == no_block ||
                    graph_.loops[inner].last - graph_.loops[inner].head > l.last - l.head) {
                    inner = n;
                }
            }
        }
    }

    static constexpr std::uint32_t meeting = 0x141;  // BSYNC

    std::span<const machine_instruction> code_;
    core::late<Used, block_graph> graph_;
    core::late<Used, std::vector<bool>> leads_;
    core::late<Used, std::vector<std::uint32_t>> block_of_;
    core::late<Used, std::vector<std::uint32_t>> out_, to_;
};

}  // namespace detail

template <class Used>
block_graph find_blocks(std::span<const machine_instruction> code) {
    return detail::block_finder<Used>(code).find();
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
