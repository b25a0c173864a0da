// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random kernels: rounds of loops that are multiplied count as those that are followed one by one.
//
//   random_kernels [CASES [SEED]]    the first kernel has that seed, or any; prints the seeds of those that differ
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/random_kernels.hpp"
#include "ptx/same_counts.hpp"

namespace {

namespace ptx = warpgauge::ptx;
using random_kernels::kernel_case;

// What one sampling of a kernel comes to.
struct outcome {
    bool followed{};   // all rounds, within a few steps
    bool has_saved{};  // some rounds were multiplied
    std::string differences{};
};

outcome compare(const ptx::kernel& k, const kernel_case& c, ptx::sampling blocks) {
    ptx::trace_options options{.capability = c.capability,
                               .blocks = blocks,
                               .default_probability = c.probability,
                               .default_rounds = c.rounds,
                               .max_steps = 2'000'000,
                               .every_round = true};
    const auto all = ptx::trace(k, c.launch, c.arguments, options);
    if (!all) return {};
    options.every_round = false;
    const auto few = ptx::trace(k, c.launch, c.arguments, options);
    if (!few) return {true, false, std::string(message(few.error()).view())};
    // Which blocks stand for others is found out from what accesses of the rounds that are followed cost.
    if (few->blocks_traced != all->blocks_traced) return {};
    return {true, few->steps < all->steps, same_counts::differences(*few, *all)};
}

struct summary {
    int traces{}, followed{}, saved{}, failures{};
};

void try_kernel(unsigned seed, summary& all) {
    const kernel_case c = random_kernels::any_kernel(seed);
    const auto m = ptx::parse(c.text);
    const auto k = m ? ptx::find_kernel(*m, "k") : m.error();
    if (!k) {
        std::cerr << "seed " << seed << ": " << message(k.error()).view() << '\n' << c.text;
        ++all.failures;
        return;
    }
    for (const ptx::sampling blocks :
         {ptx::sampling::middle_block, ptx::sampling::representative, ptx::sampling::all}) {
        const outcome o = compare(*k, c, blocks);
        ++all.traces;
        all.followed += o.followed ? 1 : 0;
        all.saved += o.has_saved ? 1 : 0;
        if (o.differences.empty()) continue;
        ++all.failures;
        std::cerr << "seed " << seed << ", sampling " << static_cast<int>(blocks) << ": "
                  << o.differences << '\n';
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int cases = argc > 1 ? std::atoi(argv[1]) : 100;
    const unsigned first = argc > 2 ? static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10))
                                    : std::random_device{}();
    summary all;
    for (int n = 0; n < cases; ++n) try_kernel(first + static_cast<unsigned>(n), all);
    std::cout << all.traces << " traces, " << all.followed << " of them compared, " << all.saved
              << " of these with rounds that were multiplied; " << all.failures << " differ\n";
    // A generator whose kernels are not followed, or have no loops to multiply, tests nothing.
    const bool tests =
        cases < 100 || (10 * all.followed >= 9 * all.traces && 4 * all.saved >= all.followed);
    return all.failures == 0 && tests ? 0 : 1;
}
