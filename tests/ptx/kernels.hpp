// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of examples/kernels, and a launch of each as one would use it.
#ifndef WARPGAUGE_TESTS_PTX_KERNELS_HPP
#define WARPGAUGE_TESTS_PTX_KERNELS_HPP

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <warpgauge/ptx/trace/trace.hpp>

struct kernel_launch {
    const char* file;
    const char* kernel;
    warpgauge::ptx::launch launch;
    std::vector<warpgauge::ptx::argument> arguments;
};

inline std::string kernel_text(const std::string& file, const std::string& target = "sm_75") {
    std::ifstream in(std::string(KERNELS) + "/" + file + "." + target + ".ptx");
    return {std::istreambuf_iterator<char>(in), {}};
}

inline const std::vector<kernel_launch>& kernel_launches() {
    static const std::vector<kernel_launch> all{
        {"saxpy", "saxpy", {{300}, {256}}, {70'000}},
        {"transpose", "transpose_naive", {{16, 16}, {32, 32}}, {512}},
        {"transpose", "transpose_shared", {{16, 16}, {32, 32}}, {512}},
        {"transpose", "transpose_padded", {{16, 16}, {32, 32}}, {512}},
        {"matmul", "matmul_naive", {{8, 8}, {16, 16}}, {128}},
        {"matmul", "matmul_tiled", {{8, 8}, {16, 16}}, {128}},
        {"reduction", "reduction", {{150}, {256}}, {70'000}},
        {"pathfinder", "pathfinder", {{47}, {256}}, {10'000, 20}},
        {"hotspot", "hotspot", {{19, 19}, {16, 16}}, {256}},
        {"poisson", "poisson", {{16, 16}, {16, 16}}, {250}},
        {"life", "life", {{6, 6, 6}, {8, 8, 8}}, {32}},
        {"jacobi", "jacobi_naive", {{1, 62, 62}, {64}}, {64}},
        {"jacobi", "jacobi_shared", {{2, 16}, {32, 4}}, {64}},
        {"black_scholes", "black_scholes", {{120}, {256}}, {30'000}},
        {"sepia", "sepia", {{120}, {256}}, {30'000}},
        {"linear_filter", "linear_filter", {{16, 16}, {16, 16}}, {256, 256}},
        {"svm", "svm", {{20}, {256}}, {5'000, 30}},
        {"spmv", "spmv", {{20}, {256}}, {5'000}},
        {"histogram", "histogram", {{30}, {256}}, {100'000}}};
    return all;
}

#endif
