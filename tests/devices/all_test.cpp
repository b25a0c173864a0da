// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/warpgauge.hpp>

using namespace warpgauge;

TEST_CASE("devices are found by name, however it is written") {
    for (const std::string_view name :
         {"GeForce GTX 280", "geforce_gtx_280", "GEFORCE-GTX-280", " geforcegtx280 "}) {
        double sms = 0;
        CHECK(devices::visit(name, [&](const auto& d) { sms = d.sm_count; }));
        CHECK(sms == 30);
    }
    for (const std::string_view name : {"", "GTX 280", "GeForce GTX 28", "GeForce GTX 2800"}) {
        CHECK_FALSE(devices::visit(name, [](const auto&) { FAIL("found"); }));
    }
}

TEST_CASE("all devices have distinct names and positive figures") {
    int count = 0;
    devices::for_each([&](const auto& d) {
        ++count;
        CAPTURE(d.name);
        static_assert(has_chip<std::remove_cvref_t<decltype(d)>>);
        CHECK(d.sm_count > 0);
        CHECK(d.clock_hz > 1e8);
        CHECK(d.dram_bytes_per_s > 1e10);
        int same = 0;
        devices::for_each(
            [&](const auto& other) { same += devices::same_name(d.name, other.name); });
        CHECK(same == 1);
    });
    CHECK(count == 14);
}

TEST_CASE("figures agree with the tables they come from") {
    using namespace devices;
    // Hong & Kim 2009, tbl. 3: cores and SMs of the chip; tbl. 6.
    static_assert(geforce_8800_gtx::sm_count * geforce_8800_gtx::cuda_cores == 128);
    static_assert(quadro_fx5600::sm_count * quadro_fx5600::cuda_cores == 128);
    static_assert(geforce_8800_gt::sm_count * geforce_8800_gt::cuda_cores == 112);
    static_assert(geforce_gtx_280::sm_count * geforce_gtx_280::cuda_cores == 240);
    static_assert(geforce_gtx_280::uncoalesced_departure_cycles == 40);
    static_assert(geforce_8800_gt::dram_latency_cycles == 420);
    // Cheng & Suda 2011, tbl. 2.
    static_assert(geforce_gtx_260::sm_count * geforce_gtx_260::cuda_cores == 192);
    // Chapuis et al. 2016, tbl. 1, "Max blocks" and "Max threads" per SMX.
    static_assert(tesla_m2090::max_blocks_per_sm == 8 &&
                  tesla_m2090::max_warps_per_sm * 32 == 1536);
    static_assert(tesla_k40::max_blocks_per_sm == 16 && tesla_k40::max_warps_per_sm * 32 == 2048);
    static_assert(quadro_k6000::clock_hz == 901.5e6 && quadro_k6000::issues_per_scheduler == 2);
    static_assert(pascal_projection::cuda_cores == 256);
    // Where the projection's own program has limits of an SM, compute capability 6.0 has the same.
    static_assert(
        pascal_projection::max_blocks_per_sm == pascal_projection::ppt.max_blocks_per_sm &&
        pascal_projection::max_warps_per_sm * 32 == pascal_projection::ppt.max_threads_per_sm &&
        pascal_projection::registers_per_sm == pascal_projection::ppt.registers_per_sm);
    // The paper's table 1 and the authors' program, where they agree.
    static_assert(tesla_m2090::ppt.sm_count == tesla_m2090::sm_count &&
                  tesla_m2090::ppt.clock_hz == tesla_m2090::clock_hz);
    static_assert(tesla_k40::ppt.double_precision_units == tesla_k40::double_precision_units &&
                  tesla_k40::ppt.issues_per_warp == tesla_k40::issues_per_scheduler);
    // NVIDIA's white papers: peak rates in single precision, 15.7, 19.5 and 66.9 TFLOP/s.
    constexpr auto tflops = []<class D>(D) {
        return D::sm_count * D::cuda_cores * 2 * D::clock_hz / 1e12;
    };
    CHECK(tflops(tesla_v100{}) == doctest::Approx(15.7).epsilon(0.005));
    CHECK(tflops(a100_sxm4_40gb{}) == doctest::Approx(19.5).epsilon(0.005));
    CHECK(tflops(h100_sxm5{}) == doctest::Approx(66.9).epsilon(0.005));
}
