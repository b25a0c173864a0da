// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BINDINGS_C_LISTS_HPP
#define WARPGAUGE_BINDINGS_C_LISTS_HPP

#include <cstddef>

/// \file Lists of names that different units know: entry `index`, null beyond the last.

namespace warpgauge::c {

const char* device_name_at(std::size_t index);
const char* model_name_at(std::size_t index);
const char* profile_parameter_at(std::size_t index);

}  // namespace warpgauge::c

#endif
