// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_ANALYSE_MODEL_OF_ONES_OWN_HPP
#define WARPGAUGE_TESTS_ANALYSE_MODEL_OF_ONES_OWN_HPP

#include <warpgauge/core/result.hpp>
#include <warpgauge/devices/geforce_gtx_280.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/models/mwp_cwp.hpp>

// Models for the tests of what analyses any model, and a kernel.

namespace model_of_ones_own {

using namespace warpgauge;

template <class Real = double>
struct timed {
    Real cycles{};
    Real seconds{};
};
template <class Real>
result<timed<Real>> takes(const Real& seconds) {
    return timed<Real>{seconds, seconds};
}

inline constexpr devices::geforce_gtx_280 gpu;
inline constexpr mwp_cwp_model mwp_cwp_on_gpu{gpu};
// A model whose time is one instruction count of the kernel.
inline constexpr function_model counted{
    gpu, [](const auto&, const auto& k) { return takes(k.comp_insts); }};
inline constexpr kernel_profile<> kernel{.blocks = 4000,
                                         .threads_per_block = 256,
                                         .active_blocks_per_sm = 3,
                                         .comp_insts = 400,
                                         .coalesced_mem_insts = 12};

}  // namespace model_of_ones_own

#endif
