// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/known_contents.hpp>

namespace known_contents_test {

using warpgauge::ptx::link::known_contents;

TEST_CASE("bytes of runs, zeros between them, and nothing beyond a variable") {
    known_contents<> c;
    CHECK(c.empty());
    CHECK_FALSE(c.may_have(0));
    c.add_variable(100, 12);
    c.add_run({.address = 102, .bytes = 2, .first = 0, .known = true});
    c.bytes() = {1, 2};
    c.add_run({.address = 104, .bytes = 2, .known = false});
    c.add_variable(200, 4);
    c.add_run({.address = 200, .bytes = 4, .first = 2, .known = true});
    c.bytes().insert(c.bytes().end(), {3, 4, 5, 6});
    CHECK_FALSE(c.may_have(99));
    CHECK(c.may_have(100));
    CHECK(c.may_have(203));
    CHECK_FALSE(c.may_have(204));
    CHECK(c.first() == 100);
    CHECK(c.end() == 204);
    std::uint64_t value = 9;
    REQUIRE(c.read(100, 4, value));
    CHECK(value == 0x0201'0000);
    REQUIRE(c.read(100, 1, value));
    CHECK(value == 0);
    REQUIRE(c.read(200, 4, value));
    CHECK(value == 0x0605'0403);
    REQUIRE(c.read(106, 6, value));
    CHECK(value == 0);
    CHECK_FALSE(c.read(103, 2, value));  // the second is not known
    CHECK_FALSE(c.read(106, 8, value));  // past the end
    CHECK_FALSE(c.read(100, 9, value));  // more than a value has
    CHECK_FALSE(c.read(150, 1, value));
    CHECK_FALSE(c.read(99, 1, value));
    CHECK_FALSE(c.read(202, 4, value));
}

}  // namespace known_contents_test
