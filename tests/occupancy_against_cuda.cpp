// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares `occupancy` with the calculator of the CUDA toolkit on every compute capability that it
// knows (3.0 and later): all numbers of warps and of registers, with shared memory from none to the
// most, and threads that do not fill their warps.
#include <cstdio>

#include <warpgauge/sm/occupancy.hpp>

#include "cuda_calculator.hpp"

int main() {
    long compared = 0;
    long different = 0;
    long refused = 0;
    int capabilities = 0;
    for (const warpgauge::sm_limits& limits : warpgauge::known_sm_limits) {
        if (limits.capability < warpgauge::compute_capability{3, 0}) continue;
        ++capabilities;
        cuda_calculator cuda(limits);
        const int most_shared = static_cast<int>(limits.max_shared_bytes_per_block);
        for (int threads = 1; threads <= 1056; threads += threads % 32 == 0 ? 1 : 31) {
            for (int registers = 0; registers <= 260; ++registers) {
                for (int i = 0; i < 5; ++i) {
                    // None, one byte more than the most, and three that differ from launch to launch.
                    const int shared = i == 0 ? 0
                                       : i == 1
                                           ? most_shared + 1
                                           : (threads * 7919 + registers * 104729 + i * 15485863) %
                                                 (most_shared / (i - 1) + 1);
                    const warpgauge::kernel_profile<> k{
                        .threads_per_block = static_cast<double>(threads),
                        .registers_per_thread = static_cast<double>(registers),
                        .shared_bytes_per_block = static_cast<double>(shared)};
                    const auto o = warpgauge::occupancy(k, limits);
                    const int ours = o ? static_cast<int>(o->active_blocks_per_sm) : 0;
                    const int theirs = cuda.blocks(threads, registers, shared);
                    ++compared;
                    refused += theirs < 0;
                    if (ours != theirs && ++different <= 20) {
                        std::printf(
                            "%d.%d: %d threads, %d registers, %d B: %d blocks, CUDA says %d\n",
                            limits.capability.major, limits.capability.minor, threads, registers,
                            shared, ours, theirs);
                    }
                }
            }
        }
    }
    std::printf("%ld configurations on %d compute capabilities, %ld differences\n", compared,
                capabilities, different);
    return compared >= 1'000'000 && different == 0 && refused == 0 ? 0 : 1;
}
