// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which block sizes of a kernel are worth measuring? The example traces, predicts and ranks every shape that a GPU can
// start. It drops what is predicted to be much slower, with the reason, and explains the time of the first one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <warpgauge/report/explanation.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/tune.hpp>
#include <warpgauge/warpgauge.hpp>
#include <warpgauge/what_if.hpp>

#include "traced.hpp"

namespace {

namespace ptx = warpgauge::ptx;
namespace report = warpgauge::report;

constexpr std::uint32_t n = 512;  // n x n elements, one a thread

std::string shape(const ptx::extent& block) {
    return std::to_string(block.x) + " x " + std::to_string(block.y);
}

// The first shapes of a stretch of the ranking.
std::string names(const std::vector<ptx::extent>& shapes, const warpgauge::ranking& r,
                  std::size_t first, std::size_t count) {
    constexpr std::size_t shown = 4;
    std::string list;
    for (std::size_t at = first; at < first + std::min(count, shown); ++at) {
        list += (at > first ? ", " : "") + shape(shapes[r.order[at]]);
    }
    return list + (count > shown ? ", ..." : "");
}

// region: space
// Every power of two along x and y, from a warp to beyond the largest block.
std::vector<ptx::extent> block_shapes() {
    std::vector<ptx::extent> shapes;
    for (std::uint32_t x = 1; x <= n; x *= 2) {
        for (std::uint32_t y = 1; y <= n; y *= 2) {
            if (x * y >= 32 && x * y <= 2048) shapes.push_back({x, y});
        }
    }
    return shapes;
}
// endregion

}  // namespace

int main() {
    const std::string text = read_whole(KERNELS "/matmul.sm_75.ptx");
    const auto m = ptx::parse(text);
    if (!m) return 1;
    const auto kernel = ptx::find_kernel(*m, "matmul_naive");
    const auto compiled =
        ptx::read_resources(read_whole(KERNELS "/matmul.sm_75.ptxas"), "matmul_naive");
    if (!kernel || !compiled) return 1;

    const auto trace = [&](const ptx::extent& block) {
        const ptx::launch launch{.grid = {n / block.x, n / block.y}, .block = block};
        return ptx::trace(*kernel, launch, {n, {}, {}, {}});
    };

    // region: rank
    const auto model = warpgauge::default_model(warpgauge::devices::geforce_rtx_2070_super{});
    const std::vector<ptx::extent> shapes = block_shapes();
    std::vector<warpgauge::result<double>> seconds;
    std::vector<double> bytes;
    for (const ptx::extent& block : shapes) {
        const auto traced = trace(block);
        if (!traced) {
            seconds.push_back(traced.error());
            bytes.push_back(0);
            continue;
        }
        seconds.push_back(seconds_of(model.predict(traced->profile(*compiled))));
        bytes.push_back(traced->bytes_moved / 1024);
    }
    const auto ranking = warpgauge::rank(seconds, 0.01);
    if (!ranking) return 1;
    const auto worth = warpgauge::keep_within(*ranking, 1.25);
    // endregion
    if (!worth) return 1;

    std::cout << shapes.size() << " shapes, " << ranking->groups.size()
              << " that the model can tell apart, " << worth->kept.size() << " worth measuring\n\n";
    report::table t({"group", "blocks", "predicted", "KiB of a warp", "", "shapes"}, 2);
    for (std::size_t g = 0; g < ranking->groups.size(); ++g) {
        const warpgauge::rank_group& group = ranking->groups[g];
        const std::size_t i = ranking->order[group.first];
        const bool kept = group.first < worth->kept.size();
        t.add({std::to_string(g + 1), names(shapes, *ranking, group.first, group.count),
               report::duration(group.seconds), report::fixed(bytes[i], 0),
               kept ? "measure"
                    : "dropped: " +
                          report::fixed(worth->drops[group.first - worth->kept.size()].ratio, 2) +
                          " times as long",
               std::to_string(group.count)});
    }
    const std::size_t predicted = ranking->predicted();
    const std::size_t failed = ranking->order.size() - predicted;
    if (failed > 0) {
        t.add({"", names(shapes, *ranking, predicted, failed), "none", "",
               std::string(ranking->errors[ranking->order[predicted]].field) + " too large",
               std::to_string(failed)});
    }
    std::cout << t;

    // region: explain
    const ptx::extent& pick = shapes[ranking->order[0]];
    const auto traced = trace(pick);
    if (!traced) return 1;
    const auto why = warpgauge::explain(model, traced->profile(*compiled));
    // endregion
    if (!why) return 1;
    std::cout << '\n'
              << shape(pick) << ": " << report::summary(*why) << "\n\n"
              << report::benefits(*why);
}
