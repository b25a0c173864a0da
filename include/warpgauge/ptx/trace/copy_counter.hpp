// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_COPY_COUNTER_HPP
#define WARPGAUGE_PTX_TRACE_COPY_COUNTER_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>

/// \file How many bytes copies move whose size is in a map of a tensor.
///
/// The map is not in the text. But what its copies bring, barriers are told to expect: all bytes that barriers expect
/// of the launch, less those of copies whose size is known, are shared evenly between such loads. Where none are
/// expected, and of stores, a copy is taken to move `assumed_copy_bytes`.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::link::program, ptx::link::step;
using ptx::run::executed;

/// A tile of 64 by 64 elements of 2 B.
inline constexpr double assumed_copy_bytes = 8192;

template <class Used = core::when_used>
class copy_counter {
public:
    /// The program must outlive the counter.
    explicit copy_counter(const program& p)
        : program_(p),
          unsized_(p.steps.size()),
          most_unsized_(p.steps.size()),
          made_(p.steps.size()) {}

    /// Is a step a copy in bulk, or does it tell a barrier how many bytes will come?
    static bool concerns(const step& s) {
        return s.in_bulk || (s.size_source != 0 && s.barrier_source != 0);
    }

    /// Sees such an instruction of a warp that stands for `weight` warps.
    void count(const executed& e, double weight) {
        const step& s = program_.steps[e.step];
        if (!s.in_bulk) {
            const double lanes = weight * std::popcount(e.active);
            expected_ += lanes * static_cast<double>(e.size);
            return;
        }
        if (e.unit != unit_kind::global_memory) return;
        if (!e.continues) {
            made_[e.step] += weight;
            all_made_ += weight;
        }
        if (e.transactions != 0) {
            if (s.barrier_source != 0) sized_ += weight * e.bytes_moved;
            return;
        }
        const double lanes = std::popcount(e.active & ~e.idle);
        const double copies = weight * lanes;
        unsized_[e.step] += copies;
        most_unsized_[e.step] = core::max(most_unsized_[e.step], lanes);
        if (!s.stores) loads_ += copies;
    }

    /// How often all warps execute a step that copies from or to global memory.
    [[nodiscard]] double made(std::uint32_t step) const { return made_[step]; }
    /// The same of all such steps.
    [[nodiscard]] double all_made() const { return all_made_; }

    /// Copies of unknown size that a step makes, of all warps.
    [[nodiscard]] double unsized(std::uint32_t step) const { return unsized_[step]; }

    /// The same of one execution: the maximum.
    [[nodiscard]] double most_unsized(std::uint32_t step) const { return most_unsized_[step]; }

    /// B that each of them moves, to a whole sector, if there are any.
    [[nodiscard]] double bytes_of(std::uint32_t step) const {
        const bool told = !program_.steps[step].stores && expected_ > sized_;
        return told ? (expected_ - sized_) / loads_ : assumed_copy_bytes;
    }

    /// Adds what they touch to the means of a warp.
    void add_to(memory_accesses<>& touched, double warps) const {
        for (std::uint32_t s = 0; s < unsized_.size(); ++s) {
            if (unsized_[s] == 0) continue;
            const double bytes = unsized_[s] * bytes_of(s) / warps;
            (program_.steps[s].stores ? touched.full_store_sectors : touched.load_sectors) +=
                bytes / 32;
            touched.lines += bytes / 128;
        }
    }

private:
    const program& program_;
    core::late<Used, std::vector<double>> unsized_;       // by step
    core::late<Used, std::vector<double>> most_unsized_;  // by step, of one execution
    core::late<Used, std::vector<double>> made_;          // by step
    double all_made_ = 0;
    double loads_ = 0;     // copies of unknown size
    double expected_ = 0;  // B
    double sized_ = 0;     // B
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
