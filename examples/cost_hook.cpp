// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiler asks inside a pass: the cost of a kernel on the GPU that it compiles for, by that GPU's name.
#include <iostream>
#include <limits>

// region: cost_hook
#include <warpgauge/by_name.hpp>

double cost(std::string_view gpu, const warpgauge::kernel_profile<>& kernel) {
    const auto device = warpgauge::find_device(gpu);
    if (!device) return std::numeric_limits<double>::infinity();
    const auto p = warpgauge::predict("roofline", *device, kernel);
    return p ? p->seconds : std::numeric_limits<double>::infinity();
}
// endregion

int main() {
    const warpgauge::kernel_profile<> kernel{
        .blocks = 4096, .threads_per_block = 256, .comp_insts = 10, .coalesced_mem_insts = 3};
    for (const char* gpu : {"NVIDIA H100 80GB HBM3", "Tesla V100-SXM2-16GB", "voodoo"}) {
        std::cout << gpu << ": " << 1e6 * cost(gpu, kernel) << " us\n";
    }
}
