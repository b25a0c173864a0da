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

inline constexpr permitted_exception exceptions[]{
    {"roofline", invariant::latency_floor, 1e9, 348002,
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
