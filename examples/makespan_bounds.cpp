// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long can W warps take on one SM, at worst and at best?
//
//   makespan_bounds LLCLL --warps 600 --slots 1,1 [--types LC] [--few 10] [--no-times]
//                   [--svg FILE] [--svg-best FILE] [--lp FILE]
//
// Prints every bound, the worst case (exact, certified, or in a bracket) and the time each took; for a few
// warps also a worst and a best schedule. `--svg` and `--svg-best` draw them, `--lp` writes the integer programme.
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/bracket.hpp>
#include <warpgauge/makespan/search.hpp>
#include <warpgauge/report/gantt.hpp>
#include <warpgauge/report/makespan_lp.hpp>
#include <warpgauge/report/table.hpp>

namespace {

namespace report = warpgauge::report;

// So small that a schedule fits on a screen.
constexpr std::uint64_t max_shown_warps = 12;
constexpr std::size_t max_shown_instructions = 12;

// What took how long, if that is to be shown.
struct timer {
    bool shown = true;
    std::string last{};

    template <class Compute>
    auto operator()(Compute compute) {
        const auto start = std::chrono::steady_clock::now();
        auto answer = compute();
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        if (shown) last = report::duration(taken.count());
        return answer;
    }
};

int fail(const warpgauge::model_error& e) {
    std::cerr << message(e).view() << '\n';
    return 1;
}

const char* safety(bool safe) {
    return safe ? "never below the worst case" : "NOT SAFE";
}

void bounds(const warpgauge::makespan_problem& p, std::uint64_t few, timer& timed,
            report::table& t) {
    const auto add = [&](const char* what, const warpgauge::result<warpgauge::makespan_bound>& b) {
        if (b) {
            t.add({what, std::string(name(b->rule)), safety(b->safe), std::to_string(b->cycles),
                   timed.last});
        } else {
            t.add({what, std::string(message(b.error()).view()), "", "", timed.last});
        }
    };
    add("upper bound", timed([&] { return makespan_upper_bound(p); }));
    add("each type", timed([&] { return each_type_bound(p); }));
    add("pessimistic", timed([&] { return pessimistic_makespan(p); }));
    add("estimate", timed([&] { return estimate_makespan(p, few); }));
}

int show_schedules(const warpgauge::makespan_problem& p) {
    if (p.warps > max_shown_warps || p.instructions.size() > max_shown_instructions) return 0;
    for (const bool worst : {true, false}) {
        const auto s = makespan_witness(p, worst);
        if (!s) return fail(s.error());
        std::cout << '\n' << (worst ? "a worst" : "a best") << " schedule, a row a warp:\n";
        if (const auto shown = report::write_gantt(std::cout, p, *s); !shown) {
            return fail(shown.error());
        }
    }
    return 0;
}

int draw(const warpgauge::makespan_problem& p, bool worst, const std::string& path) {
    if (path.empty()) return 0;
    const auto s = makespan_witness(p, worst);
    if (!s) return fail(s.error());
    std::ofstream file(path);
    if (const auto drawn = report::write_gantt_svg(file, p, *s); !drawn) return fail(drawn.error());
    return file ? 0 : fail({warpgauge::errc::malformed, "svg"});
}

int write_lp_file(const warpgauge::makespan_problem& p, const std::string& lp) {
    if (!lp.empty()) {
        std::ofstream file(lp);
        if (const auto written = report::write_lp(p, file); !written) return fail(written.error());
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    std::string instructions;
    std::string types = "LC";
    std::vector<double> slots{1, 1};
    std::uint64_t warps = 600;
    std::uint64_t few = 10;
    timer timed;
    std::string svg;
    std::string svg_best;
    std::string lp;
    CLI::App app("How long can W warps take on one SM, at worst and at best?");
    app.add_option("instructions", instructions, "one symbol an instruction, such as LLCLL")
        ->required();
    app.add_option("--warps", warps, "identical warps, ready at once")->capture_default_str();
    app.add_option("--types", types, "the symbols of the types of units")->capture_default_str();
    app.add_option("--slots", slots, "warps that each type serves a cycle, or 1/n")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--few", few, "warps that the estimate is made from")->capture_default_str();
    app.add_flag("!--no-times", timed.shown,
                 "leaves out what each took: the same output every time");
    app.add_option("--svg", svg, "draws a worst schedule into this file");
    app.add_option("--svg-best", svg_best, "draws a best schedule into this file");
    app.add_option("--lp", lp, "writes the integer programme into this file");
    CLI11_PARSE(app, argc, argv);
    if (slots.size() != types.size()) {
        std::cerr << "--slots: as many numbers as --types has symbols, please\n";
        return 1;
    }
    std::vector<warpgauge::unit_slots> units;
    for (std::size_t k = 0; k < slots.size(); ++k) units.push_back({types[k], slots[k]});
    const warpgauge::makespan_problem p{instructions, units, warps};
    if (const auto checked = makespan_upper_bound(p); !checked) return fail(checked.error());

    report::table t({"bound", "by", "is", "cycles", timed.shown ? "time" : ""}, 3);
    bounds(p, few, timed, t);
    const auto b = timed([&] { return bracket_makespan(p); });
    if (b && b->certified) {
        t.add({"worst case", std::string(name(b->rule)) + " meets a schedule", "exact",
               std::to_string(b->lower), timed.last});
    } else if (b) {
        t.add({"worst case", "a search that was cut off", "no more is known",
               std::to_string(b->lower) + " to " + std::to_string(b->upper), timed.last});
    } else {
        t.add({"worst case", std::string(message(b.error()).view()), "", "", timed.last});
    }
    std::cout << t;
    if (const int failed = show_schedules(p); failed != 0) return failed;
    if (const int failed = draw(p, true, svg); failed != 0) return failed;
    if (const int failed = draw(p, false, svg_best); failed != 0) return failed;
    return write_lp_file(p, lp);
}
