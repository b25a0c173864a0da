// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One instruction, computed for a warp.
#ifndef WARPGAUGE_TESTS_PTX_RUN_ONE_STEP_HPP
#define WARPGAUGE_TESTS_PTX_RUN_ONE_STEP_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include <warpgauge/ptx/run/register_file.hpp>

#include "ptx/linked.hpp"

// %r3 is the lane's number and %r4 is 100, not known from lane 8 on; `Computer(file, settings...)` computes.
template <class Computer>
struct one_step {
    template <class... Settings>
    explicit one_step(const char* instruction, Settings... settings)
        : k(kernel_of(std::string("add.u32 %r5, %r3, %r4;\n") + instruction + "\nret;")),
          file(k.program),
          computer(file, settings...) {
        namespace run = warpgauge::ptx::detail::run;
        file.begin(one_warp());
        file.add_rows(k.program.routines[0].rows);
        first() = file.at(warpgauge::ptx::link::laneid);
        run::row_values& other = file.at(k.source(k.body(0), 1));
        run::fill(other, 100);
        other.known = 0xff;
    }
    one_step(const one_step&) = delete;  // its parts refer to each other

    // %r3
    warpgauge::ptx::detail::run::row_values& first() { return file.at(k.source(k.body(0), 0)); }

    warpgauge::ptx::detail::run::row_values result(std::uint32_t active = 0xffff'ffff,
                                                   std::size_t which = 0) {
        computer.compute(k.body(1), active);
        return file.at(k.result(k.body(1), which));
    }

    linked_text k;
    warpgauge::ptx::detail::run::register_file<> file;
    Computer computer;
};

#endif
