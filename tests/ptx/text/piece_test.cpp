// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/piece.hpp>

namespace piece_test {

using namespace warpgauge;

TEST_CASE("a piece is a view of the text, in less memory") {
    const std::string text = "ld.global.f32 %f1";
    const ptx::piece p(std::string_view(text).substr(3, 6));
    CHECK(p == "global");
    CHECK_FALSE(p == "globa");
    CHECK(p.data() == text.data() + 3);
    CHECK(p.size() == 6);
    CHECK_FALSE(p.empty());
    CHECK(p[1] == 'l');
    CHECK(p.substr(2) == "obal");
    CHECK(p.substr(2, 1) == "o");
    const std::string_view view = p;
    CHECK(view == "global");
    ptx::piece other;
    CHECK(other.empty());
    CHECK(other.data() == nullptr);
    CHECK(other == "");
    CHECK_FALSE(other == p);
    other = "global";
    CHECK(other == p);
    CHECK(sizeof(p) == sizeof(const char*) + 4);
}

TEST_CASE("a name in a text ends where its characters do") {
    const std::string text = "@%p12 bra L;";
    const ptx::name_piece p(std::string_view(text).substr(1, 4));
    CHECK(p == "%p12");
    CHECK_FALSE(p == "%p1");
    CHECK_FALSE(p.empty());
    const std::string_view view = p;
    CHECK(view.data() == text.data() + 1);
    CHECK(ptx::name_piece().empty());
    CHECK(ptx::name_piece() == "");
    CHECK(ptx::name_piece(std::string_view(text).substr(3, 0)).empty());
    CHECK(sizeof(p) == sizeof(const char*));
}

}  // namespace piece_test
