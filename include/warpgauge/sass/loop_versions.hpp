// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LOOP_VERSIONS_HPP
#define WARPGAUGE_SASS_LOOP_VERSIONS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/sass/blocks.hpp>
#include <warpgauge/sass/line_copies.hpp>
#include <warpgauge/sass/traced_lines.hpp>

/// \file The parts of machine code that execute the rounds of a loop of PTX.
///
/// A part where a line stands k times executes k rounds at once; what does not fill it goes to the part with fewer
/// copies, as compilers that unroll loops do it.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// A part of the code that executes rounds of a loop of PTX, `at_once` each time.
struct loop_version {
    std::uint32_t ptx_loop{};
    std::uint32_t block = no_block;  // one that is in no loop of its own
    std::uint32_t loop = no_block;   // or a loop
    std::uint32_t at_once{};
    double executions{};
    double entries{};
    bool leads_in = false;  // a way that begins below the top of the loop
};

// Whether a line is executed once more in each of `ways` than its loop has rounds.
constexpr bool is_once_more(const traced_line& i, double rounds, double ways) noexcept {
    const double off = i.executions - rounds - ways;
    return ways > 0 && off < 1e-9 * i.executions && -off < 1e-9 * i.executions;
}

/// Gives the rounds of the loops of PTX to the parts of the code. Loops without an instruction that stands for one of PTX
/// come last, by their integers: what no other loop is in is theirs.
template <class Used = core::when_used>
class loop_versions {
public:
    core::late<Used, std::vector<loop_version>> all;

    loop_versions(const block_graph& graph, traced_lines<Used>& read, line_copies<Used>& copies)
        : graph_(graph), read_(read), copies_(copies) {
        claimed_.assign(graph.loops.size(), false);
        core::late<Used, std::vector<std::uint32_t>> without;
        for (std::uint32_t l = 0; l < read_.loops.size(); ++l) {
            if (!share_out_rounds(l)) without.push_back(l);
        }
        for (const loop_version& v : all) {
            if (v.loop != no_block) claimed_[v.loop] = true;
        }
        by_integers_ = true;
        const std::size_t before = copies_.all.size();
        copies_.add_loops(without);
        for (const std::uint32_t l : without) {
            if (!share_out_rounds(l)) copies_.leave_out(l, before);
        }
    }

private:
    // False where no part of the code is the loop's.
    bool share_out_rounds(std::uint32_t l) {
        const std::size_t first = all.size();
        find(l);
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(first);
        std::sort(from, all.end(), [](const loop_version& a, const loop_version& b) {
            if (a.at_once != b.at_once) return a.at_once > b.at_once;
            if ((a.loop == no_block) != (b.loop == no_block)) return a.loop == no_block;
            return a.loop != b.loop ? a.loop < b.loop : a.block < b.block;
        });
        lead_in(l, first);
        for (const traced_way& w : read_.loops[l].all) share_out_way(w, first);
        return all.size() != first;
    }

    // A warp executes a version as often as the lane does that executes it most. Lanes that leave before others have their
    // own rounds left for the versions behind the first.
    void share_out_way(const traced_way& w, std::size_t first) {
        core::late<Used, std::vector<double>> times(all.size() - first, 0.0);
        share_out_lane(w.rounds, first, times);
        const std::uint32_t most = first < all.size() ? all[first].at_once : 1;
        for (std::uint32_t r = 1; r < 8 && 8 % most == 0; ++r) {
            if ((w.leave_after >> r & 1U) == 0) continue;
            share_out_lane(r % most, first, times);
        }
        for (std::size_t n = first; n < all.size(); ++n) {
            all[n].executions += times[n - first] * w.ways;
            if (times[n - first] > 0) all[n].entries += w.ways;
        }
    }

    void share_out_lane(double rounds, std::size_t first,
                        core::late<Used, std::vector<double>>& times) const {
        double left = rounds;
        for (std::size_t n = first; n < all.size(); ++n) {
            const loop_version& v = all[n];
            if (v.leads_in) continue;
            double here = static_cast<double>(static_cast<std::uint64_t>(left / v.at_once + 1e-9));
            if (v.loop == no_block && here > 1) here = 1;
            times[n - first] = std::max(times[n - first], here);
            left -= here * v.at_once;
        }
    }

    // A loop that PTX enters below its top executes the lines from there on once more than it has rounds. A block before
    // the loop with only such lines executes them that one time, and no round.
    void lead_in(std::uint32_t l, std::size_t first) {
        double ways = 0;
        for (const traced_way& w : read_.loops[l].all) ways += w.ways;
        if (ways <= 0) return;
        for (std::size_t n = first; n < all.size(); ++n) {
            loop_version& v = all[n];
            if (v.block == no_block || v.at_once != 1) continue;
            v.leads_in =
                std::all_of(copies_.all.begin(), copies_.all.end(), [&](const line_copy& c) {
                    const traced_line& line = read_.lines[c.line];
                    if (c.block != v.block || line.loop != l) return true;
                    return is_once_more(line, read_.loops[l].rounds, ways);
                });
            if (!v.leads_in) continue;
            v.executions = ways;
            read_.loops[l].begun_below = ways;
        }
    }

    // Loops of the code first; blocks outside count where they repeat what stands in those.
    void find(std::uint32_t l) {
        const std::size_t first = all.size();
        core::late<Used, std::vector<bool>> in_loops(read_.lines.size(), false);
        for (const line_copy& c : copies_.all) {
            const std::uint32_t loop = graph_.blocks[c.block].loop;
            if (read_.lines[c.line].loop != l || loop == no_block || !belongs(loop, l)) continue;
            in_loops[c.line] = true;
            if (find(first, loop, no_block) != nullptr) continue;
            loop_version v{.ptx_loop = l};
            v.loop = loop;
            v.at_once = rounds_at_once(
                l, [&](const line_copy& o) { return graph_.blocks[o.block].loop == loop; });
            all.push_back(v);
        }
        if (all.size() == first) return;
        for (const line_copy& c : copies_.all) {
            const std::uint32_t loop = graph_.blocks[c.block].loop;
            if (read_.lines[c.line].loop != l || !in_loops[c.line]) continue;
            if (loop != no_block && belongs(loop, l)) continue;
            if (find(first, no_block, c.block) != nullptr) continue;
            if (by_integers_ && !is_whole_round(c.block, l, in_loops)) continue;
            loop_version v{.ptx_loop = l};
            v.block = c.block;
            v.at_once = rounds_at_once(l, [&](const line_copy& o) { return o.block == c.block; });
            all.push_back(v);
        }
    }

    // Whether most of a loop's lines stand in a block, so that it is more than what was moved there.
    [[nodiscard]] bool is_whole_round(std::uint32_t block, std::uint32_t l,
                                      const core::late<Used, std::vector<bool>>& in_loops) const {
        double here = 0;
        double lines = 0;
        for (std::uint32_t n = 0; n < read_.lines.size(); ++n) {
            if (read_.lines[n].loop == l && in_loops[n]) lines += 1;
        }
        for (const line_copy& c : copies_.all) {
            const bool counts = c.block == block && in_loops[c.line];
            if (counts && read_.lines[c.line].loop == l) here += 1;
        }
        return here * 2 > lines;
    }

    loop_version* find(std::size_t first, std::uint32_t loop, std::uint32_t block) {
        for (std::size_t n = first; n < all.size(); ++n) {
            if (all[n].loop == loop && all[n].block == block) return &all[n];
        }
        return nullptr;
    }

    // Whether most of what stands directly in a loop of the code is directly in this loop of PTX, without what is left of
    // loops inside that were unrolled.
    [[nodiscard]] bool belongs(std::uint32_t loop, std::uint32_t l) const {
        if (by_integers_ && claimed_[loop]) return false;
        double ours = 0;
        double others = 0;
        for (const line_copy& c : copies_.all) {
            if (graph_.blocks[c.block].loop != loop || c.is_rest) continue;
            const double weight = c.weight * c.times;
            (read_.lines[c.line].loop == l ? ours : others) += weight;
        }
        return ours > others;
    }

    // The median of how often its lines stand there; by integers, the median of instructions, since a compiler makes one
    // of the counters of several rounds.
    template <class Where>
    std::uint32_t rounds_at_once(std::uint32_t l, Where where) const {
        core::late<Used, std::vector<std::uint32_t>> times(read_.lines.size(), 0);
        for (const line_copy& c : copies_.all) {
            if (read_.lines[c.line].loop == l && where(c)) times[c.line] += c.times;
        }
        core::late<Used, std::vector<std::uint32_t>> rounds;
        for (std::uint32_t n = 0; n < times.size(); ++n) {
            if (times[n] == 0) continue;
            const std::uint32_t copies = by_integers_ ? copies_of(n, times[n]) : times[n];
            if (copies > 0) rounds.insert(rounds.end(), by_integers_ ? times[n] : 1, copies);
        }
        if (rounds.empty()) return 1;
        const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
        std::nth_element(rounds.begin(), middle, rounds.end());
        return *middle;
    }

    // Of `instructions` of a line: one each, or as many as in the loop of the code that has the fewest. 0: not known, in
    // one loop only.
    [[nodiscard]] std::uint32_t copies_of(std::uint32_t line, std::uint32_t instructions) const {
        if (read_.lines[line].is_one_integer) return instructions;
        core::late<Used, std::vector<std::uint32_t>> in_loop(graph_.loops.size(), 0);
        for (const line_copy& c : copies_.all) {
            const std::uint32_t loop = graph_.blocks[c.block].loop;
            if (c.line == line && loop != no_block) in_loop[loop] += c.times;
        }
        std::uint32_t loops = 0;
        std::uint32_t fewest = 0;
        for (const std::uint32_t n : in_loop) {
            if (n > 0) ++loops;
            if (n > 0 && (fewest == 0 || n < fewest)) fewest = n;
        }
        if (loops < 2) return 0;
        if (instructions % fewest == 0) return instructions / fewest;
        return nearest_power_of_two(instructions, fewest);
    }

    // Instructions that a compiler merges or moves there blur the number of rounds, which it takes by powers of two.
    static std::uint32_t nearest_power_of_two(std::uint32_t instructions, std::uint32_t fewest) {
        std::uint32_t rounds = 1;
        while (3 * rounds * fewest < 2 * instructions) rounds *= 2;
        return rounds;
    }

    const block_graph& graph_;
    traced_lines<Used>& read_;
    line_copies<Used>& copies_;
    bool by_integers_ = false;
    core::late<Used, std::vector<bool>> claimed_;  // of loops of the code
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
