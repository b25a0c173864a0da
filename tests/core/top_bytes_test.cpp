// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <limits>

#include <warpgauge/core/top_bytes.hpp>

namespace top_bytes_test {

using namespace warpgauge;

namespace {

template <class Numbers>
const char* bytes_of(const Numbers& numbers) {
    return reinterpret_cast<const char*>(numbers.data());
}

}  // namespace

TEST_CASE("one number out of range is seen wherever it stands") {
    const auto in_range = [](const std::array<double, 11>& numbers) {
        core::top_bytes<16> all;
        all.see<sizeof numbers>(bytes_of(numbers));
        return all.in_range();
    };
    std::array<double, 11> numbers{0, 1, 1e-300, 3.6e19, 2, 3, 4, 5, 6, 0.1, 5e-324};
    CHECK(in_range(numbers));
    const double infinite = std::numeric_limits<double>::infinity();
    const double not_a_number = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t n = 0; n < numbers.size(); ++n) {
        for (const double bad : {-1.0, -1e-300, 1.1e20, infinite, -infinite, not_a_number}) {
            auto changed = numbers;
            changed[n] = bad;
            CHECK_FALSE(in_range(changed));
        }
    }
}

TEST_CASE("a number that is too small is seen where none may be") {
    const auto in_range = [](const std::array<double, 6>& numbers) {
        core::top_bytes<16> all;
        all.see_positive<sizeof numbers>(bytes_of(numbers));
        return all.in_range();
    };
    const std::array<double, 6> numbers{1, 4.7e-10, 1e19, 3, 0.1, 7};
    CHECK(in_range(numbers));
    for (std::size_t n = 0; n < numbers.size(); ++n) {
        for (const double bad : {0.0, 0.9e-10, 5e-324}) {
            auto changed = numbers;
            changed[n] = bad;
            CHECK_FALSE(in_range(changed));
        }
    }
}

}  // namespace top_bytes_test
