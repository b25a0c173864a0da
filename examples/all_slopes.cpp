// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All slopes of a predicted time at once: what does a product on an A100 gain from 1% more of each parameter of the GPU
// and of the kernel?
#include <algorithm>
#include <cmath>
#include <iostream>
#include <string_view>
#include <vector>

#include <warpgauge/analyse/saturation_slopes.hpp>
#include <warpgauge/devices/a100_pcie_40gb.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/profiles/tiled_product.hpp>
#include <warpgauge/report/table.hpp>

namespace {

namespace wg = warpgauge;
namespace report = warpgauge::report;

struct row {
    std::string_view parameter;
    std::string_view of;
    double percent;  // of the time, for 1% of the parameter
};

}  // namespace

int main() {
    auto gpu = wg::edit(wg::devices::a100_pcie_40gb{});
    auto kernel = wg::profiles::tiled_product({.rows = 4096,
                                               .columns = 4096,
                                               .depth = 4096,
                                               .tile_rows = 128,
                                               .tile_columns = 128,
                                               .threads_per_block = 256},
                                              gpu);
    // region: slopes
    auto t = wg::predict_with_slopes(wg::saturation_model{gpu}, kernel);
    if (!t) return 1;
    const double for_a_megahertz = 1e6 * t->by_device.sustained_clock_hz;  // s
    const double for_a_multiply_add = 32 * t->by_profile.ops.fp32_ops;     // s, one in every warp
    // endregion

    std::vector<row> rows;
    const auto add = [&](std::string_view name, std::string_view of, double value, double slope) {
        const double percent = value * slope / t->seconds;
        if (std::fabs(percent) >= 5e-4) rows.push_back({name, of, percent});
    };
    wg::for_each_parameter(t->by_device, [&](wg::device_parameter p, double slope) {
        const std::string_view name = info(p).name;
        add(name, "GPU", *wg::find_parameter(gpu, name), slope);
    });
    wg::for_each_possible_parameter(t->by_profile, [&](std::string_view name, double slope) {
        const double* value = wg::find_parameter(kernel, name);
        if (value != nullptr) add(name, "kernel", *value, slope);
    });
    std::stable_sort(rows.begin(), rows.end(), [](const row& a, const row& b) {
        return std::fabs(a.percent) > std::fabs(b.percent);
    });
    report::table table({"parameter", "of the", "time, % for 1%"});
    for (const row& r : rows) table.add({r.parameter, r.of, report::fixed(r.percent, 3)});
    std::cout << "A product of 4096 x 4096 x 4096 on an A100: "
              << report::fixed(1e3 * t->seconds, 2)
              << " ms\nfor a MHz more: " << report::fixed(1e9 * for_a_megahertz, 0)
              << " ns\nfor a multiply-add more in every warp: "
              << report::fixed(1e9 * for_a_multiply_add, 0) << " ns\n\n"
              << table;
}
