// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_WARPGAUGE_HPP
#define WARPGAUGE_WARPGAUGE_HPP

/// \file Everything that needs the standard library alone; neither streams nor text.

#include <warpgauge/arena.hpp>
#include <warpgauge/bootstrap.hpp>
#include <warpgauge/coalescing.hpp>
#include <warpgauge/compute_capability.hpp>
#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/normal.hpp>
#include <warpgauge/core/quantile.hpp>
#include <warpgauge/core/random.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/version.hpp>
#include <warpgauge/device.hpp>
#include <warpgauge/devices.hpp>
#include <warpgauge/explain.hpp>
#include <warpgauge/figures.hpp>
#include <warpgauge/hybrid/ppt.hpp>
#include <warpgauge/hybrid/sm.hpp>
#include <warpgauge/instruction.hpp>
#include <warpgauge/instruction_costs.hpp>
#include <warpgauge/instructions.hpp>
#include <warpgauge/launch.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/makespan/search.hpp>
#include <warpgauge/model.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/makespan.hpp>
#include <warpgauge/models/mpd_cpd.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/trapezoid.hpp>
#include <warpgauge/models/with_sync.hpp>
#include <warpgauge/occupancy.hpp>
#include <warpgauge/ppt_parameters.hpp>
#include <warpgauge/profile.hpp>
#include <warpgauge/ptx/parse.hpp>
#include <warpgauge/ptx/resources.hpp>
#include <warpgauge/ptx/trace.hpp>
#include <warpgauge/rank.hpp>
#include <warpgauge/roofline.hpp>
#include <warpgauge/score.hpp>
#include <warpgauge/sensitivity.hpp>
#include <warpgauge/sweep.hpp>
#include <warpgauge/timeline.hpp>
#include <warpgauge/uncertainty.hpp>

#endif
