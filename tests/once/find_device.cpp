// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "find_device.hpp"

template warpgauge::result<warpgauge::any_device> warpgauge::find_device<>(std::string_view);
