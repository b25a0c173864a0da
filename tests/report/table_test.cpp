// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <sstream>

#include <warpgauge/report/names.hpp>
#include <warpgauge/report/table.hpp>

using namespace warpgauge;
using namespace warpgauge::report;

TEST_CASE("columns are aligned, the first to the left") {
    table t({"kernel", "time"});
    t.add({"a", "12.5 ms"});
    t.add({"longer name", "3 s"});
    t.add({"short row"});
    std::ostringstream out;
    out << t;
    CHECK(out.str() ==
          "kernel          time\n"
          "--------------------\n"
          "a            12.5 ms\n"
          "longer name      3 s\n"
          "short row\n");
}

TEST_CASE("numbers and durations") {
    CHECK(fixed(2.28125, 2) == "2.28");
    CHECK(fixed(-0.5, 0) == "-0");
    CHECK(fixed(1e308, 1).size() == 311);
    CHECK(duration(1.5) == "1.50 s");
    CHECK(duration(0.0125) == "12.50 ms");
    CHECK(duration(3.758e-5) == "37.58 us");
    CHECK(duration(2e-9) == "2.00 ns");
    CHECK(duration(0) == "0.00 ns");
}

TEST_CASE("every enumerator has a name") {
    CHECK(name(occupancy_limiter::shared_memory) == "shared memory");
    CHECK(name(mwp_cwp_case::too_few_warps) == "too few warps");
    CHECK(name(period_type::waits_for_both) == "4 waits for both");
}
