// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_SHARED_RECORDER_HPP
#define WARPGAUGE_PTX_RUN_SHARED_RECORDER_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/address_windows.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/undecided_part.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/shared_values.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file Notes what warps store to shared memory.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// May what a step accesses lie in shared memory?
constexpr bool may_be_of_shared(const step& s) {
    using ptx::link::address_space;
    return s.space == address_space::shared || s.space == address_space::generic;
}

/// May a step write to shared memory?
constexpr bool may_write_shared(const step& s) {
    return (s.stores || s.is_atomic) && may_be_of_shared(s);
}

template <class Used = core::when_used>
class shared_recorder {
public:
    /// All must outlive it. Values that hang on what nobody knows are not known.
    shared_recorder(const ptx::link::program& p, const ptx::link::undecided_part<Used>& undecided,
                    shared_values<Used>& values)
        : program_(p), undecided_(undecided), values_(values), windows_(p.source->address_bits) {}

    /// A store or an atomic, before it changes registers.
    void operator()(const step& s, std::uint32_t active, register_file<Used>& registers) {
        if (!may_write_shared(s) || s.sources == 0) return;
        const row_values& address = registers.source(s, 0);
        if ((active & ~address.known) != 0) return values_.lose_all();
        const std::uint32_t bytes = ptx::text::bytes_of(s.type);
        const std::uint32_t parts = s.is_atomic ? 1 : s.sources - 1U;
        for (std::uint32_t k = 0; k < parts; ++k) {
            const row_values* const value = s.is_atomic ? nullptr : &registers.source(s, k + 1);
            const bool open =
                s.is_atomic || undecided_.taints(program_.rows[s.first + s.results + 1 + k]);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                const std::uint64_t from = address.lanes[l] + static_cast<std::uint64_t>(s.offset);
                if (!has_lane(active, l) || !is_shared(s, from)) continue;
                const std::uint64_t at = windows_.within(from) + std::uint64_t{k} * bytes;
                if (open || !has_lane(value->known, l)) {
                    values_.lose(at, bytes);
                } else {
                    values_.store(at, bytes, value->lanes[l]);
                }
            }
        }
    }

private:
    [[nodiscard]] bool is_shared(const step& s, std::uint64_t address) const {
        return s.space == ptx::link::address_space::shared ||
               windows_.window_of(address) == windows_.shared();
    }

    const ptx::link::program& program_;
    const ptx::link::undecided_part<Used>& undecided_;
    shared_values<Used>& values_;
    ptx::link::address_windows windows_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
