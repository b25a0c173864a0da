// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_RECORDED_COSTS_HPP
#define WARPGAUGE_PTX_TRACE_RECORDED_COSTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/run/executed.hpp>

/// \file What the steps of recorded warps cost: mostly what another one did, of the same warp or of another.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::run::executed;

template <class Used = core::when_used>
class recorded_costs {
public:
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
    /// What is at a place, of no step.
    [[nodiscard]] const executed& operator[](std::uint32_t place) const { return all_[place].of; }

    /// The place of what a step costs, said of no step: that of equal costs, if they are among the last ones of a kind.
    std::uint32_t place_of(const executed& costs) {
        std::uint32_t& last = last_[kind_of(costs)];
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
        for (; size() > count; all_.pop_back()) last_[kind_of(all_.back().of)] = all_.back().before;
    }

private:
    static constexpr int max_compared = 8;
    static constexpr unsigned kind_bits = 6;

    // Of costs that differ, mostly another one.
    static std::uint32_t kind_of(const executed& e) {
        std::uint32_t mixed = e.active;
        for (const std::uint32_t n : {e.alignment, e.transactions}) {
            mixed = mixed * 0x9e37'79b9U + n;
        }
        return mixed * 0x9e37'79b9U >> (32 - kind_bits);
    }

    struct cost {
        executed of{};
        std::uint32_t before{};  // one past the place of other costs of the kind; 0: there are none
    };

    core::late<Used, std::vector<cost>> all_;
    std::uint32_t last_[1U << kind_bits]{};  // the same of the last ones
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
