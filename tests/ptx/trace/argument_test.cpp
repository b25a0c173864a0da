// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/argument.hpp>

namespace argument_test {

using warpgauge::ptx::argument;

TEST_CASE("the kinds of arguments") {
    CHECK(argument{}.what() == argument::kind::not_given);
    CHECK(argument(-2).what() == argument::kind::integer);
    CHECK(argument(-2).value() == ~std::uint64_t{1});
    CHECK(argument::unknown().what() == argument::kind::unknown);
    const std::array<unsigned char, 3> structure{1, 2, 3};
    const argument bytes{std::span<const unsigned char>(structure)};
    CHECK(bytes.what() == argument::kind::bytes);
    CHECK(bytes.bytes().size() == 3);
}

}  // namespace argument_test
