// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/link/registers.hpp>

#include "ptx/linked.hpp"

namespace registers_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::link;

static_assert(special_register("%ctaid.y") == ptx::link::ctaid_y);

TEST_CASE("special registers") {
    CHECK(special_register("%tid.x") == ptx::link::tid_x);
    CHECK(special_register("%lanemask_ge") == ptx::link::lanemask_ge);
    CHECK(special_register("%total_smem_size") == ptx::link::total_smem_size);
    for (const char* unknown : {"%clock64", "%smid", "%tid", "%envreg7", "%pm0"}) {
        CHECK(special_register(unknown) == ptx::link::unknown_row);
    }
    CHECK(special_register("%r1") == nowhere);
    CHECK(special_register("tid.x") == nowhere);
}

TEST_CASE("registers that a value takes") {
    CHECK(register_weight("pred") == 0);
    CHECK(register_weight("b16") == 1);
    CHECK(register_weight("f32") == 1);
    CHECK(register_weight("f64") == 2);
    CHECK(register_weight("u64") == 2);
    CHECK(register_weight("b128") == 4);
}

TEST_CASE("each register has a row, made when it is first used") {
    const parsed_text t(kernel_of(".reg .v2 .f32 %v;\nret;"));
    link_state<> state{.source = t.module};
    state.made.routines.push_back({.function = 0});
    symbols<> names(state);
    names.add(t.module.functions[0]);
    state.statement = 3;
    registers<> rows(state, names);
    const std::uint32_t r5 = rows.row_of("%r5");
    CHECK(r5 == (ptx::link::of_call | 0));
    CHECK(rows.row_of("%d2") == (ptx::link::of_call | 1));
    CHECK(rows.row_of("%r5") == r5);
    CHECK(rows.row_of("%v.x") != rows.row_of("%v.y"));
    CHECK(rows.row_of("n") == nowhere);  // a parameter
    CHECK(rows.row_of("none") == nowhere);
    CHECK(rows.new_row(0) == (ptx::link::of_call | 4));
    CHECK(state.made.routines[0].weights == std::vector<std::uint8_t>{1, 2, 1, 1, 0});
}

}  // namespace registers_test
