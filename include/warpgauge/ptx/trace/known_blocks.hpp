// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_KNOWN_BLOCKS_HPP
#define WARPGAUGE_PTX_TRACE_KNOWN_BLOCKS_HPP

#include <cstdint>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
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
        if (const known_place* const k = find_place(block)) return k->place;
        result<block_place> place = ways_.place(block);
        if (place) known_places_.push_back({block, *place});
        return place;
    }

private:
    result<std::uint64_t> cost_of(const block_index& block) {
        if (const known_place* const k = find_place(block)) return k->place.cost;
        const auto place = place_of(block);
        if (!place) return place.error();
        return place->cost;
    }
    result<std::uint64_t> edge_of(const block_index& block) {
        return once(known_edges_, block, [&] { return ways_.edge(block); });
    }

    template <class T>
    using list = core::late<Ways, std::vector<T>>;
    struct known_place {
        block_index block{};
        block_place place{};
    };
    struct known_path {
        block_index block{};
        std::uint64_t path{};
    };

    // Null if nobody has asked.
    [[nodiscard]] const known_place* find_place(const block_index& block) const {
        for (const known_place& k : known_places_) {
            if (is_same(k.block, block)) return &k;
        }
        return nullptr;
    }

    template <class Ask>
    static result<std::uint64_t> once(list<known_path>& known, const block_index& block,
                                      const Ask& ask) {
        for (const known_path& k : known) {
            if (is_same(k.block, block)) return k.path;
        }
        const result<std::uint64_t> path = ask();
        if (path) known.push_back({block, *path});
        return path;
    }

    Ways& ways_;
    list<known_path> known_paths_, known_wholes_, known_edges_;
    list<known_place> known_places_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
