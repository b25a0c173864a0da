// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the C interface explains by the saturation model has the bits that the templates give, on every GPU.
#include <cstdio>
#include <optional>
#include <random>
#include <string_view>
#include <type_traits>

#include <warpgauge/c.h>
#include <warpgauge/analyse/explain.hpp>
#include <warpgauge/by_name/find_device.hpp>
#include <warpgauge/by_name/predict.hpp>
#include <warpgauge/kernel/parameters.hpp>

namespace {

using namespace warpgauge;

template <class Model>
inline constexpr bool is_saturation = false;
template <class D>
inline constexpr bool is_saturation<saturation_model<D>> = true;

bool same_text(const char* said, const std::optional<bottleneck>& is) {
    return (said != nullptr) == is.has_value() && (!is || said == name(*is));
}

bool same(const warpgauge_explanation& said, const explanation& is) {
    bool all = said.seconds == is.seconds && said.removal_count == is.removals.size() &&
               same_text(said.limiting, is.limiting) && same_text(said.next, is.next) &&
               said.next_after_factor == is.next_after_factor.value_or(0);
    for (std::size_t n = 0; all && n < is.removals.size(); ++n) {
        const warpgauge_removal& one = said.removals[n];
        const removal& other = is.removals[n];
        all = one.bottleneck == name(other.what) && one.seconds == other.seconds &&
              one.benefit_seconds == other.benefit_seconds &&
              one.code == static_cast<int32_t>(other.error.code);
    }
    return all;
}

/// Explains through both; false if they differ.
bool agree(const char* device_name, const kernel_profile<>& k, int& explained) {
    const auto device = find_device(device_name);
    result<explanation> is = model_error{errc::missing, "model"};
    const auto bad = visit_model("saturation", *device, [&](const auto& m) -> model_error {
        if constexpr (is_saturation<std::remove_cvref_t<decltype(m)>>) is = explain(m, k);
        return {};
    });
    if (bad) is = bad;  // nothing was visited

    warpgauge_device* d = nullptr;
    warpgauge_profile* p = nullptr;
    warpgauge_explanation said;
    if (warpgauge_device_open(device_name, &d, nullptr) != 0) return false;
    if (warpgauge_profile_open(nullptr, &p, nullptr) != 0) return false;
    kernel_profile<> all = k;
    for_each_possible_parameter(all, [&](std::string_view name, double value) {
        (void)warpgauge_profile_set(p, name.data(), value, nullptr);
    });
    const int code = warpgauge_explain(d, "saturation", p, &said, nullptr);
    warpgauge_profile_close(p);
    warpgauge_device_close(d);
    if (!is) return code == static_cast<int>(is.error().code);
    ++explained;
    return code == WARPGAUGE_OK && same(said, *is);
}

}  // namespace

int main() {
    std::mt19937 random(1);
    const auto up_to = [&](unsigned n) { return static_cast<double>(random() % n); };
    int explained = 0;
    int differ = 0;
    for (int n = 0; n < 50; ++n) {
        kernel_profile<> k{.blocks = 1 + up_to(5000)};
        k.threads_per_block = 32 + 32 * up_to(16);
        k.registers_per_thread = 16 + up_to(64);
        k.shared_bytes_per_block = up_to(20000);
        k.comp_insts = up_to(3000);
        k.coalesced_mem_insts = 1 + up_to(20);
        k.uncoalesced_mem_insts = up_to(3);
        k.sync_insts = up_to(3);
        k.branches = up_to(5);
        k.shared_passes = up_to(9);
        k.waits.dram_waits = up_to(6);
        k.waits.l2_waits = up_to(3);
        k.waits.l1_waits = up_to(3);
        k.waits.arithmetic_wait_cycles = up_to(500);
        for (std::size_t d = 0; const char* name = warpgauge_name_at(WARPGAUGE_DEVICES, d); ++d) {
            if (agree(name, k, explained)) continue;
            std::printf("%s, profile %d: not the same\n", name, n);
            ++differ;
        }
    }
    std::printf("%d explanations, %d differ\n", explained, differ);
    return explained > 500 && differ == 0 ? 0 : 1;
}
