// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What including a header costs: the time that the compiler takes for a file that does nothing else.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <benchmark/benchmark.h>

namespace {

void compile(benchmark::State& state, const std::string& includes) {
    const auto file = std::filesystem::temp_directory_path() / "warpgauge_include_cost.cpp";
    std::ofstream(file) << includes;
    const std::string command =
        std::string(COMPILER) + " -std=c++20 -O2 -c -o /dev/null -I" INCLUDE " " + file.string();
    for (auto _ : state) {
        if (std::system(command.c_str()) != 0) state.SkipWithError("does not compile");
    }
    std::filesystem::remove(file);
}

void cost(const char* name, const char* includes) {
    benchmark::RegisterBenchmark(name, compile, std::string(includes))
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(10)
        ->Repetitions(3)
        ->ReportAggregatesOnly();
}

const bool registered = [] {
    cost("nothing", "");
    cost("vector_string_algorithm", "#include <vector>\n#include <string>\n#include <algorithm>\n");
    cost("occupancy.hpp", "#include <warpgauge/sm/occupancy.hpp>\n");
    cost("models/mwp_cwp.hpp", "#include <warpgauge/models/mwp_cwp.hpp>\n");
    cost("score.hpp", "#include <warpgauge/tune/score.hpp>\n");
    cost("warpgauge.hpp", "#include <warpgauge/warpgauge.hpp>\n");
    return true;
}();

}  // namespace
