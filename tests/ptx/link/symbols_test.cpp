// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/link/symbols.hpp>

#include "ptx/linked.hpp"

namespace symbols_test {

using namespace warpgauge;
using ptx::detail::link::link_state, ptx::detail::link::symbols, ptx::link::nowhere;

TEST_CASE("the innermost declaration and label count") {
    const parsed_text t(
        kernel_of("L: add.u32 %r3, %r3, 1;\n{ .reg .b64 %r<2>;\nL: add.u64 %r1, %r1, 1;\n}\nret;"));
    link_state<> state{.source = t.module};
    state.made.routines.push_back({.function = 0});
    symbols<> names(state);
    names.add(t.module.functions[0]);
    const auto type = [&](std::string_view name) {
        return t.module.declarations[names.register_declaration(name)].type;
    };
    state.statement = 3;
    CHECK(type("%r1") == "b32");
    CHECK(names.label("L") == 0);
    CHECK(names.label("M") == nowhere);
    CHECK(names.visible("n") == t.module.functions[0].parameters.first);
    state.statement = 4;
    CHECK(type("%r1") == "b64");
    CHECK(names.label("L") == 1);
}

TEST_CASE("registers of a row of them") {
    const parsed_text t(kernel_of(".reg .b32 %r1x<3>, %one;\nret;"));
    link_state<> state{.source = t.module};
    state.made.routines.push_back({.function = 0});
    symbols<> names(state);
    names.add(t.module.functions[0]);
    state.statement = 3;
    CHECK(names.register_declaration("%r39") != nowhere);
    CHECK(names.register_declaration("%r40") == nowhere);
    CHECK(names.register_declaration("%r1x2") != nowhere);
    CHECK(names.register_declaration("%r1x3") == nowhere);
    CHECK(names.register_declaration("%one") != nowhere);
    CHECK(names.register_declaration("%r") == nowhere);
    CHECK(names.register_declaration("%r99999999999") == nowhere);
}

TEST_CASE("functions and variables of the module, declared before they are defined") {
    const parsed_text t(kernel_of("ret;",
                                  ".extern .func f();\n.func f() { ret; }\n"
                                  ".extern .global .b8 v[];\n.global .b8 v[4];\n"));
    link_state<> state{.source = t.module};
    const symbols<> names(state);
    CHECK(names.function("f") == 1);
    CHECK(names.function("k") == 2);
    CHECK(names.function("g") == nowhere);
    CHECK(t.module.declarations[names.module_variable("v")].elements == 4);
    CHECK(names.module_variable("tile") == nowhere);  // of the kernel
}

}  // namespace symbols_test
