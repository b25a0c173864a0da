// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makespans: the closed forms, certified and exact worst cases, and the same by an integer programme.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <benchmark/benchmark.h>

#include <warpgauge/devices/h100_sxm5.hpp>
#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/bracket.hpp>
#include <warpgauge/makespan/search.hpp>
#include <warpgauge/simulate/sm_bound.hpp>
#include <warpgauge/simulate/sm_of_device.hpp>

#ifdef CBC
#include <cstdlib>
#include <fstream>
#include <string>

#include <warpgauge/report/makespan_lp.hpp>
#endif

namespace {

using warpgauge::makespan_problem;

constexpr std::array<warpgauge::unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};
constexpr std::array<warpgauge::unit_slots, 2> two_loads{{{'L', 2}, {'C', 1}}};

void upper_bound_of_64(benchmark::State& state) {
    std::string_view string = "LLCLLCCLCLLLCCLCLCLLCCCLLCLLCLCCLLCLLCCLCLLLCCLCLCLLCCCLLCLLCLCC";
    for (auto _ : state) {
        benchmark::DoNotOptimize(string);
        auto bound = warpgauge::makespan_upper_bound({string, one_each, 600});
        benchmark::DoNotOptimize(bound);
    }
}
BENCHMARK(upper_bound_of_64);

// The same of all that an SM has: a loop of 8 entries, 8 times.
void sm_bound_of_64(benchmark::State& state) {
    using warpgauge::instruction;
    using warpgauge::unit_kind;
    const std::array stream{warpgauge::loop(8, 8),
                            instruction{.unit = unit_kind::integer},
                            instruction{.unit = unit_kind::global_memory, .needs = {1}},
                            instruction{.unit = unit_kind::integer},
                            instruction{.unit = unit_kind::shared_memory, .needs = {1}},
                            instruction{.unit = unit_kind::single_precision, .needs = {1, 3}},
                            instruction{.unit = unit_kind::single_precision, .needs = {1}},
                            instruction{.unit = unit_kind::special_function, .needs = {1}},
                            instruction{.unit = unit_kind::branch}};
    const auto sm = warpgauge::sm_parameters_of(warpgauge::devices::h100_sxm5{});
    for (auto _ : state) {
        benchmark::DoNotOptimize(stream);
        auto bound = warpgauge::bound_sm(stream, sm, {8, 8, 8});
        benchmark::DoNotOptimize(bound);
    }
}
BENCHMARK(sm_bound_of_64);

void certified(benchmark::State& state, const makespan_problem& p) {
    warpgauge::makespan_bracket last;
    for (auto _ : state) {
        const auto b = bracket_makespan(p);
        if (!b || !b->certified) state.SkipWithError("not certified");
        if (b) last = *b;
    }
    state.counters["cycles"] = static_cast<double>(last.lower);
}
BENCHMARK_CAPTURE(certified, LLCLL_600, {"LLCLL", one_each, 600});
BENCHMARK_CAPTURE(certified, LLCLL_10000, {"LLCLL", one_each, 10'000});
BENCHMARK_CAPTURE(certified, LLCLLCLL_420, {"LLCLLCLL", one_each, 420});
// 512 symbols that look like nothing in particular.
constexpr auto symbols_512(std::string_view alphabet) {
    std::array<char, 512> symbols{};
    std::uint32_t state = 1;
    for (char& symbol : symbols) {
        state = state * 1664525 + 1013904223;  // D. E. Knuth's and H. W. Lewis's generator
        symbol = alphabet[(state >> 16) % alphabet.size()];
    }
    return symbols;
}
constexpr auto random_512 = symbols_512("LC");
constexpr auto random_512_of_three = symbols_512("LCS");
BENCHMARK_CAPTURE(certified, random_512_64, {{random_512.data(), 512}, one_each, 64});

// What the bracket leaves open, in hundredths of its upper bound.
void open(benchmark::State& state, const makespan_problem& p) {
    double gap = 0;
    for (auto _ : state) {
        const auto b = bracket_makespan(p);
        if (b) gap = 100 * static_cast<double>(b->upper - b->lower) / static_cast<double>(b->upper);
    }
    state.counters["gap_percent"] = gap;
}
constexpr std::array<warpgauge::unit_slots, 2> four_and_two{{{'L', 4}, {'C', 2}}};
constexpr std::array<warpgauge::unit_slots, 3> three_types{{{'L', 1}, {'C', 1}, {'S', 1}}};
BENCHMARK_CAPTURE(open, two_loads_512_64, {{random_512.data(), 512}, two_loads, 64});
BENCHMARK_CAPTURE(open, four_and_two_512_64, {{random_512.data(), 512}, four_and_two, 64});
BENCHMARK_CAPTURE(open, three_types_512_64, {{random_512_of_three.data(), 512}, three_types, 64});
BENCHMARK_CAPTURE(certified, LLCLL_two_loads_600, {"LLCLL", two_loads, 600});

void exact(benchmark::State& state, const makespan_problem& p) {
    std::uint64_t states = 0;
    for (auto _ : state) {
        const auto range = exact_makespan(p);
        if (!range) {
            state.SkipWithError("no answer");
            break;
        }
        states += range->states;
    }
    state.counters["states"] =
        benchmark::Counter(static_cast<double>(states), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(exact, LLCLL_4, {"LLCLL", one_each, 4});
BENCHMARK_CAPTURE(exact, LLCLL_105, {"LLCLL", one_each, 105})->Unit(benchmark::kMillisecond);

#ifdef CBC
// CBC on the programme of the paper, with the safe horizon: about a minute.
void by_integer_programme(benchmark::State& state) {
    const makespan_problem p{"LLCLL", one_each, 4};
    {
        std::ofstream file("benchmark_makespan.lp");
        if (!warpgauge::report::write_lp(p, file)) state.SkipWithError("not written");
    }
    const std::string command =
        std::string(CBC) + " benchmark_makespan.lp -solve -quit > /dev/null";
    for (auto _ : state) {
        if (std::system(command.c_str()) != 0) state.SkipWithError("not solved");
    }
}
BENCHMARK(by_integer_programme)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
#endif

}  // namespace
