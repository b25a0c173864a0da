// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_RECORD_REQUESTS_HPP
#define WARPGAUGE_PTX_TRACE_RECORD_REQUESTS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/control_slice.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/block_pieces.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/block_shared.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/prepared_launch.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sm/memory_request.hpp>

/// \file Records the addresses of global memory that the warps of some blocks access, for a replay through caches.

namespace WARPGAUGE_NAMESPACE::ptx {

/// The blocks to record, and limits.
struct record_options {
    std::uint64_t first_block = 0;  ///< in the order of their start: x first, then y, then z
    std::uint64_t blocks = 1;       ///< from there on; those past the end of the grid are left out
    std::uint64_t max_requests = std::uint64_t{1}
                                 << 22;  ///< entries of `requests`; more is an error
    trace_options trace{};               ///< `blocks` and `max_stream_entries` are ignored
};

/// The accesses of blocks, in the order that `replay_caches` requires.
struct recorded_requests {
    std::vector<memory_request>
        requests{};  ///< block by block, in the order that the warps make them
    std::vector<std::uint32_t>
        sources{};           ///< of each request, its instruction's place in the module
    std::uint64_t blocks{};  ///< recorded blocks; some may access nothing
    std::uint64_t steps{};   ///< instructions followed
    /// Accesses of lanes whose address depends on data: each is recorded at a line of its own, far from all others, as
    /// if nothing were ever read again; lanes whose addresses differ by known offsets, at lines of their own together.
    std::uint64_t unknown_lanes{};
};

/// Records the accesses of a launch's blocks to global memory.
/// \errors as `trace`; also
///         outside_domain  `first_block`: past the end of the grid
///         not_positive    `blocks`
///         limit_reached   `max_requests`
template <class = core::when_used>
[[nodiscard]] result<recorded_requests> record_requests(const kernel& k, const launch& l,
                                                        std::span<const argument> arguments,
                                                        const record_options& options);

/// The same, with arguments in braces.
template <class = core::when_used>
[[nodiscard]] result<recorded_requests> record_requests(const kernel& k, const launch& l,
                                                        std::initializer_list<argument> arguments,
                                                        const record_options& options);

namespace detail::trace {

using ptx::run::executed;

/// Sees the instructions of warps, one warp after the other.
template <class Used = core::when_used>
class request_recorder {
public:
    request_recorder(const program& p, std::uint64_t max_requests)
        : program_(p), max_requests_(max_requests) {}

    void begin(std::uint32_t block, std::uint16_t warp) { now_ = {.block = block, .warp = warp}; }

    void operator()(const executed& e) {
        if (e.access == nullptr || full_) return;
        const step& s = program_.steps[e.step];
        source_ = s.statement;
        now_.kind = s.is_atomic ? request_kind::atomic
                    : s.stores  ? request_kind::store
                                : request_kind::load;
        if (e.access->bytes == 0 || e.access->bytes > max_bytes_per_lane) return;
        warp_access a = *e.access;
        if (s.moves_blocks()) return add_block(e, a);
        place_unknown(e, a);
        a.active = e.accessing();
        for_each_request(a, now_, [&](const memory_request& r) { add(r); });
    }

    /// False if there was more than allowed.
    [[nodiscard]] bool complete() const { return !full_; }
    [[nodiscard]] recorded_requests& recorded() { return recorded_; }

private:
    // Gives lanes of unknown address lines of their own; those of one base and line, the same.
    void place_unknown(const executed& e, warp_access& a) {
        const std::uint32_t based = e.based == nullptr ? 0 : e.based->active;
        for (std::uint32_t left = e.accessing() & ~a.active; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(left));
            ++recorded_.unknown_lanes;
            if ((based >> lane & 1U) == 0) {
                a.addresses[lane] = first_unknown_address + lines_++ * 128;
                continue;
            }
            const std::uint64_t address = e.based->addresses[lane];
            std::uint64_t line = lines_;
            for (std::size_t l = 0; l < lane; ++l) {
                const bool same =
                    (based >> l & 1U) != 0 && e.based->addresses[l] / 128 == address / 128;
                if (same) line = (a.addresses[l] - first_unknown_address) / 128;
            }
            if (line == lines_) ++lines_;
            a.addresses[lane] = first_unknown_address + line * 128 + address % 128;
        }
    }

    void add_block(const executed& e, warp_access& a) {
        if (e.runs != nullptr) return add_runs(*e.runs, a);
        if (e.unknown_sectors == 0) return add_lanes(a);
        for (std::uint32_t left = e.unknown_sectors; left != 0 && !full_;) {
            const std::uint32_t lanes = left < warp_lanes ? left : 32;
            add_unknown(lanes, a);
            left -= lanes;
        }
    }

    // Of a large copy.
    void add_runs(const warpgauge::detail::sm::byte_runs& runs, warp_access& a) {
        for (std::uint32_t r = 0; r < runs.count; ++r) {
            const std::uint64_t first = runs.of[r].first;
            ptx::detail::run::for_each_piece(first, runs.of[r].end - first, a,
                                             [&] { add_lanes(a); });
        }
    }

    // Sectors of unknown address lie side by side, where nothing else is.
    void add_unknown(std::uint32_t lanes, warp_access& a) {
        a.bytes = 32;
        a.active = lanes == 32 ? ~0U : (1U << lanes) - 1;
        for (std::size_t l = 0; l < lanes; ++l) {
            a.addresses[l] = first_unknown_address + lines_ * 128 + l * 32;
        }
        recorded_.unknown_lanes += lanes / 4 + 1;
        lines_ += lanes / 4 + 1;
        add_lanes(a);
    }

    void add_lanes(const warp_access& a) {
        for_each_request(a, now_, [&](const memory_request& r) { add(r); });
    }

    void add(const memory_request& r) {
        full_ = full_ || recorded_.requests.size() >= max_requests_;
        if (full_) return;
        recorded_.requests.push_back(r);
        recorded_.sources.push_back(source_);
    }

    const program& program_;
    std::uint64_t max_requests_;
    memory_request now_{};
    std::uint32_t source_{};  // of what it makes
    bool full_ = false;
    std::uint64_t lines_ = 0;  // for lanes of unknown address
    core::late<Used, recorded_requests> recorded_;
};

template <class Used = core::when_used>
result<recorded_requests> record_blocks(const prepared_launch& p, const launch& l,
                                        const record_options& o) {
    const std::uint64_t grid = l.grid.count();
    if (o.first_block >= grid) return model_error{errc::outside_domain, "first_block"};
    if (o.blocks == 0) return model_error{errc::not_positive, "blocks"};
    const std::uint64_t count = o.blocks < grid - o.first_block ? o.blocks : grid - o.first_block;
    if (count > o.trace.max_steps) return model_error{errc::limit_reached, "max_steps"};
    ptx::run::warp_machine<Used> machine(
        p.linked, p.arguments, p.decisions, p.capability,
        {o.trace.max_steps, o.trace.max_memory_bytes, o.trace.max_calls, true});
    const ptx::link::control_slice<Used> slice(p.linked);
    block_shared<Used> shared(p.linked, machine, slice);
    request_recorder<Used> recorder(p.linked, o.max_requests);
    const auto warps = static_cast<std::uint32_t>((l.block.count() + warp_lanes - 1) / warp_lanes);
    for (std::uint64_t n = 0; n < count; ++n) {
        const std::uint64_t at = o.first_block + n;
        ptx::run::warp_place place{.grid = {l.grid.x, l.grid.y, l.grid.z},
                                   .block = {l.block.x, l.block.y, l.block.z},
                                   .dynamic_shared_bytes = l.dynamic_shared_bytes,
                                   .cluster = {l.cluster.x, l.cluster.y, l.cluster.z}};
        place.block_index = {static_cast<std::uint32_t>(at % l.grid.x),
                             static_cast<std::uint32_t>(at / l.grid.x % l.grid.y),
                             static_cast<std::uint32_t>(at / l.grid.x / l.grid.y)};
        shared.begin(place);
        for (std::uint32_t w = 0; w < warps; ++w) {
            place.warp = w;
            place.ordinal = static_cast<std::uint32_t>(n * warps + w);
            recorder.begin(static_cast<std::uint32_t>(n), static_cast<std::uint16_t>(w));
            const auto bad = machine.run(place, [&](const executed& e) { recorder(e); });
            if (bad) return bad;
            if (!recorder.complete()) return model_error{errc::limit_reached, "max_requests"};
        }
    }
    recorder.recorded().blocks = count;
    recorder.recorded().steps = machine.steps();
    return std::move(recorder.recorded());
}

}  // namespace detail::trace

template <class Used>
result<recorded_requests> record_requests(const kernel& k, const launch& l,
                                          std::span<const argument> arguments,
                                          const record_options& options) {
    const auto p = detail::trace::prepare_launch<Used>(k, l, arguments, options.trace);
    if (!p) return p.error();
    return detail::trace::record_blocks<Used>(*p, l, options);
}

template <class Used>
result<recorded_requests> record_requests(const kernel& k, const launch& l,
                                          std::initializer_list<argument> arguments,
                                          const record_options& options) {
    return record_requests<Used>(
        k, l, std::span<const argument>(arguments.begin(), arguments.size()), options);
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
