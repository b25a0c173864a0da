// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_ASSUMPTIONS_HPP
#define WARPGAUGE_REPORT_ASSUMPTIONS_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <warpgauge/device/parameters.hpp>
#include <warpgauge/kernel/assumptions.hpp>

/// \file The assumptions of an estimate, as text.

namespace WARPGAUGE_NAMESPACE::report {

/// The assumptions in words: "every memory instruction waits for DRAM; no cache saves DRAM a byte". Empty if there
/// are none.
[[nodiscard]] inline std::string in_words(const assumptions<>& set) {
    std::string text;
    for_each_assumption(set, [&](assumption a) {
        if (!text.empty()) text += "; ";
        text += name(a);
    });
    return text;
}

/// The groups of a device that have one of the parameters: "departures, issue".
[[nodiscard]] inline std::string groups_in_words(const parameter_set& parameters) {
    std::string text;
    std::string_view last;
    for (std::size_t n = 0; n < device_parameter_count; ++n) {
        const std::string_view group = device_parameters[n].group;
        if (!parameters.contains(static_cast<device_parameter>(n)) || group == last) continue;
        if (!text.empty()) text += ", ";
        text += group;
        last = group;
    }
    return text;
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
