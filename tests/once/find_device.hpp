// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_ONCE_FIND_DEVICE_HPP
#define WARPGAUGE_TESTS_ONCE_FIND_DEVICE_HPP

#include <string_view>

#include <warpgauge/by_name/find_device.hpp>

// Instantiated in find_device.cpp, and in no other unit.

extern template warpgauge::result<warpgauge::any_device> warpgauge::find_device<>(std::string_view);

#endif
