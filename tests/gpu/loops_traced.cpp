// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The micro-benchmarks' own PTX, followed: their loops execute as many instructions as their rows say.
//
//   loops_traced latency.ptx mixture.ptx sync.ptx throughput.ptx
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

namespace {

namespace ptx = warpgauge::ptx;

int failures = 0;
int checked = 0;

void expect(const std::string& what, double is, double should) {
    ++checked;
    if (std::abs(is - should) < 8) return;  // what stands before and after a loop may differ
    ++failures;
    std::cerr << what << ": " << is << " instructions instead of " << should << '\n';
}

// Instructions of a warp of the kernel whose mangled name contains `part`; NaN if it cannot be followed.
double instructions(const ptx::module& m, const std::string& part,
                    const std::vector<ptx::argument>& arguments) {
    for (const ptx::function& f : m.functions) {
        if (!f.is_kernel || f.name.find(part) == std::string_view::npos) continue;
        const auto kernel = ptx::find_kernel(m, f.name);
        if (!kernel) break;
        const auto t = ptx::trace(*kernel, {{1}, {32}}, arguments);
        if (t) return t->warp_insts;
        std::cerr << part << ": " << message(t.error()).view() << '\n';
    }
    return std::nan("");
}

void check_latency(const ptx::module& m) {
    for (const std::string load : {"12load_past_l1", "15load_through_l1"}) {
        const auto with_rounds = [&](int timed) {
            return instructions(m, "chaseINS_" + load, {{}, 1, timed, {}});
        };
        // 16 loads a round, and what counts the rounds: an addition, a comparison and a jump.
        expect(load, with_rounds(128) - with_rounds(64), 64.0 * (16 + 3));
    }
}

void check_mixture(const ptx::module& m) {
    const auto of_length = [&](int n) {
        return instructions(m, "mixILi" + std::to_string(n) + "E", {{}, {}, {}});
    };
    for (const int n : {16, 32, 64, 128, 256, 512}) {
        expect("mix", of_length(n) - of_length(8), 32.0 * (n - 8));
    }
}

void check_sync(const ptx::module& m) {
    const auto of_length = [&](int n) {
        return instructions(m, "barriersILi" + std::to_string(n) + "E", {256, {}});
    };
    expect("barriers", of_length(32) - of_length(16), 256.0 * 16);
}

void check_throughput(const ptx::module& m) {
    struct instruction_class {
        const char* name;
        int instructions;
    };
    for (const auto& [name, steps] : {instruction_class{"int_add", 2},
                                      {"int_mad", 1},
                                      {"fp32_fma", 1},
                                      {"fp64_fma", 1},
                                      {"fp16x2_fma", 1},
                                      {"ex2", 1},
                                      {"sine", 1},
                                      {"convert", 2},
                                      {"shared_load", 1}}) {
        for (const int chains : {1, 4}) {
            const std::string start = name + ("ELi" + std::to_string(chains)) + "ELi";
            const std::vector<ptx::argument> arguments{
                256, ptx::argument::unknown(), ptx::argument::unknown(), {}, {}};
            const double more = instructions(m, start + "64E", arguments);
            const double less = instructions(m, start + "32E", arguments);
            expect(start, more - less, 256.0 * 32 * chains * steps);
        }
    }
}

void with_module(const char* path, void (*check)(const ptx::module&)) {
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto m = ptx::parse(text);
    if (m) return check(*m);
    std::cerr << path << ": " << message(m.error()).view() << '\n';
    ++failures;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    with_module(argv[1], check_latency);
    with_module(argv[2], check_mixture);
    with_module(argv[3], check_sync);
    with_module(argv[4], check_throughput);
    std::cout << checked << " loops, " << failures << " failures\n";
    return failures == 0 ? 0 : 1;
}
