// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_STEP_VALUES_HPP
#define WARPGAUGE_PTX_TRACE_STEP_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>

/// \file Something known of some steps of a program, as of those that access memory: the others take only a number each.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

template <class Value, class Used = core::when_used>
class step_values {
public:
    /// Of a program of so many steps; none has a value yet.
    explicit step_values(std::size_t steps) : places_(steps) {}

    [[nodiscard]] std::uint32_t steps() const { return static_cast<std::uint32_t>(places_.size()); }

    /// The value of a step, which gets one if it has none. It is valid until another step gets one.
    [[nodiscard]] Value& of(std::uint32_t step) {
        const std::uint32_t place = places_[step];
        return place == 0 ? add(step) : values_[place - 1];
    }
    /// The same; null if it has none.
    [[nodiscard]] const Value* find(std::uint32_t step) const {
        const std::uint32_t place = places_[step];
        return place == 0 ? nullptr : &values_[place - 1];
    }

private:
    // Apart, so that looking at a value is short.
    [[gnu::noinline]] Value& add(std::uint32_t step) {
        values_.push_back({});
        places_[step] = static_cast<std::uint32_t>(values_.size());
        return values_.back();
    }

    core::late<Used, std::vector<std::uint32_t>> places_;  // by step, from 1; 0: it has none
    core::late<Used, std::vector<Value>> values_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
