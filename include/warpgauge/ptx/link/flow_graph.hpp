// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_FLOW_GRAPH_HPP
#define WARPGAUGE_PTX_LINK_FLOW_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/ptx/link/program.hpp>

/// \file Where the paths of one function meet again, and how many registers are live at a time.

namespace warpgauge::ptx::detail {

/// The basic blocks of a routine. Work is bounded, and passing the bound is an error: `limit_reached`.
template <int Instance>
class flow_graph {
public:
    flow_graph(program& p, const routine& r, std::uint64_t most_work)
        : p_(p), r_(r), most_work_(most_work) {
        find_blocks();
        find_edges();
    }

    /// Gives every branch the step where its paths meet: its immediate post-dominator (Cooper, Harvey,
    /// Kennedy, "A Simple, Fast Dominance Algorithm", 2001). Paths that only return, as after `if (i >= n)`,
    /// are left out where others go on: their lanes end at once, and no other waits for them. A branch
    /// whose paths end before they meet keeps `nowhere`.
    model_error find_reconvergence() {
        if (auto bad = find_post_dominators()) return bad;
        const std::vector<std::uint32_t> of_all = after_;
        leave_out_returns();
        if (auto bad = find_post_dominators()) return bad;
        const std::uint32_t exit = blocks();
        for (std::uint32_t b = 0; b < exit; ++b) {
            step& last = p_.steps[r_.first + starts_[b + 1] - 1];
            if (last.what != action::branch && last.what != action::branch_table) continue;
            const std::uint32_t meets = after_[b] < exit ? after_[b] : of_all[b];
            last.reconverge = meets >= exit ? nowhere : r_.first + starts_[meets];
        }
        edges_ = all_edges_;
        first_edge_ = first_of_all_;
        return {};
    }

    /// The most 32-bit registers that hold values still needed, at any place.
    result<std::uint32_t> most_live() {
        const std::size_t words = (r_.rows + 63) / 64;
        if (words * (blocks() + 1) > most_words) {
            return model_error{errc::limit_reached, "registers"};
        }
        std::vector<std::uint64_t> live_in(words * (blocks() + 1));
        std::vector<std::uint64_t> live(words);
        std::uint32_t most = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t b = blocks(); b-- > 0;) {
                live.assign(words, 0);
                for (std::uint32_t e = first_edge_[b]; e < first_edge_[b + 1]; ++e) {
                    for (std::size_t w = 0; w < words; ++w) {
                        live[w] |= live_in[edges_[e] * words + w];
                    }
                }
                const std::uint32_t here = walk_back(b, live);
                most = here > most ? here : most;
                for (std::size_t w = 0; w < words; ++w) {
                    changed = changed || live_in[b * words + w] != live[w];
                    live_in[b * words + w] = live[w];
                }
                work_ += words + (starts_[b + 1] - starts_[b]);
                if (work_ > most_work_) return model_error{errc::limit_reached, "registers"};
            }
        }
        return most;
    }

private:
    static constexpr std::size_t most_words = std::size_t{1} << 24;

    [[nodiscard]] std::uint32_t blocks() const {
        return static_cast<std::uint32_t>(starts_.size() - 1);
    }
    [[nodiscard]] const step& at(std::uint32_t i) const { return p_.steps[r_.first + i]; }

    // Calls `visit` with every step that can come after, as an index of the routine; `count` ends it.
    template <class Visitor>
    void for_each_successor(std::uint32_t i, Visitor visit) const {
        const step& s = at(i);
        const bool always = s.predicate == nowhere;
        switch (s.what) {
            case action::branch:
                visit(s.target - r_.first);
                if (!always) visit(i + 1);
                return;
            case action::branch_table:
                for (std::uint32_t t = 0; t < s.targets; ++t) {
                    visit(p_.rows[s.target + t] - r_.first);
                }
                if (!always) visit(i + 1);
                return;
            case action::return_:
            case action::exit:
                visit(r_.count);
                if (!always) visit(i + 1);
                return;
            default: visit(i + 1);
        }
    }

    static bool ends_block(const step& s) {
        return s.what == action::branch || s.what == action::branch_table ||
               s.what == action::return_ || s.what == action::exit;
    }

    void find_blocks() {
        std::vector<bool> leads(r_.count + 1);
        leads[0] = true;
        leads[r_.count] = true;
        for (std::uint32_t i = 0; i < r_.count; ++i) {
            if (!ends_block(at(i))) continue;
            leads[i + 1] = true;
            for_each_successor(i, [&](std::uint32_t to) { leads[to] = true; });
        }
        block_of_.assign(r_.count + 1, 0);
        for (std::uint32_t i = 0; i <= r_.count; ++i) {
            if (leads[i]) starts_.push_back(i);
            block_of_[i] = static_cast<std::uint32_t>(starts_.size() - 1);
        }
    }

    model_error find_post_dominators() {
        const std::uint32_t exit = blocks();
        order_.clear();
        order_from_exit();
        after_.assign(exit + 1, nowhere);
        after_[exit] = exit;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t n = order_.size() - 1; n-- > 0;) {  // without the exit, which is last
                const std::uint32_t b = order_[n];
                std::uint32_t common = nowhere;
                for (std::uint32_t e = first_edge_[b]; e < first_edge_[b + 1]; ++e) {
                    const std::uint32_t to = edges_[e];
                    if (after_[to] == nowhere) continue;
                    common = common == nowhere ? to : meet(common, to);
                }
                if (work_ > most_work_) return {errc::limit_reached, "steps"};
                if (common != after_[b]) {
                    after_[b] = common;
                    changed = true;
                }
            }
        }
        return {};
    }

    // Edges to blocks that do nothing but return, from blocks that can also go on.
    void leave_out_returns() {
        all_edges_ = edges_;
        first_of_all_ = first_edge_;
        const auto only_returns = [&](std::uint32_t b) {
            if (b == blocks()) return true;
            if (starts_[b + 1] - starts_[b] != 1) return false;
            const step& s = at(starts_[b]);
            return (s.what == action::return_ || s.what == action::exit) && s.predicate == nowhere;
        };
        std::vector<std::uint32_t> kept;
        std::vector<std::uint32_t> first;
        for (std::uint32_t b = 0; b < blocks(); ++b) {
            first.push_back(static_cast<std::uint32_t>(kept.size()));
            bool goes_on = false;
            for (std::uint32_t e = first_edge_[b]; e < first_edge_[b + 1]; ++e) {
                goes_on = goes_on || !only_returns(edges_[e]);
            }
            for (std::uint32_t e = first_edge_[b]; e < first_edge_[b + 1]; ++e) {
                if (!goes_on || !only_returns(edges_[e])) kept.push_back(edges_[e]);
            }
        }
        first.push_back(static_cast<std::uint32_t>(kept.size()));
        first.push_back(static_cast<std::uint32_t>(kept.size()));
        edges_ = std::move(kept);
        first_edge_ = std::move(first);
    }

    void find_edges() {
        for (std::uint32_t b = 0; b < blocks(); ++b) {
            first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
            for_each_successor(starts_[b + 1] - 1,
                               [&](std::uint32_t to) { edges_.push_back(block_of_[to]); });
        }
        first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
        first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));  // the exit has none
    }

    // Blocks that reach the exit, each after those that come before it, backwards; the exit last.
    void order_from_exit() {
        const std::uint32_t exit = blocks();
        std::vector<std::uint32_t> first(exit + 2);
        for (const std::uint32_t to : edges_) ++first[to + 1];
        for (std::uint32_t b = 0; b <= exit; ++b) first[b + 1] += first[b];
        std::vector<std::uint32_t> from(edges_.size());
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        for (std::uint32_t b = 0; b < exit; ++b) {
            for (std::uint32_t e = first_edge_[b]; e < first_edge_[b + 1]; ++e) {
                from[next[edges_[e]]++] = b;
            }
        }
        number_.assign(exit + 1, nowhere);
        std::vector<bool> seen(exit + 1);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> path{{exit, first[exit]}};
        seen[exit] = true;
        while (!path.empty()) {
            auto& [b, e] = path.back();
            if (e == first[b + 1]) {
                number_[b] = static_cast<std::uint32_t>(order_.size());
                order_.push_back(b);
                path.pop_back();
            } else if (const std::uint32_t to = from[e++]; !seen[to]) {
                seen[to] = true;
                path.push_back({to, first[to]});
            }
        }
    }

    std::uint32_t meet(std::uint32_t a, std::uint32_t b) {
        while (a != b) {
            ++work_;
            if (number_[a] < number_[b]) {
                a = after_[a];
            } else {
                b = after_[b];
            }
        }
        return a;
    }

    // Takes `live` from the end of a block to its beginning; the most registers at a time.
    std::uint32_t walk_back(std::uint32_t b, std::vector<std::uint64_t>& live) const {
        std::uint32_t now = 0;
        for (std::uint32_t row = 0; row < r_.rows; ++row) {
            if (live[row / 64] >> row % 64 & 1U) now += weight(row);
        }
        std::uint32_t most = now;
        for (std::uint32_t i = starts_[b + 1]; i-- > starts_[b];) {
            const step& s = at(i);
            if (s.what != action::call) {
                for (std::uint32_t k = 0; k < s.results; ++k) {
                    if (s.predicate == nowhere) set(p_.rows[s.first + k], false, live, now);
                }
                for (std::uint32_t k = 0; k < s.sources; ++k) {
                    set(p_.rows[s.first + s.results + k], true, live, now);
                }
            } else {
                for (std::uint32_t k = 0; k < s.returned; ++k) {
                    set(p_.moves[s.first + s.targets + k].to, false, live, now);
                }
                for (std::uint32_t k = 0; k < s.targets; ++k) {
                    set(p_.moves[s.first + k].from, true, live, now);
                }
            }
            set(s.predicate, true, live, now);
            most = now > most ? now : most;
        }
        return most;
    }

    [[nodiscard]] std::uint32_t weight(std::uint32_t row) const { return r_.weights[row]; }

    void set(std::uint32_t row, bool to, std::vector<std::uint64_t>& live,
             std::uint32_t& now) const {
        if (row == nowhere || (row & of_call) == 0) return;
        row &= ~of_call;
        const std::uint64_t bit = std::uint64_t{1} << row % 64;
        if (((live[row / 64] & bit) != 0) == to) return;
        live[row / 64] ^= bit;
        now = to ? now + weight(row) : now - weight(row);
    }

    program& p_;
    const routine& r_;
    std::uint64_t most_work_;
    std::uint64_t work_ = 0;
    std::vector<std::uint32_t> starts_;    // first step of each block, and the end
    std::vector<std::uint32_t> block_of_;  // of each step, and the end
    std::vector<std::uint32_t> first_edge_, edges_;
    std::vector<std::uint32_t> first_of_all_, all_edges_;
    std::vector<std::uint32_t> order_, number_;  // towards the exit
    std::vector<std::uint32_t> after_;           // immediate post-dominators
};

}  // namespace warpgauge::ptx::detail

#endif
