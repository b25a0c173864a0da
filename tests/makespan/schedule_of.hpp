// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_MAKESPAN_SCHEDULE_OF_HPP
#define WARPGAUGE_TESTS_MAKESPAN_SCHEDULE_OF_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/makespan/schedule.hpp>

/// Rows of one character a cycle, a row a warp; '.' waits.
inline warpgauge::makespan_schedule schedule_of(std::vector<std::string_view> rows) {
    warpgauge::makespan_schedule s;
    for (const std::string_view row : rows) {
        std::size_t executed = 0;
        for (std::size_t cycle = 0; cycle < row.size(); ++cycle) {
            if (row[cycle] == '.') continue;
            s.cycles.push_back(static_cast<std::uint32_t>(cycle + 1));
            ++executed;
        }
        s.instructions = executed;
    }
    return s;
}

#endif
