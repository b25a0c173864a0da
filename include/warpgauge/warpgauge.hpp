// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_WARPGAUGE_HPP
#define WARPGAUGE_WARPGAUGE_HPP

/// \file Everything that needs the standard library alone; neither streams nor text.

#include <warpgauge/analyse/explain.hpp>
#include <warpgauge/analyse/sensitivity.hpp>
#include <warpgauge/analyse/uncertainty.hpp>
#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/normal.hpp>
#include <warpgauge/core/quantile.hpp>
#include <warpgauge/core/random.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/version.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/device/instruction_costs.hpp>
#include <warpgauge/device/parameters.hpp>
#include <warpgauge/device/ppt_parameters.hpp>
#include <warpgauge/devices/all.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/instruction_string.hpp>
#include <warpgauge/kernel/periods.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/kernel/task_list.hpp>
#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/bracket.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/makespan/search.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/makespan.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/models/mpd_cpd.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/ppt_compat.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/trapezoid.hpp>
#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/text/resources.hpp>
#include <warpgauge/ptx/trace/trace.hpp>
#include <warpgauge/simulate/ppt.hpp>
#include <warpgauge/simulate/sm.hpp>
#include <warpgauge/simulate/timeline.hpp>
#include <warpgauge/sm/coalescing.hpp>
#include <warpgauge/sm/launch.hpp>
#include <warpgauge/sm/occupancy.hpp>
#include <warpgauge/tune/arena.hpp>
#include <warpgauge/tune/bootstrap.hpp>
#include <warpgauge/tune/rank.hpp>
#include <warpgauge/tune/score.hpp>
#include <warpgauge/tune/sweep.hpp>

#endif
