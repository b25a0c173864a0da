// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nvcc makes of the programs, followed, against what the host's compiler makes of them.
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/programs.hpp"

namespace {

namespace ptx = warpgauge::ptx;

using sums = std::array<double, 3>;

template <class Program>
sums on_host(Program program, int n) {
    sums s{};
    for (u32 lane = 0; lane < 32; ++lane) {
        const u32 r = program(lane, n);
        s[0] += r & 0x3ff;
        s[1] += r >> 10 & 0x3ff;
        s[2] += r >> 22;
    }
    return s;
}

// The stores of a warp by the line that they stand on, in order of lines.
bool followed(const ptx::module& m, const std::string& name, int n, sums& s) {
    const auto kernel = ptx::find_kernel(m, name + "_kernel");
    if (!kernel) return false;
    const auto t = ptx::trace(*kernel, {{1}, {32}}, {n, {}});
    if (!t) {
        std::cerr << name << ": " << message(t.error()).view() << '\n';
        return false;
    }
    if (!t->assumptions.empty()) {
        std::cerr << name << ": an assumption at line " << t->assumptions[0].at.line << '\n';
        return false;
    }
    for (const ptx::memory_access& a : t->accesses) {
        if (!a.stores || a.unit != warpgauge::unit_kind::global_memory) continue;
        const std::uint32_t first = 7;  // line of the first store in programs.cu
        if (a.source_line < first || a.source_line > first + 2) return false;
        s[a.source_line - first] += a.executions * a.active_lanes;
    }
    return true;
}

int check(const std::string& path) {
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto m = ptx::parse(text);
    if (!m) return 1;
    int failures = 0;
    const auto compare = [&](const std::string& name, auto program) {
        for (const int n : {1, 5, 1000, -3}) {
            const sums expected = on_host(program, n);
            sums s{};
            bool same = followed(*m, name, n, s);
            for (std::size_t k = 0; k < 3; ++k) same = same && std::fabs(s[k] - expected[k]) < 0.5;
            if (same) continue;
            ++failures;
            std::cerr << path << ": " << name << "(" << n << "): " << s[0] << ' ' << s[1] << ' '
                      << s[2] << " instead of " << expected[0] << ' ' << expected[1] << ' '
                      << expected[2] << '\n';
        }
    };
#define COMPARE(name) compare(#name, name);
    FOR_EACH_PROGRAM(COMPARE)
    return failures;
}

}  // namespace

int main(int argc, char** argv) {
    int failures = 0;
    for (int i = 1; i < argc; ++i) failures += check(argv[i]);
    std::cout << argc - 1 << " texts, " << failures << " failures\n";
    return argc > 1 && failures == 0 ? 0 : 1;
}
