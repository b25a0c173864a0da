// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICE_CU_LIMITS_HPP
#define WARPGAUGE_DEVICE_CU_LIMITS_HPP

#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/device/parameters.hpp>

/// \file The limits of one compute unit of an AMD GPU, in the terms of an SM: a wave is a warp, a work-group is a
/// block, LDS is shared memory, and a SIMD with its registers is a part of the register file.
///
/// Sources:
/// - [llvm]  LLVM, `AMDGPUBaseInfo.cpp`: waves and registers of a SIMD, granule of registers, work-groups of a compute
///           unit (16 barriers, which groups of one wave do without), LDS.
/// - [mesa]  Mesa, `ac_gpu_info.c`: granule of LDS, SIMDs of a compute unit.
/// - [rocm]  AMD ROCm documentation, accelerator specifications: register files and LDS of a compute unit.
///
/// Only vector registers count, since a profile has no scalar ones. CDNA has 800 of these a SIMD in units of 16, so
/// that more than 96 (MI100: 80) in a wave reduce the number of waves. The accumulation registers of an MI100 are a
/// separate file of the same size; from CDNA 2 on they are among the 512. On RDNA two compute units may join to run
/// larger work-groups; here each works alone.

namespace WARPGAUGE_NAMESPACE {

/// An AMD processor, as compilers name it.
enum class amd_processor : std::uint8_t {
    gfx908,   ///< CDNA
    gfx90a,   ///< CDNA 2
    gfx942,   ///< CDNA 3
    gfx1030,  ///< RDNA 2
    gfx1100,  ///< RDNA 3
};

/// Limits of one compute unit. Satisfies `occupancy_device`, so it serves as a runtime device of its own.
struct cu_limits : parameters::warp<>, parameters::residency<> {};

namespace detail::device {

// Registers are those of one lane, as compilers count them.
constexpr cu_limits cu_row(double wave_size, double simds, double waves_per_simd,
                           double registers_per_simd, double granule, double max_registers,
                           double lds_unit_bytes) {
    cu_limits l;
    l.registers_go = register_rule::per_wave;
    l.warp_size = wave_size;
    l.max_threads_per_block = 1024;
    l.max_warps_per_sm = simds * waves_per_simd;
    l.max_blocks_per_sm = 16;
    l.registers_per_sm = simds * registers_per_simd * wave_size;
    l.max_registers_per_block = l.registers_per_sm;
    l.max_registers_per_thread = max_registers;
    l.register_unit = granule * wave_size;
    l.register_partitions = simds;
    l.register_check_partitions = simds;
    l.shared_bytes_per_sm = 65536;
    l.max_shared_bytes_per_block = 65536;
    l.shared_unit_bytes = lds_unit_bytes;
    l.reserved_shared_bytes_per_block = 0;
    return l;
}

}  // namespace detail::device

/// The limits of one compute unit, in waves of 64 or, on RDNA, 32 lanes.
/// \errors outside_domain  `warp_size`: the processor has no such waves
///         unknown_name    `processor`: not an enumerator
[[nodiscard]] constexpr result<cu_limits> limits_of(amd_processor processor, int wave_size) {
    using detail::device::cu_row;
    const bool cdna = processor <= amd_processor::gfx942;
    if (wave_size != 64 && (cdna || wave_size != 32)) {
        return model_error{errc::outside_domain, "warp_size"};
    }
    // A SIMD's registers and their granule in waves of 64 are half of those in waves of 32.
    const double of_32 = wave_size == 32 ? 2 : 1;
    switch (processor) {  // [llvm] [mesa] [rocm]
        case amd_processor::gfx908: return cu_row(64, 4, 10, 256, 4, 256, 512);
        case amd_processor::gfx90a:
        case amd_processor::gfx942: return cu_row(64, 4, 8, 512, 8, 512, 512);
        case amd_processor::gfx1030:
            return cu_row(wave_size, 2, 16, 512 * of_32, 8 * of_32, 256, 1024);
        case amd_processor::gfx1100:
            return cu_row(wave_size, 2, 16, 768 * of_32, 12 * of_32, 256, 1024);
    }
    return model_error{errc::unknown_name, "processor"};
}

namespace detail::device {
template <amd_processor Processor, int WaveSize>
struct cu_source {
    static constexpr cu_limits values = *limits_of(Processor, WaveSize);
};
}  // namespace detail::device

/// The same limits as static members: a base for device traits. It does not compile for waves that the processor lacks.
template <amd_processor Processor, int WaveSize>
struct cu_limits_of : constants::warp<detail::device::cu_source<Processor, WaveSize>>,
                      constants::residency<detail::device::cu_source<Processor, WaveSize>> {};

}  // namespace WARPGAUGE_NAMESPACE

#endif
