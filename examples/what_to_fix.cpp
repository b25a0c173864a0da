// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What would make a kernel faster? The example prints by how many percent its time changes when a parameter of the
// GPU or of the kernel grows by one percent.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>
#include <warpgauge/what_if.hpp>

#include "merge_benchmarks.hpp"

namespace {

namespace report = warpgauge::report;
using warpgauge::sensitivity;

std::string percent(double x) {
    return (x > 0 ? "+" : "") + report::fixed(x, 3);
}

// The parameters that matter, the strongest first.
void explain(const warpgauge::kernel_profile<>& kernel) {
    // region: sensitivities
    const warpgauge::mwp_cwp_model model{warpgauge::devices::geforce_gtx_280{}};
    const auto all = warpgauge::sensitivities(model, kernel);
    // endregion
    if (!all) {
        std::cerr << message(all.error()).view() << '\n';
        return;
    }
    std::vector<sensitivity> shown;
    for (const sensitivity& s : *all) {
        if (std::fabs(s.elasticity) >= 5e-4 || s.kink()) shown.push_back(s);
    }
    std::sort(shown.begin(), shown.end(), [](const sensitivity& a, const sensitivity& b) {
        const double strength_a = std::fabs(a.elasticity);
        const double strength_b = std::fabs(b.elasticity);
        return strength_a != strength_b ? strength_a > strength_b : a.parameter < b.parameter;
    });
    report::table t({"parameter", "of the", "value", "time, % for 1%", ""});
    for (const sensitivity& s : shown) {
        const std::string note = s.step ? "a step"
                                 : s.kink()
                                     ? percent(s.below) + " below, " + percent(s.above) + " above"
                                     : std::string();
        t.add({s.parameter, s.of_device ? "GPU" : "kernel",
               report::fixed(s.value, s.value < 100 ? 2 : 0), percent(s.elasticity), note});
    }
    std::cout << kernel.name << " on a GTX 280\n\n" << t << '\n';
}

}  // namespace

int main() {
    for (auto kernel : merge_benchmarks) {
        if (kernel.name != "SVM" && kernel.name != "Mat. (naive)") continue;
        kernel.transactions_per_uncoalesced = 4;  // on that GPU, as in what_if
        explain(kernel);
    }
}
