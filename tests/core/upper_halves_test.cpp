// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <limits>

#include <warpgauge/core/upper_halves.hpp>

using namespace warpgauge;

TEST_CASE("one number out of range is seen wherever it stands") {
    const auto in_range = [](const std::array<double, 11>& numbers) {
        core::upper_halves all;
        all.see<sizeof numbers>(reinterpret_cast<const char*>(numbers.data()));
        return all.in_range();
    };
    std::array<double, 11> numbers{0, 1, 1e-300, 9.9e19, 2, 3, 4, 5, 6, 0.1, 5e-324};
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
