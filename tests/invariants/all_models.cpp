// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.hpp"
#include "models.hpp"

namespace invariants {

const std::vector<subject>& all_subjects() {
    static const std::vector<subject> all{mwp_cwp(),   mwp_cwp_summed(), mwp_cwp_whole(),
                                          mpd_cpd(),   trapezoid(),      trapezoid_of_loops(),
                                          makespan(),  hybrid(),         roofline_subject(),
                                          saturation()};
    return all;
}

}  // namespace invariants
