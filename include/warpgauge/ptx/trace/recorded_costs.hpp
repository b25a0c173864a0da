// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_RECORDED_COSTS_HPP
#define WARPGAUGE_PTX_TRACE_RECORDED_COSTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/run/executed.hpp>

/// \file What the steps of recorded warps cost: a step mostly costs what it did before, also for another warp.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::run::executed;

template <class Used = core::when_used>
class recorded_costs {
public:
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
    /// What is at a place.
    [[nodiscard]] const executed& operator[](std::uint32_t place) const { return all_[place].of; }

    /// The place of what a step costs: that of equal costs, if they are among its last ones.
    std::uint32_t place_of(const executed& costs) {
        if (last_.size() <= costs.step) last_.resize(std::size_t{costs.step} + 1);
        std::uint32_t& last = last_[costs.step];
        std::uint32_t at = last;
        for (int n = 0; n < max_compared && at != 0; ++n) {
            if (all_[at - 1].of == costs) return at - 1;
            at = all_[at - 1].before;
        }
        all_.push_back({costs, last});
        last = size();
        return last - 1;
    }

    /// Forgets what came behind the first `count`.
    void shrink_to(std::uint32_t count) {
        for (; size() > count; all_.pop_back()) last_[all_.back().of.step] = all_.back().before;
    }

private:
    static constexpr int max_compared = 8;

    struct cost {
        executed of{};
        std::uint32_t before{};  // one past the place of other costs of the step; 0: there are none
    };

    core::late<Used, std::vector<cost>> all_;
    core::late<Used, std::vector<std::uint32_t>> last_;  // by step, the same of its last ones
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
