// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_INVARIANTS_MODELS_HPP
#define WARPGAUGE_TESTS_INVARIANTS_MODELS_HPP

#include "subject.hpp"

// Every model, with the options of which the invariants are tried.

namespace invariants {

subject mwp_cwp();
subject mwp_cwp_summed();
subject mwp_cwp_whole();
subject roofline_subject();
subject saturation();
subject mpd_cpd();
subject trapezoid();
subject trapezoid_of_loops();
subject makespan();
subject hybrid();

}  // namespace invariants

#endif
