// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"
#include "ptx/producers.hpp"

namespace producers_test {

using namespace warpgauge;

namespace {

const ptx::memory_access& access_of(const ptx::traced_kernel& t, std::string_view opcode) {
    for (const auto& a : t.accesses) {
        if (a.opcode == opcode) return a;
    }
    FAIL("no such access");
    return t.accesses.front();
}

}  // namespace

TEST_CASE("a kernel of Triton") {
    const parsed_text t(triton_text);
    CHECK(t.module.unknown_opcodes == 0);
    CHECK(t.module.files.size() == 2);
    const auto k = ptx::find_kernel(t.module, "doubled_kernel");
    REQUIRE(k);
    const ptx::function& f = t.module.functions[k->function];
    CHECK(f.required_threads == std::array<std::uint32_t, 3>{128, 1, 1});
    CHECK(t.module.declarations[f.parameters.first].alignment == 1);
    // 1536 elements in two blocks: of the second, the first half has data.
    const auto followed = ptx::trace(*k, {{2}, {128}, 512}, {{}, {}, 1536});
    REQUIRE(followed);
    CHECK(followed->assumptions.empty());
    CHECK(followed->warp_insts == 37);
    const auto& load = access_of(*followed, "ld.global.v4.b32");
    CHECK(load.bytes_per_lane == 16);
    CHECK(load.transactions == 16);
    CHECK(access_of(*followed, "st.shared.b32").transactions == 1);
    CHECK(followed->bytes_moved == 512 + 256 + 512);  // the second load in half of the warps
    CHECK(followed->divergent_insts == 0.5);          // that load, by no lane of the others
}

TEST_CASE("a kernel of NVRTC") {
    const parsed_text t(nvrtc_text);
    CHECK(t.module.unknown_opcodes == 0);
    const auto k = ptx::find_kernel(t.module, "_Z4polyIfLi4EEvPKT_PS0_i");
    REQUIRE(k);
    const ptx::function& f = t.module.functions[k->function];
    CHECK(f.max_threads == std::array<std::uint32_t, 3>{256, 1, 1});
    CHECK(f.min_blocks_per_sm == 2);
    const auto followed = ptx::trace(*k, {{10}, {256}}, {{}, {}, 2560});
    REQUIRE(followed);
    CHECK(followed->assumptions.empty());
    CHECK(followed->warp_insts == 9 + 7 + 4 * 7 + 3 + 1);
    CHECK(access_of(*followed, "ld.const.f32").executions == 4);
    CHECK(followed->bytes_moved == 256);
}

TEST_CASE("a kernel of Rust") {
    const parsed_text t(rust_text);
    CHECK(t.module.unknown_opcodes == 0);
    CHECK(t.module.functions.size() == 4);
    const auto k = ptx::find_kernel(t.module, "gather");
    REQUIRE(k);
    const auto followed = ptx::trace(*k, {{4}, {64}}, {{}, 256, {}});
    REQUIRE(followed);
    CHECK(followed->assumptions.empty());  // no lane panics
    CHECK(followed->warp_insts == 9 + 7 + 2 + 5 + 1 + 4);
    // Index 8 i xor 8, of 4 B: every lane has a sector of its own.
    CHECK(access_of(*followed, "st.global.u32").transactions == 32);
    // One element too few: the last lane's check fails, and what it calls is not in the text.
    const auto panics = ptx::trace(*k, {{4}, {64}}, {{}, 255, {}});
    REQUIRE(panics);
    REQUIRE(panics->assumptions.size() == 1);
    CHECK(panics->assumptions[0].what == ptx::assumed::callee);
}

}  // namespace producers_test
