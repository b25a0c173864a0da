// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROFILES_HPP
#define WARPGAUGE_PROFILES_HPP

/// \file Profiles of common kernels, built from their shapes.
///
/// - `profiles::stream`: one element a thread of each of several arrays: copy, scale, triad;
/// - `profiles::element_wise`: an operation on each element, four to a thread;
/// - `profiles::layer_norm`, `softmax`, `row_reduction`: rows that are reduced and written again;
/// - `profiles::tiled_product`: matrix products in tiles.
///
///     default_model(devices::l40{}).predict(profiles::stream({.elements = 1 << 27, .threads_per_block = 256}))
///
/// A profile of any other kernel comes from its PTX (`ptx.hpp`), or is written by hand (`kernel/profile.hpp`).

#include <warpgauge/profiles/element_wise.hpp>
#include <warpgauge/profiles/row_reduction.hpp>
#include <warpgauge/profiles/stream.hpp>
#include <warpgauge/profiles/tiled_product.hpp>

#endif
