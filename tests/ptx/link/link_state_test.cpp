// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/link/link_state.hpp>

#include "ptx/linked.hpp"

namespace link_state_test {

using namespace warpgauge;
using ptx::detail::link::link_state;

TEST_CASE("the first error counts, at the place of the current instruction") {
    const parsed_text t(kernel_of("ret;"));
    link_state<> state{.source = t.module, .max_work = 2};
    state.statement = 3;
    CHECK(state.ok());
    state.count_work();
    state.count_work();
    CHECK(state.ok());
    state.count_work();
    CHECK(state.error == model_error{errc::limit_reached, "max_steps", 15, 1});
    state.fail(errc::missing, "label");
    CHECK(state.error.field == "max_steps");
}

TEST_CASE("only the kernel's own parameters are known") {
    const parsed_text t(kernel_of("ret;", ".func f(.param .u32 a) { ret; }\n"));
    link_state<> state{.source = t.module, .max_work = 2};
    state.made.routines = {{.function = 1}, {.function = 0}};
    const std::uint32_t first = t.module.functions[1].parameters.first;
    CHECK(state.current_function().name == "k");
    CHECK(state.kernel_parameter(first) == 0);
    CHECK(state.kernel_parameter(first + 1) == 1);
    CHECK(state.kernel_parameter(first + 2) == ptx::link::nowhere);
    state.routine = 1;
    CHECK(state.current_function().name == "f");
    CHECK(state.kernel_parameter(t.module.functions[0].parameters.first) == ptx::link::nowhere);
}

}  // namespace link_state_test
