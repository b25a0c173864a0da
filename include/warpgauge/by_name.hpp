// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BY_NAME_HPP
#define WARPGAUGE_BY_NAME_HPP

/// \file Devices and models by name: `find_device`, `for_each_device_name`, `for_each_device_like`, `any_device`,
/// `predict(model, device, profile)`, `visit_model`, `model_names`, `default_model_name`.

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/by_name/find_device.hpp>
#include <warpgauge/by_name/predict.hpp>

#endif
