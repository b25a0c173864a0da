// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_CPD_FIT_HPP
#define WARPGAUGE_BENCHMARKS_GPU_CPD_FIT_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <warpgauge/devices/geforce_gtx_260.hpp>
#include <warpgauge/models/mpd_cpd.hpp>

// The constants a to d of CPD (Cheng & Suda 2011, (3) to (5)), from how the time of an SM grows with its
// warps. They do not print how they found theirs; this is the fit of the model to the measured degrees.

// So many warps, each with so much computation and memory when alone, took so many times as long as one
// that `degree` of them ran at a time: warps * time of one / time of all.
struct cpd_sample {
    double warps{}, comp_cycles{}, mem_cycles{};
    double degree{};
};

using cpd_constants = std::array<double, 4>;  // a, b, c, d

// CPD by the model, at least 1; 0 where it has no answer.
inline double modelled_degree(const cpd_constants& k, const cpd_sample& s, double most_warps) {
    auto gpu = warpgauge::edit(warpgauge::devices::geforce_gtx_260{});  // its limits do not matter
    gpu.sm_count = 1;
    gpu.max_warps_per_sm = most_warps;
    gpu.max_blocks_per_sm = most_warps;
    gpu.cpd_a = k[0];
    gpu.cpd_b = k[1];
    gpu.cpd_c = k[2];
    gpu.cpd_d = k[3];
    gpu.costs = {.load_store_cycles = s.mem_cycles, .other_cycles = s.comp_cycles};
    const std::array<warpgauge::instruction, 2> round{
        {{.unit = warpgauge::unit_kind::global_memory},
         {.unit = warpgauge::unit_kind::single_precision}}};
    const warpgauge::kernel_profile<> kernel{.blocks = s.warps,
                                             .threads_per_block = 32,
                                             .active_blocks_per_sm = s.warps,
                                             .instructions = round};
    const auto e = warpgauge::mpd_cpd_model{gpu}.cpd(kernel);
    return e ? e->cpd : 0;
}

// Mean square of the logarithm of modelled over measured.
inline double cpd_misfit(const cpd_constants& k, const std::vector<cpd_sample>& samples,
                         double most_warps) {
    double sum = 0;
    for (const cpd_sample& s : samples) {
        const double degree = modelled_degree(k, s, most_warps);
        if (!(degree > 0)) return HUGE_VAL;
        sum += std::pow(std::log(degree / s.degree), 2);
    }
    return sum / static_cast<double>(samples.size());
}

// The constants with the least misfit that a search finds: from the paper's and other shares c, along one
// constant at a time (R. Hooke, T. A. Jeeves, "Direct Search Solution", JACM 8, 1961, without its pattern
// moves), in factors, so that all stay above zero.
inline cpd_constants fit_cpd(const std::vector<cpd_sample>& samples, double most_warps) {
    cpd_constants best{};
    double least = HUGE_VAL;
    for (const double c : {0.5, 0.1, 0.3, 0.7, 0.9}) {
        cpd_constants k{3, 11, c, 80};
        double misfit = cpd_misfit(k, samples, most_warps);
        double factor = 2;
        for (int pass = 0; pass < 1000 && factor > 1.00001; ++pass) {
            bool better = false;
            for (std::size_t i = 0; i < k.size(); ++i) {
                for (const double f : {factor, 1 / factor}) {
                    cpd_constants tried = k;
                    tried[i] *= f;
                    if (tried[2] >= 1) continue;  // a share
                    const double m = cpd_misfit(tried, samples, most_warps);
                    if (m >= misfit) continue;
                    k = tried;
                    misfit = m;
                    better = true;
                }
            }
            if (!better) factor = std::sqrt(factor);
        }
        if (misfit >= least) continue;
        least = misfit;
        best = k;
    }
    return best;
}

#endif
