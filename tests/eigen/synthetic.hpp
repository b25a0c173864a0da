// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_EIGEN_SYNTHETIC_HPP
#define WARPGAUGE_TESTS_EIGEN_SYNTHETIC_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/eigen/calibration.hpp>
#include <warpgauge/warpgauge.hpp>

// Launches whose "measured" times come from a model, so that the right answer of a fit is known.

namespace synthetic {

using namespace warpgauge;

inline const devices::geforce_gtx_280 gtx_280;
inline const devices::geforce_gtx_260 gtx_260;

// The same numbers on every machine (Knuth's MMIX generator).
struct generator {
    std::uint64_t state;

    double uniform() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (static_cast<double>(state >> 11) + 0.5) * 0x1p-53;
    }
    double between(double low, double high) { return low * std::pow(high / low, uniform()); }
    double normal() {  // Box & Muller 1958
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(6.283185307179586 * uniform());
    }
};

inline constexpr std::array<std::string_view, 5> kernels{"saxpy", "stencil", "matmul", "sort",
                                                         "scan"};

// Launches from bound by computation to bound by memory, coalesced and not.
inline std::vector<measurement> launches(std::size_t count) {
    generator random{42};
    std::vector<measurement> all(count);
    for (std::size_t n = 0; n < count; ++n) {
        all[n].profile = {.blocks = std::floor(random.between(1000, 100'000)),
                          .threads_per_block = 32 * std::floor(random.between(1, 16)),
                          .active_blocks_per_sm = std::floor(random.between(1, 8)),
                          .comp_insts = random.between(1, 3000),
                          .coalesced_mem_insts = random.between(0.5, 50),
                          .uncoalesced_mem_insts = random.between(0.5, 50),
                          .transactions_per_uncoalesced = random.between(2, 32)};
        all[n].kernel = kernels[n % kernels.size()];
    }
    return all;
}

// Sets the measured times to what `model` predicts, times a scale and noise.
template <class Model>
void measure(const Model& model, std::vector<measurement>& all, double scale = 1, double noise = 0,
             std::uint64_t seed = 1) {
    generator random{seed};
    for (measurement& m : all) {
        const auto e = model.predict(m.profile);
        REQUIRE(e);
        m.seconds = e->seconds * scale * std::exp(noise * random.normal());
    }
}

inline const fitted_parameter& parameter(const calibration_report& c, std::string_view name) {
    const auto at = std::find_if(c.parameters.begin(), c.parameters.end(),
                                 [&](const fitted_parameter& p) { return p.name == name; });
    REQUIRE(at != c.parameters.end());
    return *at;
}

inline double off(double a, double b) {
    return std::fabs(std::log(a / b));
}

inline constexpr std::array<fit_parameter, 4> timing{{{"issue_cycles", 0.5, 50},
                                                      {"dram_latency_cycles", 50, 5000},
                                                      {"coalesced_departure_cycles", 0.5, 50},
                                                      {"uncoalesced_departure_cycles", 2, 400}}};

inline auto true_gtx_280() {
    auto truth = edit(gtx_280);
    truth.issue_cycles = 6;
    truth.dram_latency_cycles = 300;
    truth.coalesced_departure_cycles = 9;
    truth.uncoalesced_departure_cycles = 25;
    return truth;
}

// What a `function_model` of the tests predicts: a time.
template <class Real>
struct timed {
    Real cycles{};
    Real seconds{};
};

template <class Real>
result<timed<Real>> takes(const Real& seconds) {
    return timed<Real>{seconds, seconds};
}

}  // namespace synthetic

#endif
