// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_TRACE_OPTIONS_HPP
#define WARPGAUGE_PTX_TRACE_TRACE_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/compute_capability.hpp>

/// \file The assumptions of a trace, the blocks that it follows, and its limits.

namespace WARPGAUGE_NAMESPACE::ptx {

/// What happens at branches to a label that depend on unknown data. Of several hints for one branch, the last holds.
struct hint {
    std::string_view label{};  ///< that branches go to; empty: `source_line` says which
    double probability = -1;   ///< that a lane jumps, 0 to 1; below 0: not given
    double rounds = 0;         ///< of the loop that the label begins, mean, >= 1; 0: not given
    /// Without a label: the line of the source that has the branches, or the jumps back or out of a loop; 0: not given.
    std::uint32_t source_line = 0;
};

/// The warps that are followed.
enum class sampling : std::uint8_t {
    middle_block,  ///< all warps of the middle block; says nothing of the footprint
    representative,  ///< one block of every kind along each dimension, by a search between the first, the
                     ///< middle and the last; more if alignments differ; weighted
    all,             ///< of every block
};

struct stopped_loop;

/// How a trace treats unknown data, the blocks that it follows, and its limits.
struct trace_options {
    compute_capability capability{};  ///< with its rules of memory; {}: the text's `.target`
    sampling blocks = sampling::representative;  ///< the blocks whose warps are followed
    std::span<const hint> hints{};               ///< for branches that depend on data; not owned
    double default_probability = 0.5;            ///< that a lane jumps forward, or executes
    double default_rounds = 10;                  ///< of a loop
    /// Followed instructions, of all warps and for their choice; of equal rounds of a loop, those that represent all.
    std::uint64_t max_steps = 100'000'000;
    std::uint64_t max_memory_bytes = std::uint64_t{1} << 28;  ///< B, registers and local memory
    std::uint32_t max_calls = 64;                             ///< depth of nested calls
    std::size_t max_stream_entries = std::size_t{1} << 20;    ///< more, and the trace has no stream
    bool every_round = false;  ///< follow all rounds of loops one by one
    stopped_loop* stopped =
        nullptr;  ///< where `max_steps` is passed, the loop that did is written here
};

namespace detail::trace {

inline constexpr double max_rounds = 1e9;

/// \errors outside_domain  `capability`, `default_probability`, `default_rounds`, `hints`; for a hint, `line` is the entry
///         not_an_enumerator  `blocks`
constexpr model_error check_options(const trace_options& o) {
    if (const auto bad = core::check_enumerator(o.blocks, sampling::all, "blocks")) return bad;
    if (o.capability != compute_capability{} &&
        (o.capability.major < 1 || o.capability.minor < 0)) {
        return {errc::outside_domain, "capability"};
    }
    if (!(o.default_probability >= 0 && o.default_probability <= 1)) {
        return {errc::outside_domain, "default_probability"};
    }
    if (!(o.default_rounds >= 1 && o.default_rounds <= max_rounds)) {
        return {errc::outside_domain, "default_rounds"};
    }
    for (std::size_t h = 0; h < o.hints.size(); ++h) {
        const hint& given = o.hints[h];
        const bool odds = given.probability >= 0 && given.probability <= 1;
        const bool rounds = given.rounds >= 1 && given.rounds <= max_rounds;
        const bool two_places = !given.label.empty() && given.source_line != 0;
        if (odds == rounds || (given.rounds != 0 && !rounds) || two_places) {
            return {errc::outside_domain, "hints", static_cast<std::uint32_t>(h + 1)};
        }
    }
    return {};
}

}  // namespace detail::trace

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
