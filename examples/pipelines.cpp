// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that fetch the next tile while they compute on one, from their PTX: cycles with and without that, and pictures.
//
//   pipelines [FILE.svg KERNEL]    the table; with FILE.svg, a picture of KERNEL (0 to 5, in the table's order)
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/report/sm_timeline.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

#include "pipelined_products.hpp"

namespace {

namespace report = warpgauge::report;
using events = std::vector<warpgauge::sm_event>;

struct product {
    std::string_view name;
    std::string text;     // PTX
    std::uint32_t side;   // of a block's square of results
    std::uint32_t depth;  // of a tile
};

// region: simulate
// A product by a square of blocks, of factors `width` wide, for the first `tiles` tiles of their depth. `seen` gets
// every issue of the blocks that are simulated, on the busiest SM.
warpgauge::result<warpgauge::hybrid_estimate<>> simulate(const product& p, std::uint32_t blocks,
                                                         std::uint32_t width, std::uint32_t tiles,
                                                         events& seen) {
    namespace ptx = warpgauge::ptx;
    const auto module = ptx::parse(p.text);
    if (!module) return module.error();
    const auto kernel = ptx::find_kernel(*module, "product");
    if (!kernel) return kernel.error();
    const auto traced =
        ptx::trace(*kernel, {.grid = {blocks, blocks}, .block = {128}}, {{}, {}, {}, width, tiles});
    if (!traced) return traced.error();
    const warpgauge::hybrid_model a100{warpgauge::devices::a100_sxm4_40gb{}};
    warpgauge::sm_workspace space;
    return a100.predict(traced->profile(), space,
                        [&](const warpgauge::sm_event& e) { seen.push_back(e); });
}
// endregion

std::vector<product> all_products() {
    using namespace pipelined_products;
    return {{"single precision, in turn", single_in_turn(), 32, 16},
            {"single precision, next tile in registers", single_prefetching(), 32, 16},
            {"tensor cores, in turn", halves_in_turn(), 64, 32},
            {"tensor cores, 2 stages of cp.async", halves_in_stages(2), 64, 32},
            {"tensor cores, 3 stages of cp.async", halves_in_stages(3), 64, 32},
            {"tensor cores, 4 stages of cp.async", halves_in_stages(4), 64, 32}};
}

int fail(const warpgauge::model_error& bad) {
    std::cerr << message(bad).view() << '\n';
    return 1;
}

int print_table() {
    constexpr std::uint32_t width = 2048;
    report::table t(
        {"product of 2048 by 2048", "cycles a tile, one block", "blocks/SM", "time", "limited by"});
    for (const product& p : all_products()) {
        events seen;
        const std::uint32_t tiles = width / p.depth;
        const auto one = simulate(p, 1, width, tiles, seen);
        const auto all = simulate(p, width / p.side, width, tiles, seen);
        if (!one || !all) return fail(one ? all.error() : one.error());
        t.add({p.name, report::fixed(one->sm_cycles / tiles, 0),
               report::fixed(all->active_blocks_per_sm, 0), report::duration(all->seconds),
               name(all->limited_by)});
    }
    std::cout << t;
    return 0;
}

// Five tiles of one block.
int draw(const char* file, const product& p) {
    events seen;
    const auto e = simulate(p, 1, 2048, 5, seen);
    if (!e) return fail(e.error());
    std::ofstream out(file);
    const std::string title = "One block on an A100: " + std::string(p.name);
    const auto bad = report::write_sm_timeline_svg(out, seen, 4, title);
    return bad ? fail(bad) : 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return print_table();
    const std::vector<product> products = all_products();
    const auto which = static_cast<std::size_t>(std::atoi(argv[2]));
    return which < products.size() ? draw(argv[1], products[which]) : 1;
}
