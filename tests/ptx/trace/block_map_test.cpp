// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/block_map.hpp>

namespace block_map_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

TEST_CASE("a block has the value that it got, and no other has one") {
    block_map<double> values;
    CHECK(values.find({}) == nullptr);
    values.add({1, 2, 3}, 0.5);
    values.add({3, 2, 1}, 1.5);
    REQUIRE(values.find({1, 2, 3}) != nullptr);
    CHECK(*values.find({1, 2, 3}) == 0.5);
    CHECK(*values.find({3, 2, 1}) == 1.5);
    CHECK(values.find({2, 1, 3}) == nullptr);
    CHECK(values.find({}) == nullptr);
}

TEST_CASE("as many blocks as there are, near each other or far apart") {
    constexpr std::uint32_t blocks = 5000;
    for (const std::uint32_t step : {1U, 64U, 65'536U}) {
        CAPTURE(step);
        const auto at = [&](std::uint32_t n) {
            return block_index{step * (n % 20), n / 20 % 20, step * (n / 400)};
        };
        block_map<std::uint32_t> values;
        for (std::uint32_t n = 0; n < blocks; ++n) {
            if (values.find(at(n)) != nullptr) FAIL("a block that has got no value has one");
            values.add(at(n), n);
        }
        for (std::uint32_t n = 0; n < blocks; ++n) {
            const std::uint32_t* const found = values.find(at(n));
            if (found == nullptr || *found != n) FAIL("a block has not its value: ", n);
        }
    }
}

TEST_CASE("hashes of neighbours differ in their last bits") {
    bool taken[64]{};
    int different = 0;
    for (std::uint32_t n = 0; n < 64; ++n) {
        bool& here = taken[hash_of({n % 4, n / 4 % 4, n / 16}) % 64];
        different += here ? 0 : 1;
        here = true;
    }
    CHECK(different > 30);  // 64 by chance take 41
}

}  // namespace block_map_test
