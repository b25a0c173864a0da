// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which GPU for these kernels, and what is it worth? Times of kernels on GPUs, predicted from PTX, and the price
// at which each GPU does the same work for the same money as the first.
//
//   which_gpu [FILE.svg] [DEVICE=PRICE ...]    with prices, in whatever currency: what a GPU may cost at most;
//                                              with FILE.svg, how often faster than the first, as a picture
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/report/bar_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/tune.hpp>
#include <warpgauge/warpgauge.hpp>

#include "traced.hpp"

namespace {

namespace report = warpgauge::report;
namespace devices = warpgauge::devices;

const std::vector<kernel_launch> kernels{
    {"saxpy", "saxpy", "saxpy", {.grid = {40960}, .block = {256}}, {10485760, {}, {}, {}}},
    {"transpose",
     "transpose",
     "transpose_padded",
     {.grid = {128, 128}, .block = {32, 32}},
     {4096, {}, {}}},
    {"matmul, naive",
     "matmul",
     "matmul_naive",
     {.grid = {64, 64}, .block = {16, 16}},
     {1024, {}, {}, {}}},
    {"matmul, tiled",
     "matmul",
     "matmul_tiled",
     {.grid = {64, 64}, .block = {16, 16}},
     {1024, {}, {}, {}}},
};

// GPUs whose caches are known; the first is what prices refer to.
template <class Visit>
void for_each_gpu(const Visit& visit) {
    visit("geforce_rtx_2070_super", devices::geforce_rtx_2070_super{});
    visit("tesla_v100", devices::tesla_v100{});
    visit("a100_sxm4_40gb", devices::a100_sxm4_40gb{});
    visit("h100_sxm5", devices::h100_sxm5{});
}

struct column {
    std::string_view device;
    std::string_view name;
    std::vector<double> seconds;  // of each kernel
    double price{};               // 0: not given
};

bool predict(const std::vector<traced_launch>& launches, std::vector<column>& to) {
    bool good = true;
    for_each_gpu([&](std::string_view device, const auto& gpu) {
        column c{device, gpu.name, {}};
        // region: predict
        const auto model = warpgauge::default_model(gpu);
        for (const traced_launch& l : launches) {
            const auto e = model.predict(l.profile());
            // endregion
            if (!e) std::cerr << gpu.name << ": " << message(e.error()).view() << '\n';
            good = good && e;
            c.seconds.push_back(e ? e->seconds : 0);
        }
        to.push_back(c);
    });
    return good;
}

// region: worth
// How often faster a GPU is than another, over kernels that take equally long together on the other.
double speed_up(const column& gpu, const column& over) {
    double time = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k) time += gpu.seconds[k] / over.seconds[k];
    return static_cast<double>(kernels.size()) / time;
}
// endregion

bool take_prices(int first, int argc, char** argv, std::vector<column>& gpus) {
    for (int n = first; n < argc; ++n) {
        const std::string_view text = argv[n];
        const std::size_t sign = text.find('=');
        bool taken = false;
        for (column& c : gpus) {
            if (sign == std::string_view::npos || text.substr(0, sign) != c.device) continue;
            char* end = nullptr;
            c.price = std::strtod(argv[n] + sign + 1, &end);
            taken = *end == '\0' && c.price > 0 && std::isfinite(c.price);
        }
        if (taken) continue;
        std::cerr << text << ": not DEVICE=PRICE; the devices are\n";
        for (const column& c : gpus) std::cerr << "  " << c.device << '\n';
        return false;
    }
    return true;
}

bool draw(const char* path, const std::vector<column>& gpus) {
    report::bar_chart chart{
        .title = "Predicted speed of kernels",
        .value_label = "times as fast as the " + std::string(gpus.front().name)};
    for (const kernel_launch& k : kernels) chart.groups.emplace_back(k.title);
    for (const column& c : gpus) {
        chart.series.push_back({std::string(c.name), {}});
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            chart.series.back().values.push_back(gpus.front().seconds[k] / c.seconds[k]);
        }
    }
    std::ofstream file(path);
    file << chart;
    if (!file.flush()) std::cerr << path << ": cannot be written\n";
    return !!file;
}

}  // namespace

int main(int argc, char** argv) {
    const auto launches = follow_all(kernels, warpgauge::ptx::sampling::representative);
    if (!launches) return EXIT_FAILURE;
    std::vector<column> gpus;
    const bool picture = argc > 1 && std::string_view(argv[1]).ends_with(".svg");
    if (!predict(*launches, gpus) || !take_prices(picture ? 2 : 1, argc, argv, gpus) ||
        (picture && !draw(argv[1], gpus))) {
        return EXIT_FAILURE;
    }

    std::vector<std::string> heading{"kernel"};
    for (const column& c : gpus) heading.emplace_back(c.name);
    report::table times(heading);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        std::vector<std::string> row{std::string(kernels[k].title)};
        for (const column& c : gpus) row.push_back(report::duration(c.seconds[k]));
        times.add_row(row);
    }
    const column& first = gpus.front();
    std::vector<std::string> faster{"all, times as fast"};
    for (const column& c : gpus) faster.push_back(report::fixed(speed_up(c, first), 2));
    times.add_row(faster);
    std::cout << times << '\n';

    report::table worth(
        {"GPU", "worth of it in " + std::string(first.name) + "s", "price", "worth it up to"});
    for (const column& c : gpus) {
        // The best that the money buys elsewhere: among the other GPUs with a price, the least for each work.
        double least = 0;
        for (const column& other : gpus) {
            if (&other == &c || other.price == 0) continue;
            const double for_the_same = other.price * speed_up(c, first) / speed_up(other, first);
            if (least == 0 || for_the_same < least) least = for_the_same;
        }
        worth.add({std::string(c.name), report::fixed(speed_up(c, first), 2),
                   c.price > 0 ? report::fixed(c.price, 0) : "",
                   least > 0 ? report::fixed(least, 0) : ""});
    }
    std::cout << worth;
}
