// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often the 90% interval of a predicted time, with the saturation model's own error as a factor, holds the measured
// one: for each kind of kernel, over public measurements.
//
//     intervals DIR
//
// DIR is as for `accuracy`.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/analyse/error_factor.hpp>
#include <warpgauge/core/quantile.hpp>
#include <warpgauge/models/saturation.hpp>

#include "measured_kernels.hpp"

namespace wg = warpgauge;

namespace {

/// Measured over predicted time of one launch.
struct ratio {
    std::string_view gpu;
    double value;
};

struct held_launches {
    std::size_t held{}, all{};
    void add(bool holds) {
        held += holds ? 1 : 0;
        ++all;
    }
    [[nodiscard]] double percent() const {
        return 100 * static_cast<double>(held) / static_cast<double>(all);
    }
};

/// The factor whose 5% and 95% quantiles are those of the launches for which `use(launch)`.
template <class Use>
wg::error_factor factor_of(const std::vector<ratio>& launches, const Use& use) {
    std::vector<double> logs;
    for (const ratio& r : launches) {
        if (use(r)) logs.push_back(std::log(r.value));
    }
    std::sort(logs.begin(), logs.end());
    const double low = wg::core::quantile(logs, 0.05);
    const double high = wg::core::quantile(logs, 0.95);
    const double deviation = (high - low) / (2 * wg::core::normal_quantile(0.95));
    return {std::exp((low + high) / 2), std::expm1(deviation)};
}

/// Launches within the interval of the GPUs other than their own.
held_launches held_elsewhere(const std::vector<ratio>& launches) {
    std::vector<std::string_view> gpus;
    for (const ratio& r : launches) {
        if (std::find(gpus.begin(), gpus.end(), r.gpu) == gpus.end()) gpus.push_back(r.gpu);
    }
    held_launches h;
    for (const std::string_view gpu : gpus) {
        if (gpus.size() < 2) break;
        const auto e = factor_of(launches, [&](const ratio& r) { return r.gpu != gpu; });
        for (const ratio& r : launches) {
            if (r.gpu == gpu) h.add(e.quantile(0.05) <= r.value && r.value <= e.quantile(0.95));
        }
    }
    return h;
}

void print_row(wg::kernel_kind kind, const measured_kernels& all) {
    std::vector<ratio> launches;
    held_launches held;
    // region: interval
    const wg::error_factor error = wg::saturation_error(kind);
    for (const measured_kernel& k : all) {
        if (k.kind != name(kind)) continue;
        const auto e = wg::saturation_model{k.gpu}.predict(k.profile);
        if (!e) throw std::runtime_error(k.group + ": " + message(e.error()).c_str());
        held.add(e->seconds * error.quantile(0.05) <= k.seconds &&
                 k.seconds <= e->seconds * error.quantile(0.95));
        // endregion
        launches.push_back({k.gpu.name, k.seconds / e->seconds});
    }
    if (launches.empty()) throw std::runtime_error(std::string(name(kind)) + ": no launch");
    const auto fitted = factor_of(launches, [](const ratio&) { return true; });
    const auto elsewhere = held_elsewhere(launches);
    std::printf("%-32s %6zu   %6.3f %6.4f     %5.1f", std::string(name(kind)).c_str(),
                launches.size(), fitted.centre, fitted.spread, held.percent());
    if (elsewhere.all > 0) {
        std::printf("       %5.1f\n", elsewhere.percent());
    } else {
        std::puts("           -");
    }
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::cerr << "usage: intervals DIR\n";
        return 2;
    }
    const measured_kernels all = read_measured_kernels(argv[1]);
    std::puts(
        "                                          measured / predicted   90% interval holds, %");
    std::puts("kind                           launches   centre spread    library   other GPUs");
    for (std::size_t n = 0; n < wg::kernel_kinds; ++n) {
        print_row(static_cast<wg::kernel_kind>(n), all);
    }
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
