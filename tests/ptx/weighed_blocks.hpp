// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the blocks of a sample stand for.
#ifndef WARPGAUGE_TESTS_PTX_WEIGHED_BLOCKS_HPP
#define WARPGAUGE_TESTS_PTX_WEIGHED_BLOCKS_HPP

#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/block_sample.hpp>

namespace weighed_blocks {

namespace trace = warpgauge::ptx::detail::trace;

inline double sum(const std::vector<trace::sampled_index>& along) {
    double total = 0;
    for (const trace::sampled_index& s : along) total += s.weight;
    return total;
}

// A sum over all blocks, and over a sample of them by weight.
template <class Value>
double weighed(const trace::block_sample& sample, Value value) {
    double total = 0;
    REQUIRE_FALSE(for_each_block(sample, [&](const trace::block_index& block, double weight) {
        total += weight * value(block);
        return warpgauge::model_error{};
    }));
    return total;
}

}  // namespace weighed_blocks

#endif
