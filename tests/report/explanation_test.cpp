// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <sstream>

#include <warpgauge/report/explanation.hpp>

namespace explanation_test {

using namespace warpgauge;

TEST_CASE("a summary says what limits, what next and from where on") {
    explanation e{.seconds = 1};
    CHECK(report::summary(e) == "nothing that the model knows");
    CHECK(report::in_sentences(e) == "Nothing that the model knows limits it.\n");
    e.limiting = bottleneck::memory_bandwidth;
    CHECK(report::summary(e) == "memory bandwidth; then nothing");
    CHECK(report::in_sentences(e) ==
          "It is limited by memory bandwidth: DRAM moves bytes as fast as it can.\n"
          "Without that, nothing that the model knows would limit it.\n");
    e.next = bottleneck::issue;
    CHECK(report::summary(e) == "memory bandwidth; then issue");
    CHECK(report::in_sentences(e) ==
          "It is limited by memory bandwidth: DRAM moves bytes as fast as it can.\n"
          "Without that, it would be limited by issue: SMs execute instructions as fast as they "
          "can.\n");
    e.next_after_factor = 1.73;
    CHECK(report::summary(e) == "memory bandwidth; beyond 1.7x, issue");
    CHECK(
        report::in_sentences(e) ==
        "It is limited by memory bandwidth: DRAM moves bytes as fast as it can.\n"
        "If that were 1.7 times better, it would be limited by issue: SMs execute instructions as "
        "fast as they can.\n");
}

TEST_CASE("a gain of less than a hundredth limits nothing") {
    explanation e{.seconds = 1e-3,
                  .removals = {{.what = bottleneck::too_few_warps,
                                .seconds = 0.997e-3,
                                .benefit_seconds = 0.003e-3}},
                  .limiting = bottleneck::too_few_warps,
                  .next = bottleneck::l2_bandwidth};
    CHECK_FALSE(report::has_limit(e));
    CHECK(report::in_sentences(e) ==
          "Nothing alone limits it: the most to gain is 0.3%, without too few warps.\n");
    CHECK(report::in_sentences(e, "launch of blocks") ==
          "It is limited by launch of blocks, which nothing here removes: the most to gain is "
          "0.3%, without too few warps.\n");
    e.removals[0].benefit_seconds = 0.0101e-3;
    CHECK(report::has_limit(e));
    CHECK(
        report::in_sentences(e, "launch of blocks").starts_with("It is limited by too few warps"));
    const explanation none{.seconds = 1e-3};
    CHECK_FALSE(report::has_limit(none));
    CHECK(report::in_sentences(none, "launch overhead") ==
          "It is limited by launch overhead, which nothing here removes.\n");
}

TEST_CASE("benefits as a table, with the errors") {
    const explanation e{
        .seconds = 2e-3,
        .removals = {
            {.what = bottleneck::tail_wave, .seconds = 1e-3, .benefit_seconds = 1e-3},
            {.what = bottleneck::memory_latency, .seconds = 2e-3, .benefit_seconds = -1e-19},
            {.what = bottleneck::issue, .seconds = 3e-3, .benefit_seconds = -1e-3},
            {.what = bottleneck::synchronisation, .error = {errc::missing, "instructions"}}}};
    std::ostringstream out;
    out << report::benefits(e);
    CHECK(out.str() ==
          "without             time                            benefit, %\n"
          "--------------------------------------------------------------\n"
          "tail wave        1.00 ms                                  50.0\n"
          "memory latency   2.00 ms                                   0.0\n"
          "issue            3.00 ms                                 -50.0\n"
          "synchronisation     none  instructions is needed and not given\n");
}

TEST_CASE("further benefits are parts of the time that is left") {
    const explanation e{
        .seconds = 2e-3,
        .removals = {{.what = bottleneck::issue, .seconds = 1e-3, .benefit_seconds = 1e-3}},
        .limiting = bottleneck::issue,
        .then = {{.what = bottleneck::tail_wave, .seconds = 0.75e-3, .benefit_seconds = 0.25e-3}}};
    std::ostringstream out;
    out << report::further_benefits(e) << report::further_benefits({.seconds = 1});
    CHECK(out.str() ==
          "without         time  benefit, %\n"
          "--------------------------------\n"
          "tail wave  750.00 us        25.0\n"
          "without  time  benefit, %\n"
          "-------------------------\n");
}

TEST_CASE("the assumptions of the model are a line, or nothing") {
    explanation e{.seconds = 1};
    CHECK(report::taken_for_granted(e).empty());
    e.assumed.add(assumption::dram_floor);
    CHECK(report::taken_for_granted(e) ==
          "assumed: the equations alone are faster than DRAM moves the bytes\n");
}

}  // namespace explanation_test
