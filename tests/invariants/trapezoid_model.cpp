// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/models/trapezoid.hpp>

#include "floors.hpp"
#include "models.hpp"
#include "tools.hpp"

namespace invariants {

using namespace parameters;

namespace {

template <int Loops>
struct stencil_loops {
    static constexpr std::string_view name = Loops == 1 ? "trapezoid" : "trapezoid, 20 loops";
    static constexpr kernel_kind kind = kernel_kind::stencil;
    static constexpr bool has_published_form = false;
    using reads = group_list<chip, warp, residency, stencil_timing>;
    template <class D>
    static constexpr bool takes = trapezoid_device<D>;

    template <class D>
    static auto complete(const D& d) {
        return completed<stencil_timing>(d, {.uncontended_latency_cycles = 400,
                                             .coalesce_width = 32,
                                             .dram_pipeline_depth = 4,
                                             .global_sync_cycles = 3000,
                                             .average_cpi = 0.5});
    }
    template <class D>
    static auto model(const D& d, equation_form) {
        return trapezoid_model{d, {.loops = Loops}};
    }
    /// All arrays are read once and the result is written; each element is computed in each loop.
    static hardware_floors floors(const any_device& d, const launch_case& c) {
        const stencil_shape& s = c.numbers.stencil;
        double elements = 1;
        for (std::size_t n = 0; n < static_cast<std::size_t>(s.dimensions); ++n) {
            elements *= s.data_length[n];
        }
        const double cycle = 1 / *d.get("clock_hz");
        const double insts =
            (s.misc_insts_per_sm + Loops * s.iter_insts_per_sm) * elements / s.profiled_elements;
        return {.issue_seconds = insts * *d.get("average_cpi") * cycle,
                .bytes_seconds = 4 * elements * (s.stencil_arrays + 1) / *d.get("dram_bytes_per_s"),
                .latency_seconds = 2 * *d.get("uncontended_latency_cycles") * cycle};
    }
};

}  // namespace

subject trapezoid() {
    return make_subject<stencil_loops<1>>();
}
subject trapezoid_of_loops() {
    return make_subject<stencil_loops<20>>();
}

}  // namespace invariants
