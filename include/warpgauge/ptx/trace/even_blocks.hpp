// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_EVEN_BLOCKS_HPP
#define WARPGAUGE_PTX_TRACE_EVEN_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file Whether the blocks of a line touch memory at even distances, so that the first and the last one touch its ends.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// The first sector that each access of a warp touches, when it executes it first: of the first 64 accesses.
template <class Used = core::when_used>
class first_sectors {
public:
    template <class Touched>
    void see(std::uint32_t step, const Touched& touched) {
        if (touched.count == 0 || all_.size() == max_accesses || find(step) != nullptr) return;
        all_.push_back({step, touched.first()});
    }

    /// Of three blocks of a line, how far the second is from its place between the others, `at` of the way from the first
    /// to the last: the maximum over the accesses that all make, as a fraction of that way.
    [[nodiscard]] static double unevenness(const first_sectors& first, const first_sectors& second,
                                           const first_sectors& last, double at) {
        double most = 0;
        for (const first_sector& f : first.all_) {
            const first_sector* const s = second.find(f.step);
            const first_sector* const l = last.find(f.step);
            if (s == nullptr || l == nullptr) continue;
            const double way = distance(f, *l);
            if (way == 0) continue;
            const double off = distance(f, *s) / way - at;
            most = core::max(most, core::max(off, -off));
        }
        return most;
    }

private:
    static constexpr std::size_t max_accesses = 64;

    struct first_sector {
        std::uint32_t step{};
        std::uint64_t sector{};
    };

    [[nodiscard]] const first_sector* find(std::uint32_t step) const {
        for (const first_sector& f : all_) {
            if (f.step == step) return &f;
        }
        return nullptr;
    }
    static double distance(const first_sector& a, const first_sector& b) {
        return static_cast<double>(static_cast<std::int64_t>(b.sector - a.sector));
    }

    core::late<Used, std::vector<first_sector>> all_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
