// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints seconds and cycles of each case of a file, with all digits, as the other languages do: by the templates, on devices
// that are known when this is compiled.
//
//     digits_by_cpp CASES         cases are profiles
//     digits_by_cpp CASES FOLDER  cases are launches of PTX files of the folder
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/devices/geforce_gtx_280.hpp>
#include <warpgauge/devices/geforce_rtx_2070_super.hpp>
#include <warpgauge/devices/h100_sxm5.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/ptx.hpp>

namespace {

using namespace warpgauge;

template <class Model>
int print(const Model& m, const kernel_profile<>& k) {
    const auto e = m.predict(k);
    if (!e) {
        std::fprintf(stderr, "%s\n", message(e.error()).c_str());
        return 1;
    }
    std::printf("%.17g %.17g\n", e->seconds, e->cycles);
    return 0;
}

/// Calls `act(device)`, a device of its own type.
template <class Act>
int on_device(const std::string& name, const Act& act) {
    if (name == "A100 SXM4 40GB") return act(devices::a100_sxm4_40gb{});
    if (name == "H100 SXM5") return act(devices::h100_sxm5{});
    if (name == "GeForce GTX 280") return act(devices::geforce_gtx_280{});
    if (name == "GeForce RTX 2070 SUPER") return act(devices::geforce_rtx_2070_super{});
    std::fprintf(stderr, "%s: not a GPU of this program\n", name.c_str());
    return 1;
}

template <class D>
int predict(const D& gpu, const std::string& model, const kernel_profile<>& k) {
    if (model == "roofline") return print(roofline_model{gpu}, k);
    if constexpr (saturation_device<D>) {
        if (model == "saturation") return print(saturation_model{gpu}, k);
    }
    if constexpr (mwp_cwp_device<D>) {
        if (model == "mwp_cwp") return print(mwp_cwp_model{gpu}, k);
    }
    if constexpr (hybrid_device<D>) {
        if (model == "hybrid") return print(hybrid_model{gpu}, k);
    }
    std::fprintf(stderr, "%s: not a model of this program\n", model.c_str());
    return 1;
}

int predict_profile(const std::string& device, const std::string& model,
                    const std::string& parameters) {
    kernel_profile<> k;
    std::istringstream words(parameters);
    std::string name, value;
    while (std::getline(words >> std::ws, name, '=') && words >> value) {
        double* to = find_parameter(k, name);
        if (to == nullptr) return 2;
        *to = std::stod(value);
    }
    return on_device(device, [&](const auto& gpu) { return predict(gpu, model, k); });
}

ptx::extent extent_of(const std::string& sides) {
    const std::size_t comma = sides.find(',');
    const auto x = static_cast<std::uint32_t>(std::stoul(sides));
    if (comma == std::string::npos) return {x};
    return {x, static_cast<std::uint32_t>(std::stoul(sides.substr(comma + 1)))};
}

int predict_launch(const std::string& device, const std::string& model, const std::string& launch,
                   const std::string& folder) {
    std::istringstream words(launch);
    std::string file, name, grid, block, argument;
    for (std::string* word : {&file, &name, &grid, &block, &argument}) {
        std::getline(words, *word, '|');
    }
    std::ifstream stream(folder + "/" + file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto module = ptx::parse(text);
    if (!module) return 2;
    const auto kernel = ptx::find_kernel(*module, name);
    if (!kernel) return 2;
    const ptx::argument arguments[] = {std::stol(argument)};
    return on_device(device, [&](const auto& gpu) {
        const auto traced = ptx::trace(*kernel, {extent_of(grid), extent_of(block)}, arguments,
                                       {.capability = gpu.capability});
        return traced ? predict(gpu, model, traced->profile()) : 2;
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) return 2;
    std::ifstream cases(argv[1]);
    std::string device, model, rest;
    int failed = 0;
    while (std::getline(cases, device, '|') && std::getline(cases, model, '|') &&
           std::getline(cases, rest)) {
        failed += argc == 2 ? predict_profile(device, model, rest)
                            : predict_launch(device, model, rest, argv[2]);
    }
    return failed != 0;
}
