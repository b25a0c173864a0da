// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_WITHOUT_BARRIERS_HPP
#define WARPGAUGE_ANALYSE_WITHOUT_BARRIERS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

/// \file An instruction stream without its barriers: `without_barriers`.

namespace WARPGAUGE_NAMESPACE {

/// A checked stream without its barriers. Each entry keeps the entries that it needs, at new distances.
template <class = core::when_used>
[[nodiscard]] std::vector<instruction> without_barriers(std::span<const instruction> stream) {
    const auto body_end = [&](std::size_t at) { return at + 1 + stream[at].loop_length; };
    const std::size_t size = stream.size();
    std::vector<bool> kept(size);
    for (std::size_t at = size; at-- > 0;) {
        kept[at] = stream[at].unit != unit_kind::barrier;
        if (stream[at].unit != unit_kind::loop) continue;
        kept[at] = false;  // drop a loop of nothing but barriers
        for (std::size_t in = at + 1; in < body_end(at); ++in) kept[at] = kept[at] || kept[in];
    }
    std::vector<std::size_t> place(size + 1);  // of each entry among those kept
    for (std::size_t at = 0; at < size; ++at) place[at + 1] = place[at] + (kept[at] ? 1 : 0);

    std::vector<instruction> rest;
    rest.reserve(place[size]);
    for (std::size_t at = 0; at < size; ++at) {
        if (!kept[at]) continue;
        instruction i = stream[at];
        if (i.unit == unit_kind::loop) {
            i.loop_length = static_cast<std::uint32_t>(place[body_end(at)] - place[at + 1]);
        }
        for (std::int32_t& need : i.needs) {
            if (need == 0 || need == own_result) continue;
            const auto other = static_cast<std::size_t>(needed_entry(at, need));
            const auto distance =
                static_cast<std::int64_t>(place[at]) - static_cast<std::int64_t>(place[other]);
            need = kept[other] ? static_cast<std::int32_t>(distance) : 0;
        }
        rest.push_back(i);
    }
    return rest;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
