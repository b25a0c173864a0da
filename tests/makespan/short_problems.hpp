// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_MAKESPAN_SHORT_PROBLEMS_HPP
#define WARPGAUGE_TESTS_MAKESPAN_SHORT_PROBLEMS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <warpgauge/makespan/problem.hpp>

/// 1 or 2 slots of L and of C, for `which` from 0 to 3.
inline std::array<warpgauge::unit_slots, 2> one_or_two_slots(int which) {
    return {{{'L', 1.0 + (which & 1)}, {'C', 1.0 + (which >> 1)}}};
}

/// Calls `visit(string, which)` for all strings of L and C up to `longest`, each with all slots.
template <class Visitor>
void for_each_short_string(std::size_t longest, Visitor visit) {
    for (std::size_t length = 1; length <= longest; ++length) {
        for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << length); ++bits) {
            std::string s(length, 'L');
            for (std::size_t i = 0; i < length; ++i) {
                if ((bits >> i & 1) != 0) s[i] = 'C';
            }
            for (int which = 0; which < 4; ++which) visit(s, which);
        }
    }
}

#endif
