// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_PTX_LOOP_NESTS_HPP
#define WARPGAUGE_TESTS_PTX_LOOP_NESTS_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

// The kernels of loop_nests.cu, under the names that measurements of the PolyBench suite have for them.

namespace loop_nests {

struct kernel {
    std::string_view app, measured_as, name;
    bool plane;            // a thread for each element of a matrix, not of a vector
    int pointers, floats;  // its parameters in this order, then the integers
    int integers;          // n; the elements of a row, n + 1: the first row and column are unused
};

inline constexpr kernel kernels[] = {
    {"GEMM", "gemm_kernel", "product", true, 3, 2, 1},
    {"2MM", "mm2_kernel1", "plain_product", true, 3, 0, 1},
    {"2MM", "mm2_kernel2", "plain_product", true, 3, 0, 1},
    {"SYR2K", "syr2k_kernel", "rank_update", true, 3, 2, 1},
    {"ATAX", "atax_kernel1", "rows_times", false, 3, 0, 1},
    {"ATAX", "atax_kernel2", "columns_times", false, 3, 0, 1},
    {"GESUMMV", "gesummv_kernel", "two_rows_times", false, 5, 2, 1},
    {"2DCONV", "Convolution2D_kernel", "plane_filter", true, 2, 0, 1},
    {"CORR", "mean_kernel", "column_means", false, 2, 1, 2},
    {"CORR", "std_kernel", "column_deviations", false, 3, 1, 2},
    {"CORR", "reduce_kernel", "normalise", true, 3, 1, 2},
    {"CORR", "corr_kernel", "correlate", false, 2, 0, 2},
};

/// What `two_rows_times` computes where both of its vectors are the same, with one wait a round instead of two: so the addresses
/// that come with the measurements count it.
inline constexpr kernel two_rows_at_once{
    "GESUMMV", "gesummv_kernel", "two_rows_at_once", false, 6, 2, 1};

/// Null for a kernel that loop_nests.cu does not have.
inline const kernel* find(std::string_view app, std::string_view measured_as) {
    for (const kernel& k : kernels) {
        if (k.app == app && k.measured_as == measured_as) return &k;
    }
    return nullptr;
}

/// A launch of bx x by threads a block over matrices of n x n.
inline warpgauge::ptx::launch launch_of(const kernel& k, std::uint32_t n, std::uint32_t bx,
                                        std::uint32_t by) {
    return {{(n + bx - 1) / bx, k.plane ? (n + by - 1) / by : 1}, {bx, by}};
}

/// The launch that measurements list as bx x by. For `normalise` their program takes `by` as the width of a block and leaves the
/// height at 8: its launches have so many threads, and a profiler counted the transactions of this shape.
inline warpgauge::ptx::launch measured_launch_of(const kernel& k, std::uint32_t n, std::uint32_t bx,
                                                 std::uint32_t by) {
    return k.name == "normalise" ? launch_of(k, n, by, 8) : launch_of(k, n, bx, by);
}

/// Pointers and floats, whose values do not matter, then the integers.
inline std::vector<warpgauge::ptx::argument> arguments_of(const kernel& k, std::uint32_t n) {
    std::vector<warpgauge::ptx::argument> all(static_cast<std::size_t>(k.pointers + k.floats));
    for (int i = 0; i < k.integers; ++i) all.emplace_back(n + static_cast<std::uint32_t>(i));
    return all;
}

inline warpgauge::result<warpgauge::ptx::traced_kernel> trace(
    const warpgauge::ptx::module& m, const kernel& k, const warpgauge::ptx::launch& l,
    std::uint32_t n, warpgauge::ptx::sampling blocks = warpgauge::ptx::sampling::representative) {
    const auto found = warpgauge::ptx::find_kernel(m, k.name);
    if (!found) return found.error();
    return warpgauge::ptx::trace(*found, l, arguments_of(k, n),
                                 {.blocks = blocks, .max_steps = 10'000'000'000});
}

}  // namespace loop_nests

#endif
