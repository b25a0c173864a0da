// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four kernels of a library, each from its shape alone: what the saturation model and the roofline say of them on an
// A100 PCIe 40GB and on an L40.
#include <iostream>
#include <utility>

#include <warpgauge/devices/a100_pcie_40gb.hpp>
#include <warpgauge/devices/l40.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/profiles/element_wise.hpp>
#include <warpgauge/profiles/row_reduction.hpp>
#include <warpgauge/profiles/stream.hpp>
#include <warpgauge/profiles/tiled_product.hpp>
#include <warpgauge/report/table.hpp>

namespace {

namespace wg = warpgauge;
namespace profiles = warpgauge::profiles;
namespace report = warpgauge::report;

// region: stream
// A = B + c C on 2^27 doubles, one element a thread.
wg::kernel_profile<> triad() {
    return profiles::stream(
        {.elements = 1 << 27, .element_bytes = 8, .threads_per_block = 256, .loads = 2});
}
// endregion

// region: element_wise
// gelu on 4096 x 4096 floats, four to a thread.
wg::kernel_profile<> gelu() {
    return profiles::element_wise({.elements = 4096 * 4096, .inputs = 1, .operation_insts = 25});
}
// endregion

// region: row_reduction
// Rows of 4096 floats, one block each, read twice and written: the hits in L2 depend on the device.
template <class Device>
wg::kernel_profile<> norm(const Device& gpu) {
    return profiles::layer_norm({.rows = 16384, .columns = 4096, .threads_per_block = 256}, gpu);
}
// endregion

// region: tiled_product
// 4096 x 4096 x 4096 in tiles of 128 x 128: the blocks of a round share rows and columns in L2.
template <class Device>
wg::kernel_profile<> product(const Device& gpu) {
    return profiles::tiled_product({.rows = 4096,
                                    .columns = 4096,
                                    .depth = 4096,
                                    .tile_rows = 128,
                                    .tile_columns = 128,
                                    .threads_per_block = 256},
                                   gpu);
}
// endregion

template <class Device>
bool add_rows(report::table& t, const Device& gpu) {
    for (const auto& [name, k] :
         {std::pair{"triad", triad()}, std::pair{"gelu", gelu()},
          std::pair{"layer norm", norm(gpu)}, std::pair{"product", product(gpu)}}) {
        // region: predict
        const auto e = wg::saturation_model{gpu}.predict(k);
        const auto roofs = wg::roofline_model{gpu}.predict(k);
        // endregion
        if (!e || !roofs) return false;
        t.add({gpu.name, name, report::fixed(1e6 * e->seconds, 0), wg::name(e->which),
               report::fixed(1e6 * roofs->seconds, 0), wg::name(roofs->which),
               report::fixed(e->dram_bytes / 1e6, 0)});
    }
    return true;
}

}  // namespace

int main() {
    report::table t({"GPU", "kernel", "us", "limited by", "roofline, us", "roof", "MB of DRAM"}, 2);
    if (!add_rows(t, wg::devices::a100_pcie_40gb{}) || !add_rows(t, wg::devices::l40{})) return 1;
    std::cout << t;
}
