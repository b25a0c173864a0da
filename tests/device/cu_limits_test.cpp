// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/device/cu_limits.hpp>
#include <warpgauge/device/device.hpp>

namespace cu_limits_test {

using namespace warpgauge;

TEST_CASE("register files of compute units are as large as AMD says") {
    // AMD ROCm documentation, accelerator specifications: 512 KiB (MI200, MI300), 128 and 192 KiB a SIMD of RDNA 2 and
    // 3; MI100: 512 KiB with the accumulation registers, which are half of it.
    const auto bytes = [](amd_processor p, int wave) {
        return 4 * limits_of(p, wave)->registers_per_sm;
    };
    CHECK(bytes(amd_processor::gfx908, 64) == 262144);
    CHECK(bytes(amd_processor::gfx90a, 64) == 524288);
    CHECK(bytes(amd_processor::gfx942, 64) == 524288);
    for (const int wave : {32, 64}) {
        CHECK(bytes(amd_processor::gfx1030, wave) == 2 * 131072);
        CHECK(bytes(amd_processor::gfx1100, wave) == 2 * 196608);
    }
}

TEST_CASE("waves are 64 lanes on CDNA, 32 or 64 on RDNA") {
    CHECK(limits_of(amd_processor::gfx1030, 32)->warp_size == 32);
    CHECK(limits_of(amd_processor::gfx1100, 64)->warp_size == 64);
    CHECK(limits_of(amd_processor::gfx908, 32).error() ==
          model_error{errc::outside_domain, "warp_size"});
    CHECK(limits_of(amd_processor::gfx1100, 16).error() ==
          model_error{errc::outside_domain, "warp_size"});
    CHECK(limits_of(static_cast<amd_processor>(99), 64).error() ==
          model_error{errc::unknown_name, "processor"});
}

TEST_CASE("limits are a device of their own, known at compile time or at run time") {
    using mi200 = cu_limits_of<amd_processor::gfx90a, 64>;
    static_assert(occupancy_device<cu_limits> && occupancy_device<mi200>);
    static_assert(mi200::max_warps_per_sm == 32 && mi200::register_unit == 512);
    static_assert(mi200::registers_go == register_rule::per_wave);
}

}  // namespace cu_limits_test
