// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the parameters of a GPU from measured times: here of one that is made up, so that the answer is known.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

#include <warpgauge/eigen/calibrate.hpp>
#include <warpgauge/warpgauge.hpp>

#include "calibration_tables.hpp"
#include "merge_benchmarks.hpp"

namespace {

// The kernels of Hong & Kim in several sizes, "measured" on a GTX 280 whose instructions take 6 cycles (not
// 4) and whose uncoalesced transactions depart every 30 (not 40), with a tenth of noise.
std::vector<warpgauge::measurement> measured_times() {
    auto gpu = warpgauge::edit(warpgauge::devices::geforce_gtx_280{});
    gpu.issue_cycles = 6;
    gpu.uncoalesced_departure_cycles = 30;
    std::vector<warpgauge::measurement> all;
    std::uint64_t random = 1;
    for (auto kernel : merge_benchmarks) {
        kernel.transactions_per_uncoalesced = 4;
        for (const double more : {1, 2, 4, 8}) {
            auto k = kernel;
            k.blocks *= more;
            random = random * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
            const double noise = 0.2 * (static_cast<double>(random >> 11) * 0x1p-53 - 0.5);
            const auto e = warpgauge::mwp_cwp_model{gpu}.predict(k);
            if (e) all.push_back({k, e->seconds * std::exp(noise), k.name});
        }
    }
    return all;
}

}  // namespace

int main() {
    const auto measured = measured_times();
    // region: calibrate
    const std::vector<warpgauge::fit_parameter> wanted{{"issue_cycles", 0.5, 50},
                                                       {"uncoalesced_departure_cycles", 2, 400}};
    const warpgauge::mwp_cwp_model model{warpgauge::devices::geforce_gtx_280{}};
    const auto c = warpgauge::calibrate(model, measured, wanted, {.fit_scale = false});
    // endregion
    auto more = wanted;
    more.push_back({"dram_latency_cycles", 50, 5000});
    more.push_back({"dram_bytes_per_s", 1e9, 1e13});
    const auto with_scale = warpgauge::calibrate(model, measured, more);
    for (const auto* r : {&c, &with_scale}) {
        if (!*r) {
            std::cerr << message(r->error()).view() << '\n';
            return 1;
        }
    }
    print_parameters(std::cout, *c);
    std::cout << '\n';
    print_errors(std::cout, *c);
    std::cout << "\nWith latency, bandwidth and a scale:\n\n";
    print_parameters(std::cout, *with_scale);
}
