// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <algorithm>
#include <cstdint>

#include <warpgauge/tune/rank.hpp>

using namespace warpgauge;

int warpgauge_rank(const double* seconds, size_t count, double tolerance, size_t* order,
                   size_t* groups, warpgauge_error* error) {
    static constexpr char not_needed = 0;
    return c::guarded(error,
                      {{count > 0 ? static_cast<const void*>(seconds) : &not_needed, "seconds"},
                       {count > 0 ? static_cast<const void*>(order) : &not_needed, "order"}},
                      [&] {
                          const auto r =
                              rank(std::span<const double>(seconds, count), {}, tolerance);
                          if (!r) return c::report(error, r.error());
                          std::copy(r->order.begin(), r->order.end(), order);
                          if (groups != nullptr) {
                              std::fill(groups, groups + count, SIZE_MAX);
                              for (std::size_t g = 0; g < r->groups.size(); ++g) {
                                  std::fill_n(groups + r->groups[g].first, r->groups[g].count, g);
                              }
                          }
                          return c::report(error, {});
                      });
}
