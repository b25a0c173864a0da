// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the text of a kernel to its time and what limits it.
//
//   from_ptx FILE.ptx
#include <fstream>
#include <iterator>
#include <string>

// region: from_ptx
#include <iostream>

#include <warpgauge/ptx.hpp>
#include <warpgauge/warpgauge.hpp>

warpgauge::model_error predict_saxpy(std::string_view text) {
    namespace ptx = warpgauge::ptx;
    const auto module = ptx::parse(text);
    if (!module) return module.error();  // with line and column
    const auto kernel = ptx::find_kernel(*module, "saxpy");
    if (!kernel) return kernel.error();
    const auto traced = ptx::trace(*kernel, {.grid = {40960}, .block = {256}}, {10'000'000});
    if (!traced) return traced.error();
    const warpgauge::saturation_model h100{warpgauge::devices::h100_sxm5{}};
    const auto time = h100.predict(traced->profile());
    if (!time) return time.error();
    std::cout << 1e6 * time->seconds << " us, limited by " << name(time->which) << '\n';
    return {};
}
// endregion

int main(int argc, char** argv) {
    std::ifstream file(argc > 1 ? argv[1] : KERNELS "/saxpy.sm_90.ptx");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto bad = predict_saxpy(text);
    if (bad) std::cerr << message(bad).view() << '\n';
    return bad ? 1 : 0;
}
