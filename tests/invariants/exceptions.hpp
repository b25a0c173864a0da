// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_INVARIANTS_EXCEPTIONS_HPP
#define WARPGAUGE_TESTS_INVARIANTS_EXCEPTIONS_HPP

#include <cstdint>
#include <string_view>

#include "check.hpp"

// What default forms break, and why they have to.

namespace invariants {

struct permitted_exception {
    std::string_view model{};
    invariant what{};
    double max_factor{};   ///< more is a failure
    std::uint64_t seed{};  ///< a case that breaks it: `invariants worst` finds others
    std::string_view reason{};
};

inline constexpr std::string_view departures_of_barriers =
    "(26) counts a departure less than MWP has, as the paper's numbers do: shorter departures make "
    "a barrier longer";
inline constexpr std::string_view fitted_cpd =
    "CPD is a fit to the warps and to the fraction of computation, which one instruction changes";
inline constexpr std::string_view whole_last_cycle =
    "a request that takes longer than the latency counts its last cycle as a whole; less latency, "
    "more such requests";
inline constexpr std::string_view idle_parts_of_a_cycle =
    "a port with more bytes or lanes can leave more of a cycle unused when accesses of several "
    "sizes follow one another, "
    "and a bound has to count that";
inline constexpr std::string_view lanes_of_sub_cores =
    "lanes that the sub-cores can divide are theirs, a part each, and fewer are the SM's: one warp "
    "has less "
    "of 4 than of 2";
inline constexpr std::string_view anomalies =
    "schedulers are greedy: what ends earlier can let a warp go first that makes others wait "
    "(Graham 1966)";

inline constexpr permitted_exception exceptions[]{
    {"MWP/CWP", invariant::lower_latency, 1.05, 12841, departures_of_barriers},
    {"MWP/CWP, whole rounds", invariant::lower_latency, 1.05, 12841, departures_of_barriers},
    {"MPD/CPD", invariant::fewer_instructions, 4, 247102, fitted_cpd},
    {"MPD/CPD", invariant::fewer_blocks, 1.5, 9905, fitted_cpd},
    {"makespan", invariant::faster_clock, 1.05, 436, whole_last_cycle},
    {"makespan", invariant::lower_latency, 1.05, 19834, whole_last_cycle},
    {"makespan", invariant::more_bandwidth, 1.2, 19058, idle_parts_of_a_cycle},
    {"makespan", invariant::more_issue_slots, 4, 11390, lanes_of_sub_cores},
    {"makespan", invariant::fewer_transactions, 1.1, 514244, idle_parts_of_a_cycle},
    {"hybrid", invariant::more_bandwidth, 2, 1615, anomalies},
    {"hybrid", invariant::faster_clock, 2, 325, anomalies},
    {"hybrid", invariant::lower_latency, 2, 17218, anomalies},
    {"hybrid", invariant::more_issue_slots, 4, 1293, anomalies},
    {"hybrid", invariant::fewer_instructions, 2, 15001, anomalies},
    {"hybrid", invariant::fewer_transactions, 2, 10256, anomalies},
    {"hybrid", invariant::fewer_blocks, 1.5, 1058, anomalies},
    {"roofline", invariant::latency_floor, 1e7, 16279,
     "roofs are what a GPU can do with any number of warps; latency is no roof"},
};

inline const permitted_exception* exception_of(const subject& s, invariant i) {
    for (const permitted_exception& e : exceptions) {
        if (e.model == s.name && e.what == i) return &e;
    }
    return nullptr;
}

}  // namespace invariants

#endif
