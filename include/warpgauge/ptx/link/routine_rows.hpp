// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_ROUTINE_ROWS_HPP
#define WARPGAUGE_PTX_LINK_ROUTINE_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>

/// \file Numbers for the registers of all routines of a program, so that a list can say something of each.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// From 0 on, those of one routine after those of the one before.
template <class Used = core::when_used>
class routine_rows {
public:
    /// Numbers the rows of a program as it is now.
    explicit routine_rows(const program& p) {
        for (const routine& r : p.routines) {
            first_.push_back(size_);
            size_ += r.rows;
        }
    }

    /// How many there are.
    [[nodiscard]] std::size_t size() const { return size_; }
    /// The number of a row that belongs to a call of a routine.
    [[nodiscard]] std::size_t number(std::size_t routine, std::uint32_t row) const {
        return first_[routine] + (row & ~of_call);
    }

private:
    core::late<Used, std::vector<std::size_t>> first_;  // of each routine
    std::size_t size_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
