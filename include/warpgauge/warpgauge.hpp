// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_WARPGAUGE_HPP
#define WARPGAUGE_WARPGAUGE_HPP

/// \file Kernels, devices, occupancy, `default_model`, and all models but `ppt_compat_model`, the program of Chapuis et
/// al. to the bit (`models/ppt_compat.hpp`). It needs the standard library alone.
///
///     default_model(devices::l40{}).predict({.blocks = 4096, .threads_per_block = 256, .comp_insts = 10})
///
/// Further headers are `profiles.hpp` (profiles of common kernels: streams, element-wise operations, row reductions,
/// products), `tune.hpp` (sweep, rank, score), `what_if.hpp` (explain, sensitivities, uncertainty), `ptx.hpp` (from PTX
/// to a profile), `by_name.hpp` (devices and models by name).

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/version.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/device/parameters.hpp>
#include <warpgauge/device/sm_limits.hpp>
#include <warpgauge/devices/all.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/makespan.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/models/mpd_cpd.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/models/trapezoid.hpp>
#include <warpgauge/sm/coalescing.hpp>
#include <warpgauge/sm/launch.hpp>
#include <warpgauge/sm/occupancy.hpp>
#include <warpgauge/tune/default_model.hpp>

#endif
