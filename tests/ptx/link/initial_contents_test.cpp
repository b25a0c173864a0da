// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/initial_contents.hpp>

#include "ptx/linked.hpp"

namespace initial_contents_test {

using namespace warpgauge;

TEST_CASE("variables that the kernel has the address of, and those that they point to") {
    const linked_text k(
        kernel_of("mov.u64 %d2, table;\nmov.u64 %d3, hidden;\nst.global.u32 [hidden], 1;\nret;",
                  ".const .u32 other[2] = {6, 7};\n.const .u32 unused[2] = {8, 9};\n"
                  ".func f { ret; }\n.global .u32 hidden[2] = {3};\n"
                  ".global .align 8 .u64 table[5] = {1, other+4, f, undeclared};\n"));
    const auto& c = k.program.contents;
    const std::uint64_t table = k.constant(k.source(k.body(0)));
    std::uint64_t value = 0;
    REQUIRE(c.read(table, 8, value));
    CHECK(value == 1);
    std::uint64_t other = 0;
    REQUIRE(c.read(table + 8, 8, other));
    REQUIRE(c.read(other, 4, value));
    CHECK(value == 7);
    REQUIRE(c.read(table + 16, 8, value));
    CHECK(ptx::link::address_windows(64).function_number(value) == 0);
    CHECK_FALSE(c.read(table + 24, 8, value));
    REQUIRE(c.read(table + 32, 8, value));
    CHECK(value == 0);
    CHECK_FALSE(c.read(k.constant(k.source(k.body(1))), 4, value));  // written to
}

TEST_CASE("large variables lie apart, in texts of both widths of addresses") {
    for (const std::string bits : {"32", "64"}) {
        const std::string text = ".version 7.0\n.target sm_75\n.address_size " + bits +
                                 "\n.global .u32 a[100000] = {1};\n.global .u32 b[] = {2, 3};\n"
                                 ".entry k() { .reg .b32 %r<9>;\nld.global.u32 %r1, [a];\n"
                                 "ld.global.u32 %r2, [b+4];\nret; }\n";
        const linked_text k(text);
        const auto address = [&](std::size_t step) {
            return k.constant(k.source(k.program.steps.at(step)));
        };
        CHECK(address(1) - address(0) >= 400'000);
        CHECK((bits == "64" || address(1) < 0x4000'0000));
        std::uint64_t value = 0;
        REQUIRE(k.program.contents.read(address(1) + 4, 4, value));
        CHECK(value == 3);
        CHECK_FALSE(k.program.contents.read(address(1) + 8, 4, value));
        REQUIRE(k.program.contents.read(address(0) + 399'996, 4, value));
        CHECK(value == 0);
    }
}

TEST_CASE("values without room are an error where something reads the variable") {
    const std::string functions = ".const .u32 t[1] = {1, 2};\n";
    CHECK(linked_text(kernel_of("ret;", functions)).program.contents.empty());
    CHECK(link_error_of(kernel_of("ld.const.u32 %r3, [t];\nret;", functions)) ==
          model_error{errc::outside_domain, "initial values", 4, 13});
    CHECK(link_error_of(kernel_of("mov.u64 %d2, t;\nret;", ".global .b64 t[281474976710656];\n"))
              .field == "global");
}

TEST_CASE(
    "an address that is too narrow, or of a variable whose place is a block's, is not known") {
    const linked_text k(kernel_of("mov.u64 %d2, table;\nmov.u64 %d3, half;\nret;",
                                  ".func f { ret; }\n.shared .u32 tiles[4];\n"
                                  ".global .align 8 .u64 table[4] = {1, tiles, 3, f};\n"
                                  ".global .u32 half[2] = {f, 5};\n"));
    const auto& c = k.program.contents;
    const std::uint64_t table = k.constant(k.source(k.body(0)));
    const std::uint64_t half = k.constant(k.source(k.body(1)));
    std::uint64_t value = 0;
    CHECK_FALSE(c.read(table + 8, 8, value));
    REQUIRE(c.read(table + 16, 8, value));
    CHECK(value == 3);
    CHECK_FALSE(c.read(half, 4, value));
    REQUIRE(c.read(half + 4, 4, value));
    CHECK(value == 5);
}

}  // namespace initial_contents_test
