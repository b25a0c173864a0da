// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_PRODUCT_SHARES_HPP
#define WARPGAUGE_PTX_TRACE_PRODUCT_SHARES_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>

/// \file The parts that warps make of products which one thread orders for its block, `tcgen05.mma`.
///
/// One warp orders them, or one warp of two blocks. In the stream, which all warps execute, each makes an equal part, so
/// that all warps together make as many multiply-adds as the launch.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// What all warps of a launch do at one step that orders such products.
struct ordered_products {
    double made{};  ///< products
    double work{};  ///< multiply-adds of half precision that take as long as all of them
};

template <class Used = core::when_used>
class product_shares {
public:
    product_shares() = default;

    /// `ordered`: by step, of a launch of so many warps; empty if none orders any.
    product_shares(std::vector<ordered_products> ordered, double warps,
                   std::uint32_t warps_per_block)
        : ordered_(std::move(ordered)), warps_(warps), warps_per_block_(warps_per_block) {
        for (const ordered_products& o : ordered_) all_work_ += o.work;
    }

    /// The stream executes a step so many times.
    void execute(std::uint32_t step, double times) { recorded_work_ += times * mean(step); }

    /// Writes a warp's part into an entry of the stream, when all of it has been executed. Of products that are not known,
    /// the entry keeps no multiply-adds.
    void write(std::uint32_t step, warpgauge::instruction& entry) const {
        entry.sharing_warps = static_cast<std::uint16_t>(core::min(warps_per_block_, 0xffffU));
        if (!(recorded_work_ > 0)) return;
        const double work = mean(step) * all_work_ / (warps_ * recorded_work_);
        const double whole = core::floor(work + 0.5);
        if (whole < 0x1p32) entry.tensor_fmas = static_cast<std::uint32_t>(whole);
    }

private:
    // Of one product.
    [[nodiscard]] double mean(std::uint32_t step) const {
        if (step >= ordered_.size() || !(ordered_[step].made > 0)) return 0;
        return ordered_[step].work / ordered_[step].made;
    }

    core::late<Used, std::vector<ordered_products>> ordered_;
    double warps_ = 1;
    std::uint32_t warps_per_block_ = 1;
    double all_work_ = 0;       // of the launch
    double recorded_work_ = 0;  // of whole products that the stream executes
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
