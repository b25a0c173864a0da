// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One launch, traced by a sample of its warps and by all of them.
#ifndef WARPGAUGE_TESTS_PTX_TRACED_TWICE_HPP
#define WARPGAUGE_TESTS_PTX_TRACED_TWICE_HPP

#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

// Kernel `k` of a text, with the arguments `n` and data.
inline warpgauge::ptx::traced_kernel traced_by(warpgauge::ptx::sampling blocks,
                                               const std::string& text,
                                               const warpgauge::ptx::launch& l, int n) {
    const parsed_text parsed(text);
    const auto k = warpgauge::ptx::find_kernel(parsed.module, "k");
    REQUIRE(k);
    const auto t = warpgauge::ptx::trace(*k, l, {n, {}}, {.blocks = blocks});
    REQUIRE(t);
    return *t;
}

struct sample_and_all {
    warpgauge::ptx::traced_kernel sample, all;
};

inline sample_and_all traced_twice(const std::string& text, const warpgauge::ptx::launch& l,
                                   int n) {
    using warpgauge::ptx::sampling;
    return {traced_by(sampling::representative, text, l, n), traced_by(sampling::all, text, l, n)};
}

#endif
