// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four answers to the same question: kernels on a Tesla K40 by simulation, with two ways to schedule warps and as the
// authors' program does it, and by the bound on the worst schedule.
#include <iostream>
#include <string>
#include <vector>

#include <warpgauge/models/ppt_compat.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/tune.hpp>
#include <warpgauge/warpgauge.hpp>

#include "traced.hpp"

namespace {

namespace report = warpgauge::report;

const std::vector<kernel_launch> launches{
    {"saxpy", "saxpy", "saxpy", {.grid = {4096}, .block = {256}}, {1048576, {}, {}, {}}},
    {"transpose",
     "transpose",
     "transpose_naive",
     {.grid = {32, 32}, .block = {32, 32}},
     {1024, {}, {}}},
    {"matmul, naive",
     "matmul",
     "matmul_naive",
     {.grid = {32, 32}, .block = {16, 16}},
     {512, {}, {}, {}}},
    {"matmul, tiled",
     "matmul",
     "matmul_tiled",
     {.grid = {32, 32}, .block = {16, 16}},
     {512, {}, {}, {}}},
};

}  // namespace

int main() {
    const auto traced = follow_all(launches);
    if (!traced) return 1;
    std::vector<warpgauge::kernel_profile<>> kernels;
    for (const traced_launch& t : *traced) kernels.push_back(t.profile());

    // region: arena
    using namespace warpgauge;
    const devices::tesla_k40 gpu;
    const auto all = arena(
        kernels, {}, contestant{"lowest index", hybrid_model{gpu}},
        contestant{"round robin", hybrid_model{gpu, {.policy = warp_policy::loose_round_robin}}},
        contestant{"authors' program", ppt_compat_model{gpu}},
        contestant{"makespan bound", makespan_model{gpu}});
    // endregion
    if (!all) return 1;

    std::vector<std::string> heading{"kernel"};
    for (const standing& s : all->models) heading.emplace_back(s.name);
    heading.emplace_back("spread");
    report::table t(heading);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        std::vector<std::string> row{std::string(launches[k].title)};
        for (const standing& s : all->models) {
            row.push_back(s.seconds[k] ? report::duration(*s.seconds[k])
                                       : std::string(s.seconds[k].error().field));
        }
        row.push_back(report::fixed(all->spread[k], 2));
        t.add_row(row);
    }
    std::cout << t << '\n';

    heading.pop_back();
    heading.front() = "rank correlation";
    report::table agreement(heading);
    for (std::size_t a = 0; a < all->models.size(); ++a) {
        std::vector<std::string> row{std::string(all->models[a].name)};
        for (std::size_t b = 0; b < all->models.size(); ++b) {
            const auto r = all->agreement(a, b);
            row.push_back(r ? report::fixed(*r, 2) : "");
        }
        agreement.add_row(row);
    }
    std::cout << agreement;
}
