// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a first program needs: profiles of common kernels, devices and the model to take.
#include <warpgauge/profiles.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace profiles = warpgauge::profiles;
constexpr warpgauge::devices::l40 gpu;

template <class Profile>
constexpr bool is_predicted(const Profile& k) {
    return default_model(gpu).predict(k).has_value();
}

static_assert(is_predicted(profiles::stream({.elements = 1 << 24, .threads_per_block = 256})));
static_assert(is_predicted(profiles::element_wise({.elements = 1 << 24})));
static_assert(is_predicted(profiles::softmax({.rows = 1024, .columns = 512}, gpu)));

// A profile needs no name of its own.
static_assert(default_model(gpu).predict(
    {.blocks = 4096, .threads_per_block = 256, .comp_insts = 10, .coalesced_mem_insts = 3}));
static_assert(warpgauge::roofline_model{gpu}.predict(
    {.blocks = 4096, .threads_per_block = 256, .comp_insts = 10, .coalesced_mem_insts = 3}));
constexpr warpgauge::devices::geforce_gtx_280 old;
static_assert(warpgauge::mwp_cwp_model{old}.predict(
    {.blocks = 60, .threads_per_block = 256, .comp_insts = 10, .coalesced_mem_insts = 3}));
static_assert(!warpgauge::mwp_cwp_model{old}.predict({}));

}  // namespace
