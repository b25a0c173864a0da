// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/core/name_characters.hpp>

#include <string_view>

#include <doctest/doctest.h>

namespace name_characters_test {

using namespace warpgauge;

TEST_CASE("separators") {
    for (const char c : std::string_view(" _-,")) CHECK(core::is_separator(c));
    for (const char c : std::string_view("aZ09.+\t")) CHECK_FALSE(core::is_separator(c));
}

TEST_CASE("letters in lower case") {
    CHECK(core::lower('A') == 'a');
    CHECK(core::lower('Z') == 'z');
    for (const char c : std::string_view("az09@[_\xc4")) CHECK(core::lower(c) == c);
}

}  // namespace name_characters_test
