// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/cursor.hpp>

namespace cursor_test {

using namespace warpgauge;
using ptx::detail::text::cursor;

TEST_CASE("space and comments are read over, and lines counted") {
    cursor in("a // b ; c\n /* d\n e */  f;");
    CHECK(in.name() == "a");
    CHECK(in.here().line == 3);
    CHECK(in.here().column == 8);
    CHECK(in.name() == "f");
    CHECK(in.peek() == ';');
    CHECK(in.peek(1) == '\0');
    CHECK(in.accept(';'));
    CHECK(in.at_end());
    CHECK(in.ok());
}

TEST_CASE("the first error counts, and ends the text") {
    cursor in("  x y");
    in.skip_space();
    in.expect(';', "';'");
    CHECK(in.error() == model_error{errc::expected, "';'", 1, 3});
    CHECK(in.at_end());
    in.fail(errc::overflow, "later");
    CHECK(in.error().field == "';'");
}

TEST_CASE("numbers of every base") {
    const auto whole = [](std::string_view text) {
        cursor in(text);
        const std::uint64_t value = in.whole();
        CHECK(in.ok());
        CHECK(in.at_end());
        return value;
    };
    CHECK(whole("0") == 0);
    CHECK(whole("10") == 10);
    CHECK(whole("0x1F") == 31);
    CHECK(whole("0b101") == 5);
    CHECK(whole("017") == 15);
    CHECK(whole("7U ") == 7);
    CHECK(whole("18446744073709551615") == ~std::uint64_t{0});
    for (const char* bad : {"", "x", "0x", "18446744073709551616"}) {
        cursor in(bad);
        in.whole();
        CHECK(in.error().field == "a number");
    }
    cursor negative("3");
    CHECK(negative.whole(true) == -3);
    cursor large("4294967296");
    large.small_number("registers");
    CHECK(large.error().code == errc::overflow);
    CHECK(large.error().field == "registers");
}

TEST_CASE("words") {
    cursor in(".shared::cta %tid.x ld.shared::cta.u32 L: .attribute .attributes");
    CHECK(in.directive() == "shared::cta");
    CHECK(in.name() == "%tid.x");
    CHECK(in.opcode() == "ld.shared::cta.u32");
    CHECK(in.opcode() == "L");  // not the colon of a label
    CHECK(in.accept(':'));
    CHECK(in.accept_directive("attribute"));
    CHECK_FALSE(in.accept_directive("attribute"));
    CHECK(in.peek() == '.');
}

TEST_CASE("what is read over") {
    cursor values("{1, {2, 3}, \"};\"}, next; rest");
    values.skip_values(true);
    CHECK(values.peek() == ',');
    values.skip_to_semicolon();
    CHECK(values.name() == "rest");
    cursor section(".debug { .b8 1 // }\n \"}\" {} } after");
    section.skip_braces();
    CHECK(section.name() == "after");
    cursor open("{ { }");
    open.skip_braces();
    CHECK(open.error().field == "'}'");
    cursor parentheses("(a, b) c");
    parentheses.skip_parentheses();
    CHECK(parentheses.name() == "c");
    constexpr std::string_view padded = "ab \n";
    CHECK(cursor::between(padded.data(), padded.data() + padded.size()) == "ab");
}

TEST_CASE("braces and comments within what is read over") {
    cursor section(".debug_str {\n.b8 78,86 // }\n/* } \" */ .b8 1/2,\"}\"\n{.b8 3}\n} x");
    section.skip_braces();
    CHECK(section.ok());
    CHECK(section.peek() == 'x');
    CHECK(section.here().line == 5);
    cursor open("{ {1, 2}\n // }\n");
    open.skip_braces();
    CHECK(open.error() == model_error{errc::expected, "'}'", 3, 1});
    cursor values("{1, {2;3}, \"};\"} /* ; */, b = 4; x");
    values.skip_values(true);
    CHECK(values.peek() == ',');
    values.skip_to_semicolon();
    CHECK(values.peek() == 'x');
}

TEST_CASE("the largest number of each base, and one more") {
    const auto read = [](std::string_view text, bool fits) {
        cursor in(text);
        const std::uint64_t value = in.whole();
        CHECK(in.ok() == fits);
        return value;
    };
    CHECK(read("18446744073709551615", true) == ~std::uint64_t{0});
    read("18446744073709551616", false);
    CHECK(read("0xffffffffffffffff", true) == ~std::uint64_t{0});
    CHECK(read("0xFFFFFFFFFFFFFFFFU", true) == ~std::uint64_t{0});
    read("0x10000000000000000", false);
    CHECK(read("01777777777777777777777", true) == ~std::uint64_t{0});
    read("02000000000000000000000", false);
    CHECK(read("0", true) == 0);
    read("0x", false);
    read("x", false);
}

TEST_CASE("a directive is seen before it is read") {
    cursor in(".shared::cta .b8");
    CHECK(in.peek_directive() == "shared::cta");
    CHECK(in.directive() == "shared::cta");
    CHECK(in.directive() == "b8");
    CHECK(in.at_end());
}

TEST_CASE("a word ends where it ends") {
    cursor in(".shared::cta .u64 .u6");
    CHECK_FALSE(in.accept_directive("shared"));
    CHECK(in.accept_directive("shared::cta"));
    CHECK_FALSE(in.accept_directive("u6"));
    CHECK(in.accept_directive("u64"));
    CHECK(in.accept_directive("u6"));
    CHECK(in.at_end());
    cursor colon(":a");
    CHECK(colon.opcode().empty());
    CHECK(colon.peek() == ':');
    cursor hex("0X1F");
    CHECK(hex.whole() == 31);
}

TEST_CASE("what is read over has to end") {
    cursor none("x");
    none.skip_parentheses();
    CHECK(none.error().field == "'('");
    cursor open("(a b");
    open.skip_parentheses();
    CHECK(open.error().field == "')'");
    cursor text("a \"b\n;");
    text.skip_to_semicolon();
    CHECK(text.error().field == "'\"'");
}

}  // namespace cursor_test
