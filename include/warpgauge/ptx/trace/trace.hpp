// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_TRACE_HPP
#define WARPGAUGE_PTX_TRACE_TRACE_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/block_sampling.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/launch_input.hpp>
#include <warpgauge/ptx/trace/line_counter.hpp>
#include <warpgauge/ptx/trace/live_registers.hpp>
#include <warpgauge/ptx/trace/memory_facts.hpp>
#include <warpgauge/ptx/trace/prepared_launch.hpp>
#include <warpgauge/ptx/trace/stream_recorder.hpp>
#include <warpgauge/ptx/trace/trace_counter.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file Follows a kernel's warps without running it: from PTX text and a launch to a profile.
///
/// Integers, predicates and addresses that follow from the launch, the arguments and constants are
/// computed as a GPU would; floats and loaded data are not known. So trip counts, divergence and the
/// addresses of accesses are exact where data does not decide them, and where it does, a hint or a
/// default takes its place and is listed in the result.

namespace warpgauge::ptx {

/// Follows a sample of the launch's warps, or all of them.
/// \errors with line and column of the text, where an instruction is at fault:
///         not_positive    `grid`, `block`: without blocks or threads
///         exceeds_device  `grid`, `block`: more than any GPU starts
///         outside_domain  `block`: not what the text requires; `arguments`: more than parameters; a
///                         parameter by its name in the text: an integer for what is none; `default_probability`, `default_rounds`,
///                         `hints`: out of range; `index`: of a branch table
///         missing         `kernel`; a parameter by its name in the text: an integer without value; `capability`: no `.target`;
///                         `declaration`, `label`: a name that nothing declares; `hints`: no branch
///                         goes to the label
///         overflow        `shared`, `local`, `dynamic_shared_bytes`: no memory is as large
///         limit_reached   `steps`, `memory`, `calls`, `registers`, `operands`
/// For arguments and hints, `line` is the entry.
template <class = core::when_used>
[[nodiscard]] result<traced_kernel> trace(const kernel& k, const launch& l,
                                          std::span<const argument> arguments,
                                          const trace_options& options = {});

/// The same, with arguments in braces: `trace(*kernel, launch, {4096, {}, {}})`.
template <class = core::when_used>
[[nodiscard]] result<traced_kernel> trace(const kernel& k, const launch& l,
                                          std::initializer_list<argument> arguments,
                                          const trace_options& options = {});

namespace detail::trace {

/// Follows the warps of a linked kernel's launch, and records one of them.
template <class Used = core::when_used>
class launch_follower {
public:
    /// All must outlive the follower; `trace` has launch and capability.
    launch_follower(const program& p, std::span<const argument_bytes> arguments,
                    std::span<const decision> decisions, const trace_options& options,
                    traced_kernel& trace)
        : program_(p),
          options_(options),
          decisions_(decisions),
          trace_(trace),
          grid_{trace.launch.grid.x, trace.launch.grid.y, trace.launch.grid.z},
          warps_per_block_(static_cast<std::uint32_t>(
              (trace.launch.block.count() + warp_lanes - 1) / warp_lanes)),
          machine_(p, arguments, decisions, trace.capability,
                   {options.max_steps, options.max_memory_bytes, options.max_calls}),
          counter_(p, trace),
          lines_(p),
          facts_(p) {}

    model_error follow() {
        const auto sample = sample_blocks();
        if (!sample) return sample.error();
        const block_index typical = typical_block<Used>(*sample, grid_);
        trace_.stream_block = {typical[0], typical[1], typical[2]};
        for (const sampled_index& z : sample->along[2]) {
            for (const sampled_index& y : sample->along[1]) {
                for (const sampled_index& x : sample->along[0]) {
                    const block_index block{x.index, y.index, z.index};
                    const double weight = x.weight * y.weight * z.weight;
                    if (auto bad = follow_block(block, weight, block == typical)) return bad;
                }
            }
        }
        trace_.steps = machine_.steps();
        if (auto bad = record(typical)) return bad;
        counter_.finish(decisions_);
        lines_.finish(trace_);
        facts_.finish(trace_,
                      options_.blocks != sampling::middle_block || grid_ == block_index{1, 1, 1});
        counter_.copies().add_to(trace_.touched, trace_.warps);
        return {};
    }

private:
    result<block_sample> sample_blocks() {
        switch (options_.blocks) {
            case sampling::middle_block: return middle_block<Used>(grid_);
            case sampling::all:
                if (trace_.launch.grid.count() > options_.max_steps) {
                    return model_error{errc::limit_reached, "steps"};
                }
                if (grid_[0] > options_.max_memory_bytes / sizeof(sampled_index)) {
                    return model_error{errc::limit_reached, "memory"};
                }
                return all_blocks<Used>(grid_);
            case sampling::representative: break;
        }
        return representative_blocks(grid_,
                                     [this](const block_index& block) { return way_of(block); });
    }

    result<block_way> way_of(const block_index& block) {
        constexpr std::uint64_t start = 14'695'981'039'346'656'037U;
        block_way way{start, start};
        const auto mix = [](std::uint64_t& hash, std::uint64_t value) {
            hash = (hash ^ value) * 1'099'511'628'211U;
        };
        for (std::uint32_t n = 0; n < warps_per_block_; ++n) {
            facts_.begin_place();
            const auto bad = machine_.run(place_of(block, n, n), [&](const executed& e) {
                mix(way.path, std::uint64_t{e.step} << 32 | e.active);
                if (e.transactions == 0) return;
                facts_.see_place(e);
                mix(way.place, std::uint64_t{e.transactions} << 32 | e.bytes_moved);
                mix(way.place, e.alignment);
            });
            if (bad) return bad;
        }
        mix(way.place, way.path);
        return way;
    }

    [[nodiscard]] ptx::run::warp_place place_of(const block_index& block, std::uint32_t warp,
                                                std::uint32_t ordinal) const {
        const launch& l = trace_.launch;
        return {.grid = grid_,
                .block = {l.block.x, l.block.y, l.block.z},
                .block_index = block,
                .warp = warp,
                .dynamic_shared_bytes = l.dynamic_shared_bytes,
                .cluster = {l.cluster.x, l.cluster.y, l.cluster.z},
                .ordinal = ordinal};
    }

    model_error follow_block(const block_index& block, double weight, bool typical) {
        for (std::uint32_t warp = 0; warp < warps_per_block_; ++warp) {
            const auto ordinal = static_cast<std::uint32_t>(trace_.warps_traced);
            const std::uint64_t before = machine_.steps();
            facts_.begin_warp();
            lines_.begin_warp();
            const auto bad = machine_.run(place_of(block, warp, ordinal), [&](const executed& e) {
                counter_.count(e, weight);
                lines_.count(e, weight);
                facts_.see(e, weight, typical);
            });
            if (bad) return bad;
            facts_.end_warp(weight);
            lines_.end_warp(weight);
            if (typical) typical_warps_.push_back({machine_.steps() - before, ordinal});
            trace_.warps_traced += 1;
        }
        trace_.warps += weight * warps_per_block_;
        trace_.blocks_traced += 1;
        return {};
    }

    // The stream of the warp of the typical block that is nearest to the mean of its length.
    model_error record(const block_index& typical) {
        const double mean = trace_.warp_insts / trace_.warps;
        double nearest = -1;
        for (std::uint32_t warp = 0; warp < typical_warps_.size(); ++warp) {
            const double off = static_cast<double>(typical_warps_[warp].steps) - mean;
            const double distance = off < 0 ? -off : off;
            if (nearest >= 0 && distance >= nearest) continue;
            nearest = distance;
            trace_.stream_warp = warp;
        }
        stream_recorder<Used> recorder(program_, options_.max_stream_entries, &counter_.copies());
        const std::uint32_t ordinal = typical_warps_[trace_.stream_warp].ordinal;
        path_recorder<Used> path(program_, options_.max_stream_entries);
        const auto bad =
            machine_.run(place_of(typical, trace_.stream_warp, ordinal), [&](const executed& e) {
                recorder(e);
                path(e);
            });
        if (bad) return bad;
        trace_.stream = recorder.finish();
        trace_.path = path.finish();
        return {};
    }

    struct typical_warp {
        std::uint64_t steps{};
        std::uint32_t ordinal{};
    };

    const program& program_;
    const trace_options& options_;
    std::span<const decision> decisions_;
    core::late<Used, traced_kernel>& trace_;
    block_index grid_;
    std::uint32_t warps_per_block_;
    ptx::run::warp_machine<Used> machine_;
    trace_counter<Used> counter_;
    line_counter<Used> lines_;
    memory_facts<Used> facts_;
    std::vector<typical_warp> typical_warps_;  // of the typical block
};

template <class Used = core::when_used>
result<traced_kernel> trace_kernel(const kernel& k, const launch& l,
                                   std::span<const argument> arguments,
                                   const trace_options& options) {
    const auto p = prepare_launch<Used>(k, l, arguments, options);
    if (!p) return p.error();
    core::late<Used, traced_kernel> t{.name = k.text->functions[k.function].name,
                                      .launch = l,
                                      .capability = p->capability,
                                      .static_shared_bytes = p->linked.shared_bytes};
    const auto live = live_registers<Used>(p->linked, options.max_steps);
    if (!live) return live.error();
    t.live_registers = *live;

    launch_follower<Used> follower(p->linked, p->arguments, p->decisions, options, t);
    if (auto bad = follower.follow()) return bad;
    return t;
}

}  // namespace detail::trace

template <class Used>
result<traced_kernel> trace(const kernel& k, const launch& l, std::span<const argument> arguments,
                            const trace_options& options) {
    return detail::trace::trace_kernel<Used>(k, l, arguments, options);
}

template <class Used>
result<traced_kernel> trace(const kernel& k, const launch& l,
                            std::initializer_list<argument> arguments,
                            const trace_options& options) {
    return trace<Used>(k, l, std::span<const argument>(arguments.begin(), arguments.size()),
                       options);
}

}  // namespace warpgauge::ptx

#endif
