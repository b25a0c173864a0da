// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number of a profile that is far too large or too small is an error or an answer, in a constant expression too: whatever overflows in one
// does not compile.
#include <string_view>
#include <utility>

#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

using warpgauge::kernel_profile;

constexpr kernel_profile<> plain{.blocks = 100,
                                 .threads_per_block = 256,
                                 .registers_per_thread = 32,
                                 .active_blocks_per_sm = 2,
                                 .comp_insts = 10,
                                 .coalesced_mem_insts = 2,
                                 .uncoalesced_mem_insts = 1};

constexpr int count_numbers() {
    int count = 0;
    kernel_profile<> k;
    for_each_parameter(k, [&](std::string_view, double&) { ++count; });
    return count;
}

// With `value` in place of one of the numbers.
template <class Model, int Number>
constexpr bool is_answered(double value) {
    kernel_profile<> k = plain;
    int n = 0;
    for_each_parameter(k, [&](std::string_view, double& x) {
        if (n++ == Number) x = value;
    });
    const auto e = Model{}.predict(k);
    return e ? e->seconds > 0 : !e.error().field.empty();
}

template <class Model, int... Numbers>
constexpr bool are_answered(std::integer_sequence<int, Numbers...>) {
    bool all = true;
    for (const double value : {1e-300, 1e-12, 1e25, 1e300}) {
        ((all = all && is_answered<Model, Numbers>(value)), ...);
    }
    return all;
}

template <class Model>
constexpr bool takes_any_number =
    are_answered<Model>(std::make_integer_sequence<int, count_numbers()>{});

static_assert(takes_any_number<warpgauge::saturation_model<warpgauge::devices::l40>>);
static_assert(takes_any_number<warpgauge::roofline_model<warpgauge::devices::l40>>);
static_assert(takes_any_number<warpgauge::mwp_cwp_model<warpgauge::devices::geforce_gtx_280>>);

}  // namespace
