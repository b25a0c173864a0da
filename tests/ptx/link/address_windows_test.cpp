// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <initializer_list>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/address_windows.hpp>

namespace address_windows_test {

using warpgauge::ptx::link::address_windows;

TEST_CASE("windows lie apart from allocations and from each other") {
    const address_windows wide(64), narrow(32);
    CHECK(wide.shared() == std::uint64_t{0x70} << 56);
    CHECK(narrow.shared() == 0x7000'0000);
    CHECK(wide.local() == std::uint64_t{0x60} << 56);
    CHECK(wide.window_of(wide.local() + 12) == wide.local());
    CHECK(wide.within(wide.local() + 12) == 12);
    CHECK(narrow.window_of(narrow.parameters() + 12) == narrow.parameters());
    CHECK(wide.window_of(std::uint64_t{5} << 40) == 0);
}

TEST_CASE("a sum of an address and what is not known is near its window, perhaps below") {
    for (const std::uint32_t bits : {32U, 64U}) {
        const address_windows w(bits);
        for (const std::uint64_t window : {w.shared(), w.local(), w.parameters()}) {
            CHECK(w.window_near(window) == window);
            CHECK(w.window_near(window - 4096) == window);
            CHECK(w.window_near(window + 4096) == window);
        }
        CHECK(w.window_near(0) == 0);
        CHECK(w.window_near(0 - std::uint64_t{64}) == 0);
        CHECK(w.window_near(w.variables()) == 0);
        CHECK(w.window_near(w.functions()) == 0);
    }
}

TEST_CASE("a parameter's address, there and back") {
    for (const std::uint32_t bits : {32U, 64U}) {
        const address_windows w(bits);
        for (const std::uint32_t n : {0U, 1U, 200U}) {
            CHECK(w.window_of(w.parameter(n)) == w.parameters());
            CHECK(w.parameter_number(w.parameter(n) + 40) == n);
            CHECK(w.parameter_offset(w.parameter(n) + 40) == 40);
        }
    }
    CHECK(address_windows(64).parameter(1) - address_windows(64).parameter(0) == 1 << 20);
    CHECK(address_windows(32).parameter(1) - address_windows(32).parameter(0) == 1 << 16);
}

TEST_CASE("a function's address, there and back") {
    for (const std::uint32_t bits : {32U, 64U}) {
        const address_windows w(bits);
        CHECK(w.variables() < w.end_of_variables());
        CHECK(w.end_of_variables() <= w.functions());
        for (const std::uint32_t n : {0U, 1U, 1'000'000U}) {
            CHECK(w.function_number(w.function(n)) == n);
            CHECK(w.function_number(w.function(n) + 1) == ~std::uint64_t{0});
        }
        CHECK(w.function_number(w.parameter(0)) == ~std::uint64_t{0});
    }
}

}  // namespace address_windows_test
