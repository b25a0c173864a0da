// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything in one more translation unit: a definition that is not inline breaks the link.
#include <warpgauge/analyse/saturation_slopes.hpp>
#include <warpgauge/by_name.hpp>
#include <warpgauge/makespan/bracket.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/profiles/element_wise.hpp>
#include <warpgauge/profiles/row_reduction.hpp>
#include <warpgauge/profiles/stream.hpp>
#include <warpgauge/profiles/tiled_product.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/report/bar_chart.hpp>
#include <warpgauge/report/explanation.hpp>
#include <warpgauge/report/gantt.hpp>
#include <warpgauge/report/heat_map.hpp>
#include <warpgauge/report/host_timeline.hpp>
#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/makespan_lp.hpp>
#include <warpgauge/report/roofline_chart.hpp>
#include <warpgauge/report/scatter.hpp>
#include <warpgauge/report/sm_timeline.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/sass.hpp>
#include <warpgauge/sass/lower.hpp>
#include <warpgauge/simulate/timeline.hpp>
#include <warpgauge/tune.hpp>
#include <warpgauge/warpgauge.hpp>
#include <warpgauge/what_if.hpp>
