// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A part of a program. It is compiled several times, with the function's name in UNIT.
#include "unit.hpp"

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/warpgauge.hpp>

found UNIT() {
    const warpgauge::kernel_profile<> k{.blocks = 80,
                                        .threads_per_block = 128,
                                        .registers_per_thread = 10,
                                        .comp_insts = 27,
                                        .coalesced_mem_insts = 6};
    const auto time = warpgauge::mwp_cwp_model<warpgauge::devices::geforce_gtx_280>{}.predict(k);
    using four = warpgauge::lanes<4>;
    const four numbers(four::vector{0.5, 1.5, 2.5, 3.5});
    const four whole = warpgauge::scalar_traits<four>::floor(numbers);
    const auto message = &warpgauge::message;
    return {time ? time->seconds : -1,
            whole.values[0] + whole.values[1] + whole.values[2] + whole.values[3],
            reinterpret_cast<const void*>(message)};
}
