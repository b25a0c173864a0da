// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_ONCE_PREDICT_HPP
#define WARPGAUGE_TESTS_ONCE_PREDICT_HPP

#include <string_view>

#include <warpgauge/by_name/predict.hpp>

#include "simulate.hpp"

// Instantiated in predict.cpp, and in no other unit.

extern template warpgauge::result<warpgauge::prediction> warpgauge::predict<>(
    std::string_view, const warpgauge::any_device&, const warpgauge::kernel_profile<>&);

#endif
