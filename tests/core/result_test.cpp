// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

#include <warpgauge/core/result.hpp>

namespace result_test {

using namespace warpgauge;

namespace {

constexpr result<int> half(int x) {
    if (x % 2 != 0) return model_error{errc::outside_domain, "x"};
    return x / 2;
}

static_assert(half(4) && *half(4) == 2);
static_assert(!half(3) && half(3).error() == model_error{errc::outside_domain, "x"});

}  // namespace

TEST_CASE("a result holds a value or an error") {
    const result<std::string> good(std::string("yes"));
    REQUIRE(good.has_value());
    CHECK(*good == "yes");
    CHECK(good->size() == 3);

    const result<std::string> bad(model_error{errc::missing, "name"});
    CHECK_FALSE(bad);
    CHECK(bad.error().code == errc::missing);
    CHECK(bad.error().field == "name");
}

TEST_CASE("what a temporary result is read into lives on") {
    const auto text = [] { return result<std::string>(std::string(100, 'x')); };
    const auto& kept = *text();
    CHECK(kept == std::string(100, 'x'));
    static_assert(std::is_same_v<decltype(*text()), std::string>);
}

TEST_CASE("a value can be changed and moved out") {
    result<std::vector<int>> r(std::vector{1, 2});
    r->push_back(3);
    (*r)[0] = 7;
    const std::vector<int> taken = *std::move(r);
    CHECK(taken == std::vector{7, 2, 3});
}

TEST_CASE("messages name the field and the reason") {
    CHECK(message({errc::not_positive, "blocks"}).view() ==
          "blocks must be a finite number above zero");
    // One sentence for options, fractions, ends of intervals and models.
    CHECK(message({errc::outside_domain, "fraction"}).view() ==
          "fraction has a value that is not allowed here");
    CHECK(message({errc::malformed, "row", 12, 340}).view() ==
          "line 12, column 340: row does not have the expected form");
    CHECK(message({errc::malformed, "instructions", 3}).view() ==
          "entry 3: instructions does not have the expected form");
    CHECK(message({errc::expected, "';'", 3, 7}).view() ==
          "line 3, column 7: ';' is expected here");
    for (int code = 0; code <= static_cast<int>(errc::not_whole); ++code) {
        CHECK(reason(static_cast<errc>(code)) != "has an unknown error");
        for (int other = 0; other < code; ++other) {
            CHECK(reason(static_cast<errc>(code)) != reason(static_cast<errc>(other)));
        }
    }
    CHECK(reason(static_cast<errc>(200)) == "has an unknown error");
    const error_text text = message({errc::missing, "clock_hz"});
    const std::string_view view = text;
    CHECK(view == "clock_hz is needed and not given");
}

TEST_CASE("a message that is too long is cut off, and stays a C string") {
    const std::string long_name(500, 'x');
    const error_text text = message({errc::missing, long_name});
    CHECK(text.view().size() == error_text::capacity);
    CHECK(std::string(text.c_str()) == std::string(error_text::capacity, 'x'));
}

TEST_CASE("errors differ in what is wrong and where") {
    constexpr warpgauge::model_error e{warpgauge::errc::missing, "n", 1, 2};
    CHECK(e == warpgauge::model_error{warpgauge::errc::missing, "n", 1, 2});
    CHECK_FALSE(e == warpgauge::model_error{warpgauge::errc::negative, "n", 1, 2});
    CHECK_FALSE(e == warpgauge::model_error{warpgauge::errc::missing, "m", 1, 2});
    CHECK_FALSE(e == warpgauge::model_error{warpgauge::errc::missing, "n", 2, 2});
}

}  // namespace result_test
