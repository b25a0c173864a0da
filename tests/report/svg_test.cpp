// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/report/svg.hpp>

#include "report/xml.hpp"

namespace svg_test {

using namespace warpgauge::report;

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
    CHECK(detail::escaped("\xF0\x8F\xBF\xBD") == replaced + three);
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

}  // namespace svg_test
