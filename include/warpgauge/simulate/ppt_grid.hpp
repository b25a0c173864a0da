// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_GRID_HPP
#define WARPGAUGE_SIMULATE_PPT_GRID_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file The distribution of a grid's workloads over the SMs in the authors' program.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// The end of a grid of `workloads`: each goes to the SM that is free first and takes it `mean_s`;
/// if the last round does not fill all SMs, one more entry of `last_s` decides.
template <class = core::when_used>
double ppt_grid_end(std::vector<double>& sm_free_s, std::uint64_t workloads, double mean_s,
                    double last_s) {
    const std::uint64_t sms = sm_free_s.size();
    const auto settle = [&](std::size_t at) {  // moves the entry to where it belongs, from below
        const double value = sm_free_s[at];
        for (; at + 1 < sms && sm_free_s[at + 1] <= value; ++at) sm_free_s[at] = sm_free_s[at + 1];
        sm_free_s[at] = value;
    };
    for (std::size_t at = sms - 1; at-- > 0;) settle(at);
    double last = 0;
    const auto append = [&](double seconds) {
        last = sm_free_s.front() + seconds;
        sm_free_s.front() = last;
        settle(0);
    };
    for (std::uint64_t left = workloads; left > 0;) {
        // The first few that are within one workload of each other take turns, until they reach the
        // next.
        std::size_t turns = 1;
        while (turns < sms && sm_free_s[turns] - sm_free_s[0] <= mean_s) ++turns;
        std::uint64_t rounds = left / turns;
        if (turns < sms) {
            const double until_next = (sm_free_s[turns] - sm_free_s[turns - 1]) / mean_s;
            if (until_next < 1e18)
                rounds = core::min(rounds, static_cast<std::uint64_t>(until_next));
        }
        if (rounds == 0) {
            append(mean_s);
            --left;
            continue;
        }
        for (std::size_t i = 0; i < turns; ++i) {
            sm_free_s[i] += static_cast<double>(rounds) * mean_s;
        }
        last = sm_free_s[turns - 1];
        left -= rounds * turns;
    }
    if (workloads % sms != 0) append(last_s);
    return last;
}

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
