// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_NEIGHBOUR_SECTORS_HPP
#define WARPGAUGE_PTX_TRACE_NEIGHBOUR_SECTORS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/prepared_launch.hpp>
#include <warpgauge/ptx/trace/record_requests.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sm/memory_request.hpp>

/// \file How much of the global memory that a block touches it touches again, and how much of it the next blocks touch too.

namespace WARPGAUGE_NAMESPACE::ptx {

/// The block to look at, and limits.
struct neighbour_options {
    std::optional<extent>
        block{};  ///< its position; if not given, the middle one that has next ones
    std::uint64_t max_requests = std::uint64_t{1} << 22;  ///< of each block; more is an error
    trace_options trace{};  ///< `blocks` and `max_stream_entries` are ignored
};

/// Sectors of 32 B of global memory that a block touches.
struct block_sectors {
    double touched{};    ///< in each access of a warp those that it touches
    double different{};  ///< each once
    /// Of the different ones, the fraction that the next block along x, y and z touches too, 0 to 1; absent if there is none.
    std::array<std::optional<double>, 3> with_next{};

    /// Of the touched ones, the fraction that the block has touched before, 0 to 1; 0 if it touches none.
    [[nodiscard]] double again() const { return touched > 0 ? (touched - different) / touched : 0; }
};

/// What a block and its next ones touch. An access at an unknown address is one of data that nobody else touches.
struct neighbour_sectors {
    extent block{0, 0, 0};  ///< its position
    block_sectors loads{};  ///< of loads and atomics
    block_sectors all{};    ///< of stores too
    /// Accesses of the block's lanes whose address depends on data, as `recorded_requests` has them.
    std::uint64_t unknown_lanes{};
    std::uint64_t steps{};  ///< instructions followed
};

/// Follows all rounds of a block and of the next ones along each dimension. Where data decides, they decide alike.
/// \errors as `trace`; also
///         outside_domain  `block`: past the end of the grid
///         limit_reached   `max_requests`
template <class = core::when_used>
[[nodiscard]] result<neighbour_sectors> sectors_of_neighbours(
    const kernel& k, const launch& l, std::span<const argument> arguments,
    const neighbour_options& options = {});

/// The same, with arguments in braces.
template <class = core::when_used>
[[nodiscard]] result<neighbour_sectors> sectors_of_neighbours(
    const kernel& k, const launch& l, std::initializer_list<argument> arguments,
    const neighbour_options& options = {});

namespace detail::trace {

/// Sectors side by side, from the first to the last.
struct sector_run {
    std::uint64_t first{}, last{};

    [[nodiscard]] constexpr double size() const { return static_cast<double>(last - first + 1); }
    friend constexpr bool operator<(const sector_run& a, const sector_run& b) {
        return a.first < b.first;
    }
};

/// Different sectors in ascending order. No two runs of them adjoin or overlap.
class sector_runs {
public:
    /// Sorts them.
    explicit sector_runs(std::vector<sector_run> runs) : runs_(std::move(runs)) {
        std::sort(runs_.begin(), runs_.end());
        std::size_t count = 0;
        for (const sector_run& r : runs_) {
            if (count > 0 && r.first <= runs_[count - 1].last + 1) {
                runs_[count - 1].last = std::max(runs_[count - 1].last, r.last);
            } else {
                runs_[count++] = r;
            }
        }
        runs_.resize(count);
    }

    [[nodiscard]] double size() const {
        double sum = 0;
        for (const sector_run& r : runs_) sum += r.size();
        return sum;
    }

    /// The sectors below `end` that both have.
    [[nodiscard]] double common(const sector_runs& other, std::uint64_t end) const {
        double sum = 0;
        std::size_t at = 0;
        for (const sector_run& r : runs_) {
            if (r.first >= end) break;
            while (at < other.runs_.size() && other.runs_[at].last < r.first) ++at;
            for (std::size_t n = at; n < other.runs_.size() && other.runs_[n].first <= r.last;
                 ++n) {
                sum += sector_run{std::max(r.first, other.runs_[n].first),
                                  std::min(r.last, other.runs_[n].last)}
                           .size();
            }
        }
        return sum;
    }

private:
    std::vector<sector_run> runs_;
};

/// The sectors of requests, of loads and atomics or of all; `touched` gets their number.
inline sector_runs runs_of(std::span<const memory_request> requests, bool with_stores,
                           double& touched) {
    std::vector<sector_run> runs;
    touched = 0;
    for (const memory_request& r : requests) {
        if (r.kind == request_kind::store && !with_stores) continue;
        runs.push_back({r.address / 32, (r.address + r.bytes - 1) / 32});
        touched += runs.back().size();
    }
    return sector_runs(std::move(runs));
}

/// Middle blocks have one before and one behind them, as far as there are so many.
constexpr extent middle_of(const extent& grid) {
    return {(grid.x - 1) / 2, (grid.y - 1) / 2, (grid.z - 1) / 2};
}

template <class Used = core::when_used>
result<neighbour_sectors> compare_neighbours(const prepared_launch& p, const launch& l,
                                             const neighbour_options& o) {
    const extent block = o.block ? *o.block : middle_of(l.grid);
    if (block.x >= l.grid.x || block.y >= l.grid.y || block.z >= l.grid.z) {
        return model_error{errc::outside_domain, "block"};
    }
    const auto record = [&](const extent& at) {
        const std::uint64_t number =
            at.x + std::uint64_t{l.grid.x} * (at.y + std::uint64_t{l.grid.y} * at.z);
        return record_blocks<Used>(
            p, l,
            {.first_block = number, .blocks = 1, .max_requests = o.max_requests, .trace = o.trace});
    };
    const auto own = record(block);
    if (!own) return own.error();
    neighbour_sectors found{
        .block = block, .unknown_lanes = own->unknown_lanes, .steps = own->steps};
    const sector_runs loads = runs_of(own->requests, false, found.loads.touched);
    const sector_runs all = runs_of(own->requests, true, found.all.touched);
    found.loads.different = loads.size();
    found.all.different = all.size();
    const extent next[]{{block.x + 1, block.y, block.z},
                        {block.x, block.y + 1, block.z},
                        {block.x, block.y, block.z + 1}};
    const bool exists[]{block.x + 1 < l.grid.x, block.y + 1 < l.grid.y, block.z + 1 < l.grid.z};
    constexpr std::uint64_t first_unknown = first_unknown_address / 32;
    const auto fraction = [&](const sector_runs& mine, const sector_runs& theirs) {
        return mine.size() > 0 ? mine.common(theirs, first_unknown) / mine.size() : 0;
    };
    for (std::size_t d = 0; d < 3; ++d) {
        if (!exists[d]) continue;
        const auto other = record(next[d]);
        if (!other) return other.error();
        double touched = 0;
        found.loads.with_next[d] = fraction(loads, runs_of(other->requests, false, touched));
        found.all.with_next[d] = fraction(all, runs_of(other->requests, true, touched));
        found.steps += other->steps;
    }
    return found;
}

}  // namespace detail::trace

template <class Used>
result<neighbour_sectors> sectors_of_neighbours(const kernel& k, const launch& l,
                                                std::span<const argument> arguments,
                                                const neighbour_options& options) {
    const auto p = detail::trace::prepare_launch<Used>(k, l, arguments, options.trace);
    if (!p) return p.error();
    return detail::trace::compare_neighbours<Used>(*p, l, options);
}

template <class Used>
result<neighbour_sectors> sectors_of_neighbours(const kernel& k, const launch& l,
                                                std::initializer_list<argument> arguments,
                                                const neighbour_options& options) {
    return sectors_of_neighbours<Used>(
        k, l, std::span<const argument>(arguments.begin(), arguments.size()), options);
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
