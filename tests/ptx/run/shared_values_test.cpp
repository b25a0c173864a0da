// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/shared_values.hpp>

namespace shared_values_test {

using warpgauge::ptx::detail::run::shared_values;

TEST_CASE("bytes that all stores agree on") {
    shared_values<> v;
    v.clear(16);
    std::uint64_t value = 0;
    CHECK_FALSE(v.any());
    CHECK_FALSE(v.read(0, 4, value));
    v.store(0, 4, 0x0403'0201);
    v.store(0, 4, 0x0403'0201);
    CHECK(v.any());
    REQUIRE(v.read(1, 2, value));
    CHECK(value == 0x0302);
    v.store(2, 1, 9);
    CHECK(v.read(0, 2, value));
    CHECK_FALSE(v.read(0, 4, value));
    v.lose(0, 1);
    CHECK_FALSE(v.read(0, 1, value));
    v.store(0, 1, 1);
    CHECK_FALSE(v.read(0, 1, value));  // for good
    v.store(14, 4, 0x0807'0605);
    CHECK(v.read(14, 2, value));
    CHECK_FALSE(v.read(14, 4, value));
    CHECK_FALSE(v.read(~std::uint64_t{0}, 4, value));
    v.store(~std::uint64_t{0} - 1, 4, 7);  // beyond the end
    v.lose(16, 4);
    CHECK(v.read(14, 2, value));
    v.lose_all();
    CHECK_FALSE(v.any());
    CHECK_FALSE(v.read(14, 2, value));
    v.clear(16);
    CHECK_FALSE(v.read(14, 2, value));
}

TEST_CASE("what is known follows what is found, until that stays the same") {
    shared_values<> known, found;
    known.clear(8);
    found.clear(8);
    std::uint64_t value = 0;
    found.store(0, 2, 0x0201);
    found.lose(4, 1);
    CHECK_FALSE(known.follow(found));
    CHECK(known.follow(found));
    CHECK(known.read(0, 2, value));
    found.clear(8);
    found.store(1, 1, 2);
    found.store(4, 1, 7);  // was not known before: it may be from now on
    CHECK_FALSE(known.follow(found));
    CHECK_FALSE(known.read(0, 1, value));
    CHECK(known.read(1, 1, value));
    CHECK(known.read(4, 1, value));
    found.store(0, 1, 1);
    CHECK(known.follow(found));
    CHECK_FALSE(known.read(0, 1, value));
    found.lose_all();
    CHECK_FALSE(known.follow(found));
    CHECK(known.follow(found));
    CHECK_FALSE(known.any());
}

}  // namespace shared_values_test
