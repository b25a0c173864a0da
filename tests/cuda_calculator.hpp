// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_CUDA_CALCULATOR_HPP
#define WARPGAUGE_TESTS_CUDA_CALCULATOR_HPP

#include <cuda_occupancy.h>

#include <warpgauge/device/sm_limits.hpp>

// The vendor's occupancy calculator, set up for an SM with our limits.
class cuda_calculator {
public:
    explicit cuda_calculator(const warpgauge::sm_limits& l) {
        device_.computeMajor = l.capability.major;
        device_.computeMinor = l.capability.minor;
        device_.maxThreadsPerBlock = static_cast<int>(l.max_threads_per_block);
        device_.maxThreadsPerMultiprocessor = static_cast<int>(l.max_warps_per_sm * l.warp_size);
        device_.regsPerBlock = static_cast<int>(l.max_registers_per_block);
        device_.regsPerMultiprocessor = static_cast<int>(l.registers_per_sm);
        device_.warpSize = static_cast<int>(l.warp_size);
        device_.sharedMemPerBlock = static_cast<std::size_t>(l.max_shared_bytes_per_block);
        device_.sharedMemPerMultiprocessor = static_cast<std::size_t>(l.shared_bytes_per_sm);
        device_.numSms = 1;
        device_.sharedMemPerBlockOptin = static_cast<std::size_t>(l.max_shared_bytes_per_block);
        device_.reservedSharedMemPerBlock =
            static_cast<std::size_t>(l.reserved_shared_bytes_per_block);
        kernel_.maxThreadsPerBlock = device_.maxThreadsPerBlock;
        kernel_.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel_.maxDynamicSharedSizeBytes = device_.sharedMemPerBlockOptin;
    }

    // Resident blocks; -1 if the calculator refuses.
    int blocks(int threads, int registers, int shared) {
        kernel_.numRegs = registers;
        cudaOccResult out;
        const cudaOccError failed = cudaOccMaxActiveBlocksPerMultiprocessor(
            &out, &device_, &kernel_, &state_, threads, static_cast<std::size_t>(shared));
        return failed == CUDA_OCC_SUCCESS ? out.activeBlocksPerMultiprocessor : -1;
    }

private:
    cudaOccDeviceProp device_;
    cudaOccFuncAttributes kernel_;
    cudaOccDeviceState state_;
};

#endif
