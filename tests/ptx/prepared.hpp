// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A text of one kernel, prepared for a launch, and the machine that follows its warps.
#ifndef WARPGAUGE_TESTS_PTX_PREPARED_HPP
#define WARPGAUGE_TESTS_PTX_PREPARED_HPP

#include <cstdint>
#include <string>

#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/trace/prepared_launch.hpp>

#include "ptx/linked.hpp"

// The kernel of `kernel_of`, whose first parameter is 100.
struct prepared_text : parsed_text {
    prepared_text(const std::string& body, const warpgauge::ptx::launch& l, std::uint64_t max_steps)
        : parsed_text(kernel_of(body)),
          started(l),
          prepared(
              *warpgauge::ptx::detail::trace::prepare_launch({&module, 0}, started, hundred, {})),
          machine(prepared.linked, prepared.arguments, prepared.decisions, prepared.capability,
                  {max_steps, 1 << 20, 8}) {}

    static constexpr warpgauge::ptx::argument hundred[]{100};
    warpgauge::ptx::launch started;
    warpgauge::ptx::detail::trace::prepared_launch prepared;
    warpgauge::ptx::run::warp_machine<> machine;
};

#endif
