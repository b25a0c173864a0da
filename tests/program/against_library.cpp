// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the program says what the library does, to the last digit: reads what `predict --json` and `explain --json`
// have said of saxpy, and predicts the same by type.
//
//   against_library PREDICT.json EXPLAIN.json OCCUPANCY.json
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <nlohmann/json.hpp>

#include <warpgauge/analyse/explain.hpp>
#include <warpgauge/devices/h100_sxm5.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/sm/occupancy.hpp>

namespace {

namespace ptx = warpgauge::ptx;

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

int failures = 0;

template <class Value>
void check(const char* what, const nlohmann::json& said, const Value& is) {
    if (said == is) return;
    std::fprintf(stderr, "%s: the program says %s, the library %s\n", what, said.dump().c_str(),
                 nlohmann::json(is).dump().c_str());
    ++failures;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const std::string source = text_of(KERNELS "/saxpy.sm_75.ptx");
    const auto module = ptx::parse(source);
    if (!module) return 2;
    const auto kernel = ptx::find_kernel(*module, "saxpy");
    const auto compiled = ptx::read_resources(text_of(KERNELS "/saxpy.sm_90.ptxas"), "saxpy");
    if (!kernel || !compiled) return 2;
    const warpgauge::devices::h100_sxm5 gpu;
    const ptx::argument arguments[] = {1'000'000, {}, {}, {}};
    const auto traced = ptx::trace(*kernel, {.grid = {3907}, .block = {256}}, arguments,
                                   {.capability = gpu.capability});
    if (!traced) return 2;
    const auto k = traced->profile(*compiled);

    const auto saturation = warpgauge::saturation_model{gpu}.predict(k);
    const auto roofline = warpgauge::roofline_model{gpu}.predict(k);
    const auto why = warpgauge::explain(warpgauge::roofline_model{gpu}, k);
    const auto resident = warpgauge::occupancy(k, gpu);
    if (!saturation || !roofline || !why || !resident) return 2;

    const auto predicted = nlohmann::json::parse(text_of(argv[1]));
    check("registers", predicted["registers_per_thread"], k.registers_per_thread);
    check("saturation", predicted["predictions"][0]["seconds"], saturation->seconds);
    check("cycles", predicted["predictions"][0]["cycles"], saturation->cycles);
    check("limit", predicted["predictions"][0]["limited_by"], std::string(name(saturation->which)));
    check("roofline", predicted["predictions"][1]["seconds"], roofline->seconds);
    const auto explained = nlohmann::json::parse(text_of(argv[2]));
    check("explained", explained["seconds"], why->seconds);
    check("removals", explained["removals"][0]["seconds"], why->removals[0].seconds);
    const auto occupied = nlohmann::json::parse(text_of(argv[3]));
    check("blocks", occupied["occupancy"][0]["blocks_per_sm"], resident->active_blocks_per_sm);
    check("occupancy", occupied["occupancy"][0]["occupancy"], resident->occupancy);
    return failures == 0 ? 0 : 1;
}
