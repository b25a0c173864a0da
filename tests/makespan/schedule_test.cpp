// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/makespan/schedule.hpp>

#include "schedule_of.hpp"

namespace schedule_test {

using namespace warpgauge;

namespace {

constexpr std::array<unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};

}  // namespace

TEST_CASE("a schedule is checked against the definition and nothing else") {
    const makespan_problem lcl{"LCL", one_each, 4};
    const auto ok = schedule_of({"LCL......", ".LC.L....", "...LCL...", "......LCL"});
    CHECK(*check_schedule(lcl, ok) == 9);

    auto s = ok;
    s.cycles.pop_back();
    CHECK(check_schedule(lcl, s).error() == model_error{errc::malformed, "schedule"});
    s.cycles.resize(13);  // a warp, and a part of one
    CHECK(check_schedule(lcl, s).error() == model_error{errc::malformed, "schedule"});
    s = ok;
    s.instructions = 4;  // three rows
    CHECK(check_schedule(lcl, s).error() == model_error{errc::malformed, "schedule"});
    s = ok;
    s.cycles[1] = 1;  // C in the same cycle as the L before it
    CHECK(check_schedule(lcl, s).error().field == "order");
    s = ok;
    s.cycles[3] = 1;  // a second L in the first cycle
    CHECK(check_schedule(lcl, s).error() == model_error{errc::malformed, "capacity", 1});
    CHECK(check_schedule(lcl, schedule_of({".LCL......", "..LC.L....", "....LCL...", ".......LCL"}))
              .error() == model_error{errc::malformed, "work_conservation", 1});
    s = ok;
    s.cycles[11] = 4'000'000'000U;
    CHECK(check_schedule(lcl, s).error().field == "work_conservation");
    s.cycles[0] = 0;
    CHECK(check_schedule(lcl, s).error().field == "order");
}

TEST_CASE("a bad problem has no schedule") {
    CHECK(check_schedule({"", one_each, 1}, {}).error() ==
          model_error{errc::missing, "instructions"});
    CHECK(check_schedule({"LX", one_each, 1}, {}).error() ==
          model_error{errc::malformed, "instructions", 1, 2});
    CHECK(check_schedule({"L", one_each, 0}, {}).error() ==
          model_error{errc::not_positive, "warps"});
}

TEST_CASE("cycles warp by warp") {
    const auto s = schedule_of({"LC", ".LC"});
    CHECK(s.warps() == 2);
    CHECK(s.at(0, 1) == 2);
    CHECK(s.at(1, 0) == 2);
    CHECK(makespan_schedule{}.warps() == 0);
}

}  // namespace schedule_test
