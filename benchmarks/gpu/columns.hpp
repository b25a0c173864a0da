// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_COLUMNS_HPP
#define WARPGAUGE_BENCHMARKS_GPU_COLUMNS_HPP

#include <array>
#include <string_view>

// The columns of the measurements, as docs/measuring.md explains them.
namespace columns {

enum column {
    gpu,
    compute_capability,
    driver,
    runtime,
    date,
    experiment,
    name,
    size,
    grid_x,
    grid_y,
    grid_z,
    block_x,
    block_y,
    block_z,
    shared_bytes,
    registers,
    unit,
    median,
    first_quartile,
    third_quartile,
    lowest,
    highest,
    repeats,
    sm_clock_hz,
    clock_drift,
    bytes,
    warp_instructions,
    count
};

inline constexpr std::array<std::string_view, count> names{"gpu",
                                                           "compute_capability",
                                                           "driver",
                                                           "runtime",
                                                           "date",
                                                           "experiment",
                                                           "name",
                                                           "size",
                                                           "grid_x",
                                                           "grid_y",
                                                           "grid_z",
                                                           "block_x",
                                                           "block_y",
                                                           "block_z",
                                                           "shared_bytes",
                                                           "registers",
                                                           "unit",
                                                           "median",
                                                           "first_quartile",
                                                           "third_quartile",
                                                           "lowest",
                                                           "highest",
                                                           "repeats",
                                                           "sm_clock_hz",
                                                           "clock_drift",
                                                           "bytes",
                                                           "warp_instructions"};

}  // namespace columns

#endif
