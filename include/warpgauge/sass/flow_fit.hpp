// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_FLOW_FIT_HPP
#define WARPGAUGE_SASS_FLOW_FIT_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/sass/blocks.hpp>

/// \file How often blocks are executed, from estimates that need not agree with each other.
///
/// The counts are those that control flow allows and that are nearest to the estimates: a flow of least cost, where
/// a count costs its distance from the estimate times the estimate's weight. So W. He, J. Mestre, S. Pupyrev, L. Wang, H. Yu,
/// "Profile Inference Revisited", Proc. ACM Program. Lang. 6 (POPL), 2022, doi:10.1145/3498714, take counts of
/// blocks from samples. A warp whose lanes part executes both ways, which no flow does: where lanes part and meet,
/// flow comes and goes at a small cost.

namespace WARPGAUGE_NAMESPACE::sass {

/// What is known of one block's executions before control flow is looked at.
struct block_estimate {
    double executions{};  ///< of a warp
    double weight{};      ///< cost of an execution more or less; 0: nothing is known
};

/// The same of all blocks, and of loops how often their jumps back are taken; negative: not known.
struct flow_estimates {
    std::vector<block_estimate> blocks{};  ///< in the order of `block_graph::blocks`
    std::vector<double> repeats{};         ///< in the order of `block_graph::loops`
};

/// Executions of each block; the kernel is entered once. Blocks that nothing reaches have none.
/// \errors missing        `estimates`: not as many as blocks and loops
///         limit_reached  `blocks`: the flow takes more work than `max_work` arcs, or sums of weights are rounded too much: those
///                        below 2^18 are not
template <class = core::when_used>
[[nodiscard]] result<std::vector<double>> fit_flow(const block_graph& graph,
                                                   const flow_estimates& estimates,
                                                   std::uint64_t max_work = 200'000'000);

namespace detail {

/// Flow of least cost from nodes with too much of it to nodes with too little, along shortest ways.
template <class Used = core::when_used>
class flow_network {
public:
    explicit flow_network(std::size_t nodes) : first_(nodes, none), excess_(nodes, 0.0) {}

    void add_excess(std::size_t node, double amount) { excess_[node] += amount; }

    /// Returns the arc's number; its flow is what the opposite arc, one above, has room for.
    std::size_t add_arc(std::size_t from, std::size_t to, double room, double cost) {
        const std::size_t number = arcs_.size();
        arcs_.push_back({to, first_[from], room, cost});
        first_[from] = number;
        arcs_.push_back({from, first_[to], 0, -cost});
        first_[to] = number + 1;
        return number;
    }

    [[nodiscard]] double flow_of(std::size_t number) const { return arcs_[number + 1].room; }

    /// False where it takes more than `max_work` looks at arcs, or where sums of costs are rounded so that a circle of arcs
    /// seems to cost less than nothing.
    bool settle(std::uint64_t max_work) {
        for (std::size_t n = 0; n < excess_.size(); ++n) {
            while (excess_[n] > least) {
                if (!find_ways(n, max_work)) return false;
                const std::size_t to = nearest();
                if (to == none) break;  // it stays
                if (!push(n, to)) return false;
            }
        }
        return true;
    }

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    static constexpr double far = std::numeric_limits<double>::max();
    static constexpr double least = 1e-9;  // executions that count as none

    struct arc {
        std::size_t to{}, next{};
        double room{}, cost{};
    };

    // Costs of the cheapest ways from one node, by Bellman and Ford with a queue.
    bool find_ways(std::size_t from, std::uint64_t max_work) {
        distance_.assign(first_.size(), far);
        by_.assign(first_.size(), none);
        waiting_.assign(first_.size(), false);
        queue_.assign(1, from);
        distance_[from] = 0;
        for (std::size_t head = 0; head < queue_.size(); ++head) {
            const std::size_t node = queue_[head];
            waiting_[node] = false;
            for (std::size_t a = first_[node]; a != none; a = arcs_[a].next) {
                if (++work_ > max_work) return false;
                const arc& way = arcs_[a];
                const double cost = distance_[node] + way.cost;
                if (way.room <= least || cost >= distance_[way.to]) continue;
                distance_[way.to] = cost;
                by_[way.to] = a;
                if (!waiting_[way.to]) {
                    waiting_[way.to] = true;
                    queue_.push_back(way.to);
                }
            }
        }
        return true;
    }

    [[nodiscard]] std::size_t nearest() const {
        std::size_t best = none;
        for (std::size_t n = 0; n < excess_.size(); ++n) {
            if (excess_[n] >= -least || distance_[n] == far) continue;
            if (best == none || distance_[n] < distance_[best]) best = n;
        }
        return best;
    }

    bool push(std::size_t from, std::size_t to) {
        double amount = excess_[from] < -excess_[to] ? excess_[from] : -excess_[to];
        std::size_t length = 0;
        for (std::size_t n = to; n != from; n = arcs_[by_[n] ^ 1U].to) {
            if (++length > by_.size()) return false;
            amount = arcs_[by_[n]].room < amount ? arcs_[by_[n]].room : amount;
        }
        for (std::size_t n = to; n != from; n = arcs_[by_[n] ^ 1U].to) {
            arcs_[by_[n]].room -= amount;
            arcs_[by_[n] ^ 1U].room += amount;
        }
        excess_[from] -= amount;
        excess_[to] += amount;
        return true;
    }

    std::uint64_t work_ = 0;
    core::late<Used, std::vector<arc>> arcs_;
    core::late<Used, std::vector<std::size_t>> first_, by_, queue_;
    core::late<Used, std::vector<double>> excess_, distance_;
    core::late<Used, std::vector<bool>> waiting_;
};

/// A cost to a multiple of 2^-32: sums of a few below 2^20 are exact, so that no circle of arcs seems to cost less than nothing.
constexpr double exact_cost(double cost) noexcept {
    constexpr double large = 0x1.8p20;
    return cost + large - large;
}

inline constexpr double cost_of_parting =
    exact_cost(0.3);  // below the weight of any instruction that stands for one of PTX
inline constexpr double cost_of_nothing_known =
    0.06;  // a block that nothing is known of is rather not executed
inline constexpr double cost_of_entering_twice = 500'000;
inline constexpr double cost_of_an_edge = exact_cost(1e-9);

template <class Used = core::when_used>
result<std::vector<double>> fit(const block_graph& graph, const flow_estimates& estimates,
                                std::uint64_t max_work) {
    constexpr double any = std::numeric_limits<double>::max() / 4;
    const std::size_t count = graph.blocks.size();
    const std::size_t outside = 2 * count;
    flow_network<Used> network(2 * count + 1);
    struct change {
        std::size_t more{}, less{};
        double base{};
    };
    core::late<Used, std::vector<change>> changes(count);
    for (std::size_t b = 0; b < count; ++b) {
        const basic_block& block = graph.blocks[b];
        if (!block.reachable) continue;
        const block_estimate& e = estimates.blocks[b];
        const double weight = exact_cost(e.weight > 0 ? e.weight : cost_of_nothing_known);
        const double base = e.weight > 0 ? e.executions : 0;
        const std::size_t in = 2 * b;
        const std::size_t out = in + 1;
        changes[b] = {network.add_arc(in, out, any, weight), network.add_arc(out, in, base, weight),
                      base};
        network.add_excess(out, base);
        network.add_excess(in, -base);
        if (block.ends) network.add_arc(out, outside, any, 0);
        if (block.decides) network.add_arc(outside, out, any, cost_of_parting);
        if (block.meets) network.add_arc(in, outside, any, cost_of_parting);
        network.add_arc(out, outside, any,
                        cost_of_entering_twice);  // so that there is a way at all
        network.add_arc(outside, in, any, cost_of_entering_twice);
    }
    if (count > 0) {
        network.add_excess(0, 1);
        network.add_excess(outside, -1);
    }
    for (const block_edge& e : graph.edges) {
        if (!graph.blocks[e.from].reachable) continue;
        double room = any;
        for (std::size_t l = 0; l < graph.loops.size(); ++l) {
            const block_loop& loop = graph.loops[l];
            const bool back = e.to == loop.head && e.from >= loop.head && e.from <= loop.last;
            if (back && estimates.repeats[l] >= 0) room = estimates.repeats[l];
        }
        network.add_arc(2 * e.from + 1, 2 * e.to, room, cost_of_an_edge);
    }
    if (!network.settle(max_work)) return model_error{errc::limit_reached, "blocks"};
    core::late<Used, std::vector<double>> executions(count, 0.0);
    for (std::size_t b = 0; b < count; ++b) {
        if (!graph.blocks[b].reachable) continue;
        executions[b] =
            changes[b].base + network.flow_of(changes[b].more) - network.flow_of(changes[b].less);
        if (executions[b] < 0) executions[b] = 0;
    }
    return executions;
}

}  // namespace detail

template <class Used>
result<std::vector<double>> fit_flow(const block_graph& graph, const flow_estimates& estimates,
                                     std::uint64_t max_work) {
    if (estimates.blocks.size() != graph.blocks.size() ||
        estimates.repeats.size() != graph.loops.size()) {
        return model_error{errc::missing, "estimates"};
    }
    return detail::fit<Used>(graph, estimates, max_work);
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
