// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of `ptx/linked.hpp`, with what its steps become.
#ifndef WARPGAUGE_TESTS_SASS_LOWERED_HPP
#define WARPGAUGE_TESTS_SASS_LOWERED_HPP

#include <cstdint>
#include <string>
#include <utility>

#include <warpgauge/sass/lowered_steps.hpp>

#include "ptx/linked.hpp"

struct lowered_text : linked_text {
    explicit lowered_text(const std::string& body, std::uint8_t major = 7, std::uint8_t minor = 5)
        : linked_text(kernel_of(body)), steps(program, program.routines[0], {major, minor}) {}

    // Of a step of the body, by pipe.
    [[nodiscard]] std::uint32_t count(std::uint32_t index, warpgauge::sass::pipe p) const {
        return steps.counts(instructions_before_body + index)[static_cast<std::size_t>(p)];
    }
    [[nodiscard]] std::uint32_t total(std::uint32_t index) const {
        return steps.total(instructions_before_body + index);
    }
    [[nodiscard]] warpgauge::sass::detail::fold fold_of(std::uint32_t index) const {
        return steps.folding().fold_of(instructions_before_body + index);
    }

    warpgauge::sass::detail::lowered_steps<> steps;
};

#endif
