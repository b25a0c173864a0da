// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_CORE_PACK_HPP
#define WARPGAUGE_TESTS_CORE_PACK_HPP

#include <experimental/simd>

#include <warpgauge/core/scalar.hpp>

// A pack of lanes that the library knows nothing about: that of the parallelism technical
// specification, which comparisons turn into masks.
using pack = std::experimental::fixed_size_simd<double, 4>;

template <>
struct warpgauge::scalar_traits<pack> {
    using mask = pack::mask_type;

    static pack select(const mask& condition, const pack& yes, const pack& no) {
        pack out = no;
        where(condition, out) = yes;
        return out;
    }
    static bool all(const mask& condition) { return all_of(condition); }
    static pack floor(const pack& x) { return std::experimental::floor(x); }
};

#endif
