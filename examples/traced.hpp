// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_TRACED_HPP
#define WARPGAUGE_EXAMPLES_TRACED_HPP

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/text/resources.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

// Launches of the kernels in examples/kernels, followed through their PTX.

struct kernel_launch {
    std::string_view title;
    const char* file;
    std::string_view kernel;
    warpgauge::ptx::launch launch;
    std::vector<warpgauge::ptx::argument> arguments;
};

inline std::string read_whole(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// What a launch does, with the text that its names stand in.
struct traced_launch {
    std::shared_ptr<const std::string> text;
    warpgauge::ptx::traced_kernel kernel;
    warpgauge::ptx::kernel_resources compiled;

    warpgauge::kernel_profile<> profile() const { return kernel.profile(compiled); }
};

// Follows the middle block, as good as any where blocks do alike; the footprint takes `representative` ones.
inline warpgauge::result<traced_launch> follow(
    const kernel_launch& k,
    warpgauge::ptx::sampling blocks = warpgauge::ptx::sampling::middle_block) {
    namespace ptx = warpgauge::ptx;
    const std::string path = std::string(KERNELS "/") + k.file + ".sm_75.ptx";
    const auto text = std::make_shared<const std::string>(read_whole(path));
    const auto parsed = ptx::parse(*text);
    if (!parsed) return parsed.error();
    const auto kernel = ptx::find_kernel(*parsed, k.kernel);
    if (!kernel) return kernel.error();
    const auto compiled = ptx::read_resources(read_whole(path + "as"), k.kernel);
    if (!compiled) return compiled.error();
    const auto traced = ptx::trace(*kernel, k.launch, k.arguments, {.blocks = blocks});
    if (!traced) return traced.error();
    return traced_launch{text, *traced, *compiled};
}

// Follows all; says on `std::cerr` which one cannot be followed.
inline std::optional<std::vector<traced_launch>> follow_all(
    const std::vector<kernel_launch>& launches,
    warpgauge::ptx::sampling blocks = warpgauge::ptx::sampling::middle_block) {
    std::vector<traced_launch> traced;
    for (const kernel_launch& k : launches) {
        auto t = follow(k, blocks);
        if (!t) {
            std::cerr << k.title << ": " << message(t.error()).view() << '\n';
            return {};
        }
        traced.push_back(*std::move(t));
    }
    return traced;
}

#endif
