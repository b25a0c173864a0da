// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/characters.hpp>

namespace characters_test {

using namespace warpgauge::ptx::detail::text;

TEST_CASE("what a character can be part of") {
    for (const char c : std::string_view("azAZ_$%")) {
        CHECK(is_letter(c));
        CHECK(belongs(c, of_letters));
        CHECK(belongs(c, of_directive));
        CHECK(belongs(c, of_opcode));
        CHECK(belongs(c, of_name));
    }
    CHECK(is_digit('0'));
    CHECK(is_digit('9'));
    CHECK_FALSE(belongs('0', of_letters));
    CHECK(belongs('0', of_name));
    CHECK(belongs('.', of_opcode));
    CHECK_FALSE(belongs('.', of_directive));
    CHECK(belongs(':', of_directive));
    CHECK_FALSE(belongs(':', of_opcode));
    CHECK(belongs('@', of_name));
    CHECK_FALSE(belongs('@', of_opcode));
    CHECK(belongs('\t', of_space));
    CHECK_FALSE(belongs('\n', of_space));
    CHECK(belongs('}', ends_skipping));
    for (const char c : std::string_view(";,[]{}()+-|!\"/\x80\xff", 17)) {
        CHECK_FALSE(belongs(c, of_name));
        CHECK_FALSE(is_letter(c));
    }
}

TEST_CASE("the end of a word, however long it is") {
    const std::string_view text = "%tid.x,%r123456789012;";
    CHECK(behind(of_name, text.data()) == text.data() + 6);
    CHECK(behind(of_name, text.data() + 6) == text.data() + 6);
    for (std::size_t from = 7; from < text.size(); ++from) {
        CHECK(behind(of_name, text.data() + from) == text.data() + text.size() - 1);
    }
}

}  // namespace characters_test
