// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/text/module.hpp>

namespace module_test {

using namespace warpgauge;

TEST_CASE("a function is found by name, one with a body before one without") {
    ptx::module m;
    m.functions.resize(5);
    m.functions[0].name = "declared";
    m.functions[1].name = "both";
    m.functions[2].name = "both";
    m.functions[2].has_body = true;
    m.functions[3].name = "both";
    m.functions[3].has_body = true;  // the first with one
    m.functions[4].name = "declared";
    m.functions[4].has_body = false;
    CHECK(m.find("declared") == &m.functions[0]);
    CHECK(m.find("both") == &m.functions[2]);
    CHECK(m.find("bot") == nullptr);
}

TEST_CASE("lists of a function are ranges of the module's") {
    ptx::module m;
    m.instructions.resize(5);
    m.declarations.resize(4);
    m.operands.resize(6);
    ptx::function f;
    f.instructions = {2, 3};
    f.parameters = {1, 2};
    m.instructions[2].operands = {4, 2};
    CHECK(m.body(f).size() == 3);
    CHECK(m.body(f).data() == &m.instructions[2]);
    CHECK(m.parameters(f).size() == 2);
    CHECK(m.parameters(f).data() == &m.declarations[1]);
    CHECK(m.operands_of(m.instructions[2]).data() == &m.operands[4]);
    CHECK(m.operands_of(m.instructions[3]).empty());
}

}  // namespace module_test
