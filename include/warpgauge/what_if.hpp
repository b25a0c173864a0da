// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_WHAT_IF_HPP
#define WARPGAUGE_WHAT_IF_HPP

/// \file What a predicted time depends on, by any model with `on(device)`.
///
/// - `explain`, `explanation`, `bottleneck`, `eased_seconds`: what limits a kernel, and the gain of each removal;
/// - `with_blocks`: a launch of more or fewer of the same blocks;
/// - `sensitivities`, `sensitivity`: the change of the time with each parameter;
/// - `uncertain` and the functions that make one (`between`, `about`, `independent` and others): a parameter that is
///   known approximately;
/// - `sample`, `uncertain_time`, `distribution_of`: how far the time may be off;
/// - `saturation_error`, `error_factor`: the model's own error, by kind of kernel;
/// - `probability_faster`, `top_k_probabilities`: how certain it is that one configuration is faster than another.

#include <warpgauge/analyse/bottleneck.hpp>
#include <warpgauge/analyse/easing.hpp>
#include <warpgauge/analyse/error_factor.hpp>
#include <warpgauge/analyse/explain.hpp>
#include <warpgauge/analyse/sampling.hpp>
#include <warpgauge/analyse/sensitivity.hpp>
#include <warpgauge/analyse/uncertainty.hpp>
#include <warpgauge/analyse/unknowns.hpp>
#include <warpgauge/analyse/without_barriers.hpp>
#include <warpgauge/kernel/with_blocks.hpp>

#endif
