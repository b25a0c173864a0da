// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_CHAIN_HPP
#define WARPGAUGE_BENCHMARKS_GPU_CHAIN_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <warpgauge/core/random.hpp>

// Circles in random order, for loads whose latency nothing hides.

// Apart: more than any cache line, and than what DRAM fetches beside what is asked for.
inline constexpr std::size_t node_bytes = 256;
// Of the pages that large allocations get: one translation of an address serves all of it.
inline constexpr std::size_t page_bytes = std::size_t{2} << 20;

// So much that hardly any of it is in the L2 cache, whole powers of two.
inline std::size_t dram_footprint(std::size_t l2_bytes) {
    return std::bit_ceil(std::max(8 * l2_bytes, std::size_t{256} << 20));
}

// Shuffles (R. Durstenfeld, "Algorithm 235: Random Permutation", CACM 7, 1964).
template <class Iterator>
void shuffle(Iterator first, std::size_t count, std::uint64_t stream) {
    constexpr std::uint64_t seed = 1;
    for (std::size_t i = count; i > 1; --i) {
        const auto j =
            warpgauge::core::uniform_below(static_cast<std::uint32_t>(i), seed, i, stream);
        std::swap(first[static_cast<std::ptrdiff_t>(i - 1)], first[static_cast<std::ptrdiff_t>(j)]);
    }
}

// Each node's successor in one circle through all of them: window by window in random order, and in
// random order within each. One window gives a random cyclic permutation, as Sattolo's algorithm does.
// `window` divides `nodes`.
inline std::vector<std::uint32_t> make_chain(std::size_t nodes, std::size_t window) {
    std::vector<std::uint32_t> windows(nodes / window);
    std::iota(windows.begin(), windows.end(), 0U);
    shuffle(windows.begin(), windows.size(), 0);
    std::vector<std::uint32_t> order;
    order.reserve(nodes);
    for (const std::uint32_t w : windows) {
        for (std::size_t i = 0; i < window; ++i) {
            order.push_back(static_cast<std::uint32_t>(w * window + i));
        }
        shuffle(order.end() - static_cast<std::ptrdiff_t>(window), window, 1 + std::uint64_t{w});
    }
    std::vector<std::uint32_t> next(nodes);
    for (std::size_t i = 0; i < nodes; ++i) next[order[i]] = order[(i + 1) % nodes];
    return next;
}

#endif
