// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_STREAM_LEVELS_HPP
#define WARPGAUGE_PTX_TRACE_STREAM_LEVELS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/access_level.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sm/cache_replay.hpp>

/// \file The level of each access of a traced stream, from a replay of the requests of its launch.

namespace WARPGAUGE_NAMESPACE::ptx {

/// For each entry of the stream of `t`, the levels of its instruction in a replay of `recorded_requests`, whose `sources`
/// were those of the replay. An instruction that made none of the requests has their mean. All entries of one instruction,
/// such as those of rounds that were written out, have the same levels.
/// \errors missing  `stream`: it is longer than the trace was allowed to write; `requests`: the replay has seen none
template <class Used = core::when_used>
[[nodiscard]] result<std::vector<access_level>> stream_levels(const traced_kernel& t,
                                                              const replayed_sources& r) {
    if (t.stream.empty()) return model_error{errc::missing, "stream"};
    source_sectors sum;
    for (const source_sectors& s : r.of_sources) {
        sum.requested += s.requested;
        sum.beyond_l1 += s.beyond_l1;
        sum.from_dram += s.from_dram;
    }
    if (sum.requested == 0) return model_error{errc::missing, "requests"};
    core::late<Used, std::vector<access_level>> levels(t.stream.size());
    for (std::size_t at = 0; at < levels.size(); ++at) {
        if (!is_memory(t.stream[at])) continue;
        const std::uint32_t source = t.stream_sources[at];
        const bool seen = source < r.of_sources.size() && r.of_sources[source].requested > 0;
        levels[at] = level_of(seen ? r.of_sources[source] : sum);
    }
    return levels;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
