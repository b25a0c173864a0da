// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a warp's access of 4 B a lane costs when its lanes stand 1 to 32 words apart, on every generation:
// from the text of a kernel, so from its addresses, not from a formula.
//
//   strides [FILE.svg]    the table; with FILE.svg, bytes moved against the stride as a picture
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

#include <warpgauge/ptx.hpp>
#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace ptx = warpgauge::ptx;
namespace report = warpgauge::report;
using warpgauge::compute_capability;

// region: kernel
constexpr std::string_view strided = R"(
.version 7.0
.target sm_75
.address_size 64
.entry strided(.param .u32 stride, .param .u64 data)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<2>;
    .shared .align 4 .b8 tile[4096];
    ld.param.u32 %r1, [stride];
    ld.param.u64 %rd1, [data];
    mov.u32 %r2, %tid.x;
    mul.lo.s32 %r3, %r2, %r1;
    mul.wide.s32 %rd2, %r3, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    mov.u64 %rd3, tile;
    add.s64 %rd3, %rd3, %rd2;
    st.shared.f32 [%rd3], %f1;
    ret;
}
)";
// endregion

struct generation {
    const char* name;
    compute_capability capability;
};
constexpr std::array<generation, 5> generations{{{"1.0, 1.1", {1, 0}},
                                                 {"1.2, 1.3", {1, 3}},
                                                 {"2.x", {2, 0}},
                                                 {"3.x", {3, 5}},
                                                 {"5.0 and later", {7, 5}}}};

}  // namespace

int main(int argc, char** argv) {
    const auto m = ptx::parse(strided);
    if (!m) return 1;
    const auto kernel = ptx::find_kernel(*m, "strided");
    if (!kernel) return 1;
    report::table t({"stride", "1.0, 1.1", "1.2, 1.3", "2.x", "3.0 and later", "banks 1.x",
                     "banks 2.x, 5.0 and later", "banks 3.x"});
    report::line_chart chart{.title = "Bytes that a warp's load of 128 B moves",
                             .x_label = "words between lanes",
                             .y_label = "bytes moved",
                             .log_x = true,
                             .log_y = true};
    for (const generation& g : generations) {
        if (g.capability.major != 7) chart.curves.push_back({g.name, {}});
    }
    chart.curves[3].label = "3.0 and later";
    for (std::uint32_t stride = 1; stride <= 32; ++stride) {
        std::array<std::string, 5> global;
        std::array<std::string, 5> shared;
        for (std::size_t g = 0; g < generations.size(); ++g) {
            // region: trace
            const auto traced = ptx::trace(*kernel, {.grid = {1}, .block = {32}}, {stride, {}},
                                           {.capability = generations[g].capability});
            if (!traced) return 1;
            const ptx::memory_access& load = traced->accesses[0];
            const ptx::memory_access& store = traced->accesses[1];
            // endregion
            global[g] = report::fixed(load.transactions, 0);
            shared[g] = report::fixed(store.transactions, 0);
            if (g < 4) chart.curves[g].points.push_back({double(stride), load.bytes_moved});
        }
        t.add({std::to_string(stride), global[0], global[1], global[2], global[4], shared[0],
               shared[4], shared[3]});
    }
    std::cout << t;
    if (argc > 1) {
        std::ofstream file(argv[1]);
        if (!(file << chart)) {
            std::cerr << "cannot write " << argv[1] << '\n';
            return 1;
        }
    }
}
