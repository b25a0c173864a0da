// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of docs/physics.md, as Markdown.
//
//   published_forms breaks [CASES]    which invariants the published forms break, how often and by what factor
//   published_forms exceptions        what default forms break, and why
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include <warpgauge/report/table.hpp>

#include "check.hpp"
#include "exceptions.hpp"

namespace {

using namespace invariants;
namespace report = warpgauge::report;

/// Few enough digits to be the same with every compiler.
std::string rough(double x) {
    if (x < 2) return report::fixed(x, 2);
    const double unit = std::pow(10, std::floor(std::log10(x)) - 1);
    const double rounded = std::round(x / unit) * unit;
    return report::fixed(rounded, rounded < 10 ? 1 : 0);
}

std::string percent_of(std::size_t some, std::size_t all) {
    const double percent = 100 * static_cast<double>(some) / static_cast<double>(all);
    return percent < 0.1 ? "below 0.1" : report::fixed(percent, percent < 10 ? 1 : 0);
}

void print_breaks(std::uint64_t cases) {
    report::table t({"model", "what should hold", "broken in, %", "by a factor of up to",
                     "the estimate tells, %"},
                    2);
    for (const subject& s : all_subjects()) {
        if (!s.has_published_form) continue;
        for (std::size_t n = 0; n < invariant_count; ++n) {
            const auto i = static_cast<invariant>(n);
            const tally all = tally_of(s, i, equation_form::as_published, cases, s.cases_per_test);
            if (all.broken == 0) continue;
            const bool is_floor = i <= invariant::latency_floor;
            t.add({s.name, name(i), percent_of(all.broken, all.tried), rough(all.worst_factor),
                   is_floor ? percent_of(all.told, all.broken) : ""});
        }
    }
    std::cout << report::markdown(t);
}

void print_exceptions() {
    report::table t({"model", "what should hold", "why it does not"}, 3);
    for (const permitted_exception& e : exceptions) t.add({e.model, name(e.what), e.reason});
    std::cout << report::markdown(t);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "breaks") {
        print_breaks(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20'000);
    } else if (what == "exceptions") {
        print_exceptions();
    } else {
        std::cerr << "published_forms breaks [CASES] | exceptions\n";
        return EXIT_FAILURE;
    }
}
