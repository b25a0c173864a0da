// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of blocks, by hand.
#ifndef WARPGAUGE_TESTS_SM_REQUESTS_HPP
#define WARPGAUGE_TESTS_SM_REQUESTS_HPP

#include <cstdint>
#include <vector>

#include <warpgauge/sm/memory_request.hpp>

/// Appends one instruction of 32 lanes, of 4 B each at `first + lane * stride`.
inline void issue(std::vector<warpgauge::memory_request>& to, std::uint32_t block,
                  std::uint16_t warp, warpgauge::request_kind kind, std::uint64_t first,
                  std::uint64_t stride = 4, std::uint32_t lanes = 32) {
    warpgauge::warp_access a{.active = lanes == 32 ? ~0U : (1U << lanes) - 1};
    for (std::size_t l = 0; l < 32; ++l) a.addresses[l] = first + l * stride;
    for_each_request(a, {.block = block, .warp = warp, .kind = kind},
                     [&](const warpgauge::memory_request& r) { to.push_back(r); });
}

#endif
