// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICE_SM_LIMITS_HPP
#define WARPGAUGE_DEVICE_SM_LIMITS_HPP

#include <warpgauge/core/result.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/device/parameters.hpp>

/// \file The limits of one SM, for every compute capability from 1.0 to 12.1.
///
/// Sources:
/// - [guide]  NVIDIA, CUDA C++ Programming Guide, tables of features and technical specifications
///            per compute capability: 4.2 app. F for 1.x, 2.x, 10.2 app. H for 3.x to 7.x, 13.0
///            for 7.5 and later.
/// - [occ7]   NVIDIA, `cuda_occupancy.h` of CUDA 7.0: allocation units of 1.x and 2.x.
/// - [occ13]  NVIDIA, `cuda_occupancy.h` of CUDA 13.0: blocks and allocation units from 3.0 on.
/// - [cccl]   NVIDIA, CUDA Core Compute Libraries, `cuda/__device/arch_traits.h`: 6.0 on.
///
/// Where they disagree: registers per thread are at most 124 (1.x), 63 (2.x, 3.0) and 255 in [guide]; [occ13] lets
/// 3.0 have 255 and 7.0 and later 256, which no compiler emits. The limits below follow [occ13] from 3.0 on, so that
/// they agree with the vendor's calculator. For 12.0 NVIDIA's Blackwell Tuning Guide has 32 blocks and 128 KiB of
/// shared memory an SM; [guide] and [occ13] have 24 and 100, and an RTX 5090 reports the 100.

namespace WARPGAUGE_NAMESPACE {

/// Limits of one SM. Satisfies `occupancy_device`, so it serves as a runtime device of its own.
struct sm_limits : parameters::architecture<>, parameters::warp<>, parameters::residency<> {
    friend constexpr bool operator==(const sm_limits& a, const sm_limits& b) {
        return parameters::architecture<>::same(a, b) && parameters::warp<>::same(a, b) &&
               parameters::residency<>::same(a, b);
    }
};

namespace detail::device::limits_table {

constexpr double KiB = 1024;

// One line a row: capability; threads a block; warps, blocks an SM; registers an SM, block, thread;
// unit, partitions; shared memory an SM, block; unit; reserved.
consteval sm_limits row(compute_capability cc, register_rule rule, double threads, double warps,
                        double blocks, double regs_sm, double regs_block, double regs_thread,
                        double reg_unit, double partitions, double shared_sm, double shared_block,
                        double shared_unit, double reserved) {
    // GP100 has two partitions, and takes only what runs on the rest of Pascal, with four [occ13].
    const double check = cc.major == 6 && cc.minor == 0 ? 4 : partitions;
    sm_limits l;
    l.capability = cc;
    l.registers_go = rule;
    l.warp_size = 32;
    l.max_threads_per_block = threads;
    l.max_warps_per_sm = warps;
    l.max_blocks_per_sm = blocks;
    l.registers_per_sm = regs_sm * KiB;
    l.max_registers_per_block = regs_block * KiB;
    l.max_registers_per_thread = regs_thread;
    l.register_unit = reg_unit;
    l.register_partitions = partitions;
    l.register_check_partitions = check;
    l.shared_bytes_per_sm = shared_sm * KiB;
    l.max_shared_bytes_per_block = shared_block * KiB;
    l.shared_unit_bytes = shared_unit;
    l.reserved_shared_bytes_per_block = reserved * KiB;
    return l;
}

// clang-format off
inline constexpr register_rule block = register_rule::per_block;
inline constexpr register_rule fermi = register_rule::per_warp_fermi;
inline constexpr register_rule warp = register_rule::per_warp;

// A new row goes to the list in `sm_limits_of` too.
inline constexpr sm_limits rows[] = {
    //                     SM       registers, Ki              shared, KiB
    //          threads warps blocks SM block thread unit parts SM block unit reserved
    row({1, 0},  block,  512, 24,  8,   8,  8, 124, 256, 1,  16,  16, 512, 0),  // [guide] [occ7]
    row({1, 1},  block,  512, 24,  8,   8,  8, 124, 256, 1,  16,  16, 512, 0),
    row({1, 2},  block,  512, 32,  8,  16, 16, 124, 512, 1,  16,  16, 512, 0),
    row({1, 3},  block,  512, 32,  8,  16, 16, 124, 512, 1,  16,  16, 512, 0),
    row({2, 0},  fermi, 1024, 48,  8,  32, 32,  63,  64, 2,  48,  48, 128, 0),
    row({2, 1},  fermi, 1024, 48,  8,  32, 32,  63,  64, 2,  48,  48, 128, 0),
    row({3, 0},  warp,  1024, 64, 16,  64, 64, 255, 256, 4,  48,  48, 256, 0),  // [guide] [occ13]
    row({3, 2},  warp,  1024, 64, 16,  64, 32, 255, 256, 4,  48,  48, 256, 0),
    row({3, 5},  warp,  1024, 64, 16,  64, 64, 255, 256, 4,  48,  48, 256, 0),
    row({3, 7},  warp,  1024, 64, 16, 128, 64, 255, 256, 4, 112,  48, 256, 0),
    row({5, 0},  warp,  1024, 64, 32,  64, 64, 255, 256, 4,  64,  48, 256, 0),
    row({5, 2},  warp,  1024, 64, 32,  64, 64, 255, 256, 4,  96,  48, 256, 0),
    row({5, 3},  warp,  1024, 64, 32,  64, 32, 255, 256, 4,  64,  48, 256, 0),
    row({6, 0},  warp,  1024, 64, 32,  64, 64, 255, 256, 2,  64,  48, 256, 0),
    row({6, 1},  warp,  1024, 64, 32,  64, 64, 255, 256, 4,  96,  48, 256, 0),
    row({6, 2},  warp,  1024, 64, 32,  64, 32, 255, 256, 4,  64,  48, 256, 0),
    row({7, 0},  warp,  1024, 64, 32,  64, 64, 256, 256, 4,  96,  96, 256, 0),
    row({7, 2},  warp,  1024, 64, 32,  64, 64, 256, 256, 4,  96,  96, 256, 0),
    row({7, 5},  warp,  1024, 32, 16,  64, 64, 256, 256, 4,  64,  64, 256, 0),
    row({8, 0},  warp,  1024, 64, 32,  64, 64, 256, 256, 4, 164, 163, 128, 1),  // and [cccl]
    row({8, 6},  warp,  1024, 48, 16,  64, 64, 256, 256, 4, 100,  99, 128, 1),
    row({8, 7},  warp,  1024, 48, 16,  64, 64, 256, 256, 4, 164, 163, 128, 1),
    row({8, 8},  warp,  1024, 48, 16,  64, 64, 256, 256, 4, 100,  99, 128, 1),  // [cccl]: as 8.6
    row({8, 9},  warp,  1024, 48, 24,  64, 64, 256, 256, 4, 100,  99, 128, 1),
    row({9, 0},  warp,  1024, 64, 32,  64, 64, 256, 256, 4, 228, 227, 128, 1),
    row({10, 0}, warp,  1024, 64, 32,  64, 64, 256, 256, 4, 228, 227, 128, 1),
    row({10, 1}, warp,  1024, 48, 24,  64, 64, 256, 256, 4, 228, 227, 128, 1),  // now 11.0
    row({10, 3}, warp,  1024, 64, 32,  64, 64, 256, 256, 4, 228, 227, 128, 1),
    row({11, 0}, warp,  1024, 48, 24,  64, 64, 256, 256, 4, 228, 227, 128, 1),
    row({12, 0}, warp,  1024, 48, 24,  64, 64, 256, 256, 4, 100,  99, 128, 1),
    row({12, 1}, warp,  1024, 48, 24,  64, 64, 256, 256, 4, 100,  99, 128, 1),
};
// clang-format on

}  // namespace detail::device::limits_table

/// Every known row, in order of capability.
inline constexpr const auto& known_sm_limits = detail::device::limits_table::rows;

/// The limits of one SM of the given compute capability.
/// \errors unknown_compute_capability  it is not in `known_sm_limits`
[[nodiscard]] constexpr result<sm_limits> limits_of(compute_capability cc) noexcept {
    for (const sm_limits& limits : known_sm_limits) {
        if (limits.capability == cc) return limits;
    }
    return model_error{errc::unknown_compute_capability, "capability"};
}

namespace detail::device {
template <int Major, int Minor>
struct limits_source {
    static constexpr bool known = limits_of({Major, Minor}).has_value();
    static constexpr sm_limits values = known ? *limits_of({Major, Minor}) : sm_limits{};
};
}  // namespace detail::device

/// The same limits as static members: a base for device traits. For an unknown compute capability it does not compile,
/// and lists those that are known.
template <int Major, int Minor>
struct sm_limits_of : constants::architecture<detail::device::limits_source<Major, Minor>>,
                      constants::warp<detail::device::limits_source<Major, Minor>>,
                      constants::residency<detail::device::limits_source<Major, Minor>> {
    static_assert(detail::device::limits_source<Major, Minor>::known,
                  "no limits are known for this compute capability. Known are 1.0 to 1.3, 2.0, "
                  "2.1, 3.0, 3.2, 3.5, 3.7, 5.0, 5.2, 5.3, 6.0 to 6.2, 7.0, 7.2, 7.5, 8.0, "
                  "8.6 to 8.9, 9.0, 10.0, 10.1, 10.3, 11.0, 12.0 and 12.1 (known_sm_limits)");
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
