// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_PARTING_READS_HPP
#define WARPGAUGE_PTX_TRACE_PARTING_READS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>
#include <warpgauge/ptx/trace/warp_reach.hpp>
#include <warpgauge/ptx/trace/warp_records.hpp>

/// \file Whether blocks that go the same way may differ in what they read again.
///
/// They do not where all that a block reads moves alike from block to block. Where it does not, a block may read its own part of an
/// array first and all parts of it afterwards: when it meets its own one depends on its number.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// What the loads of a launch read, by the way in which it moves from block to block.
template <class Used = core::when_used>
class parting_reads {
public:
    /// The program and where warps begin must outlive it.
    parting_reads(const ptx::link::program& p, const block_index& last_block,
                  const warp_begins<Used>& begins)
        : program_(p), last_(last_block), begins_(begins) {}

    void add(const warp_record<Used>& r) {
        offsets_.clear();
        for (const warp_distance& by : r.distances) offsets_.push_back(offset_of(r.of, by));
        for (const recorded_access& a : r.accesses) {
            if (program_.steps[a.step].stores || (a.runs == 0 && a.active == 0)) continue;
            const offset& o = offsets_[a.by];
            const span bytes = bytes_of(r, a);
            add(a.step, {bytes.first + o.least, bytes.last + o.most}, o.by);
        }
    }

    /// The most sectors that a block may read by loads which move in different ways. 0: they never meet.
    [[nodiscard]] double sectors() const {
        double most = 0;
        for (std::size_t a = 0; a < motions_.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                if (may_meet(motions_[a], motions_[b])) most += sectors_of(a, b);
            }
        }
        return most;
    }

private:
    // By so many bytes along each dimension of the grid.
    using motion = std::array<double, 3>;
    struct span {
        double first{}, last{};
    };
    // Bytes that a load reads in all warps of the first block, or several that move alike do.
    struct reads {
        span bytes{};
        motion by{};
        std::uint32_t step{};
        std::size_t motion_number{};
    };
    // To the warps of the first block.
    struct offset {
        motion by{};
        double least{}, most{};
    };

    // Along a dimension of one block, nothing moves.
    [[nodiscard]] offset offset_of(const warp_of_block& of, const warp_distance& by) const {
        offset o;
        double to_first = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            if (last_[d] != 0) o.by[d] = static_cast<double>(by[d]);
            to_first -= static_cast<double>(by[d]) * of.block[d];
        }
        const warp_distance from = begins_.place({.warp = of.warp});
        for (std::uint32_t warp = 0; warp < begins_.size(); ++warp) {
            const warp_distance to = begins_.place({.warp = warp});
            double off = to_first;
            for (std::size_t d = 3; d < to.size(); ++d) {
                off += static_cast<double>(by[d]) * static_cast<double>(to[d] - from[d]);
            }
            o.least = warp == 0 ? off : core::min(o.least, off);
            o.most = warp == 0 ? off : core::max(o.most, off);
        }
        return o;
    }

    static span bytes_of(const warp_record<Used>& r, const recorded_access& a) {
        std::uint64_t first = ~std::uint64_t{0};
        std::uint64_t last = 0;
        for (std::uint32_t n = 0; n < a.runs; ++n) {
            first = core::min(first, r.runs[a.place + n].first);
            last = core::max(last, r.runs[a.place + n].end - 1);
        }
        for (std::size_t l = 0; a.runs == 0 && l < warp_lanes; ++l) {
            if ((a.active >> l & 1U) == 0) continue;
            const warp_access& lanes = r.known[a.place];
            first = core::min(first, lanes.addresses[l]);
            last = core::max(last, lanes.addresses[l] + lanes.bytes - 1);
        }
        return {static_cast<double>(first), static_cast<double>(last)};
    }

    void add(std::uint32_t step, const span& bytes, const motion& by) {
        if (of_step_.size() <= step) of_step_.resize(step + 1);
        std::uint32_t& at = of_step_[step];  // mostly there
        if (at == 0 || loads_[at - 1].by != by) at = place_of(step, bytes, by);
        reads& of = loads_[at - 1];
        extend(of.bytes, bytes);
        extend(motions_[of.motion_number].bytes, bytes);
    }
    static void extend(span& to, const span& by) {
        to.first = core::min(to.first, by.first);
        to.last = core::max(to.last, by.last);
    }

    // One past the place of a load that moves so.
    std::uint32_t place_of(std::uint32_t step, const span& bytes, const motion& by) {
        for (std::size_t n = 0; n < loads_.size(); ++n) {
            if (loads_[n].step == step && loads_[n].by == by) {
                return static_cast<std::uint32_t>(n + 1);
            }
        }
        std::size_t m = 0;
        while (m < motions_.size() && motions_[m].by != by) ++m;
        if (m == motions_.size()) motions_.push_back({bytes, by, step, m});
        loads_.push_back({bytes, by, step, m});
        return static_cast<std::uint32_t>(loads_.size());
    }

    // Does some block read a byte of both?
    [[nodiscard]] bool may_meet(const reads& a, const reads& b) const {
        double least = 0;
        double most = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const double off = (a.by[d] - b.by[d]) * last_[d];
            (off < 0 ? least : most) += off;
        }
        return a.bytes.first + least <= b.bytes.last && a.bytes.last + most >= b.bytes.first;
    }

    // Of the loads that move in one of two ways, those that meet one of the other.
    [[nodiscard]] double sectors_of(std::size_t a, std::size_t b) const {
        double most = 0;
        for (const reads& of_a : loads_) {
            if (of_a.motion_number != a) continue;
            for (const reads& of_b : loads_) {
                if (of_b.motion_number != b || !may_meet(of_a, of_b)) continue;
                most += core::min(sectors_of(of_a.bytes), sectors_of(of_b.bytes));
            }
        }
        return most;
    }
    static double sectors_of(const span& bytes) { return (bytes.last - bytes.first) / 32 + 1; }

    const ptx::link::program& program_;
    block_index last_;
    const warp_begins<Used>& begins_;
    core::late<Used, std::vector<offset>> offsets_;  // of the distances of a record
    core::late<Used, std::vector<reads>> loads_;
    core::late<Used, std::vector<reads>> motions_;  // of loads, each once
    core::late<Used, std::vector<std::uint32_t>>
        of_step_;  // one past the place of the load that it was last; or 0
};

/// The most sectors that a block may read by loads which move in different ways from block to block; 0 if these never meet, or if
/// it is not known of all warps that were followed how they move.
template <class Used>
double sectors_that_part(const ptx::link::program& p, const warp_records<Used>& records,
                         const block_index& last_block) {
    if (!records.know_motions()) return 0;
    parting_reads<Used> all(p, last_block, records.begins());
    for (const warp_record<Used>& r : records) all.add(r);
    return all.sectors();
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
