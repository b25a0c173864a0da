// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_CONSTANT_POOL_HPP
#define WARPGAUGE_PTX_LINK_CONSTANT_POOL_HPP

#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/program.hpp>

/// \file The rows of constants.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

template <class Used = core::when_used>
class constant_pool {
public:
    explicit constant_pool(std::vector<std::uint64_t>& values) : values_(values) {}

    /// The row of a value; equal values have one row.
    std::uint32_t row_of(std::uint64_t value) {
        std::uint32_t row = rows_.find({}, value);
        if (row == ptx::link::nowhere) {
            row = own_row(value);
            rows_.insert({}, value, row);
        }
        return row;
    }

    /// A row that nothing else shares, for a value that may still change.
    std::uint32_t own_row(std::uint64_t value) {
        values_.push_back(value);
        return ptx::link::special_rows + static_cast<std::uint32_t>(values_.size() - 1);
    }

    /// The value of a constant's row.
    [[nodiscard]] std::uint64_t& value(std::uint32_t row) {
        return values_[row - ptx::link::special_rows];
    }

private:
    core::late<Used, std::vector<std::uint64_t>>& values_;
    name_table<Used> rows_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
