// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_ALL_HPP
#define WARPGAUGE_DEVICES_ALL_HPP

#include <string_view>

#include <warpgauge/core/name_characters.hpp>
#include <warpgauge/devices/a100_pcie_40gb.hpp>
#include <warpgauge/devices/a100_pcie_80gb.hpp>
#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/devices/a100_sxm4_80gb.hpp>
#include <warpgauge/devices/a40.hpp>
#include <warpgauge/devices/b200.hpp>
#include <warpgauge/devices/geforce_8800_gt.hpp>
#include <warpgauge/devices/geforce_8800_gtx.hpp>
#include <warpgauge/devices/geforce_gtx_1080_ti.hpp>
#include <warpgauge/devices/geforce_gtx_260.hpp>
#include <warpgauge/devices/geforce_gtx_280.hpp>
#include <warpgauge/devices/geforce_rtx_2070_super.hpp>
#include <warpgauge/devices/geforce_rtx_2080_ti.hpp>
#include <warpgauge/devices/geforce_rtx_3090.hpp>
#include <warpgauge/devices/geforce_rtx_4090.hpp>
#include <warpgauge/devices/geforce_rtx_5080.hpp>
#include <warpgauge/devices/geforce_rtx_5090.hpp>
#include <warpgauge/devices/h100_pcie.hpp>
#include <warpgauge/devices/h100_sxm5.hpp>
#include <warpgauge/devices/h200.hpp>
#include <warpgauge/devices/instinct_mi100.hpp>
#include <warpgauge/devices/instinct_mi210.hpp>
#include <warpgauge/devices/instinct_mi250x.hpp>
#include <warpgauge/devices/instinct_mi300x.hpp>
#include <warpgauge/devices/jetson_agx_orin_64gb.hpp>
#include <warpgauge/devices/l4.hpp>
#include <warpgauge/devices/l40.hpp>
#include <warpgauge/devices/l40s.hpp>
#include <warpgauge/devices/pascal_projection.hpp>
#include <warpgauge/devices/quadro_fx5600.hpp>
#include <warpgauge/devices/quadro_k6000.hpp>
#include <warpgauge/devices/radeon_rx_6900_xt.hpp>
#include <warpgauge/devices/radeon_rx_7900_xtx.hpp>
#include <warpgauge/devices/rtx_a4000.hpp>
#include <warpgauge/devices/rtx_a6000.hpp>
#include <warpgauge/devices/tesla_k40.hpp>
#include <warpgauge/devices/tesla_m2090.hpp>
#include <warpgauge/devices/tesla_p100_pcie_16gb.hpp>
#include <warpgauge/devices/tesla_p4.hpp>
#include <warpgauge/devices/tesla_t4.hpp>
#include <warpgauge/devices/tesla_v100_pcie.hpp>
#include <warpgauge/devices/tesla_v100_sxm2.hpp>

/// \file Every device, and how to find one by name.

namespace WARPGAUGE_NAMESPACE::devices {

/// Calls `visit(device)` for every known device, oldest first.
template <class Visitor>
constexpr void for_each(Visitor&& visit) {
    visit(geforce_8800_gtx{});
    visit(quadro_fx5600{});
    visit(geforce_8800_gt{});
    visit(geforce_gtx_280{});
    visit(geforce_gtx_260{});
    visit(tesla_m2090{});
    visit(tesla_k40{});
    visit(quadro_k6000{});
    visit(pascal_projection{});
    visit(tesla_p100_pcie_16gb{});
    visit(tesla_p4{});
    visit(geforce_gtx_1080_ti{});
    visit(tesla_v100_sxm2{});
    visit(tesla_v100_pcie{});
    visit(tesla_t4{});
    visit(geforce_rtx_2080_ti{});
    visit(geforce_rtx_2070_super{});
    visit(a100_sxm4_40gb{});
    visit(a100_pcie_40gb{});
    visit(geforce_rtx_3090{});
    visit(rtx_a6000{});
    visit(a40{});
    visit(a100_sxm4_80gb{});
    visit(instinct_mi100{});
    visit(radeon_rx_6900_xt{});
    visit(rtx_a4000{});
    visit(a100_pcie_80gb{});
    visit(instinct_mi250x{});
    visit(instinct_mi210{});
    visit(jetson_agx_orin_64gb{});
    visit(h100_sxm5{});
    visit(h100_pcie{});
    visit(geforce_rtx_4090{});
    visit(l40{});
    visit(radeon_rx_7900_xtx{});
    visit(l4{});
    visit(l40s{});
    visit(h200{});
    visit(instinct_mi300x{});
    visit(b200{});
    visit(geforce_rtx_5080{});
    visit(geforce_rtx_5090{});
}

/// True if the names differ in case and in spaces, `_`, `-` and `,` alone: "GeForce GTX 280" and
/// "geforce_gtx_280" are the same.
[[nodiscard]] constexpr bool same_name(std::string_view a, std::string_view b) noexcept {
    while (true) {
        while (!a.empty() && core::is_separator(a.front())) a.remove_prefix(1);
        while (!b.empty() && core::is_separator(b.front())) b.remove_prefix(1);
        if (a.empty() || b.empty()) return a.empty() && b.empty();
        if (core::lower(a.front()) != core::lower(b.front())) return false;
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
}

/// True if a device has that name, or an alias of that name: what CUDA reports, or a short form such as "a100".
template <class Device>
[[nodiscard]] constexpr bool is_called(const Device& device, std::string_view name) noexcept {
    bool called = same_name(name, device.name);
    if constexpr (requires { device.aliases; }) {
        for (const std::string_view alias : device.aliases) {
            called = called || same_name(name, alias);
        }
    }
    return called;
}

/// Calls `visit(device)` for the device of that name or alias, if there is one. False if there is none.
template <class Visitor>
constexpr bool visit(std::string_view name, Visitor&& visit) {
    bool found = false;
    for_each([&](const auto& device) {
        if (!found && is_called(device, name)) {
            found = true;
            visit(device);
        }
    });
    return found;
}

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
