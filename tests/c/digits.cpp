// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints seconds and cycles of each case of a file, with all digits, as the other languages do: by the templates, on devices
// that are known when this is compiled.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/devices/geforce_gtx_280.hpp>
#include <warpgauge/devices/h100_sxm5.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/saturation.hpp>

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

int predict(const std::string& device, const std::string& model, const kernel_profile<>& k) {
    const std::string both = device + "|" + model;
    if (both == "A100 SXM4 40GB|saturation") {
        return print(saturation_model<devices::a100_sxm4_40gb>{}, k);
    }
    if (both == "A100 SXM4 40GB|roofline") {
        return print(roofline_model<devices::a100_sxm4_40gb>{}, k);
    }
    if (both == "H100 SXM5|saturation") return print(saturation_model<devices::h100_sxm5>{}, k);
    if (both == "H100 SXM5|roofline") return print(roofline_model<devices::h100_sxm5>{}, k);
    if (both == "GeForce GTX 280|mwp_cwp") {
        return print(mwp_cwp_model<devices::geforce_gtx_280>{}, k);
    }
    if (both == "GeForce GTX 280|roofline") {
        return print(roofline_model<devices::geforce_gtx_280>{}, k);
    }
    std::fprintf(stderr, "%s: not a case of this program\n", both.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    std::ifstream cases(argv[1]);
    std::string device, model, parameters, name, value;
    int failed = 0;
    while (std::getline(cases, device, '|') && std::getline(cases, model, '|') &&
           std::getline(cases, parameters)) {
        kernel_profile<> k;
        std::istringstream words(parameters);
        while (std::getline(words >> std::ws, name, '=') && words >> value) {
            double* to = find_parameter(k, name);
            if (to == nullptr) return 2;
            *to = std::stod(value);
        }
        failed += predict(device, model, k);
    }
    return failed != 0;
}
