// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include <warpgauge/report/svg.hpp>

#include "report/xml.hpp"

using namespace warpgauge::report;
using detail::axis;
using detail::division;

TEST_CASE("the test of well-formedness can fail") {
    CHECK(well_formed("<a b=\"1\"><c/>x &amp; y</a>\n"));
    for (const char* bad : {"<a>\n", "<a></b>\n", "<a/><a/>\n", "<a>&</a>\n", "<a b=\"1></a>\n",
                            "a\n", "<a>\x01</a>\n", "<a>></a>\n", "<a><b></a></b>\n"}) {
        CHECK_FALSE(well_formed(bad));
    }
}

TEST_CASE("any text is safe in XML") {
    CHECK(detail::escaped("a < b && c > \"d\"") == "a &lt; b &amp;&amp; c &gt; \"d\"");
    CHECK(detail::escaped("\x01\x1f\t\xC3\xA9") == "\xEF\xBF\xBD\xEF\xBF\xBD\t\xC3\xA9");
    // U+FFFD stands for U+FFFE, U+FFFF, a surrogate, what is too long, cut short or too large; not for U+1F600.
    const std::string replaced = "\xEF\xBF\xBD";
    const std::string three = replaced + replaced + replaced;
    CHECK(detail::escaped("\xEF\xBF\xBE") == three);
    CHECK(detail::escaped("\xEF\xBF\xBF") == three);
    CHECK(detail::escaped("\xED\xA0\x80") == three);
    CHECK(detail::escaped("\xE0\x80\xAF") == three);
    CHECK(detail::escaped("\xC0\xAF") == replaced + replaced);
    CHECK(detail::escaped("\x80z") == replaced + "z");
    CHECK(detail::escaped("\xE2\x82") == replaced + replaced);
    CHECK(detail::escaped("\xC3<") == replaced + "&lt;");
    CHECK(detail::escaped("\xF4\x90\x80\x80") == replaced + three);
    CHECK(detail::escaped("\xF9\x80\x80\x80") == replaced + three);
    CHECK(detail::escaped("\xF8\x88\x80\x80") == replaced + three);
    CHECK(detail::escaped("\xEF\xBF\xBD \xF0\x9F\x98\x80") == "\xEF\xBF\xBD \xF0\x9F\x98\x80");
    std::string text;
    for (char c = 1; c < 127; ++c) text += c;
    CHECK(well_formed("<a>" + detail::escaped(text) + "</a>\n"));
}

TEST_CASE("numbers in pictures") {
    CHECK(detail::tick_text(0.1) == "0.1");
    CHECK(detail::tick_text(1234567) == "1.23457e+06");
    CHECK(detail::prefixed(312e9) == "312 G");
    CHECK(detail::prefixed(2.2848e12) == "2.28 T");
    CHECK(detail::prefixed(1000) == "1 k");
    CHECK(detail::prefixed(999.7e9) == "1 T");
    CHECK(detail::prefixed(999.4e9) == "999 G");
    CHECK(detail::prefixed(999.5) == "1 k");
    CHECK(detail::prefixed(12) == "12");
    CHECK(detail::prefixed(4e15) == "4e+15");
    CHECK(detail::text_width("\xC3\xA9t\xC3\xA9", 10) == 18);
}

TEST_CASE("an axis has a few ticks in ascending order, and maps its ends to 0 and 1") {
    const axis decimal(1.3, 42, division::decimal);
    CHECK(decimal.ticks() == std::vector<double>{2, 5, 10, 20});
    CHECK(axis(85, 130, division::decimal).ticks() == std::vector<double>{90, 100, 110, 120, 130});
    CHECK(axis(0.25, 8, division::logarithmic).ticks() ==
          std::vector<double>{0.25, 0.5, 1, 2, 4, 8});
    CHECK(axis(-0.3, 0.6, division::linear).ticks()[2] == 0);

    std::mt19937 random(1);
    std::uniform_real_distribution<double> power(-90, 90);
    std::uniform_real_distribution<double> small(-3, 3);
    for (int i = 0; i < 5000; ++i) {
        const double low = std::pow(10, power(random));
        const double high = i % 2 == 0 ? low * (1 + std::pow(10, 4 * small(random)))
                                       : low * std::pow(10, 30 + 10 * small(random));
        for (const division how : {division::linear, division::decimal}) {
            const axis a(low, high, how);
            CAPTURE(low);
            CAPTURE(high);
            CHECK(a.ticks().size() >= 2);
            CHECK(a.ticks().size() <= 12);
            double last = -1;
            for (const double tick : a.ticks()) {
                CHECK(a.place(tick) > last);
                last = a.place(tick);
            }
            CHECK(a.place(a.ticks().front()) >= -1e-9);
            CHECK(last <= 1 + 1e-9);
            CHECK(a.place(low) >= -1e-9);
            CHECK(a.place(high) <= 1 + 1e-9);
        }
    }
}
