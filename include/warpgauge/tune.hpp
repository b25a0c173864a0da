// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_HPP
#define WARPGAUGE_TUNE_HPP

/// \file Choosing configurations to measure, and scores of a model's choice.
///
/// - `configurations`, `axis`, `sweep`, `predict_batch`: the times of a whole space, several at a time;
/// - `sample`: configurations of a space that break no constraint, all or some drawn at random;
/// - `default_model`: the closed form to take for a device;
/// - `rank`, `ranking`: the order in which to measure;
/// - `prune`, `keep_fraction`, `keep_within`, `keep_possible`, `pruned`: what to leave out, and why;
/// - `spearman`, `kendall_tau_b`, `top_pick`, `best_of_first`, `top_fraction`, `top_k_recall`, `regret`,
///   `mean_error_factor`, `mean_scale`: predicted times against measured ones;
/// - `bootstrap`: the variation of a score with the choice of measured kernels;
/// - `arena`, `contestant`: a comparison of several models.
///
/// `tune/rank_from_source.hpp` ranks configurations by their PTX; it includes the tracer, and this header does not.

#include <warpgauge/tune/arena.hpp>
#include <warpgauge/tune/batch.hpp>
#include <warpgauge/tune/bootstrap.hpp>
#include <warpgauge/tune/default_model.hpp>
#include <warpgauge/tune/last_place.hpp>
#include <warpgauge/tune/prune.hpp>
#include <warpgauge/tune/rank.hpp>
#include <warpgauge/tune/rank_by_default.hpp>
#include <warpgauge/tune/rank_correlation.hpp>
#include <warpgauge/tune/sample.hpp>
#include <warpgauge/tune/score.hpp>
#include <warpgauge/tune/space.hpp>
#include <warpgauge/tune/sweep.hpp>

#endif
