// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_KNOWN_BLOCKS_HPP
#define WARPGAUGE_PTX_TRACE_KNOWN_BLOCKS_HPP

#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/ptx/trace/block_map.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>
#include <warpgauge/ptx/trace/repeated_costs.hpp>

/// \file What is known of the blocks of a grid so far: their ways, and what their accesses cost.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// Asks `ways`, as of `representative_blocks`, about each block once.
template <class Ways>
class known_blocks {
public:
    explicit known_blocks(Ways& ways) : ways_(ways) {}

    [[nodiscard]] auto rows() const { return ways_.rows(); }
    result<std::uint64_t> path_of(const block_index& block) {
        return once(known_paths_, block, [&] { return ways_.path(block); });
    }
    void expect(const block_index& block) { ways_.expect(block); }
    [[nodiscard]] bool is_sure_in(const block_box& box) { return ways_.is_sure_in(box); }
    result<std::uint64_t> whole_of(const block_index& block) {
        return once(known_wholes_, block, [&] { return ways_.whole(block); });
    }

    /// Do accesses in the middle of two blocks cost the same?
    result<bool> middles_cost_the_same(const block_index& a, const block_index& b) {
        const auto cost = cost_of(a);
        if (!cost) return cost.error();
        const auto other = cost_of(b);
        if (!other) return other.error();
        return *cost == *other;
    }
    /// Do they there and at the edges?
    result<bool> cost_the_same(const block_index& a, const block_index& b) {
        const auto middles = middles_cost_the_same(a, b);
        if (!middles || !*middles) return middles;
        const auto edge = edge_of(a);
        if (!edge) return edge.error();
        const auto other_edge = edge_of(b);
        if (!other_edge) return other_edge.error();
        return *edge == *other_edge;
    }

    result<block_place> place_of(const block_index& block) {
        if (const block_place* const known = known_places_.find(block)) return *known;
        result<block_place> place = ways_.place(block);
        if (place) known_places_.add(block, *place);
        return place;
    }

private:
    template <class Value>
    using values = block_map<Value, Ways>;

    result<std::uint64_t> cost_of(const block_index& block) {
        if (const block_place* const known = known_places_.find(block)) return known->cost;
        const auto place = place_of(block);
        if (!place) return place.error();
        return place->cost;
    }
    result<std::uint64_t> edge_of(const block_index& block) {
        return once(known_edges_, block, [&] { return ways_.edge(block); });
    }

    template <class Ask>
    static result<std::uint64_t> once(values<std::uint64_t>& known, const block_index& block,
                                      const Ask& ask) {
        if (const std::uint64_t* const number = known.find(block)) return *number;
        const result<std::uint64_t> number = ask();
        if (number) known.add(block, *number);
        return number;
    }

    Ways& ways_;
    values<std::uint64_t> known_paths_, known_wholes_, known_edges_;
    values<block_place> known_places_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
