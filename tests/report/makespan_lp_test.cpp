// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programmes, solved by CBC where it is: COIN-OR's solver knows nothing of the search.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/search.hpp>
#include <warpgauge/report/makespan_lp.hpp>

namespace makespan_lp_test {

using namespace warpgauge;

namespace {

bool cbc_is_here() {
    return std::system("cbc -quit > /dev/null 2>&1") == 0;  // NOLINT: no other thread runs
}

/// The files of CBC, which go where the test was started, and not beyond its end.
struct scratch {
    std::string name = "makespan_lp_test";

    scratch() = default;
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch() {
        for (const char* end : {".lp", ".txt", ".log"}) std::remove((name + end).c_str());
    }
};

/// The optimum that CBC finds, 0 if none.
double solved(const makespan_problem& p, const report::lp_options& how) {
    const scratch files;
    const std::string& name = files.name;
    {
        std::ofstream file(name + ".lp");
        if (!report::write_lp(p, file, how)) return 0;
    }
    const std::string command = "cbc " + name + ".lp -seconds 120 -solve -solution " + name +
                                ".txt > " + name + ".log 2>&1";
    if (std::system(command.c_str()) != 0) return 0;  // NOLINT: no other thread runs
    std::ifstream file(name + ".txt");
    std::string line;
    std::getline(file, line);  // "Optimal - objective value 5.00000000"
    const auto at = line.rfind(' ');
    if (line.find("Optimal") != 0 || at == std::string::npos) return 0;
    return std::abs(std::strtod(line.c_str() + at, nullptr));
}

}  // namespace

TEST_CASE("the optimum of the programme is the exact makespan") {
    if (!cbc_is_here()) {
        MESSAGE("cbc not found: programmes not solved");
        return;
    }
    struct {
        std::string instructions;
        double loads, cores;
        std::uint64_t warps;
    } const rows[] = {{"LC", 1, 1, 2}, {"LCL", 1, 1, 2}, {"LCL", 1, 1, 3},
                      {"LL", 2, 1, 4}, {"LLC", 2, 1, 3}, {"LC", 0.5, 1, 2}};
    for (const auto& r : rows) {
        CAPTURE(r.instructions);
        CAPTURE(r.warps);
        const std::array<unit_slots, 2> slots{{{'L', r.loads}, {'C', r.cores}}};
        const makespan_problem p{r.instructions, slots, r.warps};
        const auto range = exact_makespan(p);
        REQUIRE(range);
        for (const auto form :
             {report::work_conserving::short_form, report::work_conserving::long_form}) {
            CHECK(solved(p, {.form = form}) == static_cast<double>(range->worst));
            CHECK(solved(p, {.form = form, .worst = false}) == static_cast<double>(range->best));
        }
    }
    // The paper's horizon, eqs. (5)-(7), hides the worst case: LL, two slots, four warps.
    const std::array<unit_slots, 1> two{{{'L', 2}}};
    const makespan_problem ll{"LL", two, 4};
    CHECK(solved(ll, {.horizon = pessimistic_makespan(ll)->cycles}) == 4);
    CHECK(exact_makespan(ll)->worst == 5);
}

TEST_CASE("what is written") {
    const std::array<unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};
    std::ostringstream out;
    CHECK(*report::write_lp({"LC", one_each, 1}, out) == 2);
    const std::string text = out.str();
    CHECK(text.find("Maximize\n makespan: + 1 x1_2_1 + 2 x1_2_2\nSubject To\n") == 0);
    CHECK(text.find(" + x1_1_1 + x1_1_2 + x1_2_1 + e1_1 >= 1\n") != std::string::npos);
    CHECK(text.find("Binary\n e0_1\n") != std::string::npos);
    CHECK(text.rfind("End\n") == text.size() - 4);
}

TEST_CASE("what cannot be written is a named error") {
    const std::array<unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};
    std::ostringstream out;
    CHECK(report::write_lp({"", one_each, 1}, out).error().field == "instructions");
    CHECK(report::write_lp({"LC", one_each, 1'000'000}, out).error() ==
          model_error{errc::limit_reached, "horizon"});
    // 30,000 variables, but each in as many constraints.
    CHECK(report::write_lp({"L", one_each, 1}, out, {.horizon = 30'000}).error() ==
          model_error{errc::limit_reached, "horizon"});
    CHECK(out.str().empty());
    std::ofstream closed;
    closed.close();
    closed.setstate(std::ios::failbit);
    CHECK(report::write_lp({"LC", one_each, 1}, closed).error().field == "stream");
}

}  // namespace makespan_lp_test
