// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything in one more translation unit: a definition that is not inline breaks the link.
#include <warpgauge/report/bar_chart.hpp>
#include <warpgauge/report/explanation.hpp>
#include <warpgauge/report/gantt.hpp>
#include <warpgauge/report/heat_map.hpp>
#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/makespan_lp.hpp>
#include <warpgauge/report/roofline_chart.hpp>
#include <warpgauge/report/sm_timeline.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>
