// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled to assembly, which is looked at: does a batch compute in packs?
#include <cstddef>
#include <span>

#include <warpgauge/devices/geforce_gtx_280.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/tune/batch.hpp>

warpgauge::result<std::size_t> batch(const warpgauge::kernel_profile<>& common,
                                     std::span<const std::span<const double>> columns,
                                     std::span<double> seconds) {
    const auto describe = [](auto p, auto& k) {
        k.threads_per_block = p[0];
        k.active_blocks_per_sm = p[1];
        k.comp_insts = p[2];
        k.coalesced_mem_insts = p[3];
        k.uncoalesced_mem_insts = p[4];
    };
    return warpgauge::predict_batch(warpgauge::described{common, describe},
                                    warpgauge::mwp_cwp_model<warpgauge::devices::geforce_gtx_280>{},
                                    columns, seconds);
}
