// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/kernel/dependent_chain.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>
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

// Latencies of which only one unit has one.
auto only(unit_kind unit, double cycles) {
    return [=](unit_kind u) { return u == unit ? cycles : 0; };
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

TEST_CASE("a softmax of Triton") {
    const parsed_text t(triton_softmax_text);
    CHECK(t.module.unknown_opcodes == 0);
    const auto k = ptx::find_kernel(t.module, "row_softmax");
    REQUIRE(k);
    // Rows 512 elements apart, of which 500 count: the last warp loads and stores 29 x 16 B = 14.5 sectors.
    const auto followed = ptx::trace(*k, {{8}, {128}, 16}, {{}, {}, 512, 500});
    REQUIRE(followed);
    CHECK(followed->assumptions.empty());
    CHECK(followed->insts_of(unit_kind::barrier) == 5);
    CHECK(followed->touched.load_sectors == (3 * 16 + 15) / 4.0);
    CHECK(followed->touched.full_store_sectors == (3 * 16 + 14) / 4.0);
    CHECK(followed->touched.partial_store_sectors == 1 / 4.0);
    // Two reductions: each warp stores its own and loads the whole; the first warp loads four and stores one.
    CHECK(followed->shared_load_passes == 2 * (1 + 1 / 4.0));
    CHECK(followed->shared_store_passes == 2 * (1 + 1 / 4.0));
    CHECK(access_of(*followed, "ld.shared.f32").transactions == 1);
    CHECK(followed->loops.empty());
    // Between barriers: a subtraction, a product, the exponential, three sums of elements and five of lanes.
    const auto chain = longest_chain(followed->stream, only(unit_kind::single_precision, 3));
    REQUIRE(chain);
    CHECK(chain->cycles == (1 + 1 + 3 + 5) * 3);
}

TEST_CASE("a product of Triton") {
    const parsed_text t(triton_product_text);
    CHECK(t.module.unknown_opcodes == 0);
    const auto k = ptx::find_kernel(t.module, "product");
    REQUIRE(k);
    // 128 x 128 with an inner extent of 256: 8 rounds of 32.
    const auto followed = ptx::trace(*k, {{4, 4}, {128}, 12288}, {{}, {}, {}, 256, 128});
    REQUIRE(followed);
    CHECK(followed->assumptions.empty());
    REQUIRE(followed->loops.size() == 1);
    CHECK(followed->loops[0].rounds == 8);
    CHECK(followed->loops[0].ways == 1);
    CHECK(followed->insts_of(unit_kind::barrier) == 1 + 8 + 1);
    // A product of 16 x 8 x 16 is 2048 multiply-adds; together 128 x 128 x 256 by 64 warps.
    CHECK(followed->insts_of(unit_kind::tensor) == 4 * 8);
    CHECK(followed->tensor_fmas == 4 * 8 * 2048);
    // A warp copies 8 rows of 64 B of a and as many of b for each of 8 tiles. In the last two rounds it copies 0 B.
    CHECK(followed->touched.load_sectors == 8 * 2 * 16);
    for (const ptx::sampling s : {ptx::sampling::representative, ptx::sampling::all}) {
        for (const bool every : {false, true}) {
            for (const std::uint32_t depth : {32U, 96U, 320U}) {
                const auto other = ptx::trace(*k, {{4, 4}, {128}, 12288}, {{}, {}, {}, depth, 128},
                                              {.blocks = s, .every_round = every});
                REQUIRE(other);
                CHECK(other->touched.load_sectors == depth);
            }
        }
    }
    // 16 x 16 of c in single precision.
    CHECK(followed->touched.full_store_sectors == 16 * 16 * 4 / 32);
    CHECK(followed->touched.partial_store_sectors == 0);
    // Four matrices of 8 rows of 16 B by one instruction, a pass each since no banks are in conflict.
    CHECK(access_of(*followed, "ldmatrix.sync.aligned.m8n8.x4.shared.b16").transactions == 4);
    CHECK(access_of(*followed, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16").transactions == 4);
    CHECK(followed->shared_load_passes == 8 * 4 * 4);
    double copies = 0;
    double commits = 0;
    double waits = 0;
    auto count = [&](const instruction& i, std::size_t, double times) {
        copies += is_async_copy(i) ? times : 0;
        commits += i.async == async_step::commit ? times : 0;
        waits += waits_for_copies(i) ? times : 0;
    };
    for_each_entry(followed->stream, 0, followed->stream.size(), 1, count);
    CHECK(copies == 4 + 2 * 8);
    CHECK(commits == 4 + 2 * 8);
    CHECK(waits == 8 + 1);
    // Two accumulators, each of two products a round.
    const auto chain = longest_chain(followed->stream, only(unit_kind::tensor, 16));
    REQUIRE(chain);
    CHECK(chain->cycles == 8 * 2 * 16);
    CHECK(chain->parallelism() == 2);
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
