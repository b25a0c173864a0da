// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel written by hand as an instruction stream, through MPD/CPD for 1 to 32 warps per SM, beside
// MWP/CWP on the same profile.
//
//   calculate_periods [FILE.svg]    the tables; with FILE.svg, cycles against warps as a picture
#include <fstream>
#include <iostream>
#include <string>

#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace report = warpgauge::report;
using warpgauge::instruction;
using warpgauge::operation;
using warpgauge::unit_kind;
using profile = warpgauge::kernel_profile<>;

// clang-format off
// region: stream
// One pixel of an ageing filter: three input colours, and a product and a sum for each of three output
// colours; eight pixels a thread.
constexpr instruction colour_in{.unit = unit_kind::global_memory};
constexpr instruction product{.unit = unit_kind::single_precision,
                              .op = operation::mul,
                              .second = warpgauge::operand::constant};
constexpr instruction sum{.unit = unit_kind::single_precision, .op = operation::add, .needs = {1}};
constexpr instruction cut{.unit = unit_kind::single_precision, .op = operation::min, .needs = {1}};
constexpr instruction colour_out{.unit = unit_kind::global_memory, .needs = {1}};
constexpr instruction next_address{.unit = unit_kind::integer, .op = operation::add};

constexpr instruction ageing_filter[]{
    next_address,
    warpgauge::loop(12, 8),                                        // eight pixels:
        colour_in, colour_in, colour_in,
        warpgauge::loop(7, 3),                                     // three colours of each
            product, product, sum, product, sum, cut, colour_out,
        next_address};
// endregion
// clang-format on

// The DRAM timing of the GTX 260 was not published; that of the GTX 280, the same chip, stands in.
struct gtx_260 : warpgauge::devices::geforce_gtx_260 {
    using same_chip = warpgauge::devices::geforce_gtx_280;
    static constexpr double issue_cycles = same_chip::issue_cycles;
    static constexpr double dram_latency_cycles = same_chip::dram_latency_cycles;
    static constexpr double coalesced_departure_cycles = same_chip::coalesced_departure_cycles;
    static constexpr double uncoalesced_departure_cycles = same_chip::uncoalesced_departure_cycles;
};

// The same 32 x 24 x 30 warps of work, `warps` at a time on each SM.
profile with_warps(double warps) {
    return {.name = "ageing filter",
            .blocks = 24 * 32 * 30 / warps,
            .threads_per_block = 32 * warps,
            .active_blocks_per_sm = 1,
            .instructions = ageing_filter};
}

void periods(double warps) {
    report::table t({"period", "times", "comp.", "memory", "type", "MPD", "T_p", "T_c", "T"});
    int number = 0;
    const auto row = [&](const warpgauge::calculate_period& p,
                         const warpgauge::period_time<double>& time, double times) {
        t.add({std::to_string(++number), report::fixed(times, 0), report::fixed(p.comp_cycles, 0),
               report::fixed(p.mem_cycles, 0), name(time.type), report::fixed(time.mpd, 0),
               report::fixed(time.previous_cycles, 0), report::fixed(time.current_cycles, 0),
               report::fixed(time.cycles, 0)});
    };
    const auto e = warpgauge::mpd_cpd_model<gtx_260>{}.predict(with_warps(warps), row);
    if (!e) {
        std::cout << message(e.error()).view() << '\n';
        return;
    }
    std::cout << "Calculate periods with " << warps << " warps per SM: computation share "
              << report::fixed(100 * e->computation_fraction, 1) << "%, CPD "
              << report::fixed(e->cpd, 2) << "\n\n"
              << t;
}

void against_warps() {
    report::table t(
        {"warps/SM", "MPD", "CPD1", "CPD2", "CPD", "MPD/CPD time", "MWP", "CWP", "MWP/CWP time"});
    for (const double warps : {1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0, 32.0}) {
        const profile k = with_warps(warps);
        const auto d = warpgauge::mpd_cpd_model<gtx_260>{}.predict(k);
        const auto counted = with_mix(k);
        if (!d || !counted) continue;
        const auto w = warpgauge::mwp_cwp_model<gtx_260>{}.predict(*counted);
        if (!w) continue;
        t.add({report::fixed(warps, 0), report::fixed(d->mpd, 0), report::fixed(d->cpd1, 2),
               report::fixed(d->cpd2, 2), report::fixed(d->cpd, 2), report::duration(d->seconds),
               report::fixed(w->mwp, 2), report::fixed(w->cwp, 2), report::duration(w->seconds)});
    }
    std::cout << t;
}

report::line_chart warps_chart() {
    report::line_chart chart{.title = "One kernel, two models, on the GTX 260",
                             .x_label = "warps per SM, for the same work",
                             .y_label = "predicted time, ms",
                             .log_y = true,
                             .curves = {{"MPD/CPD", {}}, {"MWP/CWP", {}}}};
    for (double warps = 1; warps <= 32; ++warps) {
        const profile k = with_warps(warps);
        const auto d = warpgauge::mpd_cpd_model<gtx_260>{}.predict(k);
        const auto counted = with_mix(k);
        if (!d || !counted) continue;
        const auto w = warpgauge::mwp_cwp_model<gtx_260>{}.predict(*counted);
        chart.curves[0].points.push_back({warps, 1e3 * d->seconds});
        if (w) chart.curves[1].points.push_back({warps, 1e3 * w->seconds});
    }
    return chart;
}

}  // namespace

int main(int argc, char** argv) {
    periods(8);
    std::cout << "\nThe same work by 1 to 32 warps per SM\n\n";
    against_warps();
    if (argc > 1) {
        std::ofstream file(argv[1]);
        file << warps_chart();
        if (!file.flush()) {
            std::cerr << argv[1] << ": cannot be written\n";
            return 1;
        }
    }
}
