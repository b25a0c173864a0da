// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict.hpp"

template warpgauge::result<warpgauge::prediction> warpgauge::predict<>(
    std::string_view, const warpgauge::any_device&, const warpgauge::kernel_profile<>&);
