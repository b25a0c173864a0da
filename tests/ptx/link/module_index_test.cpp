// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/link/module_index.hpp>

#include "ptx/linked.hpp"

namespace module_index_test {

using namespace warpgauge;
using ptx::link::nowhere;

TEST_CASE("functions and variables of a module by their names") {
    const parsed_text t(kernel_of(".shared .b8 own[4];\nret;",
                                  ".extern .global .b32 data[];\n.func f;\n.func g { ret; }\n"
                                  ".func f { ret; }\n.func g;\n.global .b32 data[5];\n"));
    const ptx::module_index index(t.module);
    CHECK(index.source() == &t.module);
    REQUIRE(index.function("f") != nowhere);
    CHECK(t.module.functions[index.function("f")].has_body);
    CHECK(t.module.functions[index.function("g")].has_body);
    CHECK(index.function("k") == t.module.functions.size() - 1);
    CHECK(index.function("data") == nowhere);
    REQUIRE(index.variable("data") != nowhere);
    CHECK(t.module.declarations[index.variable("data")].elements == 5);
    CHECK(index.may_be_written(index.variable("data")));  // it has no values
    for (const char* name : {"own", "n", "%r", "f", "none"}) CHECK(index.variable(name) == nowhere);
    const parsed_text named(
        kernel_of("ret;",
                  ".func f { ret; }\n.func g;\n.func h { ret; }\n"
                  ".func bare;\n.global .b32 late[5];\n.extern .global .b32 late[];\n"
                  ".alias g, f;\n.alias e, f;\n.alias h, f;\n.alias d, none;\n.alias b, bare;\n"));
    const ptx::module_index aliases(named.module);
    CHECK(aliases.function("g") == aliases.function("f"));
    CHECK(aliases.function("e") == aliases.function("f"));
    CHECK(aliases.function("h") != aliases.function("f"));
    CHECK(aliases.function("d") == nowhere);
    CHECK(aliases.function("b") == nowhere);
    CHECK(named.module.declarations[aliases.variable("late")].elements == 5);
    CHECK(ptx::module_index<>().source() == nullptr);
}

}  // namespace module_index_test
