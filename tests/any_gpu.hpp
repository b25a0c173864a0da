// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_ANY_GPU_HPP
#define WARPGAUGE_TESTS_ANY_GPU_HPP

#include <vector>

#include <warpgauge/device/device.hpp>
#include <warpgauge/devices/all.hpp>

template <template <class> class... Groups>
warpgauge::partial_device<double, Groups...> partial_of(warpgauge::group_list<Groups...>);

/// One type for every GPU: what tests check of this one is compiled once, not once a GPU.
using any_gpu = decltype(partial_of(warpgauge::all_groups{}));

inline std::vector<any_gpu> all_gpus() {
    std::vector<any_gpu> all;
    warpgauge::devices::for_each([&](const auto& d) { all.emplace_back(d); });
    return all;
}

#endif
