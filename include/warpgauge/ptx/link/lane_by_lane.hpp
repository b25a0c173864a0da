// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_LANE_BY_LANE_HPP
#define WARPGAUGE_PTX_LINK_LANE_BY_LANE_HPP

#include <string_view>

#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file Which instructions compute lane by lane, so that lanes with equal sources have equal results.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

/// Plain loads do too, of equal addresses. Other accesses of memory do not, nor what lanes do together.
constexpr bool is_lane_by_lane(const ptx::text::root_rule* rule) {
    using ptx::text::executed_by;
    if (rule == nullptr) return false;
    if (rule->root == "ld" || rule->root == "ldu") return true;
    if (rule->unit_rule != executed_by::type && rule->unit_rule != executed_by::special &&
        rule->unit_rule != executed_by::integer) {
        return false;
    }
    for (const std::string_view other :
         {"activemask", "alloca", "clusterlaunchcontrol", "elect", "match", "movmatrix", "redux",
          "shfl", "stacksave", "vote"}) {
        if (rule->root == other) return false;
    }
    return true;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
